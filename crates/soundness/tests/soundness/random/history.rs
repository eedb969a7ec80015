//! Random traces: a simulation of threads, and changes to what it recorded.

use fastrand::Rng;

use crate::oracle::action::State;
use crate::oracle::eval::Valued;
use crate::oracle::explain::after_hidden;
use crate::oracle::spec::Spec;
use crate::oracle::timed_call::{TimedCall, in_order};
use crate::oracle::value::Val;

/// How a trace is to look.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub calls: usize,
    pub threads: usize,
    /// Whether clock readings often coincide.
    pub has_ties: bool,
    /// Whether threads are labels only, so that their calls may overlap.
    pub is_async: bool,
    /// The number of calls that do not return.
    pub pending: usize,
    /// How much longer calls take to return than to take effect.
    pub delay: u32,
    /// Of how many calls one is recorded as it happens to be, possible or not; 0: none.
    pub wild: u32,
}

impl Profile {
    pub fn random(rng: &mut Rng) -> Self {
        let is_long = rng.u32(..12) == 0;
        Self {
            calls: if is_long {
                rng.usize(24..64)
            } else {
                rng.usize(2..9)
            },
            threads: if is_long { rng.usize(1..4) } else { rng.usize(1..7) },
            has_ties: rng.bool(),
            is_async: rng.u32(..8) == 0,
            wild: [0, 0, 2, 4, 8, 8][rng.usize(..6)],
            delay: [1, 3, 8][rng.usize(..3)],
            pending: if rng.bool() { rng.usize(1..3) } else { 0 },
        }
    }
}

enum Lane {
    Idle,
    /// A call that has begun, and the steps that it has done.
    Called(TimedCall, u32),
    /// A call that has taken effect.
    Done(TimedCall),
    Crashed,
}

/// A trace that is valid by construction, and often one change that may make it invalid. Calls are in order of start.
pub fn random_history(rng: &mut Rng, spec: &Spec, profile: Profile) -> Valued<Vec<TimedCall>> {
    let mut calls = simulated(rng, spec, profile)?;
    if profile.is_async {
        calls.iter_mut().for_each(|call| call.thread %= 2);
    }
    let changes = [0, 0, 1, 2][rng.usize(..4)];
    for _ in 0..changes {
        change(rng, spec, &mut calls);
    }
    Ok(in_order(&calls))
}

fn simulated(rng: &mut Rng, spec: &Spec, profile: Profile) -> Valued<Vec<TimedCall>> {
    let mut lanes: Vec<Lane> = (0..profile.threads).map(|_| Lane::Idle).collect();
    let initial = spec.initial_states();
    let mut state = initial[rng.usize(..initial.len())].clone();
    let (mut calls, mut now, mut begun, mut crashed) = (Vec::new(), 0, 0, 0);
    for _ in 0..profile.calls * (10 + 4 * profile.delay as usize) {
        now += if profile.has_ties {
            i64::from(rng.u32(..3) == 0)
        } else {
            1
        };
        let thread = rng.usize(..lanes.len());
        let lane = std::mem::replace(&mut lanes[thread], Lane::Idle);
        lanes[thread] = match lane {
            Lane::Idle if begun < profile.calls => {
                begun += 1;
                let operation = rng.usize(..spec.operations.len());
                Lane::Called(called(rng, spec, thread as u32, operation, now), 0)
            }
            Lane::Called(call, _) if profile.wild > 0 && rng.u32(..profile.wild) == 0 => Lane::Done(call),
            Lane::Called(call, steps) => advanced(rng, spec, call, steps, &mut state)?,
            Lane::Done(call) if rng.u32(..profile.delay) > 0 => Lane::Done(call),
            Lane::Done(mut call) => {
                let crashes = crashed < profile.pending && rng.u32(..3) == 0;
                crashed += usize::from(crashes);
                call.end = (!crashes).then_some(now);
                calls.push(call);
                if crashes { Lane::Crashed } else { Lane::Idle }
            }
            lane => lane,
        };
    }
    // What has not returned: a call that took effect is one that returns now.
    for lane in lanes {
        now += 1;
        match lane {
            Lane::Done(call) => calls.push(TimedCall {
                end: Some(now),
                ..call
            }),
            Lane::Called(call, _) if crashed < profile.pending => {
                crashed += 1;
                calls.push(call);
            }
            _ => {}
        }
    }
    for call in &mut calls {
        if call.end.is_none() && rng.bool() && spec.operations[call.operation].step.is_none() {
            forget_result(spec, call);
        }
    }
    Ok(calls)
}

fn forget_result(spec: &Spec, call: &mut TimedCall) {
    for (param, arg) in spec.operations[call.operation].params.iter().zip(&mut call.args) {
        if param.is_result {
            *arg = None;
        }
    }
}

/// A call with random arguments and a random result.
pub fn called(rng: &mut Rng, spec: &Spec, thread: u32, operation: usize, start: i64) -> TimedCall {
    let params = &spec.operations[operation].params;
    let args = params
        .iter()
        .map(|param| Some(param.values[rng.usize(..param.values.len())].clone()));
    TimedCall {
        thread,
        operation,
        args: args.collect(),
        start,
        end: None,
    }
}

/// The call takes effect, or does a step. If it cannot, it may become another call.
fn advanced(rng: &mut Rng, spec: &Spec, mut call: TimedCall, steps: u32, state: &mut State) -> Valued<Lane> {
    let reached = after_hidden(spec, state)?;
    for attempt in 0..24 {
        let before = &reached[if rng.bool() { 0 } else { rng.usize(..reached.len()) }];
        let operation = &spec.operations[call.operation];
        let args: Vec<Val> = call.args.iter().flatten().cloned().collect();
        if let Some((step, times)) = &operation.step
            && steps < *times
            && rng.bool()
        {
            let found = spec.successors(step, &operation.params, &args, before)?;
            if !found.is_empty() {
                *state = found[rng.usize(..found.len())].clone();
                return Ok(Lane::Called(call, steps + 1));
            }
        }
        let found = spec.successors(&operation.done, &operation.params, &args, before)?;
        if !found.is_empty() {
            *state = found[rng.usize(..found.len())].clone();
            return Ok(Lane::Done(call));
        }
        // The arguments of a call that has done steps are settled, except for its result.
        let (thread, start) = (call.thread, call.start);
        let operation = if attempt % 3 == 2 && steps == 0 {
            rng.usize(..spec.operations.len())
        } else {
            call.operation
        };
        match steps {
            0 => call = called(rng, spec, thread, operation, start),
            _ => break,
        }
    }
    Ok(Lane::Called(call, steps))
}

/// Records something else.
fn change(rng: &mut Rng, spec: &Spec, calls: &mut Vec<TimedCall>) {
    if calls.is_empty() {
        return;
    }
    let at = rng.usize(..calls.len());
    match rng.u32(..10) {
        0 if calls.len() > 1 => {
            calls.remove(at);
        }
        1 => {
            // Its effect may come earlier or later, as long as its thread has nothing else to do.
            if let Some(end) = calls[at].end {
                let start = calls[at].start;
                calls[at].start = rng.i64(start..=end);
            }
        }
        _ => {
            let call = &mut calls[at];
            let params = &spec.operations[call.operation].params;
            if params.is_empty() {
                return;
            }
            let which = match params.iter().position(|param| param.is_result) {
                Some(result) if rng.u32(..3) > 0 => result,
                _ => rng.usize(..params.len()),
            };
            if call.args[which].is_some() {
                let values = &params[which].values;
                call.args[which] = Some(values[rng.usize(..values.len())].clone());
            }
        }
    }
}
