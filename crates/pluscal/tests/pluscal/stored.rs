//! Translations that a file has: whether they are those of the algorithm, and files with new ones.

use omnilink_pluscal::{
    DifferenceKind, TranslationOptions, compare, find_algorithm, find_markers, translate, with_translation,
};

const MODULE: &str = "---- MODULE M ----
EXTENDS Naturals
(* --algorithm M
variables x = 0;
process P \\in 1..2
variables t = 0;
begin
  A: while t < 3 do t := t + 1; end while;
  B: x := x + t;
     assert x > 0;
end process;
end algorithm *)
Low == x < 9
====
";

/// The file with its translation.
fn written(text: &str) -> String {
    let translation = translate(text, &TranslationOptions::default()).expect("no mistakes");
    let place = find_algorithm(text).expect("an algorithm");
    let markers = find_markers(text).expect("two markers or none");
    with_translation(text, &place, markers.as_ref(), &translation)
}

fn difference(text: &str) -> Option<(String, DifferenceKind)> {
    let translation = translate(text, &TranslationOptions::default()).expect("no mistakes");
    let markers = find_markers(text).expect("two markers").expect("two markers");
    let found = compare(text, &markers, &translation).difference?;
    Some((found.name, found.kind))
}

#[test]
fn a_translation_that_was_just_written_is_that_of_the_algorithm() {
    let text = written(MODULE);
    assert!(
        text.contains("end algorithm *)\n\\* BEGIN TRANSLATION\nVARIABLES pc, x, t\n"),
        "{text}"
    );
    assert!(
        text.ends_with("\\* END TRANSLATION\nLow == x < 9\n====\n"),
        "{text}"
    );
    assert_eq!(difference(&text), None);
    assert_eq!(written(&text), text, "writing twice is as writing once");
}

#[test]
fn an_algorithm_that_was_changed_is_noticed() {
    let text = written(MODULE);
    for (from, to, name, kind) in [
        ("t := t + 1", "t := t + 2", "A", DifferenceKind::Changed),
        ("B: x", "C: x", "C", DifferenceKind::OnlyNew),
        (
            "variables x = 0;",
            "variables x = 1;",
            "Init",
            DifferenceKind::Changed,
        ),
        ("while t < 3", "while 3 < t", "A", DifferenceKind::Changed),
    ] {
        let changed = text.replacen(from, to, 1);
        let found = difference(&changed).expect("a difference");
        assert!(found.1 == kind || found.0 == "A", "{found:?}");
        assert!(found.0 == name || kind == DifferenceKind::OnlyNew, "{found:?}");
        assert_eq!(difference(&written(&changed)), None, "{to}");
    }
}

#[test]
fn what_older_translators_write_is_no_difference() {
    let text = written(MODULE);
    for (from, to) in [
        ("vars == << pc, x, t >>", "vars == << x, pc, t >>"),
        ("VARIABLES pc, x, t", "VARIABLES x, pc, t"),
        ("/\\ x' = x\n", "/\\ UNCHANGED x\n"),
        ("at line 10", "at line 99"),
        (
            "           \\/ Terminating",
            "           \\/ (* Disjunct *) ((\\A self \\in ProcSet: pc[self] = \"Done\") /\\ UNCHANGED vars)",
        ),
    ] {
        assert!(text.contains(from), "{from}\n{text}");
        let mut older = text.replacen(from, to, 1);
        if from.contains("Terminating") {
            let start = older.find("(* Allow").expect("the comment");
            let end = older.find("Next ==").expect("Next");
            older.replace_range(start..end, "");
        }
        assert_eq!(difference(&older), None, "{to}");
    }
}

#[test]
fn parts_of_a_stored_translation_come_from_the_algorithm() {
    let text = written(MODULE);
    let translation = translate(&text, &TranslationOptions::default()).expect("no mistakes");
    let markers = find_markers(&text).expect("two markers").expect("two markers");
    let origins = compare(&text, &markers, &translation).origins;
    let at = text.find("x + t[self]").expect("the assignment") as u32;
    let origin = origins
        .iter()
        .find(|origin| origin.start == at)
        .expect("an origin");
    assert_eq!(
        origin.span.start as usize,
        text.find("x + t").expect("the statement")
    );
}

#[test]
fn checksums_are_dropped_and_line_ends_kept() {
    let stored = MODULE.replace(
        "Low ==",
        "\\* BEGIN TRANSLATION (chksum(pcal) = \"1\" /\\ chksum(tla) = \"2\")\nOld == 1\n\\* END TRANSLATION \nLow ==",
    );
    let text = written(&stored);
    assert!(
        text.contains("\\* BEGIN TRANSLATION\nVARIABLES") && !text.contains("Old"),
        "{text}"
    );
    let windows = written(&stored.replace('\n', "\r\n"));
    assert_eq!(windows, text.replace('\n', "\r\n"));
}
