//! The demonstration ends with an answer worth reading.

use super::ran::{folder, omnilink_in};

#[test]
fn the_correct_queue_is_explained_and_the_other_one_is_not() {
    let folder = folder(&[]);
    let ran = omnilink_in(folder.path(), &["demo", "--keep", "traces"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout
            .contains("two-locks: valid: 2,000 operations of 4 threads"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("one-lock: violation: "), "{ran:?}");
    assert!(ran.stdout.contains("✗ dequeue()"), "{ran:?}");
    let check = |name: &str| omnilink_in(folder.path(), &["check", name, "--model", "queue:capacity=8"]).code;
    assert_eq!([check("traces/two-locks"), check("traces/one-lock")], [0, 1]);
}
