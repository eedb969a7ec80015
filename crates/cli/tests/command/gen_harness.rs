//! Harnesses generated from the command line.

use super::ran::{folder, omnilink_in};

const SPEC: &str = "---- MODULE Counter ----
EXTENDS Integers
VARIABLE count
Init == count = 0
Add(n) == count' = count + n
Get(value) == value = count /\\ UNCHANGED count
====
";

#[test]
fn a_harness_is_generated_and_says_what_to_do_next() {
    let folder = folder(&[("Counter.tla", SPEC)]);
    let ran = omnilink_in(
        folder.path(),
        &["gen", "harness", "Counter.tla", "--out", "project"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let expected = [
        "Add(n)",
        "Get() -> value (because of value = count)",
        "make -C project",
        "omnilink fuzz --spec Counter.tla --link project/omnilink/link.toml -- project/harness",
    ];
    for part in expected {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    let arguments = [
        "gen",
        "harness",
        "Counter.tla",
        "--out",
        "project",
        "--argument",
        "Get.value",
    ];
    let ran = omnilink_in(folder.path(), &arguments);
    assert!(
        ran.stdout
            .contains("changed: action Get was () and is (value): adapt it"),
        "{ran:?}"
    );
}

#[test]
fn bad_input_is_refused_before_anything_is_written() {
    let folder = folder(&[
        ("Counter.tla", SPEC),
        ("Bad.tla", "---- MODULE Bad ----\nA == x'\n====\n"),
    ]);
    let path = folder.path();
    omnilink_in(path, &["gen", "harness", "None.tla", "--out", "p"]).refused(&["None.tla"]);
    omnilink_in(path, &["gen", "harness", "Bad.tla", "--out", "p"]).refused(&["x"]);
    omnilink_in(
        path,
        &["gen", "harness", "Counter.tla", "--out", "p", "--lang", "cobol"],
    )
    .refused(&["cpp"]);
    omnilink_in(
        path,
        &["gen", "harness", "Counter.tla", "--out", "p", "--result", "Get.x"],
    )
    .refused(&["Get.x", "Get(value)"]);
    assert!(!path.join("p").exists());
}
