//! Each mutant is caught.

use omnilink_engine::Limits;
use omnilink_evidence::Verdict;
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_tla::deep_stack;

use super::{ACTIVE, Mutant};
use crate::{LogCheck, check_log};

/// Two numbers that are set, seen and copied.
const NUMBERS: &str = r"---- MODULE Spec ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
SetX(v) == x' = v /\ UNCHANGED y
SetY(v) == y' = v /\ UNCHANGED x
SeeX(v) == x = v /\ UNCHANGED <<x, y>>
SeeY(v) == y = v /\ UNCHANGED <<x, y>>
CopyX == y' = x /\ UNCHANGED x
Next == CopyX \/ \E v \in 0..2 : SetX(v) \/ SetY(v) \/ SeeX(v) \/ SeeY(v)
====";

/// Somebody takes something, and others want to know who it was.
const TAKERS: &str = r#"---- MODULE Spec ----
EXTENDS Naturals, Sequences
VARIABLE took
Name == {"a", "b", "cc"}
Init == took = [n \in Name |-> FALSE]
Take(n) == ~took[n] /\ took' = [took EXCEPT ![n] = TRUE]
Check(n) == took[n] /\ UNCHANGED took
Nothing == UNCHANGED took
MORE
===="#;

fn takers(definition: &str) -> String {
    let action = definition.split(" ==").next().unwrap_or_default();
    TAKERS.replace(
        "MORE",
        &format!("{definition}\nNext == Nothing \\/ {action} \\/ \\E n \\in Name : Take(n) \\/ Check(n)"),
    )
}

pub(super) struct Subject<'a> {
    pub spec: &'a str,
    pub link: &'a str,
}

/// Whether the search with a mutant, or without (`None`), gives another verdict on some log than the search without reductions.
pub(super) fn is_caught(mutant: Option<Mutant>, subject: &Subject<'_>, logs: &[String]) -> bool {
    deep_stack::run(|| {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let spec = folder.path().join("Spec.tla");
        std::fs::write(&spec, subject.spec).unwrap_or_else(|error| panic!("{error}"));
        let check = |is_reduced: bool| {
            let options = LinkOptions {
                file: LinkFile::parse(subject.link).unwrap_or_else(|error| panic!("{error}")),
                ..LinkOptions::default()
            };
            let mut check = LogCheck::new(&spec, options, Limits::default());
            check.uses_interchange = is_reduced;
            check.uses_independence = is_reduced;
            check.leaves_out_hidden = is_reduced;
            check
        };
        let verdicts = |check: &LogCheck, mutant: Option<Mutant>| -> Vec<Verdict> {
            ACTIVE.set(mutant);
            let shared = check.shared_spec().unwrap_or_else(|error| panic!("{error}"));
            let verdicts = logs.iter().map(|log| {
                let file = folder.path().join("log.ndjson");
                std::fs::write(&file, log).unwrap_or_else(|error| panic!("{error}"));
                let evidence = check_log(check, shared.as_ref(), "log", &[file], &mut |_| {});
                let is_internal = |error: &String| error.starts_with("internal error");
                assert!(
                    evidence.error.as_ref().is_none_or(is_internal),
                    "{log}: {:?}",
                    evidence.error
                );
                evidence.verdict
            });
            let verdicts = verdicts.collect();
            ACTIVE.set(None);
            verdicts
        };
        let right = verdicts(&check(false), None);
        assert!(right.contains(&Verdict::Valid), "no log is accepted");
        let found = verdicts(&check(true), mutant);
        // What a mutant gets wrong is noticed before it is reported: violations are decided again, and explanations are replayed.
        for (right, found) in right.iter().zip(&found) {
            assert!(
                right == found || *found == Verdict::Error,
                "{found} instead of {right}"
            );
        }
        right != found
    })
}

/// Caught with the mutant, and only with it.
pub(super) fn only_the_mutant_is_caught(mutant: Mutant, subject: &Subject<'_>, logs: &[String]) -> bool {
    assert!(!is_caught(None, subject, logs), "wrong without a mutant");
    is_caught(Some(mutant), subject, logs)
}

