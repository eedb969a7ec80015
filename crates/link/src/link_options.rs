//! Everything that a link consists of besides the spec.

use std::path::PathBuf;

use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla_compile::Evaluators;
use omnilink_value::Value;

use crate::link_file::LinkFile;

/// The configuration, constants and link file of a spec.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// The configuration.
    pub config: Option<PathBuf>,
    /// Where modules are looked for, after the spec's own folder.
    pub search: SearchPath,
    /// Constants as TLA+ expressions.
    pub constants: Vec<(String, String)>,
    /// Constants as values: see [`CollectedConstants`](crate::CollectedConstants).
    pub collected: Vec<(String, Value)>,
    /// What the link file says.
    pub file: LinkFile,
    /// Whether to count which branches of actions are taken and which abstract states are reached: see [`TlaModel::coverage`](crate::TlaModel::coverage). Takes time.
    pub counts_branches: bool,
    /// Whether every step is evaluated, also where its outcome is known without: for tests that compare the two.
    pub evaluates_steps: bool,
    /// Whether every step, and what the analysis says of it, is compared with an evaluation by its definition: for tests. Takes time.
    pub audits: bool,
    /// What computes the steps of the search. Changes the speed, not the result.
    pub evaluators: Evaluators,
}
