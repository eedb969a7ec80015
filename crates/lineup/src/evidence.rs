//! The evidence of a campaign: what reports and `--json` show.

use omnilink_evidence::{
    Command, Counterexample, Evidence, FailingRun, Limit, LineupCoverage, LineupScope, MatrixLane,
    PlainAccesses, ReportedOperation, RunMemory, RunPhase, ScheduleEnding, ScheduleEvent,
    SerialContradiction, StuckOperation, ThreadAccess, ThreadName, ThreadSwitch, UndecidedMatrix,
    Unexplained, Unknown, Verdict,
};

use omnilink_report::count;
use omnilink_sched::MemoryModel;

use crate::alphabet::Alphabet;
use crate::call_id::CallId;
use crate::campaign::Summary;
use crate::diagnosis::Diagnosis;
use crate::execution::{Cut, MatrixRun, RaceReport, RunEnding, RunEvent};
use crate::failing_matrix::FailingMatrix;
use crate::history::{CallHistory, HistoryEnding, HistoryEvent};
use crate::nearest_serial::nearest;
use crate::scope::RUST_LIBRARY;
use crate::slot::{CallSlot, Lane};
use crate::verdict::{self, CheckedMatrix, PhaseFigures, RunViolation, Undecided, Why};
use crate::words::Words;

/// The component that a campaign is about.
#[derive(Clone, Copy, Debug)]
pub struct CampaignSubject<'a> {
    /// Its name.
    pub name: &'a str,
    /// The calls that it offers.
    pub alphabet: &'a Alphabet,
    /// What it was checked against, if not its own serial runs.
    pub specification: Option<&'a str>,
    /// The command that checks it again, without the matrix.
    pub command: &'a str,
    /// The arguments that choose the matrices, with a space before each; none if the defaults were used.
    pub matrices: &'a str,
}

