//! Checking of spec files, the library side of `omnilink tla check`.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::{self, Config};
use crate::diagnostic::{Class, Diagnostic, render, to_json};
use crate::expressions;
use crate::model::PLUSCAL_DEFAULT;
use crate::semantics::search_path::{SearchPath, read_text, unreadable};
use crate::semantics::spec::Spec;
use crate::semantics::{Loaded, load};
use crate::source::{Source, Span};

/// Options of [`check()`].
#[derive(Clone, Debug, Default)]
pub struct SpecOptions {
    /// The folders searched for modules, after the spec's own.
    pub search: SearchPath,
    /// A configuration to check together with the spec.
    pub config: Option<PathBuf>,
    /// Expressions that the spec is to define, for [`crate::model::BuildOptions::expressions`].
    pub expressions: Vec<String>,
    /// Constants that are given their values in another way than by the configuration.
    pub constants: Vec<String>,
    /// What the configuration is to have besides.
    pub checks: Vec<GivenCheck>,
}

/// A line of a configuration that is given by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenCheck {
    /// What it is.
    pub kind: CheckKind,
    /// The name of a definition, or an expression.
    pub text: String,
}

/// The kinds of lines that are given by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// INVARIANT.
    Invariant,
    /// PROPERTY.
    Property,
    /// CONSTRAINT.
    Constraint,
    /// VIEW.
    View,
}

impl GivenCheck {
    fn keyword(&self) -> &'static str {
        match self.kind {
            CheckKind::Invariant => "INVARIANT",
            CheckKind::Property => "PROPERTY",
            CheckKind::Constraint => "CONSTRAINT",
            CheckKind::View => "VIEW",
        }
    }

    fn is_name(&self) -> bool {
        let mut letters = self.text.trim().chars();
        letters.all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '!')
    }
}

/// A spec, its configuration if there is one, and the diagnostics of both.
#[derive(Debug)]
pub struct Checked {
    /// The spec; complete if [`Checked::is_ok`].
    pub spec: Spec,
    /// The configuration.
    pub config: Option<Config>,
    /// Errors and warnings, in the order of the text within each file.
    pub diagnostics: Vec<Diagnostic>,
    /// The expressions among the checks that were given, with the names of the definitions that they became.
    pub given: Vec<(String, String)>,
}

