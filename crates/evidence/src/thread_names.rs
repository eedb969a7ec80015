//! The names of a trace's threads.

use crate::evidence::Evidence;
use crate::operation::ThreadName;

/// The names of a trace's threads, by the numbers that checkers know them by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadNames(Vec<String>);

impl ThreadNames {
    /// Names the thread with the next number.
    pub fn push(&mut self, name: impl Into<String>) {
        self.0.push(name.into());
    }

    /// How many threads there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name of a thread, or its number if it was given no name.
    pub fn name(&self, thread: u32) -> ThreadName {
        match self.0.get(thread as usize) {
            Some(name) => ThreadName::Name(name.clone()),
            None => ThreadName::Number(thread),
        }
    }

    /// Names the threads of all operations of some evidence.
    pub fn apply_to(&self, evidence: &mut Evidence) {
        evidence.visit_operations(&mut |op| {
            if let ThreadName::Number(thread) = op.thread {
                op.thread = self.name(thread);
            }
        });
    }
}

impl<N: Into<String>> FromIterator<N> for ThreadNames {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }
}

impl<const COUNT: usize> From<[&str; COUNT]> for ThreadNames {
    fn from(names: [&str; COUNT]) -> Self {
        names.into_iter().collect()
    }
}
