//! Names that clash: each thing of the translation gets a name of its own.
//!
//! Labels, procedures, processes and local variables become definitions and variables of one module. Where two have the same name, one is renamed:
//! it gets `_`, then the letters of the name of its process or procedure, then digits, until no other has its name. Labels are renamed
//! first, then procedures, processes, variables of processes, variables of procedures and parameters, each in the order of the text. A name is
//! changed only while another equals it, so the last one keeps it. Variables of the algorithm are never renamed.

use std::collections::BTreeMap;
use std::rc::Rc;

use omnilink_tla_syntax::source::Span;

use crate::ast::{AfterCall, Algorithm, Assignment, Body, Ident, Statement, StatementKind, Variable};
use crate::expression::{Expression, Rewritten, is_variable};

/// A name that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Renaming {
    /// What it is: "Label", "Process variable" and so on.
    pub what: &'static str,
    /// Its place: "process P", or nothing.
    pub owner: String,
    /// The old name.
    pub old: Rc<str>,
    /// The new name.
    pub new: Rc<str>,
    /// Where it is declared.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    Label,
    Procedure,
    Process,
    ProcessVariable,
    ProcedureVariable,
    Parameter,
    Global,
}

const RANKS: [Rank; 6] = [
    Rank::Label,
    Rank::Procedure,
    Rank::Process,
    Rank::ProcessVariable,
    Rank::ProcedureVariable,
    Rank::Parameter,
];

