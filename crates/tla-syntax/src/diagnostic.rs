//! Diagnostics: errors and warnings about a spec, each with a source span and advice.
//!
//! A [`Diagnostic`] is data. [`render`] draws it for people, as the source line with a caret under the mistake;
//! [`to_json`] writes it for programs.

use std::fmt::Write as _;

use crate::source::{Source, SourceId, Sources, Span, advance_column};

/// The kind of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// An invalid character or literal.
    Lex,
    /// A syntax error.
    Parse,
    /// Two adjacent operators without a defined precedence between them.
    Precedence,
    /// A token left of the junction list item it belongs to.
    Indentation,
    /// A name that nothing defines.
    Undefined,
    /// A name defined twice.
    Redefined,
    /// The wrong number or kind of arguments.
    Arity,
    /// An expression whose level (constant, state, action, temporal) is not allowed where it stands.
    Level,
    /// A temporal formula of a form that cannot be checked.
    Temporal,
    /// A module that cannot be found or read, or has the wrong name.
    Module,
    /// An invalid label or subexpression selector.
    Label,
    /// Any other semantic error.
    Semantic,
    /// A translation that is not that of its PlusCal algorithm.
    Translation,
    /// An error in a PlusCal algorithm.
    PlusCal,
    /// An error in a configuration.
    Config,
    /// A limit of this program.
    Limit,
    /// An error while evaluating an expression.
    Evaluation,
}

impl Class {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Class::Lex => "lex",
            Class::Parse => "parse",
            Class::Precedence => "precedence",
            Class::Indentation => "indentation",
            Class::Undefined => "undefined",
            Class::Redefined => "redefined",
            Class::Arity => "arity",
            Class::Level => "level",
            Class::Temporal => "temporal",
            Class::Module => "module",
            Class::Label => "label",
            Class::Semantic => "semantic",
            Class::Translation => "translation",
            Class::PlusCal => "pluscal",
            Class::Config => "config",
            Class::Limit => "limit",
            Class::Evaluation => "evaluation",
        }
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The spec has no meaning.
    Error,
    /// The spec has a meaning, perhaps not the intended one.
    Warning,
}

/// A second source span that explains the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text it is in.
    pub source: SourceId,
    /// The span.
    pub span: Span,
    /// What it shows.
    pub message: String,
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The kind of mistake.
    pub class: Class,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The text it is in.
    pub source: SourceId,
    /// Its span.
    pub span: Span,
    /// Related spans.
    pub labels: Vec<Label>,
    /// Advice.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without labels or help.
    pub fn error(class: Class, source: SourceId, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            class,
            message: message.into(),
            source,
            span,
            labels: Vec::new(),
            help: None,
        }
    }

    /// A warning without labels or help.
    pub fn warning(class: Class, source: SourceId, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(class, source, span, message)
        }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a related span.
    #[must_use]
    pub fn label(mut self, source: SourceId, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label {
            source,
            span,
            message: message.into(),
        });
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Draws a diagnostic for people.
///
/// ```text
/// error[precedence]: `/\` and `\/` have no order among each other
///  --> Spec.tla:2:11
///   |
/// 2 | A == TRUE /\ FALSE \/ TRUE
///   |           ^^
///   |                    -- this operator
///   = help: put one of the two in parentheses
/// ```
pub fn render(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let mut out = String::new();
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let source = sources.get(diagnostic.source);
    let shown_line = |source: &Source, span: Span| source.shown_line(source.line_of(span.start));
    let width = std::iter::once(shown_line(source, diagnostic.span))
        .chain(
            diagnostic
                .labels
                .iter()
                .map(|l| shown_line(sources.get(l.source), l.span)),
        )
        .max()
        .unwrap_or(1)
        .to_string()
        .len();
    let blank = " ".repeat(width);
    let _ = writeln!(
        out,
        "{severity}[{}]: {}",
        diagnostic.class.word(),
        diagnostic.message
    );
    let path = source.path().display().to_string();
    if source.text().is_empty() {
        // An empty or unreadable file has no line to show.
        if !diagnostic.message.contains(&path) {
            let _ = writeln!(out, "{blank}--> {path}");
        }
        out.extend(
            diagnostic
                .help
                .iter()
                .map(|help| format!("{blank} = help: {help}\n")),
        );
        return out;
    }
    let _ = writeln!(out, "{blank}--> {}", source.place(diagnostic.span.start));
    let _ = writeln!(out, "{blank} |");
    let mut picture = Picture {
        out,
        sources,
        width,
        shown: None,
    };
    picture.draw(diagnostic.source, diagnostic.span, '^', "");
    let mut source = diagnostic.source;
    for label in &diagnostic.labels {
        if label.source != source {
            let text = sources.get(label.source);
            let _ = writeln!(picture.out, "{blank}::: {}", text.place(label.span.start));
            source = label.source;
        }
        picture.draw(label.source, label.span, '-', &label.message);
    }
    let mut out = picture.out;
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "{blank} = help: {help}");
    }
    out
}

