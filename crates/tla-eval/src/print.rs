//! Printing of values in TLC's format.
//!
//! [`show`] never fails and is for messages. [`Evaluator::text`] is for what a spec prints, and fails for values that cannot be
//! materialised.

use omnilink_tla_ir::{Infinite, Program};
use omnilink_value::Value;

use super::datum::{Datum, Lazy, LazyFunction};
use super::error::Outcome;
use super::evaluator::Evaluator;

impl<'p> Evaluator<'p> {
    /// The text of a value, materialised unless it is an interval or an infinite set with a name.
    pub fn text(&mut self, datum: &Datum<'p>) -> Outcome<String> {
        let Some(lazy) = datum.as_lazy() else {
            return Ok(show(self.program, datum));
        };
        match lazy {
            Lazy::Interval(..) | Lazy::Infinite(_) | Lazy::Sequences(_) => Ok(show(self.program, datum)),
            Lazy::Function(_) => {
                let domain = self.domain(datum)?;
                if !self.is_enumerable(&domain) {
                    return Ok(show(self.program, datum));
                }
                Ok(self.canonical(datum.clone())?.to_string())
            }
            Lazy::Tuple(parts) => Ok(format!("<<{}>>", self.texts(parts)?)),
            Lazy::Set(elements) => Ok(format!("{{{}}}", self.texts(elements)?)),
            Lazy::Mapping(entries) => {
                for (_, part) in entries {
                    self.text(part)?;
                }
                Ok(show(self.program, datum))
            }
            _ => Ok(self.canonical(datum.clone())?.to_string()),
        }
    }

    fn texts(&mut self, parts: &[Datum<'p>]) -> Outcome<String> {
        let parts = parts
            .iter()
            .map(|part| self.text(part))
            .collect::<Outcome<Vec<_>>>()?;
        Ok(parts.join(", "))
    }
}

/// The text of a value; lazy parts are shown by their definition.
pub(crate) fn show(program: &Program, datum: &Datum<'_>) -> String {
    match datum {
        Datum::Value(value) => value.to_string(),
        Datum::Lazy(lazy) => match &**lazy {
            Lazy::Infinite(Infinite::Nat) => "Nat".into(),
            Lazy::Infinite(Infinite::Int) => "Int".into(),
            Lazy::Infinite(Infinite::Strings) => "STRING".into(),
            Lazy::Infinite(Infinite::Any) => "ANY".into(),
            Lazy::Interval(low, high) if low > high => "{}".into(),
            Lazy::Interval(low, high) => format!("{low}..{high}"),
            Lazy::Powerset(base) => format!("SUBSET {}", show(program, base)),
            Lazy::FunctionSet(domain, range) => {
                format!("[{} -> {}]", show(program, domain), show(program, range))
            }
            Lazy::RecordSet(fields) => {
                let fields = fields.iter().map(|(name, set)| {
                    format!("{}: {}", name.as_str().unwrap_or_default(), show(program, set))
                });
                format!("[{}]", fields.collect::<Vec<_>>().join(", "))
            }
            Lazy::Product(factors) => list(program, "", factors, " \\X ", ""),
            Lazy::Sequences(base) => format!("Seq({})", show(program, base)),
            Lazy::Union(left, right) => infix(program, left, "\\cup", right),
            Lazy::Intersection(left, right) => infix(program, left, "\\cap", right),
            Lazy::Difference(left, right) => infix(program, left, "\\", right),
            Lazy::BigUnion(sets) => format!("UNION {}", show(program, sets)),
            Lazy::Filter(base, body) => {
                let name = body.bounded.names.first().map_or("x", |name| name);
                format!("{{{name} \\in {} : <expression>}}", show(program, base))
            }
            Lazy::Function(rule) => rule_text(program, rule),
            Lazy::Tuple(parts) => list(program, "<<", parts, ", ", ">>"),
            Lazy::Set(elements) => list(program, "{", elements, ", ", "}"),
            Lazy::Mapping(entries) => mapping(program, entries),
        },
    }
}

fn infix(program: &Program, left: &Datum<'_>, symbol: &str, right: &Datum<'_>) -> String {
    format!("({} {symbol} {})", show(program, left), show(program, right))
}

fn list(program: &Program, open: &str, parts: &[Datum<'_>], separator: &str, close: &str) -> String {
    let parts: Vec<String> = parts.iter().map(|part| show(program, part)).collect();
    format!("{open}{}{close}", parts.join(separator))
}

fn mapping(program: &Program, entries: &[(Value, Datum<'_>)]) -> String {
    if entries.iter().all(|(key, _)| key.as_str().is_some()) {
        let fields = entries.iter().map(|(key, value)| {
            format!(
                "{} |-> {}",
                key.as_str().unwrap_or_default(),
                show(program, value)
            )
        });
        return format!("[{}]", fields.collect::<Vec<_>>().join(", "));
    }
    let entries = entries
        .iter()
        .map(|(key, value)| format!("{key} :> {}", show(program, value)));
    format!("({})", entries.collect::<Vec<_>>().join(" @@ "))
}

fn rule_text(program: &Program, rule: &LazyFunction<'_>) -> String {
    let bounds: Vec<String> = rule
        .ranges()
        .zip(&rule.body.bounded.names)
        .map(|(range, name)| format!("{name} \\in {}", show(program, range)))
        .collect();
    format!("[{} |-> <expression>]", bounds.join(", "))
}

/// A text cut off after N bytes, with an ellipsis.
pub(crate) fn shortened(mut text: String, max: usize) -> String {
    if text.len() > max {
        let cut = (0..=max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(cut);
        text.push('…');
    }
    text
}
