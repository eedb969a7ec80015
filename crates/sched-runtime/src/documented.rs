//! `docs/functions.md` agrees with the tables of this crate: what is replaced, and what is known to be harmless.

use crate::known_functions::HARMLESS;
use std::collections::BTreeMap;
use std::format;
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;

const INTRODUCTION: &str = "\
# Functions that the scheduler knows

This page is generated. The functions below are those of the C library and of GCC's C++ library that the runtime replaces, by what they are about. A call of any
other function of a prebuilt library, if it is not one of the [harmless ones](#harmless-functions), may order threads in a way that is not seen: a race, deadlock or livelock
after it is *suspected*, and not called one.

## Replaced functions

";

/// The replaced functions of each module: every line `name => module::function` of the table of symbols.
fn replaced() -> BTreeMap<String, Vec<String>> {
    let table = include_str!("rt/symbols.rs");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in table.lines() {
        let Some((name, target)) = line.trim().split_once(" => ") else {
            continue;
        };
        let Some((module, _)) = target.split_once("::") else {
            continue;
        };
        let is_word = |text: &str| {
            text.chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        let is_of_instrumentation = [
            "__tsan_func",
            "__tsan_read",
            "__tsan_write",
            "__tsan_init",
            "__tsan_vptr",
            "__tsan_mem",
            "__tsan_atomic",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix));
        if !is_word(name) || !is_word(module) || is_of_instrumentation || module == "accesses" {
            continue;
        }
        let name = name.strip_prefix("omnilink_libc_").unwrap_or(name);
        if !name.starts_with("omnilink_") {
            found
                .entry(module.to_string())
                .or_default()
                .push(name.to_string());
        }
    }
    let once = ["pthread_once", "call_once"].map(ToString::to_string);
    found.entry("once".to_string()).or_default().extend(once);
    found
}

/// The first sentence of a module's documentation.
fn subject(module: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/rt/{module}.rs"));
    let text = std::fs::read_to_string(&path).expect("a module");
    let lines = text.lines().take_while(|line| line.starts_with("//! "));
    let text: Vec<&str> = lines.filter_map(|line| line.strip_prefix("//! ")).collect();
    let text = text.join(" ");
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text[..end].to_string()
}

fn page() -> String {
    let mut page = INTRODUCTION.to_string();
    let mut row = |about: &str, names: &[String]| {
        page.push_str(&format!("**{about}** {}\n\n", names.join(", ")));
    };
    let quoted = |names: Vec<String>| -> Vec<String> {
        let mut names = names;
        names.sort();
        names.dedup();
        names.iter().map(|name| format!("`{name}`")).collect()
    };
    for (module, names) in replaced() {
        row(&subject(&module), &quoted(names));
    }
    page.push_str(
        "## Harmless functions\n\nOf the C library, the mathematical library and GCC's libraries. A star stands for any ending. Functions of other libraries \
         are never taken for harmless.\n\n",
    );
    for group in &HARMLESS {
        let names = group.names.split_whitespace().map(ToString::to_string).collect();
        page.push_str(&format!("**{}** {}\n\n", group.reason, quoted(names).join(", ")));
    }
    page.trim_end().to_string() + "\n"
}

#[test]
fn the_page_of_functions_is_that_of_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/functions.md");
    let page = page();
    if std::env::var_os("OMNILINK_BLESS").is_some() {
        std::fs::write(&path, &page).expect("a file");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "run the test with OMNILINK_BLESS=1 to update docs/functions.md"
    );
}
