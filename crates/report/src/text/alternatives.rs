//! Every way to explain what came before, and why it goes no further.
//!
//! Ways that leave the same state and the same choices are told once: a reader wants to know what the object could have
//! held, not by how many orders it came to hold it.

use omnilink_engine::{Alternative, Candidate, Counterexample, Fate, OpView};

use super::differences::marked;
use crate::figures::{count, counted};
use crate::look::{Look, Tone};
use crate::paragraph::{glued, push_wrapped};
use crate::report::Report;

/// How many groups of alternatives are written out.
const GROUPS_MAX: usize = 6;
/// How many operations that could come next are written out for each.
const CANDIDATES_MAX: usize = 6;
/// How many of the operations that led there are written out.
const RECENT_MAX: usize = 6;
/// How many of them the engine keeps: where there are so many, there may have been more.
const TAIL_MAX: usize = 16;
/// How wide each of them is at most.
const RECENT_WIDTH: usize = 40;
/// How wide the column of operations that could come next is at most.
const CALL_MAX: usize = 48;
/// How many states that an operation may lead to are written out.
const STATES_MAX: usize = 3;

impl Report {
    /// The operations that [`push_alternatives`](Self::push_alternatives) names.
    pub(super) fn named_by_alternatives<'a>(&self, counterexample: &'a Counterexample) -> Vec<&'a OpView> {
        let groups = grouped(&counterexample.alternatives);
        let told = groups
            .iter()
            .take(GROUPS_MAX)
            .filter_map(|group| group.first().copied());
        let named = told.flat_map(|alternative| {
            let skipped = alternative.recent.len().saturating_sub(RECENT_MAX);
            let candidates = alternative.candidates.iter().take(CANDIDATES_MAX);
            let recent = alternative.recent.iter().skip(skipped);
            recent.chain(candidates.map(|candidate| &candidate.op))
        });
        named.collect()
    }

    pub(super) fn push_alternatives(&self, page: &mut String, counterexample: &Counterexample, look: &Look) {
        let groups = grouped(&counterexample.alternatives);
        let total = counterexample
            .alternatives_total
            .max(counterexample.alternatives.len() as u64);
        let heading = match total {
            0 => "Nothing that returned earlier can be explained together with it.".to_owned(),
            1 => "All that returned earlier can be explained, but then:".to_owned(),
            _ => format!(
                "All that returned earlier can be explained in {} ways, but then:",
                count(total)
            ),
        };
        push_wrapped(page, "", "", &heading, look);
        let told = groups.iter().take(GROUPS_MAX);
        let states: Vec<_> = told
            .clone()
            .flat_map(|group| group.first())
            .map(|told| look.clean(&told.state))
            .collect();
        let states = marked(&states.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        for (number, (group, state)) in told.zip(&states).enumerate() {
            self.push_group(page, number + 1, group, state, counterexample.op.id, look);
        }
        let told: usize = groups.iter().take(GROUPS_MAX).map(Vec::len).sum();
        let untold = total.saturating_sub(told as u64);
        if untold > 0 {
            let more = format!(
                "{} and {} more, told in full by --evidence FILE (up to {})",
                look.dots(),
                count(untold),
                Counterexample::SHOWN
            );
            push_wrapped(page, "  ", "  ", &more, look);
        }
    }

    fn push_group(
        &self,
        page: &mut String,
        number: usize,
        group: &[&Alternative],
        state: &str,
        unexplained: u64,
        look: &Look,
    ) {
        let Some(alternative) = group.first() else { return };
        let mut sentence = format!("the state is {state}");
        if !alternative.recent.is_empty() {
            let skipped = alternative.recent.len().saturating_sub(RECENT_MAX);
            let mut recent: Vec<String> = alternative
                .recent
                .iter()
                .skip(skipped)
                .map(|op| glued(&look.shorten(&look.clean(&op.text), RECENT_WIDTH)))
                .collect();
            if skipped > 0 || alternative.recent.len() >= TAIL_MAX {
                recent.insert(0, look.dots().to_owned());
            }
            sentence.push_str(&format!(
                ", after {}",
                recent.join(&format!(" {} ", look.arrow()))
            ));
        }
        if group.len() > 1 {
            sentence.push_str(&format!(
                " (or {})",
                counted(group.len() as u64 - 1, "other order", "other orders")
            ));
        }
        let first = format!("  {number}. ");
        let rest = " ".repeat(first.len());
        push_wrapped(page, &first, &rest, &sentence, look);
        let width = alternative
            .candidates
            .iter()
            .take(CANDIDATES_MAX)
            .map(|candidate| self.call(&candidate.op, look).chars().count())
            .max()
            .unwrap_or(0)
            .min(CALL_MAX);
        for candidate in alternative.candidates.iter().take(CANDIDATES_MAX) {
            self.push_candidate(page, candidate, candidate.op.id == unexplained, width, look);
        }
        let untold = alternative.candidates.len().saturating_sub(CANDIDATES_MAX);
        if untold > 0 {
            let more = counted(untold as u64, "other operation", "other operations");
            push_wrapped(
                page,
                "       ",
                "       ",
                &format!("{} {more} could come next", look.dots()),
                look,
            );
        }
    }

    fn push_candidate(
        &self,
        page: &mut String,
        candidate: &Candidate,
        is_unexplained: bool,
        width: usize,
        look: &Look,
    ) {
        let sign = if is_unexplained {
            look.cross()
        } else {
            look.bullet()
        };
        let call = self.call(&candidate.op, look);
        let fate = match &candidate.fate {
            Fate::Refused(Some(reason)) => format!("refused: {}", look.clean(reason)),
            Fate::Refused(None) => "refused".to_owned(),
            Fate::LeadsTo(states) => {
                let mut shown: Vec<String> = states
                    .iter()
                    .take(STATES_MAX)
                    .map(|state| look.clean(state).into_owned())
                    .collect();
                if states.len() > STATES_MAX {
                    shown.push(format!(
                        "{} more states",
                        count((states.len() - STATES_MAX) as u64)
                    ));
                }
                format!("possible, leads to {}, and no further", shown.join(" or "))
            }
        };
        let first = format!("     {sign} {call:width$}  ");
        let rest = " ".repeat(9);
        let mut line = String::new();
        push_wrapped(&mut line, &first, &rest, &fate, look);
        let marked = format!("     {sign} {call}");
        match is_unexplained {
            true => page.push_str(&line.replacen(&marked, &look.paint(Tone::Bad, &marked), 1)),
            false => page.push_str(&line),
        }
    }

    /// `thread 3: dequeue() = 5`
    fn call(&self, op: &OpView, look: &Look) -> String {
        let name = self.threads.name(op.thread);
        format!("thread {}: {}", look.clean(&name), look.clean(&op.text))
    }
}

/// Alternatives that leave the same state and the same choices, together; in the order in which each was found first.
fn grouped(alternatives: &[Alternative]) -> Vec<Vec<&Alternative>> {
    let mut groups: Vec<Vec<&Alternative>> = Vec::new();
    for alternative in alternatives {
        match groups
            .iter_mut()
            .find(|group| group.first().is_some_and(|first| is_alike(first, alternative)))
        {
            Some(group) => group.push(alternative),
            None => groups.push(vec![alternative]),
        }
    }
    groups
}

fn is_alike(a: &Alternative, b: &Alternative) -> bool {
    let choices = |of: &Alternative| -> Vec<(u64, Fate)> {
        of.candidates
            .iter()
            .map(|candidate| (candidate.op.id, candidate.fate.clone()))
            .collect()
    };
    a.state == b.state && choices(a) == choices(b)
}
