//! What histories are to be explained by, if not by the component itself: a shipped model or a TLA+ specification.

use std::path::{Path, PathBuf};

use clap::Args;
use omnilink_consistency::{Guarantee, MethodLevels, parse_axioms};
use omnilink_lineup::CorrectnessCondition;
use omnilink_verify::LineupSubject;

use crate::error::CliError;
use crate::linking::Linking;
use crate::output;

/// What explains histories, as arguments.
#[derive(Debug, Args)]
pub(super) struct SpecificationArgs {
    /// Check against this model instead of the component's own serial runs, such as queue:capacity=2
    #[arg(long, short, value_name = "NAME[:OPT=VAL,…]", conflicts_with = "spec")]
    model: Option<String>,
    /// Check against a TLA+ specification: the call `Push(1)` is its action `Push`
    #[arg(long, value_name = "SPEC.tla")]
    spec: Option<PathBuf>,
    #[command(flatten)]
    linking: Linking,
    /// linearizable or sequential; with a model or a specification also causal, weak, read-my-writes …
    #[arg(long, value_name = "LEVEL", default_value = "linearizable")]
    consistency: String,
    /// Check the axioms in this file: see docs/consistency.md
    #[arg(long, value_name = "FILE", conflicts_with_all = ["consistency", "levels"])]
    axioms: Option<PathBuf>,
    /// Check each method at the level that this file gives it
    #[arg(long, value_name = "FILE", conflicts_with = "consistency")]
    levels: Option<PathBuf>,
}

impl SpecificationArgs {
    /// Finds out what is asked for.
    pub(super) fn subject(&self) -> Result<LineupSubject, CliError> {
        let condition = self.condition()?;
        self.linking.needs(self.spec.as_ref())?;
        Ok(match (&self.model, &self.spec) {
            (Some(model), _) => LineupSubject::of_model(model, condition)?,
            (None, Some(path)) => {
                LineupSubject::of_spec(path, self.linking.options(path)?, condition, output::note)?
            }
            (None, None) => LineupSubject::itself(condition)?,
        })
    }

    /// The arguments that repeat this choice, with a blank in front; without the constants of a specification.
    pub(super) fn arguments(&self) -> String {
        let mut arguments = String::new();
        let mut say = |option: &str, value: &dyn std::fmt::Display| {
            arguments.push_str(&format!(" --{option} {value}"));
        };
        if let Some(model) = &self.model {
            say("model", model);
        }
        for (option, path) in [
            ("spec", &self.spec),
            ("axioms", &self.axioms),
            ("levels", &self.levels),
        ] {
            if let Some(path) = path {
                say(option, &path.display());
            }
        }
        if self.consistency != "linearizable" {
            say("consistency", &self.consistency);
        }
        arguments
    }

    fn condition(&self) -> Result<CorrectnessCondition, CliError> {
        let bad = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
        let text = |path: &Path| {
            std::fs::read_to_string(path)
                .map_err(|error| CliError::Usage(format!("{}: {error}; give a text file", path.display())))
        };
        let question = match (&self.axioms, &self.levels) {
            (Some(path), _) => Guarantee::Axioms(
                parse_axioms(&path.display().to_string(), &text(path)?).map_err(|error| bad(&error))?,
            ),
            (None, Some(path)) => Guarantee::Levels(
                MethodLevels::parse(&path.display().to_string(), &text(path)?)
                    .map_err(|error| bad(&error))?,
            ),
            (None, None) => {
                return CorrectnessCondition::from_name(&self.consistency).map_err(|error| bad(&error));
            }
        };
        Ok(CorrectnessCondition::Weak(question))
    }
}
