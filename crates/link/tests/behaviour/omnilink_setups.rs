//! Setups made for OmniLink on TLC, as they are.

use std::path::Path;

use omnilink_engine::{Fate, Options, Verdict, check};
use omnilink_link::{Collection, LinkOptions, Linked};

use crate::world::{bound, ndjson, trace};

const COUNTER: &str = r"---- MODULE Counter ----
EXTENDS Integers
CONSTANT Steps
VARIABLE n
Init == n = 0
Add(by, now) == by \in Steps /\ n' = n + by /\ now = n'
Get(now) == now = n /\ UNCHANGED n
Next == \E by \in Steps, now \in 0..9 : Add(by, now) \/ Get(now)
====";

const MC: &str = r#"---- MODULE MCCounterValidate ----
EXTENDS CounterValidate, TLC
StepsImpl == UNION UNION { {
    LET __rec == __traces[t][i]
    IN  IF "by" \in DOMAIN __rec.operation THEN {__rec.operation.by} ELSE {}
    : i \in DOMAIN __traces[t] } : t \in DOMAIN __traces }
DebugAlias == __TraceOps!DebugAlias
__Action_AddImpl == __action'.operation._meta.code = 0
__AbortBehaviorImpl ==
    CASE __action'.operation_name = "Add" -> n' = 0
      [] OTHER -> UNCHANGED __Spec_vars
__TAG_WrongCount(pid, op) == op.operation_name = "Get" /\ ~__Spec!Get(op.operation.now)
===="#;

const CFG: &str = "INIT Init\nNEXT Next\nCONSTANTS\n  Steps <- StepsImpl\n  __Action_Add <- __Action_AddImpl\n  __AbortBehavior <- \
                   __AbortBehaviorImpl\nALIAS DebugAlias\nCHECK_DEADLOCK FALSE\n";

fn verdict(lines: &str) -> Verdict {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("Counter.tla", COUNTER);
    write("MCCounterValidate.tla", MC);
    write("MCCounterValidate.cfg", CFG);
    let spec: &Path = &folder.path().join("MCCounterValidate.tla");
    let mut collection = Collection::default();
    collection.add_asked_for_by(spec);
    trace(ndjson(lines)).for_each(|operation| collection.observe(&operation.unwrap()));
    let options = LinkOptions {
        config: Some(spec.with_extension("cfg")),
        collected: collection.finish().0,
        ..LinkOptions::default()
    };
    let linked = Linked::load(spec, &options).unwrap();
    linked
        .run(|model| {
            let operations = bound(model, trace(ndjson(lines))).unwrap();
            check(model, operations, Options::default()).unwrap().verdict
        })
        .unwrap()
}

#[test]
fn overrides_collected_constants_and_aborts_are_understood() {
    assert!(
        verdict(
            r#"
        0 Add {"by":3,"now":3,"_meta":{"code":0}} 0 1
        1 Get {"now":3} 2 3
        0 Add {"by":3,"now":6,"_meta":{"code":1}} 4 5 aborted
        1 Get {"now":0} 6 7"#
        )
        .is_valid()
    );
}

#[test]
fn what_is_joined_to_an_action_must_hold() {
    assert!(verdict(r#"0 Add {"by":3,"now":3,"_meta":{"code":1}} 0 1"#).is_violation());
}

#[test]
fn tags_are_told() {
    let Verdict::Violation(counterexample) = verdict(r#"0 Get {"now":1} 0 1"#) else {
        panic!("it is valid")
    };
    let fate = &counterexample.alternatives[0].candidates[0].fate;
    assert!(
        matches!(fate, Fate::Refused(Some(reason)) if reason.contains("(tagged WrongCount)")),
        "{fate:?}"
    );
}
