//! Random specs on random histories: the verdict is that of trying every order with actions that are evaluated one by one.
//!
//! A spec has a few variables of random types: numbers, functions, partial functions, sets, sets of pairs, sequences, sequences of pairs,
//! records. Its actions are made of random conditions and random new values, in the ways in which people write them. Every
//! expression is defined in every state, so that there is always a verdict.

use crate::styles::{Numbers, assert_same, verdicts};

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Number,
    Function,
    Partial,
    Set,
    Pairs,
    Sequence,
    PairSequence,
    Record,
}

const TYPES: [Type; 8] = [
    Type::Number,
    Type::Function,
    Type::Partial,
    Type::Set,
    Type::Pairs,
    Type::Sequence,
    Type::PairSequence,
    Type::Record,
];

/// Operators for expressions that people write with a name.
const DEFINITIONS: &str = r"Mod(n) == n % 3
First(s) == IF s = <<>> THEN 0 ELSE Head(s)
Rest(s) == IF s = <<>> THEN s ELSE Tail(s)
Last(s) == IF Len(s) = 0 THEN 0 ELSE s[Len(s)]
Front(s) == SubSeq(s, 1, Len(s) - 1)
Mirrored(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]
Range(s) == {s[i] : i \in 1..Len(s)}
Value(m, k) == IF \E p \in m : p[1] = k THEN (CHOOSE p \in m : p[1] = k)[2] ELSE 0
At(m, k) == {i \in 1..Len(m) : m[i][1] = k}
Found(m, k) == IF At(m, k) = {} THEN 0 ELSE m[CHOOSE i \in At(m, k) : TRUE][2]
Get(p, k) == IF k \in DOMAIN p THEN p[k] ELSE 0";

struct Spec<'n> {
    numbers: &'n mut Numbers,
    variables: Vec<Type>,
    /// How many variables, from the first on, are hardly ever read, except for their own next values and those of each other.
    quiet: usize,
    /// Whether the next value of such a variable is made.
    is_quiet: bool,
    /// Whether sequences of pairs are accessed by key only.
    by_key: bool,
}

