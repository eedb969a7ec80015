//! Setups made for OmniLink on TLC, as they are.

use std::path::Path;

use omnilink_engine::{Conclusion, Options, check};
use omnilink_link::{CollectedConstants, LinkOptions, Linked};

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
__Action__TerminateThreadImpl == IF __action'.operation._meta.clears THEN n' = 0 ELSE UNCHANGED __Spec_vars
__TAG_OfThread3(pid, op) == pid = 3
__TAG_Coded(pid, op) == "_meta" \in DOMAIN op.operation /\ op.operation._meta.code = 9
__TAG_WrongCount(pid, op) == op.operation_name = "Get" /\ ~__Spec!Get(op.operation.now)
===="#;

const CFG: &str = "INIT Init\nNEXT Next\nCONSTANTS\n  Steps <- StepsImpl\n  __Action_Add <- __Action_AddImpl\n  __AbortBehavior <- \
                   __AbortBehaviorImpl\n  __Action__TerminateThread <- __Action__TerminateThreadImpl\nALIAS DebugAlias\nCHECK_DEADLOCK FALSE\n";

fn verdict(lines: &str) -> Conclusion {
    verdict_and_tags(lines).0
}

fn verdict_and_tags(lines: &str) -> (Conclusion, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("Counter.tla", COUNTER);
    write("MCCounterValidate.tla", MC);
    write("MCCounterValidate.cfg", CFG);
    let spec: &Path = &folder.path().join("MCCounterValidate.tla");
    let mut collection = CollectedConstants::default();
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
            let verdict = check(model, operations, Options::default()).unwrap().conclusion;
            let last = trace(ndjson(lines)).map(Result::unwrap).last().unwrap();
            (verdict, model.tagged(&last).tags)
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
fn tags_are_reported() {
    let (verdict, tags) = verdict_and_tags(r#"0 Get {"now":1} 0 1"#);
    assert!(verdict.is_violation());
    assert_eq!(tags, ["WrongCount"]);
}

#[test]
fn the_end_of_a_thread_means_what_the_setup_says() {
    // `__Action__TerminateThreadImpl` of the setup resets what the thread was at.
    assert!(
        verdict(
            r#"
        0 Add {"by":3,"now":3,"_meta":{"code":0}} 0 1
        0 __TerminateThread {"_meta":{"clears":true}} 2 3
        1 Get {"now":0} 4 5"#
        )
        .is_valid()
    );
    assert!(
        verdict(
            r#"
        0 Add {"by":3,"now":3,"_meta":{"code":0}} 0 1
        0 __TerminateThread {"_meta":{"clears":false}} 2 3
        1 Get {"now":0} 4 5"#
        )
        .is_violation()
    );
}

#[test]
fn tags_know_the_thread_and_the_meta() {
    let (_, tags) = verdict_and_tags(r#"3 Get {"now":1,"_meta":{"code":9}} 0 1"#);
    assert_eq!(tags, ["Coded", "OfThread3", "WrongCount"]);
}
