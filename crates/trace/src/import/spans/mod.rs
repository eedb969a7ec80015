//! Spans of tracing systems as operations: OpenTelemetry, Jaeger, Zipkin and Chrome's trace events.
//!
//! A tracing system records what took how long, and not what an operation is. So the readers of the formats only produce a
//! [`Span`]; which spans are operations, and what their arguments, results and threads are, is for [`SpanRules`] to say and
//! for [`SpanReader`] to apply. `docs/opentelemetry.md` has the rules and the reasons for their defaults.
//!
//! | format | module |
//! |---|---|
//! | OTLP as JSON, one message a line | [`otlp_json`] |
//! | OTLP as protobuf, each message behind its length | [`otlp_proto`], over the wire format in [`protobuf`] |
//! | Jaeger's JSON | [`jaeger`] |
//! | Zipkin's JSON, version 2 | [`zipkin`] |
//! | Chrome's trace events | [`chrome`] |

mod batches;
mod chrome;
mod field;
mod jaeger;
mod otlp_json;
mod otlp_proto;
mod protobuf;
mod reader;
mod rules;
mod span;
mod span_key;
mod survey;
mod zipkin;

use crate::input::{InputBuffer, Next};
use crate::note::Notes;
use crate::{Format, TraceError};

pub(crate) use chrome::KEY as CHROME_KEY;
pub(crate) use otlp_proto::is_message as is_otlp_message;
pub(crate) use reader::SpanReader;
pub use rules::{SpanErrors, SpanOrder, SpanRuleError, SpanRules, SpanThreads};
pub(crate) use survey::SpanSurvey;

use span::Span;

/// The spans of an input, in its order.
pub(crate) trait SpanSource: Send {
    /// The next span.
    fn next_span(&mut self) -> Result<Next<Span>, TraceError>;
}

/// The spans of an input in one of these formats.
pub(crate) fn span_source(
    format: Format,
    buffer: InputBuffer,
    name: &str,
    notes: Notes,
) -> Box<dyn SpanSource> {
    match format {
        Format::Jaeger => Box::new(jaeger::spans(buffer, name, notes)),
        Format::Zipkin => Box::new(zipkin::spans(buffer, name, notes)),
        Format::Chrome => Box::new(chrome::ChromeEvents::new(buffer, name, notes)),
        _ if is_otlp_message(buffer.unread()) => Box::new(otlp_proto::Messages::new(buffer, name, notes)),
        _ => Box::new(otlp_json::spans(buffer, name, notes)),
    }
}
