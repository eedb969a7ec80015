//! The element by which a collection has grown.

use omnilink_value::ValueKind;

use super::store::ValueStore;
use super::word::ValueWord;
use crate::code::Growth;
use crate::trap::Trap;

impl ValueStore {
    /// The element `x` for which `after` is `before` with `x` added; `None` if there is none. Where `x` may be any element of a set that stays as it is, that is a trap.
    pub(crate) fn added(
        &mut self,
        growth: Growth,
        before: ValueWord,
        after: ValueWord,
    ) -> Result<Option<ValueWord>, Trap> {
        match growth {
            Growth::Set => {
                let old = self.as_set(before).ok_or(Trap::Type)?;
                let new = self.as_set(after).ok_or(Trap::Type)?;
                if old == new {
                    return Err(Trap::Domain);
                }
                Ok(inserted(old, new))
            }
            Growth::Sequence => {
                let old = self.as_tuple(before).ok_or(Trap::Type)?;
                let new = self.as_tuple(after).ok_or(Trap::Type)?;
                Ok(match new.split_last() {
                    Some((last, front)) if front == old => Some(*last),
                    _ => None,
                })
            }
            Growth::Bag => {
                // As in the evaluator: bags of strings, or of 1 to n, are left out.
                let is_bag = |bag| bag == self.empty_tuple() || self.kind(bag) == ValueKind::Function;
                if !is_bag(before) || self.kind(after) != ValueKind::Function {
                    return Err(Trap::Type);
                }
                let domains = (self.domain(before)?, self.domain(after)?);
                let (Some(old), Some(new)) = (self.as_set(domains.0), self.as_set(domains.1)) else {
                    return Err(Trap::Type);
                };
                let (copies, more) = (
                    self.range_of(before).ok_or(Trap::Type)?,
                    self.range_of(after).ok_or(Trap::Type)?,
                );
                if copies.iter().chain(more).any(|count| count.as_int().is_none()) {
                    return Err(Trap::Type);
                }
                let is_next = |old: i64, new: Option<i64>| Some(old + 1) == new;
                let Some(at) = (0..new.len())
                    .find(|at| (old.get(*at), copies.get(*at)) != (new.get(*at), more.get(*at)))
                else {
                    return Ok(None);
                };
                let is_grown = if old.len() == new.len() {
                    old == new
                        && copies[at + 1..] == more[at + 1..]
                        && is_next(copies[at].as_int().unwrap_or_default(), more[at].as_int())
                } else {
                    old.len() + 1 == new.len()
                        && old[at..] == new[at + 1..]
                        && copies[at..] == more[at + 1..]
                        && more[at].as_int() == Some(1)
                };
                Ok(is_grown.then(|| new[at]))
            }
        }
    }
}

/// The element that one of two sorted lists has and the other has not, if they are the same otherwise.
fn inserted(old: &[ValueWord], new: &[ValueWord]) -> Option<ValueWord> {
    let at = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    (new.len() == old.len() + 1 && old[at..] == new[at + 1..]).then(|| new[at])
}
