//! A channel for one value, which an atomic state guards and plain accesses move. A sender that finds the channel closed takes its
//! value back. A receiver that finds a value takes it too, closed or not.
use omnilink_harness::Component;
use std::cell::UnsafeCell;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering::*};

const SENT: u8 = 1;
const CLOSED: u8 = 2;

#[derive(Default)]
struct Oneshot {
    state: AtomicU8,
    value: UnsafeCell<Option<Box<i64>>>,
}

// The state says who may touch the value; or so the author thought.
unsafe impl Sync for Oneshot {}

impl Oneshot {
    fn send(&self, value: i64) -> Result<(), i64> {
        unsafe { *self.value.get() = Some(Box::new(value)) };
        match self.state.fetch_or(SENT, AcqRel) & CLOSED {
            0 => Ok(()),
            _ => Err(unsafe { (*self.value.get()).take() }.map_or(0, |value| *value)),
        }
    }

    fn try_recv(&self) -> Option<i64> {
        match self.state.load(Acquire) & SENT {
            0 => None,
            _ => unsafe { (*self.value.get()).take() }.map(|value| *value),
        }
    }
}

fn main() -> ExitCode {
    Component::new("oneshot", Oneshot::default)
        .op("close()", |one| {
            one.state.fetch_or(CLOSED, AcqRel);
        })
        .op("send(1)", |one| one.send(1))
        .op("try_recv()", |one| one.try_recv())
        .role("sender", ["send(1)"])
        .role("receiver", ["try_recv()", "close()"])
        .main()
}
