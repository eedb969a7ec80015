//! Calls that were read before.
//!
//! The operations of a trace are many, its calls few: the same small arguments come again and again. Finding the text of
//! a name and its arguments among those met before is several times cheaper than taking it apart, sorting the fields and
//! allocating them, and whoever compares a call with others that were read before compares pointers.
//!
//! Where the arguments end is not known before they were taken apart. But an object ends at a closing brace, and no object
//! is the beginning of another: so what ends at the first closing brace is either the whole object, or none at all,
//! and then it is equal to nothing that was remembered.

use std::hash::Hasher;
use std::sync::Arc;

use memchr::memchr;
use omnilink_value::Value;
use omnilink_value::json::Cursor;
use rustc_hash::FxHasher;

use crate::recent::Recent;
use crate::{Args, Call, Name};

/// Calls by their text up to the end of their arguments, and those of them that returned something.
#[derive(Debug, Default)]
pub(crate) struct CallCache {
    written: Recent<(Box<str>, Arc<Call>)>,
    returned: Recent<Returned>,
}

/// A call, and the same one with its result.
#[derive(Debug)]
struct Returned {
    open: Arc<Call>,
    call: Arc<Call>,
}

/// Where a call that is not known yet may be remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vacancy<'a> {
    text: &'a str,
    begin: usize,
    hash: u64,
}

/// Longer texts are rarely met twice, and would be held on to for long.
const TEXT_MAX: usize = 128;

impl CallCache {
    /// Passes over the call that stands at the cursor if it is known, and says what it is.
    #[inline]
    pub(crate) fn find<'a>(&self, cursor: &mut Cursor<'a>) -> Result<Arc<Call>, Option<Vacancy<'a>>> {
        let rest = cursor.rest();
        let brace = memchr(b'}', rest.as_bytes()).filter(|brace| *brace < TEXT_MAX);
        let Some(text) = brace.and_then(|brace| rest.get(..=brace)) else {
            return Err(None);
        };
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let hash = hasher.finish();
        match self.written.get(hash, |(known, _)| cursor.literal(known)) {
            Some((_, call)) => Ok(Arc::clone(call)),
            None => Err(Some(Vacancy {
                text,
                begin: cursor.offset(),
                hash,
            })),
        }
    }

    /// Remembers a call whose arguments the cursor has just passed.
    pub(crate) fn remember(
        &mut self,
        vacancy: Vacancy<'_>,
        cursor: &Cursor<'_>,
        name: Name,
        args: Args,
    ) -> Arc<Call> {
        let call = Arc::new(Call::new(name, args));
        if cursor.offset() - vacancy.begin == vacancy.text.len() {
            let known = (vacancy.text.into(), Arc::clone(&call));
            self.written.put(vacancy.hash, known);
        }
        call
    }

    /// A call with its result.
    pub(crate) fn returning(&mut self, open: Arc<Call>, ret: Value) -> Arc<Call> {
        let hash = (Arc::as_ptr(&open) as u64) ^ ret.hash64();
        let is_it =
            |known: &Returned| Arc::ptr_eq(&known.open, &open) && known.call.ret.as_ref() == Some(&ret);
        if let Some(known) = self.returned.get(hash, is_it) {
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
        self.returned.put(hash, known);
        call
    }
}
