//! Lines of text logs become events, by rules.
//!
//! [`ExtractionRules`] are read from a TOML file. They say how a line is taken apart (a known format, or a pattern with named groups),
//! which field is the time, and for each kind of event what its name, node, arguments and values are. [`Extractor`] applies them to one line after
//! the other and gives JSON objects, as `omnilink validate` reads them.
//!
//! [`draft`] writes rules to start from, for a log and the actions of a specification.
//!
//! What a line does not say is left out of its event, and means *unknown*. A line that has not the format, or that is no event, is counted: nothing is left
//! out silently.

mod draft;
mod error;
mod event_rule;
mod extractor;
mod field_text;
mod fields;
mod json_inside;
mod known_formats;
mod line_format;
mod pairs;
mod rules;
mod separated;
mod template;
mod timestamp;

pub use draft::{DraftAction, draft};
pub use error::{ExtractError, RulesError};
pub use extractor::{ExtractedEvent, ExtractionCounts, Extractor};
pub use rules::ExtractionRules;
