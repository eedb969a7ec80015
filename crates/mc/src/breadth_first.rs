//! Breadth-first search by levels, with any number of workers.
//!
//! **Whatever the number of workers, the answer is that of one.** The states of a level stand in one order: that in which a
//! single worker would have found them. Workers take segments of the level in that order. While they expand, nobody writes to
//! the table of seen states: each keeps what it found new. Then the finds are merged in the order of the segments, each worker
//! taking the shards of the table that are its own, so of two workers that found one state, the one with the earlier parent
//! keeps it, even if only the other one has made it. If something is wrong in several segments, the first counts, and what came after it is forgotten. So
//! counts, levels and counterexamples are the same in every run.
//!
//! One worker alone, or a block too small to share, writes to the table directly and merges nothing.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;

use crate::crew::{Command, Crew, Report, receive};
use crate::dump::GraphSink;
use crate::leader::Leader;
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
    let crew = Crew::new(machine, variables, search, live, sink.is_some());
    let explored = std::thread::scope(|scope| {
        let (report, reports) = channel();
        let thread = || Builder::new().name("mc".into()).stack_size(search.stack_bytes);
        let mut followers = Vec::new();
        for number in 1..search.workers.max(1) {
            let (command, commands) = channel();
            let (crew, report) = (&crew, report.clone());
            // A system that has no thread left gets by with fewer workers.
            if thread()
                .spawn_scoped(scope, move || follow(crew, number, &commands, &report))
                .is_err()
            {
                break;
            }
            followers.push(command);
        }
        let lead = || Leader::new(&crew, search, sink, followers, reports).run();
        match thread().spawn_scoped(scope, lead) {
            Ok(leading) => leading.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => Err(SearchError::Thread(error)),
        }
    });
    let (end, figures, taken) = explored?;
    Ok(Exploration {
        end,
        figures,
        taken,
        seen: crew.into_seen(),
    })
}

/// Does what the leader says, until nobody leads any more.
fn follow<M: Machine>(
    crew: &Crew<'_, M>,
    number: usize,
    commands: &Receiver<Command>,
    reports: &Sender<Report>,
) {
    let mut member = crew.member(number);
    while let Ok(command) = receive(commands) {
        let done: Result<Report, Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(|| match command {
            Command::Explore => {
                crew.explore(&mut member);
                Report::Explored
            }
            Command::Merge { parts } => Report::Merged(crew.merge(&member, parts)),
        }));
        if reports.send(done.unwrap_or_else(Report::Panicked)).is_err() {
            break;
        }
    }
}
