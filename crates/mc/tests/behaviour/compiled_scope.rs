//! What is compiled: nothing of these specs is left to the evaluator, and the counts are those of the evaluator.

use std::sync::atomic::{AtomicUsize, Ordering};

use omnilink_mc::report::{Report, Verdict};
use omnilink_mc::{CheckOptions, Evaluators, SearchProgress, check};

use crate::compiled::model_of;

fn report(text: &str, config: &str, evaluators: Evaluators, print: &(dyn Fn(&str) + Sync)) -> Report {
    let model = model_of(text, config);
    let options = CheckOptions {
        evaluators,
        explains_compilation: true,
        ..CheckOptions::default()
    };
    let report = check(&model, "spec", &options, &SearchProgress::default(), print, None);
    report.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The report of compiled code, which agrees with that of the evaluator.
fn agreed(text: &str, config: &str) -> Report {
    let of = |evaluators| report(text, config, evaluators, &|_| {});
    let (compiled, interpreted) = (of(Evaluators::Compiled), of(Evaluators::Interpreter));
    let both = of(Evaluators::Both);
    for other in [&interpreted, &both] {
        assert_eq!(compiled.verdict(), other.verdict());
        assert_eq!(compiled.figures.distinct, other.figures.distinct);
        assert_eq!(compiled.figures.generated, other.figures.generated);
    }
    compiled
}

fn has_note(report: &Report, part: &str) -> bool {
    report.notes.iter().any(|note| note.contains(part))
}

#[test]
fn enabled_is_compiled_in_actions_invariants_and_constraints() {
    let text = "---- MODULE Scope ----
EXTENDS Integers
VARIABLES n, m, f
Open == n < 400 /\\ n' = n + 1
Both == Open /\\ m' = 1 - m /\\ f' = [f EXCEPT ![m] = n']
Init == n = 0 /\\ m = 0 /\\ f = [i \\in 0..1 |-> 0]
Next == \\/ ENABLED Open /\\ Both
        \\/ ~ENABLED <<Open>>_n /\\ n' = 0 /\\ UNCHANGED <<m, f>>
        \\/ ENABLED (f' = [f EXCEPT ![0] = 7] /\\ UNCHANGED f) /\\ ENABLED (Both /\\ f'[m] > 7) /\\ Both
Invariant == /\\ ENABLED Both <=> n < 400
             /\\ ENABLED <<n' = 400 - n>>_n <=> n # 200
             /\\ ENABLED (m' = m /\\ m' = 1) <=> m = 1
             /\\ \\A k \\in {0, 1} : ENABLED (\\E j \\in 0..k : m' = j /\\ m' # m) <=> (k = 1 \\/ m = 1)
             /\\ ENABLED (n' = 5 /\\ ENABLED (n' = n + 1 /\\ n' = 401) /\\ n' # n) <=> n = 400
Fits == ENABLED (m' \\in {0, m} /\\ (m' = 1 => n < 1000))
====
";
    let report = agreed(
        text,
        "INIT Init\nNEXT Next\nINVARIANT Invariant\nCONSTRAINT Fits\n",
    );
    assert_eq!(report.verdict(), Verdict::Valid);
    assert!(report.figures.distinct > 400, "{:?}", report.figures);
    assert!(
        has_note(&report, "compiled code has expanded"),
        "{:?}",
        report.notes
    );
    assert!(!has_note(&report, "left to the evaluator"), "{:?}", report.notes);
}

#[test]
fn an_invariant_is_evaluated_where_a_variable_changes_that_only_its_enabled_leaves_unchanged() {
    let text = "---- MODULE Scope ----
EXTENDS Integers
VARIABLES n, m
Init == n = 0 /\\ m = 0
Next == n < 900 /\\ n' = n + 1 /\\ m' = IF n = 700 THEN 3 ELSE m
Never == ~ENABLED (UNCHANGED m /\\ m' = 3)
====
";
    let report = agreed(text, "INIT Init\nNEXT Next\nINVARIANT Never\n");
    assert_eq!(report.verdict(), Verdict::Violation);
    assert_eq!(report.figures.distinct, 702);
}

#[test]
fn labels_of_temporal_properties_are_compiled() {
    // Bump leaves m open; the instance has an expression for its variable, so its ENABLED is about a variable of its own.
    let text = "---- MODULE Scope ----
EXTENDS Integers
---- MODULE Half ----
VARIABLE h
Down == h > 0 /\\ h' = h - 1
Fair == WF_h(Down)
====
VARIABLES n, m
Bump(k) == n < 40 /\\ n' = n + k
Up == Bump(1) /\\ m' \\in 0..n'
Back == n = 40 /\\ n' = 0 /\\ m' = 0
Init == n = 0 /\\ m = 0
Spec == Init /\\ [][Up \\/ Back]_<<n, m>> /\\ WF_<<n, m>>(Up) /\\ SF_n(Bump(1)) /\\ WF_n(Back)
H == INSTANCE Half WITH h <- 40 - n
Live == /\\ \\A k \\in 0..40 : []<>(n = k)
        /\\ (m > 3) ~> (n = 0)
        /\\ []<><<n' = 0 /\\ m' <= m>>_n
        /\\ [](n > 2 => <>[][n' # 0 \\/ n = 40]_n)
        /\\ H!Fair
====
";
    let report = |evaluators| {
        let model = model_of(text, "SPECIFICATION Spec\nPROPERTY Live\n");
        let options = CheckOptions {
            evaluators,
            explains_compilation: true,
            first_look: usize::MAX,
            ..CheckOptions::default()
        };
        check(
            &model,
            "spec",
            &options,
            &SearchProgress::default(),
            &|_| {},
            None,
        )
        .expect("a report")
    };
    let compiled = report(Evaluators::Compiled);
    for evaluators in [Evaluators::Interpreter, Evaluators::Both] {
        let other = report(evaluators);
        assert_eq!(compiled.verdict(), other.verdict());
        assert_eq!(compiled.figures.distinct, other.figures.distinct);
    }
    assert_eq!(compiled.verdict(), Verdict::Valid, "{:?}", compiled.answer);
    let states = compiled.figures.distinct;
    // The step of Bump that leaves a variable open is found out in one state.
    let note =
        format!("compiled code has labelled {states} states for temporal properties, and left 1 of their");
    assert!(
        states >= 500 && has_note(&compiled, &note),
        "{:?}",
        compiled.notes
    );
    assert!(
        !has_note(&compiled, "left to the evaluator:"),
        "{:?}",
        compiled.notes
    );
}

#[test]
fn an_error_in_a_label_is_an_error_whatever_else_is_false_or_known() {
    // The second one uses a next value that is known for the step, and not in ENABLED.
    for property in [
        "[]<><<\\E k \\in 0..(n + 20) : (IF k > 15 THEN q[1] ELSE k) >= 0 /\\ n' = 1000>>_n",
        "<>[][Then(n) >= 0 /\\ ENABLED (n' = 0 /\\ Then(n) >= 0)]_n",
    ] {
        let text = format!(
            "---- MODULE Scope ----
EXTENDS Integers, Sequences
VARIABLES n, q
RECURSIVE Then(_)
Then(i) == IF i = 0 THEN Len(q') ELSE Then(i - 1)
Init == n = 0 /\\ q = <<>>
Next == n' = (n + 1) % 600 /\\ q' = q
Spec == Init /\\ [][Next]_<<n, q>>
Live == {property}
====
"
        );
        for evaluators in [Evaluators::Compiled, Evaluators::Interpreter, Evaluators::Both] {
            let report = report(&text, "SPECIFICATION Spec\nPROPERTY Live\n", evaluators, &|_| {});
            assert_eq!(report.verdict(), Verdict::Error, "{property}");
        }
    }
}

#[test]
fn searches_in_sequences_and_quantifiers_that_end_early_find_what_is_there() {
    let text = "---- MODULE Scope ----
EXTENDS Integers, Sequences, SequencesExt
VARIABLES n, q
Init == n = 0 /\\ q = <<>>
Next == n < 400 /\\ n' = n + 15 /\\ q' = Append(q, n % 4)
Places == /\\ SelectInSeq(q, LAMBDA x : x = 3) = IF Len(q) < 2 THEN 0 ELSE 2
          /\\ SelectLastInSeq(q, LAMBDA x : x = 0) = IF q = <<>> THEN 0 ELSE Len(q) - ((Len(q) - 1) % 4)
          /\\ SelectInSubSeq(q, 3, Len(q), LAMBDA x : x >= 0) = IF Len(q) < 3 THEN 0 ELSE 3
          /\\ SelectLastInSubSeq(q, 1, Len(q), LAMBDA x : x >= 0) = Len(q)
Steps == [][\\E k \\in 0..(n + 20) : n' = n + k /\\ k = 15 /\\ q' # q]_<<n, q>>
====
";
    let config = "INIT Init\nNEXT Next\nINVARIANT Places\nPROPERTY Steps\nCHECK_DEADLOCK FALSE\n";
    let report = agreed(text, config);
    assert_eq!(report.verdict(), Verdict::Valid, "{:?}", report.answer);
    assert!(!has_note(&report, "internal error"), "{:?}", report.notes);
}

#[test]
fn a_view_that_is_an_expression_is_compiled() {
    let text = "---- MODULE Scope ----
EXTENDS Integers, TLC
VARIABLES n, m
Init == n = 0 /\\ m = 0
Next == n' = (n + 1) % 1000 /\\ m' \\in {m, 1 - m}
Seen == <<n + m, {m} = {2}, [k \\in {1} |-> n > 10]>>
Leveled == <<n, m, TLCGet(\"level\")>>
Small == TLCGet(\"level\") < 100
====
";
    let seen = agreed(text, "INIT Init\nNEXT Next\nVIEW Seen\n");
    assert!(seen.figures.distinct >= 1000, "{:?}", seen.figures);
    assert!(has_note(&seen, "compiled code has expanded"), "{:?}", seen.notes);
    assert!(!has_note(&seen, "left to the evaluator"), "{:?}", seen.notes);
    let leveled = agreed(text, "INIT Init\nNEXT Next\nVIEW Leveled\nCONSTRAINT Small\n");
    assert!(
        !has_note(&leveled, "left to the evaluator"),
        "{:?}",
        leveled.notes
    );
}

#[test]
fn what_an_action_prints_is_printed_once_and_other_states_are_compiled() {
    let text = "---- MODULE Scope ----
EXTENDS Integers, TLC
VARIABLE n
Init == n = 0
Next == n < 2000 /\\ n' = n + 1 /\\ (n % 100 = 0 => PrintT(n))
====
";
    for evaluators in [Evaluators::Interpreter, Evaluators::Compiled] {
        let printed = AtomicUsize::new(0);
        let print = |_: &str| {
            printed.fetch_add(1, Ordering::Relaxed);
        };
        let report = report(
            text,
            "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n",
            evaluators,
            &print,
        );
        assert_eq!(report.figures.distinct, 2001);
        assert_eq!(printed.load(Ordering::Relaxed), 20);
        if evaluators == Evaluators::Compiled {
            let note = "compiled code has expanded 1783 of 2001 states";
            assert!(has_note(&report, note), "{:?}", report.notes);
        }
    }
}

#[test]
fn millions_of_initial_states_are_taken_in_portions() {
    let text = "---- MODULE Scope ----
EXTENDS Integers
VARIABLES a, b
Init == a \\in 1..300 /\\ b \\in 1..300
Next == a' = 1 /\\ b' = 1
Low == a + b < 600
====
";
    let all = agreed(text, "INIT Init\nNEXT Next\n");
    assert_eq!((all.figures.distinct, all.figures.depth), (90_000, 1));
    assert_eq!(all.figures.generated, 180_000);
    let low = agreed(text, "INIT Init\nNEXT Next\nINVARIANT Low\n");
    assert_eq!(low.verdict(), Verdict::Violation);
}

/// A token goes round, and whoever has it may enter again and again.
const RING: &str = "---- MODULE Ring ----
EXTENDS Naturals, Sequences
VARIABLES token, want, in, log
vars == <<token, want, in, log>>
Node == 0..3
Init == token = 0 /\\ want = [n \\in Node |-> FALSE] /\\ in = {} /\\ log = <<>>
Ask(n) == ~want[n] /\\ want' = [want EXCEPT ![n] = TRUE] /\\ UNCHANGED <<token, in, log>>
Enter(n) ==
  /\\ token = n /\\ want[n] /\\ in = {}
  /\\ in' = {n} /\\ UNCHANGED <<token, want>>
  /\\ log' = IF Len(log) < 2 THEN Append(log, n) ELSE Append(Tail(log), n)
Leave(n) == n \\in in /\\ in' = in \\ {n} /\\ want' = [want EXCEPT ![n] = FALSE] /\\ UNCHANGED <<token, log>>
Pass(n) == token = n /\\ n \\notin in /\\ token' = (n + 1) % 4 /\\ UNCHANGED <<want, in, log>>
Next == \\E n \\in Node : Ask(n) \\/ Enter(n) \\/ Leave(n) \\/ Pass(n)
Steps == Init /\\ [][Next]_vars /\\ \\A n \\in Node : WF_vars(Leave(n)) /\\ SF_vars(Enter(n))
Weak == Steps /\\ \\A n \\in Node : WF_vars(Pass(n))
Strong == Steps /\\ \\A n \\in Node : SF_vars(Pass(n))
Served == \\A n \\in Node : want[n] ~> n \\in in
CanAct == [](ENABLED Next)
Asked == [][\\A n \\in Node : n \\in in' \\ in => want[n]]_vars
MayEnter == \\A n \\in Node : ENABLED Enter(n) <=> token = n /\\ want[n] /\\ in = {}
====
";

#[test]
fn what_is_served_depends_on_the_fairness_of_one_action() {
    for (specification, verdict) in [("Weak", Verdict::Violation), ("Strong", Verdict::Valid)] {
        let config =
            format!("SPECIFICATION {specification}\nPROPERTIES Served CanAct Asked\nINVARIANT MayEnter\n");
        let report = agreed(RING, &config);
        assert_eq!(report.verdict(), verdict, "{specification}: {:?}", report.answer);
        assert!(
            has_note(
                &report,
                "compiled code has labelled 1504 states for temporal properties, and left 0"
            ),
            "{:?}",
            report.notes
        );
    }
}
