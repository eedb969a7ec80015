//! `SubSeq(s, m, n) = SubSeq(t, m, n)` without building the two parts.
//!
//! Specifications of replicated logs compare all prefixes of two logs: `\A n : … => SubSeq(s, 1, n) = SubSeq(t, 1, n)`. Built and compared
//! one by one, these take time quadratic in the length of the logs. Here the length of the common prefix of the last two
//! sequences that were compared is remembered, so each further comparison takes constant time.
//!
//! Only TRUE is answered. Let both ranges be `m..n`, with m at least 1 and n at most the length of both sequences, and the first n elements
//! pairwise equal. Then so are the parts, which are empty if m is greater than n, and neither side is an error. In every other
//! case the two parts are evaluated.

use omnilink_tla_ir::native::Native;
use omnilink_tla_ir::{Argument, Kind, Node};
use omnilink_value::Value;

use super::datum::Datum;
use super::evaluator::Evaluator;
use super::mutant::{Mutant, mutated};
use super::slot::Slot;

/// Two sequences and the length of their common prefix. They are kept alive, so their addresses identify them.
#[derive(Clone, Debug)]
pub(crate) struct CommonPrefix {
    left: Value,
    right: Value,
    length: usize,
}

/// A part of a sequence.
struct Part {
    whole: Value,
    from: i64,
    to: i64,
}

impl<'p> Evaluator<'p> {
    /// Whether two expressions are the same part of two sequences, and these are equal up to its end.
    pub(crate) fn are_equal_parts(&mut self, left: &'p Node, right: &'p Node) -> bool {
        let (Kind::Native(of_left, left_operands), Kind::Native(of_right, right_operands)) =
            (&within_memo(left).kind, &within_memo(right).kind)
        else {
            return false;
        };
        let are_parts = is_sub_seq(*of_left) && is_sub_seq(*of_right);
        are_parts
            && !left.uses.impure
            && !right.uses.impure
            && self
                .have_equal_part(left_operands, right_operands)
                .unwrap_or(false)
    }

    fn have_equal_part(&mut self, left: &'p [Argument], right: &'p [Argument]) -> Option<bool> {
        let left = self.sub_seq_operands(left)?;
        let right = self.sub_seq_operands(right)?;
        if (left.from, left.to) != (right.from, right.to) || left.from < 1 {
            return None;
        }
        let to = usize::try_from(left.to).ok()?;
        let length = self.common_prefix(&left.whole, &right.whole)?;
        Some(to <= length || mutated(Mutant::BeyondCommonPrefix))
    }

    /// The operands of `SubSeq`, if they have values.
    fn sub_seq_operands(&mut self, operands: &'p [Argument]) -> Option<Part> {
        let mut value = |operand: &'p Argument| match self.argument(operand).ok()? {
            Slot::Datum(Datum::Value(value)) => Some(value),
            _ => None,
        };
        let [whole, from, to] = operands else { return None };
        Some(Part {
            whole: value(whole)?,
            from: value(from)?.as_int()?,
            to: value(to)?.as_int()?,
        })
    }

    /// The length of the common prefix of two sequences.
    fn common_prefix(&mut self, left: &Value, right: &Value) -> Option<usize> {
        let (left_parts, right_parts) = (left.as_tuple()?, right.as_tuple()?);
        if let Some(known) = &self.common_prefix
            && is_same(&known.left, left_parts)
            && is_same(&known.right, right_parts)
        {
            return Some(known.length);
        }
        let mut pairs = left_parts.iter().zip(right_parts);
        let length = match std::ptr::eq(left_parts, right_parts) {
            true => left_parts.len(),
            false => pairs
                .position(|(left, right)| left != right)
                .unwrap_or(left_parts.len().min(right_parts.len())),
        };
        self.common_prefix = Some(CommonPrefix {
            left: left.clone(),
            right: right.clone(),
            length,
        });
        Some(length)
    }
}

/// The expression at a memo point, which need not remember it here.
fn within_memo(node: &Node) -> &Node {
    match &node.kind {
        Kind::Memo(_, inner) => inner,
        _ => node,
    }
}

fn is_sub_seq(native: Native) -> bool {
    native.signature().name == "SubSeq"
}

/// Whether a sequence is the one with these elements, in the same place in memory.
fn is_same(sequence: &Value, parts: &[Value]) -> bool {
    sequence.as_tuple().is_some_and(|own| std::ptr::eq(own, parts))
}
