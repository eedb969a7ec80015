//! Calls that were read before.
//!
//! The operations of a trace are many, its calls few: the same small arguments come again and again. Finding the text of
//! a name and its arguments among those met before is several times cheaper than taking it apart, sorting the fields and
//! allocating them, and whoever compares arguments with others that were read before compares pointers.
//!
//! Where the arguments end is not known before they were taken apart. But an object ends at a closing brace, and no object
//! is the beginning of another: so what ends at the first closing brace is either the whole object, or none at all,
//! and then it is equal to nothing that was remembered.

use std::hash::Hasher;

use memchr::memchr;
use omnilink_value::json::Cursor;
use rustc_hash::FxHasher;

use crate::{Args, Name};

/// The text of a call up to the end of its arguments, with what it means.
#[derive(Clone, Debug)]
struct Known {
    text: Box<str>,
    name: Name,
    args: Args,
}

/// A direct-mapped table: a trace whose calls are all different evicts, but never grows it. It is made of memory that a short
/// trace leaves mostly untouched.
#[derive(Debug)]
pub(crate) struct CallCache {
    slots: Vec<Option<Box<Known>>>,
}

/// Where a call that is not known yet may be remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vacancy<'a> {
    text: &'a str,
    begin: usize,
    slot: usize,
}

impl CallCache {
    const SLOTS: usize = 8192;
    /// Longer texts are rarely met twice, and would be held on to for long.
    const TEXT_MAX: usize = 128;

    pub(crate) fn new() -> Self {
        Self {
            slots: vec![None; Self::SLOTS],
        }
    }

    /// Passes over the call that stands at the cursor if it is known, and says what it is.
    #[inline]
    pub(crate) fn find<'a>(&self, cursor: &mut Cursor<'a>) -> Result<(Name, Args), Option<Vacancy<'a>>> {
        let rest = cursor.rest();
        let brace = memchr(b'}', rest.as_bytes()).filter(|brace| *brace < Self::TEXT_MAX);
        let Some(text) = brace.and_then(|brace| rest.get(..=brace)) else {
            return Err(None);
        };
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        let slot = hasher.finish() as usize % Self::SLOTS;
        match &self.slots[slot] {
            Some(known) if cursor.literal(&known.text) => Ok((known.name.clone(), known.args.clone())),
            _ => Err(Some(Vacancy {
                text,
                begin: cursor.offset(),
                slot,
            })),
        }
    }

    /// Remembers a call whose arguments the cursor has just passed.
    pub(crate) fn remember(&mut self, vacancy: Vacancy<'_>, cursor: &Cursor<'_>, name: &Name, args: &Args) {
        if cursor.offset() - vacancy.begin == vacancy.text.len() {
            self.slots[vacancy.slot] = Some(Box::new(Known {
                text: vacancy.text.into(),
                name: name.clone(),
                args: args.clone(),
            }));
        }
    }
}
