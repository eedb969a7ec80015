//! Random logs against an oracle that shares no code: it interprets the specification and the link file by itself, tries every order of the steps that
//! files, clocks and messages allow, and keeps the set of all states. Joined lines, composed actions, hidden and stuttering ones, skew, messages, partial arguments and
//! states, `only` and `skip`; through the reader in memory, the one line by line, and the one that follows.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use omnilink_engine::Limits;
use omnilink_evidence::{Confirmation, Verdict};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, LogSpec, check_log, follow_log};

const MINI: &str = r#"---- MODULE Mini ----
EXTENDS Naturals, Sequences
VARIABLES x, lock, q
Node == {"a", "b"}
Init == x = [n \in Node |-> 0] /\ lock = "nil" /\ q = <<>>
Inc(n) == x[n] < 2 /\ x' = [x EXCEPT ![n] = @ + 1] /\ UNCHANGED <<lock, q>>
Put(n, v) == v # x[n] /\ x' = [x EXCEPT ![n] = v] /\ UNCHANGED <<lock, q>>
Acq(n) == lock = "nil" /\ lock' = n /\ UNCHANGED <<x, q>>
Rel(n) == lock = n /\ lock' = "nil" /\ UNCHANGED <<x, q>>
Push(n) == lock = n /\ Len(q) < 2 /\ q' = Append(q, x[n]) /\ UNCHANGED <<x, lock>>
Pop(n) == q # <<>> /\ x' = [x EXCEPT ![n] = Head(q)] /\ q' = Tail(q) /\ UNCHANGED lock
Lose == q # <<>> /\ q' = Tail(q) /\ UNCHANGED <<x, lock>>
Next == \/ \E n \in Node : Inc(n) \/ Acq(n) \/ Rel(n) \/ Push(n) \/ Pop(n) \/ \E v \in 0..2 : Put(n, v)
        \/ Lose
====
"#;

const EVENTS: &str = r#"
[log.events.More]
joins = true
[log.events.Ends]
joins = true
requires = 'line.old = x[line.node]'
ensures = "x'[line.node] = line.new"
[log.events.Again]
joins = true
action = "Acq"
[log.events.Both]
compose = ["Acq(line.node)?", "Push"]
[log.events.Maybe]
action = "Rel"
stutters = true
[log.events.Idle]
requires = 'line.old = x[line.node]'
"#;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    x: [i64; 2],
    lock: Option<usize>,
    q: Vec<i64>,
}

const NODES: [&str; 2] = ["a", "b"];
const ACTIONS: [&str; 7] = ["Inc", "Put", "Acq", "Rel", "Push", "Pop", "Lose"];

/// The states after an action by a node with a value.
fn act(state: &State, action: &str, n: usize, v: i64) -> Option<State> {
    let mut next = state.clone();
    match action {
        "Inc" if state.x[n] < 2 => next.x[n] += 1,
        "Put" if state.x[n] != v => next.x[n] = v,
        "Acq" if state.lock.is_none() => next.lock = Some(n),
        "Rel" if state.lock == Some(n) => next.lock = None,
        "Push" if state.lock == Some(n) && state.q.len() < 2 => next.q.push(state.x[n]),
        "Pop" if !state.q.is_empty() => next.x[n] = next.q.remove(0),
        "Lose" if !state.q.is_empty() => _ = next.q.remove(0),
        _ => return None,
    }
    Some(next)
}

/// All steps of an action with arguments as far as they are known.
fn all(state: &State, action: &str, args: [Option<i64>; 2]) -> Vec<State> {
    let mut found = Vec::new();
    for n in 0..2 {
        for v in 0..3 {
            let fits = |known: Option<i64>, own: i64| known.is_none_or(|known| known == own);
            let is_lose = action == "Lose";
            if (is_lose || fits(args[0], n)) && (action != "Put" || fits(args[1], v)) {
                found.extend(act(state, action, n as usize, v));
            }
        }
    }
    found
}

#[derive(Clone, Debug)]
struct Line {
    node: usize,
    event: Option<&'static str>,
    args: [Option<i64>; 2],
    old: i64,
    new: i64,
    lock: Option<Option<usize>>,
    x: Option<[i64; 2]>,
    q: Option<Vec<i64>>,
    /// `x[node]` becomes this by an update.
    sets_x: Option<i64>,
    /// An element is appended to `q`.
    appends: Option<i64>,
    clock: i64,
    after: Vec<usize>,
    sends: Vec<usize>,
    receives: Vec<usize>,
    is_dropped: bool,
}

