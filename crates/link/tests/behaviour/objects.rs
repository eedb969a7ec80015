//! A register, a counter and a queue in several styles each, on random histories: all styles agree with each other, and with trying
//! every order with actions that are evaluated one by one.

use crate::styles::{Numbers, assert_same, verdicts};

/// One object: its name, its operations with the fields of each, and its styles.
struct Object {
    name: &'static str,
    ops: &'static [(&'static str, &'static [&'static str])],
    styles: &'static [(&'static str, &'static str)],
}

const OBJECTS: [Object; 3] = [
    Object {
        name: "Register",
        ops: &[
            ("Write", &["v"]),
            ("Read", &["r"]),
            ("Swap", &["v", "r"]),
            ("Cas", &["v", "r", "ok"]),
        ],
        styles: &[
            (
                "Plain",
                r"VARIABLE x
Init == x = 0
Write(v) == x' = v
Read(r) == x = r /\ UNCHANGED x
Swap(v, r) == x = r /\ x' = v
Cas(v, r, ok) == ok = (x = r) /\ x' = IF x = r THEN v ELSE x",
            ),
            (
                "Record",
                r"VARIABLE s
Init == s = [val |-> 0, writes |-> 0]
Set(v) == s' = [s EXCEPT !.val = v, !.writes = @ + 1]
Write(v) == Set(v)
Read(r) == r = s.val /\ UNCHANGED s
Swap(v, r) == r = s.val /\ Set(v)
Cas(v, r, ok) == IF s.val = r THEN ok /\ Set(v) ELSE ~ok /\ UNCHANGED s",
            ),
            (
                "Singleton",
                r"VARIABLE m
Init == m = {0}
Write(v) == m' = {v}
Read(r) == r \in m /\ UNCHANGED m
Swap(v, r) == r \in m /\ m' = (m \ {r}) \cup {v}
Cas(v, r, ok) == ok = (r \in m) /\ m' = IF r \in m THEN {v} ELSE m",
            ),
            (
                "History",
                r"VARIABLES x, log
Init == x = 0 /\ log = <<>>
Set(v) == x' = v /\ log' = Append(log, v)
Write(v) == Set(v)
Read(r) == x = r /\ log' = Append(log, <<r>>) /\ UNCHANGED x
Swap(v, r) == x = r /\ Set(v)
Cas(v, r, ok) == \/ ok /\ x = r /\ Set(v)
                 \/ ~ok /\ x # r /\ UNCHANGED <<x, log>>",
            ),
            (
                "Last",
                r"VARIABLE log
Init == log = <<0>>
Now == log[Len(log)]
Write(v) == log' = Append(log, v)
Read(r) == Now = r /\ UNCHANGED log
Swap(v, r) == Now = r /\ log' = log \o <<v>>
Cas(v, r, ok) == (ok <=> Now = r) /\ IF ok THEN log' = Append(log, v) ELSE UNCHANGED log",
            ),
            (
                "Guess",
                r"VARIABLES x, old
Init == x = 0 /\ old = 0
Write(v) == \E w \in 0..2 : w = v /\ x' = w /\ old' = x
Read(r) == \E w \in {x} : w = r /\ UNCHANGED <<x, old>>
Swap(v, r) == old' = x /\ old' = r /\ x' = v
Cas(v, r, ok) == LET same == x = r IN ok = same /\ x' = (IF same THEN v ELSE x) /\ UNCHANGED old",
            ),
        ],
    },
    Object {
        name: "Counter",
        ops: &[
            ("Inc", &[]),
            ("IncGet", &["r"]),
            ("Read", &["r"]),
            ("Dec", &["ok"]),
        ],
        styles: &[
            (
                "Plain",
                r"VARIABLE n
Init == n = 0
Inc == n' = n + 1
IncGet(r) == n' = n + 1 /\ n' = r
Read(r) == n = r /\ UNCHANGED n
Dec(ok) == ok = (n > 0) /\ n' = IF n > 0 THEN n - 1 ELSE 0",
            ),
            (
                "Length",
                r"VARIABLE s
Init == s = <<>>
Inc == s' = Append(s, 1)
IncGet(r) == s' = <<1>> \o s /\ Len(s) + 1 = r
Read(r) == Len(s) = r /\ UNCHANGED s
Dec(ok) == IF s = <<>> THEN ~ok /\ UNCHANGED s ELSE ok /\ s' = Tail(s)",
            ),
            (
                "Cardinality",
                r"VARIABLE s
Init == s = {}
Inc == s' = s \cup {Cardinality(s)}
IncGet(r) == s' = s \cup {r - 1} /\ r = Cardinality(s) + 1
Read(r) == Cardinality(s) = r /\ UNCHANGED s
Dec(ok) == \/ ok /\ s # {} /\ s' = s \ {Cardinality(s) - 1}
           \/ ~ok /\ s = {} /\ s' = s",
            ),
            (
                "UpAndDown",
                r"VARIABLES up, down, steps
Init == up = 0 /\ down = 0 /\ steps = 0
Inc == up' = up + 1 /\ steps' = steps + 1 /\ UNCHANGED down
IncGet(r) == up + 1 - down = r /\ up' = up + 1 /\ steps' = steps + 1 /\ UNCHANGED down
Read(r) == up - down = r /\ UNCHANGED <<up, down, steps>>
Dec(ok) == IF up > down THEN ok /\ down' = down + 1 /\ steps' = steps + 1 /\ UNCHANGED up
           ELSE ~ok /\ UNCHANGED <<up, down, steps>>",
            ),
            (
                "Cells",
                r"VARIABLE c
Init == c = [i \in 0..1 |-> 0]
Sum == c[0] + c[1]
Turn == Sum % 2
Inc == c' = [c EXCEPT ![Turn] = @ + 1]
IncGet(r) == Sum + 1 = r /\ c' = [c EXCEPT ![0] = @ + 1]
Read(r) == r = Sum /\ UNCHANGED c
Dec(ok) == ok = (Sum > 0) /\ c' = IF ok THEN [c EXCEPT ![1] = @ - 1] ELSE c",
            ),
        ],
    },
    Object {
        name: "Queue",
        ops: &[
            ("Put", &["v"]),
            ("Take", &["r"]),
            ("Peek", &["r"]),
            ("Size", &["r"]),
        ],
        styles: &[
            (
                "Sequence",
                r"VARIABLE q
Init == q = <<>>
Put(v) == q' = Append(q, v)
Take(r) == IF q = <<>> THEN r = 0 /\ UNCHANGED q ELSE r = Head(q) /\ q' = Tail(q)
Peek(r) == r = (IF q = <<>> THEN 0 ELSE q[1]) /\ UNCHANGED q
Size(r) == r = Len(q) /\ UNCHANGED q",
            ),
            (
                "HeadAndTail",
                r"VARIABLES cells, head, tail
Init == cells = <<>> /\ head = 1 /\ tail = 1
Put(v) == cells' = (tail :> v) @@ cells /\ tail' = tail + 1 /\ UNCHANGED head
Take(r) == IF head = tail THEN r = 0 /\ UNCHANGED <<cells, head, tail>>
           ELSE r = cells[head] /\ head' = head + 1 /\ UNCHANGED <<cells, tail>>
Peek(r) == r = (IF head = tail THEN 0 ELSE cells[head]) /\ UNCHANGED <<cells, head, tail>>
Size(r) == r = tail - head /\ UNCHANGED <<cells, head, tail>>",
            ),
            (
                "Numbered",
                r"VARIABLES items, next
Init == items = {} /\ next = 0
First == CHOOSE p \in items : \A o \in items : p[1] <= o[1]
Put(v) == items' = items \cup {<<next, v>>} /\ next' = next + 1
Take(r) == \/ items = {} /\ r = 0 /\ UNCHANGED <<items, next>>
           \/ items # {} /\ r = First[2] /\ items' = items \ {First} /\ UNCHANGED next
Peek(r) == r = (IF items = {} THEN 0 ELSE First[2]) /\ UNCHANGED <<items, next>>
Size(r) == r = Cardinality(items) /\ UNCHANGED <<items, next>>",
            ),
            (
                "TwoStacks",
                r"VARIABLES front, back
Init == front = <<>> /\ back = <<>>
All == front \o [i \in 1..Len(back) |-> back[Len(back) + 1 - i]]
Put(v) == back' = <<v>> \o back /\ UNCHANGED front
Take(r) == IF All = <<>> THEN r = 0 /\ UNCHANGED <<front, back>>
           ELSE r = All[1] /\ front' = SubSeq(All, 2, Len(All)) /\ back' = <<>>
Peek(r) == (IF All = <<>> THEN r = 0 ELSE r = Head(All)) /\ UNCHANGED <<front, back>>
Size(r) == r = Len(front) + Len(back) /\ UNCHANGED <<front, back>>",
            ),
            (
                "Ring",
                r"VARIABLES ring, first, size, total
Init == ring = [i \in 0..7 |-> 0] /\ first = 0 /\ size = 0 /\ total = 0
Put(v) == size < 8 /\ ring' = [ring EXCEPT ![(first + size) % 8] = v] /\ size' = size + 1 /\ total' = total + v /\ UNCHANGED first
Take(r) == IF size = 0 THEN r = 0 /\ UNCHANGED <<ring, first, size, total>>
           ELSE ring[first] = r /\ first' = (first + 1) % 8 /\ size' = size - 1 /\ UNCHANGED <<ring, total>>
Peek(r) == r = (IF size = 0 THEN 0 ELSE ring[first]) /\ UNCHANGED <<ring, first, size, total>>
Size(r) == size = r /\ UNCHANGED <<ring, first, size, total>>",
            ),
        ],
    },
];

