//! A timeline in the JSON form of Chrome's trace events, which the Perfetto viewer reads.

use serde_json::{Value, json};

use crate::timeline::Timeline;

/// The timeline as trace events: one track per thread, one slice per operation. Times are microseconds there, so times in other
/// units than nanoseconds are written as they are.
pub fn perfetto(timeline: &Timeline) -> String {
    let scale = if timeline.unit() == "ns" { 1e-3 } else { 1.0 };
    let mut events: Vec<Value> = Vec::new();
    for (at, name) in timeline.threads().iter().enumerate() {
        events.push(json!({"ph": "M", "pid": 1, "tid": at, "name": "thread_name", "args": {"name": name}}));
    }
    for (thread, call, start, end) in timeline.operations() {
        let time = start.saturating_sub(timeline.first()) as f64 * scale;
        let name = call.split(['(', ' ']).next().unwrap_or(call);
        let mut event = json!({"name": name, "cat": "operation", "pid": 1, "tid": thread, "ts": time, "args": {"call": call, "start": start.to_string()}});
        match end {
            Some(end) => {
                event["ph"] = json!("X");
                event["dur"] = json!(end.saturating_sub(start) as f64 * scale);
            }
            None => {
                event["ph"] = json!("B");
                event["args"]["pending"] = json!(true);
            }
        }
        events.push(event);
    }
    json!({"displayTimeUnit": "ns", "traceEvents": events}).to_string()
}
