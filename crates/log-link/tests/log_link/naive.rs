//! The search against a naive enumeration: random small specs, random logs of them, and logs that were changed.
//!
//! The naive checker shares nothing with the search but the evaluator of `Next`: it enumerates all states that explain a prefix, for every
//! order of the lines, and decides by name and by value whether a step fits a line.

use std::collections::BTreeSet;
use std::path::PathBuf;

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};

/// A small protocol over three names: who holds what, and a set of messages.
const SPEC: &str = r#"---- MODULE Small ----
EXTENDS Naturals, FiniteSets
CONSTANT Name
VARIABLES held, sent, count
vars == <<held, sent, count>>
Init == held = [n \in Name |-> 0] /\ sent = {} /\ count = 0
Send(n, m) == /\ n # m
              /\ held[n] < 2
              /\ sent' = sent \cup {<<n, m>>}
              /\ count' = count + 1
              /\ UNCHANGED held
Take(n) == \E m \in Name :
              /\ <<m, n>> \in sent
              /\ sent' = sent \ {<<m, n>>}
              /\ held' = [held EXCEPT ![n] = @ + 1]
              /\ UNCHANGED count
Reset(n) == held[n] > 0 /\ held' = [held EXCEPT ![n] = 0] /\ count' = 0 /\ UNCHANGED sent
Next == \E n \in Name : (\E m \in Name : Send(n, m)) \/ Take(n) \/ Reset(n)
====
"#;

const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    held: [u8; 3],
    sent: BTreeSet<(usize, usize)>,
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Send(usize, usize),
    Take(usize, usize),
    Reset(usize),
}

fn steps(state: &State) -> Vec<(Step, State)> {
    let mut found = Vec::new();
    for n in 0..3 {
        for m in 0..3 {
            if n != m && state.held[n] < 2 {
                let mut next = state.clone();
                next.sent.insert((n, m));
                next.count += 1;
                found.push((Step::Send(n, m), next));
            }
            if state.sent.contains(&(m, n)) {
                let mut next = state.clone();
                next.sent.remove(&(m, n));
                next.held[n] += 1;
                found.push((Step::Take(n, m), next));
            }
        }
        if state.held[n] > 0 {
            let mut next = state.clone();
            next.held[n] = 0;
            next.count = 0;
            found.push((Step::Reset(n), next));
        }
    }
    found
}

/// What a line says. `None` is not said.
#[derive(Clone, Debug)]
struct Line {
    event: Option<&'static str>,
    args: Vec<Option<usize>>,
    /// `held[n]` after the step.
    held: Option<(usize, u8)>,
    /// A message that is added or removed.
    sent: Option<(bool, (usize, usize))>,
    count: Option<u32>,
}

impl Line {
    fn fits(&self, from: &State, step: Step, to: &State) -> bool {
        let (event, args) = match step {
            Step::Send(n, m) => ("Send", vec![n, m]),
            Step::Take(n, _) => ("Take", vec![n]),
            Step::Reset(n) => ("Reset", vec![n]),
        };
        if self.event.is_some_and(|own| own != event) {
            return false;
        }
        if self.event.is_some()
            && self
                .args
                .iter()
                .zip(&args)
                .any(|(own, arg)| own.is_some_and(|own| own != *arg))
        {
            return false;
        }
        if let Some((n, value)) = self.held {
            let mut held = from.held;
            held[n] = value;
            if held != to.held {
                return false;
            }
        }
        if let Some((is_added, message)) = self.sent {
            let mut sent = from.sent.clone();
            if is_added {
                sent.insert(message)
            } else {
                sent.remove(&message)
            };
            if sent != to.sent {
                return false;
            }
        }
        self.count.is_none_or(|count| count == to.count)
    }