/// Random logs of three nodes with vector clocks.
fn partially_ordered_logs(count: u64) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(3);
    let events = ["SetX", "SetY", "SeeX", "SeeY", "CopyX"];
    let log = |_| {
        let mut clocks = [[0u32; 3]; 3];
        let lines = (0..random.usize(3..7)).map(|_| {
            let node = random.usize(0..3);
            if random.u32(0..3) == 0 {
                let heard = clocks[random.usize(0..3)];
                for (own, other) in clocks[node].iter_mut().zip(heard) {
                    *own = other.max(*own);
                }
            }
            clocks[node][node] += 1;
            let [a, b, c] = clocks[node];
            let event = events[random.usize(0..events.len())];
            let args = if event == "CopyX" { String::new() } else { random.u32(0..3).to_string() };
            format!(
                "{{\"node\":\"n{node}\",\"clock\":{{\"n0\":{a},\"n1\":{b},\"n2\":{c}}},\"event\":\"{event}\",\"args\":[{args}]}}\n"
            )
        });
        lines.collect()
    };
    (0..count).map(log).collect()
}

#[test]
fn actions_that_are_arguments_are_not_left_out() {
    let read = |name: &str| {
        let file = format!("{}/tests/data/higher_order/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{error}"))
    };
    let spec = read("Ho.tla").replace("MODULE Ho", "MODULE Spec");
    let subject = Subject {
        spec: &spec,
        link: "",
    };
    let logs = ["log", "log2", "log3"].map(|log| read(&format!("{log}.ndjson")));
    assert!(only_the_mutant_is_caught(
        Mutant::DropCarriedActions,
        &subject,
        &logs
    ));
}

#[test]
fn arguments_are_those_of_the_line() {
    let subject = Subject {
        spec: NUMBERS,
        link: "",
    };
    let logs = partially_ordered_logs(50);
    assert!(only_the_mutant_is_caught(
        Mutant::IgnoreArguments,
        &subject,
        &logs
    ));
}

#[test]
fn lines_that_conflict_come_in_any_order() {
    let subject = Subject {
        spec: NUMBERS,
        link: "",
    };
    let logs = partially_ordered_logs(200);
    assert!(only_the_mutant_is_caught(
        Mutant::IgnoreConflicts,
        &subject,
        &logs
    ));
}

#[test]
fn chains_that_a_line_waits_for_come_first() {
    let subject = Subject {
        spec: NUMBERS,
        link: "",
    };
    let mut logs = partially_ordered_logs(100);
    // The line of n1 conflicts with that of n0, and waits for that of n2: only the order n2, n1, n0 is explained.
    let line = |node: &str, clock: &str, event: &str, arg: u32| {
        format!("{{\"node\":\"{node}\",\"clock\":{{{clock}}},\"event\":\"{event}\",\"args\":[{arg}]}}\n")
    };
    let (n0, n1) = (
        line("n0", "\"n0\":1", "SetX", 1),
        line("n1", "\"n1\":1,\"n2\":1", "SeeX", 0),
    );
    logs.push(n0 + &line("n2", "\"n2\":1", "SetY", 1) + &n1);
    assert!(only_the_mutant_is_caught(Mutant::IgnoreWaiting, &subject, &logs));
}

#[test]
fn lines_with_other_arguments_have_other_footprints() {
    let spec = takers("Other == UNCHANGED took");
    let subject = Subject {
        spec: &spec,
        link: "",
    };
    let mut random = fastrand::Rng::with_seed(8);
    let log = |_| {
        let mut clocks = [0u32; 2];
        let lines = (0..random.usize(3..6)).map(|_| {
            let node = random.usize(0..2);
            clocks[node] += 1;
            let event = ["Take", "Check"][random.usize(0..2)];
            let name = ["a", "b", "cc"][random.usize(0..3)];
            let own = clocks[node];
            format!(
                "{{\"node\":\"n{node}\",\"clock\":{{\"n{node}\":{own}}},\"event\":\"{event}\",\"args\":[\"{name}\"]}}\n"
            )
        });
        lines.collect()
    };
    let logs: Vec<String> = (0..300).map(log).collect();
    assert!(only_the_mutant_is_caught(
        Mutant::FootprintOfEvent,
        &subject,
        &logs
    ));
}

#[test]
fn states_are_the_same_only_if_as_much_may_still_be_hidden() {
    let spec = "---- MODULE Spec ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n\
                First == x = 0 /\\ x' = 1\nMore == x' = x + 1\nSee == x = 2 /\\ x' = x\nNext == First \\/ More \\/ See\n====";
    let logs = ["{\"event\":\"See\"}\n".to_owned()];
    // Whichever is tried first: one of the orders makes the state that allows less come first.
    let is_caught = [["First", "More"], ["More", "First"]].map(|actions| {
        let link = actions.map(|action| format!("[[log.hidden]]\naction = \"{action}\"\n"));
        let subject = Subject {
            spec,
            link: &link.concat(),
        };
        only_the_mutant_is_caught(Mutant::ForgetHiddenCounts, &subject, &logs)
    });
    assert!(is_caught.contains(&true));
}

