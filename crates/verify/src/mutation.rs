//! Mutation as a check of a spec: what share of wrong recordings would it have noticed?

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fastrand::Rng;
use omnilink_engine::{Conclusion, Decoded, Limits, Model as _, Options, TimedOp, check};
use omnilink_evidence::{MutantFindings, MutationFindings};
use omnilink_link::{Instance, Mutator, TlaModel};
use omnilink_trace::Timebox;

use crate::error::VerifyError;
use crate::input::Input;

/// How much of a trace is mutated: a spec that notices nothing in these operations notices nothing in a million.
const OPERATIONS_MAX: usize = 600;
/// A mutant that is harder to check than this stays undecided.
const CONFIGURATIONS_MAX: u64 = 200_000;
const TIME_MAX: Duration = Duration::from_secs(2);
/// All mutants together take no longer.
const TOTAL_TIME_MAX: Duration = Duration::from_secs(50);
/// How many mutants that the spec did not notice are listed.
const EXAMPLES_MAX: usize = 8;

/// How many mutants to try, and the seed that chooses them.
#[derive(Clone, Copy, Debug)]
pub struct Mutation {
    /// How many results to change; a quarter as many operations are dropped, and as many swapped.
    pub results: u32,
    /// The seed of the random choices.
    pub seed: u64,
}

/// An operation as it was recorded.
#[derive(Clone)]
struct Recorded {
    thread: u32,
    bound: Decoded<Instance>,
    timebox: Timebox,
    place: String,
}

/// What is done to a trace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Changed,
    Dropped,
    Swapped,
}

impl Mutation {
    /// Mutates the beginning of a trace that is valid.
    pub fn run(
        self,
        model: &TlaModel<'_>,
        input: &Input,
        options: Options,
    ) -> Result<MutationFindings, VerifyError> {
        let recorded = beginning(model, input)?;
        let mut mutator = Mutator::new(model);
        recorded
            .iter()
            .for_each(|recorded| mutator.observe(&recorded.bound));
        let mut rng = Rng::with_seed(self.seed);
        let mut findings = MutationFindings {
            seed: self.seed,
            ops: recorded.len() as u64,
            ..MutationFindings::default()
        };
        let mut actions: BTreeMap<String, MutantFindings> = BTreeMap::new();
        // Only what is known to have happened can be wrong.
        let returned: Vec<usize> = (0..recorded.len())
            .filter(|at| !recorded[*at].timebox.is_pending())
            .collect();
        let others = self.results.div_ceil(4);
        let kinds = std::iter::repeat_n(Kind::Changed, self.results as usize)
            .chain(std::iter::repeat_n(Kind::Dropped, others as usize))
            .chain(std::iter::repeat_n(Kind::Swapped, others as usize));
        let started = Instant::now();
        for kind in kinds {
            if returned.is_empty() || started.elapsed() > TOTAL_TIME_MAX {
                findings.is_cut_short = !returned.is_empty();
                break;
            }
            let Some((at, mutant, told)) = mutant(kind, model, &mutator, &recorded, &returned, &mut rng)
            else {
                continue;
            };
            let limits = Limits {
                configurations: Some(CONFIGURATIONS_MAX),
                time: Some(TIME_MAX),
                ..options.limits
            };
            let outcome = check(model, operations(&mutant), Options { limits, ..options });
            let op = mutator.op(&recorded[at].bound).unwrap_or_default();
            let action = actions.entry(op.to_owned()).or_insert_with(|| MutantFindings {
                op: op.to_owned(),
                ..MutantFindings::default()
            });
            let (tried, noticed) = match kind {
                Kind::Changed => (&mut action.changed, &mut action.changed_noticed),
                Kind::Dropped => (&mut action.dropped, &mut action.dropped_noticed),
                Kind::Swapped => (&mut action.swapped, &mut action.swapped_noticed),
            };
            match outcome.map(|outcome| outcome.conclusion) {
                Ok(Conclusion::Unknown(_)) => findings.undecided += 1,
                Ok(Conclusion::Valid(_)) => {
                    *tried += 1;
                    if kind == Kind::Changed && findings.unnoticed.len() < EXAMPLES_MAX {
                        findings.unnoticed.push(format!("{}: {told}", recorded[at].place));
                    }
                }
                // A value that cannot even be evaluated is noticed, too.
                Ok(Conclusion::Violation(_)) | Err(_) => {
                    *tried += 1;
                    *noticed += 1;
                }
            }
        }
        findings.actions = actions.into_values().collect();
        Ok(findings)
    }
}