    fn json(&self, node: Option<&str>, clock: Option<&str>) -> String {
        let mut fields = Vec::new();
        if let Some(event) = self.event {
            fields.push(format!(r#""event":"{event}""#));
            if self.args.iter().any(Option::is_some) {
                let args: Vec<String> = self
                    .args
                    .iter()
                    .map(|arg| arg.map_or("null".to_owned(), |arg| format!("\"{}\"", NAMES[arg])))
                    .collect();
                fields.push(format!(r#""args":[{}]"#, args.join(",")));
            }
        }
        if let Some((n, value)) = self.held {
            fields.push(format!(
                r#""held":[{{"op":"Update","path":["{}"],"args":[{value}]}}]"#,
                NAMES[n]
            ));
        }
        if let Some((is_added, (n, m))) = self.sent {
            let op = if is_added { "AddElement" } else { "RemoveElement" };
            fields.push(format!(
                r#""sent":[{{"op":"{op}","args":[["{}","{}"]]}}]"#,
                NAMES[n], NAMES[m]
            ));
        }
        if let Some(count) = self.count {
            fields.push(format!(r#""state":{{"count":{count}}}"#));
        }
        fields.extend(node.map(|node| format!(r#""node":"{node}""#)));
        fields.extend(clock.map(|clock| format!(r#""clock":{clock}"#)));
        format!("{{{}}}", fields.join(","))
    }
}

fn initial() -> State {
    State {
        held: [0; 3],
        sent: BTreeSet::new(),
        count: 0,
    }
}

/// How many lines are explained, in a total order, and whether all are.
fn naive(lines: &[&Line]) -> (usize, bool) {
    let mut states = BTreeSet::from([initial()]);
    for (at, line) in lines.iter().enumerate() {
        let mut after = BTreeSet::new();
        for state in &states {
            after.extend(
                steps(state)
                    .into_iter()
                    .filter(|(step, to)| line.fits(state, *step, to))
                    .map(|(_, to)| to),
            );
        }
        if after.is_empty() {
            return (at, false);
        }
        states = after;
    }
    (lines.len(), true)
}

fn random_line(random: &mut fastrand::Rng, from: &State, step: Step, to: &State, precision: u32) -> Line {
    let mut says = || random.u32(0..4) < precision;
    let (event, args) = match step {
        Step::Send(n, m) => ("Send", vec![n, m]),
        Step::Take(n, _) => ("Take", vec![n]),
        Step::Reset(n) => ("Reset", vec![n]),
    };
    let is_named = says();
    let args = args.into_iter().map(|arg| says().then_some(arg)).collect();
    let changed = (0..3).find(|n| from.held[*n] != to.held[*n]);
    let added = to
        .sent
        .difference(&from.sent)
        .next()
        .map(|message| (true, *message));
    let removed = from
        .sent
        .difference(&to.sent)
        .next()
        .map(|message| (false, *message));
    Line {
        event: is_named.then_some(event),
        args,
        held: changed.filter(|_| says()).map(|n| (n, to.held[n])),
        sent: added.or(removed).filter(|_| says()),
        count: says().then_some(to.count),
    }
}

struct Setup {
    folder: tempfile::TempDir,
}

impl Setup {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        std::fs::write(folder.path().join("Small.tla"), SPEC).unwrap_or_else(|error| panic!("{error}"));
        Self { folder }
    }

    fn check(&self, link: &str, is_reduced: bool) -> LogCheck {
        let options = LinkOptions {
            constants: vec![("Name".to_owned(), r#"{"a", "b", "c"}"#.to_owned())],
            file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
            ..LinkOptions::default()
        };
        let mut check = LogCheck::new(&self.folder.path().join("Small.tla"), options, Limits::default());
        check.uses_interchange = is_reduced;
        check
    }

    fn log(&self, text: &str) -> PathBuf {
        let path = self.folder.path().join("log.ndjson");
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{error}"));
        path
    }
}

fn rounds() -> u32 {
    std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_500)
}

/// A random behaviour as a log, and how it may have been damaged.
fn random_log(random: &mut fastrand::Rng) -> Vec<Line> {
    let precision = random.u32(0..=4);
    let mut state = initial();
    let mut lines = Vec::new();
    for _ in 0..random.usize(1..9) {
        let choices = steps(&state);
        let (step, next) = choices[random.usize(0..choices.len())].clone();
        lines.push(random_line(random, &state, step, &next, precision));
        state = next;
    }
    match random.u32(0..6) {
        0 => {
            lines.remove(random.usize(0..lines.len()));
        }
        1 if lines.len() > 1 => {
            let at = random.usize(0..lines.len() - 1);
            lines.swap(at, at + 1);
        }
        2 => {
            let at = random.usize(0..lines.len());
            lines.insert(at, lines[at].clone());
        }
        3 => {
            let at = random.usize(0..lines.len());
            let line = &mut lines[at];
            line.count = line.count.map(|count| count + 1);
            line.args
                .iter_mut()
                .flatten()
                .for_each(|arg| *arg = (*arg + 1) % 3);
        }
        _ => {}
    }
    lines
}

fn explained(evidence: &Evidence) -> u64 {
    match &evidence.violation {
        Some(omnilink_evidence::Violation::Operation(found)) => found.op.id,
        _ => evidence.figures.ops,
    }
}

#[test]
fn verdict_and_first_unexplained_line_are_those_of_the_naive_enumeration() {
    let setup = Setup::new();
    let checks = [setup.check("", true), setup.check("", false)];
    let specs = checks
        .each_ref()
        .map(|check| check.shared_spec().unwrap_or_else(|error| panic!("{error}")));
    let mut random = fastrand::Rng::with_seed(7);
    let (mut accepted, mut rejected) = (0, 0);
    for round in 0..rounds() {
        let lines = random_log(&mut random);
        let text: Vec<String> = lines.iter().map(|line| line.json(None, None)).collect();
        let text = text.join("\n");
        let log = setup.log(&text);
        let (expected, is_accepted) = naive(&lines.iter().collect::<Vec<_>>());
        for (check, spec) in checks.iter().zip(&specs) {
            let evidence = check_log(
                check,
                spec.as_ref(),
                "log",
                std::slice::from_ref(&log),
                &mut |_| {},
            );
            let verdict = if is_accepted {
                Verdict::Valid
            } else {
                Verdict::Violation
            };
            assert_eq!(
                evidence.verdict, verdict,
                "round {round}: {:?}\n{text}",
                evidence.error
            );
            assert_eq!(explained(&evidence), expected as u64, "round {round}\n{text}");
        }
        if is_accepted { accepted += 1 } else { rejected += 1 }
    }
    assert!(
        accepted > rounds() / 10 && rejected > rounds() / 10,
        "{accepted} accepted, {rejected} rejected"
    );
}

/// All orders of lines that respect a relation.
pub(crate) fn orders(
    count: usize,
    is_before: &dyn Fn(usize, usize) -> bool,
    visit: &mut dyn FnMut(&[usize]) -> bool,
) -> bool {
    fn go(
        order: &mut Vec<usize>,
        count: usize,
        is_before: &dyn Fn(usize, usize) -> bool,
        visit: &mut dyn FnMut(&[usize]) -> bool,
    ) -> bool {
        if order.len() == count {
            return visit(order);
        }
        for next in 0..count {
            let waits = |other: usize| other != next && is_before(other, next) && !order.contains(&other);
            if !order.contains(&next) && !(0..count).any(waits) {
                order.push(next);
                if go(order, count, is_before, visit) {
                    return true;
                }
                order.pop();
            }
        }
        false
    }
    go(&mut Vec::new(), count, is_before, visit)
}

/// A line with what it sends and receives: messages are named by the lines that send and receive them.
fn with_messages(line: &str, at: usize, messages: &[(usize, usize)]) -> String {
    let name = |(from, to): &(usize, usize)| format!("\"m{from}-{to}\"");
    let names = |is_mine: &dyn Fn(&&(usize, usize)) -> bool| {
        let mine = messages.iter().filter(is_mine).map(name);
        mine.collect::<Vec<_>>().join(",")
    };
    let sends = names(&|(from, _)| *from == at);
    let receives = names(&|(_, to)| *to == at);
    let line = line.trim_end();
    let line = line.strip_suffix('}').unwrap_or(line);
    format!("{line},\"sends\":[{sends}],\"receives\":[{receives}]}}")
}

#[test]
fn partial_orders_accept_exactly_what_some_order_of_the_lines_explains() {
    let setup = Setup::new();
    let link = |order: &str| format!("[log]\norder = \"{order}\"\nuncertainty = 1\n");
    let checks = ["vector", "nodes", "clock"].map(|order| setup.check(&link(order), true));
    let specs = checks
        .each_ref()
        .map(|check| check.shared_spec().unwrap_or_else(|error| panic!("{error}")));
    let mut random = fastrand::Rng::with_seed(11);
    let (mut accepted, mut rejected) = (0, 0);
    for round in 0..rounds() {
        let mut lines = random_log(&mut random);
        lines.truncate(5);
        let nodes: Vec<usize> = lines.iter().map(|_| random.usize(0..3)).collect();
        let kind = random.usize(0..3);
        let mut clocks: Vec<String> = Vec::new();
        let is_hybrid = kind == 2 && random.bool();
        let mut numbers: Vec<i64> = Vec::new();
        let mut vectors: Vec<[i64; 3]> = Vec::new();
        let mut own = [[0i64; 3]; 3];
        for node in &nodes {
            // A line may have heard of any other node.
            if random.bool() {
                let heard = own[random.usize(0..3)];
                for (mine, theirs) in own[*node].iter_mut().zip(heard) {
                    *mine = theirs.max(*mine);
                }
            }
            own[*node][*node] += 1;
            vectors.push(own[*node]);
            numbers.push(numbers.last().copied().unwrap_or(0) + random.i64(0..3));
        }
        for at in 0..lines.len() {
            clocks.push(match kind {
                0 => {
                    let [a, b, c] = vectors[at];
                    format!(r#"{{"n0":{a},"n1":{b},"n2":{c}}}"#)
                }
                _ if is_hybrid => format!("[{},{}]", numbers[at].div_euclid(2), numbers[at].rem_euclid(2)),
                _ => numbers[at].to_string(),
            });
        }
        // With clocks that may be off, some lines receive what others have sent.
        let mut messages: Vec<(usize, usize)> = Vec::new();
        if kind == 1 {
            let pairs = (0..lines.len()).flat_map(|to| (0..to).map(move |from| (from, to)));
            messages.extend(pairs.filter(|_| random.u32(0..6) == 0));
        }
        let is_before = |one: usize, other: usize| match kind {
            _ if messages.contains(&(one, other)) => true,
            0 => one != other && (0..3).all(|part| vectors[one][part] <= vectors[other][part]),
            _ => {
                let wide = if kind == 1 { 2 } else { 0 };
                (nodes[one] == nodes[other] && one < other) || numbers[one] + wide < numbers[other]
            }
        };
        let text: Vec<String> = (0..lines.len())
            .map(|at| lines[at].json(Some(&format!("n{}", nodes[at])), Some(&clocks[at])))
            .enumerate()
            .map(|(at, line)| with_messages(&line, at, &messages))
            .collect();
        let text = text.join("\n");
        let log = setup.log(&text);
        let is_accepted = orders(lines.len(), &is_before, &mut |order| {
            naive(&order.iter().map(|at| &lines[*at]).collect::<Vec<_>>()).1
        });
        let evidence = check_log(&checks[kind], specs[kind].as_ref(), "log", &[log], &mut |_| {});
        let verdict = if is_accepted {
            Verdict::Valid
        } else {
            Verdict::Violation
        };
        assert_eq!(
            evidence.verdict, verdict,
            "round {round}, kind {kind}: {:?}\n{text}",
            evidence.error
        );
        if is_accepted { accepted += 1 } else { rejected += 1 }
    }
    assert!(
        accepted > rounds() / 10 && rejected > rounds() / 10,
        "{accepted} accepted, {rejected} rejected"
    );
}
