//! Several workers, whose answer is that of one.
//!
//! The states of a search stand in one order: that in which a single worker finds them. Workers take them by segments, in that order,
//! and what they find is *entered* into the books in that order too, by whichever worker delivers: a segment is entered when it and
//! all before it are done. The new states of an entered segment wait behind all others, and can be taken at once, also while
//! segments of the level before are under way. Nobody waits at the end of a level, or for anybody, as long as there is something to take.
//!
//! **Why the answer is that of one worker.** Let `s` be the first segment of which a state leads to a state `x` that is not initial.
//! Claim: `x` is entered with `s`, and comes from the first state of `s` that leads to it. The table takes `x` from whichever segment
//! is entered first that has it, so it is to be shown that `s` has it, whoever expands `s`. A worker leaves a state away if
//! - the table shows it: but only what was entered is there, and nothing before `s` leads to `x`;
//! - it has met the state lately: in `s` itself, where the first place counts, or in a segment before, since it forgets all when it goes
//!   back to an earlier segment; and nothing before `s` leads to `x`;
//! - an earlier segment has claimed it: only one that leads to `x` does that.
//!
//! So the states of each level are entered in one order whatever the workers do, and with them figures, parents, and what is wrong
//! first.
//!
//! **Where the bytes are.** `x` can be in `s` without bytes, because a later segment `t` has claimed and approved it. Only the first
//! to begin `t` claims anything. If its result counts, it has the bytes, or names a segment later still. Otherwise the result of one
//! counts that began `t` again. That one relies on no claim and begins with nothing met lately, so it leaves away only what is in the
//! table, and has the bytes of `x`, unless `x` was entered before; then nobody asks for them. `s` is entered only when `t` is done.

use std::any::Any;
use std::hint::{black_box, spin_loop};
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, yield_now};
use std::time::{Duration, Instant};

use crate::books::Books;
use crate::breadth_first::{Search, thread_with};
use crate::claims::Claims;
use crate::codec::Garbled;
use crate::expand::{Harvest, Whereabouts};
use crate::explorer::{Early, Explorer};
use crate::fingerprint::Fingerprint;
use crate::limits::Limit;
use crate::machine::Machine;
use crate::outcome::{End, SearchError};
use crate::pace::Pace;
use crate::seen::View;
use crate::sieve::{Recent, Shared};
use crate::window::{Task, Window};

/// So many segments are set aside for a worker at a time, if there are enough for all.
const ASIDE_MAX: usize = 32;
/// What waits would do for so many turns of each worker.
const TURNS: usize = 2;
/// So many segments are entered at a time by a worker that could do something else.
const ENTERED_AT_ONCE: usize = 3;
/// How long a worker looks for something to do before it goes to sleep. A virtual processor that sleeps is given to others, and it may
/// take milliseconds to get it back.
const PATIENCE: Duration = Duration::from_millis(20);
/// How often it looks whether there is news, before it looks again for something to do.
const GLANCES: u32 = 200;
/// How often it tries to get to the desk before it sleeps until it can.
const ATTEMPTS: u32 = 10_000;
/// How long it sleeps if nobody wakes it.
const SLEEP: Duration = Duration::from_millis(100);
/// It is woken when so many segments wait to be taken: whoever delivers takes one itself.
const SEGMENTS_TO_WAKE: usize = 2;

/// What came of a segment.
#[derive(Debug)]
struct Reaped<F> {
    harvest: Harvest,
    early: Option<Early<F>>,
}

/// Why there is nothing more to do.
enum Over<F> {
    Ended(Result<End<F>, SearchError>),
    Panicked(Box<dyn Any + Send>),
}

/// What one worker after the other has before it.
struct Desk<'b, 'a, 's, F> {
    books: &'b mut Books<'a, 's>,
    window: Window<Reaped<F>>,
    workers: usize,
    under_way_max: usize,
    may_repeat: bool,
    pace: Pace,
    /// Harvests that were entered, for their memory.
    spare: Vec<Harvest>,
    entered: u64,
    sleepers: usize,
    over: Option<Over<F>>,
}

/// What a worker is to do.
enum Next {
    Explore(Task, Harvest),
    Wait,
    Leave,
}

