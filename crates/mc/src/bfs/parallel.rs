//! Parallel breadth-first search: worker threads, and how they wait for each other.

use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, yield_now};
use std::time::{Duration, Instant};

use super::in_flight::InFlightStates;
use super::scheduler::{Assignment, Scheduler, SegmentOutcome, Shutdown};
use super::search_state::SearchState;
use super::segment_expander::{Expanding, SegmentExpander};
use super::thread_builder;
use omnilink_memory::guard;

use crate::dedup::{RecentCache, SharedDedup};
use crate::fingerprint_set::FingerprintReader;
use crate::limits::SearchOptions;
use crate::outcome::{SearchEnd, SearchError};
use crate::transition_system::TransitionSystem;

/// How long an idle worker polls before it sleeps. A sleeping virtual processor may be given to other guests, and it may take
/// milliseconds to get it back.
const POLL_DURATION: Duration = Duration::from_millis(20);
/// Polls of the epoch between two visits to the scheduler.
const POLLS_PER_VISIT: u32 = 200;
/// Attempts to lock the scheduler before blocking.
const LOCK_ATTEMPTS: u32 = 10_000;
/// Upper bound on one sleep.
const SLEEP_MAX: Duration = Duration::from_millis(100);
/// Sleeping workers are woken when this many segments are queued: the current worker takes one itself.
const SEGMENTS_TO_WAKE: usize = 2;

/// What all workers share.
struct ParallelSearch<'c, 'b, 'a, 's, T: TransitionSystem> {
    expander: &'c SegmentExpander<'a, T>,
    in_flight: InFlightStates,
    scheduler: Mutex<Scheduler<'b, 'a, 's, T::Error>>,
    /// Incremented whenever a segment is completed or committed.
    epoch: AtomicU64,
    sleeping: AtomicUsize,
    wake: Condvar,
}

/// Expands the frontier with several workers, one of them on this thread, until the search ends or has to pause: then it returns `None`.
pub(crate) fn search_in_parallel<'a, T: TransitionSystem>(
    expander: &SegmentExpander<'a, T>,
    expanding: &mut Expanding<'_, T>,
    search: &mut SearchState<'a, '_>,
    options: &SearchOptions,
) -> Result<Option<SearchEnd<T::Error>>, SearchError> {
    let scheduler = Scheduler::new(search, options.workers, expander.system.may_reexpand());
    let parallel = ParallelSearch {
        expander,
        in_flight: InFlightStates::default(),
        scheduler: Mutex::new(scheduler),
        epoch: AtomicU64::new(0),
        sleeping: AtomicUsize::new(0),
        wake: Condvar::new(),
    };
    thread::scope(|scope| {
        for number in 1..options.workers {
            let parallel = &parallel;
            let limits = guard::current();
            let work = move || {
                let _limits = limits.enter();
                let mut expanding = Expanding::new(expander.system, number);
                parallel.work(number, &mut expanding);
                if parallel.is_complete() {
                    expanding.finish();
                }
            };
            let spawned = thread_builder(options).spawn_scoped(scope, move || parallel.catch_panic(work));
            // If no more threads can be started, the search goes on with fewer workers.
            if spawned.is_err() {
                break;
            }
        }
        parallel.catch_panic(|| parallel.work(0, expanding));
    });
    let scheduler = parallel
        .scheduler
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match scheduler.finish() {
        Some(Shutdown::Ended(end)) => end,
        Some(Shutdown::Panicked(panic)) => resume_unwind(panic),
        None => unreachable!("workers exit only at shutdown"),
    }
}

