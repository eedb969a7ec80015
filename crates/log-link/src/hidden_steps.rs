//! Actions that happen without a line, before a line.

use crate::error::LogError;
use crate::expansion::Expander;
use crate::independence::EnabledLines;
use crate::layer::Entry;
use crate::search::Search;

impl<'s> Search<'s> {
    /// Follows the actions that may happen without a line before one of these; whether there are any.
    pub fn follow_hidden(
        &mut self,
        expander: &mut Expander<'s>,
        from: &Entry,
        parent: (u32, u32),
        enabled: &EnabledLines,
    ) -> Result<bool, LogError> {
        let mut is_continued = false;
        if !self.is_needless.contains(&false) {
            return Ok(false);
        }
        for (_, line) in enabled {
            self.lines.prepare(*line, &mut expander.evaluator)?;
        }
        for (at, used) in from.hidden.iter().enumerate() {
            let hidden = &expander.spec.hidden[at];
            if *used >= hidden.bound || self.is_needless[at] {
                continue;
            }
            // What does not depend on the coming line happens once; else it happens for the sake of the line that comes next.
            let (coming, is_directed) = if hidden.reads_line() {
                (enabled.as_slice(), enabled.len() > 1)
            } else {
                (&enabled[..enabled.len().min(1)], false)
            };
            for (_, line) in coming {
                let Some(prepared) = self.lines.get(*line).cloned() else {
                    continue;
                };
                for successor in expander.hidden(at, &from.state, &prepared)?.into_iter().rev() {
                    if successor.state == from.state {
                        continue;
                    }
                    let mut counts = from.hidden.clone();
                    counts[at] += 1;
                    let entry = Entry {
                        parent: Some(parent),
                        hidden_step: Some((at, *line)),
                        toward: from.toward.or(is_directed.then_some(*line)),
                        ..Entry::new(successor.state, from.cut.clone(), counts)
                    };
                    if let Some(entry) = self.admitted(expander, entry)? {
                        is_continued = true;
                        self.insert(parent.0, entry);
                    }
                }
            }
        }
        Ok(is_continued)
    }
}