fn name(node: Option<usize>) -> &'static str {
    node.map_or("nil", |node| NODES[node])
}

impl Line {
    fn is_joining(&self) -> bool {
        matches!(self.event, Some("More" | "Ends" | "Again"))
    }

    fn takes(&self) -> usize {
        match self.event {
            Some("Put") => 2,
            Some("Lose" | "Idle" | "Ends" | "Noise") | None => 0,
            _ => 1,
        }
    }

    fn json(&self, at: usize, kind: Kind) -> String {
        let mut text = format!(
            "{{\"node\":\"{}\",\"old\":{},\"new\":{}",
            NODES[self.node], self.old, self.new
        );
        let list = |numbers: &[usize]| {
            numbers
                .iter()
                .map(|n| format!("\"m{n}\""))
                .collect::<Vec<_>>()
                .join(",")
        };
        if let Some(event) = self.event {
            let _ = write!(text, ",\"event\":\"{event}\"");
        }
        if self.takes() > 0 {
            let n = self.args[0].map_or("null".to_owned(), |n| format!("\"{}\"", NODES[n as usize]));
            let v = self.args[1].map_or("null".to_owned(), |v| v.to_string());
            let args = if self.takes() == 2 { format!("{n},{v}") } else { n };
            let _ = write!(text, ",\"args\":[{args}]");
        }
        let mut state = Vec::new();
        state.extend(self.lock.map(|lock| format!("\"lock\":\"{}\"", name(lock))));
        state.extend(self.x.map(|[a, b]| format!("\"x\":{{\"a\":{a},\"b\":{b}}}")));
        state.extend(self.q.as_ref().map(|q| format!("\"q\":{q:?}")));
        if !state.is_empty() {
            let _ = write!(text, ",\"state\":{{{}}}", state.join(","));
        }
        let mut vars = Vec::new();
        let node = NODES[self.node];
        vars.extend(
            self.sets_x
                .map(|v| format!("\"x\":[{{\"op\":\"Update\",\"path\":[\"{node}\"],\"args\":[{v}]}}]")),
        );
        vars.extend(
            self.appends
                .map(|v| format!("\"q\":[{{\"op\":\"AppendElement\",\"path\":[],\"args\":[{v}]}}]")),
        );
        if !vars.is_empty() {
            let _ = write!(text, ",\"vars\":{{{}}}", vars.join(","));
        }
        if kind.has_clocks() {
            let _ = write!(text, ",\"clock\":{}", self.clock);
        }
        if kind == Kind::Edges {
            let _ = write!(text, ",\"id\":\"m{at}\",\"after\":[{}]", list(&self.after));
        }
        if kind != Kind::Lines {
            let _ = write!(
                text,
                ",\"sends\":[{}],\"receives\":[{}]",
                list(&self.sends),
                list(&self.receives)
            );
        }
        if self.is_dropped {
            text.push_str(",\"drop\":1");
        }
        text + "}"
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lines,
    Clock,
    Skew,
    Edges,
}

impl Kind {
    fn has_clocks(self) -> bool {
        matches!(self, Self::Clock | Self::Skew)
    }
}

#[derive(Clone, Copy, Debug)]
struct Setup {
    kind: Kind,
    /// How often the queue may lose before a line, and before which event only.
    loses: Option<(u32, Option<&'static str>)>,
    is_tracked: bool,
    is_small: bool,
}

impl Setup {
    fn link(&self) -> String {
        let mut text = String::new();
        if self.is_small {
            text.push_str("invariants = ['x[\"a\"] < 2 \\/ x[\"b\"] < 2']\n");
        }
        text.push_str(
            "[log]\nskip = [\"Noise\"]\nstuttering = [\"Idle\"]\nonly = '\"drop\" \\notin DOMAIN line'\n",
        );
        if self.is_tracked {
            text.push_str("tracked = [\"lock\"]\n");
        }
        if self.kind == Kind::Edges {
            text.push_str("order = \"edges\"\n");
        }
        text.push_str(EVENTS);
        if let Some((bound, before)) = self.loses {
            let when = before
                .map(|event| format!("when = '\"event\" \\in DOMAIN line /\\ line.event = \"{event}\"'\n"));
            let _ = writeln!(
                text,
                "[[log.hidden]]\naction = \"Lose\"\nbound = {bound}\n{}",
                when.unwrap_or_default()
            );
        }
        text
    }

