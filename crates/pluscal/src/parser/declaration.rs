//! Variables, define blocks, macros, procedures and processes.

use super::expression::Until;
use super::{Failed, Parsed, Parser};
use crate::ast::{Fairness, Ident, Initial, Macro, Procedure, Process, Variable};
use crate::expression::Expression;
use crate::fault::AlgorithmErrorKind;

impl Parser<'_> {
    /// Declarations after `variable` or `variables`, if there are some.
    pub(super) fn variables(&mut self, may_be_element: bool) -> Parsed<Vec<Variable>> {
        let mut variables = Vec::new();
        if !self.skip("variables") && !self.skip("variable") {
            return Ok(variables);
        }
        // All declarations may have been commented out.
        if self.peek().is_some_and(|token| token.is_keyword()) {
            return Ok(variables);
        }
        loop {
            variables.push(self.variable(may_be_element)?);
            let is_separated = self.skip(";") || self.skip(",");
            let is_name = self.peek().is_some_and(|token| token.is_name());
            if is_separated && is_name {
                continue;
            }
            let ends = self.peek().is_some_and(|token| token.is_keyword()) || self.is("{");
            if ends {
                return Ok(variables);
            }
            let message = format!("expected `;` or `,` after a variable but found {}", self.found());
            return self.fail_here(
                AlgorithmErrorKind::Syntax,
                message,
                "variables are separated by `,` or `;`; the last one ends with `;`",
            );
        }
    }

    fn variable(&mut self, may_be_element: bool) -> Parsed<Variable> {
        let ident = self.name("the name of a variable")?;
        let is_element = self.is("\\in") || self.is("∈");
        if is_element && !may_be_element {
            let message = format!(
                "`{}` belongs to a procedure, and cannot be any element of a set",
                ident.name
            );
            return self.fail_here(
                AlgorithmErrorKind::Syntax,
                message,
                "give it one value with `=`, and choose an element with a `with` statement",
            );
        }
        let initial = if is_element {
            self.next();
            Initial::Element(self.expression("a set", Until::Comma)?)
        } else if self.skip("=") {
            Initial::Value(self.expression("a value", Until::Comma)?)
        } else if self.is(":=") {
            return self.fail_here(
                AlgorithmErrorKind::Syntax,
                "a variable is declared with `=` or `\\in`, not with `:=`",
                "write `=` instead of `:=`",
            );
        } else {
            Initial::Default
        };
        Ok(Variable { ident, initial })
    }

    /// The definitions of the define block, if there is one.
    pub(super) fn define(&mut self) -> Parsed<Option<Expression>> {
        if !self.is("define") {
            return Ok(None);
        }
        let opened = self.here();
        self.next();
        if self.has_braces {
            self.expect("{", "the definitions stand between `{` and `}`")?;
        }
        let start = self.at;
        let mut depth = 0u32;
        while let Some(token) = self.peek() {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            }
            let ends = token.is("end") && self.is_ahead(1, "define");
            if ends && !self.has_braces {
                break;
            }
            self.at += 1;
        }
        let tokens = self.tokens.get(start..self.at).unwrap_or_default().to_vec();
        let has_end = if self.has_braces {
            self.skip("}")
        } else {
            self.skip("end") && self.skip("define")
        };
        if !has_end {
            self.at = start;
            let fault = crate::fault::AlgorithmError::new(
                AlgorithmErrorKind::Syntax,
                opened,
                "this define block is never closed",
            );
            let end = if self.has_braces { "}" } else { "end define" };
            self.report(fault.help(format!("close it with `{end}`")));
            return Err(Failed);
        }
        self.skip(";");
        Ok(Some(Expression { tokens }))
    }

    pub(super) fn macro_definition(&mut self) -> Parsed<Macro> {
        self.next();
        let ident = self.name("the name of the macro")?;
        self.expect(
            "(",
            "the parameters of a macro stand in parentheses, even if there are none",
        )?;
        let mut parameters: Vec<Ident> = Vec::new();
        while !self.is(")") {
            parameters.push(self.name("the name of a parameter")?);
            if !self.skip(",") {
                break;
            }
        }
        self.expect(")", "the parameters of a macro are names, separated by commas")?;
        self.open_body()?;
        let body = self.statements()?;
        self.close_body("macro")?;
        Ok(Macro {
            ident,
            parameters,
            body,
        })
    }

    pub(super) fn procedure(&mut self) -> Parsed<Procedure> {
        self.next();
        let ident = self.name("the name of the procedure")?;
        self.expect(
            "(",
            "the parameters of a procedure stand in parentheses, even if there are none",
        )?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            parameters.push(self.variable(false)?);
            if !self.skip(",") && !self.skip(";") {
                break;
            }
        }
        self.expect(")", "the parameters are separated by commas")?;
        let variables = self.variables(false)?;
        self.open_body()?;
        let body = self.statements()?;
        self.close_body("procedure")?;
        Ok(Procedure {
            ident,
            parameters,
            variables,
            body,
        })
    }

    pub(super) fn begins_process(&self) -> bool {
        let is_fair = self.is("fair") && !self.is_ahead(1, "{") && !self.is_ahead(1, "begin");
        self.is("process") || is_fair
    }

    pub(super) fn process(&mut self) -> Parsed<Process> {
        let fairness = match self.skip("fair") {
            true if self.skip("+") => Fairness::Strong,
            true => Fairness::Weak,
            false => Fairness::Unfair,
        };
        self.expect("process", "`fair` stands before `process`")?;
        let has_parenthesis = if self.has_braces {
            self.expect("(", "write `process (Name = id)` or `process (Name \\in Set)`")?;
            true
        } else {
            self.skip("(")
        };
        let ident = self.name("the name of the process")?;
        let is_set = self.skip("\\in") || self.skip("∈");
        if !is_set {
            self.expect(
                "=",
                "write `= id` for one process, `\\in Set` for a set of processes",
            )?;
        }
        let what = if is_set {
            "the set of identities"
        } else {
            "the identity of the process"
        };
        let id = self.expression(what, Until::Statement)?;
        if has_parenthesis {
            self.expect(")", "the parenthesis after `process` is not closed")?;
        }
        self.skip(";");
        let variables = self.variables(true)?;
        self.open_body()?;
        let body = self.statements()?;
        self.close_body("process")?;
        Ok(Process {
            ident,
            fairness,
            is_set,
            id,
            variables,
            body,
        })
    }
}