impl Spec<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.numbers.below(bound as u64) as usize
    }

    fn one_of(&mut self, choices: &[&str]) -> String {
        choices[self.below(choices.len())].to_owned()
    }

    /// One of these; not the last one, which accesses a sequence by position, if all access is to be by key.
    fn one_by_key(&mut self, choices: &[&str]) -> String {
        let most = choices.len() - usize::from(self.by_key);
        self.one_of(&choices[..most])
    }

    /// A variable of a type, if there is one.
    fn variable(&mut self, wanted: Type) -> Option<String> {
        let first = if self.is_quiet || self.below(40) == 0 {
            0
        } else {
            self.quiet
        };
        let of_type: Vec<usize> = (first..self.variables.len())
            .filter(|at| self.variables[*at] == wanted)
            .collect();
        match of_type.len() {
            0 => None,
            several => Some(format!("x{}", of_type[self.below(several)])),
        }
    }

    fn key(&mut self) -> String {
        self.one_of(&["k", "k", "k", "1", "2", "3 - k"])
    }

    /// A number from 0 to 2.
    fn number(&mut self, depth: usize) -> String {
        let plain = self.one_of(&["v", "r", "0", "1", "2", "k", "v"]);
        if depth == 0 {
            return plain;
        }
        let key = self.key();
        let wanted = TYPES[self.below(TYPES.len())];
        let Some(x) = self.variable(wanted) else {
            return plain;
        };
        match wanted {
            Type::Number => x,
            Type::Function => match self.below(4) {
                0 => format!("Cardinality({{j \\in 1..2 : {x}[j] # {plain}}})"),
                1 => format!("Mod({x}[1] + {x}[2])"),
                _ => format!("{x}[{key}]"),
            },
            Type::Partial => match self.below(3) {
                0 => format!("Cardinality(DOMAIN {x})"),
                1 => format!("(IF {key} \\in DOMAIN {x} THEN {x}[{key}] ELSE {plain})"),
                _ => format!("Get({x}, {key})"),
            },
            Type::Set => match self.below(3) {
                0 => format!("Mod(Cardinality({x}))"),
                1 => format!("Cardinality({x} \\cap {{1, 2}})"),
                _ => format!("(IF {key} \\in {x} THEN 1 ELSE {plain})"),
            },
            Type::Pairs => match self.below(3) {
                0 => format!("Mod(Cardinality({x}))"),
                1 => format!("Mod(Cardinality({{q \\in {x} : q[1] = {key}}}))"),
                _ => format!("Value({x}, {key})"),
            },
            Type::Sequence => {
                let s = self.sequence(&x, depth - 1);
                match self.below(5) {
                    0 => format!("Mod(Len({s}))"),
                    1 => format!("Last({s})"),
                    2 => format!("Mod(Cardinality({{j \\in 1..Len({x}) : {x}[j] = {plain}}}))"),
                    _ => format!("First({s})"),
                }
            }
            Type::PairSequence => match self.below(5) {
                0 => format!("Mod(Len({x}))"),
                1 => format!("Mod(Cardinality(At({x}, {key})))"),
                2 => format!("Mod(Len(SelectSeq({x}, LAMBDA q : q[1] = {key})))"),
                _ => format!("Found({x}, {key})"),
            },
            Type::Record => self.one_of(&[&format!("{x}.n"), &format!("{x}.m[{key}]")]),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let number = self.number(depth);
        let (other, key) = (self.number(1), self.key());
        if depth > 0 {
            match self.below(12) {
                0 => return format!("~({})", self.condition(depth - 1)),
                1 => {
                    return format!(
                        "({} \\/ {})",
                        self.condition(depth - 1),
                        self.condition(depth - 1)
                    );
                }
                2 => {
                    return format!(
                        "({} /\\ {})",
                        self.condition(depth - 1),
                        self.condition(depth - 1)
                    );
                }
                3 => return format!("((r = 1) <=> {})", self.condition(depth - 1)),
                _ => {}
            }
        }
        let wanted = TYPES[self.below(TYPES.len())];
        let x = self.variable(wanted).unwrap_or_default();
        match wanted {
            _ if x.is_empty() || self.below(3) == 0 => match self.below(4) {
                0 => format!("{number} # {other}"),
                1 => format!("{number} <= {other}"),
                _ => format!("{number} = {other}"),
            },
            Type::Partial => format!("{key} \\in DOMAIN {x}"),
            Type::Set => self.one_of(&[
                &format!("{other} \\in {x}"),
                &format!("{key} \\notin {x}"),
                &format!("{x} = {{}}"),
            ]),
            Type::Pairs => self.one_of(&[
                &format!("<<{key}, {other}>> \\in {x}"),
                &format!("(\\E o \\in {x} : o[1] = {key})"),
                &format!("(\\A o \\in {x} : o[1] # {key})"),
                &format!("(\\E o \\in {x} : o[2] = {other})"),
            ]),
            Type::Sequence => {
                let s = self.sequence(&x, 1);
                self.one_of(&[
                    &format!("{s} = <<>>"),
                    &format!("{other} \\in Range({s})"),
                    &format!("(\\E m \\in 1..Len({x}) : {x}[m] = {other})"),
                ])
            }
            Type::PairSequence => self.one_by_key(&[
                &format!("At({x}, {key}) # {{}}"),
                &format!("(\\E m \\in 1..Len({x}) : {x}[m][1] = {key})"),
                &format!("(\\A m \\in 1..Len({x}) : {x}[m][1] # {key})"),
                &format!("{x} = <<>>"),
            ]),
            _ => format!("{number} = {other}"),
        }
    }

    /// A sequence of numbers made from a variable.
    fn sequence(&mut self, x: &str, depth: usize) -> String {
        if depth == 0 || self.below(3) == 0 {
            return x.to_owned();
        }
        let s = self.sequence(x, depth - 1);
        let number = self.number(0);
        let other = self.variable(Type::Sequence).unwrap_or_else(|| x.to_owned());
        self.one_of(&[
            &format!("Append({s}, {number})"),
            &format!("(<<{number}>> \\o {s})"),
            &format!("({s} \\o {other})"),
            &format!("({other} \\o Mirrored({s}))"),
            &format!("Rest({s})"),
            &format!("SubSeq({s}, 2, Len({s}))"),
            &format!("Front({s})"),
            &format!("Mirrored({s})"),
            &format!("SelectSeq({s}, LAMBDA e : e # {number})"),
            &format!("[n \\in 1..Len({x}) |-> IF n = k THEN {number} ELSE {x}[n]]"),
            &format!("(IF Len({x}) >= k THEN [{x} EXCEPT ![k] = {number}] ELSE {x})"),
            "<<>>",
        ])
    }

    /// The next value of a variable.
    fn next(&mut self, at: usize, depth: usize) -> String {
        let (x, key, number) = (format!("x{at}"), self.key(), self.number(2));
        if depth > 0 && self.below(4) == 0 {
            let condition = self.condition(1);
            let (yes, no) = (self.next(at, depth - 1), self.next(at, depth - 1));
            return format!("(IF {condition} THEN {yes} ELSE {no})");
        }
        match self.variables[at] {
            Type::Number => match self.below(3) {
                0 => format!("Mod({x} + {number})"),
                1 => format!("Mod({x} + 1)"),
                _ => number,
            },
            Type::Function => self.one_of(&[
                &format!("[{x} EXCEPT ![{key}] = {number}]"),
                &format!("[i \\in 1..2 |-> IF i = {key} THEN {number} ELSE {x}[i]]"),
                &format!("[i \\in DOMAIN {x} |-> IF i # {key} THEN {x}[i] ELSE {number}]"),
                &format!("({key} :> {number}) @@ {x}"),
                &format!("[{x} EXCEPT ![{key}] = Mod(@ + 1)]"),
                &format!("[i \\in 1..2 |-> {number}]"),
            ]),
            Type::Partial => self.one_of(&[
                &format!("({key} :> {number}) @@ {x}"),
                &format!("{x} @@ ({key} :> {number})"),
                &format!("[i \\in DOMAIN {x} \\cup {{{key}}} |-> IF i = {key} THEN {number} ELSE {x}[i]]"),
                &format!("[i \\in DOMAIN {x} \\ {{{key}}} |-> {x}[i]]"),
                &format!("[i \\in {{d \\in DOMAIN {x} : d # {key}}} |-> {x}[i]]"),
                &format!("[i \\in DOMAIN {x} |-> IF i = {key} THEN {number} ELSE {x}[i]]"),
            ]),
            Type::Set => self.one_of(&[
                &format!("{x} \\cup {{{number}}}"),
                &format!("{x} \\ {{{key}}}"),
                &format!("{{i \\in {x} : i # {number}}}"),
                &format!("({x} \\ {{{key}}}) \\cup {{{number}}}"),
                &format!("{x} \\cap {{0, {key}}}"),
            ]),
            Type::Pairs => self.one_of(&[
                &format!("{{p \\in {x} : p[1] # {key}}} \\cup {{<<{key}, {number}>>}}"),
                &format!("{{p \\in {x} : p[1] # {key}}}"),
                &format!("{x} \\cup {{<<{key}, {number}>>}}"),
                &format!("{x} \\ {{<<{key}, {number}>>}}"),
                &format!("{{p \\in {x} : p[2] # {number}}}"),
            ]),
            Type::Sequence => self.sequence(&x, 2),
            Type::PairSequence => self.one_by_key(&[
                &format!("Append(SelectSeq({x}, LAMBDA p : p[1] # {key}), <<{key}, {number}>>)"),
                &format!("SelectSeq({x}, LAMBDA p : p[1] # {key})"),
                &format!("Append({x}, <<{key}, {number}>>)"),
                &format!("<<<<{key}, {number}>>>> \\o {x}"),
                &format!("SelectSeq({x}, LAMBDA p : p[1] < k) \\o <<<<k, {number}>>>> \\o SelectSeq({x}, LAMBDA p : p[1] > k)"),
                &format!("(IF {x} = <<>> THEN {x} ELSE Tail({x}))"),
            ]),
            Type::Record => self.one_of(&[
                &format!("[{x} EXCEPT !.n = {number}]"),
                &format!("[{x} EXCEPT !.m[{key}] = {number}]"),
                &format!("[n |-> {number}, m |-> {x}.m]"),
                &format!("[n |-> Mod({x}.n + 1), m |-> [{x}.m EXCEPT ![{key}] = {number}]]"),
            ]),
        }
    }

    /// Conditions and next values of all variables.
    fn action(&mut self, depth: usize) -> String {
        let mut parts = Vec::new();
        for _ in 0..self.below(3) {
            parts.push(self.condition(2));
        }
        match self.below(10) {
            0 | 1 if depth > 0 => {
                let (condition, yes, no) =
                    (self.condition(1), self.action(depth - 1), self.action(depth - 1));
                parts.push(format!("IF {condition} THEN {yes} ELSE {no}"));
            }
            2 if depth > 0 => {
                let (left, right) = (self.action(depth - 1), self.action(depth - 1));
                parts.push(format!("(({left}) \\/ ({right}))"));
            }
            3 if depth > 0 => {
                let name = format!("w{depth}");
                let (number, inner) = (self.number(2), self.action(depth - 1).replace('v', &name));
                parts.push(format!("\\E {name} \\in 0..2 : {name} = {number} /\\ {inner}"));
            }
            _ => {
                for at in 0..self.variables.len() {
                    self.is_quiet = at < self.quiet;
                    parts.push(match self.below(20) {
                        0..9 => format!("UNCHANGED x{at}"),
                        9 => format!(
                            "(\\A each \\in {{{}, {}}} : x{at}' = {})",
                            self.number(1),
                            self.number(1),
                            self.next(at, 0)
                        ),
                        10 => format!("x{at}' \\in {{{}, {}}}", self.next(at, 0), self.next(at, 0)),
                        _ => format!("x{at}' = {}", self.next(at, 1)),
                    });
                }
                self.is_quiet = false;
                if self.below(12) == 0 {
                    let at = self.below(self.variables.len());
                    parts.push(format!("x{at}' = {}", self.next(at, 0)));
                }
                if self.below(6) == 0 {
                    parts.insert(0, self.condition(2));
                }
            }
        }
        format!("({})", parts.join(" /\\ "))
    }

    /// A link file and a spec.
    fn texts(&mut self) -> (String, String) {
        let names: Vec<String> = (0..self.variables.len()).map(|at| format!("x{at}")).collect();
        let mut init = Vec::new();
        for (name, of_type) in names.iter().zip(self.variables.clone()) {
            let value = match of_type {
                Type::Number if self.below(6) == 0 => {
                    init.push(format!("{name} \\in 0..1"));
                    continue;
                }
                Type::Number => "0",
                Type::Function => "[i \\in 1..2 |-> 0]",
                Type::Partial => "[i \\in {} |-> 0]",
                Type::Set | Type::Pairs => "{}",
                Type::Sequence | Type::PairSequence => "<<>>",
                Type::Record => "[n |-> 0, m |-> [i \\in 1..2 |-> 0]]",
            };
            init.push(format!("{name} = {value}"));
        }
        let mut text = format!(
            "VARIABLES {}\n{DEFINITIONS}\nInit == {}\n",
            names.join(", "),
            init.join(" /\\ ")
        );
        let in_steps = self.below(5) == 0;
        let mut link = if in_steps {
            "[ops.D]\nsteps = 2\n".to_owned()
        } else {
            String::new()
        };
        let last: &[&str] = if in_steps { &["D_Step", "D_Done"] } else { &["D"] };
        for op in ["A", "B", "C"].iter().chain(last) {
            text.push_str(&format!("{op}(k, v, r) == {}\n", self.action(2)));
        }
        if self.below(5) == 0 {
            let action = self.action(1);
            text.push_str(&format!(
                "Hidden == \\E k \\in 1..2 : LET v == k r == 1 IN {action}\n"
            ));
            link.push_str(&format!(
                "[[hidden]]\naction = 'Hidden'\nbound = {}\n",
                1 + self.below(2)
            ));
        }
        if self.below(5) == 0 {
            let at = self.below(self.variables.len());
            let x = format!("x{at}");
            let invariant = match self.variables[at] {
                Type::Number => format!("{x} <= 1"),
                Type::Function => self.one_of(&[
                    &format!("\\A i \\in 1..2 : {x}[i] <= 1"),
                    &format!("{x}[1] + {x}[2] <= 2"),
                ]),
                Type::Partial | Type::Set => format!(
                    "Cardinality({}{x}) <= 1",
                    if self.variables[at] == Type::Set {
                        ""
                    } else {
                        "DOMAIN "
                    }
                ),
                Type::Pairs => format!("\\A p, q \\in {x} : p[1] = q[1] => p = q"),
                Type::Sequence | Type::PairSequence => format!("Len({x}) <= 2"),
                Type::Record => format!("{x}.n <= {x}.m[1] + 1"),
            };
            link = format!("invariants = ['{invariant}']\n{link}");
        }
        (link, text)
    }
}