    fn is_allowed(&self, state: &State) -> bool {
        !self.is_small || state.x != [2, 2]
    }

    /// The states after hidden steps before a line.
    fn after_hidden(&self, state: &State, line: &Line) -> Vec<State> {
        let mut states = vec![state.clone()];
        if let Some((bound, before)) = self.loses
            && before.is_none_or(|before| line.event == Some(before))
        {
            for _ in 0..bound {
                let last = states.last().cloned();
                let next = last.and_then(|state| act(&state, "Lose", 0, 0));
                states.extend(next.filter(|state| self.is_allowed(state)));
            }
        }
        states
    }

    /// The states after the lines of one step.
    fn after(&self, from: &State, lines: &[&Line]) -> Vec<State> {
        let [head, joined @ ..] = lines else {
            return Vec::new();
        };
        let mut args = head.args;
        for line in joined
            .iter()
            .filter(|line| line.event == Some("More") && head.event_takes_arguments())
        {
            match (args[0], line.args[0]) {
                (Some(one), Some(other)) if one != other => return Vec::new(),
                (None, Some(other)) => args[0] = Some(other),
                _ => {}
            }
        }
        // Each with the state before the last action.
        let mut steps: Vec<(State, State)> = Vec::new();
        let add = |steps: &mut Vec<(State, State)>, middle: &State, action: &str, args| {
            steps.extend(
                all(middle, action, args)
                    .into_iter()
                    .map(|next| (middle.clone(), next)),
            );
        };
        match head.event {
            None => ACTIONS
                .iter()
                .for_each(|action| add(&mut steps, from, action, [None, None])),
            Some("Both") => {
                let acquired = act(from, "Acq", head.node, 0);
                for middle in acquired.into_iter().chain([from.clone()]) {
                    add(&mut steps, &middle, "Push", args);
                }
            }
            Some("Maybe") => {
                add(&mut steps, from, "Rel", args);
                steps.push((from.clone(), from.clone()));
            }
            Some("Idle") => steps.push((from.clone(), from.clone())),
            Some(action) => add(&mut steps, from, action, args),
        }
        steps.retain(|(middle, next)| self.agrees(from, middle, next, lines));
        steps.into_iter().map(|(_, next)| next).collect()
    }

