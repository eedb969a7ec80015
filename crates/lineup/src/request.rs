//! What to check.

use crate::alphabet::Alphabet;
use crate::options::LineupOptions;
use crate::specification::Specification;

/// What to check, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The calls of the component.
    pub alphabet: &'a Alphabet,
    /// The options.
    pub options: &'a LineupOptions,
    /// The specification, if it is not the component's serial runs.
    pub specification: Option<&'a Specification>,
}

/// Called after each run, to show progress.
pub type Tick<'a> = &'a mut (dyn FnMut() + Send);
