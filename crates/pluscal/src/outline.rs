//! The steps of an algorithm as its reader knows them: label, process, statements.

use omnilink_tla_syntax::deep_stack;
use omnilink_tla_syntax::source::Span;

use crate::ast::{Algorithm, Body, Statement, StatementKind};
use crate::locate::find_algorithm;
use crate::options::TranslationOptions;
use crate::token::Token;
use crate::{expand, label, lexer, parser, rename};

/// A longer statement is cut.
const STATEMENT_MAX: usize = 400;

/// A step of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedStep {
    /// Its label, which is the name of its action in the translation.
    pub label: String,
    /// Its process; `None` in procedures, and in algorithms without processes.
    pub process: Option<OutlinedProcess>,
    /// Its procedure; `None` outside of procedures.
    pub procedure: Option<String>,
    /// Its statements up to the next label, on one line.
    pub statement: String,
    /// Where these begin.
    pub span: Span,
}

/// A process, or a set of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedProcess {
    /// Its name.
    pub name: String,
    /// The identity of a single process, or the set of all identities, as it is written.
    pub id: String,
    /// Whether it is a set.
    pub is_set: bool,
}

impl OutlinedProcess {
    /// The identity of a single process, as it is written.
    pub fn identity(&self) -> Option<&str> {
        (!self.is_set).then_some(&self.id)
    }
}

/// The steps of the algorithm in a text, in the order in which they stand there. There are none if the algorithm has mistakes.
pub fn outline(text: &str) -> Vec<OutlinedStep> {
    deep_stack::run(|| outline_here(text).unwrap_or_default())
}

fn outline_here(text: &str) -> Option<Vec<OutlinedStep>> {
    let place = find_algorithm(text).ok()?;
    let lexed = lexer::tokenize(text, place.start, place.end);
    let mut algorithm = parser::parse(&lexed.tokens, &place).ok()?;
    expand::expand_macros(&mut algorithm).ok()?;
    let options = TranslationOptions {
        adds_labels: true,
        ..TranslationOptions::default()
    };
    label::complete_labels(&mut algorithm, &options.with_file(text).ok()?).ok()?;
    rename::rename_clashes(&mut algorithm);
    let mut outline = Outline {
        tokens: &lexed.tokens,
        starts: Vec::new(),
        steps: Vec::new(),
    };
    outline.algorithm(&algorithm);
    Some(outline.finish())
}

/// The process or procedure that a step belongs to; neither in an algorithm without processes.
#[derive(Clone, Default)]
struct Owner {
    process: Option<OutlinedProcess>,
    procedure: Option<String>,
}

/// The statements of a step, while labels are collected.
struct Part {
    label: String,
    owner: Owner,
    start: u32,
    end: u32,
}

struct Outline<'a> {
    tokens: &'a [Token],
    /// Where labelled statements begin, with their labels.
    starts: Vec<u32>,
    steps: Vec<Part>,
}

