//! The code of the pages is that of the examples, which are compiled.

use std::path::Path;

#[test]
fn the_page_about_own_models_shows_the_example() {
    let read = |file: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let example = read("examples/tickets.rs");
    let (_, code) = example.split_once("\n\n").unwrap();
    let page = read("../../docs/own-model.md");
    assert!(page.contains(&format!("```rust\n{code}```")), "{code}");
}
