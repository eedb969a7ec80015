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
fn a_first_transaction_of_plume_that_writes_zeros_is_the_initial_state() {
    let (_, found) = shown("w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\nw(2,0,1,2)\n");
    let read = r#"1: <<<<"r", 1, null>>>>"#;
    let later = r#"1: <<<<"w", 2, null>>>>"#;
    assert_eq!(found, [read, later]);
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

fn data(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(path)
}

#[test]
fn logs_of_cobra_are_one_session_a_file() {
    let trace = Trace::open(data("cobra/cock-blog"), &OpenOptions::default()).unwrap();
    assert_eq!(trace.format(), Format::Cobra);
    let operations: Vec<Operation> = trace.collect::<Result<_, _>>().unwrap();
    assert_eq!(operations.len(), 21);
    let mut sessions: Vec<&str> = operations.iter().map(|op| op.thread.as_str().unwrap()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!(sessions.len(), 13);
    let first = operations
        .iter()
        .find(|op| op.thread.as_str() == Some("T0"))
        .unwrap();
    assert_eq!(
        first.ret.as_ref().unwrap().to_string(),
        r#"<<<<"w", 166, 100003>>>>"#
    );
}

#[test]
fn a_log_of_cobra_that_is_cut_leaves_its_last_transaction_open() {
    let bytes = std::fs::read(data("cobra/cock-blog/T0.log")).unwrap();
    let of = |bytes: &[u8]| {
        let trace = Trace::from_bytes("T0", bytes.to_vec(), &OpenOptions::default()).unwrap();
        trace
            .collect::<Result<Vec<Operation>, _>>()
            .map_err(|error| error.to_string())
    };
    let whole = of(&bytes).unwrap();
    assert!(!whole[0].timebox.is_pending());
    let cut = of(&bytes[..bytes.len() - 3]).unwrap();
    assert!(cut.len() == 1 && cut[0].timebox.is_pending());
    let mut damaged = bytes;
    damaged[9] = b'Q';
    // Not recognised by its first bytes any more, or refused with its place.
    let options = OpenOptions::new().with_format(Format::Cobra);
    let trace =
        Trace::from_bytes("T0", damaged, &options).and_then(|trace| trace.collect::<Result<Vec<_>, _>>());
    let error = trace.unwrap_err().to_string();
    assert!(error.starts_with("T0: byte 9: "), "{error}");
}

/// Whether it is a write, the variable and the value of each event, and whether the transaction committed.
pub type DbcopTransaction<'a> = (&'a [(bool, u64, u64)], bool);

/// A history of dbcop as bincode: numbers, texts, and sessions of transactions.
pub fn bincode(sessions: &[&[DbcopTransaction<'_>]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let number = |bytes: &mut Vec<u8>, number: u64| bytes.extend(number.to_le_bytes());
    [1, 2, 2, 1, 2]
        .into_iter()
        .for_each(|one| number(&mut bytes, one));
    for text in [
        "generated",
        "2020-01-01T00:00:00+00:00",
        "2020-01-01T00:00:01+00:00",
    ] {
        number(&mut bytes, text.len() as u64);
        bytes.extend(text.bytes());
    }
    number(&mut bytes, sessions.len() as u64);
    for transactions in sessions {
        number(&mut bytes, transactions.len() as u64);
        for (events, is_committed) in *transactions {
            number(&mut bytes, events.len() as u64);
            for (is_write, variable, value) in *events {
                bytes.push(u8::from(*is_write));
                number(&mut bytes, *variable);
                number(&mut bytes, *value);
                bytes.push(1);
            }
            bytes.push(u8::from(*is_committed));
        }
    }
    bytes
}

fn shown_bytes(bytes: Vec<u8>) -> (Format, Vec<String>) {
    let trace = Trace::from_bytes("test", bytes, &OpenOptions::default()).unwrap();
    let format = trace.format();
    let show = |op: Operation| {
        let aborted = if op.aborted { "!" } else { "" };
        format!(
            "{}: {}{aborted}",
            op.thread.as_str().unwrap(),
            op.ret.as_ref().unwrap()
        )
    };
    (format, trace.map(|op| show(op.unwrap())).collect())
}

#[test]
fn dbcop_is_read_as_bincode_and_as_json() {
    let expected = [
        r#"0: <<<<"w", 1, 5>>>>"#,
        r#"0: <<<<"r", 2, null>>>>!"#,
        r#"1: <<<<"r", 1, 5>>>>"#,
    ];
    let (format, found) = shown_bytes(bincode(&[
        &[(&[(true, 1, 5)], true), (&[(false, 2, 0)], false)],
        &[(&[(false, 1, 5)], true)],
    ]));
    assert_eq!(format, Format::DbcopBincode);
    assert_eq!(found, expected);
    let sessions = r#"[[{"events":[{"Write":{"variable":1,"version":5}}],"committed":true},
        {"events":[{"Read":{"variable":2,"version":null}}],"committed":false}],
        [{"events":[["r",1,5]],"committed":true}]]"#;
    for text in [
        sessions.to_owned(),
        format!(r#"{{"params":{{"id":1}},"data":{sessions}}}"#),
        // As dbcop's own command writes it, in one line.
        format!(
            r#"{{"params":{{"id":1}},"info":"generated","start":"2025-01-01T00:00:00Z","end":"2025-01-01T00:00:01Z","data":{}}}"#,
            sessions.replace('\n', " ")
        ),
    ] {
        let (format, found) = shown(&text);
        assert_eq!(
            (format, found),
            (Format::DbcopJson, expected.map(str::to_owned).to_vec())
        );
    }
    let wrong = r#"[[{"events":[{"Swap":{"variable":1}}],"committed":true}]]"#;
    let error = read(wrong).unwrap_err();
    assert!(error.contains("test:1") && error.contains("committed"), "{error}");
}

#[test]
fn transactions_of_viper_are_lists_of_accesses() {
    let lines = "{\"value\":[[\"w\",1,101,true],[\"r\",2,55,true]]}\n{\"value\":[[\"w\",2,56,false]]}\n";
    let (format, found) = shown(lines);
    assert_eq!(format, Format::Viper);
    assert_eq!(
        found,
        [
            r#"0: <<<<"w", 1, 101>>, <<"r", 2, 55>>>>"#,
            r#"0: <<<<"w", 2, 56>>>>!"#
        ]
    );
    let (format, found) =
        shown(r#"[{"value":[["range","nil",9,[{"id":2,"val":55}],[{"id":3,"val":7}]],["d",2,56,55]]}]"#);
    assert_eq!(format, Format::Viper);
    let range = r#"0: <<<<"range", null, 9, <<<<2, 55>>, <<3, 7>>>>>>, <<"w", 2, 56>>>>"#;
    assert_eq!(found, [range]);
}

#[test]
fn csv_names_its_columns() {
    let text = "session,txn,op,key,value,status\na,1,w,x,1,ok\na,1,append,l,2,ok\nb,2,r,l,\"[2]\",fail\na,3,delete,x,,info\n";
    let (format, operations) = read(text).unwrap();
    assert_eq!(format, Format::Csv);
    let seen: Vec<_> = operations
        .iter()
        .map(|op| {
            (
                op.thread.as_str().unwrap(),
                op.aborted,
                op.timebox.is_pending(),
                op.args.field("value").unwrap().to_string(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (
                "a",
                false,
                false,
                r#"<<<<"w", "x", 1>>, <<"append", "l", 2>>>>"#.to_owned()
            ),
            ("a", false, true, r#"<<<<"w", "x", null>>>>"#.to_owned()),
            ("b", true, false, r#"<<<<"r", "l", <<2>>>>>>"#.to_owned()),
        ]
    );
    let timed = "session,txn,op,key,value,start,end\n1,1,w,x,1,10,20\n2,2,r,x,1,15,\n";
    let (_, operations) = read(timed).unwrap();
    assert!(operations[0].clock.is_none() && operations[0].timebox.end == Some(20));
    assert!(operations[1].timebox.is_pending());
    let error = read("session,txn,op,key,value\n1,1,swap,x,1\n").unwrap_err();
    assert!(error.starts_with("test:2: "), "{error}");
}

#[test]
fn real_files_of_isovista_are_recognised() {
    let count = |path: &str, format: Format| {
        let trace = Trace::open(data(path), &OpenOptions::default()).unwrap();
        assert_eq!(trace.format(), format, "{path}");
        trace.collect::<Result<Vec<_>, _>>().unwrap().len()
    };
    assert!(count("isovista/pg_ser_bug.txt", Format::Plume) > 3);
    assert!(count("isovista/yugabyte_tcc.txt", Format::Plume) > 3);
}
