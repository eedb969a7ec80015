//! Which unknown names are missing for one reason.
//!
//! A declaration that is left out makes every name it would have declared unknown; so does an EXTENDS, an INSTANCE or
//! the head of a definition. And where something is given a name that is taken, the name it should have is missing.
//! Each of these is one mistake and becomes one diagnostic that shows all its places.
//!
//! What counts as a slip of its own, and is never put together with another: a name nearly like one that is known, used
//! in one definition only; and a name in a definition that introduces another one and does not use it. So two misspelled
//! names remain two diagnostics.

use rustc_hash::{FxHashMap, FxHashSet};

use super::analyzer::Analyzer;
use super::entity::*;
use super::mistake::Taken;
use super::unknown::Unknown;
use crate::diagnostic::nearest;
use crate::names::Name;
use crate::syntax::ast::{ExprId, ExprKind, UnitId};
use crate::syntax::operators::Op;

/// How many names and places of one mistake are shown.
const MAX_NAMES: usize = 8;

/// So many misspelled names at once are less likely than one line that is missing.
const MANY: usize = 3;

/// How unknown names are used.
#[derive(Debug, Default)]
struct Uses {
    /// As variables are: primed, in UNCHANGED or a subscript, or in a list with such.
    as_variables: FxHashSet<Name>,
    /// In one set or tuple with each other.
    together: FxHashSet<Name>,
    /// How many letters a unit has among them.
    letters_of: FxHashMap<UnitId, usize>,
}

/// What an unknown name seems to be instead of a name that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    /// Nearly the name of something else.
    Near,
    /// Nearly the name of something that is not used otherwise, or a symbol of another language.
    Misspelled,
    /// What another name was introduced for, which is not used.
    Unused(EntityId),
}

