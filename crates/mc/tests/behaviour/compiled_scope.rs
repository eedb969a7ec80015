//! What is compiled: nothing of these specs is left to the evaluator, and the counts are those of the evaluator.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::check;
use omnilink_mc::report::{Report, Verdict};
use omnilink_mc::{CheckOptions, Evaluators, SearchProgress};

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

/// Steps that add one message, and a property for which they search its range.
const SENDER: &str = "---- MODULE Sender ----
EXTENDS Integers, Sequences, Bags
VARIABLES n, msgs, bag, log, box
vars == <<n, msgs, bag, log, box>>
Message(from, b, e) == [from |-> from, range |-> <<b, e>>, part |-> IF n > 240 /\\ e = 17 THEN log[0] ELSE e]
Put(m) == /\\ msgs' = msgs \\cup {m}
          /\\ bag' = bag (+) SetToBag({m})
          /\\ log' = Append(log, m)
          /\\ box' = [box EXCEPT ![m.from] = <<@, m>>]
Init == n = 0 /\\ msgs = {} /\\ bag = EmptyBag /\\ log = <<>> /\\ box = [i \\in 0..2 |-> <<>>]
Real(from, b, e) == /\\ n' = n + 1
                    /\\ LET m == [from |-> from, range |-> <<b, e>>, part |-> e] IN
                       IF n % 40 = 39
                         THEN msgs' = {m} /\\ bag' = EmptyBag (+) SetToBag({m}) /\\ log' = <<m>> /\\ box' = [i \\in 0..2 |-> <<>>]
                         ELSE msgs' = msgs \\cup {m} /\\ bag' = bag (+) SetToBag({m}) /\\ log' = Append(log, m) /\\ box' = [box EXCEPT ![from] = <<@, m>>]
Half == n \\div 2
Next == n < LAST /\\ Real(Half % 3, Half % 7, 10 + (Half % 7))
Send(from, b, e) == LET m == Message(from, b, e) IN WHAT
Sends == [][n % 40 = 39 \\/ \\E from \\in 0..2 : \\E b, e \\in 0..(20 + n * 0) : Send(from, b, e)]_vars
====
";

#[test]
fn what_a_step_adds_is_found_among_what_it_may_add() {
    for what in [
        "msgs' = msgs \\cup {m}",
        "bag' = bag (+) SetToBag({m})",
        "log' = Append(log, m)",
        "box' = [box EXCEPT ![from] = <<@, m>>]",
        "Put(m)",
        "Put(m) /\\ from = Half % 3",
    ] {
        let text = SENDER.replace("WHAT", what).replace("LAST", "230");
        let report = agreed(
            &text,
            "INIT Init\nNEXT Next\nPROPERTY Sends\nCHECK_DEADLOCK FALSE\n",
        );
        assert_eq!(report.verdict(), Verdict::Valid, "{what}: {:?}", report.answer);
        assert!(!has_note(&report, "left to the evaluator"), "{:?}", report.notes);
        let wrong = text.replace("part |-> e]", "part |-> e + (n \\div 221)]");
        let report = agreed(
            &wrong,
            "INIT Init\nNEXT Next\nPROPERTY Sends\nCHECK_DEADLOCK FALSE\n",
        );
        assert_eq!(
            report.verdict(),
            Verdict::Violation,
            "{what}: {:?}",
            report.answer
        );
    }
}

#[test]
fn a_part_without_a_value_does_not_matter_where_another_part_differs() {
    // For 17, a part of the message has no value. Those from another sender are ruled out before.
    let what = "msgs' = msgs \\cup {m}";
    let text = SENDER.replace("WHAT", what).replace("LAST", "260");
    let tried = "n % 40 = 39 \\/ \\E from \\in 0..2 : \\E b, e \\in 0..(20 + n * 0) : Send(from, b, e)";
    let others =
        "(\\E from \\in {(Half + 1) % 3} : \\E b, e \\in 0..(20 + n * 0) : Send(from, b, e)) \\/ n % 2 >= 0";
    // A second message like the first adds nothing that could rule others out.
    let other = text
        .replace(tried, others)
        .replace("Half == n \\div 2", "Half == n")
        .replace("Half % 7)", "Half % 13)");
    assert_ne!(text, other);
    for (text, verdict) in [(&text, Verdict::Error), (&other, Verdict::Valid)] {
        let report = agreed(
            text,
            "INIT Init\nNEXT Next\nPROPERTY Sends\nCHECK_DEADLOCK FALSE\n",
        );
        assert_eq!(report.verdict(), verdict, "{:?}", report.answer);
    }
}

