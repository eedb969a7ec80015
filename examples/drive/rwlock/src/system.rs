//! The `RwLock` of the crate `async-lock`, for the driver of ReadersWriters.tla.
//!
//! The queue of waiting actors is kept here, in the order that the specification prescribes: an actor calls the lock only when the
//! specification lets it in, and the lock must then admit it at once. What the lock would answer to others is observed by `try_read` and `try_write`.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use async_lock::{RwLock, RwLockReadGuardArc, RwLockWriteGuardArc};

use crate::json::Json;
use crate::{Chosen, Fault};

/// What a future gives at once.
fn now<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

// omnilink: begin system
#[derive(Default)]
pub struct System {
    lock: Arc<RwLock<()>>,
    readers: BTreeMap<i64, Vec<RwLockReadGuardArc<()>>>,
    writers: BTreeMap<i64, RwLockWriteGuardArc<()>>,
    waiting: VecDeque<(&'static str, i64)>,
}

impl System {
    pub fn start(_state: &Json) -> Result<Self, Fault> {
        Ok(Self::default())
    }

    pub fn observe(&mut self) -> Json {
        // Each guard is gone before the next question.
        let can_read = self.lock.try_read().is_some();
        let can_write = self.lock.try_write().is_some();
        let waiting = self.waiting.iter();
        Json::object([
            ("readers", Json::list(self.readers.keys().copied())),
            ("writers", Json::list(self.writers.keys().copied())),
            ("waiting", Json::list(waiting.map(|(kind, actor)| Json::List(vec![(*kind).into(), (*actor).into()])))),
            ("canRead", can_read.into()),
            ("canWrite", can_write.into()),
        ])
    }
}
// omnilink: end system

// omnilink: begin action TryRead(actor: i64)
pub fn try_read(system: &mut System, actor: i64) -> Result<Chosen, Fault> {
    system.waiting.push_back(("read", actor));
    Ok(vec![])
}
// omnilink: end action TryRead

// omnilink: begin action TryWrite(actor: i64)
pub fn try_write(system: &mut System, actor: i64) -> Result<Chosen, Fault> {
    system.waiting.push_back(("write", actor));
    Ok(vec![])
}
// omnilink: end action TryWrite

// omnilink: begin action ReadOrWrite()
pub fn read_or_write(system: &mut System) -> Result<Chosen, Fault> {
    let (kind, actor) = system.waiting.pop_front().ok_or("nobody waits")?;
    if kind == "read" {
        let guard = now(system.lock.read_arc()).ok_or("the lock lets a reader wait")?;
        system.readers.entry(actor).or_default().push(guard);
    } else {
        let guard = now(system.lock.write_arc()).ok_or("the lock lets a writer wait")?;
        system.writers.insert(actor, guard);
    }
    Ok(vec![])
}
// omnilink: end action ReadOrWrite

// omnilink: begin action StopActivity(actor: i64)
pub fn stop_activity(system: &mut System, actor: i64) -> Result<Chosen, Fault> {
    if system.readers.remove(&actor).is_none() {
        system.writers.remove(&actor).ok_or("it does nothing")?;
    }
    Ok(vec![])
}
// omnilink: end action StopActivity

// omnilink: new sections are inserted above this line
