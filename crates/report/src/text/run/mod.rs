//! The runs of a component: a table of calls, a drawing of what overlapped, the reason, the interleaving, how to repeat it.

mod interleaving;
mod reason;
mod scope;
mod table;

use omnilink_evidence::{
    Evidence, FailingRun, Limit, LineupCoverage, RunPhase, SerialContradiction, Unexplained, Violation,
};

use crate::figures::{count, counted, seconds};
use crate::look::{Look, Tone};
use crate::paragraph::wrapped;
use crate::shell_word::shell_word;
use crate::timeline::{Bar, Mark, draw};

/// The report of a campaign as text.
pub(super) fn text(evidence: &Evidence, campaign: &LineupCoverage, look: &Look) -> String {
    let name = &evidence.input;
    let (mut page, shrink_seconds) = match &evidence.violation {
        Some(Violation::Run(run)) => (violation(name, campaign, run, look), Some(run.shrink_seconds)),
        Some(Violation::Nondeterminism(contradiction)) => (
            nondeterminism(name, contradiction, look),
            Some(contradiction.shrink_seconds),
        ),
        _ => {
            let scope = campaign.scope.as_ref();
            let scope = scope.map_or_else(String::new, |scope| scope::text(scope, look));
            let limit = evidence.unknown.as_ref().map(|unknown| unknown.limit);
            (passed(name, campaign, limit, look) + &scope, None)
        }
    };
    let cost = &evidence.figures.seconds;
    page.push_str(&format!(
        "{} in {}, {} per second; {}",
        counted(campaign.executions, "execution", "executions"),
        seconds(*cost),
        count(campaign.executions_per_second as u64),
        counted(campaign.serial_histories, "serial history", "serial histories"),
    ));
    if let Some(shrink_seconds) = shrink_seconds {
        page.push_str(&format!("; shrunk in {}", seconds(shrink_seconds)));
    }
    page.push('\n');
    page
}

fn passed(name: &str, campaign: &LineupCoverage, limit: Option<Limit>, look: &Look) -> String {
    let matrices = counted(campaign.matrices, "matrix", "matrices");
    let decided = campaign.matrices - campaign.undecided;
    let (tone, verdict) = match (decided, campaign.complete) {
        (0, _) => (Tone::Unsure, "unknown"),
        (_, false) => (
            Tone::Unsure,
            match limit {
                Some(Limit::Interrupt) => "nothing found before it was interrupted",
                Some(Limit::Memory) => "nothing found before the memory limit was reached",
                _ => "nothing found before time was up",
            },
        ),
        (_, true) if campaign.undecided > 0 => (Tone::Unsure, "nothing found, but not all is known"),
        (_, true) => (Tone::Good, "no violation"),
    };
    let mut page = format!("{name}: {}, {matrices}\n", look.paint(tone, verdict));
    if decided > 0 {
        let explained_by = match &campaign.specification {
            Some(specification) => format!("the specification ({specification})"),
            None => "a serial run".to_owned(),
        };
        let histories: u64 = campaign.phases.iter().map(|phase| phase.histories).sum();
        let text = format!(
            "Each of {} is explained by {explained_by}. {}",
            counted(histories, "concurrent history", "concurrent histories"),
            reach(&campaign.phases)
        );
        page.push_str(&wrapped("  ", &text, look));
    }
    if let Some(undecided) = &campaign.first_undecided {
        let text = format!(
            "About {} nothing can be concluded. The first one is {}: {}.",
            counted(campaign.undecided, "matrix", "matrices"),
            undecided.matrix,
            undecided.reason
        );
        page.push_str(&wrapped("  ", &text, look));
    }
    if campaign.serial_stuck > 0 {
        let text = format!(
            "{} a call that is stuck: blocking is taken to be meant. If no call may ever block, say so (--no-blocking).",
            match campaign.serial_stuck {
                1 => "1 serial history ends in".to_owned(),
                many => format!("{} serial histories end in", count(many)),
            }
        );
        page.push_str(&wrapped("  ", &text, look));
    }
    page
}

/// Which runs there are besides those that were made.
fn reach(phases: &[RunPhase]) -> String {
    let complete = phases
        .iter()
        .take_while(|phase| phase.preemptions.is_some() && phase.complete);
    let useless: u64 = phases.iter().map(|phase| phase.cut + phase.diverged).sum();
    let mut text = match complete.filter_map(|phase| phase.preemptions).max() {
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

fn nondeterminism(name: &str, contradiction: &SerialContradiction, look: &Look) -> String {
    let mut page = format!(
        "{name}: {}\n",
        look.paint(Tone::Bad, "nondeterministic, even in serial runs")
    );
    let text = format!(
        "Two serial runs of {} are alike up to {}, and then are not. So there is no deterministic specification that the \
         component could be checked against.",
        contradiction.matrix, contradiction.call
    );
    page.push_str(&wrapped("  ", &text, look));
    for run in [&contradiction.one, &contradiction.other] {
        page.push_str(&wrapped("    ", &look.clean(run), look));
    }
    page
}

fn violation(name: &str, campaign: &LineupCoverage, run: &FailingRun, look: &Look) -> String {
    let mut page = format!("{name}: {}", look.paint(Tone::Bad, &run.diagnosis));
    page.push_str(&match (&campaign.specification, &run.why) {
        (Some(specification), _) => format!(", by the specification {specification}\n\n"),
        (None, Unexplained::Blocked { .. }) => ", although no call may\n\n".to_owned(),
        (None, _) => ", whatever its specification\n\n".to_owned(),
    });
    page.push_str(&table::text(&run.lanes, look));
    page.push('\n');
    page.push_str(&drawing(run, look));
    page.push('\n');
    page.push_str(&reason::text(run, campaign.specification.is_some(), look));
    page.push('\n');
    page.push_str(&interleaving::text(run, look));
    page.push('\n');
    // One command, over two lines, that a shell takes as it stands here.
    page.push_str(&format!(
        "To see it again:\n  {} --matrix {}",
        campaign.rerun,
        shell_word(&run.matrix)
    ));
    if !run.serial && !run.schedule.is_empty() {
        let repeated = match run.repeatable {
            Some(true) => "Repeated: the same history again.",
            Some(false) => "Repeated, but went another way: something is outside the scheduler's control.",
            None => "Not repeated.",
        };
        let switched = if run.switch_at.is_empty() {
            String::new()
        } else {
            format!(" --switch-at {}", shell_word(&run.switch_at.join(",")))
        };
        page.push_str(&format!(
            " \\\n    --schedule {}{switched}\n{repeated}",
            shell_word(&run.schedule)
        ));
    }
    page.push('\n');
    if run.found != run.matrix {
        let text = format!(
            "Found in {}; no call can be left out of what is left of it.",
            run.found
        );
        page.push_str(&wrapped("", &text, look));
    }
    // A schedule counts steps of the code as it is; once the code changes, it means nothing. The matrix keeps its meaning.
    let escaped = run.matrix.escape_default();
    page.push_str("To keep it from coming back, add this line to the component; it is then checked first:\n");
    page.push_str(&format!("  .regression(\"{escaped}\")\n"));
    page.push('\n');
    page
}

/// The calls as boxes over time; those that cannot be explained are marked.
fn drawing(run: &FailingRun, look: &Look) -> String {
    let bars: Vec<Bar> = run
        .operations
        .iter()
        .map(|op| {
            let mark = if run.unexplained.contains(&op.id) {
                Mark::Unexplained
            } else {
                Mark::Plain
            };
            Bar::new(op, mark)
        })
        .collect();
    draw(&bars, look)
}
