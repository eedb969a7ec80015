//! ImageHashes of renamed values, for a whole group of renamings at once.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::hash::{avalanche, mix};
use crate::renaming::Renaming;
use crate::value::{Repr, Value, ValueKind};

/// The hashes of values under each of some renamings, without building the renamed values.
///
/// The parts of a state, such as the messages in a set, occur in many states. So the hashes of every part are kept, and those of a
/// collection are sums of them: hashing the images of a set costs an addition for each element and renaming. They are a function of the value:
/// the renamings stay the same.
#[derive(Debug)]
pub struct RenamedHashes {
    renamings: Arc<[Renaming]>,
    known: HashMap<Value, ImageHashes, BuildHasherDefault<FxHasher>>,
    /// Approximate number of words that may still be kept.
    words_left: usize,
}

/// The hashes of one value.
#[derive(Clone, Debug)]
pub enum ImageHashes {
    /// No renaming changes the value.
    Same(u64),
    /// One hash for each renaming.
    Each(Arc<[u64]>),
}

/// 8 MB.
const WORDS_MAX: usize = 1 << 20;
/// Approximate size of an entry without its hashes.
const ENTRY_WORDS: usize = 8;

impl ImageHashes {
    /// The hash under the renaming of this number.
    #[inline]
    pub fn under(&self, renaming: usize) -> u64 {
        match self {
            Self::Same(hash) => *hash,
            Self::Each(hashes) => hashes[renaming],
        }
    }
}

impl RenamedHashes {
    /// ImageHashes under these renamings.
    pub fn new(renamings: Arc<[Renaming]>) -> Self {
        Self {
            renamings,
            known: HashMap::default(),
            words_left: WORDS_MAX,
        }
    }

    /// The hashes of a value: each is that of the renamed value.
    pub fn of(&mut self, value: &Value) -> ImageHashes {
        if matches!(
            value.0,
            Repr::Bool(_) | Repr::Int(_) | Repr::ShortStr(_) | Repr::LongStr(_)
        ) {
            return ImageHashes::Same(value.hash64());
        }
        if let Some(known) = self.known.get(value) {
            return known.clone();
        }
        let hashes = self.compute(value);
        let words = match &hashes {
            ImageHashes::Same(_) => ENTRY_WORDS,
            ImageHashes::Each(hashes) => ENTRY_WORDS + hashes.len(),
        };
        if words > self.words_left {
            self.known.clear();
            self.words_left = WORDS_MAX;
        }
        self.words_left = self.words_left.saturating_sub(words);
        self.known.insert(value.clone(), hashes.clone());
        hashes
    }

    fn compute(&mut self, value: &Value) -> ImageHashes {
        match &value.0 {
            Repr::Bool(_) | Repr::Int(_) | Repr::ShortStr(_) | Repr::LongStr(_) => {
                ImageHashes::Same(value.hash64())
            }
            Repr::ShortModel(_) | Repr::LongModel(_) => {
                let images = self.renamings.iter().map(|renaming| renaming.image(value));
                if images.clone().all(|image| image == value) {
                    return ImageHashes::Same(value.hash64());
                }
                ImageHashes::Each(images.map(Value::hash64).collect())
            }
            Repr::Set(elements) => {
                let mut sums = self.sums(elements.slice.len());
                for element in &elements.slice {
                    sums.add(&self.of(element), avalanche);
                }
                sums.finish(ValueKind::Set)
            }
            Repr::Tuple(elements) => {
                let mut sums = self.sums(elements.slice.len());
                for (index, element) in (1..).zip(&elements.slice) {
                    sums.add(&self.of(element), |hash| mix(index, hash));
                }
                sums.finish(ValueKind::Tuple)
            }
            Repr::Record(entries) => {
                let mut sums = self.sums(entries.slice.len());
                for (key, value) in &entries.slice {
                    let key = key.hash64();
                    sums.add(&self.of(value), |hash| mix(key, hash));
                }
                sums.finish(ValueKind::Record)
            }
            Repr::Function(entries) => {
                let mut sums = self.sums(entries.slice.len());
                for (key, value) in &entries.slice {
                    match (self.of(key), self.of(value)) {
                        (ImageHashes::Same(key), value) => sums.add(&value, |hash| mix(key, hash)),
                        (key, ImageHashes::Same(value)) => sums.add(&key, |hash| mix(hash, value)),
                        (ImageHashes::Each(keys), ImageHashes::Each(values)) => {
                            let pairs = keys.iter().zip(&*values);
                            sums.add_each(pairs.map(|(key, value)| mix(*key, *value)));
                        }
                    }
                }
                sums.finish(ValueKind::Function)
            }
        }
    }

