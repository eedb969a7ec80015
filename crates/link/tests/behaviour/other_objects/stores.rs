//! Objects that hold what was put into them.

use super::Object;

pub(super) const OBJECTS: [Object; 6] = [
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
    Object {
        name: "PriorityQueue",
        body: r#"VARIABLE bag
Init == bag = [v \in {} |-> 0]
Copies(v) == IF v \in DOMAIN bag THEN bag[v] ELSE 0
Least == CHOOSE v \in DOMAIN bag : \A other \in DOMAIN bag : v <= other
RECURSIVE Total(_)
Total(vs) == IF vs = {} THEN 0 ELSE LET v == CHOOSE v \in vs : TRUE IN bag[v] + Total(vs \ {v})
Push(v) == bag' = [x \in DOMAIN bag \cup {v} |-> IF x = v THEN Copies(v) + 1 ELSE bag[x]]
PopMin(r) == IF DOMAIN bag = {}
             THEN r = 0 /\ UNCHANGED bag
             ELSE /\ r = Least
                  /\ bag' = IF bag[Least] = 1
                            THEN [v \in DOMAIN bag \ {Least} |-> bag[v]]
                            ELSE [bag EXCEPT ![Least] = @ - 1]
Count(v, r) == r = Copies(v) /\ UNCHANGED bag
Size(r) == r = Total(DOMAIN bag) /\ UNCHANGED bag"#,
        start: || {
            let mut copies = [0_u64; 3];
            Box::new(move |_, numbers, is_wrong| {
                let wrong = u64::from(is_wrong);
                let v = numbers.below(3);
                match numbers.below(10) {
                    0..3 => {
                        copies[v as usize] += 1;
                        ("Push", format!(r#""v":{}"#, v + 1 + wrong))
                    }
                    3..7 => {
                        let least = copies.iter().position(|copies| *copies > 0);
                        if let Some(least) = least {
                            copies[least] -= 1;
                        }
                        let r = least.map_or(0, |least| least as u64 + 1);
                        ("PopMin", format!(r#""r":{}"#, (r + wrong) % 4))
                    }
                    7..9 => {
                        let r = copies[v as usize] + wrong;
                        ("Count", format!(r#""v":{},"r":{r}"#, v + 1))
                    }
                    _ => ("Size", format!(r#""r":{}"#, copies.iter().sum::<u64>() + wrong)),
                }
            })
        },
    },
    Object {
        name: "Index",
        body: r#"VARIABLES rows, index
Init == rows = {} /\ index = [v \in 1..2 |-> {}]
Of(id) == {row \in rows : row.id = id}
Put(id, v, old) == LET before == Of(id) IN
    /\ old = (IF before = {} THEN 0 ELSE (CHOOSE row \in before : TRUE).v)
    /\ rows' = (rows \ before) \cup {[id |-> id, v |-> v]}
    /\ index' = [w \in DOMAIN index |-> IF w = v THEN index[w] \cup {id} ELSE index[w] \ {id}]
Delete(id, ok) == /\ ok = (\E row \in rows : row.id = id)
                  /\ rows' = {row \in rows : row.id # id}
                  /\ index' = [w \in DOMAIN index |-> index[w] \ {id}]
Find(v, r) == index[v] = {r[i] : i \in 1..Len(r)} /\ UNCHANGED <<rows, index>>
Ids(r) == r = Cardinality({row.id : row \in rows}) /\ UNCHANGED <<rows, index>>"#,
        start: || {
            let mut held = [0_u64; 3];
            Box::new(move |_, numbers, is_wrong| {
                let (id, v) = (numbers.below(3), 1 + numbers.below(2));
                let at = id as usize;
                match numbers.below(8) {
                    0..3 => {
                        let old = (held[at] + u64::from(is_wrong)) % 3;
                        held[at] = v;
                        ("Put", format!(r#""id":{id},"v":{v},"old":{old}"#))
                    }
                    3..5 => {
                        let ok = (held[at] > 0) != is_wrong;
                        held[at] = 0;
                        ("Delete", format!(r#""id":{id},"ok":{ok}"#))
                    }
                    5..7 => {
                        let is_found = |id: &usize| (held[*id] == v) != (is_wrong && *id == at);
                        let found: Vec<String> = (0..3).filter(is_found).map(|id| id.to_string()).collect();
                        ("Find", format!(r#""v":{v},"r":[{}]"#, found.join(",")))
                    }
                    _ => {
                        let r = held.iter().filter(|v| **v > 0).count() + usize::from(is_wrong);
                        ("Ids", format!(r#""r":{r}"#))
                    }
                }
            })
        },
    },
    Object {
        name: "Versions",
        body: r#"VARIABLE cell
Init == cell = [k \in {"x", "y"} |-> <<0, 0>>]
Later(version) == (version + 1) % 3
Write(k, v, version) == version = Later(cell[k][2]) /\ cell' = [cell EXCEPT ![k] = <<v, version>>]
Swap(k, version, v, ok) == IF cell[k][2] = version
                           THEN ok /\ cell' = [cell EXCEPT ![k][1] = v, ![k][2] = Later(@)]
                           ELSE ~ok /\ UNCHANGED cell
Read(k, r) == \E pair \in {cell[k]} : r = [v |-> pair[1], version |-> pair[2]] /\ UNCHANGED cell
Copy(src, dst, r) == /\ r = cell[src][1]
                     /\ LET new == <<cell[src][1], Later(cell[dst][2])>> IN cell' = [cell EXCEPT ![dst] = new]
Both(r) == r = cell["x"][1] + cell["y"][1] /\ cell' = cell"#,
        start: || {
            let mut cell = [(0_u64, 0_u64); 2];
            Box::new(move |_, numbers, is_wrong| {
                let (at, other) = (numbers.below(2) as usize, numbers.below(2) as usize);
                let name = |at: usize| ["x", "y"][at];
                let (v, wrong) = (numbers.below(3), u64::from(is_wrong));
                match numbers.below(9) {
                    0..2 => {
                        let version = (cell[at].1 + 1) % 3;
                        cell[at] = (v, version);
                        let (k, version) = (name(at), (version + wrong) % 3);
                        ("Write", format!(r#""k":"{k}","v":{v},"version":{version}"#))
                    }
                    2..4 => {
                        let version = numbers.below(3);
                        let ok = cell[at].1 == version;
                        if ok {
                            cell[at] = (v, (version + 1) % 3);
                        }
                        let (k, ok) = (name(at), ok != is_wrong);
                        (
                            "Swap",
                            format!(r#""k":"{k}","version":{version},"v":{v},"ok":{ok}"#),
                        )
                    }
                    4..6 => {
                        let (v, version) = cell[at];
                        let (k, v) = (name(at), v + wrong);
                        (
                            "Read",
                            format!(r#""k":"{k}","r":{{"v":{v},"version":{version}}}"#),
                        )
                    }
                    6 => {
                        let r = cell[at].0;
                        cell[other] = (r, (cell[other].1 + 1) % 3);
                        let (src, dst, r) = (name(at), name(other), r + wrong);
                        ("Copy", format!(r#""src":"{src}","dst":"{dst}","r":{r}"#))
                    }
                    _ => ("Both", format!(r#""r":{}"#, cell[0].0 + cell[1].0 + wrong)),
                }
            })
        },
    },
];
