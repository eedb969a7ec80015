//! Evidence for people: text and timelines.
//!
//! The decision of this crate is that **a page is a pure function of the evidence and of a [`Look`]**: [`text`] renders what
//! any command found, and nothing that is not in the [evidence](omnilink_evidence) is on the page. So every page can be a
//! snapshot in a test, and evidence that was read from a file gives the page that the command printed. Nothing here
//! prints, looks at the terminal or reads a file.
//!
//! Text from a trace is shown with control characters written out, so that a trace cannot move the reader's cursor.
//!
//! ```
//! use omnilink_report::{Bar, Look, Mark, draw};
//! use omnilink_trace::Timebox;
//!
//! let bar = |thread: &str, text: &str, start, end| Bar {
//!     thread: thread.into(),
//!     text: text.to_owned(),
//!     timebox: Timebox::new(start, end),
//!     mark: Mark::Plain,
//! };
//! let bars = [bar("t0", "write 1", 0, 20), bar("t1", "read 2", 10, 40), bar("t0", "write 2", 30, 50)];
//! assert_eq!(draw(&bars, &Look::plain()), "\
//! t0  |-write 1-||-write 2-|
//! t1   |--read 2--|
//! ");
//! ```

mod annotation;
mod changes;
mod dot;
mod figures;
mod headline;
mod junit;
mod layout;
mod look;
mod markdown;
mod paragraph;
mod sarif;
mod shell_word;
mod short_state;
mod text;
mod timeline;

pub use annotation::annotations;
pub use dot::dot;
pub use figures::{bytes, count, counted, seconds};
pub use headline::{Headline, headline};
pub use junit::junit;
pub use look::{Look, Tone};
pub use markdown::markdown;
pub use paragraph::wrapped;
pub use sarif::sarif;
pub use shell_word::shell_word;
pub use text::{TextOptions, log_coverage_text, test_line, text, visibility_reason};
pub use timeline::{Bar, Mark, draw};
