//! The fairness conjuncts of `Spec`.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::ast::{Algorithm, Body, Fairness, Label, Mark, Procedure, Process, Statement, StatementKind};
use crate::options::{FairnessOption, TranslationOptions};

pub(crate) struct Fair<'a> {
    pub algorithm: &'a Algorithm,
    pub options: &'a TranslationOptions,
}

impl Fair<'_> {
    pub fn conjuncts(&self) -> Vec<String> {
        let of_next = vec!["WF_vars(Next)".to_owned()];
        let option = self.options.effective_fairness();
        if option == Some(FairnessOption::Off) {
            return Vec::new();
        }
        if self.algorithm.is_fair || option == Some(FairnessOption::Next) {
            return of_next;
        }
        match &self.algorithm.body {
            Body::Single(_) if option.is_some() => of_next,
            Body::Single(_) => Vec::new(),
            Body::Processes(processes) => processes
                .iter()
                .filter_map(|process| self.process(process, option))
                .collect(),
        }
    }

    fn process(&self, process: &Process, option: Option<FairnessOption>) -> Option<String> {
        let fairness = match (process.fairness, option) {
            (Fairness::Unfair, Some(FairnessOption::Weak)) => Fairness::Weak,
            (Fairness::Unfair, Some(FairnessOption::Strong)) => Fairness::Strong,
            (fairness, _) => fairness,
        };
        let prefix = match fairness {
            Fairness::Unfair => return None,
            Fairness::Weak => "WF_vars",
            Fairness::Strong => "SF_vars",
        };
        let identity = if process.is_set {
            "self".to_owned()
        } else {
            process.id.to_line()
        };
        let parameter = if process.is_set {
            "(self)".to_owned()
        } else {
            String::new()
        };
        let mut parts = Vec::new();
        let mut add = |name: &str, parameter: &str, body: &[Statement]| {
            let mut labels = Vec::new();
            collect(body, &mut labels);
            let of = |mark| labels.iter().filter(move |label| label.mark == mark);
            let except: Vec<String> = of(Mark::Minus)
                .map(|label| format!("\"{}\"", label.ident.name))
                .collect();
            parts.push(match &*except {
                [] => format!("{prefix}({name}{parameter})"),
                [only] => format!("{prefix}((pc[{identity}] # {only}) /\\ {name}{parameter})"),
                _ => {
                    let all = except.join(", ");
                    format!("{prefix}((pc[{identity}] \\notin {{{all}}}) /\\ {name}{parameter})")
                }
            });
            if fairness == Fairness::Weak {
                parts.extend(of(Mark::Plus).map(|label| format!("SF_vars({}{parameter})", label.ident.name)));
            }
        };
        add(&process.ident.name, &parameter, &process.body);
        let called = self.called(&process.body);
        for procedure in called {
            add(&procedure.ident.name, &format!("({identity})"), &procedure.body);
        }
        let parts = parts.join(" /\\ ");
        Some(if process.is_set {
            format!("\\A self \\in {} : {parts}", process.id.to_line())
        } else {
            parts
        })
    }

    /// The procedures that a body calls, also through others, in the order of their declaration.
    fn called(&self, body: &[Statement]) -> Vec<&Procedure> {
        let mut names = BTreeSet::new();
        let mut pending = Vec::new();
        calls(body, &mut pending);
        while let Some(name) = pending.pop() {
            let procedures = self.algorithm.procedures.iter();
            if names.insert(name.clone()) {
                for procedure in procedures.filter(|procedure| procedure.ident.name == name) {
                    calls(&procedure.body, &mut pending);
                }
            }
        }
        let procedures = self.algorithm.procedures.iter();
        procedures
            .filter(|procedure| names.contains(&procedure.ident.name))
            .collect()
    }
}

fn calls(statements: &[Statement], names: &mut Vec<Rc<str>>) {
    for statement in statements {
        if let StatementKind::Call(call) = &statement.kind {
            names.push(call.procedure.name.clone());
        }
        for inner in statement.kind.inner() {
            calls(inner, names);
        }
    }
}

fn collect<'s>(statements: &'s [Statement], labels: &mut Vec<&'s Label>) {
    for statement in statements {
        labels.extend(&statement.label);
        for inner in statement.kind.inner() {
            collect(inner, labels);
        }
    }
}