/// Source lines with marks under them.
struct Picture<'a> {
    out: String,
    sources: &'a Sources,
    /// The width of the line numbers.
    width: usize,
    /// The last line drawn and its first column. Further marks on it go below without drawing it again.
    shown: Option<(SourceId, u32, usize)>,
}

impl Picture<'_> {
    fn draw(&mut self, source: SourceId, span: Span, mark: char, message: &str) {
        let text = self.sources.get(source);
        let span = text.origin(span);
        let place = text.line_column(span.start);
        let line = text.line(place.line);
        let ends_here = text.line_of(span.end.saturating_sub(1).max(span.start)) == place.line;
        let end = if ends_here {
            text.line_column(span.end).column
        } else {
            place.column + line.len() as u32
        };
        let window = Window::around(place.column as usize - 1, line.len());
        let width = self.width;
        let shown = (source, place.line, window.from);
        let cut = window.cut(line);
        if self.shown != Some(shown) {
            let _ = writeln!(self.out, "{:>width$} | {cut}", text.shown_line(place.line));
            self.shown = Some(shown);
        }
        let indent = " ".repeat(window.indent(place.column as usize - 1));
        let room = cut.chars().count().saturating_sub(indent.len());
        let count = (end.saturating_sub(place.column) as usize).min(room).max(1);
        let marks: String = std::iter::repeat_n(mark, count).collect();
        let marked = format!("{indent}{marks} {message}");
        let _ = writeln!(self.out, "{} | {}", " ".repeat(width), marked.trim_end());
    }
}

/// The columns of a line that are shown: all of them, or those around the mark if the line is long.
#[derive(Clone, Copy)]
struct Window {
    /// The first column shown, from 0.
    from: usize,
    /// Whether the line is cut.
    limited: bool,
}

impl Window {
    const WIDTH: usize = 160;
    /// Lines of at most this many bytes are shown whole.
    const WHOLE_BYTES: usize = 240;

    /// The window of a line of `line_bytes` bytes with a mark at a column.
    fn around(column: usize, line_bytes: usize) -> Self {
        let limited = line_bytes > Self::WHOLE_BYTES;
        // A multiple of the step, so that nearby marks share one drawing of the line.
        let step = Self::WIDTH / 2;
        let from = if limited {
            (column / step).saturating_sub(1) * step
        } else {
            0
        };
        Self { from, limited }
    }

    /// The drawn position of a column.
    fn indent(self, column: usize) -> usize {
        let dots = if self.from > 0 { 1 } else { 0 };
        column.saturating_sub(self.from) + dots
    }

    /// The visible part of a line, with tabs expanded.
    fn cut(self, line: &str) -> String {
        let mut shown = String::new();
        if self.from > 0 {
            shown.push('…');
        }
        let until = if self.limited {
            self.from + Self::WIDTH
        } else {
            usize::MAX
        };
        let mut column = 0;
        for c in line.chars() {
            let next = advance_column(column, c);
            if column as usize >= until {
                shown.truncate(shown.trim_end().len());
                shown.push('…');
                break;
            }
            if c == '\t' {
                let visible = (column as usize).max(self.from)..(next as usize);
                shown.extend(std::iter::repeat_n(' ', visible.len()));
            } else if column as usize >= self.from {
                shown.push(c);
            }
            column = next;
        }
        shown.truncate(shown.trim_end().len());
        shown
    }
}

