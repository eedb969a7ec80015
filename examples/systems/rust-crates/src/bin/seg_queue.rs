//! crossbeam's unbounded queue, against the model `queue`.

use crossbeam_queue::SegQueue;
use omnilink_record::record;

fn main() -> std::process::ExitCode {
    let queue = SegQueue::new();
    rust_crates_example::run(|log, random, unique| match random.between(0..=1) {
        0 => record!(log, enqueue(value = unique) => queue.push(unique)),
        _ => drop(record!(log, dequeue() => queue.pop())),
    })
}
