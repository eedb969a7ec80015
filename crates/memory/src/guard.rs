//! The limits of the work that a process does, in a word that every loop can afford to read.
//!
//! A search looks at its limits between two of its steps. That does not help where one step is long: a value of gigabytes in a line of a
//! trace, the set of all subsets of a set, a sequence that doubles. So one thread looks at the clock, at the memory of the process and at
//! Ctrl-C for all others, every few milliseconds, and what builds values asks [`is_over`] now and then.
//!
//! A thread [`begin`]s a work with its limits; threads that help with it [enter](Handle::enter) it. What other threads do is no business of
//! its limits. Once a work has reached a limit, it stays so.
//!
//! A command may also ask for its end by force ([`end_by_force`]): a process that does not end some time after a limit, whatever it does, says
//! why and ends. So the promise of a limit does not depend on every loop.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use crate::{default_limit_bytes, resident_bytes};

/// Why work is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Someone asked for it.
    Interrupt,
    /// Its time is over.
    Time,
    /// The process holds as much memory as it may.
    Memory,
}

/// What a work may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkLimits {
    /// How long it may go on.
    pub time: Option<Duration>,
    /// What the process may hold; otherwise the [default](default_limit_bytes).
    pub memory_bytes: Option<u64>,
    /// Raised to end it.
    pub interrupt: Option<&'static AtomicBool>,
}

/// Whether and why a work is over: 0, or one more than the number of an [`Over`].
#[derive(Debug, Default)]
struct State(AtomicU8);

impl State {
    const ALL: [Over; 3] = [Over::Interrupt, Over::Time, Over::Memory];

    fn over(&self) -> Option<Over> {
        let code = self.0.load(Ordering::Relaxed);
        Self::ALL.into_iter().find(|over| 1 + *over as u8 == code)
    }

    fn set(&self, over: Over) {
        self.0.store(1 + over as u8, Ordering::Relaxed);
    }
}

/// A work that goes on until this is dropped, on the thread that began it.
#[derive(Debug)]
#[must_use = "the limits hold until this is dropped"]
pub struct Work {
    state: Arc<State>,
    outer: Handle,
    on_this_thread: PhantomData<*const ()>,
}

/// The work of a thread, for threads that help with it; of a thread without a work, none.
#[derive(Clone, Debug, Default)]
pub struct Handle(Option<Arc<State>>);

/// A thread helps with a work until this is dropped.
#[derive(Debug)]
#[must_use = "the thread helps until this is dropped"]
pub struct Helping {
    outer: Handle,
    on_this_thread: PhantomData<*const ()>,
}

/// A work that goes on.
struct Live {
    state: Arc<State>,
    /// The work of which it is a part.
    outer: Handle,
    deadline: Option<Instant>,
    memory_bytes: Option<u64>,
    interrupt: Option<&'static AtomicBool>,
    /// When a limit was reached.
    since: Option<Instant>,
}

/// What ends a process by force, and how.
#[derive(Clone, Copy, Debug)]
pub struct Force {
    /// Raised by Ctrl-C and by SIGTERM.
    pub interrupt: &'static AtomicBool,
    /// Raised by SIGTERM, whose sender waits less long.
    pub terminate: &'static AtomicBool,
    /// Says why, and ends the process. Called on a thread of its own, while others may hold any lock.
    pub end: fn(Over) -> !,
}

struct Guard {
    live: Vec<Live>,
    force: Option<Force>,
    /// Since when the interrupt of the process is raised.
    interrupted: Option<Instant>,
    /// How many are writing what must not be left half-written.
    unfinished: usize,
}

static GUARD: Mutex<Guard> = Mutex::new(Guard {
    live: Vec::new(),
    force: None,
    interrupted: None,
    unfinished: 0,
});

thread_local! {
    static CURRENT: RefCell<Handle> = const { RefCell::new(Handle(None)) };
}

fn guard() -> MutexGuard<'static, Guard> {
    GUARD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often the limits are looked at. A loop that fills memory fills some ten megabytes in the meantime.
