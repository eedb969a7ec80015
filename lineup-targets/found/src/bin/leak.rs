//! A value that the first caller makes. With `first()` a caller that comes second forgets what it has made; with `fixed()` it frees it.
//! `cached()` keeps memory in a static and in a thread-local variable, where it can be reached; `forgotten()` leaks by itself.
use omnilink_harness::Component;
use std::cell::RefCell;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering::*};

#[derive(Default)]
struct Lazy(AtomicPtr<i64>);

impl Lazy {
    fn get(&self, frees: bool) -> i64 {
        let known = self.0.load(Acquire);
        if !known.is_null() {
            return unsafe { *known };
        }
        let made = Box::into_raw(Box::new(7));
        match self.0.compare_exchange(std::ptr::null_mut(), made, AcqRel, Acquire) {
            Ok(_) => unsafe { *made },
            Err(known) => {
                if frees {
                    drop(unsafe { Box::from_raw(made) });
                }
                unsafe { *known }
            }
        }
    }
}

impl Drop for Lazy {
    fn drop(&mut self) {
        let made = *self.0.get_mut();
        if !made.is_null() {
            drop(unsafe { Box::from_raw(made) });
        }
    }
}

static CACHE: Mutex<Vec<Box<i64>>> = Mutex::new(Vec::new());
thread_local!(static OWN: RefCell<Vec<Box<i64>>> = const { RefCell::new(Vec::new()) });

fn main() -> ExitCode {
    Component::new("leak", Lazy::default)
        .op("first()", |lazy| lazy.get(false))
        .op("fixed()", |lazy| lazy.get(true))
        .op("cached()", |_| {
            CACHE.lock().unwrap().push(Box::new(1));
            OWN.with_borrow_mut(|own| own.push(Box::new(2)));
        })
        .op("forgotten()", |_| {
            std::mem::forget(std::hint::black_box(Box::new(3)));
        })
        .main()
}
