//! The traversal of a node's children, once for both kinds of references.

use crate::node::{Argument, Kind, Node, PathStep};

/// Defines one method that visits the children of a node: by shared reference, or by mutable reference where it is given
/// `mut`.
macro_rules! define_traversal {
    ($(#[$doc:meta])* $name:ident, $($mutable:ident)?) => {
        $(#[$doc])*
        pub fn $name<'n>(&'n $($mutable)? self, mut visit: impl FnMut(&'n $($mutable)? Node)) {
            fn in_argument<'n>(
                argument: &'n $($mutable)? Argument,
                visit: &mut dyn FnMut(&'n $($mutable)? Node),
            ) {
                match argument {
                    Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => visit(node),
                    Argument::Slot(_) => {}
                    Argument::Operator(_, captures) => {
                        for (_, capture) in captures {
                            in_argument(capture, visit);
                        }
                    }
                }
            }
            fn in_path<'n>(
                path: &'n $($mutable)? [PathStep],
                visit: &mut dyn FnMut(&'n $($mutable)? Node),
            ) {
                for step in path {
                    if let PathStep::Index(index) = step {
                        visit(index);
                    }
                }
            }
            match self {
                Kind::Const(_)
                | Kind::Infinite(_)
                | Kind::Var(_)
                | Kind::Next(_)
                | Kind::Local(_)
                | Kind::Unchanged(_)
                | Kind::Fail(..) => {}
                Kind::Prime(part)
                | Kind::Once(_, part)
                | Kind::PerState(_, part)
                | Kind::Memo(_, part)
                | Kind::Not(part)
                | Kind::Negative(part)
                | Kind::Powerset(part)
                | Kind::BigUnion(part)
                | Kind::Domain(part)
                | Kind::Enabled(part)
                | Kind::Action(_, part) => visit(part),
                Kind::And(parts)
                | Kind::Or(parts)
                | Kind::Tuple(parts)
                | Kind::SetEnum(parts)
                | Kind::Record(_, parts)
                | Kind::Product(parts) => {
                    for part in parts {
                        visit(part);
                    }
                }
                Kind::Implies(two)
                | Kind::Equiv(two)
                | Kind::Equal(two)
                | Kind::NotEqual(two)
                | Kind::In(two)
                | Kind::NotIn(two)
                | Kind::SubsetEq(two)
                | Kind::Arithmetic(_, two)
                | Kind::Comparison(_, two)
                | Kind::Interval(two)
                | Kind::FunctionSet(two)
                | Kind::Union(two)
                | Kind::Intersection(two)
                | Kind::Difference(two)
                | Kind::UnchangedExpr(two)
                | Kind::Stuttering(two)
                | Kind::Changing(two)
                | Kind::Compose(two) => {
                    let (first, second) = &$($mutable)? **two;
                    visit(first);
                    visit(second);
                }
                Kind::If(three) => {
                    let (condition, yes, no) = &$($mutable)? **three;
                    visit(condition);
                    visit(yes);
                    visit(no);
                }
                Kind::Case(arms, other) => {
                    for (condition, value) in arms {
                        visit(condition);
                        visit(value);
                    }
                    if let Some(other) = other {
                        visit(other);
                    }
                }
                Kind::RecordSet(fields) => {
                    for (_, field) in fields {
                        visit(field);
                    }
                }
                Kind::Filter(bounded)
                | Kind::Map(bounded)
                | Kind::Function(bounded)
                | Kind::Recursive(bounded)
                | Kind::Choose(bounded)
                | Kind::ForAll(bounded)
                | Kind::Exists(bounded) => {
                    let bounded = &$($mutable)? **bounded;
                    for set in &$($mutable)? bounded.sets {
                        visit(set);
                    }
                    visit(&$($mutable)? bounded.body);
                }
                Kind::Path(root, path) => {
                    visit(root);
                    in_path(path, &mut visit);
                }
                Kind::Except(function, updates) => {
                    visit(function);
                    for update in updates {
                        in_path(&$($mutable)? update.path, &mut visit);
                        visit(&$($mutable)? update.value);
                    }
                }
                Kind::Let(slots, body) => {
                    for (_, argument) in slots {
                        in_argument(argument, &mut visit);
                    }
                    visit(body);
                }
                Kind::Call(call) => {
                    for (_, argument) in &$($mutable)? call.arguments {
                        in_argument(argument, &mut visit);
                    }
                }
                Kind::CallSlot(_, arguments) | Kind::Native(_, arguments) => {
                    for argument in arguments {
                        in_argument(argument, &mut visit);
                    }
                }
            }
        }
    };
}

impl Kind {
    define_traversal!(
        /// Visits the direct children, from left to right; those in arguments and captures too.
        for_each_child,
    );

    define_traversal!(
        /// Visits the direct children to change them, from left to right; those in arguments and captures too.
        for_each_child_mut,
        mut
    );

    /// Visits the arguments of calls and LETs, and what their operators capture.
    pub fn for_each_argument<'n>(&'n self, mut visit: impl FnMut(&'n Argument)) {
        fn all<'n>(argument: &'n Argument, visit: &mut dyn FnMut(&'n Argument)) {
            visit(argument);
            if let Argument::Operator(_, captures) = argument {
                captures.iter().for_each(|(_, capture)| all(capture, visit));
            }
        }
        match self {
            Kind::Let(slots, _) => slots.iter().for_each(|(_, argument)| all(argument, &mut visit)),
            Kind::Call(call) => call
                .arguments
                .iter()
                .for_each(|(_, argument)| all(argument, &mut visit)),
            Kind::CallSlot(_, arguments) | Kind::Native(_, arguments) => {
                arguments.iter().for_each(|argument| all(argument, &mut visit));
            }
            _ => {}
        }
    }
}
