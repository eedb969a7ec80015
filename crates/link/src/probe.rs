//! Probing: would the spec have noticed another value?
//!
//! A trace can be valid because the system is right, or because the spec allows everything. To distinguish the two, recorded values
//! are replaced by others, in states that the search has reached, and the steps compared. A part of an operation is *pinned* if
//! another value is refused in some state, it *has an effect* if another value leads to another state, and otherwise it makes no
//! difference: nothing about it was checked.

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use omnilink_tla::eval::Evaluator;
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::audit_record::Audit;
use crate::enabling_reason::LastEnablingSet;
use crate::instance::{Instance, InstanceData, hash_of};
use crate::model::TlaModel;
use crate::samples::Sample;
use crate::state::SpecState;
use crate::variant::{others, part, parts, simple_values, with_part};

/// The result of probing the operations of one name.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The operation, as the trace calls it.
    pub op: String,
    /// The action with its parameters.
    pub action: String,
    /// Where it is defined.
    pub at: String,
    /// The result for each recorded part.
    pub parts: Vec<PartProbe>,
}

/// The result of probing a field of an operation, or a field inside it.
#[derive(Clone, Debug)]
pub struct PartProbe {
    /// The field; `result.ttl` for a field of a record.
    pub field: String,
    /// Whether it is known to be a result.
    pub is_result: bool,
    /// Whether it is a field inside a record.
    pub is_inner: bool,
    /// A value that was recorded, and one that was tried in its place.
    pub example: Option<(String, String)>,
    /// How many steps with another value were compared with the recorded one.
    pub tried: u64,
    /// Of these, how many were refused where the recorded value was not.
    pub refused: u64,
    /// Of these, how many led to another state, or were possible where the recorded value was not.
    pub changed: u64,
    /// Besides, how many could not be evaluated, which shows that the value is read.
    pub failed: u64,
}

impl PartProbe {
    /// Whether another value was tried, and none made a difference.
    pub fn makes_no_difference(&self) -> bool {
        self.tried > 0 && self.refused + self.changed + self.failed == 0
    }
}

impl Probe {
    /// Whether another value would have been refused somewhere.
    pub fn is_pinned(&self) -> bool {
        self.parts.iter().any(|part| part.refused > 0)
    }

    /// Whether another value would have made any difference.
    pub fn has_effect(&self) -> bool {
        self.parts.iter().any(|part| part.refused + part.changed > 0)
    }
}

/// How thoroughly to probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// Until it is clear whether a part makes a difference.
    Brief,
    /// As often as time allows, to compare parts with each other.
    Full,
}

/// Steps that are compared for one part, at most.
const STEPS_MAX: u64 = 1_500;
/// Once another value has an effect, the number of steps tried to find one that is refused.
const CHANGED_MAX: u64 = 24;
/// For a full probe, the number of steps compared for one part.
const FULL_MAX: u64 = 200;
/// The time for all probes: a slow spec is probed less often.
const BRIEF_TIME: Duration = Duration::from_secs(1);
const FULL_TIME: Duration = Duration::from_secs(10);
/// Values of the same field of other operations that are tried in its place.
const RECORDED_MAX: usize = 6;
/// Values from elsewhere in the trace and in the states that are tried.
const AROUND_MAX: usize = 12;

/// A part of the operations of one name, with the values and states for probing it.
#[derive(Clone, Copy)]
struct ProbeTarget<'a> {
    samples: &'a [Sample],
    states: &'a [&'a SpecState],
    around: &'a [Value],
    /// Which parameter.
    at: usize,
    /// Which field in it.
    path: &'a [String],
    deadline: Instant,
}

impl<'l> TlaModel<'l> {
    /// Tries other values in the place of recorded ones, for every operation that was placed somewhere.
    pub fn probe(&self, thoroughness: Thoroughness) -> Vec<Probe> {
        let bindings = self.linked.bindings.iter().enumerate();
        let samples: Vec<Vec<Sample>> = bindings.map(|(binding, _)| self.samples.of(binding)).collect();
        let states: Vec<&SpecState> = samples.iter().flatten().map(|(_, state)| state).collect();
        let mut around = Vec::new();
        for (instance, state) in samples.iter().flatten() {
            let values = instance.0.arguments.iter().flatten().chain(&**state.values());
            values.for_each(|value| simple_values(value, AROUND_MAX, &mut around));
        }
        let deadline = Instant::now()
            + match thoroughness {
                Thoroughness::Brief => BRIEF_TIME,
                Thoroughness::Full => FULL_TIME,
            };
        let mut evaluator = self.evaluator.borrow_mut();
        let mut probes = Vec::new();
        for (binding, samples) in self.linked.bindings.iter().zip(&samples) {
            if samples.is_empty() {
                continue;
            }
            let action = &self.linked.actions[binding.action as usize];
            let mut parts = Vec::new();
            for (at, param) in binding.params.iter().enumerate() {
                for path in paths(samples, at) {
                    let mut probe = PartProbe {
                        field: [std::slice::from_ref(&param.field), &path].concat().join("."),
                        is_result: param.is_result,
                        is_inner: !path.is_empty(),
                        example: None,
                        tried: 0,
                        refused: 0,
                        changed: 0,
                        failed: 0,
                    };
                    let target = ProbeTarget {
                        samples,
                        states: &states,
                        around: &around,
                        at,
                        path: &path,
                        deadline,
                    };
                    self.probe_part(&mut evaluator, &target, thoroughness, &mut probe);
                    parts.push(probe);
                }
            }
            probes.push(Probe {
                op: binding.op.clone(),
                action: action.signature(),
                at: action.at.clone(),
                parts,
            });
        }
        probes
    }

