//! The forms of comparisons.

use omnilink_tla_ir::Comparison;

use super::Walk;
use super::form::{Form, Reads, Test, inside};
use super::key_set::KeySet;
use super::tally::CellTest;
use crate::evaluator::Evaluator;

impl<'p> Evaluator<'p> {
    /// The form of an equality.
    pub(super) fn equal_forms(&mut self, left: Form, right: Form, walk: &mut Walk<'_>) -> Form {
        match (left, right) {
            (Form::Value(left), Form::Value(right)) => match crate::equality::equal_values(&left, &right) {
                Ok(truth) => Form::truth(truth),
                Err(_) => {
                    walk.exactness.lose();
                    Form::unknown()
                }
            },
            (Form::Place(place), Form::Value(value)) | (Form::Value(value), Form::Place(place)) => {
                Form::Is(place, value, true)
            }
            (Form::Positions(place, Some(groups)), Form::Value(value))
            | (Form::Value(value), Form::Positions(place, Some(groups)))
                if groups.len() == 1 && value.as_set().is_some_and(<[_]>::is_empty) =>
            {
                let group = groups.into_iter().next();
                group.map_or_else(Form::unknown, |group| {
                    walk.presence(inside(&place, group)).negated()
                })
            }
            (Form::Either(parts), Form::Value(value)) | (Form::Value(value), Form::Either(parts)) => {
                let (condition, yes, no) = *parts;
                let yes = self.equal_forms(yes, Form::Value(value.clone()), walk);
                let no = self.equal_forms(no, Form::Value(value), walk);
                match (yes.as_truth(), no.as_truth()) {
                    (Some(yes), Some(no)) if yes == no => Form::truth(yes),
                    (Some(true), Some(false)) => condition,
                    (Some(false), Some(true)) => condition.negated(),
                    _ => Form::Either(Box::new((condition, yes, no))),
                }
            }
            (Form::Count(count), Form::Value(value)) | (Form::Value(value), Form::Count(count))
                if value.as_int().is_some() =>
            {
                count.compared(None, value.as_int().unwrap_or_default())
            }
            // `result = (map[key] # NoValue)`
            (
                condition @ (Form::Is(..) | Form::Present(..) | Form::Test(_) | Form::Tally(_)),
                Form::Value(value),
            )
            | (
                Form::Value(value),
                condition @ (Form::Is(..) | Form::Present(..) | Form::Test(_) | Form::Tally(_)),
            ) => match value.as_bool() {
                Some(true) => condition,
                Some(false) => condition.negated(),
                None => Form::computed([&condition]),
            },
            (Form::Element(binder, path), other) | (other, Form::Element(binder, path)) => {
                let keys = match &other {
                    Form::Value(value) => Some(KeySet::In(vec![value.clone()])),
                    Form::Other(reads) if reads.cells.is_empty() => Some(KeySet::Some),
                    Form::Symbol(_) => Some(KeySet::Some),
                    _ => None,
                };
                match keys {
                    Some(keys) => Form::Test(Test {
                        binder,
                        path,
                        keys,
                        is_exact: true,
                        reads: Reads::nothing(),
                    }),
                    None => Form::computed([&other]),
                }
            }
            (Form::Symbol(left), Form::Symbol(right)) if left == right => Form::truth(true),
            (Form::Place(left), Form::Place(right)) if left == right && left.is_known() => {
                walk.exactness.lose();
                Form::truth(true)
            }
            (left, right) => {
                // The same question on both sides: `k \in s <=> map[k] # NoValue`, where `s` was defined by it.
                let tests = CellTest::of(&left).zip(CellTest::of(&right));
                match tests.and_then(|(left, right)| Some((left.agrees(&right)?, left))) {
                    Some((truth, test)) => {
                        walk.defined.push(test);
                        Form::truth(truth)
                    }
                    None => Form::computed([&left, &right]),
                }
            }
        }
    }
}

/// The comparison with its operands exchanged.
fn turned(comparison: Comparison) -> Comparison {
    use Comparison::{Greater, GreaterEqual, Less, LessEqual};
    match comparison {
        Less => Greater,
        LessEqual => GreaterEqual,
        Greater => Less,
        GreaterEqual => LessEqual,
    }
}

/// The form of a comparison of numbers.
pub(super) fn compared(comparison: Comparison, left: Form, right: Form) -> Form {
    match (&left, &right) {
        (Form::Count(count), Form::Value(bound)) => {
            if let Some(bound) = bound.as_int() {
                return (**count).clone().compared(Some(comparison), bound);
            }
        }
        (Form::Value(bound), Form::Count(count)) => {
            if let Some(bound) = bound.as_int() {
                return (**count).clone().compared(Some(turned(comparison)), bound);
            }
        }
        _ => {}
    }
    let (element, bound, comparison) = match (&left, &right) {
        (Form::Element(..), bound) => (&left, bound, comparison),
        (bound, Form::Element(..)) => (&right, bound, turned(comparison)),
        _ => return Form::computed([&left, &right]),
    };
    let keys = match bound {
        Form::Value(bound) => bound.as_int().map(|bound| KeySet::compared(comparison, bound)),
        Form::Other(reads) if reads.cells.is_empty() => Some(KeySet::Some),
        _ => None,
    };
    match (element, keys) {
        (Form::Element(binder, path), Some(keys)) => Form::Test(Test {
            binder: *binder,
            path: path.clone(),
            keys,
            is_exact: true,
            reads: Reads::nothing(),
        }),
        _ => Form::computed([&left, &right]),
    }
}