impl CampaignSubject<'_> {
    /// The evidence of a campaign.
    pub fn evidence(&self, summary: &Summary) -> Evidence {
        let mut evidence = Evidence::new(Command::Lineup, omnilink_evidence::Subject::Runs, self.name);
        evidence.figures.seconds = summary.seconds;
        evidence.campaign = Some(self.campaign(summary));
        match &summary.failure {
            Some(failure) => {
                evidence.verdict = Verdict::Violation;
                evidence.violation = self.violation(failure);
            }
            None if !summary.is_complete || summary.limit.is_some() => {
                evidence.give_up(Unknown::limited(summary.limit.unwrap_or(Limit::Time)));
            }
            None if summary.undecided > 0 => {
                let undecided = summary.first_undecided.as_deref();
                evidence.give_up(Unknown {
                    reason: undecided.map(|checked| undecided_text(checked, self.alphabet)),
                    ..Unknown::limited(Limit::Inconclusive)
                });
            }
            None => {}
        }
        evidence
    }

    fn campaign(&self, summary: &Summary) -> LineupCoverage {
        let undecided = |checked: &CheckedMatrix| UndecidedMatrix {
            matrix: checked.matrix.display(self.alphabet).to_string(),
            reason: undecided_text(checked, self.alphabet),
        };
        LineupCoverage {
            specification: self.specification.map(str::to_owned),
            matrices: summary.matrices + summary.further,
            undecided: summary.undecided,
            first_undecided: summary.first_undecided.as_deref().map(undecided),
            complete: summary.is_complete,
            executions: summary.executions,
            executions_per_second: summary.executions as f64 / summary.seconds.max(1e-9),
            serial_histories: summary.serial_histories,
            serial_stuck: summary.serial_stuck,
            phases: summary.phases.iter().map(phase).collect(),
            scope: self.scope(summary),
            rerun: self.command.to_owned(),
        }
    }

    /// The names of calls, by their numbers in the harness.
    fn names(&self, calls: &[u32]) -> Vec<String> {
        let name = |call: &u32| Some(self.alphabet.name(CallId(u16::try_from(*call).ok()?)).to_owned());
        calls.iter().filter_map(name).collect()
    }

    fn scope(&self, summary: &Summary) -> Option<LineupScope> {
        let scope = summary.scope.as_ref()?;
        let is_rust = |library: &&String| *library == RUST_LIBRARY;
        let mut next = Vec::new();
        let with = |arguments: &str| format!("{}{} {arguments}", self.command, self.matrices);
        if summary.limit == Some(Limit::Time) {
            // Ten times as long, in minutes.
            let minutes = (summary.seconds / 6.0).ceil().max(1.0);
            next.push(with(&format!("--time-limit {minutes}m")));
        }
        if summary.suspected.is_some() && !scope.plain_accesses {
            next.push(with("--plain"));
        }
        if scope.uninstrumented.iter().any(|library| library.contains(".so")) {
            next.push(with("--engine native"));
        }
        match scope.memory_model {
            Some(MemoryModel::SequentiallyConsistent) => next.push(with("--memory c11")),
            Some(MemoryModel::Cpp20 { stale_max }) => {
                let given = format!(" --stale-reads {stale_max}");
                let command = self.command.replace(&given, "");
                next.push(format!(
                    "{command}{} --stale-reads {}",
                    self.matrices,
                    stale_max + 1
                ));
            }
            None => {}
        }
        let preemptions = bound_completed(summary);
        if let Some(bound) = preemptions {
            next.push(with(&format!("--preemptions {}", bound + 1)));
        }
        Some(LineupScope {
            matrices: match (summary.reached(), summary.further) {
                (Some(reached), _) => format!("{}; it stopped after {reached}", summary.asked),
                (None, 0) => summary.asked.clone(),
                (None, further) => format!(
                    "{}, and in the time that was left {} more random ones",
                    summary.asked,
                    count(further)
                ),
            },
            preemptions,
            memory_model: match scope.memory_model {
                Some(MemoryModel::SequentiallyConsistent) => RunMemory::SequentiallyConsistent,
                Some(MemoryModel::Cpp20 { .. }) => RunMemory::Cpp20,
                None => RunMemory::Processor,
            },
            stale_reads: match scope.memory_model {
                Some(MemoryModel::Cpp20 { stale_max }) => Some(stale_max),
                _ => None,
            },
            spins: scope.spins,
            load_buffering_possible: scope.may_buffer_loads,
            calls_without_steps: self.names(&scope.calls_without_steps),
            plain_accesses: match (scope.plain_accesses, scope.races) {
                (true, _) => PlainAccesses::All,
                (false, true) => PlainAccesses::Racing,
                (false, false) => PlainAccesses::None,
            },
            races: scope.races,
            racing_places: scope.racy_accesses,
            suspected_race: summary.suspected.as_ref().map(accesses),
            not_instrumented: scope
                .uninstrumented
                .iter()
                .filter(|library| !is_rust(library))
                .cloned()
                .collect(),
            calls_not_seen: scope.library_calls.clone(),
            rust_library_prebuilt: scope.uninstrumented.iter().any(|library| is_rust(&library)),
            runs_cut: summary.phases.iter().map(|phase| phase.cut).sum(),
            runs_diverged: summary.phases.iter().map(|phase| phase.diverged).sum(),
            next,
        })
    }

    fn violation(&self, failure: &FailingMatrix) -> Option<omnilink_evidence::Violation> {
        let checked = &failure.smallest;
        let words = Words {
            alphabet: self.alphabet,
            matrix: &checked.matrix,
            results: &checked.results,
        };
        let found = failure.found.display(self.alphabet).to_string();
        let matrix = checked.matrix.display(self.alphabet).to_string();
        let serial_histories = checked.serial.len();
        match &checked.verdict {
            verdict::MatrixVerdict::Violation(violation) => {
                let execution = &violation.execution;
                let diagnosis =
                    Diagnosis::of(checked).map_or("not linearizable", |diagnosis| diagnosis.headline());
                let operations = operations(words, &violation.history);
                let run = FailingRun {
                    found,
                    matrix,
                    shrink_seconds: failure.shrink_seconds,
                    serial_histories,
                    diagnosis: diagnosis.to_owned(),
                    why: why(words, violation),
                    lanes: lanes(words, &violation.history),
                    unexplained: unexplained(violation),
                    operations,
                    events: events(words, execution),
                    switches: execution.switches.iter().map(switch).collect(),
                    accesses: execution.accesses.iter().map(access).collect(),
                    ending: ending(&execution.ending),
                    serial: violation.is_serial,
                    preemptions: execution.preemptions,
                    stale_reads: execution.stale_reads,
                    schedule: execution.schedule.to_string(),
                    switch_at: execution.switch_places(),
                    races: execution
                        .races
                        .iter()
                        .filter(|race| !race.is_inconclusive)
                        .map(accesses)
                        .collect(),
                    output: execution.output.clone(),
                    stack: execution.stack_lines(),
                    memory_error: execution.memory_error.iter().map(ToString::to_string).collect(),
                    repeatable: failure.is_repeatable,
                    serial_runs: nearest(words, &checked.serial, &violation.history),
                };
                Some(omnilink_evidence::Violation::Run(Box::new(run)))
            }
            verdict::MatrixVerdict::Nondeterministic(two) => {
                let contradiction = SerialContradiction {
                    found,
                    matrix,
                    shrink_seconds: failure.shrink_seconds,
                    serial_histories,
                    diagnosis: "nondeterministic".to_owned(),
                    call: two
                        .one
                        .get(two.differ_at)
                        .map_or("a call", |step| words.call(step.slot))
                        .to_owned(),
                    one: words.steps(&two.one),
                    other: words.steps(&two.other),
                };
                Some(omnilink_evidence::Violation::Nondeterminism(Box::new(
                    contradiction,
                )))
            }
            verdict::MatrixVerdict::Passed | verdict::MatrixVerdict::Unknown(_) => None,
        }
    }
}