impl<'b, 'a, 's, T: TransitionSystem> ParallelSearch<'_, 'b, 'a, 's, T> {
    /// Shuts the search down if a worker panics.
    fn catch_panic(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let mut scheduler = self.lock();
            scheduler.shutdown.get_or_insert(Shutdown::Panicked(panic));
            self.notify(&scheduler);
        }
    }

    /// Whether all states are explored.
    fn is_complete(&self) -> bool {
        matches!(
            &self.lock().shutdown,
            Some(Shutdown::Ended(Ok(Some(SearchEnd::Complete))))
        )
    }

    /// The main loop of a worker: takes, expands and completes segments until shutdown.
    fn work(&self, number: usize, expanding: &mut Expanding<'_, T>) {
        let system = self.expander.system;
        let mut recent = RecentCache::default();
        let mut seen = FingerprintReader::default();
        let mut last = 0;
        let mut completed = None;
        let mut idle_since = None;
        loop {
            let epoch = self.epoch.load(Ordering::Acquire);
            let assignment = {
                let mut scheduler = self.lock();
                let has_completed = completed.is_some();
                let committed = scheduler.committed;
                if let Some((segment, outcome)) = completed.take() {
                    scheduler.complete(segment, outcome);
                }
                let assignment = scheduler.next(number);
                seen.refresh(&scheduler.search.seen);
                if has_completed || scheduler.committed > committed || scheduler.shutdown.is_some() {
                    self.notify(&scheduler);
                }
                assignment
            };
            match assignment {
                Assignment::Exit => return,
                Assignment::Wait if idle_since.get_or_insert_with(Instant::now).elapsed() < POLL_DURATION => {
                    self.poll(epoch);
                }
                Assignment::Wait => {
                    seen.release();
                    self.sleep(epoch);
                }
                Assignment::Expand(task, mut result) => {
                    idle_since = None;
                    if task.number < last || task.is_backup {
                        recent.clear();
                    }
                    last = task.number;
                    let mut dedup = recent.in_front_of(SharedDedup {
                        seen: &seen,
                        in_flight: (!task.is_backup).then_some(&self.in_flight),
                        segment: task.number,
                        can_reuse_states: system.fingerprint_determines_state(),
                    });
                    let states = (&*task.segment, task.level);
                    let stop = self
                        .expander
                        .expand(expanding, states, &mut dedup, &mut result, None);
                    completed = Some((task.number, SegmentOutcome { result, stop }));
                }
            }
        }
    }

    /// Locks the scheduler. Workers hold it for microseconds only, so this spins before it blocks.
    fn lock(&self) -> MutexGuard<'_, Scheduler<'b, 'a, 's, T::Error>> {
        for attempt in 0..LOCK_ATTEMPTS {
            match self.scheduler.try_lock() {
                Ok(scheduler) => return scheduler,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => back_off(attempt),
            }
        }
        self.scheduler.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a new epoch, and wakes sleeping workers if there is work for them.
    fn notify(&self, scheduler: &Scheduler<'b, 'a, 's, T::Error>) {
        self.epoch.fetch_add(1, Ordering::Release);
        let is_needed =
            scheduler.shutdown.is_some() || scheduler.search.frontier.segments() >= SEGMENTS_TO_WAKE;
        if is_needed && self.sleeping.load(Ordering::Relaxed) > 0 {
            self.wake.notify_all();
        }
    }

    /// Polls for a new epoch for a short while.
    fn poll(&self, epoch: u64) {
        for attempt in 0..POLLS_PER_VISIT {
            if self.epoch.load(Ordering::Acquire) != epoch {
                return;
            }
            back_off(attempt);
        }
    }

    /// Sleeps until there may be work.
    fn sleep(&self, epoch: u64) {
        let scheduler = self.lock();
        if self.epoch.load(Ordering::Acquire) == epoch {
            // Changed only under the lock, which a sleeping worker holds again when it wakes.
            self.sleeping.fetch_add(1, Ordering::Relaxed);
            let woken = self.wake.wait_timeout(scheduler, SLEEP_MAX);
            let _scheduler = woken.unwrap_or_else(PoisonError::into_inner);
            self.sleeping.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Spins at first, then yields the processor.
fn back_off(attempt: u32) {
    if attempt < 64 {
        spin_loop();
    } else {
        yield_now();
    }
}
