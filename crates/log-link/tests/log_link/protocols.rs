//! Five protocols: random runs of them as logs of any precision, damaged or not, against a naive enumeration.
//!
//! The naive checker always enumerates the whole of `Next`, keeps every state that explains the lines so far, and compares the name, the arguments and
//! the values of each step with what the line says. It knows nothing of link files, types, batches or reductions.

use std::collections::BTreeSet;
use std::fmt::Write;

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict, Violation};
use omnilink_link::{EvalSession, LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};
use omnilink_tla::config::parse;
use omnilink_tla::eval::{Evaluator, Flow, State};
use omnilink_tla::ir::Formula;
use omnilink_tla::model::{BuildOptions, CompiledSpec, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::source::Source;
use omnilink_value::Value;

use crate::data;
use crate::naive::orders;

struct Protocol {
    module: &'static str,
    constants: &'static [(&'static str, &'static str)],
    /// Actions and their parameters.
    actions: &'static [(&'static str, &'static [&'static str])],
}

const PROTOCOLS: [Protocol; 5] = [
    Protocol {
        module: "Lease",
        constants: &[("Node", r#"{"a", "b"}"#), ("Length", "2")],
        actions: &[
            ("Tick", &[]),
            ("Grant", &["n"]),
            ("Release", &["n"]),
            ("Write", &["n", "v"]),
        ],
    },
    Protocol {
        module: "ChainReplication",
        constants: &[("Chain", r#"<<"head", "middle", "tail">>"#), ("Value", "{7, 8}")],
        actions: &[("Accept", &["v"]), ("Store", &["i"]), ("Acknowledge", &["i"])],
    },
    Protocol {
        module: "TokenRing",
        constants: &[("N", "3")],
        actions: &[
            ("Work", &["i"]),
            ("Rest", &["i"]),
            ("Pass", &["i"]),
            ("Receive", &["i"]),
            ("Lose", &[]),
            ("Renew", &[]),
        ],
    },
    Protocol {
        module: "GossipCounter",
        constants: &[("Node", r#"{"p", "q", "r"}"#)],
        actions: &[
            ("Increment", &["n"]),
            ("Tell", &["n", "m"]),
            ("Merge", &["n"]),
            ("Read", &["n", "total"]),
        ],
    },
    Protocol {
        module: "LockService",
        constants: &[("Client", r#"{"c1", "c2"}"#)],
        actions: &[
            ("Ask", &["c"]),
            ("Give", &[]),
            ("GiveBack", &["c"]),
            ("CrashClient", &["c"]),
            ("CrashServer", &[]),
            ("Restart", &[]),
        ],
    },
];

impl Protocol {
    fn path(&self) -> std::path::PathBuf {
        data("specs/protocols").join(format!("{}.tla", self.module))
    }

    fn constants(&self) -> Vec<(String, String)> {
        let constants = self.constants.iter();
        constants
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    fn compiled(&self) -> CompiledSpec {
        let text = std::fs::read_to_string(self.path()).unwrap_or_else(|error| panic!("{error}"));
        let mut spec = load_text(&self.path(), text, &SearchPath::default()).spec;
        let config_text = "INIT Init\nNEXT Next\n";
        let source = spec.sources.add(Source::new("Protocol.cfg", config_text));
        let config = parse(source, config_text, &mut Vec::new());
        let options = BuildOptions {
            constants: self.constants(),
            ..BuildOptions::default()
        };
        build(spec, &config, &options).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
    }
}

/// A step of `Next`.
#[derive(Clone, Debug)]
struct Step {
    action: usize,
    arguments: Vec<Value>,
    to: State,
}

/// A protocol, ready to be run.
struct Runner<'p> {
    protocol: &'p Protocol,
    spec: &'p CompiledSpec,
    evaluator: Evaluator<'p>,
    initial: State,
}

impl<'p> Runner<'p> {
    fn new(protocol: &'p Protocol, spec: &'p CompiledSpec, session: &'p EvalSession) -> Self {
        let mut evaluator = Evaluator::new(&spec.program, session);
        let mut initial = None;
        let init = spec.init.unwrap_or_else(|| panic!("no Init"));
        let found = evaluator.initial(init, &mut |_, state, _| {
            initial = Some(State::from(state));
            Ok(Flow::Go)
        });
        found.unwrap_or_else(|failure| panic!("{failure:?}"));
        Self {
            protocol,
            spec,
            evaluator,
            initial: initial.unwrap_or_else(|| panic!("no initial state")),
        }
    }

    fn steps(&mut self, from: &State) -> Vec<Step> {
        let next: Formula = self.spec.next.unwrap_or_else(|| panic!("no Next"));
        let (protocol, program) = (self.protocol, &self.spec.program);
        let mut found = Vec::new();
        let result = self
            .evaluator
            .successors(next, from, &mut |evaluator, to, taken| {
                let taken = taken.unwrap_or_else(|| panic!("a step without an action"));
                let name = &*program.actions[taken.action as usize].name;
                let known = protocol.actions.iter().position(|(own, _)| *own == name);
                let action = known.unwrap_or_else(|| panic!("{name} is not listed"));
                let bindings = evaluator.bindings(taken);
                let argument = |param: &&str| {
                    let binding = bindings.iter().rev().find(|(name, _)| name == param);
                    binding.map_or_else(
                        || panic!("{name}: {param} is not bound"),
                        |(_, value)| value.clone(),
                    )
                };
                found.push(Step {
                    action,
                    arguments: protocol.actions[action].1.iter().map(argument).collect(),
                    to: to.into(),
                });
                Ok(Flow::Go)
            });
        result.unwrap_or_else(|failure| panic!("{failure:?}"));
        found
    }

    /// How many lines are explained in this order.
    fn explained(&mut self, lines: &[&Line]) -> usize {
        let mut states = BTreeSet::from([self.initial.clone()]);
        for (at, line) in lines.iter().enumerate() {
            let mut after = BTreeSet::new();
            for state in &states {
                let steps = self.steps(state).into_iter();
                after.extend(steps.filter(|step| line.fits(state, step)).map(|step| step.to));
            }
            if after.is_empty() {
                return at;
            }
            states = after;
        }
        lines.len()
    }
}

/// What a line says.
#[derive(Clone, Debug)]
struct Line {
    action: Option<usize>,
    arguments: Vec<Option<Value>>,
    /// Values of variables after the step.
    shown: Vec<(usize, Value)>,
    /// Variables that are functions of which one value changes: the key and the new value.
    changed: Vec<(usize, Value, Value)>,
}

impl Line {
    fn random(random: &mut fastrand::Rng, from: &State, step: &Step, precision: u32) -> Self {
        let mut says = || random.u32(0..4) < precision;
        let mut line = Self {
            action: says().then_some(step.action),
            arguments: Vec::new(),
            shown: Vec::new(),
            changed: Vec::new(),
        };
        let arguments = step.arguments.iter();
        line.arguments = arguments.map(|value| says().then(|| value.clone())).collect();
        for (slot, (from, to)) in from.iter().zip(step.to.iter()).enumerate() {
            match only_change(from, to) {
                Some((key, value)) if says() => line.changed.push((slot, key, value)),
                _ if says() && says() => line.shown.push((slot, to.clone())),
                _ => {}
            }
        }
        line
    }

    fn fits(&self, from: &State, step: &Step) -> bool {
        let is_named = self.action.is_none_or(|action| {
            let mut arguments = self.arguments.iter().zip(&step.arguments);
            action == step.action && arguments.all(|(own, other)| own.as_ref().is_none_or(|own| own == other))
        });
        is_named
            && self.shown.iter().all(|(slot, value)| step.to[*slot] == *value)
            && self.changed.iter().all(|(slot, key, value)| {
                with_entry(&from[*slot], key, value).is_some_and(|expected| expected == step.to[*slot])
            })
    }

    fn json(&self, protocol: &Protocol, spec: &CompiledSpec, random: &mut fastrand::Rng) -> String {
        let mut fields: Vec<String> = Vec::new();
        let is_explicit = random.bool();
        let text = |value: &Value| {
            if is_explicit {
                value.to_json()
            } else {
                plain(value)
            }
        };
        if let Some(action) = self.action {
            let (name, params) = protocol.actions[action];
            fields.push(format!("\"event\":\"{name}\""));
            let known = params.iter().zip(&self.arguments);
            if random.bool() {
                let known =
                    known.filter_map(|(param, value)| Some(format!("\"{param}\":{}", text(value.as_ref()?))));
                fields.push(format!("\"args\":{{{}}}", known.collect::<Vec<_>>().join(",")));
            } else {
                let known = known.map(|(_, value)| value.as_ref().map_or_else(|| "null".to_owned(), text));
                fields.push(format!("\"args\":[{}]", known.collect::<Vec<_>>().join(",")));
            }
        }
        let name = |slot: &usize| &*spec.program.variables[*slot];
        let shown = self.shown.iter();
        let shown: Vec<String> = shown
            .map(|(slot, value)| format!("\"{}\":{}", name(slot), text(value)))
            .collect();
        fields.push(format!("\"state\":{{{}}}", shown.join(",")));
        let changed = self.changed.iter();
        let changed: Vec<String> = changed
            .map(|(slot, key, value)| {
                let (key, value) = (key.to_json(), text(value));
                format!(
                    "\"{}\":[{{\"op\":\"Update\",\"path\":[{key}],\"args\":[{value}]}}]",
                    name(slot)
                )
            })
            .collect();
        fields.push(format!("\"vars\":{{{}}}", changed.join(",")));
        fields.join(",")
    }
}

/// A value as a program would write it: sets are arrays.
fn plain(value: &Value) -> String {
    let list = |values: &[Value]| {
        let texts: Vec<String> = values.iter().map(plain).collect();
        format!("[{}]", texts.join(","))
    };
    if let Some(values) = value.as_set().or_else(|| value.as_tuple()) {
        return list(values);
    }
    match value.as_record() {
        Some(fields) => {
            let mut text = String::new();
            for (name, value) in fields.iter() {
                let comma = if text.is_empty() { "" } else { "," };
                let _ = write!(text, "{comma}\"{name}\":{}", plain(value));
            }
            format!("{{{text}}}")
        }
        None => value.to_json(),
    }
}

/// The key and the new value, if two values are functions that differ in one value.
fn only_change(from: &Value, to: &Value) -> Option<(Value, Value)> {
    let (from, to) = (from.as_entries()?, to.as_entries()?);
    let mut differing = from.iter().zip(to).filter(|(from, to)| from != to);
    let ((key, _), (other, value)) = differing.next()?;
    (from.len() == to.len() && key == other && differing.next().is_none())
        .then(|| (key.clone(), value.clone()))
}

/// A function with another value for one of its keys.
fn with_entry(function: &Value, key: &Value, value: &Value) -> Option<Value> {
    let entries = function.as_entries()?;
    let is_there = entries.iter().any(|(own, _)| own == key);
    let entries = entries
        .iter()
        .map(|(own, old)| (own.clone(), if own == key { value } else { old }.clone()));
    is_there.then(|| Value::function(entries).unwrap_or_else(|error| panic!("{error}")))
}

/// A random run as a log, perhaps damaged.
fn random_log(runner: &mut Runner<'_>, random: &mut fastrand::Rng, length: usize) -> Vec<Line> {
    let precision = random.u32(0..=4);
    let mut state = runner.initial.clone();
    let mut lines = Vec::new();
    for _ in 0..random.usize(1..=length) {
        let steps = runner.steps(&state);
        let Some(step) = random.choice(&steps) else {
            break;
        };
        lines.push(Line::random(random, &state, step, precision));
        state = step.to.clone();
    }
    let (at, other) = (random.usize(0..lines.len()), random.usize(0..lines.len()));
    match random.u32(0..8) {
        0 => drop(lines.remove(at)),
        1 => lines.swap(at, other),
        2 => lines.insert(at, lines[other].clone()),
        3 => lines[at].shown = lines[other].shown.clone(),
        4 => lines[at].changed = lines[other].changed.clone(),
        5 if lines[at].action == lines[other].action => lines[at].arguments = lines[other].arguments.clone(),
        _ => {}
    }
    lines
}

fn rounds() -> u32 {
    let given = std::env::var("OMNILINK_ROUNDS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(60)
}

fn check_of(protocol: &Protocol, link: &str) -> LogCheck {
    let options = LinkOptions {
        constants: protocol.constants(),
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
        ..LinkOptions::default()
    };
    LogCheck::new(&protocol.path(), options, Limits::default())
}

fn explained(evidence: &Evidence) -> u64 {
    match &evidence.violation {
        Some(Violation::Operation(found)) => found.op.id,
        _ => evidence.figures.ops,
    }
}

#[test]
fn logs_of_five_protocols_get_the_naive_verdict() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let log = folder.path().join("log.ndjson");
    for protocol in &PROTOCOLS {
        let (spec, session) = (protocol.compiled(), EvalSession::default());
        let mut runner = Runner::new(protocol, &spec, &session);
        let check = check_of(protocol, "");
        let shared = check.shared_spec().unwrap_or_else(|error| panic!("{error}"));
        let mut random = fastrand::Rng::with_seed(5);
        let (mut accepted, mut rejected) = (0, 0);
        for round in 0..rounds() {
            let lines = random_log(&mut runner, &mut random, 10);
            let texts: Vec<String> = lines
                .iter()
                .map(|line| format!("{{{}}}", line.json(protocol, &spec, &mut random)))
                .collect();
            let text = texts.join("\n");
            std::fs::write(&log, &text).unwrap_or_else(|error| panic!("{error}"));
            let expected = runner.explained(&lines.iter().collect::<Vec<_>>());
            let is_accepted = expected == lines.len();
            let files = std::slice::from_ref(&log);
            let evidence = check_log(&check, shared.as_ref(), "log", files, &mut |_| {});
            let about = format!("{}, round {round}: {:?}\n{text}", protocol.module, evidence.error);
            assert_eq!(evidence.verdict == Verdict::Valid, is_accepted, "{about}");
            assert_eq!(evidence.verdict == Verdict::Violation, !is_accepted, "{about}");
            assert_eq!(explained(&evidence), expected as u64, "{about}");
            if is_accepted { accepted += 1 } else { rejected += 1 }
        }
        let module = protocol.module;
        println!("{module}: {accepted} accepted, {rejected} rejected");
        assert!(
            accepted > rounds() / 5 && rejected > rounds() / 20,
            "{module}: {accepted}, {rejected}"
        );
    }
}

#[test]
fn logs_with_vector_clocks_of_five_protocols_get_the_naive_verdict() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let log = folder.path().join("log.ndjson");
    for protocol in &PROTOCOLS {
        let (spec, session) = (protocol.compiled(), EvalSession::default());
        let mut runner = Runner::new(protocol, &spec, &session);
        let check = check_of(protocol, "[log]\norder = \"vector\"\n");
        let shared = check.shared_spec().unwrap_or_else(|error| panic!("{error}"));
        let mut random = fastrand::Rng::with_seed(6);
        let (mut accepted, mut rejected) = (0, 0);
        for round in 0..rounds() / 2 {
            let mut lines = random_log(&mut runner, &mut random, 5);
            lines.truncate(5);
            let mut own = [[0u32; 3]; 3];
            let (mut vectors, mut texts) = (Vec::new(), Vec::new());
            for line in &lines {
                let (node, heard) = (random.usize(0..3), own[random.usize(0..3)]);
                if random.bool() {
                    own[node]
                        .iter_mut()
                        .zip(heard)
                        .for_each(|(mine, theirs)| *mine = theirs.max(*mine));
                }
                own[node][node] += 1;
                vectors.push(own[node]);
                let [a, b, c] = own[node];
                let said = line.json(protocol, &spec, &mut random);
                texts.push(format!(
                    r#"{{"node":"n{node}","clock":{{"n0":{a},"n1":{b},"n2":{c}}},{said}}}"#
                ));
            }
            let text = texts.join("\n");
            std::fs::write(&log, &text).unwrap_or_else(|error| panic!("{error}"));
            let is_before = |one: usize, other: usize| {
                one != other
                    && vectors[one]
                        .iter()
                        .zip(vectors[other])
                        .all(|(one, other)| *one <= other)
            };
            let is_accepted = orders(lines.len(), &is_before, &mut |order| {
                let order: Vec<&Line> = order.iter().map(|at| &lines[*at]).collect();
                runner.explained(&order) == order.len()
            });
            let files = std::slice::from_ref(&log);
            let evidence = check_log(&check, shared.as_ref(), "log", files, &mut |_| {});
            let about = format!("{}, round {round}: {:?}\n{text}", protocol.module, evidence.error);
            assert_eq!(evidence.verdict == Verdict::Valid, is_accepted, "{about}");
            assert_eq!(evidence.verdict == Verdict::Violation, !is_accepted, "{about}");
            if is_accepted { accepted += 1 } else { rejected += 1 }
        }
        let module = protocol.module;
        println!("{module}: {accepted} accepted, {rejected} rejected");
        assert!(
            accepted > rounds() / 10 && rejected > rounds() / 40,
            "{module}: {accepted}, {rejected}"
        );
    }
}
