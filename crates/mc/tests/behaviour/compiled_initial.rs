//! Initial states by compiled code: those of the evaluator, in its order, wherever one hands over to the other.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::check;
use fastrand::Rng;
use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{CheckOptions, Evaluators, SearchProgress};

use crate::compiled::model_of;
use crate::random_spec::{Type, Writer};

const ALL: [Evaluators; 3] = [Evaluators::Interpreter, Evaluators::Compiled, Evaluators::Both];

fn explored(text: &str, config: &str, evaluators: Evaluators, workers: usize) -> Report {
    let (report, _) = explored_printing(text, config, evaluators, workers);
    report
}

/// The report, and how many lines were printed.
fn explored_printing(text: &str, config: &str, evaluators: Evaluators, workers: usize) -> (Report, usize) {
    let printed = AtomicUsize::new(0);
    let print = |_: &str| {
        printed.fetch_add(1, Ordering::Relaxed);
    };
    let options = CheckOptions {
        evaluators,
        workers,
        explains_compilation: true,
        ..CheckOptions::default()
    };
    let model = model_of(text, config);
    let report = check(
        &model,
        "initial",
        &options,
        &SearchProgress::default(),
        &print,
        None,
    );
    let report = report.unwrap_or_else(|error| {
        panic!(
            "{error}
{text}"
        )
    });
    (report, printed.into_inner())
}

/// How many initial states compiled code has enumerated.
fn compiled(report: &Report) -> u64 {
    let notes = report.notes.iter();
    let count = notes.filter_map(|note| note.strip_prefix("compiled code has enumerated "));
    count
        .filter_map(|note| note.split(' ').next()?.parse::<u64>().ok())
        .sum()
}

/// The answer without the time it took.
fn answer(report: &Report) -> String {
    format!("{:?}", (&report.answer, &report.further))
}

