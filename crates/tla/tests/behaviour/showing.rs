//! What `show` says about a spec.

use crate::common::load_body;
use omnilink_tla::{
    SpecOptions, check, render_check_json, render_check_text, render_show_json, render_show_text, show,
};

const RING: &str = r#"EXTENDS Naturals
CONSTANTS Node, Op(_, _)
VARIABLES token, count
Init == token \in Node /\ count = 0
Pass(from, to) == /\ token = from
                  /\ token' = to
                  /\ UNCHANGED count
Count(by) == count' = count + by /\ UNCHANGED token
Reset == Count(0)
Moves(n) == \/ \E m \in Node \ {n} : Pass(n, m)
            \/ Count(1)
System == \E n \in Node : Moves(n)
Next == \/ System
        \/ /\ count > 3
           /\ Reset
        \/ count' = 9 /\ UNCHANGED token
Spec == Init /\ [][Next]_<<token, count>>"#;

#[test]
fn a_spec_is_described_for_people() {
    let loaded = load_body(RING);
    assert!(loaded.is_ok(), "{:?}", loaded.diagnostics);
    let text = render_show_text(&show(&loaded.spec, None).unwrap());
    assert_eq!(
        text,
        r"module M (M.tla)

constants
  Node, Op(_, _)

variables
  token, count

definitions
  Init            state
  Pass(from, to)  action
  Count(by)       action
  Reset           action
  Moves(n)        action
  System          action
  Next            action
  Spec            temporal

actions of Next
  Pass(from \in Node, to \in Node \ {n})
  Count(by = 1)  for some n \in Node
  Reset  when count > 3
  Next (a part without a name)
"
    );
}

#[test]
fn a_spec_is_described_for_programs() {
    let loaded = load_body(RING);
    let json = render_show_json(&show(&loaded.spec, None).unwrap());
    assert_eq!(json["next"], "Next");
    assert_eq!(json["constants"][1]["arity"], 2);
    assert_eq!(json["definitions"][1]["parameters"][0]["name"], "from");
    assert_eq!(json["definitions"][1]["span"]["line"], 6);
    let pass = &json["actions"][0];
    assert_eq!(pass["arguments"][1]["parameter"], "to");
    assert_eq!(pass["arguments"][1]["value"], "m");
    assert_eq!(pass["arguments"][1]["ranges_over"], "Node \\ {n}");
    assert_eq!(pass["bound"][0]["name"], "n");
}

#[test]
fn what_is_too_much_to_be_taken_apart_is_said() {
    // Each definition stands for twice the actions of the one before.
    let mut body = "VARIABLE x\nA0 == x' = 0\n".to_owned();
    for i in 1..20 {
        body.push_str(&format!("A{i} == A{} \\/ A{}\n", i - 1, i - 1));
    }
    body.push_str("Next == A19\n");
    let loaded = load_body(&body);
    let shown = show(&loaded.spec, None).unwrap();
    assert!(shown.actions.len() > 10_000 && shown.actions.len() < 11_000);
    let whole = shown.actions.iter().filter(|action| action.whole).count();
    assert!(whole > 0 && shown.actions_left_whole == whole);
    let text = render_show_text(&shown);
    assert!(text.contains("  A18 (combined)\n"), "{text}");
    let last = format!(
        "{whole} of these {} may be made of several actions",
        shown.actions.len()
    );
    assert!(text.contains(&last), "{}", text.lines().last().unwrap_or(""));
    let json = render_show_json(&shown);
    assert_eq!(json["actions_left_whole"], whole);
    assert_eq!(json["actions"][0]["whole"], false);

    let small = load_body("VARIABLE x\nA == x' = 0\nNext == A \\/ A");
    let shown = show(&small.spec, None).unwrap();
    assert_eq!(shown.actions_left_whole, 0);
    assert!(!render_show_text(&shown).contains("combined"));
}

#[test]
fn a_file_is_checked_for_people_and_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Bad.tla");
    std::fs::write(&path, "---- MODULE Bad ----\nA == B\n====\n").unwrap();
    let checked = check(&path, &SpecOptions::default());
    assert!(!checked.is_ok());
    let text = render_check_text(&path, &checked);
    assert!(text.contains("error[undefined]: `B` is not defined"), "{text}");
    assert!(text.contains("2 | A == B\n  |      ^\n"), "{text}");
    assert!(text.ends_with("Bad.tla: 1 error\n"), "{text}");
    let json = render_check_json(&path, &checked);
    assert_eq!(json["verdict"], "error");
    assert_eq!(json["diagnostics"][0]["class"], "undefined");
    assert_eq!(json["diagnostics"][0]["span"]["column"], 6);
}

#[test]
fn a_file_that_is_not_there_is_a_diagnostic() {
    let checked = check("/nowhere/Spec.tla".as_ref(), &SpecOptions::default());
    assert_eq!(checked.diagnostics.len(), 1);
    assert!(
        checked.diagnostics[0]
            .message
            .starts_with("cannot read /nowhere/Spec.tla")
    );
}