/// A diagnostic as a JSON object: `severity`, `class`, `message`, `file`, `span`, `labels`, `help`.
pub fn to_json(diagnostic: &Diagnostic, sources: &Sources) -> serde_json::Value {
    let labels: Vec<_> = diagnostic
        .labels
        .iter()
        .map(|l| {
            serde_json::json!({
                "file": sources.get(l.source).path().display().to_string(),
                "span": span_json(sources, l.source, l.span),
                "message": l.message,
            })
        })
        .collect();
    serde_json::json!({
        "severity": if diagnostic.is_error() { "error" } else { "warning" },
        "class": diagnostic.class.word(),
        "message": diagnostic.message,
        "file": sources.get(diagnostic.source).path().display().to_string(),
        "span": span_json(sources, diagnostic.source, diagnostic.span),
        "labels": labels,
        "help": diagnostic.help,
    })
}

/// A span as a JSON object with bytes (from 0), lines and columns (from 1).
pub fn span_json(sources: &Sources, source: SourceId, span: Span) -> serde_json::Value {
    let text = sources.get(source);
    let span = text.origin(span);
    let (start, end) = (text.line_column(span.start), text.line_column(span.end));
    serde_json::json!({
        "start": span.start, "end": span.end,
        "line": start.line, "column": start.column,
        "end_line": end.line, "end_column": end.column,
    })
}

/// The candidate nearest to a misspelled name, if one is near enough to be what was meant.
pub fn nearest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match wanted.chars().count() {
        0..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    // Upper and lower case compare equal.
    let lower = wanted.to_ascii_lowercase();
    candidates
        .filter(|c| c.len().abs_diff(wanted.len()) <= limit && *c != wanted)
        .map(|c| (strsim::damerau_levenshtein(&lower, &c.to_ascii_lowercase()), c))
        .filter(|(d, c)| *d <= limit && *d < c.chars().count().max(wanted.chars().count()))
        .min_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(b.1)))
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn a_diagnostic_shows_the_line_the_caret_and_the_help() {
        let mut sources = Sources::default();
        let id = sources.add(Source::new(
            "Spec.tla",
            "---- MODULE Spec ----\nA == TRUE /\\ FALSE \\/ TRUE\n====",
        ));
        let diagnostic = Diagnostic::error(Class::Precedence, id, Span::new(32, 34), "no order")
            .label(id, Span::new(41, 43), "and this one")
            .help("use parentheses");
        assert_eq!(
            render(&diagnostic, &sources),
            "error[precedence]: no order\n --> Spec.tla:2:11\n  |\n2 | A == TRUE /\\ FALSE \\/ TRUE\n  |           ^^\n  |                    -- and this one\n  = help: use parentheses\n"
        );
    }

    #[test]
    fn of_a_file_without_a_text_no_line_is_shown() {
        let mut sources = Sources::default();
        let id = sources.add(Source::new("Spec.tla", ""));
        let said = |message: &str| {
            let diagnostic = Diagnostic::error(Class::Module, id, Span::default(), message);
            render(&diagnostic.help("look"), &sources)
        };
        assert_eq!(
            said("cannot read Spec.tla"),
            "error[module]: cannot read Spec.tla\n  = help: look\n"
        );
        assert_eq!(
            said("there is no module in this file"),
            "error[module]: there is no module in this file\n --> Spec.tla\n  = help: look\n"
        );
    }

    #[test]
    fn of_a_long_line_only_what_is_around_the_mark_is_shown() {
        let mut sources = Sources::default();
        let line = format!("A == {}x{}", "1 + ".repeat(10_000), " + 1".repeat(10_000));
        let at = line.find('x').unwrap_or(0) as u32;
        let id = sources.add(Source::new("Spec.tla", line));
        let drawn = render(
            &Diagnostic::error(Class::Undefined, id, Span::new(at, at + 1), "`x` is not defined"),
            &sources,
        );
        let rows: Vec<Vec<char>> = drawn.lines().map(|row| row.chars().collect()).collect();
        let caret = rows[4].iter().position(|c| *c == '^').unwrap_or(0);
        assert_eq!(rows[3][caret], 'x', "{drawn}");
        assert!(rows[3].len() < 200 && rows[3][4] == '…', "{drawn}");
        assert_eq!(rows[3].last(), Some(&'…'), "{drawn}");
    }

    #[test]
    fn the_nearest_name_is_found_only_when_near() {
        let names = ["Append", "Head", "Tail"];
        assert_eq!(nearest("Appnd", names.into_iter()), Some("Append"));
        assert_eq!(nearest("Haed", names.into_iter()), Some("Head"));
        assert_eq!(nearest("Zebra", names.into_iter()), None);
    }
}
