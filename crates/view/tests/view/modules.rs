//! Unit tests of the page's modules: layout, focus, differences. They run in Node, where it is there.

use std::process::Command;

#[test]
fn the_unit_tests_of_the_page_pass() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/page");
    let tested = Command::new("node").args(["--test", folder]).output();
    match tested {
        Err(error) => eprintln!(
            "skipped: no Node here ({error}); the browser's tests cover the same modules less closely"
        ),
        Ok(output) => assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        ),
    }
}
