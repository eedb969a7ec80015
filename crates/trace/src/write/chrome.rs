//! Operations as Chrome's trace events, which `chrome://tracing` and Perfetto show.

use omnilink_value::{Value, json};
use rustc_hash::FxHashMap;

use super::encode::encode_json;
use crate::import::CHROME_KEY;
use crate::{Operation, Time};

/// The events of a trace: one track for each thread, one slice for each operation. Each event holds the record of its operation, from which
/// [`Format::Chrome`](crate::Format::Chrome) reads it back.
pub(super) struct ChromeWriter {
    /// Whether times are nanoseconds. Those of events are microseconds; times in other units are written as they are.
    is_ns: bool,
    /// The number of each thread's track.
    tracks: FxHashMap<Value, usize>,
    /// The first time, which is zero in the events: viewers show times since then, and read them with 53 bits.
    first: Option<Time>,
}

impl ChromeWriter {
    pub(super) fn new(is_ns: bool) -> Self {
        Self {
            is_ns,
            tracks: FxHashMap::default(),
            first: None,
        }
    }

    /// Appends what comes before all events.
    pub(super) fn begin(out: &mut String) {
        out.push_str("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    }

    /// Appends what comes after all events.
    pub(super) fn end(out: &mut String) {
        out.push_str("\n]}\n");
    }

    /// Appends the event of an operation.
    pub(super) fn event(&mut self, operation: &Operation, out: &mut String) {
        let separator = if self.first.is_none() { "\n" } else { ",\n" };
        out.push_str(separator);
        let start = operation.timebox.start;
        let first = *self.first.get_or_insert(start);
        let next = self.tracks.len() + 1;
        let track = match self.tracks.get(&operation.thread) {
            Some(track) => *track,
            None => {
                self.tracks.insert(operation.thread.clone(), next);
                let thread = operation.thread.as_str();
                let thread = thread.map_or_else(|| operation.thread.to_string(), str::to_owned);
                out.push_str(&format!(
                    "{{\"ph\":\"M\",\"pid\":1,\"tid\":{next},\"name\":\"thread_name\",\"args\":{{\"name\":"
                ));
                json::write_string(out, &thread);
                out.push_str("}},\n");
                next
            }
        };
        out.push_str("{\"name\":");
        json::write_string(out, &operation.name);
        out.push_str(&format!(
            ",\"cat\":\"operation\",\"pid\":1,\"tid\":{track},\"ts\":"
        ));
        self.push_time(start.wrapping_sub(first), out);
        match operation.timebox.end {
            Some(end) => {
                out.push_str(",\"ph\":\"X\",\"dur\":");
                self.push_time(end.wrapping_sub(start), out);
            }
            // It has begun, and never ends.
            None => out.push_str(",\"ph\":\"B\""),
        }
        out.push_str(",\"args\":{\"call\":");
        json::write_string(out, &operation.to_string());
        out.push_str(&format!(",\"{CHROME_KEY}\":"));
        encode_json(operation, out);
        out.push_str("}}");
    }

    fn push_time(&self, time: Time, out: &mut String) {
        // A difference of times may need 64 bits without a sign.
        let time = time.cast_unsigned();
        out.push_str(&if self.is_ns {
            format!("{}.{:03}", time / 1000, time % 1000)
        } else {
            time.to_string()
        });
    }
}
