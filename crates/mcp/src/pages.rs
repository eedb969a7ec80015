//! The pages of the documentation, as resources.

/// A page.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

/// The files are links to those in the documentation's folder, so that the package has them.
macro_rules! pages {
    ($($name:literal)*) => {
        &[$(Page { name: $name, text: include_str!(concat!("../docs/", $name, ".md")) }),*]
    };
}

/// What an agent can use: commands, formats, levels and models. What was measured, and on which machine, is not among it.
pub(crate) const PAGES: &[Page] = pages![
    "check" "ci" "coming-from-jepsen" "coming-from-loom" "coming-from-porcupine" "coming-from-tlc" "consistency" "drive" "engine"
    "evidence" "extract" "functions" "fuzzing" "init" "install" "lineup" "link-file" "logs" "mc" "mcp" "models" "monitors" "opentelemetry"
    "own-model" "plain-text-log" "pluscal" "python" "record" "recording" "sched" "shell" "step" "test" "tla" "trace-command"
    "trace-format" "transactions" "troubleshooting" "validate" "view"
];

const SCHEME: &str = "omnilink://docs/";

impl Page {
    /// The page at an address.
    pub(crate) fn at(uri: &str) -> Option<&'static Self> {
        let name = uri.strip_prefix(SCHEME)?;
        PAGES.iter().find(|page| page.name == name)
    }

    pub(crate) fn uri(&self) -> String {
        format!("{SCHEME}{}", self.name)
    }

    /// Its first heading.
    pub(crate) fn title(&self) -> &'static str {
        let heading = self.text.lines().find_map(|line| line.strip_prefix("# "));
        heading.unwrap_or(self.name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Figures, experiments, pictures and an index of files.
    const OTHERS: [&str; 7] = [
        "README",
        "benchmarks",
        "bugs-found",
        "compile",
        "gallery",
        "lineup-survey",
        "notebook",
    ];

    #[test]
    fn all_pages_are_there() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let files = std::fs::read_dir(docs).expect("the documentation is there");
        let names: BTreeSet<String> = files
            .flatten()
            .filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".md")?.to_owned()))
            .filter(|name| !OTHERS.contains(&name.as_str()))
            .collect();
        let pages: BTreeSet<String> = PAGES.iter().map(|page| page.name.to_owned()).collect();
        assert_eq!(
            pages, names,
            "add the page to PAGES, and a link to it to crates/mcp/docs"
        );
    }

    #[test]
    fn a_page_has_an_address_and_a_title() {
        for page in PAGES {
            assert!(page.text.starts_with("# "), "{}", page.name);
            assert!(Page::at(&page.uri()).is_some_and(|found| found.name == page.name));
        }
        for uri in [
            "omnilink://docs/../README",
            "omnilink://docs/",
            "file:///etc/passwd",
            "",
        ] {
            assert!(Page::at(uri).is_none(), "{uri}");
        }
    }
}
