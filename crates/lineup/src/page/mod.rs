//! What came of a campaign, for people.
//!
//! A violation is shown as a table of what each thread called and got, a drawing of what overlapped, the reason why nothing
//! explains it, the interleaving that leads there, and what to do to see it again.

mod coverage;
mod interleaving;
mod reason;
mod table;

use omnilink_evidence::{Operation, ThreadName};
use omnilink_report::{Bar, Look, Mark, Tone, count, draw, seconds, wrapped};
use omnilink_trace::{Time, Timebox};

use crate::alphabet::Alphabet;
use crate::campaign::{Failure, Summary};
use crate::diagnosis::Diagnosis;
use crate::execution::Cut;
use crate::history::{History, Moment};
use crate::slot::{Lane, Slot};
use crate::verdict::{Checked, Phase, Undecided, Verdict, Violation, Why};
use crate::words::Words;

pub(crate) use coverage::coverage_json;
pub(crate) use table::table;

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What the component is called.
    pub name: &'a str,
    /// What may be called.
    pub alphabet: &'a Alphabet,
    /// What it was checked against, if not its own serial runs.
    pub specification: Option<&'a str>,
    /// How to check it again: the command up to, but without, the matrix.
    pub command: &'a str,
}

/// The report of a campaign.
pub fn summary_text(subject: Subject<'_>, summary: &Summary, look: &Look) -> String {
    let mut page = String::new();
    match &summary.failure {
        Some(failure) => page.push_str(&failure_text(subject, failure, look)),
        None => {
            page.push_str(&passed_text(subject, summary, look));
            page.push_str(&coverage::coverage_text(subject, summary, look));
        }
    }
    page.push_str(&effort_text(summary));
    page
}

fn passed_text(subject: Subject<'_>, summary: &Summary, look: &Look) -> String {
    let mut page = String::new();
    let matrices = counted(summary.matrices, "matrix", "matrices");
    let explained_by = match subject.specification {
        Some(specification) => format!("the specification ({specification})"),
        None => "a serial run".to_owned(),
    };
    let decided = summary.matrices - summary.undecided;
    let (tone, verdict) = match (decided, summary.is_complete) {
        (0, _) => (Tone::Unsure, "unknown"),
        (_, false) => (Tone::Unsure, "nothing found before time was up"),
        (_, true) if summary.undecided > 0 => (Tone::Unsure, "nothing found, but not all is known"),
        (_, true) => (Tone::Good, "no violation"),
    };
    let headline = format!("{}: {}", subject.name, look.paint(tone, verdict));
    page.push_str(&format!("{headline}, {matrices}\n"));
    if decided > 0 {
        let histories: u64 = summary.phases.iter().map(|phase| phase.histories).sum();
        let text = format!(
            "Each of {} is explained by {explained_by}. {}",
            counted(histories, "concurrent history", "concurrent histories"),
            reach(&summary.phases)
        );
        page.push_str(&wrapped("  ", &text, look));
    }
    if let Some(checked) = &summary.first_undecided {
        let text = format!(
            "About {} nothing can be concluded. The first one is {}: {}.",
            counted(summary.undecided, "matrix", "matrices"),
            checked.matrix.display(subject.alphabet),
            undecided_text(checked, subject.alphabet)
        );
        page.push_str(&wrapped("  ", &text, look));
    }
    if summary.serial_stuck > 0 {
        let text = format!(
            "{} a call that is stuck: blocking is taken to be meant. If no call may ever block, say so \
             (--no-blocking).",
            match summary.serial_stuck {
                1 => "1 serial history ends in".to_owned(),
                many => format!("{} serial histories end in", count(many)),
            }
        );
        page.push_str(&wrapped("  ", &text, look));
    }
    page
}

