//! Files that belong to the user and that generation may only add to.

/// A part of a file that generation knows by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// Its name: `action Enqueue`.
    pub(crate) name: String,
    /// What its text depends on, such as `(value)`: if it changes, the user has to adapt what is written.
    pub(crate) signature: String,
    /// What stands there at first.
    pub(crate) text: String,
}

/// What generation found in a file that was there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MergeReport {
    /// Sections that were added.
    pub(crate) added: Vec<String>,
    /// Sections whose signatures have changed: name, old, new.
    pub(crate) changed: Vec<(String, String, String)>,
    /// Sections that nothing asks for any more.
    pub(crate) orphaned: Vec<String>,
}

/// What comments begin with in the language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comment {
    /// `//`
    Slashes,
    /// `#`
    Hash,
}

impl Comment {
    fn mark(self) -> &'static str {
        match self {
            Self::Slashes => "//",
            Self::Hash => "#",
        }
    }

    fn begin(self) -> String {
        format!("{} omnilink: begin ", self.mark())
    }

    fn end(self) -> String {
        format!("{} omnilink: end ", self.mark())
    }

    /// Where new sections go.
    fn here(self) -> String {
        format!(
            "{} omnilink: new sections are inserted above this line",
            self.mark()
        )
    }
}

/// The text of a new file.
pub(crate) fn fresh(head: &str, sections: &[Section], tail: &str, comment: Comment) -> String {
    let mut text = head.to_owned();
    for section in sections {
        text.push_str(&framed(section, comment));
    }
    text.push_str(&comment.here());
    text.push('\n');
    text.push_str(tail);
    text
}

/// Adds to a file what it lacks. Nothing that stands there changes but the first lines of sections with another signature.
pub(crate) fn merged(old: &str, sections: &[Section], comment: Comment) -> (String, MergeReport) {
    let (begin, here) = (comment.begin(), comment.here());
    let mut report = MergeReport::default();
    let mut present = Vec::new();
    let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
    for line in &mut lines {
        let Some(found) = line.trim_start().strip_prefix(&begin) else {
            continue;
        };
        let at = found.find('(').unwrap_or(found.len());
        let (name, signature) = (found[..at].trim().to_owned(), found[at..].trim().to_owned());
        match sections.iter().find(|section| section.name == name) {
            None => report.orphaned.push(name.clone()),
            Some(section) if section.signature != signature => {
                let indent = &line[..line.len() - line.trim_start().len()];
                *line = format!("{indent}{begin}{name}{}", section.signature);
                report
                    .changed
                    .push((name.clone(), signature, section.signature.clone()));
            }
            Some(_) => {}
        }
        present.push(name);
    }
    let new: Vec<&Section> = sections
        .iter()
        .filter(|section| !present.contains(&section.name))
        .collect();
    let added: String = new.iter().map(|section| framed(section, comment)).collect();
    report.added = new.into_iter().map(|section| section.name.clone()).collect();
    let at = lines.iter().position(|line| line.trim() == here);
    let mut text = String::with_capacity(old.len() + added.len());
    for (i, line) in lines.iter().enumerate() {
        if Some(i) == at {
            text.push_str(&added);
        }
        text.push_str(line);
        text.push('\n');
    }
    if at.is_none() {
        text.push_str(&added);
    }
    (text, report)
}

fn framed(section: &Section, comment: Comment) -> String {
    let (begin, end) = (comment.begin(), comment.end());
    let Section {
        name,
        signature,
        text,
    } = section;
    format!("{begin}{name}{signature}\n{text}{end}{name}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str, signature: &str) -> Section {
        Section {
            name: format!("action {name}"),
            signature: signature.to_owned(),
            text: format!("void {name}{signature} {{}}\n"),
        }
    }

    #[test]
    fn what_the_user_wrote_survives_every_generation() {
        let first = fresh(
            "head\n",
            &[section("Put", "(item)"), section("Take", "()")],
            "tail\n",
            Comment::Slashes,
        );
        let written = first
            .replace("void Put(item) {}", "void Put(item) { queue.push(item); }")
            .replace("head\n", "head\n#include \"mine.hpp\"\n");
        let again = merged(
            &written,
            &[section("Put", "(item)"), section("Take", "()")],
            Comment::Slashes,
        );
        assert_eq!(again, (written.clone(), MergeReport::default()));

        let (text, report) = merged(
            &written,
            &[section("Put", "(item, at)"), section("Size", "()")],
            Comment::Slashes,
        );
        assert!(text.contains("#include \"mine.hpp\"") && text.contains("queue.push(item)"));
        assert!(text.contains("begin action Put(item, at)\n"));
        assert!(text.find("void Size").unwrap() < text.find("tail").unwrap());
        assert_eq!(report.added, ["action Size"]);
        assert_eq!(report.orphaned, ["action Take"]);
        assert_eq!(
            report.changed,
            [("action Put".into(), "(item)".into(), "(item, at)".into())]
        );
    }

    #[test]
    fn a_file_without_the_mark_is_added_to_at_its_end() {
        let (text, report) = merged("mine\n", &[section("Put", "()")], Comment::Hash);
        assert!(text.starts_with("mine\n") && text.contains("void Put()"));
        assert_eq!(report.added.len(), 1);
    }
}
