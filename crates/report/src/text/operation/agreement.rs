//! The prefix that all explanations share, what came after it, and the last writers of what the operation read.

use omnilink_evidence::{Counterexample, ReportedOperation};

use super::Page;
use crate::figures::count;
use crate::look::Look;
use crate::paragraph::{glued, push_wrapped};

/// How many operations since the agreement are written out.
const SINCE_MAX: usize = 12;
/// How many states are written out.
const STATES_MAX: usize = 3;
/// How wide each operation is at most.
const CALL_MAX: usize = 60;

impl<'a> Page<'a> {
    /// The operations that [`push_agreement`](Self::push_agreement) and [`push_writers`](Self::push_writers) name.
    pub(super) fn named_by_agreement(
        &self,
        counterexample: &'a Counterexample,
    ) -> Vec<&'a ReportedOperation> {
        let agreed = counterexample
            .agreed
            .iter()
            .filter(|agreed| !agreed.since.is_empty());
        let named = agreed.flat_map(|agreed| agreed.last.iter().chain(agreed.since.iter().take(SINCE_MAX)));
        named.chain(self.writers()).collect()
    }

    fn writers(&self) -> impl Iterator<Item = &'a ReportedOperation> {
        let writers = self.evidence.last_writers.iter();
        writers.filter_map(|writer| writer.by.as_ref())
    }

    /// The last state on which all explanations agree, and the operations since.
    pub(super) fn push_agreement(&self, page: &mut String, counterexample: &Counterexample, look: &Look) {
        let Some(agreed) = counterexample
            .agreed
            .as_ref()
            .filter(|agreed| !agreed.since.is_empty())
        else {
            return;
        };
        let mut states: Vec<String> = agreed
            .states
            .iter()
            .take(STATES_MAX)
            .map(|state| look.state(state).into_owned())
            .collect();
        if agreed.states.len() > STATES_MAX {
            states.push(format!(
                "{} more",
                count((agreed.states.len() - STATES_MAX) as u64)
            ));
        }
        let mut sentence = format!("All explanations agree on the state {}", states.join(" or "));
        match (&agreed.last, agreed.placed) {
            (Some(last), _) => sentence.push_str(&format!(", after {}", self.sentence_of(last, look))),
            (None, 0) => sentence.push_str(", the first one"),
            (None, placed) => sentence.push_str(&format!(", after {} operations", count(placed))),
        }
        let call = |op: &ReportedOperation| glued(&look.shorten(&self.call(op, look), CALL_MAX));
        let mut since: Vec<String> = agreed.since.iter().take(SINCE_MAX).map(call).collect();
        if agreed.since.len() > SINCE_MAX {
            since.push(format!("{} more", count((agreed.since.len() - SINCE_MAX) as u64)));
        }
        sentence.push_str(&format!(". Since then came {}.", since.join(", ")));
        push_wrapped(page, "", "  ", &sentence, look);
    }

    /// The last writers of what the unexplained operation read.
    pub(super) fn push_writers(&self, page: &mut String, look: &Look) {
        if self.evidence.spec.as_ref().is_some_and(|spec| spec.is_impossible) {
            push_wrapped(
                page,
                "",
                "  ",
                "No state at all allows this operation, reached or not.",
                look,
            );
        }
        for writer in &self.evidence.last_writers {
            let held = format!("{} = {}", look.clean(&writer.cell), look.clean(&writer.value));
            let sentence = match &writer.by {
                Some(op) => format!("{} was left by {}.", glued(&held), self.sentence_of(op, look)),
                None => format!("{} is what it was at the beginning.", glued(&held)),
            };
            push_wrapped(page, "", "  ", &sentence, look);
        }
    }
}
