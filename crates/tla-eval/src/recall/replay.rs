//! Going on with next states that are remembered.

use omnilink_value::Value;
use smallvec::SmallVec;

use super::{Answer, Successor};
use crate::error::{Outcome, type_error};
use crate::evaluator::Evaluator;
use crate::flow::Flow;
use crate::step::{Found, Rest, Taken};

/// A remembered next state before it is reported.
enum Prepared {
    Hashes(Hashes),
    Values(NextValues),
}

type Hashes = SmallVec<[u64; 6]>;
type NextValues = Vec<(u32, Value)>;

impl<'p> Evaluator<'p> {
    /// Goes on with the next states that are remembered. `None` if they do not fit the state.
    pub(super) fn replay(
        &mut self,
        site: u32,
        leaf: u32,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Option<Outcome<Flow>> {
        let Some(Answer::Next(successors)) = self.answer(site, leaf) else {
            return None;
        };
        if successors.is_empty() {
            return Some(Ok(Flow::Go));
        }
        let expected = self.memory.as_ref()?.sites.get(site as usize)?.given;
        if expected != Some(self.given()) {
            return None;
        }
        // Where nothing is left to do, the hashes of a next state say whether it has to be made at all.
        let may_be_known = rest.is_done() && !self.logging;
        // All of them before the first is reported: should one not fit, evaluation reports them all.
        let mut prepared: SmallVec<[Prepared; 1]> = SmallVec::new();
        for successor in &**successors {
            let hashes = if may_be_known {
                self.hashes(successor)
            } else {
                None
            };
            prepared.push(match hashes {
                Some(hashes) => Prepared::Hashes(hashes),
                None => Prepared::Values(self.made(successor)?),
            });
        }
        for (which, prepared) in prepared.iter_mut().enumerate() {
            if let Prepared::Hashes(hashes) = prepared {
                let taken = self.taken_by(site, leaf, which);
                if found.is_known(hashes, taken) {
                    continue;
                }
                match self
                    .successor_at(site, leaf, which)
                    .and_then(|successor| self.made(successor))
                {
                    Some(values) => *prepared = Prepared::Values(values),
                    None => return Some(Err(type_error("a remembered step does not fit its state"))),
                }
            }
            if let Prepared::Values(values) = prepared {
                let flow = self.replay_one(site, leaf, which, values, rest, found);
                if !matches!(flow, Ok(Flow::Go)) {
                    return Some(flow);
                }
            }
        }
        Some(Ok(Flow::Go))
    }

    fn successor_at(&self, site: u32, leaf: u32, which: usize) -> Option<&Successor> {
        match self.answer(site, leaf)? {
            Answer::Next(successors) => successors.get(which),
            Answer::Value(_) => None,
        }
    }

    fn taken_by(&self, site: u32, leaf: u32, which: usize) -> Option<Taken> {
        let action = self
            .successor_at(site, leaf, which)
            .and_then(|successor| successor.action);
        match action {
            Some(action) => Some(Taken { action, base: None }),
            None => self.taken,
        }
    }

    /// The values that a remembered step gives; `None` if it does not fit the state.
    fn made(&self, successor: &Successor) -> Option<NextValues> {
        let values = successor.edits.iter();
        values
            .map(|(variable, edit)| Some((*variable, edit.apply(*variable, &self.state)?)))
            .collect()
    }

    /// The hashes of all values of the next state, if they can be had without making it.
    #[inline]
    fn hashes(&self, successor: &Successor) -> Option<Hashes> {
        if successor.edits.len() != self.next.len() {
            return None;
        }
        // The edits are in the order of the variables.
        let mut hashes = Hashes::new();
        for (variable, edit) in &successor.edits {
            hashes.push(edit.hash(*variable, &self.state)?);
        }
        Some(hashes)
    }

    fn replay_one(
        &mut self,
        site: u32,
        leaf: u32,
        which: usize,
        values: &mut [(u32, Value)],
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let outer = self.taken;
        self.taken = self.taken_by(site, leaf, which);
        if self.logging
            && let Some(successor) = self.successor_at(site, leaf, which)
        {
            let edits = successor.edits.clone();
            for (variable, edit) in edits {
                self.note_edit(variable, edit);
            }
        }
        for (variable, value) in values.iter_mut() {
            std::mem::swap(&mut self.next[*variable as usize], value);
            self.known[*variable as usize] = true;
        }
        self.unassigned -= values.len();
        let flow = self.resume_rest(rest, found);
        for (variable, _) in values.iter() {
            self.known[*variable as usize] = false;
        }
        self.unassigned += values.len();
        self.taken = outer;
        flow
    }
}
