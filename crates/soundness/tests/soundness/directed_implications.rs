//! What cells seem to say about others, and do not: two arguments may be equal, and an argument may be any constant.
//!
//! In each specification an action breaks what holds after all others: that a key of `f` with a number is in `s`. `Take` tells whether it is.

use crate::directed_rules::{Call, assert_rule};

/// Numbers and a set of keys, and what tells whether a key with a number is in the set.
const KEPT: &str = r"VARIABLES f, s
Init == f = [k \in 1..2 |-> 0] /\ s = {}
Put(k) == f' = [f EXCEPT ![k] = 1] /\ s' = s \cup {k}
Take(k, v) == f[k] = 1 /\ (IF k \in s THEN v = 1 ELSE v = 0) /\ UNCHANGED <<f, s>>
";

const PUT: Call = ("Put", r#""k":1"#, 0, 1);
const TAKE: Call = ("Take", r#""k":1,"v":0"#, 2, 5);

#[test]
fn an_argument_may_be_any_argument_of_a_known_function() {
    let body = format!(r"{KEPT}Lose(k) == f = [i \in 1..2 |-> 1] /\ s' = s \ {{k}} /\ UNCHANGED f");
    let calls = [PUT, ("Put", r#""k":2"#, 0, 1), ("Lose", r#""k":1"#, 2, 9), TAKE];
    assert_rule(&body, &calls, true);
}

#[test]
fn what_is_read_after_a_change_may_be_what_was_changed() {
    let body =
        format!(r"{KEPT}Mark(k, l) == [f EXCEPT ![k] = 1][l] = 1 /\ f' = [f EXCEPT ![l] = 1] /\ UNCHANGED s");
    assert_rule(&body, &[("Mark", r#""k":1,"l":1"#, 2, 9), TAKE], true);
}

#[test]
fn what_is_put_where_it_is_already_may_have_been_removed_before() {
    let body =
        format!(r"{KEPT}Move(k, l) == f[k] = 1 /\ f' = [f EXCEPT ![l] = 0, ![k] = 1] /\ s' = s \ {{l}}");
    let calls = [PUT, ("Move", r#""k":1,"l":1"#, 2, 9), TAKE];
    assert_rule(&body, &calls, true);
}

#[test]
fn an_element_that_is_added_again_may_have_been_removed_before() {
    let body = r"VARIABLES f, s
Init == f = {} /\ s = {}
Put(k) == f' = f \cup {k} /\ s' = s \cup {k}
Take(k, v) == k \in f /\ (IF k \in s THEN v = 1 ELSE v = 0) /\ UNCHANGED <<f, s>>
Move(k, l) == k \in f /\ f' = (f \ {l}) \cup {k} /\ s' = s \ {l}";
    let calls = [PUT, ("Move", r#""k":1,"l":1"#, 2, 9), TAKE];
    assert_rule(body, &calls, true);
}

#[test]
fn an_argument_may_be_a_constant_on_the_way_to_a_cell() {
    let body = r"VARIABLES f, s
Init == f = [j \in 1..2 |-> [k \in 1..2 |-> 0]] /\ s = {}
Put(k) == f' = [f EXCEPT ![1][k] = 1] /\ s' = s \cup {k}
Take(k, v) == f[1][k] = 1 /\ (IF k \in s THEN v = 1 ELSE v = 0) /\ UNCHANGED <<f, s>>
Set(j, k) == f' = [f EXCEPT ![j][k] = 1] /\ UNCHANGED s";
    let calls = [("Set", r#""j":1,"k":1"#, 2, 9), TAKE];
    assert_rule(body, &calls, true);
}

#[test]
fn an_argument_may_be_the_name_of_a_field() {
    let body = r#"VARIABLE m
Init == m = [k \in 1..2 |-> [a |-> 0, b |-> 0]]
Put(k) == m' = [m EXCEPT ![k] = [a |-> 1, b |-> 1]]
Set(k, n) == m[k].a = 0 /\ m' = [m EXCEPT ![k][n] = 1]
Take(k, v) == m[k].a = 1 /\ (IF m[k].b = 1 THEN v = 1 ELSE v = 0) /\ UNCHANGED m"#;
    let calls = [("Set", r#""k":1,"n":"a""#, 2, 9), TAKE];
    assert_rule(body, &calls, true);
}

#[test]
fn what_is_there_may_stay_as_it_is() {
    let body = r"VARIABLES p, s
Init == p = [k \in {2} |-> 0] /\ s = {}
Set(k, v) == v \in {3, 5} /\ (\/ v = 3 /\ p' = [p EXCEPT ![k] = 3]
                              \/ v = 5 /\ p' = [p EXCEPT ![k] = 5]) /\ s' = s \ {k}
Fill == p' = p @@ (1 :> 5) /\ s' = s \cup {1}
Take(k, v) == k \in s /\ (IF p[k] = 5 THEN v = 1 ELSE v = 0) /\ UNCHANGED <<p, s>>";
    let calls = [
        ("Fill", "", 0, 1),
        ("Set", r#""k":1,"v":3"#, 2, 3),
        ("Fill", "", 4, 9),
        ("Take", r#""k":1,"v":0"#, 4, 5),
    ];
    assert_rule(body, &calls, true);
}

#[test]
fn what_may_be_chosen_need_not_be() {
    let body = r"VARIABLES f, s
Init == f = {} /\ s = {}
Put(k) == f' = f \cup {k} /\ s' = s \cup {k}
Take(k, v) == k \in f /\ (IF k \in s THEN v = 1 ELSE v = 0) /\ UNCHANGED <<f, s>>
May(k) == f' = f \cup {k} /\ s' \in {s, s \cup {k}}";
    assert_rule(body, &[("May", r#""k":1"#, 2, 9), TAKE], true);
}

#[test]
fn a_field_that_is_not_there_is_not_replaced() {
    let body = r#"VARIABLE m
Init == m = [k \in 1..2 |-> [a |-> 0]]
Put(k) == m' = [m EXCEPT ![k] = [a |-> 0, b |-> 0]]
Set(k) == m' = [m EXCEPT ![k].a = 1, ![k].b = 5]
Take(k, v) == m[k].a = 1 /\ (IF "b" \in DOMAIN m[k] THEN v = 1 ELSE v = 0) /\ UNCHANGED m"#;
    assert_rule(body, &[("Set", r#""k":1"#, 2, 9), TAKE], true);
}
