//! Evidence for people and for machines: text, timelines and JSON.
//!
//! The decision of this crate is that **one [`Report`] is rendered twice**: [`Report::to_text`] for a person who has to
//! find a bug, [`Report::to_json`] for a program that has to count bugs. Both are pure functions of the report and of a
//! [`Look`], so that every page can be a snapshot in a test. Nothing here prints, asks for a terminal or reads a file.
//!
//! What comes from a trace is shown as it is, but never as it could be: control characters are written out, so that a
//! trace cannot move the cursor of whoever reads about it.
//!
//! ```
//! use omnilink_report::{Bar, Look, Mark, ThreadNames, draw};
//! use omnilink_trace::Timebox;
//!
//! let bar = |thread, text: &str, start, end| Bar {
//!     thread,
//!     text: text.to_owned(),
//!     timebox: Timebox::new(start, end),
//!     mark: Mark::Plain,
//! };
//! let bars = [bar(0, "write 1", 0, 20), bar(1, "read 2", 10, 40), bar(0, "write 2", 30, 50)];
//! let names = ThreadNames::from(["t0", "t1"]);
//! assert_eq!(draw(&bars, &names, &Look::plain()), "\
//! t0  |-write 1-||-write 2-|
//! t1   |--read 2--|
//! ");
//! ```

mod figures;
mod findings;
mod json;
mod keys;
mod layout;
mod look;
mod minimal;
mod paragraph;
mod report;
mod text;
mod thread_names;
mod timeline;
mod weak;

pub use figures::{bytes, count, seconds};
pub use findings::{
    ActionFindings, BranchFindings, InvariantFindings, LongFindings, MutantFindings, MutationFindings,
    SpecFindings, VacuityFindings, WriterFindings,
};
pub use keys::KeyReport;
pub use look::{Look, Tone};
pub use minimal::MinimalHistory;
pub use paragraph::wrapped;
pub use report::{Answer, Judgement, Report};
pub use thread_names::ThreadNames;
pub use timeline::{Bar, Mark, draw};
pub use weak::{WeakReport, weak_evidence};