fn history(numbers: &mut Numbers, most: u64) -> String {
    let mut lines = Vec::new();
    for thread in 0..2 + numbers.below(most - 1) {
        let op = ["A", "B", "C", "D"][numbers.below(4) as usize];
        let [k, v, r] = [1 + numbers.below(2), numbers.below(3), numbers.below(3)];
        let start = numbers.below(12);
        let end = match numbers.below(10) {
            0 => "null".to_owned(),
            _ => (start + numbers.below(9)).to_string(),
        };
        let line = format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{\"k\":{k},\"v\":{v},\"r\":{r}}},\"start\":{start},\"end\":{end}}}\n"
        );
        lines.push((start, line));
    }
    lines.sort_by_key(|(start, _)| *start);
    lines.into_iter().map(|(_, line)| line).collect()
}

/// The number of specs, more if the environment says so: `RANDOM_SPECS=20000 RANDOM_SEED=7 cargo test -p omnilink-link random_specs`.
fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

/// Compares the verdicts on `specs` random specs with variables of these types.
fn attack(specs: u64, seed: u64, types: &[Type], by_key: bool) {
    let mut numbers = Numbers(seed);
    let (mut valid, mut all) = (0, 0);
    for _ in 0..specs {
        let mut a_type = || types[numbers.below(types.len() as u64) as usize];
        let first = a_type();
        let mut variables = vec![first, a_type(), a_type()];
        variables.truncate(1 + numbers.below(3) as usize);
        let (link, body) = Spec {
            quiet: numbers.below(variables.len() as u64) as usize,
            is_quiet: false,
            by_key,
            numbers: &mut numbers,
            variables,
        }
        .texts();
        // Every order of steps and every hidden step is tried: that takes short histories.
        let most = match (link.contains("steps"), link.contains("hidden")) {
            (true, _) => 3,
            (_, true) => 4,
            _ => 6,
        };
        let histories: Vec<String> = (0..40).map(|_| history(&mut numbers, most)).collect();
        let spec = ("Random", link.as_str(), body.as_str());
        let expected = verdicts(spec, &histories, true);
        assert_same(
            &format!("{link}{body}"),
            &verdicts(spec, &histories, false),
            &expected,
            &histories,
        );
        valid += expected.iter().filter(|valid| **valid).count();
        all += expected.len();
    }
    assert!(
        (all / 10..all * 9 / 10).contains(&valid),
        "the histories are too easy or too hard: {valid} of {all} are valid"
    );
}

#[test]
fn a_random_spec_has_the_verdict_of_trying_every_order() {
    let (specs, seed) = (
        from_environment("RANDOM_SPECS", 150),
        from_environment("RANDOM_SEED", 11),
    );
    attack(specs, seed, &TYPES, false);
}

#[test]
fn a_random_spec_with_keyed_sequences_has_the_verdict_of_trying_every_order() {
    let (specs, seed) = (
        from_environment("RANDOM_SPECS", 100),
        from_environment("RANDOM_SEED", 12),
    );
    attack(
        specs,
        seed,
        &[Type::PairSequence, Type::PairSequence, Type::Function],
        true,
    );
}
