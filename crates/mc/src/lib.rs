//! Explores the states of a TLA+ specification and shows how a property breaks.
//!
//! The decision of this crate is **one answer for any number of workers**: a search by levels whose counts, levels and
//! counterexample are those that a single worker would have found, in every run. It costs that finds are entered in the order of
//! the states that led to them; it buys results that can be compared, with TLC's and with yesterday's.
//!
//! The second is **nothing kept but fingerprints**: 64 bits of a state and half of its parent's, 15 to 23 bytes a state. States
//! that wait are bytes, in memory or on disk. A counterexample is walked again from the initial states. Given up: states
//! whose fingerprints collide are taken for one, as in TLC.
//!
//! What is explored is a [`Machine`]; [`check`] makes one of a TLA+ model, and puts assumptions, counterexample and postconditions
//! around the search. The searches ([`breadth_first`], [`depth_first`], [`simulate`]) know nothing of TLA+.
//!
//! ```
//! use omnilink_mc::{CheckOptions, Live, check, report::Verdict};
//! use omnilink_tla::model::{BuildOptions, build};
//! use omnilink_tla::semantics::{load_text, search_path::SearchPath};
//!
//! let text = "---- MODULE Clock ----\nEXTENDS Naturals\nVARIABLE hr\nInit == hr = 1\nNext == hr' = (hr % 12) + 1\n====";
//! let loaded = load_text("Clock.tla".as_ref(), text.into(), &SearchPath::default());
//! let model = build(loaded.spec, &Default::default(), &BuildOptions::default()).expect("a correct spec");
//! let report = check(&model, "Clock", &CheckOptions::default(), &Live::default(), &|_| {}, None)?;
//! assert_eq!(report.verdict(), Verdict::Valid);
//! assert_eq!(report.figures.distinct, 12);
//! # Ok::<(), omnilink_mc::CheckError>(())
//! ```

mod alone;
mod books;
mod breadth_first;
mod check;
mod claims;
mod codec;
mod crew;
mod depth_first;
mod described;
mod dump;
mod expand;
mod explorer;
mod fingerprint;
mod levels;
mod limits;
mod live;
mod machine;
mod outcome;
mod pace;
mod path;
mod random;
pub mod report;
mod seen;
mod session;
mod sieve;
mod simulate;
mod spec_machine;
mod symmetry;
mod waiting;
mod window;

pub use breadth_first::{Search, breadth_first};
pub use check::{CheckError, CheckOptions, Mode, check};
pub use codec::Garbled;
pub use depth_first::depth_first;
pub use dump::{Dump, DumpFormat, GraphSink};
pub use fingerprint::{Fingerprint, Tag};
pub use limits::{Limit, Limits};
pub use live::Live;
pub use machine::{FoundState, FoundStep, Machine, State};
pub use outcome::{Breach, End, Exploration, Figures, SearchError, Taken, Wrong};
pub use path::{PathState, path_to};
pub use seen::SeenStates;
pub use simulate::{Draw, Drawn, Simulation, simulate};
pub use symmetry::{Symmetry, SymmetryError};
