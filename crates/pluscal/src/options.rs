//! TranslationOptions of the translator, from the command line and from the file.

use omnilink_tla_syntax::source::Span;

use crate::fault::{AlgorithmError, AlgorithmErrorKind};

/// The version of the reference translator whose translations these are: 1.12.
const VERSION: (u32, u32) = (1, 12);
const NARROWEST: u32 = 60;

/// The fairness of processes that say nothing themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FairnessOption {
    /// `-wf`: weakly fair.
    Weak,
    /// `-sf`: strongly fair.
    Strong,
    /// `-wfNext`: only the whole next-state action is weakly fair.
    Next,
    /// `-nof`: nothing is fair, whatever the algorithm says.
    Off,
}

/// TranslationOptions of the translator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationOptions {
    /// `-wf`, `-sf`, `-wfNext`, `-nof`.
    pub fairness: Option<FairnessOption>,
    /// `-termination`: weakly fair, unless `-nof`.
    pub termination: bool,
    /// `-noDoneDisjunct`: no `Terminating`.
    pub no_done_disjunct: bool,
    /// `-label`, `-reportLabels`: missing labels are added.
    pub adds_labels: bool,
    /// `-labelRoot`: what added labels begin with.
    pub label_root: String,
    /// `-lineWidth`: where lines are broken.
    pub line_width: u32,
}

impl Default for TranslationOptions {
    fn default() -> Self {
        Self {
            fairness: None,
            termination: false,
            no_done_disjunct: false,
            adds_labels: false,
            label_root: "Lbl_".to_owned(),
            line_width: 78,
        }
    }
}

impl TranslationOptions {
    /// TranslationOptions as the reference translator has them on its command line, such as `-wf` and `-labelRoot step_`.
    pub fn from_arguments<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Self, AlgorithmError> {
        let mut options = Self::default();
        let words: Vec<&str> = arguments.into_iter().collect();
        options.read(&words, Origin::CommandLine, Span::default())?;
        Ok(options)
    }

    /// These options together with those in a file. For fairness, the file takes precedence.
    pub fn with_file(&self, text: &str) -> Result<Self, AlgorithmError> {
        let mut options = self.clone();
        let Some((words, span)) = option_words(text)? else {
            return Ok(options);
        };
        options.fairness = None;
        options.read(&words, Origin::File, span)?;
        options.fairness = options.fairness.or(self.fairness);
        Ok(options)
    }

    /// The fairness of processes that say nothing themselves, in the end.
    pub(crate) fn effective_fairness(&self) -> Option<FairnessOption> {
        self.fairness.or(self.termination.then_some(FairnessOption::Weak))
    }

    fn read(&mut self, words: &[&str], origin: Origin, span: Span) -> Result<(), AlgorithmError> {
        let wrong = |message: String, help: &str| {
            Err(AlgorithmError::new(AlgorithmErrorKind::Option, span, message).help(help))
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let option = match (word.strip_prefix('-'), origin) {
                (Some(option), _) => option,
                (None, Origin::File) if *word != "lineWidth" => word,
                (None, _) => return wrong(format!("`{word}` is not an option"), KNOWN),
            };
            match option {
                "wf" => self.set_fairness(FairnessOption::Weak, span)?,
                "sf" => self.set_fairness(FairnessOption::Strong, span)?,
                "wfNext" => self.set_fairness(FairnessOption::Next, span)?,
                "nof" => self.set_fairness(FairnessOption::Off, span)?,
                "termination" => self.termination = true,
                "noDoneDisjunct" => self.no_done_disjunct = true,
                "label" => self.adds_labels = true,
                "reportLabels" if origin == Origin::CommandLine => self.adds_labels = true,
                "unixEOL" if origin == Origin::CommandLine => {}
                "nocfg" | "noold" => {}
                "labelRoot" => {
                    let root = words.next().copied().unwrap_or_default();
                    if !is_identifier(root) {
                        return wrong(
                            format!("`{root}` cannot be the beginning of labels"),
                            "`-labelRoot` needs a letter, and then letters, digits and underscores",
                        );
                    }
                    self.label_root = root.to_owned();
                }
                "lineWidth" => {
                    let width = words.next().copied().unwrap_or_default();
                    match width.parse() {
                        Ok(width) if width >= NARROWEST => self.line_width = width,
                        _ => {
                            return wrong(
                                format!("`{width}` is no width of lines"),
                                "`-lineWidth` needs a number that is at least 60",
                            );
                        }
                    }
                }
                "version" => {
                    let version = words.next().copied().unwrap_or_default();
                    let parts = version.split_once('.');
                    let parsed =
                        parts.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
                    let Some(wanted): Option<(u32, u32)> = parsed else {
                        return wrong(format!("`{version}` is no version"), "write it as `-version 1.5`");
                    };
                    if wanted > VERSION {
                        let message = format!(
                            "the file asks for version {version} of the translator; this one is as 1.12"
                        );
                        return wrong(
                            message,
                            "remove the option `-version`, or give a version up to 1.12",
                        );
                    }
                }
                _ if option.starts_with("spec") || option.starts_with("myspec") => {
                    return wrong(
                        format!("`-{option}` is not supported"),
                        "it makes the reference translator run TLC; leave it out",
                    );
                }
                _ => return wrong(format!("`{word}` is not an option of the translator here"), KNOWN),
            }
        }
        Ok(())
    }

    fn set_fairness(&mut self, fairness: FairnessOption, span: Span) -> Result<(), AlgorithmError> {
        if self.fairness.is_some() {
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::Option,
                span,
                "more than one of -wf, -sf, -wfNext and -nof is given",
            );
            return Err(fault.help("keep one of them"));
        }
        self.fairness = Some(fairness);
        Ok(())
    }
}

const KNOWN: &str = "the options are -wf, -sf, -wfNext, -nof, -termination, -noDoneDisjunct, -label, -labelRoot, -lineWidth, -version, -nocfg \
     and -noold, and on the command line -reportLabels and -unixEOL";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    CommandLine,
    File,
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// The words of `PlusCal options (...)` in a text.
fn option_words(text: &str) -> Result<Option<(Vec<&str>, Span)>, AlgorithmError> {
    for (at, word) in text.match_indices("PlusCal") {
        let rest = &text[at + word.len()..];
        let after = rest.trim_start();
        let Some(list) = after.strip_prefix("options").filter(|_| after.len() < rest.len()) else {
            continue;
        };
        let start = text.len() - list.len();
        let span = Span::new(at as u32, start as u32);
        let open = list.trim_start();
        let Some(inside) = open.strip_prefix('(') else {
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::Option,
                span,
                "`PlusCal options` is not followed by `(`",
            );
            return Err(fault.help("write `PlusCal options (-wf)`, or other words if no options are meant"));
        };
        let Some(end) = inside.find(')') else {
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::Option,
                span,
                "the parenthesis after `PlusCal options` is never closed",
            );
            return Err(fault.help("write `PlusCal options (-wf)`"));
        };
        let words = inside[..end]
            .split([' ', '\t', '\n', '\r', ','])
            .filter(|word| !word.is_empty())
            .collect();
        return Ok(Some((words, span)));
    }
    Ok(None)
}
