//! The shapes of messages: their words without what differs from line to line.

use std::fmt::Write as _;

/// A message without what differs from line to line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MessageShape(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    Word(String),
    /// Something that differs, with what stands around it: brackets, commas.
    Varying {
        before: String,
        after: String,
    },
    /// A pair, with its name.
    Pair(String),
    /// The path of a request, without what follows a question mark.
    Request(String),
}

impl MessageShape {
    /// Of a message: what has a digit in it or stands in quotation marks differs. A message that begins with a quotation mark is one in quotation marks, as
    /// klog writes it.
    pub fn of(message: &str) -> Self {
        let first_line = message.lines().next().unwrap_or_default();
        let mut is_quoted = first_line.starts_with('"');
        let tokens = { first_line.split(|letter: char| letter.is_whitespace() || letter.is_control()) }
            .filter(|token| !token.is_empty());
        let parts = tokens.map(|token| {
            let is_inside = is_quoted;
            is_quoted &= !(token.len() > 1 && token.ends_with('"'));
            if is_inside && !has_digit(token) {
                Part::Word(token.to_owned())
            } else {
                part(token)
            }
        });
        Self(parts.collect())
    }

    /// The words of it, in small letters.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let texts = self.0.iter().filter_map(|part| match part {
            Part::Word(word) | Part::Request(word) => Some(word),
            _ => None,
        });
        texts.flat_map(|text| {
            let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
            words.map(str::to_lowercase).collect::<Vec<_>>()
        })
    }

    /// A pattern for messages of this shape, with a named group for each part that differs, and the names of the groups.
    pub fn pattern(&self) -> (String, Vec<String>) {
        let mut pattern = "^".to_owned();
        let mut names: Vec<String> = Vec::new();
        let mut last_word = None;
        for (number, part) in self.0.iter().enumerate() {
            if number > 0 {
                pattern.push_str(r"\s+");
            }
            match part {
                Part::Word(word) => {
                    pattern.push_str(&regex_syntax::escape(word));
                    let is_name = word.starts_with(|letter: char| letter.is_ascii_alphabetic());
                    let name: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
                    last_word = Some(name.to_lowercase()).filter(|name| is_name && !name.is_empty());
                }
                Part::Varying { before, after } => {
                    let wanted = last_word.take().unwrap_or_else(|| "value".to_owned());
                    let same = names
                        .iter()
                        .filter(|name| name.trim_end_matches(char::is_numeric) == wanted);
                    let name = match same.count() {
                        0 => wanted,
                        others => format!("{wanted}{}", others + 1),
                    };
                    let (before, after) = (regex_syntax::escape(before), regex_syntax::escape(after));
                    let _ = write!(pattern, r"{before}(?<{name}>\S+?){after}");
                    names.push(name);
                }
                Part::Request(path) => {
                    let _ = write!(pattern, r"{}(?:\?\S*)?", regex_syntax::escape(path));
                    last_word = None;
                }
                Part::Pair(name) => {
                    let _ = write!(pattern, r"{}=\S+", regex_syntax::escape(name));
                    names.push(name.clone());
                    last_word = None;
                }
            }
        }
        pattern.push('$');
        (pattern, names)
    }
}

fn has_digit(text: &str) -> bool {
    text.chars().any(|letter| letter.is_ascii_digit())
}

fn part(token: &str) -> Part {
    if let Some(path) = request_path(token) {
        return Part::Request(path.to_owned());
    }
    if let Some((name, _)) = token.split_once('=')
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-'))
        && !name.is_empty()
    {
        return Part::Pair(name.to_owned());
    }
    let is_around = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '-' | '_' | '/');
    let inner = token.trim_matches(is_around);
    let differs = has_digit(inner) || token.starts_with(['"', '\'', '`']) || inner.contains('/');
    if !differs || inner.is_empty() {
        return Part::Word(token.to_owned());
    }
    let begin = token.find(inner).unwrap_or(0);
    Part::Varying {
        before: token[..begin].to_owned(),
        after: token[begin + inner.len()..].to_owned(),
    }
}

/// The path of a request that is the same for all requests of its kind: `/acquire` of `/acquire?client=a`.
fn request_path(token: &str) -> Option<&str> {
    let path = token.split('?').next().filter(|path| path.starts_with('/'))?;
    let is_name = |letter: char| letter.is_ascii_alphabetic() || matches!(letter, '/' | '_' | '-' | '.');
    let names = path.split('/').filter(|name| !name.is_empty()).count();
    (path.chars().all(is_name) && (1..=3).contains(&names)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    #[test]
    fn messages_that_differ_in_numbers_have_one_shape_and_one_pattern() {
        let shape = MessageShape::of("node n1 votes for n2 in term 3, log=7");
        assert_eq!(shape, MessageShape::of("node n3 votes for n4 in term 12, log=x"));
        assert_ne!(shape, MessageShape::of("node n3 rejects n4 in term 12, log=x"));
        let (pattern, names) = shape.pattern();
        assert_eq!(names, ["node", "for", "term", "log"]);
        let groups = Regex::new(&pattern).unwrap();
        let groups = groups.captures("node n1 votes for n2 in term 3, log=7").unwrap();
        assert_eq!(
            (&groups["node"], &groups["for"], &groups["term"]),
            ("n1", "n2", "3")
        );
    }

    #[test]
    fn messages_in_quotation_marks_and_paths_of_requests_have_words() {
        for (message, words) in [
            (r#""Lock acquired" c="a" pod="x/y""#, "lock acquired"),
            ("POST /lock/acquire?c=a HTTP/1.1", "post lock acquire"),
            ("GET /lock/7 HTTP/1.1", "get"),
        ] {
            let shape = MessageShape::of(message);
            let found: Vec<String> = shape.words().filter(|word| !word.is_empty()).collect();
            assert_eq!(found.join(" "), words);
            let (pattern, _) = shape.pattern();
            assert!(Regex::new(&pattern).unwrap().is_match(message), "{pattern}");
        }
    }

    #[test]
    fn every_pattern_can_be_used() {
        for message in [
            "(a1) [b2]: {c3}",
            "1 2 3",
            "a+b *c* ?d",
            "\"x y\" 'z'",
            "",
            "ü9 größe 1",
        ] {
            let (pattern, _) = MessageShape::of(message).pattern();
            let pattern = Regex::new(&pattern).unwrap_or_else(|error| panic!("{message}: {error}"));
            assert!(pattern.is_match(message), "{message}: {pattern}");
        }
    }
}