/// Each way to give a variable its first value; states that occur twice; what the first states do not show (`q` is empty in all of them).
#[test]
fn initial_states_are_those_of_the_evaluator() {
    let text = r"---- MODULE Start ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLES n, f, s, q, b
Small(k) == \A i \in 1..3 : f[i] <= k
Init ==
  /\ q \in {<<3>>, <<1>>, <<1, 2>>, <<2, 1, 1>>}
  /\ n \in 0..20
  /\ f \in [1..3 -> 0..2]
  /\ s \in SUBSET {1, 2}
  /\ \/ b = (n > 3)
     \/ \E i \in DOMAIN q : q[i] = 1 /\ b = (i \in s)
  /\ Small(n) /\ Cardinality(s) <= Len(q)
  /\ LET m == n % 3 IN IF b THEN f[1] = m ELSE f[2] >= m
Next == UNCHANGED <<n, f, s, q, b>>
Fine == (ENABLED (f' = [f EXCEPT ![1] = 7] /\ UNCHANGED <<n, s, q, b>>)) /\ Len(q) < 4
Open == ENABLED (f' = [f EXCEPT ![1] = 7] /\ LET r[k \in 0..1] == IF k = 0 THEN f'[1] ELSE r[k - 1] IN r[1] = 7
                   /\ UNCHANGED <<n, s, q, b>>)
Even == n % 2 = 0 \/ n > 17
====
";
    let config = "INIT Init\nNEXT Next\nINVARIANT Fine Open\nCONSTRAINT Even\n";
    let expected = explored(text, config, Evaluators::Interpreter, 1);
    assert!(expected.figures.distinct > 1_000, "{:?}", expected.figures);
    assert_eq!(compiled(&expected), 0);
    for evaluators in ALL {
        for workers in [1, 2] {
            let found = explored(text, config, evaluators, workers);
            assert_eq!(found.figures, expected.figures, "{evaluators:?}");
            assert_eq!(answer(&found), answer(&expected), "{evaluators:?}");
            let is_compiled = compiled(&found) > 1_000;
            assert_eq!(
                is_compiled,
                evaluators != Evaluators::Interpreter,
                "{:?}",
                found.notes
            );
        }
    }
}

/// In the last of three thousand states something is not compiled, has no value, or violates what must hold.
#[test]
fn the_evaluator_goes_on_where_compiled_code_gives_up() {
    for (last, violated) in [
        ("TRUE", false),
        (
            "n < 2900 \\/ LET r[k \\in 0..3] == IF k = 0 THEN n ELSE r[k - 1] IN r[3] = n",
            false,
        ),
        ("n < 2900 \\/ n \\in {\"a\"}", true),
        ("n < 2900 \\/ Cardinality(SUBSET (1..n - 2984)) > 0", false),
    ] {
        for (invariant, is_wrong) in [("n >= 0", violated), ("n # 2999", true), ("n # 150", true)] {
            let text = format!(
                "---- MODULE Late ----\nEXTENDS Integers, FiniteSets\nVARIABLE n\n\
                 Init == n \\in 0..2999 /\\ ({last})\nNext == UNCHANGED n\nHolds == {invariant}\nBefore == Init\n====\n"
            );
            let config = "INIT Init\nNEXT Next\nINVARIANT Holds\n";
            let reports = ALL.map(|evaluators| explored(&text, config, evaluators, 1));
            let wrong = matches!(reports[0].answer, Answer::Wrong(_));
            assert_eq!(wrong, is_wrong, "{last}, {invariant}: {:?}", reports[0].answer);
            for found in &reports[1..] {
                assert_eq!(answer(found), answer(&reports[0]), "{last}, {invariant}");
                assert_eq!(found.figures, reports[0].figures, "{last}, {invariant}");
            }
        }
    }
}

/// Properties of initial states, the VIEW and SYMMETRY; and a condition whose effects must not happen twice.
#[test]
fn initial_properties_views_and_effects() {
    let module = |init: &str| {
        format!(
            "---- MODULE Seen ----\nEXTENDS Integers, FiniteSets, TLC\nCONSTANTS Nodes\nVARIABLES held, count\n\
             Init == held \\in [Nodes -> 0..6] /\\ count \\in 0..3 {init}\nNext == UNCHANGED <<held, count>>\n\
             Renamings == Permutations(Nodes)\nSum == {{held[n] : n \\in Nodes}}\nSeen == <<Sum, count>>\nPart == <<held>>\n\
             First == count <= 3\nNever == held # [n \\in Nodes |-> 6]\n====\n"
        )
    };
    let config = |rest: &str| format!("INIT Init\nNEXT Next\nCONSTANTS Nodes = {{a, b, c}}\n{rest}\n");
    for (rest, init) in [
        ("SYMMETRY Renamings", ""),
        ("VIEW Seen", ""),
        ("VIEW Part", ""),
        ("SYMMETRY Renamings\nVIEW Seen", ""),
        ("PROPERTY First", ""),
        ("PROPERTY First Never", ""),
        (
            "INVARIANT Never",
            "/\\ ((\\E n \\in Nodes : held[n] > 0) \\/ PrintT(held))",
        ),
    ] {
        let (text, config) = (module(init), config(rest));
        let reports = ALL.map(|evaluators| explored_printing(&text, &config, evaluators, 1));
        let (expected, printed) = &reports[0];
        for (found, lines) in &reports[1..] {
            assert_eq!(answer(found), answer(expected), "{rest}");
            assert_eq!(found.figures, expected.figures, "{rest}");
            assert_eq!(lines, printed, "{rest}");
            assert_eq!(
                compiled(found) == 0,
                init.contains("Print"),
                "{rest}: {:?}",
                found.notes
            );
        }
    }
}

#[test]
fn random_initial_conditions_have_the_states_of_the_evaluator() {
    let rounds: u64 = std::env::var("OMNILINK_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap_or(1));
    let (mut states, mut by_compiled) = (0, 0);
    for number in 0..200 * rounds {
        let mut writer = Writer {
            random: Rng::with_seed(0x1417 << 32 | number),
            scope: Vec::new(),
            fresh: 0,
            has_errors: number % 3 == 0,
        };
        let text = writer.spec();
        let condition = writer.write(Type::Bool, 4);
        let init = format!("m = {{}} /\\ ({condition})\n");
        let text = text.replacen("m = {}\n", &init, 1);
        let text = text.replacen(
            "Next ==",
            "Stay == UNCHANGED <<n, b, t, s, f, g, q, m>>\nNext ==",
            1,
        );
        let config = "INIT Init\nNEXT Stay\nINVARIANT Formula\n";
        let expected = explored(&text, config, Evaluators::Interpreter, 1);
        let found = explored(&text, config, Evaluators::Both, 1);
        assert_eq!(answer(&found), answer(&expected), "number {number}:\n{text}");
        assert_eq!(found.figures, expected.figures, "number {number}:\n{text}");
        states += found.figures.distinct;
        by_compiled += compiled(&found);
    }
    assert!(
        states > 2_000 && by_compiled > 1_000,
        "{states} initial states, {by_compiled} by compiled code"
    );
}
