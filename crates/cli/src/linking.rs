//! How traces and a specification belong together, as arguments.

use std::path::{Path, PathBuf};

use clap::Args;
use omnilink_link::{CollectedConstants, LinkFile, LinkOptions};
use omnilink_tla::semantics::search_path::SearchPath;

use crate::error::CliError;
use crate::pluscal::PlusCalChoice;
use crate::spec_args::EvaluatorChoice;

/// How a spec is read, and what belongs to it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Linking {
    /// The spec's configuration; Spec.cfg next to the spec if there is one
    #[arg(long, value_name = "FILE.cfg")]
    config: Option<PathBuf>,
    /// The value of a constant: a TLA+ expression
    #[arg(long = "const", value_name = "NAME=EXPR")]
    constants: Vec<String>,
    /// A constant that is the set of all values of these fields of the trace, such as Keys=key,lo,hi
    #[arg(long, value_name = "NAME=FIELD,…")]
    collect: Vec<String>,
    /// How trace and spec belong together, where names do not say it: see docs/validate.md; Spec.toml next to the spec if there is one
    #[arg(long, value_name = "FILE.toml")]
    link: Option<PathBuf>,
    /// A folder to look for modules in, after the specification's own
    #[arg(short = 'L', long = "library", value_name = "FOLDER")]
    libraries: Vec<PathBuf>,
    /// Which translation of a PlusCal algorithm to read; auto if not given: the one in the file, or a new one if there is none or it is not that of the algorithm
    #[arg(long, value_name = "WHICH", value_enum)]
    pluscal: Option<PlusCalChoice>,
    /// What computes steps; compiled if not given. Changes the speed, not the answer
    #[arg(long, value_name = "WHICH", value_enum)]
    evaluator: Option<EvaluatorChoice>,
}

impl Linking {
    /// The arguments as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let path = |path: &PathBuf| path.display().to_string();
        let given = [
            ("--config", self.config.iter().map(path).collect()),
            ("--const", self.constants.clone()),
            ("--collect", self.collect.clone()),
            ("--link", self.link.iter().map(path).collect()),
            ("--library", self.libraries.iter().map(path).collect::<Vec<_>>()),
            (
                "--pluscal",
                self.pluscal.iter().map(ToString::to_string).collect(),
            ),
            (
                "--evaluator",
                self.evaluator.iter().map(ToString::to_string).collect(),
            ),
        ];
        let pairs = given
            .into_iter()
            .flat_map(|(option, values)| values.into_iter().map(move |value| format!("{option}={value}")));
        pairs.collect()
    }

    /// These arguments, and what they leave open as it was given earlier, in another folder.
    #[must_use]
    pub(crate) fn over(&self, earlier: &Self, folder: &Path) -> Self {
        let found = |path: &PathBuf| found_in(path, folder);
        let name = |text: &String| text.split('=').next().unwrap_or_default().trim().to_owned();
        let joined = |given: &[String], earlier: &[String]| {
            let is_left = |text: &&String| given.iter().all(|other| name(other) != name(text));
            let left = earlier.iter().filter(is_left);
            left.chain(given).cloned().collect::<Vec<_>>()
        };
        Self {
            config: self.config.clone().or_else(|| earlier.config.as_ref().map(found)),
            constants: joined(&self.constants, &earlier.constants),
            collect: joined(&self.collect, &earlier.collect),
            link: self.link.clone().or_else(|| earlier.link.as_ref().map(found)),
            libraries: if self.libraries.is_empty() {
                earlier.libraries.iter().map(found).collect()
            } else {
                self.libraries.clone()
            },
            pluscal: self.pluscal.or(earlier.pluscal),
            evaluator: self.evaluator.or(earlier.evaluator),
        }
    }

    /// What is given and means nothing for logs, with the reason.
    pub(crate) fn refused_for_logs(&self) -> Option<(&'static str, &'static str)> {
        (!self.collect.is_empty()).then_some((
            "--collect",
            "it collects fields of operations; give the constant with --const or --constants, or from lines that describe the run ([log] header, [log.constants])",
        ))
    }

    /// Refuses arguments that only a specification has a use for.
    pub(crate) fn needs(&self, spec: Option<&PathBuf>) -> Result<(), CliError> {
        let words = self.words();
        match (spec, words.first().and_then(|word| word.split('=').next())) {
            (None, Some(option)) => Err(CliError::Usage(format!(
                "{option} belongs to a specification: give --spec SPEC.tla with it"
            ))),
            _ => Ok(()),
        }
    }

    /// The text of the link file; empty if there is none.
    pub(crate) fn link_text(&self, spec: &Path) -> String {
        let path = self.link.clone().unwrap_or_else(|| spec.with_extension("toml"));
        // Whether it can be read is found out where its content is.
        std::fs::read_to_string(path).unwrap_or_default()
    }

    /// The options for linking, with nothing collected yet, and what is to be collected.
    pub(crate) fn options(&self, spec: &Path) -> Result<(LinkOptions, CollectedConstants), CliError> {
        let file = match &self.link {
            Some(path) => LinkFile::read(path)?,
            None => LinkFile::beside(spec)?,
        };
        let mut collection = CollectedConstants::default();
        for (constant, fields) in &file.collect {
            collection.add_fields(constant, fields);
        }
        for text in &self.collect {
            collection.add(text)?;
        }
        collection.add_asked_for_by(spec);
        let mut constants = Vec::new();
        for text in &self.constants {
            let Some((name, expression)) = text.split_once('=') else {
                let message =
                    format!("--const {text}: expected NAME=EXPR, such as N=3 or Nodes={{\"a\",\"b\"}}");
                return Err(CliError::Usage(message));
            };
            constants.push((name.trim().to_owned(), expression.trim().to_owned()));
        }
        let beside = spec.with_extension("cfg");
        let config = match &self.config {
            Some(config) => Some(config.clone()),
            None => beside.is_file().then_some(beside),
        };
        let options = LinkOptions {
            config,
            search: SearchPath::new(self.libraries.iter().cloned())
                .with_pluscal(self.pluscal.unwrap_or_default().into()),
            constants,
            file,
            evaluators: EvaluatorChoice::evaluators(self.evaluator),
            ..LinkOptions::default()
        };
        Ok((options, collection))
    }
}

/// A path as it was given, or below the folder in which it was given, if it is only there.
pub(crate) fn found_in(path: &Path, folder: &Path) -> PathBuf {
    let there = folder.join(path);
    if !path.exists() && there.exists() {
        there
    } else {
        path.to_owned()
    }
}
