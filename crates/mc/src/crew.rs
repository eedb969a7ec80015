//! What the workers of a search share, and what each does on command.

use std::any::Any;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvError, TryRecvError};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use crate::breadth_first::Search;
use crate::claims::Claims;
use crate::codec::Garbled;
use crate::displaced::Find;
use crate::expand::{Expanding, Harvest, expand};
use crate::limits::{Deadline, Limit};
use crate::live::Live;
use crate::machine::Machine;
use crate::outcome::{Breach, Figures, Wrong};
use crate::runs::Runs;
use crate::seen::{SeenStates, Shard, shard_of};
use crate::sieve::{Recent, Shared, Sieve};
use crate::waiting::Segment;

/// What the leader tells the others to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Command {
    /// Expand segments of the block.
    Explore,
    /// Merge what was found into the shards that are one's own, one part of so many.
    Merge { parts: usize },
}

/// What they answer.
#[derive(Debug)]
pub(crate) enum Report {
    Explored,
    Merged(Vec<Find>),
    Panicked(Box<dyn Any + Send>),
}

/// Why the expansion of a segment ended early.
#[derive(Debug)]
pub(crate) enum Early<F> {
    Broken(Box<Breach<F>>),
    Limit(Limit),
    Stopped,
    Garbled(Garbled),
}

/// What came of a segment.
#[derive(Debug)]
pub(crate) struct Reaped<F> {
    /// Set by whoever expands the segment, and read by all when it is merged.
    pub(crate) harvest: OnceLock<Harvest>,
    pub(crate) early: Mutex<Option<Early<F>>>,
}

impl<F> Default for Reaped<F> {
    fn default() -> Self {
        Self {
            harvest: OnceLock::new(),
            early: Mutex::new(None),
        }
    }
}

/// Some segments of a level, worked on together.
#[derive(Debug)]
pub(crate) struct Block<F> {
    pub(crate) level: u32,
    /// The number under which the first segment claims states.
    first_claim: usize,
    pub(crate) segments: Vec<Segment>,
    pub(crate) reaped: Vec<Reaped<F>>,
}

/// What one worker has to itself.
pub(crate) struct Member<W> {
    number: usize,
    pub(crate) worker: W,
    mine: Shard,
    pub(crate) recent: Recent,
}

/// What all workers share.
pub(crate) struct Crew<'a, M: Machine> {
    pub(crate) machine: &'a M,
    pub(crate) live: &'a Live,
    pub(crate) variables: usize,
    pub(crate) wants_edges: bool,
    pub(crate) seen: SeenStates,
    pub(crate) block: RwLock<Block<M::Failure>>,
    claims: Claims,
    deadline: Deadline,
    runs: Runs,
    /// The first segment that ended early: nothing after it counts.
    cut: AtomicUsize,
    /// Harvests of earlier blocks, for their memory.
    spare: Mutex<Vec<Harvest>>,
}

/// How many states are expanded between two looks at the clock.
const STATES_PER_LOOK: u64 = 16;

impl<'a, M: Machine> Crew<'a, M> {
    pub(crate) fn new(
        machine: &'a M,
        variables: usize,
        search: &Search,
        live: &'a Live,
        wants_edges: bool,
    ) -> Self {
        Self {
            machine,
            live,
            variables,
            wants_edges,
            seen: SeenStates::default(),
            block: RwLock::new(Block {
                level: 0,
                first_claim: 0,
                segments: Vec::new(),
                reaped: Vec::new(),
            }),
            claims: Claims::default(),
            deadline: Deadline::new(&search.limits),
            runs: Runs::new(search.workers),
            cut: AtomicUsize::new(usize::MAX),
            spare: Mutex::default(),
        }
    }

    pub(crate) fn into_seen(self) -> SeenStates {
        self.seen
    }

    /// A worker, made in its own thread.
    pub(crate) fn member(&self, number: usize) -> Member<M::Worker> {
        Member {
            number,
            worker: self.machine.searcher(number),
            mine: Shard::default(),
            recent: Recent::default(),
        }
    }

    pub(crate) fn harvest(&self) -> Harvest {
        Harvest::new(self.machine.actions(), self.wants_edges)
    }

    /// Puts the next block in place.
    pub(crate) fn set_block(&self, level: u32, segments: Vec<Segment>) {
        let mut block = self.block.write().unwrap_or_else(PoisonError::into_inner);
        block.level = level;
        block.first_claim += block.segments.len();
        if block.first_claim + segments.len() > Claims::SEGMENTS_MAX {
            self.claims.clear();
            block.first_claim = 0;
        }
        let reaped = segments.iter().map(|_| Reaped::default()).collect();
        let harvests = std::mem::replace(&mut block.reaped, reaped).into_iter();
        lock(&self.spare).extend(harvests.filter_map(|reaped| reaped.harvest.into_inner()?.emptied()));
        block.segments = segments;
        self.runs.start_over();
        self.cut.store(usize::MAX, Ordering::Relaxed);
    }

    /// The number of the last segment that counts.
    pub(crate) fn last(&self, block: &Block<M::Failure>) -> Option<usize> {
        let last = block.segments.len().checked_sub(1)?;
        Some(last.min(self.cut.load(Ordering::Relaxed)))
    }

