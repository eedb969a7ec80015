//! What would have to be different for a rejected log to be accepted.
//!
//! People debug a rejected log by asking: is this line superfluous, were these two lines written in the wrong order, is this variable logged
//! wrongly? Each question is asked here by searching on from the states before the line, with a log that is changed in one place. An answer
//! is given only where the search went further than before.

use std::sync::Arc;

use omnilink_engine::LimitWatch;

use crate::batch::Batch;
use crate::error::LogError;
use crate::expansion::Expander;
use crate::layer::Cut;
use crate::meaning::Meaning;
use crate::prepared_line::{LineKind, PreparedLine};
use crate::search::Search;

/// How many states one question may visit.
const STATES_MAX: u64 = 4_000;
/// How many lines after the unexplained one are tried.
const LINES_MAX: u32 = 400;
/// About how many unexplained lines questions are asked, where several could come next.
const REFUSED_MAX: usize = 4;
/// From how many of the states before the line questions are asked.
const FROM_MAX: usize = 32;

/// How far a changed log is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// How many lines further the explanation goes.
    Lines(u32),
    /// To its end.
    End,
}

/// What would have to be different, and for that the log is explained further.
#[derive(Debug)]
pub(crate) struct Guess {
    reach: Reach,
    /// How unlikely it is.
    cost: u32,
    /// In words.
    pub text: String,
    /// The number of the line that it blames, if that is not the unexplained one.
    pub suspect: Option<u32>,
}

/// Lines from a cut on, one of which is put first: the unexplained one.
struct RestOfLog {
    lines: Vec<PreparedLine>,
    /// Their numbers in the log.
    numbers: Vec<u32>,
    /// Whether they go to the end of the log.
    is_whole: bool,
}

impl RestOfLog {
    /// The rest of a log after a cut, in an order that is possible.
    fn after(
        cut: &Cut,
        first: (u32, u32),
        search: &mut Search<'_>,
        expander: &mut Expander<'_>,
    ) -> Result<Self, LogError> {
        let mut cut = cut.clone();
        let mut rest = Self {
            lines: Vec::new(),
            numbers: Vec::new(),
            is_whole: false,
        };
        let mut next = Some(first);
        for _ in 0..LINES_MAX {
            let Some((chain, line)) = next else {
                rest.is_whole = true;
                break;
            };
            // A later line may have no meaning at all: then the questions end before it.
            if search.lines.prepare(line, &mut expander.evaluator).is_err() {
                break;
            }
            if let Some(prepared) = search.lines.get(line) {
                rest.lines.push(prepared.clone());
                rest.numbers.push(line);
            }
            cut[chain as usize] += 1;
            next = search.lines.enabled(&cut)?.first().copied();
        }
        Ok(rest)
    }
}

/// Guesses, the best first. Where the order of lines is partial, lines after the unexplained one are taken in one possible order: what is
/// accepted in that order is accepted.
pub(crate) fn guesses(
    search: &mut Search<'_>,
    expander: &mut Expander<'_>,
    watch: &mut LimitWatch,
) -> Result<Vec<Guess>, LogError> {
    let Some(cut) = search.deepest().entries.first().map(|entry| entry.cut.clone()) else {
        return Ok(Vec::new());
    };
    let from: Vec<_> = search
        .deepest()
        .entries
        .iter()
        .filter(|entry| entry.cut == cut)
        .take(FROM_MAX)
        .map(|entry| entry.state.clone())
        .collect();
    let mut found: Vec<Guess> = Vec::new();
    for first in search.lines.enabled(&cut)?.into_iter().take(REFUSED_MAX) {
        let rest = RestOfLog::after(&cut, first, search, expander)?;
        let question = Question {
            expander,
            watch,
            from: from.clone(),
            is_whole: rest.is_whole,
        };
        ask_about(&rest, question, &mut found);
    }
    found.sort_by(|left, right| right.reach.cmp(&left.reach).then(left.cost.cmp(&right.cost)));
    found.dedup_by(|left, right| left.text == right.text);
    found.truncate(5);
    Ok(found)
}

