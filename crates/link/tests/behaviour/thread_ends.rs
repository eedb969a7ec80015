//! What the end of a thread means.

use crate::world::{REGISTER, is_valid, linked};

const LINES: &str = r#"
    0 Write {"value":1} 0 1
    0 __TerminateThread {} 2 3
    1 Read {"result":0} 4 5"#;

#[test]
fn by_default_it_means_nothing() {
    let plain = linked(REGISTER, "");
    assert!(!is_valid(&plain, LINES));
    assert!(is_valid(&plain, &LINES.replace("\"result\":0", "\"result\":1")));
    assert!(is_valid(&plain, r#"0 __AbortThread {"signal":11} 2 3"#));
}

#[test]
fn the_link_file_says_what_it_means() {
    let linked = linked(REGISTER, "[thread_end]\nterminated = '''x' = 0'''\n");
    assert!(is_valid(&linked, LINES));
    assert!(!is_valid(&linked, &LINES.replace("\"result\":0", "\"result\":1")));
}

#[test]
fn it_knows_which_thread_ended_and_how() {
    let linked = linked(
        REGISTER,
        "[thread_end]\nterminated = '''UNCHANGED x'''\naborted = '''x' = IF thread = 7 THEN 2 ELSE x'''\n",
    );
    let lines = |thread: u32, end: &str, seen: u32| {
        format!("{thread} {end} {{}} 2 3\n1 Read {{\"result\":{seen}}} 4 5")
    };
    assert!(is_valid(&linked, &lines(7, "__AbortThread", 2)));
    assert!(!is_valid(&linked, &lines(8, "__AbortThread", 2)));
    assert!(is_valid(&linked, &lines(8, "__AbortThread", 0)));
    assert!(!is_valid(&linked, &lines(7, "__TerminateThread", 2)));
}
