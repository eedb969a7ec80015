//! Definitions whose first line is missing.
//!
//! Where the line `Send(p, q) == /\ p # q` is lost, the rest of its definition continues the one before it, if a bullet
//! or a junction begins it. Then what was swallowed uses parameters that nobody introduces, introduces names that the
//! definition before has introduced already, uses that definition inside itself, or makes an action of what was none;
//! and whoever uses `Send` does not find it. All of that is one mistake.
//!
//! A definition counts as one that swallowed another only if a line inside it begins with a junction and all its
//! mistakes come after that. A misspelled name alone is no sign: it must be the name of a parameter or bound name
//! somewhere else.

use rustc_hash::FxHashMap;

use super::analyzer::Analyzer;
use super::entity::*;
use super::grouping::Slip;
use super::unknown::Unknown;
use crate::diagnostic::Class;
use crate::names::Name;
use crate::syntax::ast::UnitId;

/// What a mistake in a definition says about whether another one was swallowed, the least telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    /// Nothing: it may well be a mistake of its own.
    None,
    /// It fits, if the name of a definition is missing for no other reason.
    Weak,
    /// It fits, if the name of a definition is missing as well.
    Likely,
    /// It is hard to explain otherwise.
    Strong,
}

impl Analyzer<'_> {
    /// Puts together what follows from a lost first line, for every definition that seems to have swallowed another.
    pub(super) fn join_lost_lines(&mut self, unknown: &[Unknown], slips: &FxHashMap<Name, Slip>) {
        let mut units: Vec<(ModuleId, UnitId)> = self.said.origins.values().copied().collect();
        let causes = self.said.raised_through.values().flatten();
        units.extend(causes.filter_map(|cause| self.unit_of(*cause)));
        units.sort_unstable();
        units.dedup();
        for (module, unit) in units {
            self.join_lost_line(module, unit, unknown, slips);
        }
    }

    fn join_lost_line(
        &mut self,
        module: ModuleId,
        unit: UnitId,
        unknown: &[Unknown],
        slips: &FxHashMap<Name, Slip>,
    ) {
        let mut signs: Vec<(usize, Sign)> = Vec::new();
        for (number, _) in self.said.origins.iter().filter(|(_, at)| **at == (module, unit)) {
            signs.push((*number, self.sign(*number, module, unit, unknown, slips)));
        }
        for (number, causes) in &self.said.raised_through {
            let is_here = causes
                .iter()
                .any(|cause| self.unit_of(*cause) == Some((module, unit)));
            if is_here && !signs.iter().any(|(known, _)| known == number) {
                signs.push((*number, Sign::Weak));
            }
        }
        signs.sort_unstable_by_key(|(number, _)| *number);
        let inside = |number: &usize| self.said.origins.get(number) == Some(&(module, unit));
        let first = signs.iter().map(|(number, _)| *number).find(inside);
        let is_strong = signs.iter().any(|(_, sign)| *sign == Sign::Strong);
        let is_unknown = |number: usize| unknown.iter().any(|unknown| unknown.diagnostic == number);
        let is_doubtful =
            |(number, sign): &(usize, Sign)| *sign == Sign::None && !(is_strong && is_unknown(*number));
        if signs.iter().any(is_doubtful) || !self.is_broken(module, unit, first) {
            return;
        }
        let is_likely = signs.iter().any(|(_, sign)| *sign >= Sign::Likely);
        let missing = unknown.iter().find(|name| {
            let is_slip = slips.contains_key(&name.name);
            let may_be = match (is_strong, is_likely) {
                (true, _) => true,
                (_, true) => !self.is_certain(name, slips),
                _ => !is_slip,
            };
            name.module == module && name.unit > unit && !name.is_foreign && may_be
        });
        let missing = missing.map(|name| (name.name, name.diagnostic));
        let missing = missing.or_else(|| self.doubtful_after(module, unit));
        let mut together: Vec<usize> = signs.iter().map(|(number, _)| *number).collect();
        match missing {
            Some((_, diagnostic)) => together.push(diagnostic),
            None if is_strong => {}
            None => return,
        }
        together.sort_unstable();
        let [first, others @ ..] = together.as_slice() else {
            return;
        };
        for other in others {
            self.add_to(*first, *other);
        }
        let teller = self.teller(*first);
        if let (Some((name, _)), Some(diagnostic)) = (missing, self.diagnostics.get_mut(teller)) {
            let name = self.spec.names.text(name);
            diagnostic.help = Some(format!(
                "is the line missing that begins the definition of `{name}`?"
            ));
        }
    }

    /// A name that is missing after a unit and happens to be defined by a module of the program.
    fn doubtful_after(&self, module: ModuleId, unit: UnitId) -> Option<(Name, usize)> {
        let mut lines = self.said.not_extended.iter().filter(|line| line.is_doubtful());
        let line = lines.find(|line| {
            let origin = self.said.origins.get(&line.diagnostic);
            origin.is_some_and(|(at, later)| *at == module && *later > unit)
        })?;
        Some((line.only?, line.diagnostic))
    }

    /// What a mistake of a definition says.
    fn sign(
        &self,
        number: usize,
        module: ModuleId,
        unit: UnitId,
        unknown: &[Unknown],
        slips: &FxHashMap<Name, Slip>,
    ) -> Sign {
        if let Some(late) = self.said.late.iter().find(|late| late.diagnostic == number) {
            return if late.is_own { Sign::Strong } else { Sign::Weak };
        }
        if let Some(taken) = self.said.taken_by.get(&number) {
            let is_inside = self.unit_of(*taken) == Some((module, unit));
            return if is_inside { Sign::Strong } else { Sign::None };
        }
        if let Some(unknown) = unknown.iter().find(|unknown| unknown.diagnostic == number) {
            let is_slip = slips.contains_key(&unknown.name);
            return match (self.is_bound_elsewhere(unknown), is_slip) {
                (true, _) if !self.is_certain(unknown, slips) => Sign::Likely,
                (true, _) => Sign::None,
                (false, is_slip) if is_slip && unknown.near.is_some() => Sign::None,
                (false, _) => Sign::Weak,
            };
        }
        match self.diagnostics.get(number).map(|diagnostic| diagnostic.class) {
            Some(Class::Level) => Sign::Weak,
            _ => Sign::None,
        }
    }

    /// Notes the names that the user's definitions have for parameters and bound names.
    pub(super) fn note_bound_names(&mut self) {
        let is_bound = |entity: &&Entity| matches!(entity.kind, EntityKind::Parameter | EntityKind::Bound);
        let is_ours = |entity: &&Entity| self.files.is_library.get(entity.tree.0 as usize) == Some(&true);
        let entities = self.spec.entities.iter().filter(is_bound);
        let bound = entities
            .filter(|entity| !is_ours(entity))
            .map(|entity| entity.name);
        self.said.bound_names = bound.collect();
    }

    /// Whether other definitions of the user's have a parameter or bound name that is called like an unknown name.
    pub(super) fn is_bound_elsewhere(&self, unknown: &Unknown) -> bool {
        self.said.bound_names.contains(&unknown.name)
    }

    /// The unit of a module that an entity is introduced in.
    fn unit_of(&self, entity: EntityId) -> Option<(ModuleId, UnitId)> {
        let entity = self.spec.entity(entity);
        let module = self.spec.module(entity.module);
        let tree = self.trees.get(module.tree.0 as usize)?;
        let units = &tree.module(module.index).units;
        let after = units.partition_point(|unit| tree.unit(*unit).span.start <= entity.span.start);
        let unit = *units.get(after.checked_sub(1)?)?;
        let is_inside = entity.tree == module.tree && entity.span.end <= tree.unit(unit).span.end;
        is_inside.then_some((entity.module, unit))
    }

    /// Whether a line of a unit, after its first and before its first mistake, begins with a junction.
    fn is_broken(&self, module: ModuleId, unit: UnitId, mistake: Option<usize>) -> bool {
        let module = self.spec.module(module);
        let Some(tree) = self.trees.get(module.tree.0 as usize) else {
            return false;
        };
        let span = tree.unit(unit).span;
        let text = self.spec.sources.get(tree.source).slice(span);
        let mistake = mistake.and_then(|number| self.diagnostics.get(number));
        let before = mistake.map_or(text.len(), |mistake| {
            mistake.span.start.saturating_sub(span.start) as usize
        });
        let mut end = 0;
        let mut lines = text.split_inclusive('\n').map(|line| {
            let start = end;
            end += line.len();
            (start, line.trim_start())
        });
        let begins = |line: &str| ["/\\", "\\/", "∧", "∨"].iter().any(|sign| line.starts_with(sign));
        lines.next();
        lines.any(|(start, line)| start <= before && begins(line))
    }
}
