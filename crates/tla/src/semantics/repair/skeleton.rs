//! What the rest of a spec sees of a part of its text: which units there are, and what they introduce.
//!
//! An edit that leaves this as it was changes the inside of definitions only. It cannot give a meaning to a name that is
//! used elsewhere, take one away, or change how many arguments something takes.

use std::fmt::Write as _;

use crate::names::Names;
use crate::syntax::ast::{OpDecl, Tree, Unit, UnitKind};

/// The outside of everything in a tree that was read from the given text.
pub(super) fn skeleton(tree: &Tree, names: &Names, text: &str) -> String {
    let mut out = String::new();
    for module in &tree.modules {
        let _ = writeln!(out, "MODULE {}", names.text(module.name.name));
        for extended in &module.extends {
            let _ = writeln!(out, "EXTENDS {}", names.text(extended.name));
        }
        for unit in &module.units {
            write_unit(&mut out, tree.unit(*unit), names, text);
        }
    }
    out
}

fn write_unit(out: &mut String, unit: &Unit, names: &Names, text: &str) {
    if unit.local {
        out.push_str("LOCAL ");
    }
    match &unit.kind {
        UnitKind::Operator { name, params, .. } => {
            write_declared(out, name, names);
            for param in params {
                write_declared(out, param, names);
            }
            out.push_str("==");
        }
        UnitKind::Function { name, .. } => {
            let _ = write!(out, "{}[]", names.text(name.name));
        }
        UnitKind::Assume { name, .. } | UnitKind::Theorem { name, .. } => {
            let name = name.map_or("", |name| names.text(name.name));
            let _ = write!(out, "FACT {name}");
        }
        UnitKind::Constants(_)
        | UnitKind::Variables(_)
        | UnitKind::Recursive(_)
        | UnitKind::NamedInstance { .. }
        | UnitKind::Instance(_)
        | UnitKind::Module(_)
        | UnitKind::Separator
        | UnitKind::UseOrHide => {
            let words = text.get(unit.span.start as usize..unit.span.end as usize);
            out.push_str(words.unwrap_or(""));
        }
    }
    out.push('\n');
}

fn write_declared(out: &mut String, declared: &OpDecl, names: &Names) {
    let _ = write!(out, "{}/{} ", names.text(declared.ident.name), declared.arity);
}
