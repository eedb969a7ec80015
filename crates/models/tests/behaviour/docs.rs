//! `docs/models.md` agrees with the catalogue.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use omnilink_models::{ModelEntry, catalogue};

const MARK: &str =
    "<!-- From here on: rendered from the catalogue, checked by crates/models/tests/behaviour/docs.rs. -->\n";

fn rendered(entry: &ModelEntry) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "\n### {}\n\n{}\n", entry.name, entry.summary)?;
    writeln!(text, "| operation | also called | arguments | result | meaning |")?;
    writeln!(text, "|---|---|---|---|---|")?;
    for op in entry.ops {
        let aliases = op
            .aliases
            .iter()
            .map(|alias| format!("`{alias}`"))
            .collect::<Vec<_>>()
            .join(", ");
        writeln!(
            text,
            "| `{}` | {aliases} | {} | {} | {} |",
            op.name, op.arguments, op.result, op.meaning
        )?;
    }
    if !entry.options.is_empty() {
        writeln!(text, "\n| option | values | default | meaning |")?;
        writeln!(text, "|---|---|---|---|")?;
        for option in entry.options {
            let (values, default, meaning) = (option.values, option.default, option.meaning);
            writeln!(text, "| `{}` | {values} | {default} | {meaning} |", option.name)?;
        }
    }
    writeln!(text, "\n```json\n{}\n```", entry.example)?;
    Ok(text)
}

#[test]
fn the_page_on_models_lists_every_operation_and_option() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    let page = fs::read_to_string(&path).unwrap();
    let (introduction, _) = page.split_once(MARK).expect("the page has the mark");
    let sections: String = catalogue().iter().map(|entry| rendered(entry).unwrap()).collect();
    let expected = format!("{introduction}{MARK}{sections}");
    if std::env::var_os("OMNILINK_BLESS").is_some() {
        fs::write(&path, expected).unwrap();
    } else {
        assert!(
            page == expected,
            "run the test with OMNILINK_BLESS=1 to update docs/models.md"
        );
    }
}
