//! A number that is drawn when it is first asked for, without a lock: two who ask at once may each draw one.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering};

use omnilink_harness::Component;

#[derive(Default)]
struct Lazy {
    drawn: AtomicI64,
    draws: AtomicI64,
}

impl Lazy {
    fn get(&self) -> i64 {
        if self.drawn.load(Ordering::SeqCst) == 0 {
            let number = self.draw();
            self.drawn.store(number, Ordering::SeqCst);
        }
        self.drawn.load(Ordering::SeqCst)
    }

    /// Takes a while, as initialisation that is done once usually does.
    fn draw(&self) -> i64 {
        (0..1_000).for_each(|step| {
            black_box(step);
        });
        1 + self.draws.fetch_add(1, Ordering::SeqCst)
    }
}

fn main() -> ExitCode {
    Component::new("lazy", Lazy::default)
        .op("get()", Lazy::get)
        .main()
}