/// The first operations of a trace. What returns after the last of them starts is pending: so whatever explains the trace
/// explains its beginning, too.
fn beginning(model: &TlaModel<'_>, input: &Input) -> Result<Vec<Recorded>, VerifyError> {
    let mut threads: BTreeMap<String, u32> = BTreeMap::new();
    let mut recorded: Vec<Recorded> = Vec::new();
    for operation in input.open()? {
        let operation = operation?;
        let bound = model.bind(&operation)?;
        if matches!(bound, Decoded::LeftOut | Decoded::DidNotHappen) {
            continue;
        }
        let count = threads.len() as u32;
        let thread = *threads.entry(operation.thread.to_string()).or_insert(count);
        recorded.push(Recorded {
            thread,
            bound,
            timebox: operation.timebox,
            place: operation.location.to_string(),
        });
        if recorded.len() > OPERATIONS_MAX {
            break;
        }
    }
    if recorded.len() > OPERATIONS_MAX
        && let Some(cut) = recorded.pop().map(|next| next.timebox.start)
    {
        for recorded in &mut recorded {
            if recorded.timebox.end.is_some_and(|end| end >= cut) {
                recorded.timebox.end = None;
            }
        }
    }
    Ok(recorded)
}

fn operations(recorded: &[Recorded]) -> Vec<TimedOp<Instance>> {
    let parts = |recorded: &Recorded| recorded.bound.clone().timed(recorded.thread, recorded.timebox);
    recorded.iter().flat_map(parts).collect()
}

/// A mutant: the operation that it is about, all operations, and what was done. `None` if nothing can be done there.
fn mutant(
    kind: Kind,
    model: &TlaModel<'_>,
    mutator: &Mutator<'_, '_>,
    recorded: &[Recorded],
    returned: &[usize],
    rng: &mut Rng,
) -> Option<(usize, Vec<Recorded>, String)> {
    // Not every operation will do; a few are tried.
    for _ in 0..ATTEMPTS {
        let at = returned[rng.usize(..returned.len())];
        let mut mutant = recorded.to_vec();
        match kind {
            Kind::Changed => {
                let changed = mutator.changed(&recorded[at].bound, |bound| rng.usize(..bound));
                if let Some((bound, told)) = changed {
                    mutant[at].bound = bound;
                    let op = mutator.op(&recorded[at].bound)?;
                    return Some((at, mutant, format!("{op} with {told}")));
                }
            }
            Kind::Dropped => {
                // Nobody can miss what changes nothing.
                let may_be_missed = match &recorded[at].bound {
                    Decoded::Once(instance) => !model.is_pure(instance),
                    _ => true,
                };
                if may_be_missed {
                    mutant.remove(at);
                    return Some((at, mutant, "dropped".to_owned()));
                }
            }
            Kind::Swapped => {
                let is_next =
                    |other: &&usize| **other > at && recorded[**other].thread == recorded[at].thread;
                let other = returned.iter().find(is_next).copied();
                if let Some(other) = other
                    && !is_same(&recorded[at].bound, &recorded[other].bound)
                {
                    let (first, second) = (mutant[at].bound.clone(), mutant[other].bound.clone());
                    (mutant[at].bound, mutant[other].bound) = (second, first);
                    return Some((at, mutant, "swapped with the next of its thread".to_owned()));
                }
            }
        }
    }
    None
}

const ATTEMPTS: u32 = 20;

fn is_same(a: &Decoded<Instance>, b: &Decoded<Instance>) -> bool {
    matches!((a, b), (Decoded::Once(a), Decoded::Once(b)) if a == b)
}
