//! What was found out lately about calls.
//!
//! A trace repeats itself: few names, few arguments. The readers of traces hand out one and the same [`Call`] for what is written
//! alike, so finding it here costs a comparison of pointers.

use std::sync::Arc;

use omnilink_trace::{Call, Recent};

/// What was found out about calls that were met lately, each by its identity.
#[derive(Clone, Debug)]
pub(crate) struct CallCache<T>(Recent<(Arc<Call>, T)>);

impl<T> Default for CallCache<T> {
    fn default() -> Self {
        Self(Recent::default())
    }
}

impl<T> CallCache<T> {
    /// What is known about a call.
    #[inline]
    pub(crate) fn get(&self, call: &Arc<Call>) -> Option<&T> {
        let known = self
            .0
            .get(identity(call), |(known, _)| Arc::ptr_eq(known, call))?;
        Some(&known.1)
    }

    /// Remembers something about a call. It is kept alive as long as it is remembered, so no other gets its identity.
    pub(crate) fn put(&mut self, call: &Arc<Call>, what: T) {
        self.0.put(identity(call), (Arc::clone(call), what));
    }
}

fn identity(call: &Arc<Call>) -> u64 {
    Arc::as_ptr(call) as u64
}
