//! The tools `tla_check` and `tla_eval`.

use std::collections::BTreeMap;

use super::{Arguments, Site, evidence_max, flag, option, specification};
use crate::call::{Call, Prints, SCRATCH};
use crate::limits::LimitArguments;

/// A longer expression is in a file: the words of a command line have a length.
const EXPRESSION_MAX: usize = 32 << 10;
const EXPRESSION_FILE: &str = "expression.txt";

arguments! {
    /// Specifications to read.
    pub(super) struct TlaCheckArguments {
        /// Specifications: .tla files, each on its own
        files: Vec<String>,
        /// A configuration that belongs to the specification
        config: Option<String>,
        /// Folders to look for modules in, after the specification's own
        library: Vec<String>,
        /// When to give up
        limits: Option<LimitArguments>,
    }
}

impl Arguments for TlaCheckArguments {
    const NAME: &'static str = "tla_check";
    const TITLE: &'static str = "Check TLA+ modules";
    const DESCRIPTION: &'static str = "Says what is wrong with TLA+ specifications: syntax, names, levels, arities, the translation of a \
        PlusCal algorithm, and the configuration. Each problem has its place, the line of source, and what to do. The verdict is \
        valid or error.";

    fn call(self, site: &Site<'_>) -> Result<Call, String> {
        if self.files.is_empty() {
            return Err("give files: paths of .tla files".to_owned());
        }
        let mut words = ["tla", "check", "--json"].map(str::to_owned).to_vec();
        specification::config(&mut words, self.config.as_deref(), site)?;
        specification::library(&mut words, &self.library, site)?;
        words.push("--".to_owned());
        words.extend(site.paths(&self.files)?);
        Ok(Call {
            words,
            prints: Prints::Diagnostics,
            executes: false,
            limits: site.limits(self.limits.as_ref())?,
            file: None,
            evidence_max: evidence_max(None),
        })
    }
}

arguments! {
    /// An expression to evaluate.
    pub(super) struct TlaEvalArguments {
        /// A constant expression, such as {x \in 1..20 : x % 3 = 0}; all built-in modules are there if no file is given
        expression: String,
        /// A specification whose definitions the expression uses
        file: Option<String>,
        /// A configuration that gives the specification's constants their values
        config: Option<String>,
        /// Values of constants, as TLA+ expressions, which count more than the configuration's
        constants: BTreeMap<String, String>,
        /// Folders to look for modules in, after the specification's own
        library: Vec<String>,
        /// Let the expression run commands (IOExec); needs a server that allows it
        allow_exec: bool,
        /// When to give up
        limits: Option<LimitArguments>,
    }
}

impl Arguments for TlaEvalArguments {
    const NAME: &'static str = "tla_eval";
    const TITLE: &'static str = "Evaluate a TLA+ expression";
    const DESCRIPTION: &'static str = "Evaluates a constant TLA+ expression, as TLC does, and gives its value. With a file, the expression \
        may use the definitions of that specification, and its constants as a configuration gives them. Without one, it may use \
        the standard and community modules.";

    fn call(self, site: &Site<'_>) -> Result<Call, String> {
        let limits = site.limits(self.limits.as_ref())?;
        let executes = site.executes(self.allow_exec)?;
        let mut words = ["tla", "eval", "--json"].map(str::to_owned).to_vec();
        words.extend(limits.words());
        option(
            &mut words,
            "in",
            self.file.map(|file| site.path(&file)).transpose()?,
        );
        specification::config(&mut words, self.config.as_deref(), site)?;
        specification::constants(&mut words, &self.constants)?;
        specification::library(&mut words, &self.library, site)?;
        flag(&mut words, "allow-exec", executes);
        let file = if self.expression.len() > EXPRESSION_MAX {
            words.push(format!("--from={SCRATCH}/{EXPRESSION_FILE}"));
            Some((EXPRESSION_FILE, self.expression))
        } else {
            words.extend(["--".to_owned(), self.expression]);
            None
        };
        Ok(Call {
            words,
            prints: Prints::Value,
            executes,
            limits,
            file,
            evidence_max: evidence_max(None),
        })
    }
}