/// Which runs there are beside those that were made.
fn reach(phases: &[Phase]) -> String {
    let complete = phases
        .iter()
        .take_while(|phase| phase.bound.is_some() && phase.is_complete);
    let useless: u64 = phases.iter().map(|phase| phase.cut + phase.diverged).sum();
    let mut text = match complete.filter_map(|phase| phase.bound).max() {
        Some(0) => "These are all runs without preemptions.".to_owned(),
        Some(1) => "These are all runs with at most 1 preemption.".to_owned(),
        Some(bound) => format!("These are all runs with at most {bound} preemptions."),
        None => "These are samples: there are other runs.".to_owned(),
    };
    if useless > 0 {
        text.push_str(&format!(
            " {} cut short or went another way than scheduled; nothing follows from them.",
            match useless {
                1 => "1 run was".to_owned(),
                many => format!("{} runs were", count(many)),
            }
        ));
    }
    text
}

/// Why nothing can be concluded about a matrix.
pub(crate) fn undecided_text(checked: &Checked, alphabet: &Alphabet) -> String {
    let call = |slot: Option<Slot>| {
        let call = slot.and_then(|slot| checked.matrix.call(slot));
        call.map_or("a call", |call| alphabet.name(call)).to_owned()
    };
    let cut_text = |cut: Cut| match cut {
        Cut::Steps(steps) => format!(
            "was cut after {} steps: whether it would have come to its end is unknown (--steps allows more)",
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
    let Verdict::Unknown(undecided) = checked.verdict else {
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
        Undecided::TimeIsUp => "time was up".to_owned(),
    }
}

fn failure_text(subject: Subject<'_>, failure: &Failure, look: &Look) -> String {
    let checked = &failure.smallest;
    let words = Words {
        alphabet: subject.alphabet,
        matrix: &checked.matrix,
        results: &checked.results,
    };
    match &checked.verdict {
        Verdict::Violation(violation) => violation_text(subject, failure, violation, words, look),
        Verdict::Nondeterministic(two) => {
            let mut page = format!(
                "{}: {}\n",
                subject.name,
                look.paint(Tone::Bad, "nondeterministic, even in serial runs")
            );
            let text = format!(
                "Two serial runs of {} are alike up to {}, and then are not. So there is no deterministic \
                 specification that the component could be checked against.",
                checked.matrix.display(subject.alphabet),
                two.one
                    .get(two.differ_at)
                    .map_or("a call", |step| words.call(step.slot)),
            );
            page.push_str(&wrapped("  ", &text, look));
            for steps in [&two.one, &two.other] {
                page.push_str(&wrapped("    ", &look.clean(&words.steps(steps)), look));
            }
            page
        }
        Verdict::Passed | Verdict::Unknown(_) => String::new(),
    }
}

fn violation_text(
    subject: Subject<'_>,
    failure: &Failure,
    violation: &Violation,
    words: Words<'_>,
    look: &Look,
) -> String {
    let checked = &failure.smallest;
    let headline = Diagnosis::of(checked).map_or("not linearizable", |diagnosis| diagnosis.headline());
    let mut page = format!("{}: {}", subject.name, look.paint(Tone::Bad, headline));
    page.push_str(&match subject.specification {
        Some(specification) => format!(", by the specification {specification}\n\n"),
        None => match violation.why {
            Why::Blocked(_) => ", although no call may\n\n".to_owned(),
            _ => ", whatever its specification\n\n".to_owned(),
        },
    });
    page.push_str(&table(words, &violation.history, look));
    page.push('\n');
    page.push_str(&drawing(words, violation, look));
    page.push('\n');
    page.push_str(&reason::reason_text(
        words,
        violation,
        subject.specification.is_some(),
        look,
    ));
    page.push('\n');
    page.push_str(&interleaving::interleaving_text(words, violation, look));
    page.push('\n');
    let matrix = checked.matrix.display(subject.alphabet).to_string();
    page.push_str(&format!(
        "To see it again:\n  {} --matrix '{matrix}'\n",
        subject.command
    ));
    if !violation.is_serial && !violation.execution.schedule.is_empty() {
        let repeated = match failure.is_repeatable {
            Some(true) => "repeated: the same history again",
            Some(false) => "repeated, but went another way: something is outside the scheduler's control",
            None => "not repeated",
        };
        let schedule = violation.execution.schedule.to_string();
        let places = &violation.execution.places;
        let switched = match places.is_empty() {
            true => String::new(),
            false => {
                let places: Vec<String> = places.iter().map(|place| format!("{place:x}")).collect();
                format!(" --switch-at {}", places.join(","))
            }
        };
        page.push_str(&format!("  --schedule '{schedule}'{switched}    ({repeated})\n"));
    }
    if failure.found != checked.matrix {
        let found = failure.found.display(subject.alphabet);
        let text = format!("Found in {found}; no call can be left out of what is left of it.");
        page.push_str(&wrapped("", &text, look));
    }
    // A schedule counts steps of the code as it is; once the code changes, it means nothing. The matrix keeps its meaning.
    let escaped = matrix.escape_default();
    page.push_str("To keep it from coming back, add this line to the component; it is then checked first:\n");
    page.push_str(&format!("  .regression(\"{escaped}\")\n"));
    page.push('\n');
    page
}

/// The calls as boxes over time; what cannot be explained is marked.
fn drawing(words: Words<'_>, violation: &Violation, look: &Look) -> String {
    let unexplained = unexplained_slots(violation);
    let mut bars: Vec<(Slot, Bar)> = Vec::new();
    for (now, moment) in (0 as Time..).zip(&violation.history.moments) {
        match *moment {
            Moment::Call(slot) => bars.push((
                slot,
                Bar {
                    thread: thread_name(slot.lane),
                    text: words.outcome(slot, &violation.history),
                    timebox: Timebox::pending(now),
                    mark: match unexplained.contains(&slot) {
                        true => Mark::Unexplained,
                        false => Mark::Plain,
                    },
                },
            )),
            Moment::Return(slot, _) => {
                if let Some((_, bar)) = bars.iter_mut().find(|(other, _)| *other == slot) {
                    bar.timebox.end = Some(now);
                }
            }
        }
    }
    let bars: Vec<Bar> = bars.into_iter().map(|(_, bar)| bar).collect();
    draw(&bars, look)
}

/// Threads by their number. Numbers sort before words, so the beginning and the end are drawn last.
fn thread_name(lane: Lane) -> ThreadName {
    match lane {
        Lane::Thread(thread) => ThreadName::Number(u32::from(thread)),
        Lane::Initial | Lane::Final => ThreadName::Name(lane.to_string()),
    }
}

fn unexplained_slots(violation: &Violation) -> Vec<Slot> {
    match &violation.why {
        Why::Results(counterexample) => slot_of(&counterexample.op, &violation.history)
            .into_iter()
            .collect(),
        Why::Stuck(stuck) => stuck.iter().map(|call| call.slot).collect(),
        Why::Crash(slot, _) | Why::CrashAlone(slot, _) => vec![*slot],
        Why::Blocked(slots) => slots.clone(),
        Why::Specification(_) | Why::Race(_) => Vec::new(),
    }
}

/// The call that the engine speaks of: operations were given to it in the order of their calls.
fn slot_of(op: &Operation, history: &History) -> Option<Slot> {
    let calls = history.moments.iter().filter_map(|moment| match moment {
        Moment::Call(slot) => Some(*slot),
        Moment::Return(..) => None,
    });
    calls.into_iter().nth(usize::try_from(op.id).ok()?)
}

fn effort_text(summary: &Summary) -> String {
    let rate = summary.executions as f64 / summary.seconds.max(1e-9);
    let mut text = format!(
        "{} in {}, {} per second; {}",
        counted(summary.executions, "execution", "executions"),
        seconds(summary.seconds),
        count(rate as u64),
        counted(summary.serial_histories, "serial history", "serial histories"),
    );
    if let Some(failure) = &summary.failure {
        text.push_str(&format!("; shrunk in {}", seconds(failure.shrink_seconds)));
    }
    text.push('\n');
    text
}

fn counted(number: u64, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", count(number)),
    }
}
