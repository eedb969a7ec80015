//! The names that setups made for OmniLink use: see [`crate::omnilink_setup`].

/// The variables that only exist to check traces.
pub(crate) const TRANSIENT: [&str; 3] = ["__pc", "__viable_pids", "__action"];
/// The parameter that is the operation itself.
pub(crate) const EVENT: &str = "__event";
/// Fields that OmniLink's logs keep with the arguments and that are none.
pub(crate) const BOOKKEEPING: [&str; 4] = ["_meta", "_did_abort", "_op_start", "_op_end"];
/// How the names of generated actions begin.
pub(crate) const GENERATED: &str = "__Op_";
/// How definitions for tags begin.
pub(crate) const TAG: &str = "__TAG_";
/// All operations of all threads, as a constant.
pub(crate) const TRACES: &str = "__traces";
/// The step after all operations, as reports call it.
pub(crate) const END: &str = "end of trace";
