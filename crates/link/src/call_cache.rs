//! A cache of results by call.
//!
//! A trace repeats itself: few names, few arguments. Trace readers share one [`Call`] between operations with equal text, so a
//! lookup compares pointers.

use std::sync::Arc;

use omnilink_trace::{Call, FifoCache};

/// The results for the most recent calls, by the identity of the call.
#[derive(Clone, Debug)]
pub(crate) struct CallCache<T>(FifoCache<(Arc<Call>, T)>);

impl<T> Default for CallCache<T> {
    fn default() -> Self {
        Self(FifoCache::default())
    }
}

impl<T> CallCache<T> {
    /// The result for a call, if it is cached.
    #[inline]
    pub(crate) fn get(&self, call: &Arc<Call>) -> Option<&T> {
        let known = self
            .0
            .get(identity(call), |(known, _)| Arc::ptr_eq(known, call))?;
        Some(&known.1)
    }

    /// Caches the result for a call. The call is kept alive with it, so its address is not reused.
    pub(crate) fn put(&mut self, call: &Arc<Call>, what: T) {
        self.0.insert(identity(call), (Arc::clone(call), what));
    }
}

fn identity(call: &Arc<Call>) -> u64 {
    Arc::as_ptr(call) as u64
}
