//! One small specification for each rule of the analysis that random ones seldom need.

use fastrand::Rng;

use crate::contract::broken_promise;
use crate::product::{Answer, Product, Steps, WAYS, Way};

/// An operation of a trace: name, arguments, start and end; `PENDING` if it did not return.
pub type Call = (&'static str, &'static str, u32, u32);

const PENDING: u32 = 99;

/// A specification with this body.
fn module(body: &str) -> String {
    format!("---- MODULE Rule ----\nEXTENDS Integers, FiniteSets, Sequences, TLC\n{body}\n====")
}

/// The calls as NDJSON, each by a thread of its own.
fn trace(calls: &[Call]) -> String {
    let lines = (0..).zip(calls).map(|(thread, (op, args, start, end))| {
        let end = match *end {
            PENDING => "null".to_owned(),
            end => end.to_string(),
        };
        format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{end}}}\n"
        )
    });
    lines.collect()
}

/// Every way to ask gives the verdict, and all that the model promises about the operations holds.
pub fn assert_rule(body: &str, calls: &[Call], is_valid: bool) {
    assert_linked_rule("", body, calls, is_valid);
}

/// The same, with a link file.
fn assert_linked_rule(link: &str, body: &str, calls: &[Call], is_valid: bool) {
    let trace = trace(calls);
    let expected = if is_valid {
        Answer::Valid
    } else {
        Answer::Violation
    };
    for steps in [Steps::Usual, Steps::Evaluated, Steps::Audited] {
        let product =
            Product::new("Rule", &module(body), link, steps).unwrap_or_else(|error| panic!("{error}"));
        for way in WAYS {
            let answers = product.answers(&[(&trace, way.options())]);
            assert_eq!(answers, std::slice::from_ref(&expected), "{way:?}, {steps:?}");
        }
        let broken = product.run(|model| broken_promise(&mut Rng::with_seed(1), model, &trace));
        assert_eq!(broken, Ok(None), "{steps:?}");
    }
}

/// Every way to compute steps is an error, as it is for TLC.
fn assert_error(body: &str, calls: &[Call]) {
    let trace = trace(calls);
    for steps in [Steps::Usual, Steps::Evaluated, Steps::Audited] {
        let product =
            Product::new("Rule", &module(body), "", steps).unwrap_or_else(|error| panic!("{error}"));
        let answers = product.answers(&[(&trace, Way::Usual.options())]);
        assert!(
            matches!(answers.as_slice(), [Answer::Other(_)]),
            "{answers:?}, {steps:?}"
        );
    }
}

/// A number for each key, and the set of the keys with a number.
const NUMBERS: &str = r"VARIABLES f, s
Init == f = [k \in 1..3 |-> 0] /\ s = {}
Put(k, v) == f' = [f EXCEPT ![k] = v] /\ s' = s \cup {k}
Drop(k) == f' = [f EXCEPT ![k] = 0] /\ s' = s \ {k}
";

