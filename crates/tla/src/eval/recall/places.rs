//! Where trees look: each place once.
//!
//! A tree has thousands of nodes and looks at a handful of places. A node that shares its place is a third as large, and what is
//! learnt from others needs no copy of the places that are known.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::place::Place;

/// The places at which the trees of one evaluator look.
#[derive(Debug, Default)]
pub(super) struct Places {
    known: FxHashSet<Rc<Place>>,
}

impl Places {
    /// The place that is equal to this one, and this one itself if there is none.
    pub(super) fn shared(&mut self, place: &Place, own: impl FnOnce() -> Rc<Place>) -> Rc<Place> {
        if let Some(known) = self.known.get(place) {
            return known.clone();
        }
        let own = own();
        self.known.insert(own.clone());
        own
    }

    /// Forgets the places at which no tree looks.
    pub(super) fn forget_unused(&mut self) {
        self.known.retain(|place| Rc::strong_count(place) > 1);
    }
}

#[cfg(test)]
mod tests {
    use omnilink_value::Value;

    use super::*;
    use crate::eval::recall::place::Root;

    fn at(variable: u32, key: &str) -> Rc<Place> {
        Rc::new(Place::new(Root::Variable(variable), vec![Value::str(key)]))
    }

    #[test]
    fn equal_places_are_one_and_others_are_not() {
        let mut places = Places::default();
        let mut shared = |place: Rc<Place>| places.shared(&place.clone(), || place);
        let first = shared(at(0, "a"));
        assert!(Rc::ptr_eq(&first, &shared(at(0, "a"))));
        let listed = |element: i64| Rc::new(Place::clone(&first).lists(element.into()));
        for other in [at(0, "b"), at(1, "a"), listed(1), listed(2)] {
            let kept = shared(other.clone());
            assert!(Rc::ptr_eq(&kept, &other), "{other:?}");
        }
    }

    #[test]
    fn a_place_is_forgotten_when_no_tree_looks_there() {
        let mut places = Places::default();
        let used = places.shared(&at(0, "a"), || at(0, "a"));
        places.shared(&at(0, "b"), || at(0, "b"));
        places.forget_unused();
        assert_eq!(places.known.len(), 1);
        assert!(Rc::ptr_eq(&used, &places.shared(&at(0, "a"), || at(0, "a"))));
    }
}
