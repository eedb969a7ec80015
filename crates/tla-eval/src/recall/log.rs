//! The log: what is looked at, in order, while an answer is found.

use std::rc::Rc;

use omnilink_tla_ir::slot_bit;

use super::place::{Place, Root};

/// What was looked at, by all sites that are being evaluated, one inside the other.
#[derive(Default)]
pub(super) struct Log {
    looks: Vec<Look>,
    account: Option<usize>,
    is_spoilt: bool,
}

pub(super) struct Look {
    place: Rc<Place>,
    /// The frame, if the place is a slot.
    base: usize,
    /// The look at a slot on whose account this one was made: to evaluate what that slot holds.
    account: Option<usize>,
}

/// More looks are not worth keeping.
const LOOKS_MAX: usize = 4096;
/// More different places neither.
const PLACES_MAX: usize = 96;

impl Log {
    pub(super) fn len(&self) -> usize {
        self.looks.len()
    }

    /// A site begins. Gives whether the log around it is spoilt.
    pub(super) fn begin(&mut self) -> bool {
        std::mem::take(&mut self.is_spoilt)
    }

    /// The site that began at `start` ends. What it looked at was also looked at by the site around it, if there is one.
    pub(super) fn end(&mut self, start: usize, is_inside: bool, was_spoilt: bool) {
        if !is_inside {
            self.looks.truncate(start);
            self.is_spoilt = was_spoilt;
        } else {
            self.is_spoilt |= was_spoilt;
        }
    }

    pub(super) fn spoil(&mut self) {
        self.is_spoilt = true;
    }

    /// On whose account the next looks are made; gives on whose account they were.
    pub(super) fn set_account(&mut self, look: Option<usize>) -> Option<usize> {
        std::mem::replace(&mut self.account, look)
    }

    pub(super) fn push(&mut self, place: Rc<Place>, base: usize) -> usize {
        if self.looks.len() >= LOOKS_MAX {
            self.is_spoilt = true;
            return self.looks.len();
        }
        self.looks.push(Look {
            place,
            base,
            account: self.account,
        });
        self.looks.len() - 1
    }

    /// Takes what was looked at since `mark`. One look more than is kept is enough to know that there were too many:
    /// a site may have millions of successors, and all that follows each of them comes here.
    pub(super) fn split_off(&mut self, mark: usize, into: &mut Vec<Look>) {
        let room = (LOOKS_MAX + 1).saturating_sub(into.len());
        let taken = self.looks.drain(mark.min(self.looks.len())..);
        into.extend(taken.take(room).map(|look| Look {
            account: None,
            ..look
        }));
    }

    /// Adds what was looked at before, but belongs here.
    pub(super) fn append(&mut self, looks: Vec<Look>) {
        if self.looks.len() + looks.len() > LOOKS_MAX {
            self.is_spoilt = true;
        } else {
            self.looks.extend(looks);
        }
    }

    /// The inputs of a site among what was looked at since `start`, each once. The site is evaluated in the frame at
    /// `base`, in which the slots in `free` are not bound by itself; slots from `top` on did not exist when it began. `None` if
    /// nothing can be remembered.
    pub(super) fn inputs(&self, start: usize, base: usize, top: usize, free: u64) -> Option<Vec<Rc<Place>>> {
        if self.is_spoilt {
            return None;
        }
        let mut inputs: Vec<Rc<Place>> = Vec::new();
        for look in self.looks.get(start..)? {
            if self.follows_from_input(look, start, base, free) {
                continue;
            }
            match look.place.root {
                Root::Variable(_) => {}
                Root::Slot(slot) if look.base == base => {
                    // The last bit of `free` stands for several slots, of which some may be bound inside.
                    if slot >= 63 {
                        return None;
                    }
                    if free & slot_bit(slot) == 0 {
                        continue;
                    }
                }
                Root::Slot(_) if look.base >= top => continue,
                Root::Slot(_) => return None,
            }
            if inputs.iter().any(|known| known.covers(&look.place)) {
                continue;
            }
            if inputs.len() == PLACES_MAX {
                return None;
            }
            inputs.push(look.place.clone());
        }
        Some(inputs)
    }

    /// Whether a look was made to evaluate what an input holds. The input itself is in the log before it.
    fn follows_from_input(&self, look: &Look, start: usize, base: usize, free: u64) -> bool {
        let mut account = look.account;
        while let Some(at) = account.filter(|at| *at >= start) {
            let Some(cause) = self.looks.get(at) else {
                return false;
            };
            if let Root::Slot(slot) = cause.place.root
                && cause.base == base
                && slot < 63
                && free & slot_bit(slot) != 0
            {
                return true;
            }
            account = cause.account;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_site_is_kept_only_as_far_as_it_is_worth_it() {
        let mut log = Log::default();
        let mut later = Vec::new();
        for _ in 0..10 {
            for _ in 0..LOOKS_MAX / 2 {
                log.push(Rc::new(Place::whole(Root::Variable(0))), 0);
            }
            log.split_off(0, &mut later);
            assert_eq!(log.len(), 0);
        }
        assert_eq!(later.len(), LOOKS_MAX + 1);
        log.append(later);
        assert!(log.inputs(0, 0, 0, 0).is_none());
    }
}
