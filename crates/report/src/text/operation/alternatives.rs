//! Every way to explain what came before, and why it goes no further.
//!
//! Alternatives that leave the same state and the same choices are shown once: a reader wants to know what the object could
//! have held, not in how many orders that could happen.

use omnilink_evidence::{Alternative, Candidate, Continuation, Counterexample, Decider, ReportedOperation};

use super::Page;
use super::differences::marked;
use crate::figures::{count, counted};
use crate::look::{Look, Tone};
use crate::paragraph::{glued, push_wrapped};

/// How many groups of alternatives are written out.
const GROUPS_MAX: usize = 6;
/// How many operations that could come next are written out for each.
const CANDIDATES_MAX: usize = 6;
/// How many of the operations that led there are written out.
const RECENT_MAX: usize = 6;
/// How wide each of them is at most.
const RECENT_WIDTH: usize = 40;
/// How wide the column of operations that could come next is at most.
const CALL_MAX: usize = 48;
/// How many states that an operation may lead to are written out.
const STATES_MAX: usize = 3;

impl<'a> Page<'a> {
    /// The operations that [`push_alternatives`](Self::push_alternatives) names.
    pub(super) fn named_by_alternatives(
        &self,
        counterexample: &'a Counterexample,
    ) -> Vec<&'a ReportedOperation> {
        let groups = grouped(&counterexample.alternatives);
        let shown = groups
            .iter()
            .take(GROUPS_MAX)
            .filter_map(|group| group.first().copied());
        let named = shown.flat_map(|alternative| {
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
            0 if self.evidence.figures.decided_by == Some(Decider::Plain) => {
                "All that returned earlier can be explained, but not together with it. How is not shown: trying every order keeps nothing \
                 but the verdict."
                    .to_owned()
            }
            0 => "Nothing that returned earlier can be explained together with it.".to_owned(),
            1 => "All that returned earlier can be explained, but then:".to_owned(),
            _ => format!(
                "All that returned earlier can be explained in {} ways, but then:",
                count(total)
            ),
        };
        push_wrapped(page, "", "", &heading, look);
        let shown = groups.iter().take(GROUPS_MAX);
        let states: Vec<_> = shown
            .clone()
            .flat_map(|group| group.first())
            .map(|alternative| look.state(&alternative.state))
            .collect();
        let states = marked(&states.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        for (number, (group, state)) in shown.zip(&states).enumerate() {
            self.push_group(page, number + 1, group, state, counterexample.op.id, look);
        }
        let shown: usize = groups.iter().take(GROUPS_MAX).map(Vec::len).sum();
        let hidden = total.saturating_sub(shown as u64);
        if hidden > 0 {
            let more = format!(
                "{} and {} more, listed by --evidence FILE (up to {})",
                look.dots(),
                count(hidden),
                Counterexample::ALTERNATIVES_MAX
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
            if skipped > 0 || alternative.recent.len() >= Alternative::RECENT_MAX {
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
        let hidden = alternative.candidates.len().saturating_sub(CANDIDATES_MAX);
        if hidden > 0 {
            let more = counted(hidden as u64, "other operation", "other operations");
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
        let continuation = match &candidate.continuation {
            Continuation::Refused {
                reason: Some(reason), ..
            } => format!("refused: {}", look.clean(reason)),
            Continuation::Refused { reason: None, .. } => "refused".to_owned(),
            Continuation::LeadsTo { states } if states.is_empty() => {
                "possible, but leads no further".to_owned()
            }
            Continuation::LeadsTo { states } => {
                let mut shown: Vec<String> = states
                    .iter()
                    .take(STATES_MAX)
                    .map(|state| look.state(state).into_owned())
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
        push_wrapped(&mut line, &first, &rest, &continuation, look);
        let marked = format!("     {sign} {call}");
        if is_unexplained {
            page.push_str(&line.replacen(&marked, &look.paint(Tone::Bad, &marked), 1))
        } else {
            page.push_str(&line)
        }
    }

    /// `thread 3: dequeue() = 5`
    pub(super) fn call(&self, op: &ReportedOperation, look: &Look) -> String {
        let thread = op.thread.to_string();
        format!("thread {}: {}", look.clean(&thread), look.clean(&op.text))
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
    let is_same_choice =
        |(a, b): (&Candidate, &Candidate)| a.op.id == b.op.id && a.continuation == b.continuation;
    a.state == b.state
        && a.candidates.len() == b.candidates.len()
        && a.candidates.iter().zip(&b.candidates).all(is_same_choice)
}
