//! Five objects that no reduction was made for: a bounded queue, a cache, a table of locks, a bank, a log with readers.
//!
//! Each is written twice: as a spec, in whatever style came to mind, and as a few lines of Rust, which give the results of a random
//! run of three to five threads. Such a history must be valid. With one result changed, the verdict must be that of trying every order with
//! actions that are evaluated one by one.

use std::collections::VecDeque;

use crate::styles::{Numbers, assert_same, verdicts};

/// A call and its result: the name of the action, and its fields in JSON.
type Call = (&'static str, String);

/// Makes a call of a thread.
type Caller = Box<dyn FnMut(u64, &mut Numbers, bool) -> Call>;

/// An object: its spec, and what makes a call. With `true` the call has a result that is not the right one, or not for certain.
struct Object {
    name: &'static str,
    body: &'static str,
    start: fn() -> Caller,
}

const OBJECTS: [Object; 5] = [
    Object {
        name: "BoundedQueue",
        body: r#"VARIABLE q
Init == q = [items |-> <<>>, cap |-> 2, refused |-> 0]
Room == q.cap - Len(q.items)
Offer(v, ok) == /\ ok = (Room > 0)
                /\ q' = IF ok THEN [q EXCEPT !.items = Append(@, v)] ELSE [q EXCEPT !.refused = @ + 1]
Poll(r) == CASE q.items = <<>> -> r = [ok |-> FALSE, item |-> 0] /\ UNCHANGED q
             [] OTHER -> r = [ok |-> TRUE, item |-> q.items[1]] /\ q' = [q EXCEPT !.items = SubSeq(@, 2, Len(@))]
Holds(v, r) == r = (\E i \in DOMAIN q.items : q.items[i] = v) /\ UNCHANGED q
Refused(r) == q.refused = r /\ UNCHANGED q"#,
        start: || {
            let (mut items, mut refused) = (VecDeque::new(), 0);
            Box::new(move |_, numbers, is_wrong| match numbers.below(8) {
                0..3 => {
                    let v = 1 + numbers.below(2);
                    let ok = items.len() < 2;
                    if ok {
                        items.push_back(v)
                    } else {
                        refused += 1
                    }
                    ("Offer", format!(r#""v":{v},"ok":{}"#, ok != is_wrong))
                }
                3..6 => {
                    let taken = items.pop_front();
                    let item = taken.unwrap_or(0);
                    let item = if is_wrong { (item + 1) % 3 } else { item };
                    ("Poll", format!(r#""r":{{"ok":{},"item":{item}}}"#, item > 0))
                }
                6 => {
                    let v = 1 + numbers.below(2);
                    (
                        "Holds",
                        format!(r#""v":{v},"r":{}"#, items.contains(&v) != is_wrong),
                    )
                }
                _ => ("Refused", format!(r#""r":{}"#, refused + u64::from(is_wrong))),
            })
        },
    },
    Object {
        name: "Cache",
        body: r#"VARIABLES recent, data
vars == <<recent, data>>
Init == recent = <<>> /\ data = [k \in {} |-> 0]
First(k, s) == <<k>> \o SelectSeq(s, LAMBDA x : x # k)
Get(k, r) == IF k \in DOMAIN data
             THEN r = data[k] /\ recent' = First(k, recent) /\ UNCHANGED data
             ELSE r = 0 /\ UNCHANGED vars
Set(k, v, out) ==
    LET isFull == k \notin DOMAIN data /\ Cardinality(DOMAIN data) = 2
        last == recent[Len(recent)]
        kept == IF isFull THEN SubSeq(recent, 1, Len(recent) - 1) ELSE recent
    IN /\ out = (IF isFull THEN last ELSE 0)
       /\ recent' = First(k, kept)
       /\ data' = [x \in {kept[i] : i \in 1..Len(kept)} \cup {k} |-> IF x = k THEN v ELSE data[x]]
Size(r) == r = Len(recent) /\ r = Cardinality(DOMAIN data) /\ UNCHANGED vars"#,
        start: || {
            let mut held: Vec<(u64, u64)> = Vec::new();
            Box::new(move |_, numbers, is_wrong| {
                let k = 1 + numbers.below(3);
                let at = held.iter().position(|(key, _)| *key == k);
                match numbers.below(8) {
                    0..4 => {
                        let found = at.map(|at| held.remove(at));
                        held.splice(0..0, found);
                        let r = (found.map_or(0, |(_, v)| v) + u64::from(is_wrong)) % 3;
                        ("Get", format!(r#""k":{k},"r":{r}"#))
                    }
                    4..7 => {
                        let v = 1 + numbers.below(2);
                        let out = match at {
                            Some(at) => {
                                held.remove(at);
                                0
                            }
                            None if held.len() == 2 => held.pop().map_or(0, |(key, _)| key),
                            None => 0,
                        };
                        held.insert(0, (k, v));
                        let out = (out + u64::from(is_wrong)) % 4;
                        ("Set", format!(r#""k":{k},"v":{v},"out":{out}"#))
                    }
                    _ => ("Size", format!(r#""r":{}"#, held.len() + usize::from(is_wrong))),
                }
            })
        },
    },
    Object {
        name: "Locks",
        body: r#"VARIABLES held, version
Init == held = {} /\ version = [n \in 1..2 |-> 0]
On(n) == {h \in held : h.lock = n}
Free(who, n, mode) == \A h \in On(n) : h.mode = "shared" /\ mode = "shared" /\ h.owner # who
Lock(who, n, mode, ok) == /\ ok <=> Free(who, n, mode)
                          /\ held' = held \cup (IF ok THEN {[owner |-> who, lock |-> n, mode |-> mode]} ELSE {})
                          /\ UNCHANGED version
Unlock(who, n, ok) == LET own == {h \in On(n) : h.owner = who} IN
    /\ ok = (own # {})
    /\ held' = held \ own
    /\ version' = [version EXCEPT ![n] = @ + (IF \E h \in own : h.mode = "exclusive" THEN 1 ELSE 0)]
Version(n, r) == r = version[n] /\ UNCHANGED <<held, version>>
Owners(n, r) == r = Cardinality(On(n)) /\ UNCHANGED <<held, version>>"#,
        start: || {
            let (mut held, mut version): (Vec<(u64, u64, bool)>, _) = (Vec::new(), [0, 0]);
            Box::new(move |who, numbers, is_wrong| {
                let n = 1 + numbers.below(2);
                match numbers.below(8) {
                    0..3 => {
                        let is_shared = numbers.below(2) == 0;
                        let mut on = held.iter().filter(|(_, lock, _)| *lock == n);
                        let ok = on.all(|(owner, _, shared)| *shared && is_shared && *owner != who);
                        held.extend(ok.then_some((who, n, is_shared)));
                        let mode = if is_shared { "shared" } else { "exclusive" };
                        let ok = ok != is_wrong;
                        (
                            "Lock",
                            format!(r#""who":{who},"n":{n},"mode":"{mode}","ok":{ok}"#),
                        )
                    }
                    3..6 => {
                        let at = held
                            .iter()
                            .position(|(owner, lock, _)| (*owner, *lock) == (who, n));
                        if let Some((_, _, false)) = at.map(|at| held.remove(at)) {
                            version[n as usize - 1] += 1;
                        }
                        let ok = at.is_some() != is_wrong;
                        ("Unlock", format!(r#""who":{who},"n":{n},"ok":{ok}"#))
                    }
                    6 => {
                        let r = version[n as usize - 1] + u64::from(is_wrong);
                        ("Version", format!(r#""n":{n},"r":{r}"#))
                    }
                    _ => {
                        let on = held.iter().filter(|(_, lock, _)| *lock == n).count();
                        ("Owners", format!(r#""n":{n},"r":{}"#, on + usize::from(is_wrong)))
                    }
                }
            })
        },
    },
    Object {
        name: "Bank",
        body: r#"VARIABLES accounts, ledger
Names == {"a", "b", "c"}
Init == accounts = [n \in Names |-> [balance |-> 2, moves |-> 0]] /\ ledger = <<>>
RECURSIVE Total(_)
Total(names) == IF names = {} THEN 0
                ELSE LET n == CHOOSE n \in names : TRUE IN accounts[n].balance + Total(names \ {n})
Moved(n, by) == [balance |-> accounts[n].balance + by, moves |-> accounts[n].moves + 1]
Move(src, dst, amount, ok) ==
    \/ /\ ok /\ accounts[src].balance >= amount /\ src # dst
       /\ accounts' = (src :> Moved(src, -amount) @@ dst :> Moved(dst, amount)) @@ accounts
       /\ ledger' = Append(ledger, <<src, dst, amount>>)
    \/ /\ ~ok /\ (accounts[src].balance < amount \/ src = dst)
       /\ UNCHANGED <<accounts, ledger>>
Balance(n, r) == \E account \in {accounts[n]} : account.balance = r /\ UNCHANGED <<accounts, ledger>>
Moves(r) == Len(ledger) = r /\ UNCHANGED <<accounts, ledger>>
Audit(names, r) == r = Total({names[i] : i \in 1..Len(names)}) /\ UNCHANGED <<accounts, ledger>>"#,
        start: || {
            let (mut balances, mut moves) = ([2, 2, 2], 0);
            let name = |at: u64| ["a", "b", "c"][at as usize];
            Box::new(move |_, numbers, is_wrong| {
                let (src, dst) = (numbers.below(3), numbers.below(3));
                match numbers.below(8) {
                    0..4 => {
                        let amount = 1 + numbers.below(3);
                        let ok = src != dst && balances[src as usize] >= amount;
                        if ok {
                            balances[src as usize] -= amount;
                            balances[dst as usize] += amount;
                            moves += 1;
                        }
                        let (src, dst, ok) = (name(src), name(dst), ok != is_wrong);
                        (
                            "Move",
                            format!(r#""src":"{src}","dst":"{dst}","amount":{amount},"ok":{ok}"#),
                        )
                    }
                    4..6 => {
                        let r = balances[src as usize] + u64::from(is_wrong);
                        ("Balance", format!(r#""n":"{}","r":{r}"#, name(src)))
                    }
                    6 => ("Moves", format!(r#""r":{}"#, moves + u64::from(is_wrong))),
                    _ => {
                        let mut of = vec![src, dst];
                        of.dedup();
                        let sum: u64 = of.iter().map(|at| balances[*at as usize]).sum();
                        let names: Vec<String> = of.iter().map(|at| format!("\"{}\"", name(*at))).collect();
                        let (names, r) = (names.join(","), sum + u64::from(is_wrong));
                        ("Audit", format!(r#""names":[{names}],"r":{r}"#))
                    }
                }
            })
        },
    },
    Object {
        name: "Log",
        body: r#"VARIABLES log, next, base
Init == log = <<>> /\ next = [c \in 0..1 |-> 1] /\ base = 0
End == base + Len(log)
Add(v, at) == at = End + 1 /\ log' = log \o <<v>> /\ UNCHANGED <<next, base>>
Read(c, r) == LET at == IF next[c] > base THEN next[c] ELSE base + 1 IN
    IF at > End
    THEN r = <<>> /\ UNCHANGED <<log, next, base>>
    ELSE r = <<at, log[at - base]>> /\ next' = [next EXCEPT ![c] = at + 1] /\ UNCHANGED <<log, base>>
Trim(n, r) == LET cut == IF n <= base THEN 0 ELSE IF n > End THEN Len(log) ELSE n - base IN
    /\ r = cut
    /\ log' = [i \in 1..(Len(log) - cut) |-> log[i + cut]]
    /\ base' = base + cut
    /\ next' = next
Last(r) == r = (IF Len(log) = 0 THEN 0 ELSE log[Len(log)]) /\ UNCHANGED <<log, next, base>>"#,
        start: || {
            let (mut log, mut next, mut base): (Vec<u64>, _, _) = (Vec::new(), [1, 1], 0);
            Box::new(move |_, numbers, is_wrong| {
                let wrong = usize::from(is_wrong);
                match numbers.below(9) {
                    0..3 => {
                        let v = 1 + numbers.below(2);
                        log.push(v);
                        ("Add", format!(r#""v":{v},"at":{}"#, base + log.len() + wrong))
                    }
                    3..6 => {
                        let c = numbers.below(2) as usize;
                        let at = next[c].max(base + 1);
                        let Some(item) = log.get(at - base - 1) else {
                            let r = if is_wrong { "1,1" } else { "" };
                            return ("Read", format!(r#""c":{c},"r":[{r}]"#));
                        };
                        next[c] = at + 1;
                        (
                            "Read",
                            format!(r#""c":{c},"r":[{at},{}]"#, item + u64::from(is_wrong)),
                        )
                    }
                    6 => {
                        let n = numbers.below(4) as usize;
                        let cut = n.saturating_sub(base).min(log.len());
                        log.drain(..cut);
                        base += cut;
                        ("Trim", format!(r#""n":{n},"r":{}"#, cut + wrong))
                    }
                    _ => {
                        let last = log.last().copied().unwrap_or(0);
                        ("Last", format!(r#""r":{}"#, last + u64::from(is_wrong)))
                    }
                }
            })
        },
    },
];

/// A history of three to five threads. Each call takes effect at one moment inside its timebox; with `true` one of them has a wrong result.
fn history(object: &Object, numbers: &mut Numbers, is_changed: bool) -> String {
    let threads = 3 + numbers.below(3);
    let calls = 5 + numbers.below(4);
    let wrong = numbers.below(calls);
    let mut call = (object.start)();
    let mut free = vec![0; threads as usize];
    let mut lines = Vec::new();
    for at in 0..calls {
        let thread = numbers.below(threads);
        // The moment at which the call takes effect: the calls come in this order.
        let moment = 10 * (at + 1);
        let start = (moment - numbers.below(25).min(moment)).max(free[thread as usize]);
        let end = moment + 1 + numbers.below(25);
        let (op, args) = call(thread, numbers, is_changed && at == wrong);
        let is_pending = numbers.below(12) == 0;
        let (ended, free_from) = if is_pending {
            ("null".to_owned(), u64::MAX)
        } else {
            (end.to_string(), end + 1)
        };
        // While the call of a thread is open, another thread calls.
        let number = if start > moment {
            threads + at
        } else {
            free[thread as usize] = free_from;
            thread
        };
        let start = start.min(moment);
        let line = format!(
            "{{\"thread\":{number},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{ended}}}\n"
        );
        lines.push((start, line));
    }
    lines.sort_by_key(|(start, _)| *start);
    lines.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn objects_that_nothing_was_made_for_have_the_verdict_of_trying_every_order() {
    for (seed, object) in (11..).zip(OBJECTS) {
        let mut numbers = Numbers(seed);
        let style = (object.name, "", object.body);
        let right: Vec<String> = (0..200).map(|_| history(&object, &mut numbers, false)).collect();
        assert_same(object.name, &verdicts(style, &right, false), &[true; 200], &right);
        let changed: Vec<String> = (0..400).map(|_| history(&object, &mut numbers, true)).collect();
        let expected = verdicts(style, &changed, true);
        let valid = expected.iter().filter(|valid| **valid).count();
        assert!(
            (20..380).contains(&valid),
            "{}: the histories are too easy or too hard: {valid} are valid",
            object.name
        );
        assert_same(
            object.name,
            &verdicts(style, &changed, false),
            &expected,
            &changed,
        );
    }
}
