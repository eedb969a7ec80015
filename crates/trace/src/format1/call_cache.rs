//! A cache of parsed calls, by their text.
//!
//! A trace has many operations and few distinct calls. Finding the text of a name and its arguments in a cache is several
//! times cheaper than parsing it, sorting the fields and allocating them; and equal calls then share one allocation, which
//! makes comparing them a comparison of pointers.
//!
//! The end of the arguments is unknown before they are parsed. But an object ends at a closing brace, and no JSON object is a
//! proper prefix of another. So the text up to the first closing brace is either a whole object or no object at all; in the
//! second case it equals no cached text, because every cached text ends in a whole object.

use std::hash::Hasher;
use std::sync::Arc;

use memchr::memchr;
use omnilink_value::Value;
use omnilink_value::json::JsonCursor;
use rustc_hash::FxHasher;

use crate::{Args, Call, FifoCache, OperationName};

/// Calls by the text of their name and arguments, and calls with results.
#[derive(Debug, Default)]
pub(crate) struct CallCache {
    calls: FifoCache<(Box<str>, Arc<Call>)>,
    returned: FifoCache<Returned>,
}

/// A call without and with its result.
#[derive(Debug)]
struct Returned {
    open: Arc<Call>,
    call: Arc<Call>,
}

/// The key under which a call may be added after a cache miss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheMiss<'a> {
    text: &'a str,
    begin: usize,
    hash: u64,
}

/// Longer texts rarely repeat and would take up memory.
const TEXT_MAX: usize = 128;

impl CallCache {
    /// The cached call whose text follows the cursor; moves the cursor behind it.
    #[inline]
    pub(crate) fn find<'a>(&self, cursor: &mut JsonCursor<'a>) -> Result<Arc<Call>, Option<CacheMiss<'a>>> {
        let rest = cursor.rest();
        let brace = memchr(b'}', rest.as_bytes()).filter(|brace| *brace < TEXT_MAX);
        let Some(text) = brace.and_then(|brace| rest.get(..=brace)) else {
            return Err(None);
        };
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let hash = hasher.finish();
        match self.calls.get(hash, |(known, _)| cursor.literal(known)) {
            Some((_, call)) => Ok(Arc::clone(call)),
            None => Err(Some(CacheMiss {
                text,
                begin: cursor.offset(),
                hash,
            })),
        }
    }

    /// Adds a call whose arguments end at the cursor.
    pub(crate) fn insert(
        &mut self,
        miss: CacheMiss<'_>,
        cursor: &JsonCursor<'_>,
        name: OperationName,
        args: Args,
    ) -> Arc<Call> {
        let call = Arc::new(Call::new(name, args));
        if cursor.offset() - miss.begin == miss.text.len() {
            let known = (miss.text.into(), Arc::clone(&call));
            self.calls.insert(miss.hash, known);
        }
        call
    }

    /// The call `open` with a result.
    pub(crate) fn returning(&mut self, open: Arc<Call>, ret: Value) -> Arc<Call> {
        let hash = (Arc::as_ptr(&open) as u64) ^ ret.hash64();
        let is_match =
            |known: &Returned| Arc::ptr_eq(&known.open, &open) && known.call.ret.as_ref() == Some(&ret);
        if let Some(known) = self.returned.get(hash, is_match) {
            return Arc::clone(&known.call);
        }
        let call = Arc::new(Call {
            ret: Some(ret),
            ..Call::clone(&open)
        });
        let known = Returned {
            open,
            call: Arc::clone(&call),
        };
        self.returned.insert(hash, known);
        call
    }
}
