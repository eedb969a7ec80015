//! A persistent sequence: the state of queues, stacks and logs.
//!
//! A trace may fill a queue with a hundred thousand elements before it drains it. So the cost of a step and the size of a
//! stored state must not depend on the length. Elements are in shared chunks of [`CHUNK`]; the last, unfinished chunk is
//! the *tail*. A push copies the tail (16 elements on average), and every 32nd push also copies the list of chunks. Removing
//! an element at either end copies only that list, every 32nd time. The hash is a polynomial that each change updates in
//! constant time.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use omnilink_value::Value;

/// The number of elements of a chunk: large enough for a short list of chunks, small enough for a cheap copy of the tail.
const CHUNK: usize = 32;

/// The base of the polynomial hash. Odd, so that it has an inverse modulo 2^64.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
const BASE_INVERSE: u64 = inverse(BASE);

/// An immutable sequence of values.
///
/// Invariants: all of `chunks` are full; `skipped` elements at the front of the first chunk (of the tail, if there are
/// no chunks) and everything behind `tail_len` in the tail no longer belong to it; `hash` is the sum of the elements'
/// hashes times `BASE` to the power of how many elements follow; `power` is `BASE` to the power of the length.
#[derive(Clone, Debug)]
pub struct Sequence {
    chunks: Arc<[Arc<[Value]>]>,
    tail: Arc<[Value]>,
    skipped: usize,
    tail_len: usize,
    hash: u64,
    power: u64,
}

