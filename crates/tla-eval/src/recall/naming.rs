//! Numbers for what evaluators tell each other about.
//!
//! A lesson is about a few places, what was seen there, and what came of it: things of which an evaluator has some hundred, and each is in
//! many lessons. So whoever teaches numbers them, says once what each number means, and from then on tells numbers alone. Whoever
//! hears of a number copies what it means once, into memory of its own. A lesson is then a hundred bytes that nobody has to
//! take apart, and the trees of one who listens have as much in common as those of one who finds out.

use std::borrow::Borrow;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omnilink_tla_ir::unshared;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::common::Common;
use super::place::Place;
use super::tree::Weigh;
use super::{Answer, Successor};

/// What an evaluator means by its numbers, for the others to read: each list only grows.
#[derive(Debug, Default)]
pub(super) struct Named {
    lists: Mutex<Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    places: Vec<Place>,
    values: Vec<Value>,
    steps: Vec<Arc<[Successor]>>,
}

impl Named {
    // Lists change by whole entries, so what a panicking thread left behind are still lists.
    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Things of one kind beyond these are not named: a spec that has so many knows few answers.
const NAMES_MAX: usize = 1 << 18;

/// The number of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerNumber {
    /// Among the values.
    Value(u32),
    /// Among the lists of next states.
    Next(u32),
}

/// The numbers that an evaluator has given. Each is in the lists of what is named before anybody can hear of it.
#[derive(Debug, Default)]
pub(super) struct Names {
    places: FxHashMap<Rc<Place>, u32>,
    values: FxHashMap<Value, u32>,
    steps: FxHashMap<Arc<[Successor]>, u32>,
    /// How much memory is kept for the names alone, about.
    bytes: usize,
}

impl Names {
    pub(super) fn place(&mut self, place: &Rc<Place>, named: &Named) -> Option<u32> {
        number(&mut self.places, &**place, || {
            named.lock().places.push(Place::clone(place));
            self.bytes += size_of::<Place>();
            place.clone()
        })
    }

    pub(super) fn value(&mut self, value: &Value, named: &Named) -> Option<u32> {
        number(&mut self.values, value, || {
            named.lock().values.push(value.clone());
            self.bytes += value.bytes();
            value.clone()
        })
    }

    pub(super) fn answer(&mut self, answer: &Answer, named: &Named) -> Option<AnswerNumber> {
        Some(match answer {
            Answer::Value(value) => AnswerNumber::Value(self.value(value, named)?),
            Answer::Next(steps) => AnswerNumber::Next(number(&mut self.steps, &**steps, || {
                named.lock().steps.push(steps.clone());
                self.bytes += answer.bytes();
                steps.clone()
            })?),
        })
    }

    /// How much memory the names given since the last time keep, about.
    pub(super) fn take_bytes(&mut self) -> usize {
        std::mem::take(&mut self.bytes)
    }
}

/// The number of a thing; a new one is named, unless there are too many.
fn number<T: Borrow<Q> + Hash + Eq, Q: Hash + Eq + ?Sized>(
    numbers: &mut FxHashMap<T, u32>,
    of: &Q,
    name: impl FnOnce() -> T,
) -> Option<u32> {
    if let Some(number) = numbers.get(of) {
        return Some(*number);
    }
    if numbers.len() == NAMES_MAX {
        return None;
    }
    let next = numbers.len() as u32;
    numbers.insert(name(), next);
    Some(next)
}

/// What another evaluator means by its numbers, as far as it was heard, in memory of one's own.
#[derive(Debug, Default)]
pub(super) struct Heard {
    places: Vec<Rc<Place>>,
    values: Vec<Value>,
    steps: Vec<Arc<[Successor]>>,
}

impl Heard {
    pub(super) fn place(&self, number: u32) -> Option<&Rc<Place>> {
        self.places.get(number as usize)
    }

    pub(super) fn value(&self, number: u32) -> Option<&Value> {
        self.values.get(number as usize)
    }

    pub(super) fn answer(&self, number: AnswerNumber) -> Option<Answer> {
        Some(match number {
            AnswerNumber::Value(number) => Answer::Value(self.value(number)?.clone()),
            AnswerNumber::Next(number) => Answer::Next(self.steps.get(number as usize)?.clone()),
        })
    }

