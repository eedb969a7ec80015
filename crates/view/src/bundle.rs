//! The modules of the page as one script.
//!
//! A module imports only names of other modules of the page and exports declarations, one at a time at the beginning of a
//! line. So a bundle is the modules in the order of their dependencies without the words `import` and `export`; the tests check
//! that no two modules declare the same name.

/// A module, by name, with its text.
macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../page/", $name, ".js")))),*]
    };
}

/// Every module. Those that run code when they are loaded come after what they use.
pub(crate) const MODULES: &[(&str, &str)] = modules![
    "scene",
    "call",
    "clock",
    "timeline",
    "search",
    "lanes",
    "palette",
    "box",
    "label",
    "order",
    "arrows",
    "draw",
    "overview",
    "focus",
    "grid",
    "graph",
    "view",
    "difference",
    "value",
    "dom",
    "transactions",
    "system_difference",
    "story",
    "place",
    "text_panel",
    "state_view",
    "menu",
    "keyboard",
    "header",
    "inspector",
    "explanations",
    "algorithm",
    "behaviour",
    "graph_view",
    "witness",
    "schedule",
    "failing_test",
    "figures",
    "detail_panel",
    "campaign_panel",
    "timeline_panel",
    "app",
    "main",
];

pub(crate) const STYLE: &str = include_str!("../page/style.css");
pub(crate) const PAGE: &str = include_str!("../page/page.html");

/// All modules as one.
pub(crate) fn script() -> String {
    let mut script = String::new();
    for (name, text) in MODULES {
        script.push_str(&format!("// {name}.js\n"));
        for line in text.lines() {
            if line.starts_with("import ") {
                continue;
            }
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The names that a module declares at its top.
    fn declared(text: &str) -> impl Iterator<Item = &str> {
        text.lines().filter_map(|line| {
            let line = line.strip_prefix("export ").unwrap_or(line);
            let line = line.strip_prefix("async ").unwrap_or(line);
            let rest = ["function ", "class ", "const ", "let "]
                .iter()
                .find_map(|word| line.strip_prefix(word))?;
            rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .next()
        })
    }

    #[test]
    fn no_two_modules_declare_the_same_name() {
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        for (module, text) in MODULES {
            for name in declared(text) {
                let other = owners.insert(name, module);
                assert_eq!(other, None, "{name} is declared in {module}.js, too");
            }
        }
        assert!(owners.contains_key("Timeline") && owners.contains_key("decodeScene"));
    }

    #[test]
    fn imports_name_modules_of_the_page_and_stand_on_one_line() {
        for (module, text) in MODULES {
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let from = line
                    .split("'./")
                    .nth(1)
                    .and_then(|rest| rest.strip_suffix(".js';"));
                let known = from.is_some_and(|from| MODULES.iter().any(|(name, _)| *name == from));
                assert!(known, "{module}.js: {line}");
            }
        }
    }

    #[test]
    fn every_file_of_the_page_is_bundled() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
        let files = std::fs::read_dir(folder).expect("the folder is there");
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if let Some(module) = name.strip_suffix(".js") {
                assert!(
                    MODULES.iter().any(|(known, _)| *known == module),
                    "{name} is not bundled"
                );
            }
        }
    }

    #[test]
    fn nothing_in_the_page_parses_markup_or_loads_anything() {
        let script = script();
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "http:",
            "https:",
        ] {
            let allowed = usize::from(word == "http:");
            // The one address is the name of SVG's namespace, which is never loaded.
            assert_eq!(script.matches(word).count(), allowed, "{word}");
        }
        assert!(!script.contains("</script"), "it would end the script");
    }
}