/// The largest number of preemptions for which all runs were made.
fn bound_completed(summary: &Summary) -> Option<u32> {
    let complete = summary.phases.iter();
    let complete = complete.take_while(|phase| phase.bound.is_some() && phase.is_complete);
    complete.filter_map(|phase| phase.bound).max()
}

fn phase(phase: &PhaseFigures) -> RunPhase {
    RunPhase {
        preemptions: phase.bound,
        executions: phase.executions,
        histories: phase.histories,
        checked: phase.checked,
        stuck: phase.stuck,
        crashed: phase.crashed,
        cut: phase.cut,
        diverged: phase.diverged,
        unexplained: phase.unexplained,
        complete: phase.is_complete,
        seconds: phase.seconds,
    }
}

fn accesses(race: &RaceReport) -> Vec<String> {
    let mut lines: Vec<String> = race.accesses.iter().map(ToString::to_string).collect();
    let call = race.unknown_call.iter();
    lines.extend(call.map(|call| format!("`{call}` was called in between, of which nothing is known here")));
    lines
}

/// The counterexample with the threads of the matrix: the engine counts the main thread, too.
fn named(words: Words<'_>, counterexample: &Counterexample) -> Counterexample {
    let mut counterexample = counterexample.clone();
    counterexample.visit_operations(&mut |op| {
        let lane = words
            .matrix
            .lanes()
            .find(|lane| op.thread == ThreadName::Number(lane.number()));
        if let Some(lane) = lane {
            op.thread = lane.thread_name();
        }
    });
    counterexample
}

