//! Sorting by a number, compiled once.
//!
//! The sorts of the standard library are compiled anew for every type and every comparison: some seven kilobytes each, which were more
//! than half of the machine code of the monitors. Here the keys are sorted together with the positions of what they belong to, by code
//! that exists once, and only then is the rest put in that order.

use std::cmp::Reverse;

/// Up to this many, moving elements one by one is faster than a copy of their keys.
const FEW: usize = 20;

/// What can be sorted by: a number, or two small ones.
pub trait SortKey {
    /// The number; that of a greater key is greater.
    fn number(self) -> u64;
}

impl SortKey for u64 {
    fn number(self) -> u64 {
        self
    }
}

impl SortKey for u32 {
    fn number(self) -> u64 {
        self.into()
    }
}

impl SortKey for usize {
    fn number(self) -> u64 {
        self as u64
    }
}

impl SortKey for bool {
    fn number(self) -> u64 {
        self.into()
    }
}

impl SortKey for i64 {
    fn number(self) -> u64 {
        // The least number becomes 0.
        (self as u64) ^ (1 << 63)
    }
}

impl SortKey for (u32, u32) {
    fn number(self) -> u64 {
        u64::from(self.0) << 32 | u64::from(self.1)
    }
}

/// `None` comes first.
impl SortKey for Option<u32> {
    fn number(self) -> u64 {
        self.map_or(0, |number| u64::from(number) + 1)
    }
}

impl<K: SortKey> SortKey for Reverse<K> {
    fn number(self) -> u64 {
        !self.0.number()
    }
}

/// Sorts by a key; what has equal keys stays in its order.
pub fn sort_by_key<T, K: SortKey>(items: &mut [T], key: impl Fn(&T) -> K) {
    if items.len() <= FEW {
        let mut numbers = [0; FEW];
        for end in 0..items.len() {
            numbers[end] = key(&items[end]).number();
            let mut at = end;
            while at > 0 && numbers[at - 1] > numbers[at] {
                numbers.swap(at - 1, at);
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut order = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        order.push((key(item).number(), at));
    }
    if sort_numbers(&mut order) {
        put_in_order(&mut order, &mut |one, other| items.swap(one, other));
    }
}

/// Sorts numbers with their positions; returns whether that changes anything.
fn sort_numbers(order: &mut [(u64, usize)]) -> bool {
    let is_changed = !order.is_sorted();
    if is_changed {
        order.sort_unstable();
    }
    is_changed
}

/// Swaps until there stands at each position what stood at the one that is named there.
fn put_in_order(order: &mut [(u64, usize)], swap: &mut dyn FnMut(usize, usize)) {
    for begin in 0..order.len() {
        let mut to = begin;
        loop {
            let from = std::mem::replace(&mut order[to].1, to);
            if from == begin {
                break;
            }
            swap(to, from);
            to = from;
        }
    }
}