#[test]
fn a_condition_on_two_cells_becomes_true_by_two_writes() {
    let body = r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Put(k, v) == f' = [f EXCEPT ![k] = v]
Read == ~(f[1] = 0 \/ f[2] = 0) /\ UNCHANGED f";
    let calls = [
        ("Put", r#""k":1,"v":1"#, 0, 9),
        ("Put", r#""k":2,"v":1"#, 0, 9),
        ("Read", "", 0, 5),
    ];
    assert_rule(body, &calls, true);
}

#[test]
fn what_follows_in_reachable_states_does_not_follow_after_one_of_two_writes() {
    let body = format!(r"{NUMBERS}Read(k) == (IF f[k] = 2 THEN k \in s ELSE f[k] = 1) /\ UNCHANGED <<f, s>>");
    let calls = [("Put", r#""k":1,"v":2"#, 0, 9), ("Read", r#""k":1"#, 0, 5)];
    assert_rule(&body, &calls, true);
}

#[test]
fn two_keys_that_are_written_are_two() {
    let body = format!(
        r"{NUMBERS}Both(k, l) == f' = [f EXCEPT ![k] = 1, ![l] = 1] /\ s' = s \cup {{k}}
Take(k, v) == f[k] = v /\ (IF k \in s THEN f' = [f EXCEPT ![k] = 0] /\ s' = s \ {{k}} ELSE UNCHANGED <<f, s>>)
Read(k, v) == f[k] = v /\ UNCHANGED <<f, s>>"
    );
    let calls = [
        ("Both", r#""k":1,"l":2"#, 0, 1),
        ("Take", r#""k":2,"v":1"#, 2, 3),
        ("Read", r#""k":2,"v":1"#, 4, 5),
    ];
    assert_rule(&body, &calls, true);
}

#[test]
fn an_element_with_a_condition_is_more_than_an_element() {
    let body = format!(r"{NUMBERS}Has(k, v) == (\E x \in s : x = k /\ f[x] = v) /\ UNCHANGED <<f, s>>");
    let calls = [("Put", r#""k":1,"v":2"#, 0, 1), ("Has", r#""k":1,"v":1"#, 2, 3)];
    assert_rule(&body, &calls, false);
}

#[test]
fn elements_that_are_in_a_set_in_every_state_count() {
    let body = format!(
        r"{NUMBERS}Count(n) == n = Cardinality({{k \in 1..3 : k = 1 \/ f[k] = 2}}) /\ UNCHANGED <<f, s>>"
    );
    let calls = [("Put", r#""k":2,"v":2"#, 0, 1), ("Count", r#""n":2"#, 2, 3)];
    assert_rule(&body, &calls, true);
}

#[test]
fn an_element_that_is_not_known_may_be_removed() {
    let body = r"VARIABLE x
Init == x = [k \in 1..2 |-> {}]
Add(k, v) == x' = [x EXCEPT ![k] = @ \cup {v}]
Drop(k, res) == x' = [x EXCEPT ![k] = {e \in @ : e # res}]
Same == Cardinality(x[1]) = Cardinality(x[2]) /\ UNCHANGED x
Next == Same \/ \E k \in 1..2 : \E res \in 1..2 : Add(k, res) \/ Drop(k, res)";
    let calls = [
        ("Add", r#""k":1,"v":1"#, 0, 1),
        ("Drop", r#""k":1"#, 2, PENDING),
        ("Same", "", 3, 4),
    ];
    assert_rule(body, &calls, true);
}

#[test]
fn a_case_without_an_arm_that_holds_has_no_step() {
    let body = r"VARIABLE x
Init == x = 0
Add(v) == x' = v
Other(v) == CASE FALSE -> x' = v";
    assert_rule(body, &[("Add", r#""v":1"#, 0, 1)], true);
}

#[test]
fn what_replaces_a_value_leaves_nothing_where_there_is_none() {
    let body = r"VARIABLE p
Init == p = [k \in {} |-> 0]
Put(k, v) == p' = (k :> v) @@ p
Drop(k) == p' = [i \in DOMAIN p \ {k} |-> p[i]]
Set(k, v) == p' = [i \in DOMAIN p |-> IF i = k THEN v ELSE p[i]]
Read(k, v) == k \in DOMAIN p /\ p[k] = v /\ UNCHANGED p";
    let calls = [
        ("Put", r#""k":1,"v":1"#, 0, PENDING),
        ("Set", r#""k":1,"v":2"#, 1, 2),
        ("Read", r#""k":1,"v":2"#, 3, 4),
        ("Drop", r#""k":1"#, 5, 6),
    ];
    assert_rule(body, &calls, true);
}

#[test]
fn a_function_as_a_whole_is_all_of_its_parts() {
    let body = r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Put(k, v) == f' = [f EXCEPT ![k] = v]
Clear == f' = [k \in 1..2 |-> 0]
Read(k, v) == f[k] = v /\ UNCHANGED f";
    let calls = [
        ("Put", r#""k":1,"v":1"#, 0, 1),
        ("Clear", "", 0, 1),
        ("Read", r#""k":1,"v":1"#, 2, 3),
    ];
    assert_rule(body, &calls, true);
}

#[test]
fn what_an_invariant_reads_may_enable() {
    let body = r"VARIABLES q, size
Init == q = <<>> /\ size = 0
Push(v) == q' = Append(q, v) /\ UNCHANGED size
Raise(n) == size' = n /\ UNCHANGED q";
    let calls = [("Raise", r#""n":1"#, 0, 9), ("Push", r#""v":1"#, 1, 2)];
    assert_linked_rule("invariants = ['Len(q) <= size']", body, &calls, true);
}

#[test]
fn what_a_hidden_step_reads_may_enable() {
    let body = r"VARIABLES x, y
Init == x = 0 /\ y = 0
Copy == y = 1 /\ x' = 1 /\ UNCHANGED y
Raise == y' = 1 /\ UNCHANGED x
Read(v) == x = v /\ UNCHANGED <<x, y>>";
    let calls = [("Raise", "", 0, 9), ("Read", r#""v":1"#, 1, 2)];
    assert_linked_rule("[[hidden]]\naction = 'Copy'\nbound = 1", body, &calls, true);
}

#[test]
fn what_a_first_change_waits_for_may_come_before_it() {
    let body = r"VARIABLES f, h
Init == f = [k \in 1..2 |-> 0] /\ h = 0
Open == h' = 1 /\ UNCHANGED f
Put(k) == h = 1 /\ f' = [f EXCEPT ![k] = 1] /\ UNCHANGED h
Read == ~(f[1] = 0 \/ f[2] = 0) /\ UNCHANGED <<f, h>>";
    let calls = [
        ("Open", "", 0, 9),
        ("Put", r#""k":1"#, 0, 9),
        ("Put", r#""k":2"#, 0, 9),
        ("Read", "", 0, 5),
    ];
    assert_rule(body, &calls, true);
}

#[test]
fn an_argument_outside_of_a_domain_is_an_error() {
    let body = r"VARIABLE p
Init == p = [k \in {} |-> 0]
Put(k, v) == p' = (k :> v) @@ p
Read(k, v) == p[k] = v /\ UNCHANGED p";
    assert_error(
        body,
        &[("Put", r#""k":1,"v":1"#, 0, 9), ("Read", r#""k":1,"v":1"#, 0, 5)],
    );
}

#[test]
fn a_condition_comes_too_late_for_an_argument_outside_of_a_domain() {
    let body = r"VARIABLES p, x
Init == p = [k \in {} |-> 0] /\ x = 0
Put(k, v) == p' = (k :> v) @@ p /\ UNCHANGED x
Copy(k) == x' = p[k] /\ k \in DOMAIN p /\ p[k] = 1 /\ UNCHANGED p
Read(v) == x = v /\ UNCHANGED <<p, x>>";
    assert_error(body, &[("Copy", r#""k":2"#, 0, 1)]);
}

#[test]
fn a_variable_without_a_next_value_is_an_error() {
    let body = r"VARIABLES x, y
Init == x = 0 /\ y = 0
Put(v) == x' = v";
    assert_error(body, &[("Put", r#""v":1"#, 0, 1)]);
}

#[test]
fn what_is_assigned_twice_is_compared() {
    let body = r"VARIABLE x
Init == x = 0
Twice(v) == x' = 1 /\ x' = v";
    assert_rule(body, &[("Twice", r#""v":2"#, 0, 1)], false);
    assert_rule(body, &[("Twice", r#""v":1"#, 0, 1)], true);
}

#[test]
fn a_choice_of_values_depends_on_its_condition() {
    let body = format!(
        r"{NUMBERS}Choose(k) == f' = (IF f[1] = 0 THEN [f EXCEPT ![k] = 1] ELSE [f EXCEPT ![k] = 2]) /\ UNCHANGED s
Read(k, v) == f[k] = v /\ UNCHANGED <<f, s>>"
    );
    let calls = [("Choose", r#""k":2"#, 0, 1), ("Read", r#""k":2,"v":1"#, 2, 3)];
    assert_rule(&body, &calls, true);
}

#[test]
fn a_name_that_is_some_expression_is_in_its_set() {
    let body = format!(r"{NUMBERS}Pick(v) == \E x \in s : x = v /\ f' = [f EXCEPT ![1] = 1] /\ UNCHANGED s");
    assert_rule(&body, &[("Pick", r#""v":2"#, 0, 1)], false);
}

#[test]
fn what_is_changed_at_an_argument_of_the_state_may_be_changed_everywhere() {
    let body = r"VARIABLES f, x
Init == f = [k \in 1..2 |-> 0] /\ x = 2
Put(k, v) == f' = [f EXCEPT ![k] = v] /\ UNCHANGED x
Read(k, v) == [f EXCEPT ![x] = 1][k] = v /\ UNCHANGED <<f, x>>";
    let calls = [("Read", r#""k":2,"v":1"#, 0, 1), ("Put", r#""k":1,"v":2"#, 2, 3)];
    assert_rule(body, &calls, true);
}

#[test]
fn two_arguments_may_be_equal() {
    let body = r"VARIABLE m
Init == m = [k \in 1..2 |-> [a |-> 0, b |-> 0]]
Put(k) == m' = [m EXCEPT ![k] = [a |-> 1, b |-> 1]]
Mark(k, l) == (LET g == [m EXCEPT ![k].a = 1] IN g[l].a = 1) /\ m' = [m EXCEPT ![l].b = 1]
Take(k, v) == m[k].b = 1 /\ (IF m[k].a = 1 THEN v = 1 ELSE v = 0) /\ UNCHANGED m";
    let calls = [("Mark", r#""k":1,"l":1"#, 0, 1), ("Take", r#""k":1,"v":0"#, 2, 3)];
    assert_rule(body, &calls, true);
}

#[test]
fn an_argument_may_be_in_the_domain() {
    let body = format!(
        r"{NUMBERS}Part(k) == IF k \in DOMAIN f THEN f' = [f EXCEPT ![k] = 1] /\ UNCHANGED s ELSE UNCHANGED <<f, s>>
Take(k, v) == f[k] = 1 /\ (IF k \in s THEN v = 1 ELSE v = 0) /\ UNCHANGED <<f, s>>"
    );
    let calls = [("Part", r#""k":1"#, 0, 1), ("Take", r#""k":1,"v":0"#, 2, 3)];
    assert_rule(&body, &calls, true);
}

#[test]
fn what_is_there_is_not_overridden() {
    let body = format!(
        r"{NUMBERS}Keep(v) == f' = f @@ (1 :> v) /\ UNCHANGED s
Read(k, v) == f[k] = v /\ UNCHANGED <<f, s>>"
    );
    let calls = [("Keep", r#""v":1"#, 0, 1), ("Read", r#""k":1,"v":0"#, 2, 3)];
    assert_rule(&body, &calls, true);
}

#[test]
fn what_a_condition_says_is_there_is_not_overridden() {
    let body = r"VARIABLE p
Init == p = [k \in {} |-> 0]
Put(k, v) == p' = (k :> v) @@ p
Keep(k, v) == k \in DOMAIN p /\ p' = p @@ (k :> v)
Read(k, v) == k \in DOMAIN p /\ p[k] = v /\ UNCHANGED p";
    let calls = [
        ("Put", r#""k":2,"v":1"#, 0, 1),
        ("Keep", r#""k":2,"v":2"#, 2, 3),
        ("Read", r#""k":2,"v":1"#, 4, 5),
    ];
    assert_rule(body, &calls, true);
}

/// An operation that depends on a set or a number that nothing else of it reads.
fn assert_dependence(action: &str) {
    let body = format!(
        r"VARIABLES f, s, n
Init == f = [k \in 1..2 |-> 0] /\ s = {{}} /\ n = 1
Add(k) == s' = s \cup {{k}} /\ n' = k /\ UNCHANGED f
Read(k, v) == f[k] = v /\ UNCHANGED <<f, s, n>>
{action} /\ UNCHANGED <<s, n>>"
    );
    let calls = [
        ("Add", r#""k":2"#, 0, 9),
        ("Do", "", 0, 5),
        ("Read", r#""k":2,"v":1"#, 6, 7),
    ];
    assert_rule(&body, &calls, true);
}

#[test]
fn a_quantifier_depends_on_its_set() {
    assert_dependence(r"Do == \E e \in s : f' = [f EXCEPT ![2] = 1]");
}

#[test]
fn a_name_that_is_some_expression_depends_on_its_set_and_on_the_expression() {
    assert_dependence(r"Do == \E e \in s : e = 2 /\ f' = [f EXCEPT ![2] = 1]");
    assert_dependence(r"Do == \E e \in {2} \cup (3..4) : e = n /\ f' = [f EXCEPT ![2] = 1]");
}

#[test]
fn a_value_depends_on_what_it_is_computed_from() {
    assert_dependence(r"Do == f' = [f EXCEPT ![2] = n - 1]");
    assert_dependence(r"Do == f' = (IF n = 2 THEN [f EXCEPT ![2] = 1] ELSE [f EXCEPT ![2] = 2])");
}

#[test]
fn what_is_changed_depends_on_the_argument() {
    assert_dependence(r"Do == f' = [f EXCEPT ![n] = 1]");
}