#[test]
fn a_condition_at_the_front_of_a_loop_ends_it_and_nothing_else() {
    let text = "---- MODULE Front ----
EXTENDS Integers, Sequences
VARIABLES n, q, f
Init == n = 0 /\\ q = <<1>> /\\ f = [i \\in 0..2 |-> 0]
Range(a, range) == /\\ f[a] <= n
                   /\\ range[1] = n % 3
                   /\\ range[2] > range[1]
                   /\\ n' = n + range[2] - range[1]
                   /\\ UNCHANGED <<q, f>>
Written == \\E a \\in 0..2 : \\E b \\in 0..n : \\E e \\in 0..(b + 2) :
  /\\ f[a] = 0 /\\ b > n - 2 /\\ f' = [f EXCEPT ![a] = 1] /\\ e = b /\\ n' = n + 1 /\\ UNCHANGED q
Ranges == n < 500 /\\ \\E a \\in 0..2 : \\E b, e \\in 0..(n % 5) : Range(a, <<b, e>>)
Parts == \\E <<a, b>> \\in {<<i, n>> : i \\in 0..(n % 4)} : n % 2 = 0 /\\ b < 500 /\\ a = 1 /\\ n' = n + 1 /\\ UNCHANGED <<q, f>>
Next == Written \\/ Ranges \\/ Parts \\/ (n < 500 /\\ n' = n + 1 /\\ UNCHANGED <<q, f>>)
Same == /\\ \\A a, b \\in 0..(n % 6) : (a > 3 /\\ b > n) => FALSE
        /\\ (\\E a, b \\in 0..(n % 6) : n > 3 /\\ a = 4 /\\ b = 5) <=> (n > 3 /\\ n % 6 = 5)
        /\\ \\A a \\in 0..(n % 3) : (a = 2 /\\ n > 200) => n % 3 = 2
====
";
    let config = "INIT Init\nNEXT Next\nINVARIANT Same\nCHECK_DEADLOCK FALSE\n";
    let report = agreed(text, config);
    assert_eq!(report.verdict(), Verdict::Valid, "{:?}", report.answer);
    assert!(report.figures.distinct > 1000, "{:?}", report.figures);
    assert!(!has_note(&report, "left to the evaluator"), "{:?}", report.notes);
}

#[test]
fn a_condition_behind_one_without_a_value_ends_no_loop() {
    // The second element has no value at the first condition, and in the second spec its argument has none.
    for next in [
        "\\E k \\in 0..((n % 2) + 1) : q[k + 1] > 0 /\\ n < 0 /\\ n' = 0 /\\ q' = q",
        "\\E <<k, l>> \\in {<<0, n>>, <<n, n, n>>} : n < 0 /\\ n' = 0 /\\ q' = q",
        "\\A k \\in 0..((n % 2) + 1) : (q[k + 1] > 0 /\\ n < 0) => n > 7",
    ] {
        let text = format!(
            "---- MODULE Front ----
EXTENDS Integers, Sequences
VARIABLES n, q
Init == n = 0 /\\ q = <<1>>
Next == n' = n + 1 /\\ q' = q /\\ (n > 300 => ({next}))
====
"
        );
        let report = agreed(&text, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
        assert_eq!(report.verdict(), Verdict::Error, "{next}");
    }
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

/// A token ring: the process that holds the token may enter repeatedly.
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

#[test]
fn a_search_that_goes_on_after_violations_is_compiled() {
    let text = "---- MODULE Through ----
EXTENDS Integers
VARIABLES n, m
Init == n = 0 /\\ m = 0
Next == /\\ n < 900 /\\ n' = n + 1 /\\ n % 450 # 449
        /\\ m' \\in IF n % 300 = 299 THEN {m, m + 1} ELSE {m}
NoOne == m # 1
Never == n < 850 \\/ m = 0
Below == n < 20000
Steps == [][m' = m]_<<n, m>>
Small == m < 3
====
";
    let config = "INIT Init\nNEXT Next\nINVARIANTS NoOne Never Below\nPROPERTY Steps\nCONSTRAINT Small\n";
    let of = |evaluators| {
        let model = model_of(text, config);
        let options = CheckOptions {
            evaluators,
            continues: true,
            explains_compilation: true,
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
    let shown = |report: &Report| format!("{:?} {:?} {:?}", report.answer, report.further, report.figures);
    let (compiled, interpreted) = (of(Evaluators::Compiled), of(Evaluators::Interpreter));
    assert!(
        has_note(&compiled, "compiled code has expanded"),
        "{:?}",
        compiled.notes
    );
    assert_eq!(compiled.verdict(), Verdict::Violation);
    assert_eq!(shown(&compiled), shown(&interpreted));
}

#[test]
fn a_name_for_what_depends_on_an_element_depends_on_it_where_the_loop_is_written_out() {
    // For the first elements `m` is a constant, and the condition about it is false.
    let text = "---- MODULE Front ----
EXTENDS Integers
VARIABLES n, f
Init == n = 0 /\\ f = [i \\in 1..3 |-> 0]
Add(m) == /\\ f[m.by] = n % 3
          /\\ n' = n + m.by
          /\\ f' = [f EXCEPT ![m.by] = (@ + 1) % 3]
Next == n < 700 /\\ \\E a \\in 1..3 : LET m == [by |-> a] IN Add(m)
Free == n < 700 /\\ n' = n + 1 /\\ f' = [f EXCEPT ![(n % 3) + 1] = (@ + 1) % 3]
Steps == [][\\E a \\in 1..3, b \\in 0..(n + 20) : LET m == [by |-> a] IN n' = n + m.by /\\ b = 15]_n
Some == \\A n1 \\in 1..2 : (\\E a \\in 1..3 : LET m == [by |-> a] IN f[m.by] < 3 /\\ m.by = n1 + 1) \\/ n < 0
====
";
    let config = "INIT Init\nNEXT Both\nINVARIANT Some\nPROPERTY Steps\nCHECK_DEADLOCK FALSE\n";
    let text = text.replace("Steps ==", "Both == Next \\/ Free\nSteps ==");
    let report = agreed(&text, config);
    assert_eq!(report.verdict(), Verdict::Valid, "{:?}", report.answer);
    assert!(report.figures.distinct > 1000, "{:?}", report.figures);
    assert!(!has_note(&report, "internal error"), "{:?}", report.notes);
}