struct Entry {
    rank: Rank,
    ident: Ident,
    name: Rc<str>,
    /// The process or procedure that it belongs to, and which of the two.
    owner: Option<(Rc<str>, &'static str)>,
}

/// New names: per owner, of variables and of labels; and of processes and procedures.
#[derive(Default)]
struct Names {
    variables: BTreeMap<(usize, Rc<str>), Rc<str>>,
    labels: BTreeMap<(usize, Rc<str>), Rc<str>>,
    procedures: BTreeMap<Rc<str>, Rc<str>>,
    processes: BTreeMap<Rc<str>, Rc<str>>,
}

/// Renames what clashes.
pub(crate) fn rename_clashes(algorithm: &mut Algorithm) -> Vec<Renaming> {
    let (mut entries, owners) = entries(algorithm);
    let mut counts: BTreeMap<Rc<str>, usize> = BTreeMap::new();
    for entry in &entries {
        *counts.entry(entry.name.clone()).or_default() += 1;
    }
    let mut renamings = Vec::new();
    for rank in RANKS {
        for entry in entries.iter_mut().filter(|entry| entry.rank == rank) {
            if counts.get(&entry.name).is_none_or(|count| *count < 2) {
                continue;
            }
            let new = unique(entry, &counts);
            if let Some(count) = counts.get_mut(&entry.name) {
                *count -= 1;
            }
            *counts.entry(new.clone()).or_default() += 1;
            entry.name = new.clone();
            renamings.push(renaming(entry));
        }
    }
    if !renamings.is_empty() {
        apply(algorithm, &new_names(&entries, &owners));
    }
    renamings
}

fn unique(entry: &Entry, counts: &BTreeMap<Rc<str>, usize>) -> Rc<str> {
    let is_free = |name: &str| counts.get(name).is_none_or(|count| *count == 0);
    let mut name = format!("{}_", entry.name);
    let owner = entry.owner.as_ref().map_or("", |(owner, _)| owner);
    for letter in owner.chars() {
        if is_free(&name) {
            return name.into();
        }
        name.push(letter);
    }
    let mut number = 0u32;
    let base = name.clone();
    while !is_free(&name) {
        number += 1;
        name = format!("{base}{number}");
    }
    name.into()
}

fn renaming(entry: &Entry) -> Renaming {
    let what = match entry.rank {
        Rank::Label => "Label",
        Rank::Procedure => "Procedure",
        Rank::Process => "Process",
        Rank::ProcessVariable => "Process variable",
        Rank::ProcedureVariable => "Procedure variable",
        Rank::Parameter => "Parameter",
        Rank::Global => "Variable",
    };
    Renaming {
        what,
        owner: entry
            .owner
            .as_ref()
            .map_or(String::new(), |(owner, kind)| format!("{kind} {owner}")),
        old: entry.ident.name.clone(),
        new: entry.name.clone(),
        span: entry.ident.span,
    }
}

/// All names, and the bodies that own them: procedures, then processes or the body.
fn entries(algorithm: &Algorithm) -> (Vec<Entry>, Vec<Option<Rc<str>>>) {
    let mut entries = Vec::new();
    let mut owners = Vec::new();
    let globals = algorithm.variables.iter().map(|variable| variable.ident.clone());
    let made = ["pc", "stack"]
        .iter()
        .filter(|name| **name == "pc" || !algorithm.procedures.is_empty());
    let made = made.map(|name| Ident {
        name: (*name).into(),
        span: Span::default(),
    });
    entries.extend(globals.chain(made).map(|ident| Entry {
        rank: Rank::Global,
        name: ident.name.clone(),
        ident,
        owner: None,
    }));
    let mut add = |rank, ident: &Ident, owner: Option<(Rc<str>, &'static str)>| {
        entries.push(Entry {
            rank,
            name: ident.name.clone(),
            ident: ident.clone(),
            owner,
        });
    };
    for procedure in &algorithm.procedures {
        let owner = Some((procedure.ident.name.clone(), "procedure"));
        add(Rank::Procedure, &procedure.ident, owner.clone());
        for_labels(&procedure.body, &mut |ident| {
            add(Rank::Label, ident, owner.clone())
        });
        for variable in &procedure.parameters {
            add(Rank::Parameter, &variable.ident, owner.clone());
        }
        for variable in &procedure.variables {
            add(Rank::ProcedureVariable, &variable.ident, owner.clone());
        }
        owners.push(Some(procedure.ident.name.clone()));
    }
    match &algorithm.body {
        Body::Single(body) => {
            for_labels(body, &mut |ident| add(Rank::Label, ident, None));
            owners.push(None);
        }
        Body::Processes(processes) => {
            for process in processes {
                let owner = Some((process.ident.name.clone(), "process"));
                add(Rank::Process, &process.ident, owner.clone());
                for_labels(&process.body, &mut |ident| add(Rank::Label, ident, owner.clone()));
                for variable in &process.variables {
                    add(Rank::ProcessVariable, &variable.ident, owner.clone());
                }
                owners.push(Some(process.ident.name.clone()));
            }
        }
    }
    (entries, owners)
}

fn for_labels(statements: &[Statement], visit: &mut impl FnMut(&Ident)) {
    for statement in statements {
        if let Some(label) = &statement.label {
            visit(&label.ident);
        }
        for inner in statement.kind.inner() {
            for_labels(inner, visit);
        }
    }
}

fn new_names(entries: &[Entry], owners: &[Option<Rc<str>>]) -> Names {
    let mut names = Names::default();
    let mut procedures = 0;
    for entry in entries {
        let (old, new) = (entry.ident.name.clone(), entry.name.clone());
        procedures += usize::from(entry.rank == Rank::Procedure);
        // The owner of a name is the last body that began before it.
        let owner = entry.owner.as_ref().map(|(name, _)| name);
        let kind = entry.owner.as_ref().map_or("", |(_, kind)| kind);
        let index = owners
            .iter()
            .enumerate()
            .position(|(index, known)| known.as_ref() == owner && (kind != "process" || index >= procedures));
        let index = index.unwrap_or(owners.len());
        match entry.rank {
            Rank::Label => drop(names.labels.insert((index, old), new)),
            Rank::Procedure => drop(names.procedures.insert(old, new)),
            Rank::Process => drop(names.processes.insert(old, new)),
            Rank::ProcessVariable | Rank::ProcedureVariable | Rank::Parameter => {
                names.variables.insert((index, old), new);
            }
            Rank::Global => {}
        }
    }
    names
}

fn apply(algorithm: &mut Algorithm, names: &Names) {
    let count = algorithm.procedures.len();
    for (index, procedure) in algorithm.procedures.iter_mut().enumerate() {
        let scope = Scope { names, index };
        scope.variables(&mut procedure.parameters);
        scope.variables(&mut procedure.variables);
        scope.list(&mut procedure.body);
        replace(&mut procedure.ident, &names.procedures);
    }
    match &mut algorithm.body {
        Body::Single(body) => Scope { names, index: count }.list(body),
        Body::Processes(processes) => {
            for (at, process) in processes.iter_mut().enumerate() {
                let scope = Scope {
                    names,
                    index: count + at,
                };
                scope.variables(&mut process.variables);
                scope.list(&mut process.body);
                replace(&mut process.ident, &names.processes);
            }
        }
    }
}

fn replace(ident: &mut Ident, names: &BTreeMap<Rc<str>, Rc<str>>) {
    if let Some(new) = names.get(&ident.name) {
        ident.name = new.clone();
    }
}

struct Scope<'n> {
    names: &'n Names,
    index: usize,
}

