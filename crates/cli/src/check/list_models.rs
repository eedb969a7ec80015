//! `omnilink check --list-models`: the catalogue as a page.

use omnilink_models::catalogue;
use omnilink_report::{Look, Tone};

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
            page.push_str(&format!("    {call}\n        {}\n", op.meaning));
            if !op.aliases.is_empty() {
                let aliases = format!("also {}", op.aliases.join(", "));
                page.push_str(&format!("        {}\n", look.paint(Tone::Faint, &aliases)));
            }
        }
        for option in entry.options {
            page.push_str(&format!(
                "    :{}={}  {} (default: {})\n",
                option.name, option.values, option.meaning, option.default
            ));
        }
        page.push('\n');
    }
    page.push_str(
        "Names are compared without regard to case, - and _. An operation without an end is pending.\n",
    );
    page
}