fn why(words: Words<'_>, violation: &RunViolation) -> Unexplained {
    if violation.is_leak() {
        let but = if violation.is_serial {
            ", although one call is made after the other: it takes no concurrency.\n"
        } else {
            ". No serial run leaks.\n"
        };
        let text = format!("Memory is still allocated when the component has been destroyed{but}");
        return Unexplained::Specification { text };
    }
    match &violation.why {
        Why::Results(counterexample) => Unexplained::Results {
            counterexample: named(words, counterexample),
        },
        Why::Stuck(stuck) => Unexplained::Stuck {
            calls: stuck
                .iter()
                .map(|call| StuckOperation {
                    call: words.call(call.slot).to_owned(),
                    thread: call.slot.lane.thread_name(),
                    counterexample: named(words, &call.counterexample),
                })
                .collect(),
        },
        Why::Crash(slot, counterexample) => Unexplained::Crash {
            call: words.call(*slot).to_owned(),
            counterexample: named(words, counterexample),
        },
        Why::CrashAlone(slot, signal) => Unexplained::CrashAlone {
            call: words.call(*slot).to_owned(),
            signal: words.results.text(*signal).to_owned(),
        },
        Why::Race(race) => Unexplained::Race {
            accesses: accesses(race),
        },
        Why::Blocked(slots) => Unexplained::Blocked {
            calls: slots
                .iter()
                .map(|slot| format!("{} of {}", words.call(*slot), slot.lane))
                .collect(),
        },
        Why::Specification(text) => Unexplained::Specification { text: text.clone() },
    }
}

/// The calls in the order in which they were made.
fn operations(words: Words<'_>, history: &CallHistory) -> Vec<ReportedOperation> {
    let mut calls: Vec<(CallSlot, ReportedOperation)> = Vec::new();
    for (now, event) in (0..).zip(&history.events) {
        match *event {
            HistoryEvent::Call(slot) => {
                let text = words.outcome(slot, history);
                let mut operation = ReportedOperation::timed(calls.len() as u64, 0, text, now, None);
                operation.thread = slot.lane.thread_name();
                calls.push((slot, operation));
            }
            HistoryEvent::Return(slot, _) => {
                if let Some((_, operation)) = calls.iter_mut().find(|(other, _)| *other == slot) {
                    operation.end = Some(now);
                    operation.pending = false;
                }
            }
        }
    }
    calls.into_iter().map(|(_, operation)| operation).collect()
}

/// The ids of the calls that cannot be explained.
fn unexplained(violation: &RunViolation) -> Vec<u64> {
    let calls: Vec<CallSlot> = violation.history.calls().collect();
    let slots: Vec<CallSlot> = match &violation.why {
        // Operations are given to the engine in the order of their calls.
        Why::Results(counterexample) => {
            let at = usize::try_from(counterexample.op.id).ok();
            at.and_then(|at| calls.get(at)).copied().into_iter().collect()
        }
        Why::Stuck(stuck) => stuck.iter().map(|call| call.slot).collect(),
        Why::Crash(slot, _) | Why::CrashAlone(slot, _) => vec![*slot],
        Why::Blocked(slots) => slots.clone(),
        Why::Specification(_) | Why::Race(_) => Vec::new(),
    };
    let id = |slot: &CallSlot| calls.iter().position(|call| call == slot).map(|id| id as u64);
    slots.iter().filter_map(id).collect()
}

fn lanes(words: Words<'_>, history: &CallHistory) -> Vec<MatrixLane> {
    let pending = history.pending();
    let text = |slot: CallSlot| match (history.result(slot), history.ending) {
        (Some(_), _) => words.outcome(slot, history),
        (None, HistoryEnding::Crashed(crashed, reason)) if crashed == slot => {
            format!("{} crashes: {}", words.call(slot), words.results.text(reason))
        }
        (None, HistoryEnding::Stuck) if pending.contains(&slot) => format!("{} is stuck", words.call(slot)),
        (None, _) if pending.contains(&slot) => words.outcome(slot, history),
        (None, _) => format!("({} is not called)", words.call(slot)),
    };
    let lane = |lane: Lane| MatrixLane {
        name: lane.to_string(),
        calls: (0..words.matrix.lane(lane).len())
            .map(|index| {
                text(CallSlot {
                    lane,
                    index: index as u8,
                })
            })
            .collect(),
    };
    words.matrix.lanes().map(lane).collect()
}