/// A random history of an object.
fn history(ops: &[(&str, &[&str])], numbers: &mut Numbers) -> String {
    let mut lines = Vec::new();
    for thread in 0..2 + numbers.below(5) {
        let (op, fields) = ops[numbers.below(ops.len() as u64) as usize];
        let mut field = |name: &&str| match *name {
            "ok" => format!("\"ok\":{}", numbers.below(2) == 0),
            "v" => format!("\"v\":{}", 1 + numbers.below(2)),
            name => format!("\"{name}\":{}", numbers.below(3)),
        };
        let args: Vec<String> = fields.iter().map(&mut field).collect();
        let start = numbers.below(12);
        let end = match numbers.below(10) {
            0 => "null".to_owned(),
            _ => (start + numbers.below(9)).to_string(),
        };
        let line = format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{}}},\"start\":{start},\"end\":{end}}}\n",
            args.join(",")
        );
        lines.push((start, line));
    }
    lines.sort_by_key(|(start, _)| *start);
    lines.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn every_style_of_an_object_has_the_verdict_of_trying_every_order() {
    for (seed, object) in (3..).zip(OBJECTS) {
        let mut numbers = Numbers(seed);
        let histories: Vec<String> = (0..1000).map(|_| history(object.ops, &mut numbers)).collect();
        let styles = || object.styles.iter().map(|(name, body)| (*name, "", *body));
        let expected = verdicts(styles().next().unwrap(), &histories, true);
        let valid = expected.iter().filter(|valid| **valid).count();
        assert!(
            (100..900).contains(&valid),
            "{}: the histories are too easy or too hard: {valid} are valid",
            object.name
        );
        for style in styles() {
            let name = format!("{}, {}", object.name, style.0);
            assert_same(&name, &verdicts(style, &histories, false), &expected, &histories);
            assert_same(&name, &verdicts(style, &histories, true), &expected, &histories);
        }
    }
}
