//! A configuration inside the file of its spec: `---- CONFIG Spec ----`, up to a line that begins with `====`.

/// The text of a file with everything but its configuration blanked out, so that spans stay the same. `None` if the file has no
/// configuration for this module.
pub fn config_section(text: &str, module: &str) -> Option<String> {
    let mut section = String::with_capacity(text.len());
    let (mut is_inside, mut is_found) = (false, false);
    for line in text.split_inclusive('\n') {
        if is_inside && line.starts_with("====") {
            is_inside = false;
        }
        if is_inside {
            section.push_str(line);
            continue;
        }
        // One blank for each byte: spans count bytes.
        section.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        if !is_found && name_of_section(line) == Some(module) {
            (is_inside, is_found) = (true, true);
        }
    }
    is_found.then_some(section)
}

/// The name in a line that begins a configuration.
fn name_of_section(line: &str) -> Option<&str> {
    let words = line.trim_end().strip_prefix("----")?.trim_start_matches('-');
    let words = words.trim_end().strip_suffix("----")?.trim_end_matches('-');
    let name = words.trim().strip_prefix("CONFIG")?;
    name.starts_with(char::is_whitespace).then(|| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_keeps_its_place_and_ends_at_the_double_line() {
        let text = "---- MODULE M ----\nX == \"é\"\n====\n---- CONFIG M ----\nINIT X\n====\nNEXT Y\n";
        let section = config_section(text, "M").expect("a section");
        assert_eq!(section.len(), text.len());
        assert_eq!(section.find("INIT"), text.find("INIT"));
        assert_eq!(section.split_whitespace().collect::<Vec<_>>(), ["INIT", "X"]);
    }

    #[test]
    fn a_section_belongs_to_the_module_it_names() {
        for line in [
            "---- CONFIG N ----",
            "-- CONFIG M --",
            "---- CONFIGM ----",
            "\\* ---- CONFIG M ----",
        ] {
            assert_eq!(
                config_section(&format!("{line}\nINIT X\n====\n"), "M"),
                None,
                "{line}"
            );
        }
    }
}