impl<F> Desk<'_, '_, '_, F> {
    /// Takes what came of a segment.
    fn deliver(&mut self, number: u64, reaped: Reaped<F>) {
        if let Some(begun) = self.window.begun(number) {
            let states = self.pace.segment_states(begun.elapsed(), reaped.harvest.explored);
            self.books.levels.set_segment_states(states);
        }
        let is_early = reaped.early.is_some();
        if let Some(too_late) = self.window.deliver(number, reaped, is_early) {
            self.spare.extend(too_late.harvest.emptied());
        }
    }

    /// Gives a worker something to do.
    fn next(&mut self, worker: usize) -> Next {
        let mut entered = 0;
        loop {
            while entered < ENTERED_AT_ONCE && self.over.is_none() && self.enter() {
                entered += 1;
            }
            if self.over.is_some() {
                return Next::Leave;
            }
            let task = match self.take(worker) {
                Ok(task) => task,
                Err(error) => {
                    self.over = Some(Over::Ended(Err(error)));
                    return Next::Leave;
                }
            };
            if let Some(task) = task {
                let harvest = self.spare.pop().unwrap_or_else(|| self.books.harvest());
                return Next::Explore(task, harvest);
            }
            if self.over.is_none() && self.enter() {
                continue;
            }
            if self.over.is_some() {
                return Next::Leave;
            }
            let again = self
                .may_repeat
                .then(|| self.window.begin_again(Instant::now()))
                .flatten();
            return match again {
                Some(task) => Next::Explore(task, self.books.harvest()),
                None => Next::Wait,
            };
        }
    }

    fn take(&mut self, worker: usize) -> Result<Option<Task>, SearchError> {
        if let Some(task) = self.window.begin(worker) {
            return Ok(Some(task));
        }
        if self.window.is_cut() {
            return Ok(None);
        }
        if self.books.levels.segments() == 0 {
            // If a state of the next level was entered, so was all that leads to this one: no more will come.
            let next = self.books.next_level();
            if self.window.is_empty()
                && let Some(end) = next.end()
            {
                self.over = Some(Over::Ended(Ok(end)));
                return Ok(None);
            }
        }
        let room = self.under_way_max.saturating_sub(self.window.len());
        let share = self.books.levels.segments().div_ceil(TURNS * self.workers);
        for _ in 0..share.min(ASIDE_MAX).min(room) {
            if let Some(segment) = self.books.levels.pop()? {
                self.window.push(worker, self.books.levels.level(), segment);
            }
        }
        if let Some(task) = self.window.begin(worker) {
            return Ok(Some(task));
        }
        if !self.window.share(worker) {
            return Ok(None);
        }
        Ok(self.window.begin(worker))
    }

    /// Enters the first segment into the books, if it is done and all its states were made.
    fn enter(&mut self) -> bool {
        let Some((number, reaped)) = self.window.first() else {
            return false;
        };
        if self.is_early_for(number, &reaped.harvest) {
            return false;
        }
        let Some((level, reaped)) = self.window.pop() else {
            return false;
        };
        let entered = self.enter_finds(number, level + 1, &reaped.harvest);
        self.spare.extend(reaped.harvest.emptied());
        self.entered += 1;
        self.books.tell();
        let end = match (entered, reaped.early) {
            (Err(error), _) => Some(Err(error)),
            (Ok(()), Some(early)) => Some(early.end()),
            (Ok(()), None) => self
                .books
                .is_memory_full()
                .then_some(Ok(End::Limit(Limit::Memory))),
        };
        self.over = end.map(Over::Ended);
        true
    }

    fn enter_finds(&mut self, number: u64, level: u32, harvest: &Harvest) -> Result<(), SearchError> {
        // The places of a segment's finds are far apart in memory. Asked for one after the other they would be waited for one
        // after the other; looked at beforehand, they all come at once.
        let seen = &self.books.seen;
        let finds = harvest.discovered.iter();
        black_box(finds.fold(0, |sum, find| sum ^ seen.at_home(find.fingerprint)));
        for (find, bytes) in harvest.states() {
            if !self.books.seen.insert(find.fingerprint, find.parent) {
                continue;
            }
            let bytes = match find.elsewhere {
                None => bytes,
                Some(later) => match bytes_of(&self.window, number, later, find.fingerprint) {
                    Made::Bytes(bytes) => bytes,
                    Made::NotYet | Made::Never => return Err(Garbled.into()),
                },
            };
            self.books.admit(find, bytes, level)?;
        }
        self.books.count(harvest)
    }

    /// Whether a segment has states whose bytes are with one that is not done.
    fn is_early_for(&self, number: u64, harvest: &Harvest) -> bool {
        !harvest.is_complete
            && harvest.discovered.iter().any(|find| {
                let made = find
                    .elsewhere
                    .map(|later| bytes_of(&self.window, number, later, find.fingerprint));
                matches!(made, Some(Made::NotYet))
            })
    }
}

/// The bytes of a state that somebody else has made.
enum Made<'a> {
    Bytes(&'a [u8]),
    NotYet,
    Never,
}

/// The bytes of a state that the segment has which comes so many later than this one, or one that is later still.
fn bytes_of<F>(
    window: &Window<Reaped<F>>,
    mut number: u64,
    mut later: NonZeroU16,
    state: Fingerprint,
) -> Made<'_> {
    loop {
        number += u64::from(later.get());
        let Some(reaped) = window.result(number) else {
            return Made::NotYet;
        };
        match reaped.harvest.whereabouts(state) {
            Some(Whereabouts::Here(bytes)) => return Made::Bytes(bytes),
            Some(Whereabouts::Later(still)) => later = still,
            None => return Made::Never,
        }
    }
}

/// What all workers share.
struct Crew<'c, 'b, 'a, 's, M: Machine> {
    explorer: &'c Explorer<'a, M>,
    claims: Claims,
    desk: Mutex<Desk<'b, 'a, 's, M::Failure>>,
    /// How often something was delivered.
    news: AtomicU64,
    wake: Condvar,
}

