//! `Next`, `Spec`, and what they say about termination.

use crate::ast::{AfterCall, Algorithm, Body, Statement, StatementKind};
use crate::fairness::Fair;
use crate::step::steps;
use crate::translate::Translator;

/// What stands before the actions of procedures in `Next`.
const BEFORE_PROCEDURES: &str = "Next == \\/ (\\E self \\in ProcSet: \\/ ";

/// Whether the algorithm never ends: some process, or the body, is one loop without an end, and nothing jumps out.
fn never_ends(algorithm: &Algorithm) -> bool {
    let is_loop = |body: &[Statement]| matches!(body, [only] if matches!(&only.kind, StatementKind::While(condition, _) if condition.is_word("TRUE")));
    match &algorithm.body {
        Body::Single(body) => is_loop(body) && !goes_to_done(body),
        Body::Processes(processes) => {
            processes.iter().any(|process| is_loop(&process.body))
                && !processes.iter().any(|process| goes_to_done(&process.body))
        }
    }
}

fn goes_to_done(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Goto(label) => &*label.name == "Done",
        StatementKind::Call(call) => {
            matches!(&call.after, AfterCall::Goto(label) if &*label.name == "Done")
        }
        kind => kind.inner().iter().any(|inner| goes_to_done(inner)),
    })
}

impl Translator<'_> {
    /// `Terminating`, `Next`, `Spec` and `Termination`.
    pub(super) fn next(&mut self) {
        let ends = !never_ends(self.algorithm);
        let has_terminating = ends && self.has_pc && !self.options.no_done_disjunct;
        let done = if self.has_processes() {
            "\\A self \\in ProcSet: pc[self] = \"Done\""
        } else {
            "pc = \"Done\""
        };
        if has_terminating {
            self.push("(* Allow infinite stuttering to prevent deadlock on termination. *)");
            self.out.line(0);
            if self.has_processes() {
                self.push(&format!("Terminating == /\\ {done}"));
                self.out.line("Terminating == ".len() as u32);
                self.push("/\\ UNCHANGED vars");
            } else {
                self.push(&format!("Terminating == {done} /\\ UNCHANGED vars"))
            }
            self.out.line(0);
            self.out.line(0);
        }
        self.next_action(has_terminating);
        self.spec();
        if ends && self.has_pc {
            self.push(&format!("Termination == <>({done})"));
            self.out.line(0);
            self.out.line(0);
        }
    }

    fn next_action(&mut self, has_terminating: bool) {
        let algorithm = self.algorithm;
        if let (Body::Single(body), false) = (&algorithm.body, self.has_pc) {
            if let [only] = &*steps(algorithm, body, None) {
                self.loop_action("Next == ", only.span, only, None);
            }
            return;
        }
        let mut names: Vec<String> = Vec::new();
        match &algorithm.body {
            Body::Single(body) => {
                names.extend(
                    algorithm
                        .procedures
                        .iter()
                        .map(|procedure| procedure.ident.name.to_string()),
                );
                let list = steps(algorithm, body, None);
                names.extend(list.iter().map(|step| step.label.ident.name.to_string()));
            }
            Body::Processes(processes) => {
                let single = processes.iter().filter(|process| !process.is_set);
                names.extend(single.map(|process| process.ident.name.to_string()));
                let procedures = algorithm.procedures.iter();
                let procedures: Vec<String> = procedures
                    .map(|procedure| format!("{}(self)", procedure.ident.name))
                    .collect();
                if !procedures.is_empty() {
                    // The reference translator makes a list of what does not fit into a line.
                    let list = if self.fit_into_a_line(&procedures) {
                        ""
                    } else {
                        " \\/ "
                    };
                    let procedures = procedures.join(" \\/ ");
                    names.push(format!("(\\E self \\in ProcSet: {list}{procedures})"));
                }
                let sets = processes.iter().filter(|process| process.is_set);
                names.extend(sets.map(|process| {
                    format!(
                        "(\\E self \\in {}: {}(self))",
                        process.id.to_line(),
                        process.ident.name
                    )
                }));
            }
        }
        self.push("Next == ");
        let column = self.out.column() + 3;
        self.choices(&names, self.span);
        if has_terminating {
            self.out.line(column);
            self.push("\\/ Terminating");
        }
        self.out.line(0);
        self.out.line(0);
    }

    /// Whether the actions of all procedures stand on one line of `Next`.
    fn fit_into_a_line(&self, procedures: &[String]) -> bool {
        let width = procedures.join(" \\/ ").len();
        let room = (self.options.line_width as usize).saturating_sub(BEFORE_PROCEDURES.len());
        width <= room
    }

    fn spec(&mut self) {
        let fair = Fair {
            algorithm: self.algorithm,
            options: self.options,
        };
        let conjuncts = fair.conjuncts();
        if conjuncts.is_empty() {
            self.push("Spec == Init /\\ [][Next]_vars");
        } else {
            self.push("Spec == /\\ Init /\\ [][Next]_vars");
            for conjunct in conjuncts {
                self.out.line("Spec == ".len() as u32);
                self.push(&format!("/\\ {conjunct}"));
            }
        }
        self.out.line(0);
        self.out.line(0);
    }
}
