//! The tool `mc`.

use std::collections::BTreeMap;

use super::{Arguments, Site, evidence_max, flag, option, specification};
use crate::call::{Call, Prints};
use crate::limits::LimitArguments;

arguments! {
    /// A specification whose states are to be explored.
    pub(super) struct McArguments {
        /// The specification: a .tla file, also with a PlusCal algorithm
        spec: String,
        /// The configuration; the .cfg of the same name beside it if not given
        config: Option<String>,
        /// Values of constants, as TLA+ expressions, which count more than the configuration's
        constants: BTreeMap<String, String>,
        /// Folders to look for modules in, after the specification's own
        library: Vec<String>,
        /// How many threads; 1 if not given. The answer does not depend on it
        workers: Option<u16>,
        /// Generate so many random behaviours instead of exploring all states
        simulate: Option<u64>,
        /// The deepest level to explore; the length of simulated behaviours
        depth: Option<u32>,
        /// What decides random choices
        seed: Option<u64>,
        /// Whether a state without successors is a violation; the configuration says it if not given
        deadlock: Option<bool>,
        /// Report one violation of each property, not only the first
        r#continue: bool,
        /// Expressions to show in each state of a counterexample
        expressions: Vec<String>,
        /// Let the specification run commands (IOExec); needs a server that allows it
        allow_exec: bool,
        /// The most bytes of evidence in the answer: 24000 if not given, 0 for none, at most 1000000
        evidence_max: Option<usize>,
        /// When to give up
        limits: Option<LimitArguments>,
    }
}

impl Arguments for McArguments {
    const NAME: &'static str = "mc";
    const TITLE: &'static str = "Explore a specification";
    const DESCRIPTION: &'static str = "Model checks a TLA+ specification as TLC does: explores its states, and checks its invariants, \
        properties (safety and liveness) and deadlock. The verdict is valid, violation or unknown. A violation comes with a \
        counterexample that shows what changed in each step, and which part of the property is false.";

    fn call(self, site: &Site<'_>) -> Result<Call, String> {
        let limits = site.limits(self.limits.as_ref())?;
        let executes = site.executes(self.allow_exec)?;
        let mut words = vec!["mc".to_owned(), "--json".to_owned()];
        words.extend(limits.words());
        specification::config(&mut words, self.config.as_deref(), site)?;
        specification::constants(&mut words, &self.constants)?;
        specification::library(&mut words, &self.library, site)?;
        option(&mut words, "workers", self.workers);
        option(&mut words, "simulate", self.simulate);
        option(&mut words, "depth", self.depth);
        option(&mut words, "seed", self.seed);
        flag(&mut words, "deadlock", self.deadlock == Some(true));
        flag(&mut words, "no-deadlock", self.deadlock == Some(false));
        flag(&mut words, "continue", self.r#continue);
        for expression in &self.expressions {
            option(&mut words, "expr", Some(expression));
        }
        flag(&mut words, "allow-exec", executes);
        words.push("--".to_owned());
        words.push(site.path(&self.spec)?);
        Ok(Call {
            words,
            prints: Prints::Evidence,
            executes,
            limits,
            file: None,
            evidence_max: evidence_max(self.evidence_max),
        })
    }
}
