//! Modules with a PlusCal algorithm: which translation is read, and where things are said to be.

use std::path::Path;

use omnilink_tla_semantics::search_path::SearchPath;
use omnilink_tla_semantics::{Loaded, PlusCal, load_text, stale_translation};
use omnilink_tla_syntax::diagnostic::render;
use omnilink_tla_syntax::source::SourceId;

const ALGORITHM: &str = "---- MODULE M ----
EXTENDS Naturals
(* --algorithm M
variables x = 0;
process P \\in 1..2
begin
  A: x := x + 1;
  B: await x = 2;
end process;
end algorithm *)
";
const REST: &str = "Inv == x <= 2\n====\n";

fn loaded(text: &str, choice: PlusCal) -> Loaded {
    let search = SearchPath::default().with_pluscal(choice);
    load_text(Path::new("M.tla"), text.to_owned(), &search)
}

/// What is said about a text, as `line:column severity: message`.
fn said(text: &str, choice: PlusCal) -> Vec<String> {
    let loaded = loaded(text, choice);
    let describe = |found: &omnilink_tla_syntax::diagnostic::Diagnostic| {
        let place = loaded
            .spec
            .sources
            .get(found.source)
            .line_column(found.span.start);
        let severity = if found.is_error() { "error" } else { "warning" };
        format!("{}:{} {severity}: {}", place.line, place.column, found.message)
    };
    loaded.diagnostics.iter().map(describe).collect()
}

/// The line on which the definition of a name is said to stand.
fn line_of(text: &str, name: &str, choice: PlusCal) -> Option<u32> {
    let loaded = loaded(text, choice);
    let found = loaded.spec.find(name)?;
    let entity = loaded.spec.entity(found.entity);
    Some(loaded.spec.sources.get(entity.source).line_of(entity.span.start))
}

/// The module with a translation that was made of another algorithm if `from` is given.
fn stored(translation_of: &str) -> String {
    use omnilink_tla_semantics::pluscal::{TranslationOptions, find_algorithm, translate, with_translation};
    let options = TranslationOptions::default();
    let translation = translate(translation_of, &options).expect("no mistakes");
    let text = format!("{ALGORITHM}{REST}");
    let place = find_algorithm(&text).expect("an algorithm");
    with_translation(&text, &place, None, &translation)
}

#[test]
fn an_algorithm_without_a_translation_is_translated() {
    let text = format!("{ALGORITHM}{REST}");
    assert!(loaded(&text, PlusCal::Auto).is_ok());
    assert_eq!(
        line_of(&text, "A", PlusCal::Auto),
        Some(7),
        "where the label stands"
    );
    assert_eq!(line_of(&text, "B", PlusCal::Auto), Some(8));
    assert_eq!(
        line_of(&text, "Inv", PlusCal::Auto),
        Some(11),
        "lines below are those of the file"
    );
    assert_eq!(line_of(&text, "A", PlusCal::Use), None);
    let with_markers = format!("{ALGORITHM}\\* BEGIN TRANSLATION\n\\* END TRANSLATION\n{REST}");
    assert_eq!(line_of(&with_markers, "A", PlusCal::Auto), Some(7));
    assert_eq!(line_of(&with_markers, "Inv", PlusCal::Auto), Some(13));
}

#[test]
fn a_translation_of_the_algorithm_is_read_with_the_lines_of_the_algorithm() {
    let text = stored(&format!("{ALGORITHM}{REST}"));
    for choice in [PlusCal::Auto, PlusCal::Use, PlusCal::Translate, PlusCal::Error] {
        assert!(said(&text, choice).is_empty(), "{choice:?}");
        assert_eq!(line_of(&text, "A", choice), Some(7), "{choice:?}");
    }
    assert!(stale_translation(SourceId(0), &text, PlusCal::Auto).is_none());
}

#[test]
fn a_stale_translation_is_not_used_in_silence() {
    let text = stored(&format!("{ALGORITHM}{REST}").replace("x + 1", "x + 3"));
    let difference = "the translation is not that of the algorithm: its definition of `A` is another one";
    let again = format!("11:1 warning: {difference}; the algorithm was translated again for this run");
    assert_eq!(said(&text, PlusCal::Auto), [again]);
    assert_eq!(
        said(&text, PlusCal::Use),
        [format!("11:1 warning: {difference}; it is used as it is")]
    );
    assert_eq!(said(&text, PlusCal::Error), [format!("11:1 error: {difference}")]);
    assert!(said(&text, PlusCal::Translate).is_empty());
    assert!(stale_translation(SourceId(0), &text, PlusCal::Auto).is_some());
    let unchecked = text.replace(
        "BEGIN TRANSLATION",
        "BEGIN TRANSLATION (chksum(pcal) \\in STRING)",
    );
    assert!(said(&unchecked, PlusCal::Auto).is_empty(), "the author said so");
}

#[test]
fn mistakes_are_shown_in_the_algorithm() {
    let text = format!("{ALGORITHM}{REST}").replace("await x = 2", "await y = 2");
    let loaded = loaded(&text, PlusCal::Auto);
    let shown = render(
        loaded.diagnostics.first().expect("a mistake"),
        &loaded.spec.sources,
    );
    assert!(
        shown.contains("M.tla:8:12")
            && shown.contains("8 |   B: await y = 2;")
            && shown.contains("|            ^\n"),
        "{shown}"
    );
    let text = format!("{ALGORITHM}{REST}").replace("B: await", "A: await");
    assert_eq!(
        said(&text, PlusCal::Auto),
        ["8:3 error: label `A` is declared twice"]
    );
}

#[test]
fn an_algorithm_beside_its_own_definitions_is_a_description() {
    let text = format!("{ALGORITHM}VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n{REST}");
    assert!(loaded(&text, PlusCal::Auto).is_ok());
    assert_eq!(line_of(&text, "Init", PlusCal::Auto), Some(12));
    let prose = "---- MODULE M ----\n\\* Written after the --fair algorithm of the book.\nOne == 1\n====\n";
    assert!(said(prose, PlusCal::Auto).is_empty());
    let prose = "---- MODULE M ----\n(* As in the --algorithm of the book. *)\nOne == 1\n====\n";
    assert!(said(prose, PlusCal::Auto).is_empty());
}
