//! `omnilink check` for less than linearizability: arguments, and what is printed.

use std::path::{Path, PathBuf};

use clap::Args;
use omnilink_consistency::{Guarantee, MethodLevels, Ret, parse_axioms};
use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_isolation::{InitialValues, Isolation, LiveTransactionCheck};
use omnilink_report::{Look, TextOptions, text};
use omnilink_trace::OpenOptions;
use omnilink_value::Value;
use omnilink_verify::{
    Following, Input, WeakTask, holds_histories, holds_transactions, holds_workload, tells_its_own_order,
};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::reports::EvidenceFile;

/// What is asked beyond a level's name.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct WeakArgs {
    /// Check the axioms in this file: see docs/consistency.md
    #[arg(long, value_name = "FILE", help_heading = WEAK, conflicts_with_all = ["consistency", "levels", "infer"])]
    axioms: Option<PathBuf>,
    /// Check each method at the level that this file gives it; with --infer, only the levels of the other methods are found
    #[arg(long, value_name = "FILE", help_heading = WEAK, conflicts_with = "consistency")]
    levels: Option<PathBuf>,
    /// Find the strongest level of each method that all histories satisfy; of transactions, every level of isolation that holds
    #[arg(long, help_heading = WEAK, conflicts_with = "consistency")]
    infer: bool,
    /// What keys hold before the first transaction: a value, first-read (what nobody writes and is read first), or a JSON file with an object of keys; if not given, nothing, except for keys that nobody writes
    #[arg(long, value_name = "VALUE|first-read|FILE", help_heading = WEAK, value_parser = initial_values)]
    pub(super) initial: Option<InitialValues>,
    /// Check while the history is being written: a file until Ctrl-C, a pipe until it ends; stops at the first violation
    #[arg(long, help_heading = WEAK, conflicts_with_all = ["infer", "axioms", "levels"])]
    pub(super) follow: bool,
    /// With --follow: how many transactions are kept, each half of which is checked together with the next
    #[arg(long, value_name = "N", help_heading = WEAK, requires = "follow", default_value_t = LiveTransactionCheck::WINDOW as u32, value_parser = clap::value_parser!(u32).range(2..))]
    window: u32,
    /// Whose returns must follow from what is seen: own (the operation's) or all (those of all it sees, too)
    #[arg(long, value_name = "READING", default_value = "own", help_heading = WEAK)]
    pub(super) ret: Ret,
}

const WEAK: &str = "Weak consistency";

impl WeakArgs {
    /// How transactions are followed.
    pub(super) fn following(
        &self,
        consistency: &str,
        limits: Limits,
        reading: OpenOptions,
    ) -> Result<Following, CliError> {
        let isolation = consistency.parse::<Isolation>().map_err(|_| {
            CliError::Usage(format!(
                "--follow checks transactions, and {consistency} is no level of isolation: give --consistency serializable, or \
                 another one of docs/transactions.md; single operations of a pipe are checked as they come without it"
            ))
        })?;
        Ok(Following {
            isolation,
            initial: self.initial.clone().unwrap_or_default(),
            window: self.window as usize,
            limits,
            reading,
        })
    }