impl Outline<'_> {
    fn algorithm(&mut self, algorithm: &Algorithm) {
        for procedure in &algorithm.procedures {
            let owner = Owner {
                procedure: Some(procedure.ident.name.to_string()),
                ..Owner::default()
            };
            self.body(&procedure.body, &owner);
        }
        match &algorithm.body {
            Body::Single(body) => self.body(body, &Owner::default()),
            Body::Processes(processes) => {
                for process in processes {
                    let outlined = OutlinedProcess {
                        name: process.ident.name.to_string(),
                        id: process.id.to_line(),
                        is_set: process.is_set,
                    };
                    let owner = Owner {
                        process: Some(outlined),
                        ..Owner::default()
                    };
                    self.body(&process.body, &owner);
                }
            }
        }
    }

    fn body(&mut self, body: &[Statement], owner: &Owner) {
        for (at, statement) in body.iter().enumerate() {
            if let Some(label) = &statement.label {
                let length = 1 + body[at + 1..]
                    .iter()
                    .take_while(|next| next.label.is_none())
                    .count();
                let start = place(statement).start;
                self.starts.push(if label.is_added {
                    start
                } else {
                    label.ident.span.start.min(start)
                });
                self.steps.push(Part {
                    label: label.ident.name.to_string(),
                    owner: owner.clone(),
                    start,
                    end: body[at..at + length].iter().map(end).max().unwrap_or(start),
                });
            }
            for inner in inside(&statement.kind) {
                self.body(inner, owner);
            }
        }
    }

    /// A step ends where the next label begins, if that is inside of its statements.
    fn finish(mut self) -> Vec<OutlinedStep> {
        self.starts.sort_unstable();
        let step = |part: &Part| {
            let next = self.starts.partition_point(|start| *start <= part.start);
            let end = self.starts.get(next).map_or(part.end, |next| part.end.min(*next));
            OutlinedStep {
                label: part.label.clone(),
                process: part.owner.process.clone(),
                procedure: part.owner.procedure.clone(),
                statement: self.line(part.start, end),
                span: Span::new(part.start, end),
            }
        };
        self.steps.iter().map(step).collect()
    }

    /// The tokens of a part of the text with one blank for each gap: comments and line ends are gone.
    fn line(&self, start: u32, end: u32) -> String {
        let from = self.tokens.partition_point(|token| token.span.start < start);
        let mut line = String::new();
        for token in self.tokens[from..]
            .iter()
            .take_while(|token| token.span.end <= end)
        {
            if token.gap != Some(0) && !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&token.text);
            if line.len() > STATEMENT_MAX {
                line.push('…');
                break;
            }
        }
        line.truncate(line.trim_end_matches([';', ' ']).len());
        line
    }
}

/// The statements that a statement contains.
fn inside(kind: &StatementKind) -> Vec<&[Statement]> {
    match kind {
        StatementKind::If(_, then, otherwise) => vec![then, otherwise],
        StatementKind::While(_, body) | StatementKind::With(_, body) => vec![body],
        StatementKind::Either(branches) => branches.iter().map(Vec::as_slice).collect(),
        _ => Vec::new(),
    }
}

/// Where a statement stands: that of a macro where it is called.
fn place(statement: &Statement) -> Span {
    statement.called_at.unwrap_or(statement.span)
}

/// Where a statement ends, with what it contains.
fn end(statement: &Statement) -> u32 {
    let inner = inside(&statement.kind).into_iter().flatten().map(end);
    inner.fold(place(statement).end, u32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let process = |step: &OutlinedStep| match (&step.process, &step.procedure) {
            (Some(process), _) => match process.identity() {
                Some(own) => format!("{}[{own}].", process.name),
                None => format!("{}[in {}].", process.name, process.id),
            },
            (None, Some(procedure)) => format!("{procedure}()."),
            (None, None) => String::new(),
        };
        let step = |step: &OutlinedStep| format!("{}{}: {}", process(step), step.label, step.statement);
        outline(text).iter().map(step).collect()
    }

    #[test]
    fn a_step_has_its_statements_up_to_the_next_label() {
        let text = "---- MODULE A ----
(* --algorithm A
variables x = 0;
process p \\in 1..2
begin
  one: await x = 0;  \\* wait
       x := 1;
  two: while x < 3 do
    add: x := x + 1 || x := 2;
  end while;
end process;
process q = \"q\"
begin
  last: if x > 0 then x := 0; end if;
end process;
end algorithm *)
====";
        assert_eq!(
            shown(text),
            [
                "p[in 1..2].one: await x = 0; x := 1",
                "p[in 1..2].two: while x < 3 do",
                "p[in 1..2].add: x := x + 1 || x := 2",
                "q[\"q\"].last: if x > 0 then x := 0",
            ]
        );
    }

    #[test]
    fn macros_stand_where_they_are_called_and_procedures_have_no_process() {
        let text = "---- MODULE B ----
(* --algorithm B {
variable x = 0;
macro twice(v) { v := v + v; }
procedure go(n) { inner: twice(x); return; }
process (p = 1) { a: call go(2); b: skip; }
} *)
====";
        assert_eq!(
            shown(text),
            [
                "go().inner: twice(x); return",
                "p[1].a: call go(2)",
                "p[1].b: skip"
            ]
        );
    }

    #[test]
    fn what_is_no_algorithm_has_no_steps() {
        assert_eq!(outline("---- MODULE C ----\n===="), []);
        assert_eq!(outline("(* --algorithm C begin x := ; end algorithm *)"), []);
    }
}
