//! What has no value for the evaluator has none for compiled code, and what is about values of several kinds is the same for both.

use crate::common::check;
use omnilink_mc::{CheckOptions, Evaluators, Layouts, SearchProgress};

use crate::compiled::model_of;

/// Definitions that some of the formulas use.
const DEFINITIONS: &str = "\
RECURSIVE Late(_, _)
Late(i, x) == IF i > 2 THEN x = 1 ELSE Late(i + 1, q[IF n = 3 THEN 9 ELSE 1])
RECURSIVE Reached(_, _)
Reached(i, x) == IF i = 0 THEN TRUE ELSE IF x = 0 THEN FALSE ELSE Reached(i - 1, q[i])
RECURSIVE Down(_)
Down(i) == IF i = 0 THEN n ELSE Down(i - 1)
RECURSIVE Skipped(_, _)
Skipped(i, x) == IF i > 9 THEN n ELSE IF x THEN 1 ELSE Skipped(i + 10, ENABLED (n' = q[i + 5] /\\ UNCHANGED <<k, v, q, g>>))
RECURSIVE Ignored(_, _)
Ignored(i, x) == IF i > 9 THEN i % 2 ELSE IF x = {} THEN 1 ELSE Ignored(i + 10, {q[j] + n : j \\in 1..i})
Given(x, y) == y \\/ x > 0
";

/// The values of `v` in the states 1, 2 and 3, and a formula about it. `n` is the number of the state, and `q` and `g` change, too.
const FORMULAS: &[(&str, &str)] = &[
    // Operations on values of another kind.
    (r#"<<1, 2, "a">>"#, r"v + n > 0"),
    (r"<<1, 2, {}>>", r"(v * 2) % 5 < 5"),
    (r#"<<1, 2, "a">>"#, r"-v < 1"),
    (r"<<1, 2, TRUE>>", r"v < n + 2"),
    (r"<<1, 2, <<>>>>", r"v..n # {7}"),
    (r"<<{1}, {1, 2}, 1>>", r"\A x \in v : x <= n"),
    (r#"<<{1}, {1, 2}, "a">>"#, r"Cardinality({x \in v : x > n}) < 9"),
    (r"<<{1}, {1, 2}, <<1>>>>", r"{x + n : x \in v} # {99}"),
    (r"<<{1}, {1, 2}, 3>>", r"v \cup {n} # {99}"),
    (r"<<{1}, {1, 2}, 3>>", r"v \subseteq 1..9"),
    (r"<<{1}, {1, 2}, <<>>>>", r"IsFiniteSet(v)"),
    (r"<<{1}, {2, 1}, {}>>", r"Max(v) <= Min(v) + 1"),
    (r"<<TRUE, FALSE, 1>>", r"v \/ n > 0"),
    (r#"<<TRUE, FALSE, "a">>"#, r"IF v THEN n > 0 ELSE n > 1"),
    (r"<<<<1>>, <<1, 2>>, 5>>", r"Len(v) <= n"),
    (r"<<<<1>>, <<2, 1>>, <<>>>>", r"Head(v) = n"),
    (r"<<<<1>>, <<2, 1>>, <<>>>>", r"Tail(v) # <<7>>"),
    (r"<<<<1, 2>>, <<2, 1>>, <<3>>>>", r"SubSeq(v, 1, 2) # <<>>"),
    (r"<<<<1>>, <<2, 1>>, <<3>>>>", r"v[n] > 0"),
    (r"<<[a |-> 1], [a |-> 2], [b |-> 1]>>", r"v.a = n"),
    (r"<<[a |-> 1], [a |-> 2], 7>>", r"v.a = n"),
    (r#"<<1, 2, "a">>"#, r"v = n"),
    (r#"<<<<1>>, <<2>>, <<"a">>>>"#, r"v = <<n>>"),
    (r"<<1, 2, 3>>", r"(CHOOSE x \in {1, 2} : x = v) = n"),
    (r"<<4, 2, 0>>", r"8 \div v > 0"),
    (r"<<4, 2, -1>>", r"8 % v >= 0"),
    (r"<<4, 2, -3>>", r"8 \div v > 0"),
    (r"<<4, 2, -3>>", r"8 \div v = -3 \/ v > 0"),
    (r"<<{1}, {1, 2}, {3}>>", r"v \in {x \in SUBSET v : x # {}}"),
    (
        r"<<{1}, {1, 2}, {3}>>",
        r"\E x \in SUBSET v : x = v \/ n \notin {1, 2, 3}",
    ),
    (r"<<4, 2, -1>>", r"2 ^ v >= 4"),
    (r"<<3, 2, 0>>", r"v ^ (n - 1) = <<1, 2, 0>>[n]"),
    (r"<<1, 2, 0>>", r"v ^ v > 0"),
    (r"<<1, 2, 2147483647>>", r"v + n # 7"),
    (r"<<1, 2, -2147483647>>", r"v - n # 7"),
    (r"<<1, 2, 3>>", r"(v * 3000000000) * 3000000000 # 7"),
    (r"<<{1}, {2, 3}, {}>>", r"UNION {v, {n}, {7}} = v \cup {n, 7}"),
    (r"<<{{1}, {2}}, {{3}, {}}, {4}>>", r"UNION v # {}"),
    (r"<<{1, 3}, {2, 1}, {5}>>", r"Max(v) - Min(v) = <<2, 1, 0>>[n]"),
    (r"<<1, 2, 3>>", r"(v :> n + 5)[v] = n + 5"),
    (r"<<1, 2, 3>>", r"((1 :> v) @@ (1 :> 7 @@ 2 :> n))[1] = v"),
    (
        r"<<[x \in {1, 3} |-> x], [x \in {1, 3} |-> 2], [x \in {1, 3} |-> 7]>>",
        r"v[IF n = 3 THEN 2 ELSE 1] > 0",
    ),
    (
        r"<<[x \in {0, 1} |-> x], [x \in {0, 1} |-> 2], <<5, 6>>>>",
        r"v[1] = <<1, 2, 5>>[n]",
    ),
    // What depends on the state besides its arguments, and what the evaluator computes.
    (r"<<1, 2, 3>>", r"Down(v - v + 2) = n"),
    (
        r"<<1, 2, 3>>",
        r"LET h[x \in 0..2] == IF x = 0 THEN n ELSE h[x - 1] IN h[2] = n /\ h[v - 1] = n",
    ),
    // Elements of sets that cannot be compared.
    (r#"<<{1}, {2}, {"a"}>>"#, r"v \cup {n} # {}"),
    (r#"<<{1}, {2}, {"a", "b"}>>"#, r"v \cup {n, n + 1} # {}"),
    (
        r#"<<1, 2, "a">>"#,
        r"{IF x = 1 THEN n ELSE v : x \in {1, 2}} # {}",
    ),
    (
        r#"<<<<1>>, <<2>>, <<"a">>>>"#,
        r"{IF x = 1 THEN <<n>> ELSE v : x \in {1, 2}} # {}",
    ),
    (
        r#"<<{}, {}, {[t |-> "a", w |-> 1], [t |-> "b", w |-> "x"]}>>"#,
        r#"v # {[t |-> "a", w |-> "x"], [t |-> "b", w |-> n]}"#,
    ),
    (r#"<<{<<1>>}, {<<2>>}, {<<"a">>, <<"b">>}>>"#, r"<<n>> \in v"),
    // Sets that are tested without being listed.
    (r"<<<<1, 2>>, <<2, 1>>, mv>>", r"v \in [1..2 -> Nat] <=> n < 3"),
    (r"<<[a |-> 1], [a |-> 2], mv>>", r"v \in [a : Nat] <=> n < 3"),
    (r"<<<<1>>, <<2>>, [a |-> 1]>>", r"v \in Seq(Nat)"),
    (r"<<<<1>>, <<2>>, mv>>", r"v \in Seq(Nat) <=> n < 3"),
    (r"<<1, -1, 0>>", r"v \in Nat <=> v # -1"),
    (r#"<<1, 2, "a">>"#, r"v \in Nat"),
    (r#"<<1, 2, "a">>"#, r"v \in Int"),
    (r"<<<<1>>, <<1, -1>>, <<>>>>", r"v \in Seq(Nat) <=> n # 2"),
    (r#"<<<<1>>, <<1, "a">>, <<>>>>"#, r"v \in Seq(Nat)"),
    (
        r"<<[a |-> 1], [a |-> -1], [b |-> 1]>>",
        r"v \in [a : Nat] <=> n = 1",
    ),
    (r#"<<"a", "b", 1>>"#, r"v \in STRING"),
    // Numbers below zero.
    (r"<<7, -7, -8>>", r"v \div 2 = IF n = 1 THEN 3 ELSE -4"),
    (r"<<7, -7, -8>>", r"v % 2 = IF n = 3 THEN 0 ELSE 1"),
    // Functions of functions at an index that is computed.
    (r"<<1, 2, 1>>", r"g[(n % 2) + 1][v] = 10 * ((n % 2) + 1) + v"),
    (r"<<1, 2, 1>>", r"g[v][1] = <<11, 21, 12>>[n]"),
    (r"<<1, 2, 3>>", r"g[v][1] >= 0"),
    (r"<<1, 2, 3>>", r"g[1][v] >= 0"),
    (
        r"<<1, 2, 1>>",
        r"[g EXCEPT ![v][(n % 2) + 1] = 7][v][(n % 2) + 1] = 7",
    ),
    // The order of what is selected and collected.
    (
        r"<<<<1, 2, 3>>, <<3, 1, 2>>, <<2, 2, 1>>>>",
        r"SelectSeq(v, LAMBDA x : x > 1) = <<<<2, 3>>, <<3, 2>>, <<2, 2>>>>[n]",
    ),
    (
        r"<<{1, 2}, {3}, {}>>",
        r"[x \in v |-> x + n] = CASE n = 1 -> <<2, 3>> [] n = 2 -> [x \in {3} |-> 5] [] OTHER -> <<>>",
    ),
    (r#"<<1, 2, "a">>"#, r"Reached(n - 1, 1) /\ v + 1 > 0"),
    (
        r#"<<1, 2, "a">>"#,
        r"n > 1 => Reached(n - 1, n) /\ (v > 7 \/ v < 3)",
    ),
    // Arguments that have no value, where they are used and where they are not, and the collections and searches that these leave behind.
    (r"<<1, 2, 3>>", r"Late(1, 1)"),
    (r"<<1, 2, 3>>", r"Reached(n - 1, 0) \/ n > 1"),
    (r"<<1, 2, 3>>", r"\A i \in 1..v : Reached(i, i)"),
    (r"<<1, 2, 3>>", r"\A i \in 1..v : Given(q[i], i > 2)"),
    (r"<<1, 2, 3>>", r"\A i \in 1..v : Given(q[i], i > Len(q))"),
    (r"<<1, 2, 3>>", r"LET x == q[v] IN v > Len(q) \/ x > 0"),
    (r"<<1, 2, 3>>", r"LET x == q[v] IN v < 9 /\ x > 0"),
    (
        r"<<1, 2, 3>>",
        r"Cardinality({Ignored(i, {0}) : i \in 1..v}) <= 2",
    ),
    (
        r"<<1, 2, 3>>",
        r"{Ignored(i, {i}) + n : i \in 1..v} \cup {n} = {n, n + 1}",
    ),
];

/// Formulas about a step.
const STEPS: &[&str] = &[
    r"Skipped(v, FALSE) = n /\ n' = n + 1",
    r"Skipped(v, n > 9) = n /\ ENABLED (n' = n) /\ v' = v + 1",
    r"v' > 0 /\ Late(1, 1)",
    r"n' \in DOMAIN q' /\ q'[n'] = n'",
    r"v' \in 1..n' /\ q[v'] > 0",
];

#[test]
fn what_has_no_value_has_none_in_compiled_code() {
    let mut errors = 0;
    let steps = STEPS.iter().map(|step| ("<<1, 2, 3>>", "TRUE", *step));
    let formulas = FORMULAS
        .iter()
        .map(|(values, formula)| (*values, *formula, "TRUE"));
    for (values, formula, step) in formulas.chain(steps) {
        // The first states are those from which the layout is learned.
        let text = format!(
            r"---- MODULE Kinds ----
EXTENDS Integers, Sequences, FiniteSets, FiniteSetsExt, TLC
CONSTANT mv
VARIABLES k, n, v, q, g
Values == {values}
{DEFINITIONS}
Init == k = 0 /\ n = 1 /\ v = Values[1] /\ q = <<1>> /\ g = [i \in 1..2 |-> [j \in 1..2 |-> 10 * i + j]]
Wait == k < 4 /\ k' = k + 1 /\ UNCHANGED <<n, v, q, g>>
Move == /\ k = 4 /\ n < 3 /\ n' = n + 1 /\ v' = Values[n'] /\ UNCHANGED k
        /\ q' = IF n = 1 THEN Append(q, n') ELSE q
        /\ g' = [g EXCEPT ![(n % 2) + 1][(n % 2) + 1] = @ + IF n = 2 THEN 1 ELSE 0]
Next == Wait \/ Move
Formula == {formula}
Moves == [][{step}]_n
====
"
        );
        let config = "CONSTANT mv = mv\nINIT Init\nNEXT Next\nINVARIANT Formula\nPROPERTY Moves\nCHECK_DEADLOCK FALSE\n";
        let model = model_of(&text, config);
        let answer = |evaluators, layouts, is_32_bit| {
            let options = CheckOptions {
                evaluators,
                layouts,
                is_32_bit,
                ..CheckOptions::default()
            };
            let progress = SearchProgress::default();
            let report = check(&model, "kinds", &options, &progress, &|_| {}, None);
            report.map_or_else(|error| error.to_string(), |report| format!("{:?}", report.answer))
        };
        for is_32_bit in [false, true] {
            let expected = answer(Evaluators::Interpreter, Layouts::Learned, is_32_bit);
            for layouts in [Layouts::Learned, Layouts::Cells, Layouts::Disturbed] {
                let found = answer(Evaluators::Both, layouts, is_32_bit);
                assert_eq!(found, expected, "{formula}, {step}, {layouts:?}");
            }
            errors += usize::from(expected != "Valid");
        }
    }
    assert!(errors > 60, "{errors} formulas have no value in some state");
}