    /// Takes segments of the block as long as there are any.
    pub(crate) fn explore(&self, member: &mut Member<M::Worker>) {
        let block = self.block.read().unwrap_or_else(PoisonError::into_inner);
        let before = self.seen.reading();
        let may_be_elsewhere = self.machine.fingerprints_identify();
        member.mine.clear();
        loop {
            let run = self.runs.take(block.segments.len());
            if run.is_empty() {
                break;
            }
            for (number, segment) in run.clone().zip(&block.segments[run]) {
                if number > self.cut.load(Ordering::Relaxed) {
                    return;
                }
                let mut sieve = member.recent.before(Shared {
                    before: &before,
                    mine: &mut member.mine,
                    claims: &self.claims,
                    segment: block.first_claim + number,
                    may_be_elsewhere,
                });
                let mut harvest = lock(&self.spare).pop().unwrap_or_else(|| self.harvest());
                let worker = &mut member.worker;
                let early =
                    self.expand_segment(worker, (segment, block.level), &mut sieve, &mut harvest, None);
                if early.is_some() {
                    self.cut.fetch_min(number, Ordering::Relaxed);
                }
                if let Some(reaped) = block.reaped.get(number) {
                    reaped.harvest.get_or_init(|| harvest);
                    *lock(&reaped.early) = early;
                }
            }
        }
    }

    /// Expands all states of a segment; with the figures so far, also keeps the live ones exact.
    pub(crate) fn expand_segment(
        &self,
        worker: &mut M::Worker,
        (segment, level): (&Segment, u32),
        sieve: &mut impl Sieve,
        harvest: &mut Harvest,
        so_far: Option<&Figures>,
    ) -> Option<Early<M::Failure>> {
        let mut reader = segment.reader();
        let mut expanded = 0;
        loop {
            let (fingerprint, state) = match reader.next(self.variables) {
                Ok(Some(state)) => state,
                Ok(None) => return None,
                Err(garbled) => return Some(Early::Garbled(garbled)),
            };
            if expanded % STATES_PER_LOOK == 0
                && let Some(limit) = self.reached()
            {
                return Some(Early::Limit(limit));
            }
            expanded += 1;
            let from = Expanding {
                fingerprint,
                values: &state,
                level,
            };
            if let Err(breach) = expand(self.machine, worker, from, sieve, harvest) {
                return Some(match &breach.wrong {
                    Wrong::Failed(failure) if self.machine.was_cut_short(failure) => {
                        Early::Limit(self.reached().unwrap_or(Limit::Time))
                    }
                    _ => Early::Broken(breach),
                });
            }
            if let Some(figures) = so_far {
                let new = harvest.discovered.len() as u64;
                self.live.set(
                    figures.generated + harvest.generated,
                    figures.distinct + new,
                    (figures.waiting + new).saturating_sub(expanded),
                    u64::from(figures.depth.max(if new > 0 { level + 1 } else { level })),
                );
            }
            if self.machine.wants_to_stop(worker) {
                return Some(Early::Stopped);
            }
        }
    }

    /// The limit that makes it pointless to go on.
    pub(crate) fn reached(&self) -> Option<Limit> {
        if self.live.is_interrupted() {
            return Some(Limit::Interrupt);
        }
        self.deadline.is_over().then_some(Limit::Time)
    }

    /// Puts what was found into the table, in the order of the segments, as far as it belongs into one's own shards.
    /// Gives those of which an earlier segment has the place.
    pub(crate) fn merge(&self, member: &Member<M::Worker>, parts: usize) -> Vec<Find> {
        let block = self.block.read().unwrap_or_else(PoisonError::into_inner);
        let Some(last) = self.last(&block) else {
            return Vec::new();
        };
        let mut displaced = Vec::new();
        let mut shards: Vec<_> = (0..crate::seen::SHARDS)
            .map(|shard| (shard % parts == member.number).then(|| self.seen.shard(shard)))
            .collect();
        for (at, reaped) in block.reaped.iter().enumerate().take(last + 1) {
            let finds = reaped
                .harvest
                .get()
                .map_or(&[][..], |harvest| &harvest.discovered);
            // The places of a segment's finds are far apart in memory. Asked for one after the other they would be waited for one
            // after the other; looked at beforehand, they all come at once.
            black_box(finds.iter().fold(0, |seen, find| {
                let shard = shards.get(shard_of(find.fingerprint.tag()));
                seen ^ shard
                    .and_then(Option::as_ref)
                    .map_or(0, |shard| shard.at_home(find.fingerprint))
            }));
            for (index, find) in finds.iter().enumerate() {
                if let Some(Some(shard)) = shards.get_mut(shard_of(find.fingerprint.tag()))
                    && !shard.insert(find.fingerprint, find.parent)
                {
                    displaced.push((at, index));
                }
            }
        }
        displaced
    }
}

/// How often a worker offers its core to others before it goes to sleep. Workers wait for each other twice a block, mostly for some
/// ten microseconds, and waking up takes longer: with levels of a thousand states that is a twentieth of the time.
const PATIENCE: u32 = 300;

/// Receives what somebody else is about to send.
pub(crate) fn receive<T>(from: &Receiver<T>) -> Result<T, RecvError> {
    for _ in 0..PATIENCE {
        match from.try_recv() {
            Ok(received) => return Ok(received),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => std::thread::yield_now(),
        }
    }
    from.recv()
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