    fn agrees(&self, from: &State, middle: &State, next: &State, lines: &[&Line]) -> bool {
        let says_lock = lines.iter().any(|line| line.lock.is_some());
        if self.is_tracked && !says_lock && from.lock != next.lock || !self.is_allowed(next) {
            return false;
        }
        // What updates make of a variable that some line updates.
        let mut x = from.x;
        for line in lines {
            if let Some(value) = line.sets_x {
                x[line.node] = value;
            }
        }
        let updates_x = lines.iter().any(|line| line.sets_x.is_some());
        let appended = lines.iter().filter_map(|line| line.appends);
        let q: Vec<i64> = from.q.iter().copied().chain(appended).collect();
        let updates_q = q != from.q;
        if updates_x && x != next.x || updates_q && q != next.q {
            return false;
        }
        lines.iter().all(|line| {
            let formulas = match line.event {
                Some("Ends") => line.old == from.x[line.node] && line.new == next.x[line.node],
                Some("Idle") => line.old == from.x[line.node],
                Some("Again") => all(middle, "Acq", [line.args[0], None]).contains(next),
                _ => true,
            };
            formulas
                && line.lock.is_none_or(|lock| lock == next.lock)
                && line.x.is_none_or(|x| x == next.x)
                && line.q.as_ref().is_none_or(|q| *q == next.q)
                && line.sets_x.is_none_or(|value| next.x[line.node] == value)
        })
    }
}

impl Line {
    /// Whether its action has a parameter that a line that joins it may know.
    fn event_takes_arguments(&self) -> bool {
        !matches!(self.event, None | Some("Lose" | "Idle"))
    }
}

/// Nanoseconds between clocks that order nothing.
const SKEW: i64 = 2;

/// Whether some order of the steps is explained; `None` if a line joins nothing.
fn oracle(setup: &Setup, lines: &[Line]) -> Option<bool> {
    let kept: Vec<usize> = (0..lines.len())
        .filter(|at| !lines[*at].is_dropped && lines[*at].event != Some("Noise"))
        .collect();
    let mut steps: Vec<Vec<usize>> = Vec::new();
    for at in &kept {
        let own = steps
            .iter_mut()
            .rev()
            .find(|step| lines[step[0]].node == lines[*at].node);
        match (lines[*at].is_joining(), own) {
            (true, Some(step)) => step.push(*at),
            (true, None) => return None,
            (false, _) => steps.push(vec![*at]),
        }
    }
    // The times within which a line happened: where its node's clock goes back, all between the two readings.
    let reading = |at: usize| match setup.kind {
        Kind::Lines => at as i64,
        _ => lines[at].clock,
    };
    let times = |step: &[usize]| {
        let mut ends = (i64::MAX, i64::MIN);
        for at in step {
            let own = kept.iter().filter(|other| lines[**other].node == lines[*at].node);
            for other in own {
                let is_contradicted = (other > at && reading(*other) < reading(*at))
                    || (other < at && reading(*other) > reading(*at));
                if is_contradicted || other == at {
                    ends = (ends.0.min(reading(*other)), ends.1.max(reading(*other)));
                }
            }
        }
        ends
    };
    let tells = |one: usize, other: usize| {
        let is_sent = lines[one]
            .sends
            .iter()
            .any(|message| lines[other].receives.contains(message));
        (setup.kind == Kind::Edges && lines[other].after.contains(&one))
            || (setup.kind != Kind::Lines && is_sent)
    };
    let count = steps.len();
    let mut is_before = vec![vec![false; count]; count];
    for one in 0..count {
        for other in 0..count {
            let same_node = lines[steps[one][0]].node == lines[steps[other][0]].node;
            let apart = if setup.kind == Kind::Skew { SKEW } else { 0 };
            let by_time = setup.kind != Kind::Edges
                && one != other
                && !same_node
                && times(&steps[one]).1 + apart < times(&steps[other]).0;
            let by_message = one != other
                && steps[one]
                    .iter()
                    .any(|from| steps[other].iter().any(|to| tells(*from, *to)));
            is_before[one][other] = by_time || by_message || (same_node && one < other);
        }
    }
    fn go(
        setup: &Setup,
        steps: &[Vec<&Line>],
        is_before: &[Vec<bool>],
        done: &mut Vec<bool>,
        states: &BTreeSet<State>,
    ) -> bool {
        if done.iter().all(|done| *done) {
            return true;
        }
        for next in 0..steps.len() {
            if done[next] || (0..steps.len()).any(|other| !done[other] && is_before[other][next]) {
                continue;
            }
            let hidden = states
                .iter()
                .flat_map(|state| setup.after_hidden(state, steps[next][0]));
            let after: BTreeSet<State> = hidden
                .flat_map(|state| setup.after(&state, &steps[next]))
                .collect();
            if after.is_empty() {
                continue;
            }
            done[next] = true;
            let is_found = go(setup, steps, is_before, done, &after);
            done[next] = false;
            if is_found {
                return true;
            }
        }
        false
    }
    let of_steps: Vec<Vec<&Line>> = steps
        .iter()
        .map(|step| step.iter().map(|at| &lines[*at]).collect())
        .collect();
    let initial = State {
        x: [0, 0],
        lock: None,
        q: Vec::new(),
    };
    Some(go(
        setup,
        &of_steps,
        &is_before,
        &mut vec![false; count],
        &BTreeSet::from([initial]),
    ))
}

/// A line that says something of a step.
fn random_line(random: &mut fastrand::Rng, node: usize, from: &State, to: &State) -> Line {
    let mut says = |of: u32| random.u32(0..of) == 0;
    let mut line = Line {
        node,
        event: None,
        args: [None, None],
        old: from.x[node],
        new: to.x[node],
        lock: says(3).then_some(to.lock),
        x: says(4).then_some(to.x),
        q: says(4).then(|| to.q.clone()),
        sets_x: None,
        appends: None,
        clock: 0,
        after: Vec::new(),
        sends: Vec::new(),
        receives: Vec::new(),
        is_dropped: false,
    };
    let other_is_same = from.x[1 - node] == to.x[1 - node];
    if says(4) && other_is_same {
        line.sets_x = Some(to.x[node]);
    }
    if to.q.len() == from.q.len() + 1 && says(3) {
        line.appends = to.q.last().copied();
    }
    line
}

fn random_log(random: &mut fastrand::Rng, kind: Kind) -> Vec<Line> {
    let mut state = State {
        x: [0, 0],
        lock: None,
        q: Vec::new(),
    };
    let mut lines: Vec<Line> = Vec::new();
    let mut now = 0;
    for _ in 0..random.usize(1..5) {
        let node = random.usize(0..2);
        let v = random.i64(0..3);
        let possible: Vec<(&'static str, State)> = ACTIONS
            .into_iter()
            .filter_map(|action| Some((action, act(&state, action, node, v)?)))
            .collect();
        let Some((action, mut next)) = random.choice(possible) else {
            break;
        };
        let mut event = Some(action);
        match (action, random.u32(0..4)) {
            ("Acq", 0) => {
                if let Some(pushed) = act(&next, "Push", node, 0) {
                    (event, next) = (Some("Both"), pushed);
                }
            }
            ("Push", 0) => event = Some("Both"),
            ("Rel", 0 | 1) => event = Some("Maybe"),
            (_, 0) => event = None,
            _ => {}
        }
        let mut own = vec![random_line(random, node, &state, &next)];
        own[0].event = event;
        if action != "Lose" {
            own[0].args = [random.bool().then_some(node as i64), random.bool().then_some(v)];
        }
        while random.u32(0..3) == 0 && own.len() < 3 {
            let mut more = random_line(random, node, &state, &next);
            // What is appended is appended once.
            more.appends = None;
            more.event = Some(match random.u32(0..6) {
                0 | 1 => "Ends",
                // It has no parameter that a line could know.
                _ if event == Some("Lose") => "Ends",
                2 if action == "Acq" => "Again",
                _ => "More",
            });
            more.args[0] = random.bool().then_some(node as i64);
            own.push(more);
        }
        state = next;
        for mut line in own {
            now += random.i64(0..4);
            line.clock = now;
            lines.push(line);
            if random.u32(0..8) == 0 {
                let mut idle = random_line(random, node, &state, &state);
                idle.event = Some(random.choice(["Idle", "Noise", "Maybe"]).unwrap_or("Idle"));
                (idle.lock, idle.q) = (None, None);
                idle.clock = now;
                idle.is_dropped = random.u32(0..4) == 0;
                lines.push(idle);
            }
        }
    }
    if lines.is_empty() {
        return lines;
    }
    for to in 1..lines.len() {
        let from = random.usize(0..to);
        match random.u32(0..8) {
            0 => lines[to].after.push(from),
            1 if kind != Kind::Lines => {
                lines[from].sends.push(from);
                lines[to].receives.push(from);
            }
            _ => {}
        }
    }
    // Lines of other nodes often come in between, clocks are off, and now and then something is wrong.
    for _ in 0..random.usize(0..3) {
        let at = random.usize(0..lines.len());
        match random.u32(0..9) {
            0 | 1 if at > 0 && lines[at].node != lines[at - 1].node && kind == Kind::Lines => {
                lines.swap(at - 1, at)
            }
            2 | 3 => lines[at].clock += random.i64(-4..5),
            4 => lines[at].new = random.i64(0..3),
            5 => lines[at].lock = Some(random.choice([None, Some(0), Some(1)]).unwrap_or(None)),
            6 => lines[at].args[0] = Some(random.i64(0..2)),
            7 => lines[at].sets_x = Some(random.i64(0..3)),
            8 => lines[at].old = random.i64(0..3),
            _ => {}
        }
    }
    lines
}

struct Checked {
    setup: Setup,
    check: LogCheck,
    spec: LogSpec,
}

impl Checked {
    fn new(folder: &Path, setup: Setup) -> Self {
        let path = folder.join("Mini.tla");
        std::fs::write(&path, MINI).unwrap_or_else(|error| panic!("{error}"));
        let mut options = LinkOptions {
            file: LinkFile::parse(&setup.link()).unwrap_or_else(|error| panic!("{error}\n{}", setup.link())),
            ..LinkOptions::default()
        };
        if setup.kind == Kind::Skew {
            let skew = Duration::from_nanos(SKEW as u64);
            options
                .file
                .log
                .allow_skew(skew)
                .unwrap_or_else(|error| panic!("{error}"));
        }
        let check = LogCheck::new(&path, options, Limits::default());
        let spec = check.shared_spec().unwrap_or_else(|error| panic!("{error}"));
        let spec = spec.unwrap_or_else(|| panic!("there is no header"));
        Self { setup, check, spec }
    }

    /// Compares the answers on one log; whether it is explained.
    fn compare(&mut self, file: &Path, lines: &[Line]) -> Option<bool> {
        let kind = self.setup.kind;
        let text: String = lines
            .iter()
            .enumerate()
            .map(|(at, line)| line.json(at, kind) + "\n")
            .collect();
        std::fs::write(file, &text).unwrap_or_else(|error| panic!("{error}"));
        let expected = oracle(&self.setup, lines);
        let verdict = match expected {
            Some(true) => Verdict::Valid,
            Some(false) => Verdict::Violation,
            None => Verdict::Error,
        };
        for (in_memory_bytes, is_naive) in [(16 << 20, false), (16 << 20, true), (0, false)] {
            self.check.in_memory_bytes = in_memory_bytes;
            self.check.is_naive = is_naive;
            let found = check_log(
                &self.check,
                Some(&self.spec),
                "log",
                &[file.to_owned()],
                &mut |_| {},
            );
            // Messages that say that a line comes before one that it comes after are an input that makes no sense.
            if found
                .error
                .as_ref()
                .is_some_and(|error| error.contains("it comes after") || error.contains("form a circle"))
            {
                assert_ne!(
                    expected,
                    Some(true),
                    "{:?}\n{}{text}",
                    found.error,
                    self.setup.link()
                );
                return None;
            }
            assert_eq!(
                found.verdict,
                verdict,
                "{kind:?}, naive: {is_naive}, {in_memory_bytes} bytes in memory: {:?}\n{}{text}",
                found.error,
                self.setup.link()
            );
            match verdict {
                Verdict::Violation => assert!(
                    found
                        .confirmation
                        .as_ref()
                        .is_some_and(Confirmation::is_confirmed),
                    "{:?}\n{text}",
                    found.confirmation
                ),
                Verdict::Valid => assert!(found.figures.replayed.is_some(), "{text}"),
                _ => {}
            }
        }
        self.check.is_naive = false;
        if matches!(kind, Kind::Lines | Kind::Clock) {
            let input = std::fs::File::open(file).unwrap_or_else(|error| panic!("{error}"));
            let found = follow_log(
                &self.check,
                "log",
                file,
                Box::new(input),
                &mut |_| {},
                &mut || false,
            );
            if found.verdict != Verdict::Error {
                assert_eq!(
                    found.verdict,
                    verdict,
                    "followed: {:?}\n{}{text}",
                    found.notes,
                    self.setup.link()
                );
            }
        }
        expected
    }
}

#[test]
fn random_logs_get_the_verdict_of_an_oracle_that_shares_no_code() {
    let rounds = std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let rounds: u32 = rounds.unwrap_or(400);
    let seed = std::env::var("OMNILINK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    let mut random = fastrand::Rng::with_seed(seed.unwrap_or(53));
    let mut setups: Vec<Checked> = Vec::new();
    for kind in [Kind::Lines, Kind::Clock, Kind::Skew, Kind::Edges] {
        let loses = [None, Some((1, None)), Some((2, Some("Push")))];
        for (at, loses) in loses.into_iter().enumerate() {
            let setup = Setup {
                kind,
                loses,
                is_tracked: at == 0 && kind != Kind::Clock,
                is_small: at == 1,
            };
            setups.push(Checked::new(folder.path(), setup));
        }
    }
    let mut seen = [0, 0, 0];
    for _ in 0..rounds {
        let at = random.usize(0..setups.len());
        let lines = random_log(&mut random, setups[at].setup.kind);
        if lines.is_empty() {
            continue;
        }
        seen[match setups[at].compare(&file, &lines) {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        }] += 1;
    }
    assert!(seen[0] > rounds / 8 && seen[1] > rounds / 8, "{seen:?}");
}
