//! Breadth-first search by levels, with any number of workers.
//!
//! **Whatever the number of workers, the answer is that of one**: see [`crate::crew`] for why. If something is wrong in several
//! places, the first counts, and what was found after it is forgotten. So counts, levels and counterexamples are the same in every
//! run.
//!
//! One worker alone writes to the table directly; several leave it to whoever delivers.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

use crate::alone::alone;
use crate::books::Books;
use crate::crew::together;
use crate::dump::GraphSink;
use crate::explorer::Explorer;
use crate::limits::Limits;
use crate::live::Live;
use crate::machine::Machine;
use crate::outcome::{Exploration, SearchError};

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// How many threads.
    pub workers: usize,
    /// When to give up.
    pub limits: Limits,
    /// How many bytes of waiting states stay in memory; the rest goes to disk.
    pub waiting_bytes_max: u64,
    /// The stack of each thread, in bytes: evaluation recurses.
    pub stack_bytes: usize,
    /// The deepest level to explore; none for all.
    pub depth_max: Option<u32>,
}

/// Explores all states, level by level.
///
/// # Errors
/// When waiting states or the dump cannot be written.
pub fn breadth_first<M: Machine>(
    machine: &M,
    variables: usize,
    search: &Search,
    live: &Live,
    sink: Option<&mut dyn GraphSink>,
) -> Result<Exploration<M::Failure>, SearchError> {
    let explorer = Explorer::new(machine, variables, search, live);
    let explore = || {
        let mut worker = machine.searcher(0);
        let mut books = Books::new(&explorer, search, sink);
        let end = match books.begin(&explorer, &mut worker)? {
            Some(early) => early.end()?,
            None if search.workers <= 1 => alone(&explorer, &mut worker, &mut books)?,
            None => together(&explorer, &mut worker, &mut books, search)?,
        };
        Ok(books.close(end))
    };
    scope(|scope| match thread_with(search).spawn_scoped(scope, explore) {
        Ok(exploring) => exploring.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(error) => Err(SearchError::Thread(error)),
    })
}

/// A thread to search in.
pub(crate) fn thread_with(search: &Search) -> Builder {
    Builder::new().name("mc".into()).stack_size(search.stack_bytes)
}
