//! The memo changes no result: adversarial and random specs, explored with and without it.

use std::path::Path;

use crate::common::check;
use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{CheckOptions, SearchLimits, SearchMode, SearchProgress};
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::{SpecOptions, check as read};
use proptest::prelude::*;

/// The part of a report that must not depend on the memo.
#[derive(Debug, PartialEq)]
struct Comparable {
    answer: String,
    distinct: u64,
    generated: u64,
    depth: u32,
    steps: Vec<(String, u64, u64)>,
}

fn comparable(report: &Report) -> Comparable {
    let answer = match &report.answer {
        Answer::Wrong(violation) => format!(
            "{:?} {:?} {:?} after {} states",
            violation.kind,
            violation.violated,
            violation.error,
            violation.states.len()
        ),
        other => format!("{other:?}"),
    };
    let steps = report.coverage.iter();
    Comparable {
        answer,
        distinct: report.figures.distinct,
        generated: report.figures.generated,
        depth: report.figures.depth,
        steps: steps
            .map(|action| (action.place.clone(), action.generated, action.distinct))
            .collect(),
    }
}

fn explore(file: &Path, options: &CheckOptions) -> Result<Comparable, String> {
    let checked = read(file, &SpecOptions::default());
    if !checked.is_ok() {
        return Err(format!("{:?}", checked.diagnostics));
    }
    let config = checked.config.unwrap_or_default();
    let model = build(checked.spec, &config, &BuildOptions::default())
        .map_err(|rejected| format!("{:?}", rejected.diagnostics))?;
    check(&model, "spec", options, &SearchProgress::default(), &|_| {}, None)
        .map(|report| comparable(&report))
        .map_err(|error| error.to_string())
}

