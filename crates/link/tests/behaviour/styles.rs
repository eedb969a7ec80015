//! One map in many styles on random histories: the verdict is that of trying every order with actions that are evaluated one by one.

use omnilink_engine::{Consistency, Options, check, naive};
use omnilink_link::{LinkFile, LinkOptions, Linked};

use crate::world::{bound, trace};

/// The styles: name, configuration entries of the link file, and definitions after `EXTENDS` and `VARIABLES`.
const STYLES: [(&str, &str, &str); 24] = [
    (
        "Except",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
PutNew(k, v, r) == f[k] = r /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0]
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED f",
    ),
    (
        "Rebuilt",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Set(k, v) == f' = [x \in 1..2 |-> CASE x # k -> f[x] [] OTHER -> v]
Has(k, r) == (r <=> f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ Set(k, v)
PutNew(k, v, r) == f[k] = r /\ IF f[k] = 0 THEN Set(k, v) ELSE UNCHANGED f
Drop(k, r) == f[k] = r /\ Set(k, 0)
Count(r) == r >= Cardinality({k \in DOMAIN f : f[k] # 0}) /\ r <= Cardinality({k \in 1..2 : ~(f[k] = 0)}) /\ UNCHANGED f",
    ),
    (
        "Override",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == r = f[k] /\ f' = (k :> v) @@ f
PutNew(k, v, r) == f[k] = r /\ f' = (IF f[k] = 0 THEN k :> v ELSE <<>>) @@ f
Drop(k, r) == f[k] = r /\ f' = (k :> 0) @@ f
Count(r) == r = Cardinality(DOMAIN f \ {k \in 1..2 : f[k] = 0}) /\ UNCHANGED f",
    ),
    (
        "Growing",
        "",
        r"VARIABLE f
Init == f = [k \in {} |-> 0]
Get(k) == IF k \in DOMAIN f THEN f[k] ELSE 0
Set(k, v) == f' = [x \in DOMAIN f \cup {k} |-> IF x = k THEN v ELSE f[x]]
Del(k) == f' = [x \in DOMAIN f \ {k} |-> f[x]]
Has(k, r) == r = (k \in DOMAIN f) /\ UNCHANGED f
Put(k, v, r) == Get(k) = r /\ IF v = 0 THEN Del(k) ELSE Set(k, v)
PutNew(k, v, r) == Get(k) = r /\ IF k \in DOMAIN f \/ v = 0 THEN UNCHANGED f ELSE f' = f @@ (k :> v)
Drop(k, r) == Get(k) = r /\ f' = [x \in {y \in DOMAIN f : y # k} |-> f[x]]
Count(r) == r = Cardinality({k \in DOMAIN f : 1 <= k /\ k <= 2}) /\ UNCHANGED f",
    ),
    (
        "Lets",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == LET here == f[k] # 0 IN r = here /\ UNCHANGED f
Put(k, v, r) == LET old == f[k] new == [f EXCEPT ![k] = v] IN r = old /\ f' = new
PutNew(k, v, r) == LET old == f[k] new == IF old = 0 THEN [f EXCEPT ![k] = v] ELSE f IN r = old /\ f' = new
Drop(k, r) == LET old == f[k] IN r = old /\ f' = [f EXCEPT ![k] = old - old]
Count(r) == LET S == {k \in 1..2 : f[k] # 0} n == Cardinality(S) IN r = n /\ UNCHANGED f",
    ),
    (
        "Functional",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
DoPut(m, k, v) == [st |-> [m EXCEPT ![k] = v], ret |-> m[k]]
DoNew(m, k, v) == IF m[k] = 0 THEN DoPut(m, k, v) ELSE [st |-> m, ret |-> m[k]]
Apply(o, r) == r = o.ret /\ f' = o.st
Has(k, r) == Apply([st |-> f, ret |-> f[k] # 0], r)
Put(k, v, r) == Apply(DoPut(f, k, v), r)
PutNew(k, v, r) == Apply(DoNew(f, k, v), r)
Drop(k, r) == Apply(DoPut(f, k, 0), r)
Count(r) == Apply([st |-> f, ret |-> Cardinality({k \in 1..2 : f[k] # 0})], r)",
    ),
    (
        "RecordCells",
        "",
        r"VARIABLE f
Gone == [on |-> FALSE, val |-> 0]
Init == f = [k \in 1..2 |-> Gone]
Has(k, r) == r = f[k].on /\ UNCHANGED f
Put(k, v, r) == f[k].val = r /\ f' = [f EXCEPT ![k].val = v, ![k].on = v # 0]
PutNew(k, v, r) == f[k].val = r /\ IF ~f[k].on THEN f' = [f EXCEPT ![k] = [on |-> v # 0, val |-> v]] ELSE UNCHANGED f
Drop(k, r) == f[k].val = r /\ f' = [f EXCEPT ![k] = Gone]
Count(r) == r = Cardinality({k \in 1..2 : f[k].on}) /\ UNCHANGED f",
    ),
    (
        "OneRecord",
        "",
        r"VARIABLE s
Init == s = [map |-> [k \in 1..2 |-> 0], n |-> 7]
Has(k, r) == r = (s.map[k] # 0) /\ UNCHANGED s
Put(k, v, r) == s.map[k] = r /\ s' = [s EXCEPT !.map[k] = v]
PutNew(k, v, r) == s.map[k] = r /\ IF s.map[k] = 0 THEN s' = [s EXCEPT !.map = [@ EXCEPT ![k] = v]] ELSE s' = s
Drop(k, r) == s.map[k] = r /\ s' = [map |-> [s.map EXCEPT ![k] = 0], n |-> s.n]
Count(r) == r = Cardinality({k \in 1..2 : s.map[k] # 0}) /\ UNCHANGED s",
    ),
    (
        "Nested",
        "",
        r"VARIABLE f
Init == f = [s \in 0..1 |-> [k \in {x \in 1..2 : x % 2 = s} |-> 0]]
Get(k) == f[k % 2][k]
Has(k, r) == r = (Get(k) # 0) /\ UNCHANGED f
Put(k, v, r) == Get(k) = r /\ f' = [f EXCEPT ![k % 2][k] = v]
PutNew(k, v, r) == Get(k) = r /\ IF Get(k) = 0 THEN f' = [f EXCEPT ![k % 2][k] = v] ELSE UNCHANGED f
Drop(k, r) == Get(k) = r /\ f' = [f EXCEPT ![k % 2] = [x \in DOMAIN @ |-> IF x = k THEN 0 ELSE @[x]]]
Count(r) == r = Cardinality({k \in 1..2 : Get(k) # 0}) /\ UNCHANGED f",
    ),
    (
        "TwoVars",
        "",
        r"VARIABLES on, f
Init == on = {} /\ f = [k \in 1..2 |-> 0]
Set(k, v) == f' = [f EXCEPT ![k] = v] /\ on' = IF v = 0 THEN on \ {k} ELSE {k} \cup on
Has(k, r) == r = (k \in on) /\ UNCHANGED <<on, f>>
Put(k, v, r) == f[k] = r /\ Set(k, v)
PutNew(k, v, r) == f[k] = r /\ IF k \notin on THEN Set(k, v) ELSE UNCHANGED <<on, f>>
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ on' = {x \in on : x # k}
Count(r) == r = Cardinality(on \cap 1..2) /\ UNCHANGED <<on, f>>",
    ),
    (
        "Size",
        "",
        r"VARIABLES f, n
Init == f = [k \in 1..2 |-> 0] /\ n = 0
Size(k, v) == n' = n + (IF v = 0 THEN 0 ELSE 1) - (IF f[k] = 0 THEN 0 ELSE 1)
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED <<f, n>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ Size(k, v)
PutNew(k, v, r) == f[k] = r /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] /\ Size(k, v) ELSE UNCHANGED <<f, n>>
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ Size(k, 0)
Count(r) == r = n /\ UNCHANGED <<f, n>>",
    ),
    (
        "Pairs",
        "",
        r"VARIABLE m
Init == m = {}
There(k) == \E p \in m : p[1] = k
Is(k, r) == IF There(k) THEN <<k, r>> \in m ELSE r = 0
Without(k) == {p \in m : p[1] # k}
With(k, v) == Without(k) \cup IF v = 0 THEN {} ELSE {<<k, v>>}
Has(k, r) == r = There(k) /\ UNCHANGED m
Put(k, v, r) == Is(k, r) /\ m' = With(k, v)
PutNew(k, v, r) == Is(k, r) /\ IF There(k) \/ v = 0 THEN UNCHANGED m ELSE m' = m \cup {<<k, v>>}
Drop(k, r) == Is(k, r) /\ m' = Without(k)
Count(r) == r = Cardinality({p \in m : 1 <= p[1] /\ p[1] <= 2}) /\ UNCHANGED m",
    ),
    (
        "Records",
        "",
        r"VARIABLE m
Init == m = {}
There(k) == ~ \A p \in m : p.key # k
Get(k) == IF There(k) THEN (CHOOSE p \in m : p.key = k).val ELSE 0
Without(k) == m \ {p \in m : p.key = k}
Has(k, r) == r = There(k) /\ UNCHANGED m
Put(k, v, r) == Get(k) = r /\ m' = {p \in m : p.key # k} \cup IF v = 0 THEN {} ELSE {[key |-> k, val |-> v]}
PutNew(k, v, r) == Get(k) = r /\ IF There(k) \/ v = 0 THEN UNCHANGED m ELSE m' = {[key |-> k, val |-> v]} \cup m
Drop(k, r) == Get(k) = r /\ m' = Without(k)
Count(r) == r = Cardinality({p \in m : p.key \in 1..2}) /\ UNCHANGED m",
    ),
    (
        "Sequence",
        "",
        r"VARIABLE m
Init == m = <<>>
Idx(k) == {i \in 1..Len(m) : m[i][1] = k}
Get(k) == IF Idx(k) = {} THEN 0 ELSE m[CHOOSE i \in Idx(k) : TRUE][2]
Without(k) == SelectSeq(m, LAMBDA p : p[1] # k)
Has(k, r) == r = (Idx(k) # {}) /\ UNCHANGED m
Put(k, v, r) == Get(k) = r /\ m' = IF v = 0 THEN Without(k) ELSE Append(Without(k), <<k, v>>)
PutNew(k, v, r) == Get(k) = r /\ IF Idx(k) # {} \/ v = 0 THEN UNCHANGED m ELSE m' = Append(m, <<k, v>>)
Drop(k, r) == Get(k) = r /\ m' = Without(k)
Count(r) == r = Len(m) /\ UNCHANGED m",
    ),
    (
        "Sorted",
        "",
        r"VARIABLE m
Init == m = <<>>
There(k) == \E i \in 1..Len(m) : m[i].key = k
Get(k) == IF There(k) THEN m[CHOOSE i \in 1..Len(m) : m[i].key = k].val ELSE 0
Below(k) == SelectSeq(m, LAMBDA p : p.key < k)
Above(k) == SelectSeq(m, LAMBDA p : k < p.key)
Set(k, v) == m' = Below(k) \o (IF v = 0 THEN <<>> ELSE <<[key |-> k, val |-> v]>>) \o Above(k)
Has(k, r) == r = ~(\A i \in 1..Len(m) : m[i].key # k) /\ UNCHANGED m
Put(k, v, r) == Get(k) = r /\ Set(k, v)
PutNew(k, v, r) == Get(k) = r /\ IF There(k) THEN UNCHANGED m ELSE Set(k, v)
Drop(k, r) == Get(k) = r /\ m' = Below(k) \o Above(k)
Count(r) == r = Len(SelectSeq(m, LAMBDA p : 1 <= p.key /\ p.key <= 2)) /\ UNCHANGED m",
    ),
    (
        "Recounted",
        "",
        r"VARIABLES f, on, steps
Init == f = [k \in 1..2 |-> 0] /\ on = {} /\ steps = 0
Set(k, v) == f' = [f EXCEPT ![k] = v] /\ on' = (IF v = 0 THEN on \ {k} ELSE on \cup {k}) /\ steps' = steps + 1
Has(k, r) == (IF f[k] # 0 THEN 1 ELSE 0) = (IF r THEN 1 ELSE 0) /\ UNCHANGED <<f, on, steps>>
Put(k, v, r) == f[k] = r /\ Set(k, v)
PutNew(k, v, r) == f[k] = r /\ IF k \in on THEN UNCHANGED <<f, on, steps>> ELSE Set(k, v)
Drop(k, r) == f[k] = r /\ Set(k, 0)
Count(r) == /\ (IF f[1] = 0 THEN 0 ELSE 1) + (IF f[2] # 0 THEN 1 ELSE 0) <= r
            /\ r <= Cardinality(on \cap (0..5))
            /\ 2 - r = Cardinality((1..2) \ on)
            /\ UNCHANGED <<f, on, steps>>",
    ),
    (
        "Recursive",
        "",
        r"VARIABLE f
RECURSIVE Sum(_)
Sum(k) == IF k = 0 THEN 0 ELSE (IF f[k] # 0 THEN 1 ELSE 0) + Sum(k - 1)
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' \in {[f EXCEPT ![k] = v]}
PutNew(k, v, r) == f[k] = r /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0]
Count(r) == r = Sum(2) /\ UNCHANGED f",
    ),
    (
        "HigherOrder",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Update(g, k, Op(_)) == [g EXCEPT ![k] = Op(@)]
Number(S, P(_)) == Cardinality({x \in S : P(x)})
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' = Update(f, k, LAMBDA old : v)
PutNew(k, v, r) == f[k] = r /\ f' = Update(f, k, LAMBDA old : IF old = 0 THEN v ELSE old)
Drop(k, r) == f[k] = r /\ f' = Update(f, k, LAMBDA old : 0)
Count(r) == LET P(k) == f[k] # 0 IN r = Number(1..2, P) /\ UNCHANGED f",
    ),
    (
        "Quantified",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == (r <=> f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == \E old \in 0..2 : old = f[k] /\ r = old /\ f' = [f EXCEPT ![k] = v]
PutNew(k, v, r) == \/ f[k] = 0 /\ r = 0 /\ f' = [f EXCEPT ![k] = v]
                   \/ f[k] # 0 /\ r = f[k] /\ UNCHANGED f
Drop(k, r) == \E old \in 0..2 : r = f[k] /\ old = r /\ f' = [f EXCEPT ![k] = 0]
Count(r) == \E S \in SUBSET (1..2) : (\A k \in 1..2 : k \in S <=> f[k] # 0) /\ Cardinality(S) = r /\ UNCHANGED f",
    ),
    (
        "View",
        "view = 'f'",
        r"VARIABLES f, old
Init == f = [k \in 1..2 |-> 0] /\ old = 0
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED <<f, old>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ old' = f[k]
PutNew(k, v, r) == f[k] = r /\ (IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f) /\ UNCHANGED old
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0] /\ UNCHANGED old
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED <<f, old>>",
    ),
    (
        "Invariant",
        "invariants = ['\\A k \\in 1..2 : f[k] \\in 0..2']",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
PutNew(k, v, r) == f[k] = r /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0]
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ UNCHANGED f",
    ),
    (
        "Inits",
        "",
        r"VARIABLE f
Init == f = [k \in 1..2 |-> 0] \/ f = [k \in 1..2 |-> 8]
Has(k, r) == r = (f[k] # 0) /\ f[1] # 8 /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v]
PutNew(k, v, r) == f[k] = r /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f
Drop(k, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 0]
Count(r) == r = Cardinality({k \in 1..2 : f[k] # 0}) /\ f[2] # 8 /\ UNCHANGED f",
    ),
    (
        "Negative",
        "",
        r"VARIABLE off
Init == off = (1..2) \X {0}
Old(k) == CHOOSE v \in 0..2 : <<k, v>> \in off
Set(k, v) == off' = {p \in off : p[1] # k} \cup {<<k, v>>}
Has(k, r) == r = (<<k, 0>> \notin off) /\ UNCHANGED off
Put(k, v, r) == Old(k) = r /\ Set(k, v)
PutNew(k, v, r) == Old(k) = r /\ IF <<k, 0>> \in off THEN Set(k, v) ELSE UNCHANGED off
Drop(k, r) == Old(k) = r /\ Set(k, 0)
Count(r) == 2 - r = Cardinality({p \in off : p[2] = 0}) /\ UNCHANGED off",
    ),
    (
        "Tuple",
        "",
        r"VARIABLE f
Init == f = <<0, 0>>
Has(k, r) == r = (f[k] # 0) /\ UNCHANGED f
Put(k, v, r) == f[k] = r /\ f' = IF k = 1 THEN <<v, f[2]>> ELSE <<f[1], v>>
PutNew(k, v, r) == f[k] = r /\ IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f
Drop(k, r) == f[k] = r /\ f' = [i \in 1..Len(f) |-> IF i = k THEN 0 ELSE f[i]]
Count(r) == r = Len(SelectSeq(f, LAMBDA v : v # 0)) /\ UNCHANGED f",
    ),
];

/// Numbers that look random and are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A random history. Results are often those that some order gives.
pub fn history(numbers: &mut Numbers) -> String {
    let mut lines = Vec::new();
    for thread in 0..2 + numbers.below(5) {
        let [k, v, r] = [1 + numbers.below(2), numbers.below(3), numbers.below(3)];
        let (op, args) = match numbers.below(6) {
            0 => ("Has", format!("\"k\":{k},\"r\":{}", r > 0)),
            1 => ("Put", format!("\"k\":{k},\"v\":{v},\"r\":{r}")),
            2 => ("PutNew", format!("\"k\":{k},\"v\":{v},\"r\":{r}")),
            3 => ("Drop", format!("\"k\":{k},\"r\":{r}")),
            4 => ("Put", format!("\"k\":{k},\"v\":{v},\"r\":0")),
            _ => ("Count", format!("\"r\":{r}")),
        };
        let start = numbers.below(12);
        let end = match numbers.below(10) {
            0 => "null".to_owned(),
            _ => (start + numbers.below(9)).to_string(),
        };
        let line = format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{end}}}\n"
        );
        lines.push((start, line));
    }
    lines.sort_by_key(|(start, _)| *start);
    lines.into_iter().map(|(_, line)| line).collect()
}

pub fn linked(name: &str, toml: &str, body: &str, is_evaluated: bool, audits: bool) -> Linked {
    let text =
        format!("---- MODULE {name} ----\nEXTENDS Integers, FiniteSets, Sequences, TLC\n{body}\n====\n");
    let options = LinkOptions {
        file: LinkFile::parse(toml).unwrap(),
        evaluates_steps: is_evaluated,
        audits,
        ..LinkOptions::default()
    };
    Linked::from_text(name, &text, &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The verdict on each history: with everything that the engine knows, or by trying every order with evaluated steps.
///
/// Some are checked a second time, with every step compared with its definition.
pub fn verdicts(spec: (&str, &str, &str), histories: &[String], is_naive: bool) -> Vec<bool> {
    let found = verdicts_with(spec, histories, is_naive, false);
    if !is_naive {
        let audited = &histories[..histories.len().min(60)];
        let same = verdicts_with(spec, audited, false, true);
        assert_eq!(same, found[..audited.len()], "{}", spec.0);
    }
    found
}

fn verdicts_with(
    (name, toml, body): (&str, &str, &str),
    histories: &[String],
    is_naive: bool,
    audits: bool,
) -> Vec<bool> {
    linked(name, toml, body, is_naive, audits)
        .run(|model| {
            let verdict = |history: &String| {
                let operations = bound(model, trace(history.clone())).unwrap();
                if is_naive {
                    naive::explain(model, &operations, Consistency::Linearizable).is_some()
                } else {
                    match check(model, operations, Options::default()) {
                        Ok(checked) => checked.conclusion.is_valid(),
                        Err(error) => panic!("{name}: {error}\n{history}"),
                    }
                }
            };
            histories.iter().map(verdict).collect()
        })
        .unwrap()
}

pub fn assert_same(name: &str, found: &[bool], expected: &[bool], histories: &[String]) {
    for ((found, expected), history) in found.iter().zip(expected).zip(histories) {
        assert_eq!(found, expected, "{name}\n{history}");
    }
}

#[test]
fn every_style_has_the_verdict_of_trying_every_order() {
    let mut numbers = Numbers(1);
    let histories: Vec<String> = (0..1000).map(|_| history(&mut numbers)).collect();
    let expected = verdicts(STYLES[0], &histories, true);
    let valid = expected.iter().filter(|valid| **valid).count();
    assert!(
        (100..900).contains(&valid),
        "the histories are too easy or too hard: {valid} are valid"
    );
    for style in STYLES {
        assert_same(
            style.0,
            &verdicts(style, &histories, false),
            &expected,
            &histories,
        );
    }
}
