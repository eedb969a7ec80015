//! What reading a trace costs: `cargo run --release -p omnilink-trace --example read_cost -- FILE…`

use std::time::Instant;

use omnilink_trace::{OpenOptions, Trace, TraceError};

fn main() -> Result<(), TraceError> {
    for path in std::env::args().skip(1) {
        let begin = Instant::now();
        let mut trace = Trace::open(&path, &OpenOptions::default())?;
        let mut count = 0_u64;
        for operation in &mut trace {
            operation?;
            count += 1;
        }
        let elapsed = begin.elapsed();
        let each_ns = elapsed.as_nanos() / u128::from(count.max(1));
        println!("{path}: {count} ops in {elapsed:.2?}, {each_ns} ns each");
        for note in trace.notes() {
            println!("  {note}");
        }
    }
    Ok(())
}
