//! Specs that come close to what a reduction needs, on random histories: the verdict is that of trying every order with actions that are
//! evaluated one by one.

use crate::styles::{Numbers, assert_same, history, verdicts};

/// Specs in which a side condition of some reduction does not hold.
const ATTACKS: [(&str, &str, &str); 31] = [
    (
        "ShrinkingDomain",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (k \in DOMAIN f) /\ UNCHANGED f
Put(k, v, r) == k \in DOMAIN f /\ f[k] = r /\ f' = [x \in DOMAIN f |-> IF x = k THEN v ELSE f[x]]
PutNew(k, v, r) == f' = [x \in 1..2 |-> IF x \in DOMAIN f THEN f[x] ELSE v]
Drop(k, r) == f' = [x \in DOMAIN f \ {k} |-> f[x]]
Count(r) == r = Cardinality(DOMAIN f) /\ UNCHANGED f",
    ),
    (
        "ReplacedDomain",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (k \in DOMAIN f) /\ UNCHANGED f
Put(k, v, r) == f' = [x \in 1..2 |-> IF x = k \/ x \notin DOMAIN f THEN v ELSE f[x]]
PutNew(k, v, r) == f' = (IF v = 0 THEN <<>> ELSE [x \in 1..2 |-> v])
Drop(k, r) == (k \in DOMAIN f => f[k] = r) /\ UNCHANGED f
Count(r) == r = Cardinality(DOMAIN f) /\ UNCHANGED f",
    ),
    (
        "TwoSelectors",
        "",
        r"VARIABLE m
Init == m = {}
Has(k, r) == r = (\E p \in m : p[1] = k) /\ UNCHANGED m
Put(k, v, r) == m' = {p \in m : p[1] # k} \cup {<<k, v>>}
PutNew(k, v, r) == r = Cardinality({p \in m : p[2] = v}) /\ m' = m \cup {<<k, v>>}
Drop(k, r) == m' = {p \in m : p[2] # r}
Count(r) == r = Cardinality(m) /\ UNCHANGED m",
    ),
    (
        "AssignedTwice",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f' = [f EXCEPT ![k] = v] /\ f' = [f EXCEPT ![3 - k] = r]
PutNew(k, v, r) == f' = [f EXCEPT ![k] = v] /\ f'[3 - k] = r
Drop(k, r) == (f' = [f EXCEPT ![k] = 0] \/ UNCHANGED f) /\ f' = [f EXCEPT ![k] = r]
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED f",
    ),
    (
        "TyingInvariant",
        "invariants = ['f[1] + f[2] <= 2', 'f[1] # 2 \\/ f[2] = 0']",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f' = [f EXCEPT ![k] = v]
PutNew(k, v, r) == f[k] = r /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0]
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED f",
    ),
    (
        "CorrelatedInits",
        "",
        r"VARIABLE f
Init == \E v \in 0..2 : f = [k \in 1..2 |-> v]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ UNCHANGED f
PutNew(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0]
Count(r) == f[1] + f[2] = r /\ UNCHANGED f",
    ),
    (
        "Weighted",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 1]
Has(k, r) == r = (f[1] * f[2] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
PutNew(k, v, r) == f[1] - f[2] > r - v /\ f' = [f EXCEPT ![k] = v]
Drop(k, r) == f[1] - f[2] <= r /\ f' = [f EXCEPT ![k] = @ - 1]
Count(r) == f[1] + f[2] = r /\ UNCHANGED f",
    ),
    (
        "Copies",
        "",
        r"VARIABLES f, g
Init == f = [k \in 1..2 |-> 0] /\ g = {}
Has(k, r) == r = (f[k] \in g) /\ UNCHANGED <<f, g>>
Put(k, v, r) == f' = [f EXCEPT ![k] = f[3 - k] + v] /\ f'[k] <= 2 /\ UNCHANGED g
PutNew(k, v, r) == g' = g \cup {f[k]} /\ f' = [f EXCEPT ![k] = v]
Drop(k, r) == r \notin g /\ g' = {x \in g : x # k - 1} /\ UNCHANGED f
Count(r) == r = Cardinality(g) /\ UNCHANGED <<f, g>>",
    ),
    (
        "Swapped",
        "",
        r"VARIABLE s
Init == s = [a |-> [k \in 1..2 |-> 0], b |-> [k \in 1..2 |-> 1]]
Has(k, r) == r = (s.a[k] # 0) /\ UNCHANGED s
Put(k, v, r) == s.a[k] = r /\ s' = [s EXCEPT !.a[k] = v, !.b[k] = s.a[k]]
PutNew(k, v, r) == s.b[k] = r /\ s' = [a |-> s.b, b |-> s.a]
Drop(k, r) == s.a[k] = r /\ s' = [s EXCEPT !.b = s.a]
Count(r) == r = s.a[1] + s.b[2] /\ UNCHANGED s",
    ),
    (
        "FlagsDisagree",
        "",
        r"VARIABLES on, f
Init == on = {} /\ f = [k \in 1..2 |-> 0]
Has(k, r) == r = (k \in on) /\ UNCHANGED <<on, f>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ on' = on \cup {k}
PutNew(k, v, r) == f[k] = r /\ IF k \notin on THEN f' = [f EXCEPT ![k] = v] /\ on' = on \cup {k} ELSE UNCHANGED <<on, f>>
Drop(k, r) == f[k] = r /\ on' = on \ {k} /\ UNCHANGED f
Count(r) == r = Cardinality(on) /\ UNCHANGED <<on, f>>",
    ),
    (
        "FlagOfAnotherKey",
        "",
        r"VARIABLES on, f
Init == on = {} /\ f = [k \in 1..2 |-> 0]
Has(k, r) == r = (k \in on) /\ UNCHANGED <<on, f>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ on' = on \cup {3 - k}
PutNew(k, v, r) == f[k] = r /\ IF k \notin on THEN f' = [f EXCEPT ![k] = v] /\ on' = on \cup {k} ELSE UNCHANGED <<on, f>>
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ on' = on \ {k}
Count(r) == r = Cardinality(on) /\ UNCHANGED <<on, f>>",
    ),
    (
        "FieldsDisagree",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> [on |-> FALSE, val |-> 0]]
Has(k, r) == r = f[k].on /\ UNCHANGED f
Put(k, v, r) == f[k].val = r /\ f' = [f EXCEPT ![k].val = v, ![k].on = TRUE]
PutNew(k, v, r) == f[k].val = r /\ IF ~f[k].on THEN f' = [f EXCEPT ![k] = [on |-> TRUE, val |-> v]] ELSE UNCHANGED f
Drop(k, r) == f[k].val = r /\ f' = [f EXCEPT ![k].on = FALSE]
Count(r) == r = Cardinality({k \in 1..2 : f[k].on}) /\ UNCHANGED f",
    ),
    (
        "FieldOfAnotherKey",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> [on |-> FALSE, val |-> 0]]
Has(k, r) == r = f[k].on /\ UNCHANGED f
Put(k, v, r) == f[k].val = r /\ f' = [f EXCEPT ![k].val = v, ![v].on = TRUE]
PutNew(k, v, r) == f[k].val = r /\ IF f[k].on THEN UNCHANGED f ELSE f' = [f EXCEPT ![k] = [val |-> v, on |-> TRUE]]
Drop(k, r) == f[k].val = r /\ f' = [f EXCEPT ![k] = [on |-> FALSE, val |-> 0]]
Count(r) == r = Cardinality({k \in 1..2 : f[k].on}) /\ UNCHANGED f",
    ),
    (
        "FieldsComeAndGo",
        "",
        r#"VARIABLE f
Init == f = [k \in 1..2 |-> [on |-> FALSE, val |-> 0]]
Val(k) == IF "val" \in DOMAIN f[k] THEN f[k].val ELSE 0
Has(k, r) == r = ("val" \in DOMAIN f[k]) /\ UNCHANGED f
Put(k, v, r) == Val(k) = r /\ f' = [f EXCEPT ![k].on = TRUE, ![k].val = v]
PutNew(k, v, r) == Val(k) = r /\ IF f[k].on THEN UNCHANGED f ELSE f' = [f EXCEPT ![k] = [on |-> TRUE, val |-> v]]
Drop(k, r) == Val(k) = r /\ f' = [f EXCEPT ![k] = [on |-> FALSE]]
Count(r) == r = Cardinality({k \in 1..2 : "val" \in DOMAIN f[k]}) /\ UNCHANGED f"#,
    ),
    (
        "CopiedRecord",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> [on |-> FALSE, val |-> 0]]
