//! One worker, which puts what it finds into the table at once.

use crate::books::Books;
use crate::explorer::Explorer;
use crate::limits::Limit;
use crate::machine::Machine;
use crate::outcome::{End, SearchError};
use crate::sieve::Recent;

/// Explores what waits, to the end.
pub(crate) fn alone<M: Machine>(
    explorer: &Explorer<'_, M>,
    worker: &mut M::Worker,
    books: &mut Books<'_, '_>,
) -> Result<End<M::Failure>, SearchError> {
    let mut recent = Recent::default();
    let mut harvest = books.harvest();
    loop {
        let Some(segment) = books.levels.pop()? else {
            if let Some(end) = books.next_level().end() {
                return Ok(end);
            }
            continue;
        };
        let level = books.levels.level();
        let figures = books.figures;
        let mut sieve = recent.before(&mut books.seen);
        let early = explorer.explore(
            worker,
            (&segment, level),
            &mut sieve,
            &mut harvest,
            Some(&figures),
        );
        for (find, bytes) in harvest.states() {
            books.admit(find, bytes, level + 1)?;
        }
        books.count(&harvest)?;
        harvest.clear();
        if let Some(early) = early {
            return early.end();
        }
        if books.is_memory_full() {
            return Ok(End::Limit(Limit::Memory));
        }
    }
}
