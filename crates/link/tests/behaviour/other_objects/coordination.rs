//! Objects by which threads wait for each other, or share out what there is.

use std::collections::VecDeque;

use super::Object;

pub(super) const OBJECTS: [Object; 4] = [
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
        name: "Leases",
        body: r#"VARIABLE lease
Init == lease = [n \in {"a", "b"} |-> [owner |-> 0, left |-> 0]]
Older(one) == IF one.left > 0 THEN [one EXCEPT !.left = @ - 1] ELSE one
Tick(r) == /\ r = Cardinality({n \in DOMAIN lease : lease[n].left = 1})
           /\ lease' = [n \in DOMAIN lease |-> Older(lease[n])]
Acquire(who, n, ok) ==
    CASE lease[n].left = 0 -> ok = TRUE /\ lease' = [lease EXCEPT ![n] = [owner |-> who, left |-> 2]]
      [] lease[n].left > 0 /\ lease[n].owner = who -> ok = TRUE /\ lease' = [lease EXCEPT ![n].left = 2]
      [] OTHER -> ok = FALSE /\ UNCHANGED lease
Owner(n, r) == r = (IF lease[n].left > 0 THEN lease[n].owner ELSE 0) /\ UNCHANGED lease"#,
        start: || {
            let mut lease = [(0, 0); 2];
            Box::new(move |thread, numbers, is_wrong| {
                let (at, who) = (numbers.below(2) as usize, thread + 1);
                let name = ["a", "b"][at];
                match numbers.below(6) {
                    0 => {
                        let ended = lease.iter().filter(|(_, left)| *left == 1).count();
                        for (_, left) in &mut lease {
                            *left = u64::saturating_sub(*left, 1);
                        }
                        ("Tick", format!(r#""r":{}"#, ended + usize::from(is_wrong)))
                    }
                    1..4 => {
                        let ok = lease[at].1 == 0 || lease[at].0 == who;
                        if ok {
                            lease[at] = (who, 2);
                        }
                        let ok = ok != is_wrong;
                        ("Acquire", format!(r#""who":{who},"n":"{name}","ok":{ok}"#))
                    }
                    _ => {
                        let (owner, left) = lease[at];
                        let r = if left > 0 { owner } else { 0 } + u64::from(is_wrong);
                        ("Owner", format!(r#""n":"{name}","r":{r}"#))
                    }
                }
            })
        },
    },
    Object {
        name: "Tickets",
        body: r#"VARIABLE taken
Init == taken = {}
Take(r) == \/ r \in (1..3) \ taken /\ taken' = taken \union {r}
           \/ r = 0 /\ taken = 1..3 /\ UNCHANGED taken
Give(id, ok) == ok = (id \in taken) /\ taken' = taken \ {id}
Left(r) == r = Cardinality({id \in 1..3 : id \notin taken}) /\ taken' = taken
Some(r) == (\E id \in taken : id = r) /\ taken' = taken"#,
        start: || {
            let mut taken: Vec<u64> = Vec::new();
            Box::new(move |_, numbers, is_wrong| {
                let id = 1 + numbers.below(3);
                match numbers.below(8) {
                    0..4 => {
                        let from = (0..3).map(|next| 1 + (id + next) % 3);
                        let r = from.into_iter().find(|id| !taken.contains(id)).unwrap_or(0);
                        taken.extend((r > 0).then_some(r));
                        ("Take", format!(r#""r":{}"#, (r + u64::from(is_wrong)) % 4))
                    }
                    4..6 => {
                        let ok = taken.contains(&id);
                        taken.retain(|other| *other != id);
                        ("Give", format!(r#""id":{id},"ok":{}"#, ok != is_wrong))
                    }
                    6 if !taken.is_empty() => {
                        let r = taken[(id as usize) % taken.len()] + u64::from(is_wrong);
                        ("Some", format!(r#""r":{r}"#))
                    }
                    _ => (
                        "Left",
                        format!(r#""r":{}"#, 3 - taken.len() + usize::from(is_wrong)),
                    ),
                }
            })
        },
    },
];
