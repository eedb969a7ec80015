//! Texts of checkers of transactions: what becomes of their lines, and what is refused.

use omnilink_trace::{Format, OpenOptions, Operation, Trace};

fn read(text: &str) -> Result<(Format, Vec<Operation>), String> {
    let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
    let trace =
        Trace::from_reader("test", bytes, &OpenOptions::default()).map_err(|error| error.to_string())?;
    let format = trace.format();
    let operations: Result<Vec<_>, _> = trace.collect();
    Ok((format, operations.map_err(|error| error.to_string())?))
}

/// `session: accesses`, with `!` if it aborted.
fn shown(text: &str) -> (Format, Vec<String>) {
    let (format, operations) = read(text).unwrap();
    let show = |op: &Operation| {
        let accesses = op.ret.as_ref().unwrap().to_string();
        let aborted = if op.aborted { "!" } else { "" };
        format!("{}: {accesses}{aborted}", op.thread.as_str().unwrap())
    };
    (format, operations.iter().map(show).collect())
}

#[test]
fn lines_of_plume_are_grouped_by_session_and_transaction() {
    let (format, found) = shown("w(1,5,0,0)\nr(1,0,1,1)\nw(2,6,0,0)\nr(2,6,0,2)\nw(2,9,1,-1)\n");
    assert_eq!(format, Format::Plume);
    assert_eq!(
        found,
        [
            r#"0: <<<<"w", 1, 5>>, <<"w", 2, 6>>>>"#,
            r#"1: <<<<"r", 1, null>>>>"#,
            r#"0: <<<<"r", 2, 6>>>>"#,
            r#"1: <<<<"w", 2, 9>>>>!"#,
        ]
    );
}

#[test]
fn transactions_of_dbcop_stand_in_brackets() {
    let (format, found) = shown("// a comment\n[x:=1 y:=2] [x==1]\n---\n[y==? x:=3]!\n");
    assert_eq!(format, Format::Dbcop);
    assert_eq!(
        found,
        [
            r#"0: <<<<"w", "x", 1>>, <<"w", "y", 2>>>>"#,
            r#"0: <<<<"r", "x", 1>>>>"#,
            r#"1: <<<<"r", "y", null>>, <<"w", "x", 3>>>>!"#,
        ]
    );
}

#[test]
fn lines_of_awdit_are_separated_by_dashes_and_by_equals_signs() {
    let (format, found) = shown("w 0 1\nw 1 1\n-----\nr 0 1\n=====\nr 1 1\n");
    assert_eq!(format, Format::Awdit);
    assert_eq!(
        found,
        [
            r#"0: <<<<"w", 0, 1>>, <<"w", 1, 1>>>>"#,
            r#"0: <<<<"r", 0, 1>>>>"#,
            r#"1: <<<<"r", 1, 1>>>>"#,
        ]
    );
}

#[test]
fn other_lines_are_refused_with_their_place() {
    for (text, place) in [
        ("w(1,5,0,0)\nw(1,5,0)\n", "test:2"),
        ("w(1,5,0,0)\nx(1,5,0,1)\n", "test:2"),
        ("w(1,5,0,0)\nw(1,99999999999999999999,0,1)\n", "test:2"),
        ("[x:=1]\n[x=1]\n", "test:2"),
        ("[x:=1]\n[x:=1\n", "test:2"),
        ("w 0 1\nw 0\n", "test:2"),
        ("w 0 1\n\u{1}\n", "test:2"),
    ] {
        let error = read(text).unwrap_err();
        assert!(
            error.starts_with(place) && error.contains("such as"),
            "{text:?}: {error}"
        );
    }
}
