//! A specification with its configuration, as commands that explore it take it.

use std::fmt;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use omnilink_mc::Evaluators;
use omnilink_report::shell_word;
use omnilink_tla::model::CompiledSpec;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_verify::SpecSource;

use crate::error::CliError;
use crate::pluscal::PlusCalChoice;

/// A specification and the values of its constants.
#[derive(Clone, Debug, Args)]
pub(crate) struct SpecArgs {
    /// The specification; its configuration is the .cfg of the same name next to it unless --config names another
    #[arg(value_name = "SPEC.tla")]
    pub(crate) spec: PathBuf,
    /// The configuration
    #[arg(long, value_name = "FILE.cfg")]
    pub(crate) config: Option<PathBuf>,
    /// The value of a constant, which counts more than the configuration's; may be given several times
    #[arg(long = "const", value_name = "NAME=EXPR", value_parser = named_expression)]
    pub(crate) constants: Vec<(String, String)>,
    /// A folder to look for modules in, after the specification's own
    #[arg(short = 'L', long = "library", value_name = "FOLDER")]
    libraries: Vec<PathBuf>,
    /// Which translation of a PlusCal algorithm to read
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pluscal: PlusCalChoice,
}

/// A name and an expression: `N=3`.
pub(crate) fn named_expression(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(format!(
            "\"{text}\" is no NAME=EXPR; write N=3 or 'Procs={{p1, p2}}'"
        )),
    }
}

impl SpecArgs {
    /// The name of the specification.
    pub(crate) fn name(&self) -> String {
        let stem = self.spec.file_stem().unwrap_or(self.spec.as_os_str());
        stem.to_string_lossy().into_owned()
    }

    /// The options with which it is read, as they are typed after its name.
    pub(crate) fn words(&self) -> String {
        let path = |path: &PathBuf| shell_word(&path.display().to_string()).into_owned();
        let config = self
            .config
            .iter()
            .map(|config| format!(" --config {}", path(config)));
        let constants = self.constants.iter();
        let constants =
            constants.map(|(name, value)| format!(" --const {}", shell_word(&format!("{name}={value}"))));
        let libraries = self
            .libraries
            .iter()
            .map(|folder| format!(" -L {}", path(folder)));
        config.chain(constants).chain(libraries).collect()
    }

    /// The specification, with these expressions over its states.
    pub(crate) fn source(&self, expressions: &[String]) -> SpecSource {
        SpecSource {
            spec: self.spec.clone(),
            config: self.config.clone(),
            constants: self.constants.clone(),
            search: SearchPath::new(self.libraries.iter().cloned()).with_pluscal(self.pluscal.into()),
            expressions: expressions.to_vec(),
            ..SpecSource::default()
        }
    }

    /// The specification, ready to be explored, with these expressions over its states.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn build(&self, expressions: &[String]) -> Result<CompiledSpec, CliError> {
        let built = self.source(expressions).build();
        built
            .map(|built| built.model)
            .map_err(|refused| CliError::Usage(refused.text()))
    }
}

/// What computes the steps of a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvaluatorChoice {
    /// Compiled code; a sample of what it finds is compared with the evaluator
    Compiled,
    /// The evaluator alone, which is slower
    Interpreter,
    /// Both, and all that compiled code finds is compared
    Both,
}

impl EvaluatorChoice {
    /// What was chosen, or else what the environment says.
    pub(crate) fn evaluators(choice: Option<Self>) -> Evaluators {
        match choice {
            None => Evaluators::of_environment(),
            Some(Self::Compiled) => Evaluators::Compiled,
            Some(Self::Interpreter) => Evaluators::Interpreter,
            Some(Self::Both) => Evaluators::Both,
        }
    }
}

impl fmt::Display for EvaluatorChoice {
    /// As it is given on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compiled => "compiled",
            Self::Interpreter => "interpreter",
            Self::Both => "both",
        })
    }
}
