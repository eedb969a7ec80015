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
            "test:2: expected a line `method value start end` or `process start end method values`, with integers, found \"push 1 1\"",
        ),
        (
            "push x 1 2",
            "test:2: expected a line `method value start end` or `process start end method values`, with integers, found \"push x 1 2\"",
        ),
        (
            "push 1 4 2",
            "test:2: push ends at 2, before it starts at 4; check the clock of the recorder",
        ),
    ] {
        assert_eq!(refusal(format!("# stack\n{line}\n")), message);
    }
}

fn drawn(text: &str) -> Vec<String> {
    read(text)
        .iter()
        .map(|operation| format!("{} {operation}", operation.thread))
        .collect()
}

#[test]
fn operations_on_a_set_tell_whether_they_succeeded() {
    assert_eq!(
        drawn("# set\ninsert 1 0 1\ncontains_true 1 2 3\nremove 1 4 5\ncontains_false 1 6 7\n"),
        [
            "0 insert(value: 1) = TRUE",
            "1 contains(value: 1) = TRUE",
            "2 remove(value: 1) = TRUE",
            "3 contains(value: 1) = FALSE",
        ]
    );
    // PolyLin writes the result behind the value.
    assert_eq!(
        drawn("# set\nremove 1 0 1 2\ncontains 1 1 4 6\n"),
        ["0 remove(value: 1) = FALSE", "1 contains(value: 1) = TRUE"]
    );
    // Elsewhere an insert has no result.
    assert_eq!(drawn("# priorityqueue\ninsert 1 0 1\n"), ["0 insert(value: 1)"]);
}

#[test]
fn fptlin_names_the_process_first() {
    assert_eq!(
        drawn("# stack\n3 1 5 PUSH 1\n4 6 7 POP 1\n3 8 9 PEEK -1\n"),
        ["3 push(value: 1)", "4 pop() = 1", "3 peek() = -1"]
    );
    // As it was written once.
    assert_eq!(
        drawn("# stack\n3 push 1 1 5\n4 pop 1 6 7\n"),
        ["3 push(value: 1)", "4 pop() = 1"]
    );
    assert_eq!(
        drawn("# rmw\n0 1 10 READ_MODIFY_WRITE 0 2\n"),
        ["0 cas(value: <<0, 2>>) = TRUE"]
    );
    assert_eq!(
        drawn("# semaphore\n0 0 2 INCR 1\n0 3 5 DECR 0\n"),
        ["0 release()", "0 try-acquire() = FALSE"]
    );
    assert_eq!(
        drawn("# set\n2 0 2 CONTAINS 2 0\n"),
        ["2 contains(value: 2) = FALSE"]
    );
    assert_eq!(
        refusal("# stack\n3 1 5 PUSH 1\n3 4 7 POP 1\n"),
        "test:3: thread 3 starts pop at 9 while its push (test:2) is open until 10; if calls of one thread may overlap, open the \
         trace as asynchronous"
    );
}

#[test]
fn limo_pairs_calls_and_returns_by_their_number() {
    let text =
        "# @object atomic-queue\n[1] call enq(5)\n[2] call deq\n[1] return\n[2] return empty\n[3] call deq\n";
    let operations = read(text);
    assert_eq!(drawn(text), ["1 enq(5)", "2 deq() = null", "3 deq()"]);
    assert!(operations[2].timebox.is_pending());
    assert!(operations[0].timebox.start < operations[1].timebox.start);
    assert_eq!(
        refusal("# @object stack\n[1] call push(1)\n[2] return\n"),
        "test:3: a call of process 2 returns, but the process has no open call"
    );
    assert_eq!(
        drawn(
            "# from a paper\n# @object stack\n\n[0] call push 1\n[0] return\n[1] call pop(?<1,0>)\n  [1] return\n"
        ),
        ["0 push(1)", "1 pop(\"?<1,0>\")"]
    );
    assert!(refusal("# @object stack\n[1] calls push(1)\n").starts_with("test:2: expected a line such as"));
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
