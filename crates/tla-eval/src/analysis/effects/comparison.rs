//! The forms of comparisons.

use omnilink_tla_ir::Comparison;

use super::Walk;
use super::form::{Form, Reads, Test};
use super::key_set::KeySet;
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
            // `result = (map[key] # NoValue)`
            (condition @ (Form::Is(..) | Form::Present(..) | Form::Test(_)), Form::Value(value))
            | (Form::Value(value), condition @ (Form::Is(..) | Form::Present(..) | Form::Test(_))) => {
                match value.as_bool() {
                    Some(true) => condition,
                    Some(false) => condition.negated(),
                    None => Form::computed([&condition]),
                }
            }
            (Form::Element(binder, path), other) | (other, Form::Element(binder, path)) => {
                let keys = match &other {
                    Form::Value(value) => Some(KeySet::In(vec![value.clone()])),
                    Form::Other(reads) if reads.cells.is_empty() => Some(KeySet::Some),
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
            (Form::Place(left), Form::Place(right)) if left == right && left.is_known() => {
                walk.exactness.lose();
                Form::truth(true)
            }
            (left, right) => Form::computed([&left, &right]),
        }
    }
}

/// The form of a comparison of numbers.
pub(super) fn compared(comparison: Comparison, left: Form, right: Form) -> Form {
    use Comparison::{Greater, GreaterEqual, Less, LessEqual};
    let (element, bound, comparison) = match (&left, &right) {
        (Form::Element(..), bound) => (&left, bound, comparison),
        (bound, Form::Element(..)) => {
            let turned = match comparison {
                Less => Greater,
                LessEqual => GreaterEqual,
                Greater => Less,
                GreaterEqual => LessEqual,
            };
            (&right, bound, turned)
        }
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