    fn probe_part(
        &self,
        evaluator: &mut Evaluator<'l>,
        target: &ProbeTarget<'_>,
        thoroughness: Thoroughness,
        probe: &mut PartProbe,
    ) {
        let ProbeTarget {
            samples,
            states,
            around,
            at,
            path,
            deadline,
        } = *target;
        let recorded = recorded(samples, at, path);
        // Where it was placed first, then all other states that were reached.
        let own = samples.iter().map(|(instance, state)| (instance, state));
        let foreign = samples
            .iter()
            .flat_map(|(instance, _)| states.iter().map(move |state| (instance, *state)));
        for (instance, state) in own.chain(foreign) {
            let argument = instance.0.arguments.get(at).and_then(Option::as_ref);
            let Some((whole, held)) = argument.and_then(|whole| Some((whole, part(whole, path)?))) else {
                continue;
            };
            let mut expected = None;
            for other in others(held, &recorded, around) {
                let is_enough = match thoroughness {
                    Thoroughness::Brief => {
                        probe.refused > 0
                            || (probe.changed > 0 && probe.tried >= CHANGED_MAX)
                            || probe.tried >= STEPS_MAX
                    }
                    Thoroughness::Full => probe.tried >= FULL_MAX,
                };
                if is_enough || self.is_over() || Instant::now() > deadline {
                    return;
                }
                let shown = other.to_string();
                let Some(value) = with_part(whole, path, other) else {
                    continue;
                };
                if expected.is_none() {
                    expected = Some(self.successors(evaluator, state, instance).unwrap_or_default());
                }
                let expected = expected.as_deref().unwrap_or_default();
                // A full probe measures the refused share where the recorded value was possible.
                if thoroughness == Thoroughness::Full && expected.is_empty() {
                    break;
                }
                let variant = varied(instance, at, value);
                let Ok(found) = self.successors(evaluator, state, &variant) else {
                    probe.failed += 1;
                    continue;
                };
                probe.example.get_or_insert_with(|| (held.to_string(), shown));
                probe.tried += 1;
                if found.is_empty() && !expected.is_empty() {
                    probe.refused += 1;
                } else if !is_same(&found, expected) {
                    probe.changed += 1;
                }
            }
        }
    }
}

/// The parts of an argument that any sample has.
fn paths(samples: &[Sample], at: usize) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = Vec::new();
    for (instance, _) in samples {
        let argument = instance.0.arguments.get(at).and_then(Option::as_ref);
        for path in argument.into_iter().flat_map(parts) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// Values that samples have in the same place.
fn recorded(samples: &[Sample], at: usize, path: &[String]) -> Vec<Value> {
    let mut recorded: Vec<Value> = Vec::new();
    for (instance, _) in samples {
        let argument = instance.0.arguments.get(at).and_then(Option::as_ref);
        if let Some(value) = argument.and_then(|value| part(value, path))
            && !recorded.contains(value)
            && recorded.len() < RECORDED_MAX
        {
            recorded.push(value.clone());
        }
    }
    recorded
}

/// An instance with another argument, not shared with the cache.
pub(crate) fn varied(instance: &Instance, at: usize, value: Value) -> Instance {
    let content = &instance.0;
    let mut arguments: SmallVec<[Option<Value>; 3]> = content.arguments.clone();
    if let Some(argument) = arguments.get_mut(at) {
        *argument = Some(value);
    }
    Instance(Rc::new(InstanceData {
        binding: content.binding,
        operation: content.operation,
        hash: hash_of(content.operation, &arguments, content.part),
        arguments,
        place: content.place.clone(),
        effects: OnceCell::new(),
        cache: OnceCell::new(),
        enabling: LastEnablingSet::default(),
        audit: Audit::default(),
        touched: OnceCell::new(),
        part: content.part,
    }))
}

fn is_same(found: &[SpecState], expected: &[SpecState]) -> bool {
    found.len() == expected.len() && found.iter().all(|state| expected.contains(state))
}