/// Asks what would have to be different for the first of these lines to be explained.
fn ask_about(log: &RestOfLog, mut question: Question<'_, '_>, found: &mut Vec<Guess>) {
    let lines = &log.lines;
    let Some(failing) = lines.first().cloned() else {
        return;
    };
    let spec = question.expander.spec;
    let rest = &lines[1..];
    let mut ask = |cost: u32, changed: &[PreparedLine], least: u32, suspect: Option<u32>, what: String| {
        if let Some(reach) = question.reach(changed)
            && reach >= Reach::Lines(least)
        {
            let text = match reach {
                Reach::End => format!("the log would be accepted if {what}"),
                Reach::Lines(lines) => format!("{lines} more lines would be explained if {what}"),
            };
            found.push(Guess {
                reach,
                cost,
                text,
                suspect,
            });
        }
    };
    if !rest.is_empty() {
        ask(
            1,
            rest,
            2,
            None,
            format!(
                "{} were missing: {}{}",
                failing.place,
                failing.text(spec),
                joins_hint(&failing)
            ),
        );
    }
    for (at, other) in rest.iter().enumerate().take(8) {
        if other.node == failing.node && failing.context.node.is_some() {
            continue;
        }
        let mut swapped = lines.clone();
        let moved = swapped.remove(at + 1);
        swapped.insert(0, moved);
        ask(
            2 + at as u32,
            &swapped,
            at as u32 + 2,
            log.numbers.get(at + 1).copied(),
            format!(
                "{} came before {}: {}",
                other.place,
                failing.place,
                other.text(spec)
            ),
        );
    }
    for (number, (slot, _)) in failing.updates.iter().enumerate() {
        let mut changed = lines.clone();
        changed[0].updates.remove(number);
        let variable = &spec.program.variables[*slot as usize];
        ask(
            1,
            &changed,
            1,
            None,
            format!("{} did not log {variable}", failing.place),
        );
    }
    for number in 0..failing.arguments.len() {
        if failing.arguments[number].is_none() {
            continue;
        }
        let mut changed = lines.clone();
        changed[0].arguments[number] = None;
        ask(
            2,
            &changed,
            1,
            None,
            format!("argument {} of {} were another one", number + 1, failing.place),
        );
    }
    // A step that was not logged, before the line.
    for (number, action) in spec.actions.iter().enumerate() {
        let mut changed = lines.clone();
        let mut inserted = failing.clone();
        inserted.kind = LineKind::Step(Arc::new(Meaning::of_action(number)));
        inserted.arguments = Vec::new();
        inserted.updates = Vec::new();
        changed.insert(0, inserted);
        ask(
            3,
            &changed,
            2,
            None,
            format!(
                "there were a step {} before {}, which is not logged{}",
                action.name,
                failing.place,
                compose_hint(&action.name, &failing)
            ),
        );
    }
}

/// How to say that a line is two steps.
fn compose_hint(step: &str, failing: &PreparedLine) -> String {
    match &failing.event {
        Some(event) => format!(
            "; if the line is both steps, write compose = [\"{step}?\", \"{event}\"] under [log.events.{event}] in the link file, and if it \
             may happen unseen, [[log.hidden]] with action = \"{step}\""
        ),
        None => String::new(),
    }
}

/// How to say that two lines are one step.
fn joins_hint(failing: &PreparedLine) -> &'static str {
    if failing.event.is_some() && failing.context.node.is_some() {
        "; if it tells more about the step of its node's line before it, write joins = true for its event in the link file"
    } else {
        ""
    }
}

struct Question<'q, 's> {
    expander: &'q mut Expander<'s>,
    watch: &'q mut LimitWatch,
    from: Vec<omnilink_tla::eval::State>,
    /// Whether the lines go to the end of the log.
    is_whole: bool,
}

impl Question<'_, '_> {
    /// How far lines are explained; `None` if not even one is, or nobody can tell. Layers of states, with a limited number of them.
    fn reach(&mut self, lines: &[PreparedLine]) -> Option<Reach> {
        let mut states = self.from.clone();
        let mut visited = 0;
        for (at, line) in lines.iter().enumerate() {
            let mut after = rustc_hash::FxHashSet::default();
            for state in &states {
                let batch = Batch {
                    most: 256,
                    ..Batch::ALL
                };
                // What cannot be evaluated in a changed log explains nothing.
                let Ok(successors) = self.expander.successors(state, line, batch) else {
                    continue;
                };
                for successor in successors.found {
                    if !after.contains(&successor.state)
                        && matches!(self.expander.is_allowed(&successor.state), Ok(true))
                    {
                        after.insert(successor.state);
                        visited += 1;
                    }
                }
                if visited > STATES_MAX || self.watch.reached().is_some() {
                    return (at > 0).then_some(Reach::Lines(at as u32));
                }
            }
            if after.is_empty() {
                return (at > 0).then_some(Reach::Lines(at as u32));
            }
            states = after.into_iter().collect();
        }
        Some(if self.is_whole {
            Reach::End
        } else {
            Reach::Lines(lines.len() as u32)
        })
    }
}