impl Analyzer<'_> {
    /// Puts together what has one reason, once everything is known.
    pub(super) fn settle(&mut self) {
        if self.said.mistakes > 0 && self.is_advice_seen() {
            self.settle_names();
        }
        let gone = &self.said.gone;
        let told = &self.said.told;
        let mut number = 0..;
        self.diagnostics.retain(|_| {
            number
                .next()
                .is_none_or(|number| !gone.contains(&number) && !told.contains_key(&number))
        });
    }

    fn settle_names(&mut self) {
        let references = self.reference_counts();
        let mut unknown = std::mem::take(&mut self.said.unknown);
        let all = unknown.clone();
        self.note_bound_names();
        self.absorb(&mut unknown, |taken, unknown| taken.unit == unknown.unit);
        self.absorb_short(&mut unknown);
        let uses = self.uses_of(&unknown);
        let mut slips = FxHashMap::default();
        for name in &unknown {
            slips.extend(self.slip(name, &uses, &references).map(|slip| (name.name, slip)));
        }
        self.drop_unlike(&unknown, &mut slips);
        self.sum_up_counts(&references, &unknown, &slips);
        let is_near = |unknown: &Unknown| slips.contains_key(&unknown.name);
        self.absorb(&mut unknown, |_, unknown| !is_near(unknown));
        self.absorb(&mut unknown, |_, _| true);
        self.join_unused(&mut unknown, &slips);
        self.absorb_not_extended();
        self.absorb_late();
        self.join_unannounced();
        self.join_too_early();
        let mut modules: Vec<ModuleId> = unknown.iter().map(|name| self.outermost(name.module)).collect();
        modules.sort_unstable();
        modules.dedup();
        for module in modules {
            let here = unknown
                .iter()
                .filter(|name| self.outermost(name.module) == module)
                .cloned();
            let (near, missing): (Vec<Unknown>, Vec<Unknown>) = here.partition(is_near);
            self.group(module, missing, near, &uses.as_variables);
        }
        self.join_lines(&all, &slips);
        self.join_lost_lines(&all, &slips);
        self.join_unextended(&all, &slips);
        self.join_spots();
        self.join_misused();
        let misused = std::mem::take(&mut self.said.misused);
        let raised = |cause: EntityId| self.said.raised.get(&cause).copied();
        let misused = misused
            .iter()
            .filter_map(|(cause, number)| Some((raised(*cause)?, *number)));
        let misused: Vec<(usize, usize)> = misused.collect();
        for (a, b) in misused.into_iter().chain(std::mem::take(&mut self.said.follows)) {
            self.add_to(a.min(b), a.max(b));
        }
    }

    /// How often each entity is referred to.
    fn reference_counts(&self) -> FxHashMap<EntityId, usize> {
        let mut counts = FxHashMap::default();
        for resolved in self.spec.resolved.iter().flatten() {
            let entity = match resolved {
                Resolved::Nothing => continue,
                Resolved::Entity(entity) => *entity,
                Resolved::Reference(number) => match self.spec.references.get(*number as usize) {
                    Some(reference) => reference.entity,
                    None => continue,
                },
            };
            *counts.entry(entity).or_insert(0) += 1;
        }
        counts
    }

    /// Lets every name that is taken explain one unknown name: what was introduced under it was meant to have that one.
    fn absorb(&mut self, unknown: &mut Vec<Unknown>, fits: impl Fn(&Taken, &Unknown) -> bool) {
        let mut taken: Vec<((ModuleId, Name), Taken)> = self.said.taken.drain().collect();
        taken.sort_by_key(|(_, taken)| taken.diagnostic);
        for ((module, name), taken) in taken {
            let file = self.outermost(module);
            let found = unknown
                .iter()
                .position(|unknown| self.outermost(unknown.module) == file && fits(&taken, unknown));
            let Some(at) = found else {
                self.said.taken.insert((module, name), taken);
                continue;
            };
            let missing = unknown.remove(at);
            self.absorb_name(taken, missing.name, missing.diagnostic);
        }
    }

    /// A name that is not defined because its definition has the name that is taken.
    fn absorb_name(&mut self, taken: Taken, missing: Name, diagnostic: usize) {
        self.add_to(taken.diagnostic, diagnostic);
        let text = self.text(missing);
        if let Some(diagnostic) = self.diagnostics.get_mut(taken.diagnostic) {
            diagnostic.help = Some(format!(
                "TLA+ has no shadowing: choose another name; was it to be `{text}`?"
            ));
        }
    }

    /// A single name that a module of the program happens to define may be meant for what has a taken name.
    fn absorb_not_extended(&mut self) {
        for line in std::mem::take(&mut self.said.not_extended) {
            let mut taken = self.said.taken.iter();
            let taken = taken.find(|((module, _), _)| *module == line.module);
            match (taken, line.only) {
                (Some((_, taken)), Some(name)) => self.absorb_name(*taken, name, line.diagnostic),
                _ => self.said.not_extended.push(line),
            }
        }
    }

    /// Where what announces or declares a name got one that is taken, uses of the name come too early: before its
    /// definition, or inside.
    fn absorb_late(&mut self) {
        for late in self.said.late.clone() {
            let mut taken = self.said.taken.iter();
            let is_announced = |taken: &Taken| {
                let by = self.said.taken_by.get(&taken.diagnostic);
                by.is_some_and(|by| matches!(self.spec.entity(*by).kind, EntityKind::Announced))
            };
            let explains = |taken: &Taken| late.is_own || is_announced(taken);
            let taken = taken.find(|((module, _), taken)| *module == late.module && explains(taken));
            if let Some((_, taken)) = taken {
                self.absorb_name(*taken, late.name, late.diagnostic);
            }
        }
    }

    /// A definition with fewer parameters than announced leaves names without a meaning.
    fn absorb_short(&mut self, unknown: &mut Vec<Unknown>) {
        for (module, short) in std::mem::take(&mut self.said.short) {
            let is_short = |name: &Unknown| (name.module, name.unit) == (module, short.unit);
            for name in unknown.extract_if(.., |name| is_short(name)).collect::<Vec<_>>() {
                self.add_to(short.diagnostic, name.diagnostic);
            }
        }
    }

    /// The diagnostic that tells what the one with the given number would.
    pub(super) fn teller(&self, mut number: usize) -> usize {
        while let Some(by) = self.said.told.get(&number) {
            number = *by;
        }
        number
    }

    /// Makes a diagnostic another place of the one with the given number.
    pub(super) fn add_to(&mut self, number: usize, missing: usize) {
        let (number, missing) = (self.teller(number), self.teller(missing));
        if number == missing {
            return;
        }
        let Some(own) = self.diagnostics.get(missing).cloned() else {
            return;
        };
        if let Some(diagnostic) = self.diagnostics.get_mut(number) {
            self.said.told.insert(missing, number);
            if diagnostic.labels.len() < MAX_NAMES {
                *diagnostic = diagnostic.clone().label(own.source, own.span, own.message);
            }
        }
    }

    /// What an unknown name is instead of a missing one, if it is.
    fn slip(&self, unknown: &Unknown, uses: &Uses, references: &FxHashMap<EntityId, usize>) -> Option<Slip> {
        let is_used = |entity: &EntityId| references.contains_key(entity);
        let unused = unknown.locals.iter().copied().find(|local| !is_used(local));
        if let Some(unused) = unused.filter(|_| !unknown.is_elsewhere) {
            return Some(Slip::Unused(unused));
        }
        let is_variable = |entity: &EntityId| matches!(self.spec.entity(*entity).kind, EntityKind::Variable);
        let may_be = |meant: &EntityId| {
            let fits = !uses.as_variables.contains(&unknown.name) || is_variable(meant);
            fits && !uses.together.contains(&unknown.name)
        };
        let letters = uses.letters_of.get(&unknown.unit).copied().unwrap_or(0);
        let letter = unknown.letter.filter(|_| letters == 1);
        let meant = unknown.near.or(letter).filter(may_be);
        match meant {
            _ if unknown.is_foreign => Some(Slip::Misspelled),
            Some(meant) if !is_used(&meant) && unknown.near.is_some() => Some(Slip::Misspelled),
            Some(meant) if !unknown.is_elsewhere || !is_used(&meant) => Some(Slip::Near),
            _ => None,
        }
    }

    /// The module of a file that a module is in.
    pub(super) fn outermost(&self, module: ModuleId) -> ModuleId {
        let tree = self.spec.module(module).tree;
        let mut modules = self.spec.modules.iter();
        let first = modules.position(|module| module.tree == tree);
        first.map_or(module, |first| ModuleId(first as u32))
    }

    /// Where a line is missing anyway, what merely is unused is what an unknown name was to be only if they are alike.
    fn drop_unlike(&self, unknown: &[Unknown], slips: &mut FxHashMap<Name, Slip>) {
        let line_lacks = |file: ModuleId| {
            let mut lines = self.said.not_extended.iter();
            lines.any(|line| line.no_line && self.outermost(line.module) == file)
                || unknown
                    .iter()
                    .any(|name| !slips.contains_key(&name.name) && self.outermost(name.module) == file)
        };
        let is_alike = |name: Name, unused: EntityId| {
            let (a, b) = (
                self.spec.names.text(name),
                self.spec.names.text(self.spec.entity(unused).name),
            );
            let are_letters = a.chars().count() == 1 && b.chars().count() == 1;
            let (long, short) = if a.len() > b.len() { (a, b) } else { (b, a) };
            let is_part = long.contains(short) && long.len() <= 2 * short.len();
            are_letters || is_part || nearest(a, std::iter::once(b)).is_some()
        };
        let unlike: Vec<Name> = unknown
            .iter()
            .filter(|name| match slips.get(&name.name) {
                Some(Slip::Unused(unused)) => {
                    !is_alike(name.name, *unused) && line_lacks(self.outermost(name.module))
                }
                _ => false,
            })
            .map(|name| name.name)
            .collect();
        slips.retain(|name, _| !unlike.contains(name));
    }

    /// Whether there is little doubt about what an unknown name should have been.
    pub(super) fn is_certain(&self, unknown: &Unknown, slips: &FxHashMap<Name, Slip>) -> bool {
        match slips.get(&unknown.name) {
            Some(Slip::Misspelled) => !self.is_bound_elsewhere(unknown),
            Some(Slip::Unused(unused)) => {
                let unused = self.spec.names.text(self.spec.entity(*unused).name);
                nearest(self.spec.names.text(unknown.name), std::iter::once(unused)).is_some()
            }
            Some(Slip::Near) | None => false,
        }
    }

    /// Unknown names that stand for the same unused name are one mistake: `F(a, b)` written as `F(ab)`.
    fn join_unused(&mut self, unknown: &mut Vec<Unknown>, slips: &FxHashMap<Name, Slip>) {
        let mut first: FxHashMap<EntityId, usize> = FxHashMap::default();
        unknown.retain(|unknown| {
            let Some(Slip::Unused(meant)) = slips.get(&unknown.name) else {
                return true;
            };
            match first.get(meant).copied() {
                Some(known) => self.add_to(known, unknown.diagnostic),
                None => {
                    first.insert(*meant, unknown.diagnostic);
                    self.point_at_unused(unknown.diagnostic, *meant);
                }
            }
            false
        });
    }

    /// Shows a name that is introduced and never used where another one is unknown.
    fn point_at_unused(&mut self, number: usize, unused: EntityId) {
        let entity = self.spec.entity(unused);
        let text = self.spec.names.text(entity.name);
        let (source, span) = (entity.source, entity.span);
        let message = format!("`{text}` is introduced here and never used");
        if let Some(diagnostic) = self.diagnostics.get_mut(number) {
            diagnostic.help = Some(format!("did you mean `{text}`?"));
            *diagnostic = diagnostic.clone().label(source, span, message);
        }
    }

    /// How unknown names are used.
    fn uses_of(&self, unknown: &[Unknown]) -> Uses {
        let names: FxHashSet<Name> = unknown.iter().map(|unknown| unknown.name).collect();
        let mut uses = Uses::default();
        for letter in unknown.iter().filter(|unknown| unknown.letter.is_some()) {
            *uses.letters_of.entry(letter.unit).or_insert(0) += 1;
        }
        let mut lists: Vec<Vec<Name>> = Vec::new();
        for tree in self.trees.iter().filter(|_| names.len() > 1) {
            let names_in = |id: ExprId| -> Vec<Name> {
                let name_of = |id: ExprId| match &tree.expr(id).kind {
                    ExprKind::Apply(ident, args) if args.is_empty() => Some(ident.name),
                    _ => None,
                };
                let found = match &tree.expr(id).kind {
                    ExprKind::Tuple(parts) | ExprKind::SetEnum(parts) => {
                        parts.iter().filter_map(|part| name_of(*part)).collect()
                    }
                    _ => Vec::from_iter(name_of(id)),
                };
                found.into_iter().filter(|name| names.contains(name)).collect()
            };
            for (number, expr) in tree.exprs.iter().enumerate() {
                match &expr.kind {
                    ExprKind::Postfix(Op::Prime, part)
                    | ExprKind::Prefix(Op::Unchanged, part)
                    | ExprKind::Action(_, _, part)
                    | ExprKind::Fairness(_, part, _) => uses.as_variables.extend(names_in(*part)),
                    ExprKind::Tuple(_) | ExprKind::SetEnum(_) => lists.push(names_in(ExprId(number as u32))),
                    _ => {}
                }
            }
        }
        lists.retain(|list| list.iter().any(|name| Some(name) != list.first()));
        uses.together.extend(lists.iter().flatten().copied());
        // A list with a variable in it is one of variables, also of those that are never primed; another list may lead
        // further.
        loop {
            let before = uses.as_variables.len();
            for list in &lists {
                if list.iter().any(|name| uses.as_variables.contains(name)) {
                    uses.as_variables.extend(list.iter().copied());
                }
            }
            if uses.as_variables.len() == before {
                return uses;
            }
        }
    }

    /// Puts the names together that a module misses for one reason: those that are `missing`, and those that are `near`
    /// to others where something is missing anyway.
    fn group(
        &mut self,
        module: ModuleId,
        mut missing: Vec<Unknown>,
        near: Vec<Unknown>,
        variables: &FxHashSet<Name>,
    ) {
        let info = self.spec.module(module);
        let syntax = self
            .trees
            .get(info.tree.0 as usize)
            .map(|tree| tree.module(info.index));
        let extends_nothing = syntax.is_some_and(|module| module.extends.is_empty());
        let only_variables_lack = info.variables.is_empty() && !info.constants.is_empty();
        let mut not_extended = self.said.not_extended.iter();
        let line = not_extended.find(|line| line.no_line && self.outermost(line.module) == module);
        let line = line.map(|line| (line.diagnostic, line.advice()));
        let is_incomplete = extends_nothing || info.constants.is_empty();
        let units: FxHashSet<UnitId> = missing.iter().map(|name| name.unit).collect();
        let many_lack = near.len() >= MANY && info.constants.is_empty();
        let is_missing = !missing.is_empty() || many_lack;
        missing.extend(
            near.into_iter()
                .filter(|name| is_missing && (is_incomplete || units.contains(&name.unit))),
        );
        missing.sort_by_key(|name| name.diagnostic);
        let doubtful = self.said.not_extended.iter().filter(|line| line.is_doubtful());
        let doubtful = doubtful.filter(|line| self.outermost(line.module) == module);
        let doubtful: Vec<usize> = doubtful.map(|line| line.diagnostic).collect();
        if let Some(first) = missing.first().map(|name| name.diagnostic) {
            for line in doubtful {
                self.add_to(first.min(line), first.max(line));
            }
        }
        if let Some((number, advice)) = line.filter(|_| !missing.is_empty()) {
            for name in &missing {
                self.add_to(number, name.diagnostic);
            }
            let names = self.listed(&missing);
            if let Some(diagnostic) = self.diagnostics.get_mut(number) {
                diagnostic.help = Some(format!("{advice}, and the module that defines {names}"));
            }
            return;
        }
        let is_variable = |unknown: &Unknown| variables.contains(&unknown.name);
        let (varying, fixed): (Vec<Unknown>, Vec<Unknown>) = missing.iter().cloned().partition(is_variable);
        if varying.is_empty() || fixed.is_empty() {
            self.join_names(&missing, !varying.is_empty());
        } else if extends_nothing || only_variables_lack {
            self.join_names(&missing, only_variables_lack);
        } else {
            self.join_names(&varying, true);
            self.join_names(&fixed, false);
        }
    }

    /// Makes one diagnostic of several unknown names.
    fn join_names(&mut self, missing: &[Unknown], are_variables: bool) {
        let [first, others @ ..] = missing else {
            return;
        };
        if others.is_empty() {
            return;
        }
        let listed = self.listed(missing);
        let plain: Vec<&str> = missing
            .iter()
            .take(MAX_NAMES)
            .map(|unknown| self.spec.names.text(unknown.name))
            .collect();
        let plain = plain.join(", ");
        let help = if are_variables {
            format!("is a declaration missing? `VARIABLES {plain}`")
        } else {
            format!(
                "is a declaration missing (`CONSTANTS {plain}`), or an EXTENDS, an INSTANCE or a definition?"
            )
        };
        if let Some(diagnostic) = self.diagnostics.get_mut(first.diagnostic) {
            diagnostic.message = format!("{listed} are not defined");
            diagnostic.help = Some(help);
        }
        for name in others {
            self.add_to(first.diagnostic, name.diagnostic);
        }
    }

    /// Names in a sentence.
    fn listed(&self, names: &[Unknown]) -> String {
        let quoted = |unknown: &Unknown| format!("`{}`", self.spec.names.text(unknown.name));
        let shown: Vec<String> = names.iter().take(MAX_NAMES).map(quoted).collect();
        match (shown.as_slice(), names.len().saturating_sub(MAX_NAMES)) {
            ([only], _) => only.clone(),
            ([init @ .., last], 0) => format!("{} and {last}", init.join(", ")),
            (_, more) => format!("{} and {more} more", shown.join(", ")),
        }
    }
}
