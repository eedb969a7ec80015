//! How far a campaign came before it was stopped.

use omnilink_report::count;

/// How far a campaign came with matrices of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartCoverage {
    /// Which matrices these are, in words.
    pub name: String,
    /// The passes over them, in order.
    pub passes: Vec<PassCoverage>,
}

impl PartCoverage {
    /// In words, if there are such matrices.
    pub(crate) fn text(&self) -> Option<String> {
        let passes = self.passes.iter().filter(|pass| pass.of > 0);
        let passes: Vec<String> = passes
            .map(|pass| {
                let matrices = format!("{} of {}", count(pass.matrices), count(pass.of));
                match pass.bound {
                    Some(1) => format!("{matrices} with at most 1 preemption"),
                    Some(bound) => format!("{matrices} with at most {bound} preemptions"),
                    None => matrices,
                }
            })
            .collect();
        (!passes.is_empty()).then(|| format!("{}: {}", self.name, passes.join(", ")))
    }
}

/// How far a pass over matrices came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassCoverage {
    /// The bound on preemptions, if there is one.
    pub bound: Option<u32>,
    /// Matrices that were checked with it.
    pub matrices: u64,
    /// The number of matrices, or an upper bound of it.
    pub of: u64,
}
