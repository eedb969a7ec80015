//! The text of the fastlin test cases.

use omnilink_value::Value;

use crate::support::{draw, open, read, refusal};

#[test]
fn values_go_in_or_come_out_by_the_method() {
    let text = "# stack\npush 1 1 3\npop 1 6 8\npeek -1 2 5\n";
    assert_eq!(
        draw(&read(text)),
        "0 [3,6] push(value: 1)\n2 [5,10] peek() = -1\n1 [13,16] pop() = 1\n"
    );
    let trace = open(text).expect("a trace");
    assert_eq!(
        trace.header().and_then(|header| header.get("type")),
        Some(&Value::str("stack"))
    );
}

#[test]
fn what_returns_at_an_instant_precedes_what_is_called_at_it() {
    let operations = read("# queue\nenq 2 0 1\nenq 1 1 2\ndeq 1 0 2\n");
    let [first, second, third] = ["enq(value: 2)", "enq(value: 1)", "deq() = 1"].map(|call| {
        operations
            .iter()
            .find(|operation| operation.to_string() == call)
            .expect(call)
            .timebox
    });
    assert!(first.precedes(&second));
    assert!(!first.precedes(&third) && !third.precedes(&second));
}

#[test]
fn lines_that_do_not_fit_are_refused() {
    for (line, message) in [
        (
            "push 1 1",
            "test:2: expected a line `method value start end` with three integers, found \"push 1 1\"",
        ),
        (
            "push x 1 2",
            "test:2: expected a line `method value start end` with three integers, found \"push x 1 2\"",
        ),
        (
            "push 1 4 2",
            "test:2: push ends at 2, before it starts at 4; check the clock of the recorder",
        ),
    ] {
        assert_eq!(refusal(format!("# stack\n{line}\n")), message);
    }
}

#[test]
fn every_published_test_case_is_read() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fastlin");
    for folder in ["stack", "queue", "priorityqueue"] {
        for entry in std::fs::read_dir(format!("{data}/{folder}")).expect("a folder") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
            let lines = bytes
                .split(|&byte| byte == b'\n')
                .filter(|line| !line.is_empty())
                .count();
            assert_eq!(read(&bytes).len(), lines - 1);
        }
    }
}
