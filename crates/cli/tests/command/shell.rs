//! Completions and manual pages cover every command; colour is chosen once for all of them.

use super::ran::{folder, omnilink, omnilink_in};

#[test]
fn every_shell_gets_a_script_that_names_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = omnilink(&["completions", shell]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for word in ["validate", "lineup", "memory-limit"] {
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(omnilink(&["completions", "csh"]).code, 2);
}

#[test]
fn a_manual_page_is_printed_by_the_name_of_its_command() {
    let page = omnilink(&["man", "trace", "convert"]);
    assert_eq!(page.code, 0, "{page:?}");
    assert!(page.stdout.contains(".TH omnilink-trace-convert 1"), "{page:?}");
    omnilink(&["man", "trace", "invert"]).refused(&["no command \"invert\""]);
}

#[test]
fn all_manual_pages_are_written_into_a_folder() {
    let folder = folder(&[]);
    let ran = omnilink_in(folder.path(), &["man", "-o", "man1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for page in [
        "omnilink.1",
        "omnilink-check.1",
        "omnilink-trace-convert.1",
        "omnilink-tla-eval.1",
    ] {
        assert!(folder.path().join("man1").join(page).exists(), "{page}");
    }
}

#[test]
fn colour_may_be_asked_for_before_and_after_the_command() {
    let bad = ["check", "no-such-file", "--model", "register"];
    let colored = |ran: super::ran::Ran| ran.stderr.contains('\u{1b}');
    assert!(!colored(omnilink(&bad)));
    assert!(colored(omnilink(&[&["--color", "always"], &bad[..]].concat())));
    assert!(colored(omnilink(&[&bad[..], &["--color", "always"]].concat())));
    assert!(!colored(omnilink(&[&bad[..], &["--color", "never"]].concat())));
}

#[test]
fn the_list_of_models_is_also_json() {
    let models = omnilink(&["check", "--list-models", "--json"]).json();
    let register = models.iter().find(|model| model["model"] == "register").unwrap();
    assert_eq!(register["operations"][0]["name"], "read");
    assert_eq!(register["options"][0]["name"], "initial");
}