/// Explores a spec without the memo, with it, and depth-first with it. All runs must agree.
fn agrees(body: &str, config: &str) -> Comparable {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("Spec.tla");
    let text = format!("---- MODULE Spec ----\n{body}\n====\n");
    std::fs::write(&file, &text).expect("a file");
    std::fs::write(folder.path().join("Spec.cfg"), config).expect("a file");
    let options = CheckOptions {
        uses_memo: false,
        limits: SearchLimits::default(),
        ..CheckOptions::default()
    };
    let plain = explore(&file, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let memoised = CheckOptions {
        uses_memo: true,
        ..options
    };
    for workers in [1, 2, 3, 4] {
        let parallel = CheckOptions { workers, ..memoised };
        assert_eq!(
            explore(&file, &parallel).as_ref(),
            Ok(&plain),
            "{workers} workers: {text}"
        );
    }
    let deep = CheckOptions {
        mode: SearchMode::DepthFirst,
        ..memoised
    };
    let deep = explore(&file, &deep).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if plain.answer == "Valid" {
        assert_eq!(
            (deep.distinct, deep.generated),
            (plain.distinct, plain.generated),
            "{text}"
        );
    }
    plain
}

const INIT_NEXT: &str = "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n";

#[test]
fn a_formula_that_two_actions_share_belongs_to_the_one_that_is_taken() {
    let found = agrees(
        r"EXTENDS Naturals, FiniteSets
VARIABLES fill, asleep
WakeOne(s) == IF s = {} THEN asleep' = {} ELSE \E t \in s : asleep' = s \ {t}
Put(t) == /\ t \in {3, 4} \ asleep
          /\ IF fill < 2 THEN fill' = fill + 1 /\ WakeOne(asleep) ELSE asleep' = asleep \cup {t} /\ UNCHANGED fill
Get(t) == /\ t \in {1, 2} \ asleep
          /\ IF fill > 0 THEN fill' = fill - 1 /\ WakeOne(asleep) ELSE asleep' = asleep \cup {t} /\ UNCHANGED fill
Init == fill = 0 /\ asleep = {}
Next == \E t \in 1..4 : Put(t) \/ Get(t)
Inv == fill \in 0..2",
        INIT_NEXT,
    );
    assert_eq!(found.answer, "Valid");
    assert!(
        found.steps.iter().all(|(_, generated, _)| *generated > 0),
        "{found:?}"
    );
}

#[test]
fn a_lazily_evaluated_argument_belongs_to_its_call() {
    // `Big` is one memo point. Its argument `x` differs between calls while the state is the same.
    let found = agrees(
        r"EXTENDS Naturals
VARIABLES a, b, n
Big(x) == \E i \in 0..3 : x = i /\ i > 1
Init == a = 0 /\ b = 3 /\ n = 0
Next == \/ Big(a + 0) /\ n' = n + 1 /\ n < 4 /\ UNCHANGED <<a, b>>
        \/ Big(b + 0) /\ n' = n + 2 /\ n < 4 /\ UNCHANGED <<a, b>>
        \/ a' = (a + 1) % 4 /\ b' = (b + 1) % 4 /\ UNCHANGED n
Inv == n < 9",
        INIT_NEXT,
    );
    assert!(found.distinct > 10);
}

#[test]
fn a_primed_parameter_belongs_to_its_call() {
    agrees(
        r"EXTENDS Naturals
VARIABLES a, b
Set(v, e) == \E i \in {e} : v' = (i + 1) % 3
Same(v, w) == (\A i \in {1} : v' = w') \/ TRUE
Init == a = 0 /\ b = 0
Next == \/ Set(a, a) /\ Set(b, a) /\ Same(a, b)
        \/ Set(b, b) /\ Set(a, b)
        \/ Set(a, b) /\ UNCHANGED b
Inv == a < 4",
        INIT_NEXT,
    );
}

#[test]
fn reading_a_next_value_reads_its_whole_source() {
    // Whether the step is allowed depends on all of `f`, though the action only names `f[1]`.
    let found = agrees(
        r"EXTENDS Naturals
VARIABLES f
Init == f \in [1..3 -> 0..2]
Step(i) == /\ f' = [f EXCEPT ![i] = (@ + 1) % 3]
           /\ f'[1] + f'[2] + f'[3] < 5
Next == \E i \in 1..2 : Step(i)
Inv == f[3] < 3",
        INIT_NEXT,
    );
    assert_eq!(found.distinct, 27);
}

#[test]
fn a_second_assignment_of_a_next_value_is_a_comparison() {
    agrees(
        r"EXTENDS Naturals
VARIABLES f, g
Init == f \in [1..2 -> 0..2] /\ g = 0
Step == /\ f' = [f EXCEPT ![1] = (@ + 1) % 3]
        /\ g' = 1 - g
        /\ f' = [i \in 1..2 |-> IF i = 1 THEN (f[1] + 1) % 3 ELSE g]
Other == g' = 1 - g /\ f' = [f EXCEPT ![2] = 0] /\ UNCHANGED f
Next == Step \/ Other
Inv == TRUE",
        INIT_NEXT,
    );
}

#[test]
fn a_next_value_assigned_before_a_memo_point_belongs_to_this_step() {
    // `Late` reads only `y` of the current state, but its result depends on the `x'` assigned before.
    let found = agrees(
        r"EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Late == y < 9 /\ y' = (x' + 1) % 5
Next == \E v \in 0..2 : x' = (x + v) % 4 /\ Late
Inv == TRUE",
        INIT_NEXT,
    );
    assert_eq!(found.distinct, 5);
}

#[test]
fn an_action_may_find_a_next_value_assigned_in_some_branches_only() {
    let found = agrees(
        r"EXTENDS Naturals
VARIABLES x, y, z
Init == x = 0 /\ y = 0 /\ z = 0
Late == y' = (y + 1) % 3 /\ x' = x /\ UNCHANGED z
Next == \/ \E b \in {1, 2} : (IF b = 1 THEN x' = 1 - x ELSE TRUE) /\ Late
        \/ z' = (z + 1) % 4 /\ UNCHANGED <<x, y>>
Inv == x = 0",
        INIT_NEXT,
    );
    assert_eq!(found.distinct, 12);
}

#[test]
fn a_cached_state_value_hides_no_read() {
    // `Total` is cached per state. The second action that uses it must still depend on `f`.
    agrees(
        r"EXTENDS Naturals
VARIABLES f, n
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Sum(S \ {x})
Total == Sum(1..3)
Init == f = [i \in 1..3 |-> 0] /\ n = 0
A(i) == Total < 4 /\ f' = [f EXCEPT ![i] = @ + 1] /\ UNCHANGED n
B(i) == Total > 2 /\ n' = (n + Total) % 3 /\ UNCHANGED f
Next == \E i \in 1..3 : A(i) \/ B(i)
Inv == Total < 5 /\ Sum({1, 2}) < 5",
        INIT_NEXT,
    );
}

#[test]
fn reads_of_other_states_by_enabled_are_not_memoised() {
    agrees(
        r"EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Up == x < 3 /\ x' = x + 1 /\ UNCHANGED y
Down == x > 0 /\ y = 1 /\ x' = x - 1 /\ UNCHANGED y
Flip == (ENABLED Up \/ ENABLED Down) /\ y' = 1 - y /\ UNCHANGED x
Next == Up \/ Down \/ Flip
Inv == ENABLED Up \/ x = 3",
        INIT_NEXT,
    );
}

#[test]
fn an_edit_that_does_not_apply_is_evaluated() {
    // EXCEPT with an absent key changes nothing; a union with a value that is not a set is an error.
    agrees(
        r"EXTENDS Naturals
VARIABLES f, s, n
Init == f = [i \in 1..2 |-> 0] /\ s = {} /\ n = 0
Grow == n < 3 /\ n' = n + 1 /\ f' = [i \in 1..(n + 2) |-> 0] /\ UNCHANGED s
Put == f' = [f EXCEPT ![3] = (n + 1) % 2] /\ UNCHANGED <<s, n>>
Add == s' = s \cup {n} /\ UNCHANGED <<f, n>>
Drop == s' = s \ {n, 0} /\ UNCHANGED <<f, n>>
Next == Grow \/ Put \/ Add \/ Drop
Inv == TRUE",
        INIT_NEXT,
    );
    let error = agrees(
        r"EXTENDS Naturals
VARIABLES s, n
Init == s = {} /\ n = 0
Add == s' = s \cup {n} /\ UNCHANGED n
Break == n < 2 /\ n' = n + 1 /\ s' = (IF n = 1 THEN 7 ELSE s)
Next == Add \/ Break
Inv == TRUE",
        INIT_NEXT,
    );
    assert!(error.answer.contains("Evaluation"), "{}", error.answer);
}

#[test]
fn the_old_value_of_a_second_update_is_what_the_first_one_left() {
    // The paths are apart, equal, or one leads into the other.
    agrees(
        r"EXTENDS Naturals
VARIABLES g, n
Init == g = [i \in 1..2 |-> [j \in 1..2 |-> 0]] /\ n = 0
Two(i, j) == g' = [g EXCEPT ![i][j] = (@ + 1) % 3, ![j][i] = (@ + n) % 3] /\ UNCHANGED n
Into(i) == g' = [g EXCEPT ![i] = [j \in 1..2 |-> n], ![1][2] = (@ + 1) % 3] /\ UNCHANGED n
Around(i) == g' = [g EXCEPT ![i][1] = (@ + 2) % 3, ![2] = [j \in 1..2 |-> @[3 - j]]] /\ UNCHANGED n
Three == g' = [g EXCEPT ![1][1] = @, ![2][2] = (@ + 1) % 3, ![1][1] = (@ + n) % 3] /\ UNCHANGED n
Count == n' = (n + 1) % 3 /\ UNCHANGED g
Next == (\E i, j \in 1..2 : Two(i, j) \/ Into(i) \/ Around(j)) \/ Three \/ Count
Inv == TRUE",
        INIT_NEXT,
    );
}

#[test]
fn registers_are_read_every_time() {
    agrees(
        r#"EXTENDS Naturals, TLC
VARIABLES x
Init == x = 0
Deep == \E i \in {1} : TLCGet("level") < 5
Next == Deep /\ x' \in {x, (x + 1) % 7}
Inv == x < 7"#,
        INIT_NEXT,
    );
}

#[test]
fn a_composition_is_evaluated_in_each_of_its_states() {
    agrees(
        r"EXTENDS Naturals
VARIABLES x, y, z
Init == x = 0 /\ y = 0 /\ z = [i \in 1..2 |-> 0]
Turn(i) == z[i] < 2 /\ z' = [z EXCEPT ![i] = @ + 1] /\ x' = (x + z[i] + 1) % 3
Settle(i) == LET last == z[i] IN last > 0 /\ y' = (y + last) % 3 /\ UNCHANGED <<x, z>>
Both(i, j) == y' \in {0, 2} /\ (Turn(i) \cdot Settle(j)) /\ z'[j] = z[j] + (IF i = j THEN 1 ELSE 0)
Next == \E i, j \in 1..2 : Both(i, j) \/ (Turn(i) /\ y' = x)
Inv == x < 3",
        INIT_NEXT,
    );
}

#[test]
fn each_true_branch_of_a_guard_is_counted() {
    let found = agrees(
        r"EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Step == /\ x < 3 \/ y < 3 \/ x = y
        /\ \E i \in {1, 2} : x' = (x + i) % 4
        /\ y' \in {x, y}
Next == Step
Inv == TRUE",
        INIT_NEXT,
    );
    assert!(found.generated > found.distinct);
}

#[test]
fn a_lazy_function_over_the_state_is_evaluated_in_this_state() {
    agrees(
        r"EXTENDS Naturals
VARIABLES x, n
Init == x = 0 /\ n = 0
F == [i \in Nat |-> i + x]
G[i \in 0..4] == IF i = 0 THEN x ELSE G[i - 1] + 1
Next == \/ F[1] < 4 /\ x' = F[1] /\ UNCHANGED n
        \/ G[2] > 2 /\ n' = (n + G[3]) % 5 /\ UNCHANGED x
Inv == F[2] < 9 /\ G[4] < 9",
        INIT_NEXT,
    );
}

#[test]
fn operator_arguments_belong_to_their_call() {
    agrees(
        r"EXTENDS Naturals, FiniteSets
VARIABLES x, s
Init == x = 0 /\ s = {}
Any(P(_)) == \E i \in 0..3 : P(i) /\ i >= x
Even(i) == i % 2 = 0
Next == \/ Any(Even) /\ x' = (x + 1) % 5 /\ s' = s \cup {x}
        \/ Any(LAMBDA i : i \in s) /\ x' = (x + 2) % 5 /\ UNCHANGED s
Inv == Cardinality({i \in s : Any(LAMBDA j : j = i)}) < 5",
        INIT_NEXT,
    );
}

#[test]
fn the_memos_of_several_workers_change_nothing() {
    // Levels with thousands of states, so that all workers take part; edits of all kinds, and reads into all of them.
    let found = agrees(
        r#"EXTENDS Naturals, Sequences
VARIABLES pc, sent, log
P == 1..5
Init == pc = [p \in P |-> "idle"] /\ sent = {} /\ log = <<>>
Move(p, from, to) == pc[p] = from /\ pc' = [pc EXCEPT ![p] = to]
Ask(p) == Move(p, "idle", "asking") /\ sent' = sent \cup {p} /\ UNCHANGED log
Take(p) == /\ Move(p, "asking", "done") /\ sent' = sent \ {p}
           /\ log' = IF Len(log) < 3 THEN Append(log, p) ELSE log
Swap(p, q) == /\ p # q /\ pc[p] = "done" /\ pc[q] = "idle" /\ q \notin sent
              /\ pc' = [pc EXCEPT ![p] = "idle", ![q] = "asking"] /\ sent' = {q} /\ UNCHANGED log
Next == \E p \in P : Ask(p) \/ Take(p) \/ \E q \in P : Swap(p, q)
Inv == \A p \in P : pc[p] = "idle" => \E q \in 0..5 : q # p"#,
        INIT_NEXT,
    );
    assert!(found.distinct > 10_000, "{found:?}");
}

/// Random expressions and actions over three variables: a number, a function and a set.
fn number() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("n".to_owned()),
        Just("f[1]".to_owned()),
        Just("f[i]".to_owned()),
        Just("i".to_owned()),
        (0..3u8).prop_map(|n| n.to_string()),
        Just("Size(s)".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a} + {b}) % 3)")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("(IF {a} < {b} THEN {c} ELSE {a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("Late({a}, {b})")),
            inner.clone().prop_map(|a| format!("Twice({a})")),
            inner.clone().prop_map(|a| format!("Least({a})")),
        ]
    })
}