    /// The task, or `None` for linearizability or sequential consistency of timeboxes, which the engine checks.
    pub(super) fn task(
        &self,
        consistency: &str,
        has_no_model: bool,
        inputs: &[Input],
    ) -> Result<Option<WeakTask>, CliError> {
        let bad = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
        // Looks into the inputs, so only where it matters: a pipe may have nothing yet.
        let has_transactions = || has_no_model && inputs.iter().any(holds_transactions);
        let levels = match &self.levels {
            Some(path) => {
                let levels = MethodLevels::parse(&path.display().to_string(), &read(path)?);
                Some(levels.map_err(|error| bad(&error))?)
            }
            None => None,
        };
        if self.infer {
            // Without a model, nothing else can be meant.
            let is_workload = || has_no_model && inputs.iter().any(holds_workload);
            return Ok(Some(match (has_transactions() || is_workload(), levels) {
                (true, None) => WeakTask::InferIsolation,
                (true, Some(_)) => {
                    return Err(CliError::Usage(
                        "transactions have levels as a whole, not by method; drop --levels".to_owned(),
                    ));
                }
                (false, levels) => WeakTask::Infer(levels.unwrap_or_default()),
            }));
        }
        if let Some(path) = &self.axioms {
            let criterion =
                parse_axioms(&path.display().to_string(), &read(path)?).map_err(|error| bad(&error))?;
            return Ok(Some(WeakTask::Judge(Guarantee::Axioms(criterion))));
        }
        if let Some(levels) = levels {
            return Ok(Some(WeakTask::Judge(Guarantee::Levels(levels))));
        }
        let mut question = Guarantee::from_name(consistency).map_err(|error| bad(&error))?;
        // Some names are levels of single operations and of transactions: what is in the file decides.
        if let (Guarantee::Level(_), Ok(isolation)) = (&question, consistency.parse::<Isolation>())
            && has_transactions()
        {
            question = Guarantee::Isolation(isolation);
        }
        let is_for_the_engine = matches!(consistency, "linearizable" | "sequential")
            && !inputs.iter().any(holds_histories)
            && !inputs.iter().any(tells_its_own_order);
        Ok((!is_for_the_engine).then_some(WeakTask::Judge(question)))
    }
}

/// `--initial`: a value, `first-read`, or a file with the values of keys.
fn initial_values(text: &str) -> Result<InitialValues, String> {
    if text == "first-read" {
        return Ok(InitialValues::FirstRead);
    }
    if let Ok(value) = Value::from_json(text.as_bytes()) {
        return Ok(InitialValues::All(value));
    }
    let json = std::fs::read(text).map_err(|error| {
        format!("{error}; give a value as JSON, such as 0 or \"\\\"text\\\"\", first-read, or a file with an object of keys and values")
    })?;
    let held = Value::from_json(&json).map_err(|error| format!("{text}: {error}; give a JSON object"))?;
    let Some(fields) = held.as_record() else {
        return Err(format!(
            "{text} holds {held}; give an object of keys and values, such as {{\"x\": 0}}"
        ));
    };
    // JSON's names are texts, also of keys that are numbers.
    let both = fields.iter().flat_map(|(name, value)| {
        let number = name.parse().ok().map(Value::int);
        let keys = [Some(Value::from(name)), number].into_iter().flatten();
        keys.map(move |key| (key, value.clone()))
    });
    Ok(InitialValues::Each(both.collect()))
}

/// The text of a file that the user named.
fn read(path: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(path)
        .map_err(|error| CliError::Usage(format!("{}: {error}; give a text file", path.display())))
}

/// Prints the answers of weak checks, and keeps them for `--evidence` and `--witness`.
pub(super) struct WeakReports<'a> {
    pub(super) is_json: bool,
    pub(super) look: &'a Look,
    pub(super) out: &'a mut Output,
    pub(super) evidence: Option<EvidenceFile<'a>>,
    pub(super) witness: Option<EvidenceFile<'a>>,
    pub(super) worst: Exit,
}

impl WeakReports<'_> {
    /// Prints the evidence of one history.
    pub(super) fn add(&mut self, evidence: &Evidence) -> Result<(), CliError> {
        self.worst = self.worst.max(Exit::of(evidence.verdict));
        let json = evidence.to_json();
        if let Some(file) = &mut self.evidence {
            file.add(&json);
        }
        if let Some(file) = self
            .witness
            .as_mut()
            .filter(|_| evidence.verdict == Verdict::Valid)
        {
            file.add(&json);
        }
        if let Some(error) = &evidence.error {
            output::error(error);
        }
        if self.is_json {
            return self.out.print(&format!("{json}\n"));
        }
        evidence.notes.iter().for_each(|note| output::note(note));
        match evidence.verdict {
            Verdict::Error => Ok(()),
            _ => self.out.print(&text(evidence, &TextOptions::from(*self.look))),
        }
    }

    /// Writes the files; the worst of all answers.
    pub(super) fn finish(self) -> Result<Exit, CliError> {
        if let Some(evidence) = self.evidence {
            evidence.finish()?;
        }
        match self.witness {
            Some(witness) if !witness.is_empty() => witness.finish()?,
            Some(_) => output::note(&"there is no explanation, so no witness was written"),
            None => {}
        }
        Ok(self.worst)
    }
}