    fn sums(&self, length: usize) -> Sums {
        Sums {
            common: length as u64,
            each: Vec::new(),
            renamings: self.renamings.len(),
        }
    }
}

/// The sums over the parts of a collection, one for each renaming.
struct Sums {
    /// What all sums have in common.
    common: u64,
    /// What is added to it for each renaming; empty as long as they agree.
    each: Vec<u64>,
    renamings: usize,
}

impl Sums {
    fn add(&mut self, part: &ImageHashes, term: impl Fn(u64) -> u64) {
        match part {
            ImageHashes::Same(hash) => self.common = self.common.wrapping_add(term(*hash)),
            ImageHashes::Each(hashes) => self.add_each(hashes.iter().map(|hash| term(*hash))),
        }
    }

    fn add_each(&mut self, terms: impl Iterator<Item = u64>) {
        self.each.resize(self.renamings, 0);
        for (sum, term) in self.each.iter_mut().zip(terms) {
            *sum = sum.wrapping_add(term);
        }
    }

    fn finish(self, kind: ValueKind) -> ImageHashes {
        let common = self.common;
        let hash = |sum: u64| avalanche(mix(sum.wrapping_add(common), kind as u64 + 1));
        if self.each.is_empty() {
            return ImageHashes::Same(hash(0));
        }
        ImageHashes::Each(self.each.into_iter().map(hash).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn renaming(pairs: &[(&str, &str)]) -> Renaming {
        let pairs = pairs
            .iter()
            .map(|(from, to)| (Value::model(from), Value::model(to)));
        let function = Value::function(pairs).unwrap_or_else(|error| panic!("{error}"));
        Renaming::from_function(&function).unwrap_or_else(|error| panic!("{error}"))
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            (0..3i64).prop_map(Value::int),
            any::<bool>().prop_map(Value::bool),
            "[a-c]".prop_map(|text| Value::str(&text)),
            "[a-d]".prop_map(|name| Value::model(&name)),
            "a model value with a long name".prop_map(|name| Value::model(&name)),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            let some = || prop::collection::vec(inner.clone(), 0..4);
            prop_oneof![
                some().prop_map(Value::set),
                some().prop_map(Value::tuple),
                some().prop_map(|values| Value::record(["x", "y", "z", "u"].into_iter().zip(values))),
                (some(), some()).prop_map(|(keys, values)| {
                    Value::function(keys.into_iter().zip(values)).unwrap_or_else(|_| Value::tuple([]))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_hashes_are_those_of_the_renamed_values(values in prop::collection::vec(any_value(), 1..6)) {
            let long = "a model value with a long name";
            let renamings: Arc<[Renaming]> = [
                renaming(&[("a", "b"), ("b", "a")]),
                renaming(&[("a", "b"), ("b", "c"), ("c", "a")]),
                renaming(&[("c", long), (long, "c")]),
            ]
            .into();
            let mut hashes = RenamedHashes::new(renamings.clone());
            for value in &values {
                let found = hashes.of(value);
                for (number, renaming) in renamings.iter().enumerate() {
                    let renamed = renaming.apply(value).unwrap_or_else(|| value.clone());
                    prop_assert_eq!(found.under(number), renamed.hash64(), "{} under {:?}", value, renaming);
                }
            }
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let swap = renaming(&[("a", "b"), ("b", "a")]);
        let mut hashes = RenamedHashes::new((0..1000).map(|_| swap.clone()).collect());
        for number in 0..5000 {
            let value = Value::tuple([Value::model("a"), number.into()]);
            let renamed = Value::tuple([Value::model("b"), number.into()]);
            assert_eq!(hashes.of(&value).under(7), renamed.hash64());
            assert!(hashes.known.len() * 1000 <= WORDS_MAX + 1000);
        }
    }
}