/// Explores what waits, to the end, with several workers, of which this thread is one.
pub(crate) fn together<'a, M: Machine>(
    explorer: &Explorer<'a, M>,
    worker: &mut M::Worker,
    books: &mut Books<'a, '_>,
    search: &Search,
) -> Result<End<M::Failure>, SearchError> {
    let crew = Crew {
        explorer,
        claims: Claims::default(),
        desk: Mutex::new(Desk {
            books,
            window: Window::new(search.workers),
            workers: search.workers,
            under_way_max: (TURNS * ASIDE_MAX * search.workers).min(Claims::UNDER_WAY_MAX),
            may_repeat: explorer.machine.may_repeat(),
            pace: Pace::default(),
            spare: Vec::new(),
            entered: 0,
            sleepers: 0,
            over: None,
        }),
        news: AtomicU64::new(0),
        wake: Condvar::new(),
    };
    thread::scope(|scope| {
        for number in 1..search.workers {
            let crew = &crew;
            let follow = move || crew.guard(|| crew.work(number, &mut explorer.machine.searcher(number)));
            // A system that has no thread left gets by with fewer workers.
            if thread_with(search).spawn_scoped(scope, follow).is_err() {
                break;
            }
        }
        crew.guard(|| crew.work(0, worker));
    });
    let desk = crew.desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    match desk.over {
        Some(Over::Ended(end)) => end,
        Some(Over::Panicked(panic)) => resume_unwind(panic),
        None => unreachable!("a worker leaves only when it is over"),
    }
}

impl<'b, 'a, 's, M: Machine> Crew<'_, 'b, 'a, 's, M> {
    /// Ends the work of all when one panics.
    fn guard(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let mut desk = self.desk();
            desk.over.get_or_insert(Over::Panicked(panic));
            self.tell_news(&desk);
        }
    }

    /// Takes, explores and delivers one segment after the other, until it is over.
    fn work(&self, me: usize, worker: &mut M::Worker) {
        let machine = self.explorer.machine;
        let mut recent = Recent::default();
        let mut view = View::default();
        let mut last = 0;
        let mut delivery = None;
        let mut idle_since = None;
        loop {
            let news = self.news.load(Ordering::Acquire);
            let next = {
                let mut desk = self.desk();
                let is_delivery = delivery.is_some();
                let entered = desk.entered;
                if let Some((number, reaped)) = delivery.take() {
                    desk.deliver(number, reaped);
                }
                let next = desk.next(me);
                view.renew(&desk.books.seen);
                if is_delivery || desk.entered > entered || desk.over.is_some() {
                    self.tell_news(&desk);
                }
                next
            };
            match next {
                Next::Leave => return,
                Next::Wait if idle_since.get_or_insert_with(Instant::now).elapsed() < PATIENCE => {
                    self.look_out(news);
                }
                Next::Wait => {
                    view.close();
                    self.sleep(news);
                }
                Next::Explore(task, mut harvest) => {
                    idle_since = None;
                    if task.number < last || task.is_again {
                        recent.clear();
                    }
                    last = task.number;
                    let mut sieve = recent.before(Shared {
                        view: &view,
                        claims: (!task.is_again).then_some(&self.claims),
                        segment: task.number,
                        may_be_elsewhere: machine.fingerprints_identify(),
                    });
                    let states = (&*task.segment, task.level);
                    let early = self
                        .explorer
                        .explore(worker, states, &mut sieve, &mut harvest, None);
                    delivery = Some((task.number, Reaped { harvest, early }));
                }
            }
        }
    }

    /// The desk, once nobody else has it. Everybody has it for some microseconds only, so this tries for a while before it sleeps.
    fn desk(&self) -> MutexGuard<'_, Desk<'b, 'a, 's, M::Failure>> {
        for attempt in 0..ATTEMPTS {
            match self.desk.try_lock() {
                Ok(desk) => return desk,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => rest(attempt),
            }
        }
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be called by whoever has changed something on the desk.
    fn tell_news(&self, desk: &Desk<'b, 'a, 's, M::Failure>) {
        self.news.fetch_add(1, Ordering::Release);
        if desk.sleepers > 0 && (desk.over.is_some() || desk.books.levels.segments() >= SEGMENTS_TO_WAKE) {
            self.wake.notify_all();
        }
    }

    /// Waits a little for news after these.
    fn look_out(&self, news: u64) {
        for glance in 0..GLANCES {
            if self.news.load(Ordering::Acquire) != news {
                return;
            }
            rest(glance);
        }
    }

    /// Sleeps until there may be something to do.
    fn sleep(&self, news: u64) {
        let mut desk = self.desk();
        if self.news.load(Ordering::Acquire) == news {
            desk.sleepers += 1;
            let woken = self.wake.wait_timeout(desk, SLEEP);
            desk = woken.unwrap_or_else(PoisonError::into_inner).0;
            desk.sleepers -= 1;
        }
    }
}

/// Lets time pass: at first none that others could use, then some that they can.
fn rest(turn: u32) {
    if turn < 64 {
        spin_loop();
    } else {
        yield_now();
    }
}
