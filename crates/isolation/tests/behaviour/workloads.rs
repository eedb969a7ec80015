//! Every workload against a definition of its own, which runs the operations as they were recorded on a plain state: registers with deletes, lists,
//! sets, ranges, counters and banks. It shares nothing with what decides what a read means, and knows no graphs.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_evidence::Verdict;
use omnilink_isolation::{
    Isolation, IsolationFamily, RecordedHistory, check_transactions, infer_recorded_transactions,
    read_histories,
};

/// One access; keys, elements and accounts are numbers.
#[derive(Clone, Debug)]
enum Step {
    Write(usize, i64),
    Delete(usize),
    Read(usize, Option<i64>),
    Append(usize, i64),
    List(usize, Vec<i64>),
    Add(usize, i64),
    Set(usize, Vec<i64>),
    /// Everything that is there.
    Range(Vec<(usize, i64)>),
    Increment(usize, i64),
    Sum(usize, i64),
    Transfer(usize, usize, i64),
    Accounts(Vec<(usize, i64)>),
}

#[derive(Clone, Debug)]
struct Made {
    session: usize,
    span: (i64, i64),
    steps: Vec<Step>,
}

/// What the store holds: of each key a value, the elements in order, or a sum.
type State = BTreeMap<usize, Vec<i64>>;

const KINDS: usize = 6;
const BALANCE: i64 = 50;

/// What a step does to a state; for a read, whether it shows this state.
fn run(step: &Step, state: &mut State) -> bool {
    let sum = |state: &State, key: usize| state.get(&key).map_or(0, |held| held.iter().sum::<i64>());
    let elements = |state: &State, key: usize| state.get(&key).cloned().unwrap_or_default();
    match step {
        Step::Write(key, value) => {
            state.insert(*key, vec![*value]);
        }
        Step::Delete(key) => {
            state.remove(key);
        }
        Step::Append(key, value) | Step::Add(key, value) | Step::Increment(key, value) => {
            state.entry(*key).or_default().push(*value);
        }
        Step::Transfer(from, to, amount) => {
            state.entry(*from).or_default().push(-amount);
            state.entry(*to).or_default().push(*amount);
        }
        Step::Read(key, found) => return state.get(key).map(|held| held[0]) == *found,
        Step::List(key, found) => return elements(state, *key) == *found,
        Step::Set(key, found) => {
            let set = |values: &[i64]| values.iter().copied().collect::<BTreeSet<_>>();
            return set(&elements(state, *key)) == set(found);
        }
        Step::Range(found) => {
            let held: BTreeMap<usize, i64> = state.iter().map(|(key, held)| (*key, held[0])).collect();
            return held == found.iter().copied().collect();
        }
        Step::Sum(key, found) => return sum(state, *key) == *found,
        Step::Accounts(found) => return found.iter().all(|(key, held)| sum(state, *key) == *held),
    }
    true
}