fn events(words: Words<'_>, execution: &MatrixRun) -> Vec<ScheduleEvent> {
    let event = |event: &RunEvent| match event {
        RunEvent::Call(slot) => ScheduleEvent::Call {
            thread: slot.lane.thread_name(),
            call: words.call(*slot).to_owned(),
        },
        RunEvent::Return(slot, result) => ScheduleEvent::Return {
            thread: slot.lane.thread_name(),
            call: words.call(*slot).to_owned(),
            result: result.to_string(),
        },
    };
    execution.events.iter().map(event).collect()
}

fn switch(switch: &crate::execution::Switch) -> ThreadSwitch {
    ThreadSwitch {
        after_events: switch.after_events,
        step: switch.step,
        from: switch.from.thread_name(),
        to: switch.to.thread_name(),
        preemption: switch.is_preemption,
        place: switch.source_line.clone(),
    }
}

fn access(access: &crate::execution::RunAccess) -> ThreadAccess {
    ThreadAccess {
        after_events: access.after_events,
        step: access.step,
        thread: access.lane.thread_name(),
        text: access.what.clone(),
        stale: access.is_stale,
        place: access.source_line.clone(),
        name: access.name.clone(),
    }
}

fn ending(ending: &RunEnding) -> ScheduleEnding {
    match ending {
        RunEnding::Finished => ScheduleEnding::Finished,
        RunEnding::Stuck(_) => ScheduleEnding::Stuck,
        RunEnding::Crashed { .. } => ScheduleEnding::Crashed,
        RunEnding::Cut(_) => ScheduleEnding::Cut,
        RunEnding::Diverged => ScheduleEnding::Diverged,
    }
}

/// Why nothing can be concluded about a matrix.
fn undecided_text(checked: &CheckedMatrix, alphabet: &Alphabet) -> String {
    let call = |slot: Option<CallSlot>| {
        let call = slot.and_then(|slot| checked.matrix.call(slot));
        call.map_or("a call", |call| alphabet.name(call)).to_owned()
    };
    let cut_text = |cut: Cut| match cut {
        Cut::Steps(steps) => format!(
            "was cut after {} steps: whether it would have ended is unknown (--steps allows more)",
            count(steps)
        ),
        Cut::Computes(slot) => format!(
            "was stopped: {} computes without ever reaching a step that the scheduler sees; leave the call out, or let it \
             come to its end",
            call(slot)
        ),
        Cut::Waits(slot) => format!(
            "was stopped: {} does not come back: it waits in the kernel for something that the scheduler does not see, such \
             as input; leave the call out, or try --engine native",
            call(slot)
        ),
        Cut::Late(slot) => format!("was stopped: {} took too long", call(slot)),
        Cut::TooManyThreads => "was stopped: the component created more than 32 threads at a time".to_owned(),
        Cut::ResultsTooLarge => "was stopped: its results do not fit into the memory for them".to_owned(),
    };
    let verdict::MatrixVerdict::Unknown(undecided) = checked.verdict else {
        return String::new();
    };
    match undecided {
        Undecided::TooManySerialRuns => {
            "it has more serial runs than allowed; use smaller matrices, or allow more (--serial-max)".to_owned()
        }
        Undecided::SerialRunCut(cut) => format!("one of its serial runs {}", cut_text(cut)),
        Undecided::RunCut(cut) => format!("one of its runs {}", cut_text(cut)),
        Undecided::SerialRunsDiverged => {
            "some of its serial runs went another way than scheduled: the component depends on something that the scheduler \
             does not decide"
                .to_owned()
        }
        Undecided::NotRepeated => {
            "the run went another way than the schedule says; is it a schedule of this version of the component?".to_owned()
        }
        Undecided::Limit(Limit::Time) => "time was up".to_owned(),
        Undecided::Limit(Limit::Interrupt) => "it was interrupted".to_owned(),
        Undecided::Limit(limit) => format!("the {} limit was reached", limit.word()),
    }
}