const INTERVAL: Duration = Duration::from_millis(5);
/// How long a process may take to end after a limit, to report how far it got.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same, after SIGTERM.
const PATIENCE_TERMINATED: Duration = Duration::from_millis(900);
/// The same, while it writes what must not be left half-written.
const PATIENCE_UNFINISHED: Duration = Duration::from_secs(60);
/// What may be held above the memory limit, beside a fifth of it, until the process has ended by itself.
const SLACK_BYTES: u64 = 64 << 20;

/// Begins a work with these limits on this thread. A work that is part of another ends with it.
pub fn begin(limits: WorkLimits) -> Work {
    start();
    let state = Arc::new(State::default());
    let outer = CURRENT.replace(Handle(Some(Arc::clone(&state))));
    // What has no time is over before it begins.
    let is_late = limits.time == Some(Duration::ZERO);
    if let Some(over) = outer.over().or(Some(Over::Time).filter(|_| is_late)) {
        state.set(over);
    }
    guard().live.push(Live {
        state: Arc::clone(&state),
        outer: outer.clone(),
        deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
        memory_bytes: limits.memory_bytes.or_else(default_limit_bytes),
        interrupt: limits.interrupt,
        since: None,
    });
    Work {
        state,
        outer,
        on_this_thread: PhantomData,
    }
}

impl Work {
    /// Why it is over, if it is.
    pub fn over(&self) -> Option<Over> {
        self.state.over()
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        guard().live.retain(|live| !Arc::ptr_eq(&live.state, &self.state));
        CURRENT.set(std::mem::take(&mut self.outer));
    }
}

/// The work of this thread.
pub fn current() -> Handle {
    CURRENT.with_borrow(Handle::clone)
}

impl Handle {
    /// Makes the work that of this thread, too.
    pub fn enter(&self) -> Helping {
        let outer = CURRENT.replace(self.clone());
        Helping {
            outer,
            on_this_thread: PhantomData,
        }
    }

    fn over(&self) -> Option<Over> {
        self.0.as_ref().and_then(|state| state.over())
    }
}

impl Drop for Helping {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.outer));
    }
}

/// Whether the work of this thread is over.
#[inline]
pub fn is_over() -> bool {
    let is_over = |state: &Arc<State>| state.0.load(Ordering::Relaxed) != 0;
    CURRENT.with_borrow(|current| current.0.as_ref().is_some_and(is_over))
}

/// Why the work of this thread is over, if it is.
pub fn over() -> Option<Over> {
    CURRENT.with_borrow(Handle::over)
}

/// The same, looking at the limits now: for errors that may be due to one.
#[cold]
pub fn over_now() -> Option<Over> {
    let _ = look();
    over()
}

/// From what size on it is asked beforehand whether there is room.
const LARGE_BYTES: usize = 1 << 22;

/// Whether the work of this thread goes on and may take this much more memory at once. If there is no room, it is over.
#[inline]
pub fn has_room(bytes: usize) -> bool {
    !is_over() && (bytes < LARGE_BYTES || has_room_for_much(bytes as u64))
}

/// Whether a buffer of this many elements may grow by one. Looks at the limits at some of them only, and for room where the buffer doubles.
#[inline]
pub fn may_grow(elements: usize, element_bytes: usize) -> bool {
    if elements & 63 != 63 {
        true
    } else if (elements + 1).is_power_of_two() {
        has_room((elements + 1).saturating_mul(2 * element_bytes))
    } else {
        !is_over()
    }
}

#[cold]
fn has_room_for_much(bytes: u64) -> bool {
    let Some(held) = resident_bytes().map(|held| held.saturating_add(bytes)) else {
        return true;
    };
    let mut work = current();
    let mut guard = guard();
    // The work, and those of which it is a part.
    while let Some(state) = work.0.take() {
        let Some(live) = guard
            .live
            .iter_mut()
            .find(|live| Arc::ptr_eq(&live.state, &state))
        else {
            return true;
        };
        if live.memory_bytes.is_some_and(|limit| held > limit) {
            live.end(Over::Memory, Instant::now());
            guard.spread();
            return false;
        }
        work = live.outer.clone();
    }
    true
}

