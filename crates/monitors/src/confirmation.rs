//! A refutation is decided again, by a search that knows no rules.
//!
//! The search takes the operations that the monitor blames, all operations that add, remove or replace one of their values, and the pending
//! removals that may have taken one of them. If these have no linearization, the whole history has none: **leaving out a value keeps a history
//! linearizable.** Take a linearization and drop all operations on some values, and any operations that only observe. What was next
//! (first, last, greatest, or held by a register) among the values that are left is still next; what was inside or not is as before; what
//! was empty is empty. A pending removal that took a dropped value did not happen. A replacement is an operation on the value that it
//! writes; the value that it found is kept with it. So the search depends on nothing that the monitor claims, not even on the
//! operations that it blames.
//!
//! It sweeps over calls and returns and keeps the contents that are possible, with the operations that have taken effect but not returned.

use std::collections::HashSet;

use crate::action::{Action, Collection, TimedAction, ValueId};
use crate::decision::Refutation;

/// How many configurations the search may visit.
const CONFIGURATIONS_MAX: u64 = 100_000;

/// What a second decision says about a refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefutationCheck {
    /// There is no linearization, either.
    Confirmed {
        /// How many operations were searched.
        operations: usize,
        /// How many configurations were visited.
        configurations: u64,
    },
    /// It was too much.
    NotConfirmed {
        /// How many operations there are to search.
        operations: usize,
    },
    /// The operations have a linearization: the refutation is wrong.
    Contradicted {
        /// The operations that were searched, by their positions.
        operations: Vec<usize>,
    },
}

/// Decides a refutation again.
pub fn confirm(
    collection: Collection,
    operations: &[TimedAction],
    refutation: &Refutation,
) -> RefutationCheck {
    let kept = concerned(operations, refutation);
    let searched: Vec<TimedAction> = kept.iter().map(|at| operations[*at]).collect();
    let mut configurations = 0;
    match is_linearizable(collection, &searched, &mut configurations) {
        Some(false) => RefutationCheck::Confirmed {
            operations: kept.len(),
            configurations,
        },
        Some(true) => RefutationCheck::Contradicted { operations: kept },
        None => RefutationCheck::NotConfirmed {
            operations: kept.len(),
        },
    }
}

/// The positions of the operations that a refutation is about, in order.
fn concerned(operations: &[TimedAction], refutation: &Refutation) -> Vec<usize> {
    let blamed: HashSet<usize> = refutation.operations.iter().copied().collect();
    let mut values: HashSet<ValueId> = HashSet::default();
    let add_values = |values: &mut HashSet<ValueId>, action: Action| {
        let found = match action {
            Action::Replace { from, .. } => from,
            _ => None,
        };
        let before = values.len();
        values.extend(action.value().into_iter().chain(found));
        values.len() > before
    };
    for at in &blamed {
        if let Some(op) = operations.get(*at) {
            add_values(&mut values, op.action);
        }
    }
    // A replacement brings the value that it found with it.
    loop {
        let mut is_more = false;
        for op in operations {
            if let Action::Replace { to, .. } = op.action
                && values.contains(&to)
            {
                is_more |= add_values(&mut values, op.action);
            }
        }
        if !is_more {
            break;
        }
    }
    let is_concerned = |(at, op): (usize, &TimedAction)| match op.action {
        Action::RemoveAny => true,
        Action::Add(value) | Action::Remove(value) | Action::Replace { to: value, .. } => {
            values.contains(&value)
        }
        Action::Peek(_) | Action::Miss(_) | Action::FindEmpty => blamed.contains(&at),
    };
    operations
        .iter()
        .enumerate()
        .filter(|(at, op)| is_concerned((*at, op)))
        .map(|(at, _)| at)
        .collect()
}

/// The values inside: in order of arrival for a queue and a stack, sorted otherwise.
type Content = Vec<ValueId>;

/// The operations that have taken effect and not returned, sorted, and the content.
type Configuration = (Vec<usize>, Content);

/// Whether operations have a linearization; `None` if that takes too long.
fn is_linearizable(
    collection: Collection,
    operations: &[TimedAction],
    configurations: &mut u64,
) -> Option<bool> {
    let mut events: Vec<(u32, usize, bool)> = Vec::new();
    for (at, op) in operations.iter().enumerate() {
        events.push((op.call, at, false));
        events.extend(op.ret.map(|ret| (ret, at, true)));
    }
    events.sort_unstable();
    let mut open: Vec<usize> = Vec::new();
    let mut alive: HashSet<Configuration> = HashSet::from_iter([(Vec::new(), Content::new())]);
    for (_, at, is_return) in events {
        if !is_return {
            open.push(at);
            continue;
        }
        // Operations take effect as late as possible: when one of them returns.
        let mut seen = alive.clone();
        let mut left: Vec<Configuration> = alive.drain().collect();
        while let Some((placed, content)) = left.pop() {
            *configurations += 1;
            if *configurations > CONFIGURATIONS_MAX {
                return None;
            }
            if placed.contains(&at) {
                let others = placed.iter().copied().filter(|own| *own != at).collect();
                alive.insert((others, content));
                continue;
            }
            for next in open.iter().filter(|next| !placed.contains(next)) {
                for content in outcomes(collection, &content, operations[*next].action) {
                    let mut placed = placed.clone();
                    placed.push(*next);
                    placed.sort_unstable();
                    let configuration = (placed, content);
                    if seen.insert(configuration.clone()) {
                        left.push(configuration);
                    }
                }
            }
        }
        open.retain(|own| *own != at);
        if alive.is_empty() {
            return Some(false);
        }
    }
    Some(true)
}

/// The contents that an operation may leave.
fn outcomes(collection: Collection, content: &[ValueId], action: Action) -> Vec<Content> {
    let same = || vec![content.to_vec()];
    let when = |holds: bool, content: Content| if holds { vec![content] } else { Vec::new() };
    let without = |at: usize| {
        let mut left = content.to_vec();
        left.remove(at);
        left
    };
    // Where the values are that may come out.
    let next: Vec<usize> = match collection {
        Collection::Queue => content.first().map(|_| 0).into_iter().collect(),
        Collection::Stack | Collection::PriorityQueue | Collection::Register => {
            content.len().checked_sub(1).into_iter().collect()
        }
        Collection::Set | Collection::Bag => (0..content.len()).collect(),
    };
    match action {
        Action::Add(value) | Action::Replace { to: value, .. } => {
            let found = match action {
                Action::Replace { from, .. } => content.first().copied() == from,
                _ => true,
            };
            match collection {
                Collection::Register => when(found, vec![value]),
                Collection::Set if content.contains(&value) => Vec::new(),
                Collection::Queue | Collection::Stack => {
                    let mut more = content.to_vec();
                    more.push(value);
                    vec![more]
                }
                Collection::Set | Collection::Bag | Collection::PriorityQueue => {
                    let mut more = content.to_vec();
                    more.push(value);
                    more.sort_unstable();
                    vec![more]
                }
            }
        }
        Action::Remove(value) => {
            let at = next.into_iter().find(|at| content[*at] == value);
            at.map(without).into_iter().collect()
        }
        Action::Peek(value) => when(next.into_iter().any(|at| content[at] == value), content.to_vec()),
        Action::Miss(value) => when(!content.contains(&value), content.to_vec()),
        Action::FindEmpty => when(content.is_empty(), content.to_vec()),
        Action::RemoveAny if content.is_empty() => same(),
        Action::RemoveAny => next.into_iter().map(without).collect(),
    }
}
