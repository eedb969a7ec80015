//! Signatures: which values can be compared without looking at them.
//!
//! TLC refuses to compare a number with a string, also inside tuples, records and sets. Most values in a spec are of few types, so that
//! is decided once for each type: two values with one signature can be compared. By induction: integers, Booleans and strings each have
//! one. Two tuples or functions with one signature have the same keys and, for each, values of one signature, so that their first
//! difference can be compared. Two sets with one signature have elements of one signature.

use omnilink_value::ValueKind;
use rustc_hash::FxHashMap;

use super::word::Word;

/// The signatures so far.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    known: FxHashMap<(ValueKind, Word, Box<[u32]>), u32>,
    /// For each domain of records, what the signatures of its fields have in common.
    records: FxHashMap<Word, Box<[u32]>>,
    has_irregular_records: bool,
    /// The same for tuples by length.
    tuples: FxHashMap<usize, Box<[u32]>>,
    has_irregular_tuples: bool,
    pub(crate) buffer: Vec<u32>,
}

/// The signature of model values without a type, which can be compared with anything.
pub(crate) const MODEL: u32 = 1;
/// Signatures below belong to values without parts.
const FIRST: u32 = 16;

impl Signatures {
    /// Whether any two records can be compared. Those with different domains always can, because names can be.
    pub(crate) fn records_are_regular(&self) -> bool {
        !self.has_irregular_records
    }

    /// Whether any two tuples can be compared. Those of different lengths always can.
    pub(crate) fn tuples_are_regular(&self) -> bool {
        !self.has_irregular_tuples
    }

    /// The signature of a collection, given those of its parts.
    pub(crate) fn of(&mut self, kind: ValueKind, domain: Word, parts: &mut Vec<u32>) -> u32 {
        match kind {
            ValueKind::Set => {
                parts.sort_unstable();
                parts.dedup();
                // A set of values of several types is compared element by element. An empty one differs from others by its size.
                if parts.len() != 1 {
                    return 0;
                }
            }
            ValueKind::Record => {
                let common = self.records.entry(domain).or_insert_with(|| parts[..].into());
                self.has_irregular_records |= !merge(common, parts);
            }
            ValueKind::Tuple => {
                let common = self.tuples.entry(parts.len()).or_insert_with(|| parts[..].into());
                self.has_irregular_tuples |= !merge(common, parts);
            }
            _ => {}
        }
        if parts.contains(&0) {
            return 0;
        }
        let next = FIRST + self.known.len() as u32;
        *self.known.entry((kind, domain, parts[..].into())).or_insert(next)
    }
}

/// Whether values with some parts can be compared with all values before, given what those have in common, which is updated: for each part,
/// one signature besides that of model values.
fn merge(common: &mut [u32], parts: &[u32]) -> bool {
    common.iter_mut().zip(parts).all(|(common, part)| {
        if *common == MODEL {
            *common = *part;
        }
        *part != 0 && *common != 0 && (*part == MODEL || part == common)
    })
}