impl Checked {
    /// Whether there is no error.
    pub fn is_ok(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads and checks one spec.
pub fn check(path: &Path, options: &SpecOptions) -> Checked {
    let Loaded {
        mut spec,
        mut diagnostics,
    } = load(path, &options.search);
    let mut defined = options.expressions.clone();
    let (mut given, mut lines) = (Vec::new(), String::new());
    for check in &options.checks {
        let text = check.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if check.is_name() {
            lines += &format!("{} {text}\n", check.keyword());
            continue;
        }
        let name = expressions::definition_name(defined.len());
        defined.push(check.text.clone());
        // The comment is for those who read of a mistake in this line.
        lines += &format!("{} {name} \\* {text}\n", check.keyword());
        given.push((name, text));
    }
    if !defined.is_empty() && !diagnostics.iter().any(Diagnostic::is_error) {
        let plain = options.expressions.len();
        let loaded = expressions::load_with(&spec, path, &options.search, &defined, plain);
        if let Some(loaded) = loaded {
            Loaded { spec, diagnostics } = loaded;
        }
    }
    let loaded = !diagnostics.iter().any(Diagnostic::is_error);
    let own = spec.root().and_then(|root| {
        let text = spec.sources.get(spec.tree(root.tree).source).text();
        config::config_section(text, spec.names.text(root.name))
    });
    // A configuration file takes precedence over a configuration inside the spec's file.
    let place = options
        .config
        .clone()
        .or_else(|| own.is_some().then(|| path.to_owned()))
        .or_else(|| (!lines.is_empty()).then(|| COMMAND_LINE.into()));
    let config = place.as_deref().map(|place| {
        let (text, error) = match own.filter(|_| place == path) {
            Some(section) => (section, None),
            None if place == Path::new(COMMAND_LINE) => (behaviour(&spec, &options.checks), None),
            None => match read_text(place) {
                // The configuration in a module's file, by the name of that file, as TLC has it.
                Ok(text) if place.extension().is_some_and(|extension| extension == "tla") => {
                    let module = place.file_stem().and_then(|stem| stem.to_str());
                    let section = config::config_section(&text, module.unwrap_or_default());
                    match section {
                        Some(section) => (section, None),
                        None => (String::new(), Some(io::Error::other("it has no section CONFIG"))),
                    }
                }
                Ok(text) => (text, None),
                Err(error) => (String::new(), Some(error)),
            },
        };
        let path = place;
        let text = match lines.is_empty() {
            true => text,
            false => format!("{}\n{lines}", text.trim_end()),
        };
        let source = spec.sources.add(Source::new(path, text));
        if let Some(error) = error {
            let message = unreadable(path, &error);
            let diagnostic = Diagnostic::error(Class::Config, source, Span::default(), message);
            diagnostics.push(diagnostic.help("give the path of a `.cfg` file"));
            return Config::default();
        }
        let config = config::parse(source, spec.sources.get(source).text(), &mut diagnostics);
        if loaded && !diagnostics.iter().any(Diagnostic::is_error) {
            let mut given = options.constants.clone();
            // It is a model value unless it is given a value.
            given.push(PLUSCAL_DEFAULT.to_owned());
            config.check(&spec, &given, &mut diagnostics);
        }
        config
    });
    diagnostics.sort_by_key(|d| (d.source, d.span.start));
    for diagnostic in &mut diagnostics {
        for (name, text) in &given {
            diagnostic.message = diagnostic.message.replace(name, text);
        }
    }
    Checked {
        spec,
        config,
        diagnostics,
        given,
    }
}

/// What stands for a configuration where there are only checks that were given.
const COMMAND_LINE: &str = "<command line>";

/// The behaviours of a spec without a configuration: with a temporal property those of `Spec`, which may be fair.
fn behaviour(spec: &Spec, checks: &[GivenCheck]) -> String {
    let has_property = checks.iter().any(|check| check.kind == CheckKind::Property);
    let has = |name: &str| spec.find(name).is_some();
    match (has("Init") && has("Next"), has("Spec")) {
        (is_plain, true) if has_property || !is_plain => "SPECIFICATION Spec".to_owned(),
        (true, _) => "INIT Init\nNEXT Next".to_owned(),
        _ => String::new(),
    }
}

/// All diagnostics as text, with a summary in the last line.
pub fn render_text(path: &Path, checked: &Checked) -> String {
    let mut out: String = checked
        .diagnostics
        .iter()
        .map(|d| format!("{}\n", render(d, &checked.spec.sources)))
        .collect();
    let errors = checked.diagnostics.iter().filter(|d| d.is_error()).count();
    let warnings = checked.diagnostics.len() - errors;
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let verdict = match (errors, warnings) {
        (0, 0) => "ok".to_owned(),
        (0, warnings) => format!("ok, {}", plural(warnings, "warning")),
        (errors, 0) => plural(errors, "error"),
        (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    };
    out.push_str(&format!("{}: {verdict}\n", path.display()));
    out
}

/// One JSON object: `input`, `verdict` (`valid` or `error`), `modules` and `diagnostics`.
pub fn render_json(path: &Path, checked: &Checked) -> serde_json::Value {
    let spec = &checked.spec;
    let modules: Vec<&str> = spec
        .modules
        .iter()
        .map(|module| spec.names.text(module.name))
        .collect();
    let diagnostics: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|d| to_json(d, &spec.sources))
        .collect();
    serde_json::json!({
        "input": path.display().to_string(),
        "verdict": if checked.is_ok() { "valid" } else { "error" },
        "modules": modules,
        "diagnostics": diagnostics,
    })
}
