//! The prefix that all explanations share, what came after it, and the last writers of what the operation read.

use omnilink_evidence::{AgreedPrefix, Counterexample, ReportedOperation};

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

    /// The last state on which all explanations agree, and the operations since. `tells_start`: where they start is told already.
    pub(super) fn push_agreement(
        &self,
        page: &mut String,
        counterexample: &Counterexample,
        tells_start: bool,
        look: &Look,
    ) {
        let is_news =
            |agreed: &&AgreedPrefix| !(agreed.since.is_empty() || tells_start && agreed.placed == 0);
        let Some(agreed) = counterexample.agreed.as_ref().filter(is_news) else {
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
        let shared = match (&agreed.last, agreed.placed) {
            (Some(last), _) => Some(self.sentence_of(last, look)),
            (None, 0) => None,
            (None, placed) => Some(format!("{} operations", count(placed))),
        };
        let is_one = agreed.states.len() == 1;
        let states = states.join(" or ");
        let mut sentence = match shared {
            Some(last) if is_one => format!("All explanations agree on the state {states}, after {last}"),
            Some(last) => format!("All explanations agree up to {last}, which may leave the state {states}"),
            None if is_one => format!("All explanations agree on the state {states}, the first one"),
            None => format!("The explanations share no operation; they start in the state {states}"),
        };
        let call = |op: &ReportedOperation| glued(&look.shorten(&self.call(op, look), CALL_MAX));
        let mut since: Vec<String> = agreed.since.iter().take(SINCE_MAX).map(call).collect();
        if agreed.since.len() > SINCE_MAX {
            since.push(format!("{} more", count((agreed.since.len() - SINCE_MAX) as u64)));
        }
        sentence.push_str(&format!(". Since then came {}.", since.join(", ")));
        push_wrapped(page, "", "  ", &sentence, look);
    }

    /// Says so if no state at all allows the unexplained operation.
    pub(super) fn push_impossibility(&self, page: &mut String, look: &Look) {
        if self.evidence.spec.as_ref().is_some_and(|spec| spec.is_impossible) {
            push_wrapped(
                page,
                "",
                "  ",
                "No state at all allows this operation, reached or not.",
                look,
            );
        }
    }

    /// The last writers of what the unexplained operation read.
    pub(super) fn push_writers(&self, page: &mut String, look: &Look) {
        for writer in &self.evidence.last_writers {
            let held = format!("{} = {}", look.clean(&writer.cell), look.clean(&writer.value));
            let held = glued(&held);
            let mut sentence = match &writer.by {
                Some(op) => format!("{held} was left by {}", self.sentence_of(op, look)),
                None => format!("{held} is what it was at the beginning"),
            };
            sentence.push_str(if writer.is_certain {
                "."
            } else {
                ", in one explanation."
            });
            push_wrapped(page, "", "  ", &sentence, look);
        }
    }
}
