//! The demonstration ends with a violation and its explanation.

use super::ran::{folder, omnilink_in};

#[test]
fn the_correct_queue_is_explained_and_the_other_one_is_not() {
    let folder = folder(&[]);
    let ran = omnilink_in(folder.path(), &["demo", "--keep", "kept"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("two-locks: 10 runs, 6,000 operations"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("all valid"), "{ran:?}");
    assert!(ran.stdout.contains("violation in run "), "{ran:?}");
    assert!(ran.stdout.contains("✗ dequeue("), "{ran:?}");
    // What the text says is in the picture: one element, taken more than once.
    let picture = ran
        .stdout
        .split("went in once and came out")
        .nth(1)
        .unwrap_or_default();
    assert!(picture.contains("enqueue("), "{ran:?}");
    assert!(picture.matches("dequeue() = ").count() >= 2, "{ran:?}");
    // What was kept can be looked at with the other commands.
    let validate = |trace: &str| omnilink_in(folder.path(), &["validate", "kept/Queue.tla", trace]).code;
    assert_eq!(validate("kept/violation/trace"), 1);
    let listed = omnilink_in(folder.path(), &["runs", "ls", "--store", "kept/runs.db"]);
    assert!(listed.stdout.contains("1 violation"), "{listed:?}");
    for file in ["kept/report.txt", "kept/evidence.json"] {
        assert!(folder.path().join(file).metadata().unwrap().len() > 100, "{file}");
    }
}