/// From now on, ends the process if it goes on for some time after it was asked to end, or after any of its work is over.
pub fn end_by_force(force: Force) {
    guard().force = Some(force);
    start();
}

/// While this lives, the process is given more time to end.
#[derive(Debug)]
#[must_use = "the time is given until this is dropped"]
pub struct Unfinished(());

/// Gives the process more time to end, because it writes what must not be left half-written, such as a checkpoint.
pub fn unfinished() -> Unfinished {
    guard().unfinished += 1;
    Unfinished(())
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        guard().unfinished -= 1;
    }
}

/// Starts the thread that looks at the limits. Without it, they hold between the steps of searches.
fn start() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        let watch = std::thread::Builder::new().name("limits".to_owned());
        let _ = watch.spawn(|| {
            loop {
                std::thread::sleep(INTERVAL);
                if let Some((over, end)) = look() {
                    end(over);
                }
            }
        });
    });
}

/// Notes which limits are reached. Returns how the process is to be ended, if it is.
fn look() -> Option<(Over, fn(Over) -> !)> {
    let mut guard = guard();
    let now = Instant::now();
    // The size of the process is a file of the system: read only if someone works.
    let held = if guard.live.is_empty() {
        None
    } else {
        resident_bytes()
    };
    let force = guard.force;
    if guard.interrupted.is_none() && force.is_some_and(|force| force.interrupt.load(Ordering::Relaxed)) {
        guard.interrupted = Some(now);
    }
    for live in guard.live.iter_mut().filter(|live| live.since.is_none()) {
        if let Some(over) = live.limit_reached(now, held) {
            live.end(over, now);
        }
    }
    guard.spread();
    let force = force?;
    let over = guard.is_to_end(now, held, force.terminate.load(Ordering::Relaxed))?;
    Some((over, force.end))
}

impl Live {
    fn limit_reached(&self, now: Instant, held: Option<u64>) -> Option<Over> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            Some(Over::Interrupt)
        } else if self.deadline.is_some_and(|deadline| now >= deadline) {
            Some(Over::Time)
        } else if held
            .zip(self.memory_bytes)
            .is_some_and(|(held, limit)| held >= limit)
        {
            Some(Over::Memory)
        } else {
            None
        }
    }

    fn end(&mut self, over: Over, now: Instant) {
        self.since.get_or_insert(now);
        if self.state.over().is_none() {
            self.state.set(over);
        }
    }

    /// Whether memory still fills up after the limit.
    fn is_far_beyond(&self, held: Option<u64>) -> bool {
        let most = |limit: u64| limit.saturating_add(limit / 5).saturating_add(SLACK_BYTES);
        held.zip(self.memory_bytes)
            .is_some_and(|(held, limit)| held > most(limit))
    }
}

impl Guard {
    /// A part is over with the whole. Parts are begun later, so they stand behind it.
    fn spread(&self) {
        for live in &self.live {
            if let (Some(over), None) = (live.outer.over(), live.state.over()) {
                live.state.set(over);
            }
        }
    }

    /// Why the process is to be ended now: it has been given enough time to end by itself, or memory still fills up.
    fn is_to_end(&self, now: Instant, held: Option<u64>, is_terminated: bool) -> Option<Over> {
        let has_passed = |since: Instant, patience: Duration| {
            let patience = if self.unfinished > 0 {
                PATIENCE_UNFINISHED
            } else {
                patience
            };
            now.saturating_duration_since(since) >= patience
        };
        let patience = if is_terminated {
            PATIENCE_TERMINATED
        } else {
            PATIENCE
        };
        if self.interrupted.is_some_and(|since| has_passed(since, patience)) {
            return Some(Over::Interrupt);
        }
        let is_late = |live: &Live| {
            let (over, since) = (live.state.over()?, live.since?);
            let is_beyond = over == Over::Memory && live.is_far_beyond(held) && has_passed(since, INTERVAL);
            (is_beyond || has_passed(since, PATIENCE)).then_some(over)
        };
        self.live.iter().find_map(is_late)
    }
}

#[cfg(test)]
mod tests;