    pub(super) fn has_answer(&self, number: AnswerNumber) -> bool {
        match number {
            AnswerNumber::Value(number) => (number as usize) < self.values.len(),
            AnswerNumber::Next(number) => (number as usize) < self.steps.len(),
        }
    }

    /// Hears of what was named since the last time. Gives how much memory that takes, about.
    pub(super) fn catch_up(&mut self, named: &Named, common: &mut Common) -> usize {
        let lists = named.lock();
        let mut bytes = 0;
        for place in lists.places.iter().skip(self.places.len()) {
            bytes += size_of::<Place>();
            let own = common.places.shared(place, || Rc::new(place.unshared()));
            self.places.push(own);
        }
        for value in lists.values.iter().skip(self.values.len()) {
            bytes += value.bytes();
            self.values.push(common.value(value, || unshared(value)));
        }
        for steps in lists.steps.iter().skip(self.steps.len()) {
            bytes += size_of::<Successor>();
            let own = || steps.iter().map(Successor::unshared).collect();
            self.steps.push(common.steps.shared(&**steps, own));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::Edit;
    use crate::recall::place::Root;

    fn place(variable: u32) -> Rc<Place> {
        Rc::new(Place::whole(Root::Variable(variable)))
    }

    fn pair(last: i64) -> Value {
        Value::tuple([0.into(), last.into()])
    }

    fn steps(to: i64) -> Answer {
        let edits = [(0, Edit::Is(pair(to)))];
        Answer::Next(Arc::new([Successor {
            action: Some(1),
            edits: edits.into(),
        }]))
    }

    fn next_of(answer: Option<Answer>) -> Arc<[Successor]> {
        match answer {
            Some(Answer::Next(steps)) => steps,
            other => panic!("no next states: {other:?}"),
        }
    }

    #[test]
    fn a_number_means_to_who_hears_it_what_it_means_to_who_says_it() {
        let (named, mut names, mut heard) = (Named::default(), Names::default(), Heard::default());
        let mut common = Common::default();
        for round in 0..3 {
            for n in 0..10 * (round + 1) {
                let value = names.value(&pair(n), &named).expect("a number");
                let at = names.place(&place(n as u32), &named).expect("a number");
                let answer = names.answer(&steps(n), &named).expect("a number");
                if heard.value(value).is_none() {
                    assert!(heard.place(at).is_none() && !heard.has_answer(answer), "{n}");
                    assert!(heard.catch_up(&named, &mut common) > 0);
                }
                assert_eq!(heard.value(value), Some(&pair(n)));
                assert_eq!(heard.place(at), Some(&place(n as u32)));
                assert_eq!(next_of(heard.answer(answer)), next_of(Some(steps(n))));
                let told = names.answer(&Answer::Value(pair(n)), &named);
                assert_eq!(told, Some(AnswerNumber::Value(value)), "one number for one value");
            }
        }
        assert!(names.take_bytes() > 0 && names.take_bytes() == 0);
    }

    #[test]
    fn what_is_heard_is_in_common_with_what_is_known() {
        let (named, mut names, mut heard) = (Named::default(), Names::default(), Heard::default());
        let mut common = Common::default();
        let known = common.value(&pair(1), || pair(1));
        let value = names.value(&pair(1), &named).expect("a number");
        let new = names.value(&pair(2), &named).expect("a number");
        heard.catch_up(&named, &mut common);
        let address = |value: Option<&Value>| value.and_then(Value::as_tuple).map(<[Value]>::as_ptr);
        assert_eq!(address(heard.value(value)), address(Some(&known)));
        let said = named.lock();
        assert_ne!(
            address(heard.value(new)),
            address(said.values.last()),
            "memory of one's own"
        );
    }

    #[test]
    fn too_many_things_are_not_named() {
        let (named, mut names) = (Named::default(), Names::default());
        for n in 0..NAMES_MAX as i64 {
            assert_eq!(names.value(&n.into(), &named), Some(n as u32));
        }
        assert_eq!(names.value(&(-1).into(), &named), None);
        assert_eq!(names.value(&7.into(), &named), Some(7));
        assert_eq!(
            names.place(&place(0), &named),
            Some(0),
            "each kind has numbers of its own"
        );
    }
}