fn formula() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (number(), number()).prop_map(|(a, b)| format!("{a} <= {b}")),
        (number(), number()).prop_map(|(a, b)| format!("{a} # {b}")),
        number().prop_map(|a| format!("{a} \\in s")),
        number().prop_map(|a| format!("(\\E k \\in s : k < {a})")),
        number().prop_map(|a| format!("(\\A k \\in 0..2 : f[k] <= {a} \\/ k \\in s)")),
        number().prop_map(|a| format!("Close({a}, f[i])")),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} /\\ {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} \\/ {b})")),
            inner.prop_map(|a| format!("~({a})")),
        ]
    })
}

fn action() -> impl Strategy<Value = String> {
    let of_n = prop_oneof![
        Just("UNCHANGED n".to_owned()),
        number().prop_map(|a| format!("n' = {a}")),
        number().prop_map(|a| format!("n' \\in {{n, {a}}}")),
    ];
    let of_f = prop_oneof![
        Just("UNCHANGED f".to_owned()),
        number().prop_map(|a| format!("f' = [f EXCEPT ![i] = {a}]")),
        number().prop_map(|a| format!("f' = [f EXCEPT ![{a}] = (@ + 1) % 3]")),
        (number(), number()).prop_map(|(a, b)| format!("f' = [f EXCEPT ![0] = {a}, ![i] = {b}]")),
        (number(), number())
            .prop_map(|(a, b)| format!("f' = [f EXCEPT ![{a}] = (@ + 1) % 3, ![{b}] = (@ + {a}) % 3]")),
        number().prop_map(|a| format!("f' = [k \\in 0..2 |-> IF k = i THEN {a} ELSE f[k]]")),
        number().prop_map(|a| format!("f' = (IF {a} = 1 THEN f ELSE [f EXCEPT ![1] = 0])")),
    ];
    let of_s = prop_oneof![
        Just("UNCHANGED s".to_owned()),
        number().prop_map(|a| format!("s' = s \\cup {{{a}}}")),
        number().prop_map(|a| format!("s' = s \\ {{{a}, i}}")),
        number().prop_map(|a| format!("s' = {{k \\in s : k # {a}}}")),
        number().prop_map(|a| format!("(\\E k \\in 0..1 : s' = s \\cup {{(k + {a}) % 3}})")),
    ];
    let after = prop_oneof![
        2 => Just("TRUE".to_owned()),
        1 => number().prop_map(|a| format!("n' <= {a}")),
        1 => Just("f'[2] <= f'[0]".to_owned()),
        1 => Just("Size(s') < 3".to_owned()),
    ];
    (formula(), of_n, of_f, of_s, after, any::<bool>()).prop_map(|(guard, n, f, s, after, is_late)| {
        if is_late {
            format!("/\\ {s}\n  /\\ {guard}\n  /\\ {f}\n  /\\ {n}\n  /\\ {after}")
        } else {
            format!("/\\ {guard}\n  /\\ {n}\n  /\\ {f}\n  /\\ {s}\n  /\\ {after}")
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn random_specs_give_the_same_result(
        actions in proptest::collection::vec(action(), 1..4),
        invariant in formula(),
        is_strict in any::<bool>(),
    ) {
        let named: String = (1..).zip(&actions).map(|(at, action)| format!("A{at}(i) ==\n  {action}\n")).collect();
        let calls: Vec<String> = (1..=actions.len()).map(|at| format!("A{at}(i)")).collect();
        let body = format!(
            "EXTENDS Naturals, FiniteSets\nVARIABLES n, f, s\n\
             Size(S) == Cardinality({{k \\in S : k < 2}})\n\
             Pick(a, b) == IF a < b THEN a ELSE (CHOOSE k \\in 0..2 : k = b \\/ k = 2)\n\
             Late(a, b) == LET z == a IN Pick(z, b)\n\
             Least(a) == CHOOSE k \\in 0..2 : k >= f[k] \\/ k = 2 \\/ a = k\n\
             Twice(a) == Pick((a + a) % 3, f[a])\n\
             Close(a, b) == \\E d \\in 0..1 : a + d = b \\/ b + d = a\n\
             {named}Init == n = 0 /\\ f = [k \\in 0..2 |-> 0] /\\ s = {{}}\n\
             Next == \\E i \\in 0..2 : {}\n\
             Inv == \\A i \\in 0..2 : {} \\/ {invariant}",
            calls.join(" \\/ "),
            if is_strict { "FALSE" } else { "TRUE" },
        );
        agrees(&body, INIT_NEXT);
    }
}