/// What a transaction writes that another one must not write at the same time: increments, elements and appends commute or are told apart by what lists show.
fn conflicts(first: &Made, second: &Made) -> bool {
    let keys = |one: &Made| -> BTreeSet<usize> {
        { one.steps.iter() }
            .filter_map(|step| match step {
                Step::Write(key, _) | Step::Delete(key) | Step::Append(key, _) => Some(*key),
                _ => None,
            })
            .collect()
    };
    !keys(first).is_disjoint(&keys(second))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Scope {
    Plain,
    Session,
    RealTime,
}

/// Whether there is an order of commits in which each transaction reads one state: the one before it, or with snapshots any earlier one of which
/// nothing that it writes has changed since.
fn has_order(made: &[Made], scope: Scope, has_snapshots: bool, initial: &State) -> bool {
    let precedes = |first: usize, second: usize| {
        let in_session = made[first].session == made[second].session && first < second;
        let in_time = made[first].span.1 < made[second].span.0;
        scope >= Scope::Session && in_session || scope >= Scope::RealTime && in_time
    };
    fn search(
        made: &[Made],
        placed: &mut Vec<usize>,
        states: &mut Vec<State>,
        precedes: &dyn Fn(usize, usize) -> bool,
        has_snapshots: bool,
    ) -> bool {
        if placed.len() == made.len() {
            return true;
        }
        for next in 0..made.len() {
            let is_free = !placed.contains(&next)
                && (0..made.len()).all(|other| placed.contains(&other) || !precedes(other, next));
            if !is_free {
                continue;
            }
            let now = states.len() - 1;
            let seen_first = placed
                .iter()
                .rposition(|other| precedes(*other, next) || conflicts(&made[*other], &made[next]));
            let earliest = if has_snapshots {
                seen_first.map_or(0, |at| at + 1)
            } else {
                now
            };
            let reads_right = (earliest..=now).any(|at| {
                let mut state = states[at].clone();
                made[next].steps.iter().all(|step| run(step, &mut state))
            });
            if !reads_right {
                continue;
            }
            let mut after = states[now].clone();
            made[next].steps.iter().for_each(|step| {
                run(step, &mut after);
            });
            placed.push(next);
            states.push(after);
            if search(made, placed, states, precedes, has_snapshots) {
                return true;
            }
            placed.pop();
            states.pop();
        }
        false
    }
    search(
        made,
        &mut Vec::new(),
        &mut vec![initial.clone()],
        &precedes,
        has_snapshots,
    )
}

/// Some transactions of a workload, each of which reads one or several past states.
fn made_up(rng: &mut Rng, kind: usize) -> (Vec<Made>, State) {
    let (keys, sessions) = (2 + rng.usize(..2), 1 + rng.usize(..3));
    let mut initial = State::new();
    let mut made = Vec::new();
    if kind == 5 {
        initial.extend((0..keys).map(|key| (key, vec![BALANCE])));
        let all = (0..keys).map(|key| (key, BALANCE)).collect();
        made.push(Made {
            session: 9,
            span: (-3, -2),
            steps: vec![Step::Accounts(all)],
        });
    }
    let mut states = vec![initial.clone()];
    let mut free = vec![0_i64; sessions];
    let (mut next, lag) = (0, rng.usize(..3));
    for at in 0..2 + rng.i64(0..3) {
        let mut after = states[states.len() - 1].clone();
        let past = |rng: &mut Rng, states: &[State]| {
            states[states.len() - 1 - rng.usize(..=lag.min(states.len() - 1))].clone()
        };
        let mut snapshot = past(rng, &states);
        let is_torn = rng.usize(..4) == 0;
        let mut steps: Vec<Step> = Vec::new();
        for _ in 0..1 + rng.usize(..if kind == 5 { 1 } else { 3 }) {
            if is_torn
                && steps.iter().all(|step| {
                    matches!(
                        step,
                        Step::Read(..) | Step::List(..) | Step::Set(..) | Step::Sum(..) | Step::Range(..)
                    )
                })
            {
                snapshot = past(rng, &states);
            }
            let key = rng.usize(..keys);
            let held = snapshot.get(&key).cloned().unwrap_or_default();
            next += 1;
            let step = match (kind, rng.bool()) {
                (0 | 3, true) if rng.usize(..5) == 0 => Step::Delete(key),
                (0 | 3, true) => Step::Write(key, next),
                (0, false) => Step::Read(key, held.first().copied()),
                (1, true) => Step::Append(key, next),
                (1, false) => Step::List(key, held),
                (2, true) => Step::Add(key, next),
                (2, false) => Step::Set(key, held),
                (3, false) => Step::Range(snapshot.iter().map(|(key, held)| (*key, held[0])).collect()),
                (4, true) => Step::Increment(key, 1 + rng.i64(0..3)),
                (4, false) => Step::Sum(key, held.iter().sum()),
                (_, true) => Step::Transfer(key, (key + 1) % keys, 1 + rng.i64(0..3)),
                (_, false) => Step::Accounts(
                    snapshot
                        .iter()
                        .map(|(key, held)| (*key, held.iter().sum()))
                        .collect(),
                ),
            };
            run(&step, &mut snapshot);
            run(&step, &mut after);
            steps.push(step);
        }
        states.push(after);
        let session = rng.usize(..sessions);
        let start = free[session].max(2 * at - rng.i64(0..4)).max(0);
        let end = start + rng.i64(0..4);
        free[session] = end + 1;
        made.push(Made {
            session,
            span: (start, end),
            steps,
        });
    }
    (made, initial)
}

/// What things are called, and in which order one read shows them.
struct Names {
    keys: Vec<String>,
    values: BTreeMap<i64, String>,
    shuffle: Option<Rng>,
}

impl Names {
    fn plain() -> Self {
        Self {
            keys: (0..9).map(|key| key.to_string()).collect(),
            values: BTreeMap::new(),
            shuffle: None,
        }
    }

    /// Other names, and another order.
    fn other(rng: &mut Rng) -> Self {
        let mut keys: Vec<String> = match rng.usize(..3) {
            0 => (0..9).map(|key| (key + 1).to_string()).collect(),
            1 => (0..9).map(|key| format!("\"k{key}\"")).collect(),
            _ => (0..9).map(|key| (90 - key).to_string()).collect(),
        };
        rng.shuffle(&mut keys);
        let mut numbers: Vec<i64> = (1..60).collect();
        rng.shuffle(&mut numbers);
        let is_text = rng.bool();
        let name = |number: i64| {
            if is_text {
                format!("\"v{number}\"")
            } else {
                number.to_string()
            }
        };
        Self {
            keys,
            values: (1..60).zip(numbers).map(|(old, new)| (old, name(new))).collect(),
            shuffle: Some(rng.fork()),
        }
    }

    fn value(&self, value: i64) -> String {
        self.values
            .get(&value)
            .cloned()
            .unwrap_or_else(|| value.to_string())
    }

    fn shown<T>(&mut self, shown: &mut [T]) {
        if let Some(rng) = &mut self.shuffle {
            rng.shuffle(shown);
        }
    }

    fn access(&mut self, step: &Step) -> String {
        let key = |key: &usize| self.keys[*key].clone();
        let list = |values: &[i64]| values.iter().map(|value| self.value(*value)).collect::<Vec<_>>();
        match step {
            Step::Write(at, value) => format!(r#"["w",{},{}]"#, key(at), self.value(*value)),
            Step::Delete(at) => format!(r#"["delete",{}]"#, key(at)),
            Step::Read(at, value) => {
                let value = value.map_or("null".to_owned(), |value| self.value(value));
                format!(r#"["r",{},{value}]"#, key(at))
            }
            Step::Append(at, value) => format!(r#"["append",{},{}]"#, key(at), self.value(*value)),
            Step::List(at, found) => format!(r#"["r",{},[{}]]"#, key(at), list(found).join(",")),
            Step::Add(at, value) => format!(r#"["add",{},{}]"#, key(at), self.value(*value)),
            Step::Set(at, found) => {
                let (key, mut found) = (key(at), list(found));
                self.shown(&mut found);
                format!(r#"["r",{key},[{}]]"#, found.join(","))
            }
            Step::Range(found) => {
                let pair = |(at, value): &(usize, i64)| format!("[{},{}]", key(at), self.value(*value));
                let mut pairs: Vec<String> = found.iter().map(pair).collect();
                self.shown(&mut pairs);
                format!(r#"["range",null,null,[{}]]"#, pairs.join(","))
            }
            Step::Increment(at, amount) => format!(r#"["inc",{},{amount}]"#, key(at)),
            Step::Sum(at, sum) => format!(r#"["r",{},{sum}]"#, key(at)),
            Step::Transfer(..) | Step::Accounts(_) => unreachable!("an operation of its own"),
        }
    }

    /// The operation that a transaction is.
    fn operation(&mut self, one: &Made) -> String {
        let (start, end) = one.span;
        let common = format!(r#""thread":{},"start":{start},"end":{end}"#, one.session);
        match one.steps.as_slice() {
            [Step::Transfer(from, to, amount)] => format!(
                r#"{{"op":"transfer",{common},"args":[{{"from":{},"to":{},"amount":{amount}}}],"ret":null}}"#,
                self.keys[*from], self.keys[*to]
            ),
            [Step::Accounts(found)] => {
                let pair =
                    |(at, held): &(usize, i64)| format!(r#""{}":{held}"#, self.keys[*at].trim_matches('"'));
                let mut pairs: Vec<String> = found.iter().map(pair).collect();
                self.shown(&mut pairs);
                format!(
                    r#"{{"op":"read",{common},"args":[null],"ret":{{{}}}}}"#,
                    pairs.join(",")
                )
            }
            steps => {
                let accesses: Vec<String> = steps.iter().map(|step| self.access(step)).collect();
                format!(
                    r#"{{"op":"txn",{common},"args":[null],"ret":[{}]}}"#,
                    accesses.join(",")
                )
            }
        }
    }

    fn recorded(&mut self, made: &[Made]) -> RecordedHistory {
        let ops: Vec<String> = made.iter().map(|one| self.operation(one)).collect();
        let line = format!(r#"{{"ops":[{}]}}"#, ops.join(","));
        read_histories("test", line.as_bytes()).next().unwrap().unwrap()
    }
}

fn verdicts(recorded: &RecordedHistory) -> Vec<Verdict> {
    let check = |level| {
        check_transactions(recorded, level, Limits::default())
            .unwrap()
            .verdict()
    };
    Isolation::all().into_iter().map(check).collect()
}

fn rounds(usual: usize) -> usize {
    let more = std::env::var("OMNILINK_ROUNDS").ok();
    usual * more.and_then(|more| more.parse().ok()).unwrap_or(1)
}

/// The levels that the definition here decides.
fn defined() -> [(Isolation, Scope, bool); 6] {
    let level = |name: &str| name.parse::<Isolation>().unwrap();
    [
        (level("serializable"), Scope::Plain, false),
        (level("strong-session-serializable"), Scope::Session, false),
        (level("strict-serializable"), Scope::RealTime, false),
        (level("snapshot-isolation"), Scope::Plain, true),
        (level("strong-session-snapshot-isolation"), Scope::Session, true),
        (level("strong-snapshot-isolation"), Scope::RealTime, true),
    ]
}

#[test]
fn every_workload_agrees_with_its_own_definition() {
    let mut rng = Rng::with_seed(11);
    let mut found = [[0; 2]; KINDS];
    for round in 0..rounds(600) {
        let kind = round % KINDS;
        let (made, initial) = made_up(&mut rng, kind);
        let recorded = Names::plain().recorded(&made);
        for (level, scope, has_snapshots) in defined() {
            let verdict = check_transactions(&recorded, level, Limits::default())
                .unwrap()
                .verdict();
            let expected = has_order(&made, scope, has_snapshots, &initial);
            let expected = if expected {
                Verdict::Valid
            } else {
                Verdict::Violation
            };
            assert_eq!(verdict, expected, "{level}, round {round}: {made:#?}");
            found[kind][usize::from(expected == Verdict::Valid)] += 1;
        }
    }
    assert!(found.iter().flatten().all(|count| *count > 20), "{found:?}");
}

#[test]
fn a_level_that_holds_implies_the_weaker_ones_and_inferring_is_asking() {
    let mut rng = Rng::with_seed(54);
    let mut found = [0, 0];
    for round in 0..rounds(300) {
        let (made, _) = made_up(&mut rng, round % KINDS);
        let recorded = Names::plain().recorded(&made);
        let inferred = infer_recorded_transactions(&recorded, Limits::default()).unwrap();
        let inferred = inferred.isolation.unwrap();
        let all: Vec<(Isolation, Verdict)> = Isolation::all().into_iter().zip(verdicts(&recorded)).collect();
        for ((level, asked), inferred) in all.iter().zip(&inferred.levels) {
            assert_eq!(
                (level.name(), *asked),
                (inferred.level.clone(), inferred.verdict),
                "{made:#?}"
            );
            found[usize::from(*asked == Verdict::Valid)] += 1;
            if *asked == Verdict::Valid {
                let broken = all
                    .iter()
                    .find(|(weaker, verdict)| level.implies(*weaker) && *verdict != Verdict::Valid);
                assert!(broken.is_none(), "{level} holds, {broken:?} does not: {made:#?}");
            }
        }
        // The border between what holds and what does not: nothing on it follows from the rest of it. Without ranges, repeatable reads are serializable.
        let has_ranges = round % KINDS == 3;
        let implies = |stronger: Isolation, weaker: Isolation| {
            let is_same = stronger.family() == IsolationFamily::RepeatableRead && !has_ranges;
            let same = Isolation::new(IsolationFamily::Serializable, stronger.scope());
            stronger.implies(weaker) || is_same && same.implies(weaker)
        };
        let level = |name: &String| name.parse::<Isolation>().unwrap();
        let weakest: Vec<Isolation> = inferred.weakest_violated.iter().map(level).collect();
        for one in &weakest {
            let follows = weakest
                .iter()
                .find(|other| *other != one && implies(*one, **other));
            assert!(
                follows.is_none(),
                "{one} is violated because {follows:?} is: {made:#?}"
            );
        }
        for (level, verdict) in &all {
            let is_on = weakest.iter().any(|weakest| implies(*level, *weakest));
            assert!(
                *verdict != Verdict::Violation || is_on,
                "{level} is violated: {weakest:?} {made:#?}"
            );
        }
    }
    assert!(found.iter().all(|count| *count > 500), "{found:?}");
}

#[test]
fn names_and_the_order_within_a_read_change_no_verdict() {
    let mut rng = Rng::with_seed(55);
    for round in 0..rounds(240) {
        let (made, _) = made_up(&mut rng, round % KINDS);
        let expected = verdicts(&Names::plain().recorded(&made));
        let mut other = made.clone();
        other.iter_mut().for_each(|one| one.session = 40 - one.session);
        let found = verdicts(&Names::other(&mut rng).recorded(&other));
        assert_eq!(found, expected, "round {round}: {made:#?}");
    }
}
