//! Evidence as one page to look at: timeboxes on a time axis, explanations from the end backwards, states and reasons.
//!
//! The decision of this crate is that **the page is one file without a network**. Its modules (`page/*.js`, plain ES modules
//! with JSDoc types) are embedded in the binary and bundled here into one HTML file together with the data. So what is
//! attached to a ticket is what was looked at, it opens from `file://`, and a strict content security policy holds: the only
//! script that runs is the one whose hash the policy names, and everything from a trace is inert text.
//!
//! - [`Scene`] is what a page shows: stories, each a piece of evidence with the timeline around it.
//! - [`html`] makes the page of a scene.
//! - [`Server`] shows it in a browser, on the loopback interface and behind a random token.
//!
//! What was given up: the page computes nothing that needs a model. What it shows of states and reasons is in the evidence.

mod bundle;
mod faults;
mod file_kind;
mod html;
mod scene;
mod server;
mod sources;
mod timeline;

pub use faults::{Fault, faults_of_log, nemesis_faults};
pub use file_kind::FileKind;
pub use html::html;
pub use scene::{Scene, Story};
pub use server::{Response, Server, ServerError};
pub use sources::{SourceExcerpt, SourceFinder};
pub use timeline::{Timeline, TimelineBuilder};
