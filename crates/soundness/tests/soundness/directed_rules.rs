//! One small specification for each rule of the analysis that random ones seldom need.

use fastrand::Rng;

use crate::contract::broken_promise;
use crate::product::{Answer, Product, Steps, WAYS};

/// An operation of a trace: name, arguments, start and end; `PENDING` if it did not return.
type Call = (&'static str, &'static str, u32, u32);

const PENDING: u32 = 99;

/// Every way to ask gives the verdict, and all that the model promises about the operations holds.
fn assert_rule(body: &str, calls: &[Call], is_valid: bool) {
    let text = format!("---- MODULE Rule ----\nEXTENDS Integers, FiniteSets, Sequences\n{body}\n====");
    let lines = (0..).zip(calls).map(|(thread, (op, args, start, end))| {
        format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{end}}}\n"
        )
    });
    let trace = lines
        .collect::<String>()
        .replace(&format!("\"end\":{PENDING}"), "\"end\":null");
    let expected = match is_valid {
        true => Answer::Valid,
        false => Answer::Violation,
    };
    for steps in [Steps::Usual, Steps::Evaluated, Steps::Audited] {
        let product = Product::new("Rule", &text, "", steps).unwrap_or_else(|error| panic!("{error}"));
        for way in WAYS {
            let answers = product.answers(&[(&trace, way.options())]);
            assert_eq!(answers, [expected.clone()], "{way:?}, {steps:?}");
        }
        let broken = product.run(|model| broken_promise(&mut Rng::with_seed(1), model, &trace));
        assert_eq!(broken, Ok(None), "{steps:?}");
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