impl Scope<'_> {
    fn new_variable(&self, name: &Rc<str>) -> Option<&Rc<str>> {
        self.names.variables.get(&(self.index, name.clone()))
    }

    fn variables(&self, variables: &mut [Variable]) {
        use crate::ast::Initial;
        for variable in variables {
            self.variable(&mut variable.ident);
            match &mut variable.initial {
                Initial::Value(value) | Initial::Element(value) => self.expression(value),
                Initial::Default => {}
            }
        }
    }

    fn variable(&self, ident: &mut Ident) {
        if let Some(new) = self.new_variable(&ident.name) {
            ident.name = new.clone();
        }
    }

    fn label(&self, ident: &mut Ident) {
        if let Some(new) = self.names.labels.get(&(self.index, ident.name.clone())) {
            ident.name = new.clone();
        }
    }

    fn expression(&self, expression: &mut Expression) {
        let is_changed = |at: usize| {
            let token = &expression.tokens[at];
            let new = self.new_variable(&token.text).filter(|new| **new != token.text)?;
            is_variable(&expression.tokens, at).then(|| new.clone())
        };
        if (0..expression.tokens.len()).all(|at| is_changed(at).is_none()) {
            return;
        }
        *expression = expression.rewritten(|_, at| match is_changed(at) {
            Some(new) => Rewritten::Renamed(new.to_string(), Vec::new()),
            None => Rewritten::Same,
        });
    }

    fn list(&self, statements: &mut [Statement]) {
        for statement in statements {
            if let Some(label) = &mut statement.label {
                self.label(&mut label.ident);
            }
            match &mut statement.kind {
                StatementKind::Assign(assignments) => {
                    for Assignment {
                        variable,
                        path,
                        value,
                        ..
                    } in assignments
                    {
                        self.variable(variable);
                        self.expression(path);
                        self.expression(value);
                    }
                }
                StatementKind::If(condition, then, otherwise) => {
                    self.expression(condition);
                    self.list(then);
                    self.list(otherwise);
                }
                StatementKind::While(condition, body) => {
                    self.expression(condition);
                    self.list(body);
                }
                StatementKind::Either(branches) => branches.iter_mut().for_each(|branch| self.list(branch)),
                StatementKind::With(binding, body) => {
                    self.expression(&mut binding.value);
                    self.list(body);
                }
                StatementKind::Await(value) | StatementKind::Assert(value) | StatementKind::Print(value) => {
                    self.expression(value);
                }
                StatementKind::Goto(label) => self.label(label),
                StatementKind::Call(call) => {
                    replace(&mut call.procedure, &self.names.procedures);
                    call.arguments
                        .iter_mut()
                        .for_each(|argument| self.expression(argument));
                    if let AfterCall::Goto(label) = &mut call.after {
                        self.label(label);
                    }
                }
                StatementKind::Skip | StatementKind::Return | StatementKind::Macro(..) => {}
            }
        }
    }
}
