//! A small Raft: three nodes with terms, elections and a replicated log, whose messages get lost, instrumented for `omnilink validate`.
//!
//! ```sh
//! cargo run -p omnilink-record --example raft -- logs                        # correct
//! cargo run -p omnilink-record --example raft -- logs --bug vote-twice       # votes for several candidates in one term
//! cargo run -p omnilink-record --example raft -- logs --bug no-check         # stores entries after a gap, or after other entries
//! cargo run -p omnilink-record --example raft -- logs --bug early-commit     # commits what no other node has
//! omnilink validate examples/logs/raft/Raft.tla logs
//! ```
//!
//! Nodes are threads, and messages go through channels. Each node has a vector clock, so the lines of different nodes are only partially ordered.
//! `OMNILINK_TRACE` and `OMNILINK_SEED` are used if nothing else is given.

mod message;
mod node;

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use omnilink_record::{LogClock, LogWriter};

use self::message::name;
use self::node::Node;

const NODES: usize = 3;

/// A mistake that every node makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// Votes for several candidates in one term.
    VoteTwice,
    /// Stores entries after a gap, or after other entries.
    NoCheck,
    /// Commits what no other node has.
    EarlyCommit,
}

/// Random numbers from a seed.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// A number from 0 to `bound - 1`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1).peekable();
    let given = args.next_if(|arg| !arg.starts_with("--"));
    let folder = given.or_else(|| std::env::var("OMNILINK_TRACE").ok());
    let folder = PathBuf::from(folder.unwrap_or_else(|| "logs".to_owned()));
    let seed = std::env::var("OMNILINK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let (mut seed, mut bug, mut millis): (u64, _, u64) = (seed.unwrap_or(1), None, 150);
    while let Some(arg) = args.next() {
        let value = args.next().unwrap_or_default();
        match (arg.as_str(), value.as_str(), value.parse::<u64>()) {
            ("--bug", "vote-twice", _) => bug = Some(Bug::VoteTwice),
            ("--bug", "no-check", _) => bug = Some(Bug::NoCheck),
            ("--bug", "early-commit", _) => bug = Some(Bug::EarlyCommit),
            ("--seed", _, Ok(number)) => seed = number,
            ("--millis", _, Ok(number)) => millis = number,
            (arg, value, _) => {
                let usage = "[FOLDER] [--bug vote-twice|no-check|early-commit] [--seed N] [--millis N]";
                return Err(io::Error::other(format!("{arg} {value}: expected {usage}")));
            }
        }
    }
    std::fs::create_dir_all(&folder)?;
    let (senders, inboxes): (Vec<_>, Vec<_>) = (0..NODES).map(|_| channel()).unzip();
    let until = Instant::now() + Duration::from_millis(millis);
    let mut nodes = Vec::new();
    for (id, inbox) in inboxes.into_iter().enumerate() {
        let file = folder.join(format!("{}.ndjson", name(id)));
        let writer = LogWriter::create(&file, &name(id), LogClock::vector())?;
        let random = Random(
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(id as u64 * 77),
        );
        let node = Node::new(id, senders.clone(), inbox, writer, random, bug);
        nodes.push(std::thread::spawn(move || node.run(until)));
    }
    for node in nodes {
        node.join().map_err(|_| io::Error::other("a node panicked"))??;
    }
    Ok(())
}