Has(k, r) == r = f[k].on /\ UNCHANGED f
Put(k, v, r) == f[k].val = r /\ f' = [f EXCEPT ![k] = [f[3 - k] EXCEPT !.val = v]]
PutNew(k, v, r) == f[k].val = r /\ IF f[k].on THEN UNCHANGED f ELSE f' = [f EXCEPT ![k].on = TRUE, ![k].val = v]
Drop(k, r) == f[k].val = r /\ f' = [f EXCEPT ![k] = f[r \div 2 + 1]]
Count(r) == r = Cardinality({k \in 1..2 : f[k].on}) /\ UNCHANGED f",
    ),
    (
        "FlagOfTwoArguments",
        "",
        r"VARIABLES on, f
Init == on = {} /\ f = [k \in 0..2 |-> 0]
Has(k, r) == r = (k \in on) /\ UNCHANGED <<on, f>>
Put(k, v, r) == f' = [f EXCEPT ![k] = 1] /\ on' = (on \cup {k}) \ {v}
PutNew(k, v, r) == f[k] = r /\ IF k \notin on THEN f' = [f EXCEPT ![k] = v] /\ on' = on \cup {k} ELSE UNCHANGED <<on, f>>
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ on' = on \ {k}
Count(r) == r = Cardinality(on) /\ UNCHANGED <<on, f>>",
    ),
    (
        "FlagsInitially",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> [on |-> FALSE, val |-> k - 1]]
