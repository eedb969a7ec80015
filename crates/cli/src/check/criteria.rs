//! By what, how, and how long: the options of a check that are the engine's.

use std::time::Duration;

use clap::{Args, ValueEnum};
use omnilink_engine::{Consistency, Limits, Options, Reductions, Strategy};

use crate::error::CliError;
use crate::interrupt;
use crate::quantity;

/// What a check is asked to do, as arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct Criteria {
    /// linearizable, sequential, or less: causal, weak, monotonic-reads, serializable …; see docs/consistency.md
    #[arg(long, value_name = "LEVEL", default_value = LINEARIZABLE)]
    consistency: String,
    /// Which search decides; portfolio unless a weak level is asked for, which is searched depth-first
    #[arg(long, value_name = "STRATEGY", value_enum)]
    strategy: Option<StrategyArg>,
    /// Give up after this long, for each input: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time_limit: Option<Duration>,
    /// Give up when the process holds this much: 512MB, 2GB
    #[arg(long, value_name = "BYTES", value_parser = quantity::memory)]
    memory_limit: Option<u64>,
    /// Give up after this many configurations, for each input
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    config_limit: Option<u64>,
    /// Try every order, with the model as it is defined: no reductions, no analysis, no caches. For small or sequential traces
    #[arg(long, conflicts_with = "strategy", help_heading = REDUCTIONS)]
    naive: bool,
    /// Do not place reads as soon as they are accepted
    #[arg(long, help_heading = REDUCTIONS)]
    no_absorption: bool,
    /// Keep configurations that others reach by placing one more operation
    #[arg(long, help_heading = REDUCTIONS)]
    no_minimal_frontier: bool,
    /// Keep configurations that differ only in reads or in pending operations used
    #[arg(long, help_heading = REDUCTIONS)]
    no_dominance: bool,
    /// Try operations that are alike in every order
    #[arg(long, help_heading = REDUCTIONS)]
    no_symmetry: bool,
    /// Try also operations that cannot matter to the one that must be placed
    #[arg(long, help_heading = REDUCTIONS)]
    no_footprints: bool,
    /// Check parts of the state that never meet together
    #[arg(long, help_heading = REDUCTIONS)]
    no_partitions: bool,
}

const LINEARIZABLE: &str = "linearizable";

const REDUCTIONS: &str = "Reductions, all sound, to be switched off for comparison";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StrategyArg {
    /// The sweep while it is easy, then sweep and depth-first search alternating
    Portfolio,
    /// The event sweep alone: memory is the frontier, whatever the length of the trace
    Sweep,
    /// Depth-first alone: keeps the whole history
    DepthFirst,
    /// A near-linear monitor alone, for registers, queues, stacks, priority queues, sets and bags: refuses what none decides
    Monitor,
}

impl Criteria {
    /// Refuses what makes no sense together.
    pub(crate) fn validate(&self, is_async: bool) -> Result<(), CliError> {
        if is_async && self.consistency == "sequential" {
            let message = "--consistency sequential keeps the order of each thread, and with --async threads have none; \
                           drop one of the two";
            return Err(CliError::Usage(message.to_owned()));
        }
        Ok(())
    }

    /// The reductions of the search over operations that are switched off.
    fn switched_off(&self) -> Vec<&'static str> {
        let switches = [
            ("--no-absorption", self.no_absorption),
            ("--no-minimal-frontier", self.no_minimal_frontier),
            ("--no-dominance", self.no_dominance),
            ("--no-symmetry", self.no_symmetry),
            ("--no-footprints", self.no_footprints),
            ("--no-partitions", self.no_partitions),
        ];
        let given = switches.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(name, _)| name).collect()
    }

    /// What is given and means nothing for logs, with the reason.
    pub(crate) fn refused_for_logs(&self) -> Option<(&'static str, &'static str)> {
        if self.level().is_some() {
            return Some((
                "--consistency",
                "a log is a sequence of steps, and every step is one of the specification; there are no weaker levels of that",
            ));
        }
        if self.strategy.is_some() {
            return Some((
                "--strategy",
                "it chooses between searches for an order of operations",
            ));
        }
        let switch = self.switched_off().first().copied()?;
        Some((
            switch,
            "it is a reduction of the search for an order of operations; --naive decides a log without any",
        ))
    }

    /// Refuses what the search for weak explanations does not have.
    pub(crate) fn validate_weak(&self) -> Result<(), CliError> {
        let naive = self.naive.then_some("--naive");
        let given: Vec<&str> = naive.into_iter().chain(self.switched_off()).collect();
        if self.strategy == Some(StrategyArg::Monitor) {
            let message = "--strategy monitor decides linearizability; what is asked here is searched in another way: drop it";
            return Err(CliError::Usage(message.to_owned()));
        }
        if given.is_empty() {
            return Ok(());
        }
        Err(CliError::Usage(format!(
            "{} is for the search that checks timeboxes for linearizability or sequential consistency; what is asked here is \
             searched in another way: drop it",
            given.join(", ")
        )))
    }

    /// Refuses what the check of transactions does not have.
    pub(crate) fn validate_transactions(&self) -> Result<(), CliError> {
        match self.strategy {
            None => Ok(()),
            Some(_) => Err(CliError::Usage(
                "--strategy is for the search for an order of operations; transactions are checked by their graph, and by a \
                 search of its own where that does not decide: drop it"
                    .to_owned(),
            )),
        }
    }

    /// The strategy that was asked for.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        self.strategy.map(|strategy| match strategy {
            StrategyArg::Portfolio => Strategy::Portfolio,
            StrategyArg::Sweep => Strategy::Sweep,
            StrategyArg::DepthFirst => Strategy::DepthFirst,
            StrategyArg::Monitor => Strategy::Monitor,
        })
    }

    /// These arguments; at another level, if they do not name one.
    #[must_use]
    pub(crate) fn at_level_of(&self, other: &Self) -> Self {
        let mut criteria = self.clone();
        if criteria.consistency == LINEARIZABLE {
            criteria.consistency.clone_from(&other.consistency);
        }
        criteria
    }

    /// The level, if it is not the usual one.
    pub(crate) fn level(&self) -> Option<&str> {
        Some(self.consistency.as_str()).filter(|level| *level != LINEARIZABLE)
    }

    /// The same as a word of a command line.
    pub(crate) fn level_word(&self) -> Option<String> {
        self.level().map(|level| format!("--consistency={level}"))
    }

    /// The level's name.
    pub(crate) fn consistency(&self) -> &str {
        &self.consistency
    }

    /// The same, for the engine; levels other than its own are not for it.
    pub(crate) fn options(&self) -> Options {
        Options {
            consistency: match self.consistency.as_str() {
                "sequential" => Consistency::Sequential,
                _ => Consistency::Linearizable,
            },
            strategy: self.strategy().unwrap_or(Strategy::Portfolio),
            naive: self.naive,
            reductions: Reductions {
                absorption: !self.no_absorption,
                minimal_frontier: !self.no_minimal_frontier,
                dominance: !self.no_dominance,
                symmetry: !self.no_symmetry,
                footprints: !self.no_footprints,
                partitions: !self.no_partitions,
            },
            limits: Limits {
                time: self.time_limit,
                memory_bytes: self.memory_limit,
                configurations: self.config_limit,
                interrupt: Some(interrupt::flag()),
            },
            ..Options::default()
        }
    }
}
