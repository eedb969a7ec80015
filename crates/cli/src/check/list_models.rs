//! `omnilink check --list-models`: the catalogue as a page.

use omnilink_models::catalogue;
use omnilink_report::{Look, Tone, wrapped};
use serde_json::json;

/// Every model with its operations and options.
pub(super) fn page(look: &Look) -> String {
    let mut page = String::new();
    for entry in catalogue() {
        page.push_str(&format!(
            "{}  {}\n",
            look.paint(Tone::Strong, entry.name),
            entry.summary
        ));
        for op in entry.ops {
            let mut call = format!("{}({})", op.name, op.arguments);
            if !op.result.is_empty() {
                call.push_str(&format!(" = {}", op.result));
            }
            page.push_str(&wrapped("    ", &call, look));
            page.push_str(&wrapped("        ", op.meaning, look));
            if !op.aliases.is_empty() {
                page.push_str(&wrapped(
                    "        ",
                    &format!("also {}", op.aliases.join(", ")),
                    look,
                ));
            }
        }
        for option in entry.options {
            page.push_str(&wrapped(
                "    ",
                &format!(":{}={}", option.name, option.values),
                look,
            ));
            let meaning = format!("{} (default: {})", option.meaning, option.default);
            page.push_str(&wrapped("        ", &meaning, look));
        }
        page.push('\n');
    }
    page.push_str(
        "Names are compared without regard to case, - and _. An operation without an end is pending.\n",
    );
    page
}

/// Every model as JSON, one object per line.
pub(super) fn json_lines() -> String {
    let models = catalogue().iter().map(|entry| {
        let operations = entry.ops.iter().map(|op| {
            json!({
                "name": op.name, "aliases": op.aliases, "arguments": op.arguments, "result": op.result,
                "meaning": op.meaning,
            })
        });
        let options = entry.options.iter().map(|option| {
            json!({
                "name": option.name, "values": option.values, "default": option.default,
                "meaning": option.meaning,
            })
        });
        json!({
            "model": entry.name, "summary": entry.summary,
            "operations": operations.collect::<Vec<_>>(), "options": options.collect::<Vec<_>>(),
        })
    });
    models.map(|model| format!("{model}\n")).collect()
}