impl Sequence {
    /// The empty sequence.
    pub fn new() -> Self {
        Self {
            chunks: Arc::from([]),
            tail: Arc::from([]),
            skipped: 0,
            tail_len: 0,
            hash: 0,
            power: 1,
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.chunks.len() * CHUNK + self.tail_len - self.skipped
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`, counted from 0 at the front.
    pub fn get(&self, index: usize) -> Option<&Value> {
        let at = index.checked_add(self.skipped)?;
        match self.chunks.get(at / CHUNK) {
            Some(chunk) => chunk.get(at % CHUNK),
            None => self
                .tail
                .get(..self.tail_len)?
                .get(at - self.chunks.len() * CHUNK),
        }
    }

    /// The element at the front.
    pub fn first(&self) -> Option<&Value> {
        self.get(0)
    }

    /// The element at the back.
    pub fn last(&self) -> Option<&Value> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The elements from front to back.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        let chunks = self.chunks.iter().flat_map(|chunk| chunk.iter());
        chunks.chain(&self.tail[..self.tail_len]).skip(self.skipped)
    }

    /// The sequence with `value` at the back.
    pub fn pushed(&self, value: &Value) -> Self {
        let mut pushed = self.clone();
        pushed.tail = self.tail[..self.tail_len]
            .iter()
            .chain([value])
            .cloned()
            .collect();
        pushed.tail_len += 1;
        pushed.hash = self.hash.wrapping_mul(BASE).wrapping_add(value.hash64());
        pushed.power = self.power.wrapping_mul(BASE);
        if pushed.tail_len == CHUNK {
            let full = std::mem::replace(&mut pushed.tail, Arc::from([]));
            pushed.chunks = self.chunks.iter().chain([&full]).cloned().collect();
            pushed.tail_len = 0;
        }
        pushed
    }

    /// The element at the front and the sequence behind it.
    pub fn split_first(&self) -> Option<(&Value, Self)> {
        let first = self.first()?;
        let mut rest = self.clone();
        rest.skipped += 1;
        rest.power = self.power.wrapping_mul(BASE_INVERSE);
        rest.hash = self.hash.wrapping_sub(first.hash64().wrapping_mul(rest.power));
        if rest.skipped == CHUNK {
            // A tail is never full, so the consumed chunk is one of the list.
            rest.chunks = self.chunks[1..].iter().cloned().collect();
            rest.skipped = 0;
        }
        Some((first, rest))
    }

    /// The element at the back and the sequence before it.
    pub fn split_last(&self) -> Option<(&Value, Self)> {
        let last = self.last()?;
        let mut rest = self.clone();
        if self.tail_len == 0
            && let Some((open, full)) = self.chunks.split_last()
        {
            rest.chunks = full.iter().cloned().collect();
            rest.tail = open.clone();
            rest.tail_len = CHUNK;
        }
        rest.tail_len -= 1;
        rest.power = self.power.wrapping_mul(BASE_INVERSE);
        rest.hash = self.hash.wrapping_sub(last.hash64()).wrapping_mul(BASE_INVERSE);
        Some((last, rest))
    }

    /// The approximate heap size of this sequence alone, in bytes. Other sequences share its full chunks.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.tail)
            + self.chunks.len() * size_of::<Arc<[Value]>>() / CHUNK
            + 4 * size_of::<usize>()
    }
}

impl Default for Sequence {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for Sequence {
    fn eq(&self, other: &Self) -> bool {
        if self.hash != other.hash || self.power != other.power || self.len() != other.len() {
            return false;
        }
        // Sequences with a common origin usually have the same chunk boundaries and share most chunks.
        let aligned = self.skipped == other.skipped && self.tail_len == other.tail_len;
        if !aligned {
            return self.iter().eq(other.iter());
        }
        let hidden = if self.chunks.is_empty() { self.skipped } else { 0 };
        let tail = hidden..self.tail_len;
        let mut chunks = self.chunks.iter().zip(other.chunks.iter()).enumerate();
        let chunks_are_equal = chunks.all(|(at, (mine, theirs))| {
            let hidden = if at == 0 { self.skipped } else { 0 };
            Arc::ptr_eq(mine, theirs) || mine[hidden..] == theirs[hidden..]
        });
        chunks_are_equal
            && (Arc::ptr_eq(&self.tail, &other.tail) || self.tail[tail.clone()] == other.tail[tail])
    }
}

impl Eq for Sequence {}

impl Hash for Sequence {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The power distinguishes sequences that differ only in elements whose hash is zero.
        state.write_u64(self.hash ^ self.power);
    }
}

/// The inverse of an odd number modulo 2^64. Newton's iteration doubles the number of correct bits each time.
const fn inverse(odd: u64) -> u64 {
    let mut guess = odd;
    let mut round = 0;
    while round < 6 {
        guess = guess.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(guess)));
        round += 1;
    }
    guess
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::keys::mix;

    fn sequence(values: impl IntoIterator<Item = i64>) -> Sequence {
        values
            .into_iter()
            .fold(Sequence::new(), |built, value| built.pushed(&Value::int(value)))
    }

    fn check_against(deque: &VecDeque<i64>, sequence: &Sequence) {
        assert_eq!(sequence.len(), deque.len());
        assert!(
            sequence
                .iter()
                .map(|value| value.as_int().unwrap())
                .eq(deque.iter().copied())
        );
        assert_eq!(sequence.first().and_then(Value::as_int), deque.front().copied());
        assert_eq!(sequence.last().and_then(Value::as_int), deque.back().copied());
        assert_eq!(
            sequence.get(deque.len() / 2).and_then(Value::as_int),
            deque.get(deque.len() / 2).copied()
        );
        assert_eq!(sequence.get(deque.len()), None);
    }

    #[test]
    fn behaves_like_a_deque_and_equal_contents_are_equal_however_they_came_about() {
        for bias in [2, 3, 5] {
            let mut built = Sequence::new();
            let mut deque = VecDeque::new();
            for turn in 0..3_000_u64 {
                let random = mix(turn ^ bias << 32);
                match random % bias {
                    0 => built = built.split_first().map_or(built.clone(), |(_, rest)| rest),
                    1 if random & 64 == 0 => {
                        built = built.split_last().map_or(built.clone(), |(_, rest)| rest)
                    }
                    _ => built = built.pushed(&Value::int(turn as i64 % 3)),
                }
                match random % bias {
                    0 => drop(deque.pop_front()),
                    1 if random & 64 == 0 => drop(deque.pop_back()),
                    _ => deque.push_back(turn as i64 % 3),
                }
                check_against(&deque, &built);
                let rebuilt = sequence(deque.iter().copied());
                assert_eq!(built, rebuilt);
                assert_eq!((built.hash, built.power), (rebuilt.hash, rebuilt.power));
            }
        }
    }

    #[test]
    fn sequences_that_differ_in_one_place_are_different() {
        for length in [1_usize, 31, 32, 33, 64, 100] {
            let original: Vec<i64> = (0..length as i64).collect();
            for at in 0..length {
                let mut other = original.clone();
                other[at] = -1;
                assert_ne!(sequence(original.clone()), sequence(other));
            }
        }
        assert_ne!(sequence([0]), sequence([]));
    }

    #[test]
    fn taking_from_a_shared_tail_and_pushing_again_leaves_the_original_alone() {
        let original = sequence(0..40);
        let (_, shorter) = original.split_last().unwrap();
        let changed = shorter.pushed(&Value::int(-5));
        assert_eq!(original, sequence(0..40));
        assert_eq!(changed, sequence((0..39).chain([-5])));
    }
}