Has(k, r) == r = f[k].on /\ UNCHANGED f
Put(k, v, r) == f[k].val = r /\ f' = [f EXCEPT ![k].val = v, ![k].on = TRUE]
PutNew(k, v, r) == f[k].val = r /\ IF ~f[k].on THEN f' = [f EXCEPT ![k] = [on |-> TRUE, val |-> v]] ELSE UNCHANGED f
Drop(k, r) == f[k].val = r /\ f' = [f EXCEPT ![k] = [on |-> FALSE, val |-> 0]]
Count(r) == r = Cardinality({k \in 1..2 : f[k].on}) /\ UNCHANGED f",
    ),
    (
        "FlagOutsideTheDomain",
        "",
        r"VARIABLES on, f
Init == on = [k \in {1} |-> 0] /\ f = [k \in 1..2 |-> 0]
On(k) == k \in DOMAIN on /\ on[k] = 1
Both(k, v) == f' = [f EXCEPT ![k] = v] /\ on' = [on EXCEPT ![k] = 1]
Has(k, r) == r = On(k) /\ UNCHANGED <<on, f>>
Put(k, v, r) == f[k] = r /\ Both(k, v)
PutNew(k, v, r) == f[k] = r /\ IF On(k) THEN UNCHANGED <<on, f>> ELSE Both(k, v)
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ on' = [on EXCEPT ![k] = 0]
Count(r) == r = on[1] /\ UNCHANGED <<on, f>>",
    ),
    (
        "FlagOfOneBranch",
        "",
        r"VARIABLES on, f
Init == on = {} /\ f = [k \in 1..2 |-> 0]
Has(k, r) == r = (k \in on) /\ UNCHANGED <<on, f>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ on' = (IF v = 2 THEN on ELSE on \cup {k})
PutNew(k, v, r) == f[k] = r /\ IF k \notin on THEN f' = [f EXCEPT ![k] = v] /\ on' = on \cup {k} ELSE UNCHANGED <<on, f>>
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ on' = on \ {k}
Count(r) == r = Cardinality(on) /\ UNCHANGED <<on, f>>",
    ),
    (
        "PrimedLog",
        "",
        r"VARIABLES f, log
Init == f = [k \in 1..2 |-> 0] /\ log = 0
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED <<f, log>>
Put(k, v, r) == f[k] = r /\ log' = v /\ f' = [f EXCEPT ![k] = log']
PutNew(k, v, r) == log' = r /\ log' = v /\ UNCHANGED f
Drop(k, r) == log' \in (IF f[k] = r THEN {k} ELSE {}) /\ f' = [f EXCEPT ![k] = 0]
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED <<f, log>>",
    ),
    (
        "LogOfALog",
        "",
        r"VARIABLES f, log, last, all
Init == f = [k \in 1..2 |-> 0] /\ log = 0 /\ last = 0 /\ all = <<>>
Has(k, r) == r = (last # 0) /\ UNCHANGED <<f, log, last>> /\ all' = Append(all, k)
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ log' = v /\ last' = log /\ all' = Append(all, v)
PutNew(k, v, r) == f[k] = r /\ log' = log + 1 /\ UNCHANGED <<f, last, all>>
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ UNCHANGED <<log, last>> /\ all' = <<>>
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED <<f, log, last, all>>",
    ),
    (
        "LengthOfALog",
        "",
        r"VARIABLES front, back
Init == front = <<>> /\ back = <<>>
Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]
All == front \o Reverse(back)
Has(k, r) == r = (All # <<>>) /\ UNCHANGED <<front, back>>
Put(k, v, r) == back' = <<v>> \o back /\ UNCHANGED front
PutNew(k, v, r) == UNCHANGED <<front, back>>
Drop(k, r) == IF All = <<>> THEN r = 0 /\ UNCHANGED <<front, back>> ELSE r = All[1] /\ front' = Tail(All) /\ back' = <<>>
Count(r) == r = Len(All) /\ UNCHANGED <<front, back>>",
    ),
    (
        "DomainOfALog",
        "",
        r"VARIABLES f, log
Init == f = [k \in 1..2 |-> 0] /\ log = [k \in {} |-> 0]
Has(k, r) == r = (k \in DOMAIN log) /\ UNCHANGED <<f, log>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ log' = (k :> v) @@ log
PutNew(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED log
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ log' = [x \in DOMAIN log \ {k} |-> 0]
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED <<f, log>>",
    ),
    (
        "LogForEach",
        "",
        r"VARIABLES f, s, log
Init == f = [k \in 1..2 |-> 0] /\ s = {} /\ log = 0
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED <<f, s, log>>
Put(k, v, r) == s' = s \cup {v} /\ UNCHANGED <<f, log>>
PutNew(k, v, r) == s # {} /\ (\A x \in s : log' = x) /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED s
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ s' = {} /\ UNCHANGED log
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED <<f, s, log>>",
    ),
    (
        "FlagOfAnElement",
        "",
        r"VARIABLES on, f, g
Init == on = {} /\ f = [k \in 1..2 |-> 0] /\ g = [k \in 1..2 |-> 0]
Has(k, r) == r = (k \in on) /\ UNCHANGED <<on, f, g>>
Put(k, v, r) == f' = [f EXCEPT ![k] = 1] /\ g' = [x \in 1..2 |-> IF k \in on THEN g[x] ELSE v] /\ UNCHANGED on
PutNew(k, v, r) == f[k] = r /\ IF k \notin on THEN f' = [f EXCEPT ![k] = v] /\ on' = on \cup {k} /\ UNCHANGED g ELSE UNCHANGED <<on, f, g>>
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ on' = on \ {k} /\ UNCHANGED g
Count(r) == r = Cardinality(on) /\ UNCHANGED <<on, f, g>>",
    ),
    (
        "ConstantFunction",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' = [i \in 1..2 |-> 1]
PutNew(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
Drop(k, r) == f[k] = r /\ f' = [x \in {y \in 1..3 : y < 3} |-> 0]
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED f",
    ),
    (
        "GuessOfAPart",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == (\E S \in SUBSET (1..2) : S = {x \in 1..3 : x > 1 /\ r} /\ f[k] = Cardinality(S)) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
PutNew(k, v, r) == \E S \in SUBSET {1, 2} : (\A x \in S : x \in S <=> f[x] # 0) /\ Cardinality(S) = r /\ f' = [f EXCEPT ![k] = v]
Drop(k, r) == \E S \in SUBSET (1..2) : (\A x \in {r} : x \in S <=> f[k] = 0) /\ f' = [f EXCEPT ![k] = Cardinality(S)]
Count(r) == \E S \in SUBSET (1..2) : (\A k \in {1} : k \in S <=> f[k] # 0) /\ Cardinality(S) = r /\ UNCHANGED f",
    ),
    (
        "FirstOfASequence",
        "",
        r"VARIABLE m
Init == m = <<>>
Idx(k) == {i \in 1..Len(m) : m[i][1] = k}
Has(k, r) == r = (m # <<>> /\ m[1][1] = k) /\ UNCHANGED m
Put(k, v, r) == m' = Append(SelectSeq(m, LAMBDA p : p[1] # k), <<k, v>>)
PutNew(k, v, r) == m' = <<<<k, v>>>> \o m
Drop(k, r) == Idx(k) # {} /\ m' = SelectSeq(m, LAMBDA p : p[1] # k)
Count(r) == r = Len(m) /\ UNCHANGED m",
    ),
    (
        "PlaceInASequence",
        "",
        r"VARIABLE m
Init == m = <<>>
Idx(k) == {i \in 1..Len(m) : m[i][1] = k}
Has(k, r) == r = (Idx(k) = {1}) /\ UNCHANGED m
Put(k, v, r) == m' = Append(SelectSeq(m, LAMBDA p : p[1] # k), <<k, v>>)
PutNew(k, v, r) == m' = Append(m, <<k, v>>)
Drop(k, r) == Idx(k) # {} /\ (CHOOSE i \in Idx(k) : TRUE) = r /\ UNCHANGED m
Count(r) == r = Len(m) /\ UNCHANGED m",
    ),
    (
        "FirstOfTwoGroups",
        "",
        r"VARIABLE m
Init == m = <<>>
First(S) == m[CHOOSE i \in {j \in 1..Len(m) : m[j][1] \in S} : TRUE]
Has(k, r) == r = (m # <<>>) /\ UNCHANGED m
Put(k, v, r) == m' = Append(SelectSeq(m, LAMBDA p : p[1] # k), <<k, v>>)
PutNew(k, v, r) == m # <<>> /\ First({1, 2})[1] = k /\ UNCHANGED m
Drop(k, r) == m' = SelectSeq(m, LAMBDA p : p[1] # k)
Count(r) == r = Len(m) /\ UNCHANGED m",
    ),
    (
        "Duplicates",
        "",
        r"VARIABLE m
Init == m = <<>>
Of(k) == SelectSeq(m, LAMBDA p : p[1] = k)
Idx(k) == {i \in 1..Len(m) : m[i][1] = k}
Has(k, r) == r = (\E i \in 1..Len(m) : m[i][1] = k) /\ UNCHANGED m
Put(k, v, r) == (IF Idx(k) = {} THEN r = 0 ELSE r = m[CHOOSE i \in Idx(k) : TRUE][2]) /\ m' = <<<<k, v>>>> \o m
PutNew(k, v, r) == Len(Of(k)) = r /\ m' = m \o <<<<k, v>>>>
Drop(k, r) == Cardinality(Idx(k)) = r /\ m' = SelectSeq(m, LAMBDA p : p[1] < k) \o m
Count(r) == r = Len(m) /\ UNCHANGED m",
    ),
];

#[test]
fn specs_that_break_a_side_condition_have_the_verdict_of_trying_every_order() {
    let mut numbers = Numbers(2);
    let histories: Vec<String> = (0..1500).map(|_| history(&mut numbers)).collect();
    for attack in ATTACKS {
        let expected = verdicts(attack, &histories, true);
        assert_same(
            attack.0,
            &verdicts(attack, &histories, false),
            &expected,
            &histories,
        );
    }
}