#[test]
fn interchangeable_identities_are_those_of_the_cut() {
    let spec = takers("Other == UNCHANGED took");
    let subject = Subject {
        spec: &spec,
        link: "",
    };
    let mut random = fastrand::Rng::with_seed(9);
    let log = |_| {
        let lines = (0..random.usize(3..7)).map(|_| {
            let name = ["a", "b", "cc"][random.usize(0..3)];
            match random.u32(0..4) {
                0 | 1 => "{\"event\":\"Take\"}\n".to_owned(),
                2 => format!("{{\"event\":\"Take\",\"args\":[\"{name}\"]}}\n"),
                _ => format!("{{\"event\":\"Check\",\"args\":[\"{name}\"]}}\n"),
            }
        });
        lines.collect()
    };
    let logs: Vec<String> = (0..400).map(log).collect();
    assert!(only_the_mutant_is_caught(Mutant::ForgetCut, &subject, &logs));
}

#[test]
fn lines_that_invariants_see_come_in_any_order() {
    let subject = Subject {
        spec: NUMBERS,
        link: "invariants = ['x # 1 \\/ y # 1', 'x # 2 \\/ y # 0']",
    };
    let logs = partially_ordered_logs(200);
    assert!(only_the_mutant_is_caught(
        Mutant::IgnoreInvariants,
        &subject,
        &logs
    ));
}

/// `Take`, and then a line that tells who it was. Names come in several orders, because a representative may be right by chance.
fn logs_about(last: impl Fn(&str) -> String) -> Vec<String> {
    let names = ["a", "b", "cc"];
    names
        .iter()
        .flat_map(|name| {
            let one = format!("{{\"event\":\"Take\"}}\n{}", last(name));
            let two = format!("{{\"event\":\"Take\"}}\n{one}");
            [one, two]
        })
        .collect()
}

#[test]
fn identities_that_lines_mention_are_not_interchangeable() {
    let spec = takers("Other == UNCHANGED took");
    let subject = Subject {
        spec: &spec,
        link: "",
    };
    let logs = logs_about(|name| format!("{{\"event\":\"Check\",\"args\":[\"{name}\"]}}\n"));
    assert!(only_the_mutant_is_caught(
        Mutant::InterchangeMentioned,
        &subject,
        &logs
    ));
}

#[test]
fn identities_that_a_look_back_mentions_are_not_interchangeable() {
    let spec = takers("Other == UNCHANGED took");
    let subject = Subject {
        spec: &spec,
        link: "[log.events.Nothing]\nrequires = 'took[previous.who]'",
    };
    let logs: Vec<String> = ["a", "b", "cc"]
        .iter()
        .map(|name| format!("{{\"event\":\"Take\",\"who\":\"{name}\"}}\n{{\"event\":\"Nothing\"}}\n"))
        .collect();
    assert!(only_the_mutant_is_caught(
        Mutant::InterchangeLookedBackAt,
        &subject,
        &logs
    ));
}

#[test]
fn identities_that_are_constants_are_not_interchangeable() {
    for name in ["a", "b", "cc"] {
        let spec = takers(&format!("Other == took[\"{name}\"] /\\ UNCHANGED took"));
        let subject = Subject {
            spec: &spec,
            link: "",
        };
        let logs = logs_about(|_| "{\"event\":\"Other\"}\n".to_owned());
        let is_caught = only_the_mutant_is_caught(Mutant::InterchangeConstants, &subject, &logs);
        if is_caught {
            return;
        }
    }
    panic!("the mutant is right about every name");
}

#[test]
fn a_choice_tells_identities_apart() {
    for condition in ["took", "~took"] {
        let spec = takers(&format!(
            "Other == {condition}[CHOOSE n \\in Name : TRUE] /\\ UNCHANGED took"
        ));
        let subject = Subject {
            spec: &spec,
            link: "",
        };
        let logs = logs_about(|_| "{\"event\":\"Other\"}\n".to_owned());
        if only_the_mutant_is_caught(Mutant::InterchangeChosen, &subject, &logs) {
            return;
        }
    }
    panic!("the mutant is right about every choice");
}

#[test]
fn the_text_of_a_name_tells_it_apart() {
    for length in [1, 2] {
        let spec = takers(&format!(
            "Other == (\\A n \\in Name : Len(n) = {length} => took[n]) /\\ UNCHANGED took"
        ));
        let subject = Subject {
            spec: &spec,
            link: "",
        };
        let logs = logs_about(|_| "{\"event\":\"Other\"}\n".to_owned());
        if only_the_mutant_is_caught(Mutant::InterchangeText, &subject, &logs) {
            return;
        }
    }
    panic!("the mutant is right about every length");
}
