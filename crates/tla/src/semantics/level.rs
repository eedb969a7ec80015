//! Levels: how much of a behaviour a formula can see.
//!
//! The level of an expression depends on what is put in for parameters and for the constants of its module, so next to
//! the level itself ([`LevelOf::level`], with every parameter taken as constant) stands the set of parameters that can
//! raise it. Such sets are few and repeat endlessly; they are kept once each in [`ParamSets`] and named by number, and
//! the union of two is looked up, not computed, after the first time.

use rustc_hash::FxHashMap;

use super::entity::EntityId;

/// The four levels, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Level {
    /// The same in every state.
    #[default]
    Constant,
    /// Depends on one state.
    State,
    /// Depends on two consecutive states.
    Action,
    /// Depends on a whole behaviour.
    Temporal,
}

impl Level {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Level::Constant => "constant",
            Level::State => "state",
            Level::Action => "action",
            Level::Temporal => "temporal",
        }
    }
}

/// Names a set of parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ParamSet(u32);

impl ParamSet {
    /// The set without parameters.
    pub const EMPTY: ParamSet = ParamSet(0);
}

/// The level of an expression, and the parameters and constants that can raise it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelOf {
    /// The level if every parameter is constant.
    pub level: Level,
    /// What can raise it.
    pub params: ParamSet,
}

impl LevelOf {
    /// A level that nothing can raise.
    pub fn fixed(level: Level) -> Self {
        Self {
            level,
            params: ParamSet::EMPTY,
        }
    }
}

/// All sets of parameters, once each.
#[derive(Debug)]
pub struct ParamSets {
    sets: Vec<Box<[EntityId]>>,
    numbers: FxHashMap<Box<[EntityId]>, ParamSet>,
    unions: FxHashMap<(ParamSet, ParamSet), ParamSet>,
}

impl Default for ParamSets {
    fn default() -> Self {
        let empty: Box<[EntityId]> = Box::new([]);
        let numbers = FxHashMap::from_iter([(empty.clone(), ParamSet::EMPTY)]);
        Self {
            sets: vec![empty],
            numbers,
            unions: FxHashMap::default(),
        }
    }
}

impl ParamSets {
    /// The members, in order.
    pub fn members(&self, set: ParamSet) -> &[EntityId] {
        self.sets.get(set.0 as usize).map_or(&[], |members| members)
    }

    /// The set of the given members.
    pub fn of(&mut self, mut members: Vec<EntityId>) -> ParamSet {
        members.sort_unstable();
        members.dedup();
        let members: Box<[EntityId]> = members.into();
        if let Some(set) = self.numbers.get(&members) {
            return *set;
        }
        let set = ParamSet(self.sets.len() as u32);
        self.sets.push(members.clone());
        self.numbers.insert(members, set);
        set
    }

    /// The union of two sets.
    pub fn union(&mut self, a: ParamSet, b: ParamSet) -> ParamSet {
        if a == b || b == ParamSet::EMPTY {
            return a;
        }
        if a == ParamSet::EMPTY {
            return b;
        }
        let key = if a.0 < b.0 { (a, b) } else { (b, a) };
        if let Some(set) = self.unions.get(&key) {
            return *set;
        }
        let both = [self.members(a), self.members(b)].concat();
        let set = self.of(both);
        self.unions.insert(key, set);
        set
    }

    /// The level of something made of both.
    pub fn join(&mut self, a: LevelOf, b: LevelOf) -> LevelOf {
        LevelOf {
            level: a.level.max(b.level),
            params: self.union(a.params, b.params),
        }
    }

    /// The level of something made of many. Long lists become one set at once, not one for each beginning of the list.
    pub fn join_all(&mut self, parts: &[LevelOf]) -> LevelOf {
        if let [part] = parts {
            return *part;
        }
        let level = parts.iter().map(|part| part.level).max().unwrap_or_default();
        let mut sets: Vec<ParamSet> = parts.iter().map(|part| part.params).collect();
        sets.sort_unstable_by_key(|set| set.0);
        sets.dedup();
        let params = match sets.as_slice() {
            [] => ParamSet::EMPTY,
            [one] => *one,
            [one, two] => self.union(*one, *two),
            many => {
                let members = many.iter().flat_map(|set| self.members(*set)).copied().collect();
                self.of(members)
            }
        };
        LevelOf { level, params }
    }

    /// The level after some parameters have been given values: `value` says which.
    pub fn substitute(&mut self, of: LevelOf, value: impl Fn(EntityId) -> Option<LevelOf>) -> LevelOf {
        let members = self.members(of.params).to_vec();
        if members.iter().all(|m| value(*m).is_none()) {
            return of;
        }
        let mut result = LevelOf::fixed(of.level);
        let mut kept = Vec::new();
        for member in members {
            match value(member) {
                Some(given) => result = self.join(result, given),
                None => kept.push(member),
            }
        }
        let kept = LevelOf {
            level: Level::Constant,
            params: self.of(kept),
        };
        self.join(result, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_raises_the_level_only_of_what_depends_on_it() {
        let mut sets = ParamSets::default();
        let (x, y) = (EntityId(1), EntityId(2));
        let of_x = LevelOf {
            level: Level::Constant,
            params: sets.of(vec![x]),
        };
        let both = LevelOf {
            level: Level::State,
            params: sets.of(vec![y, x]),
        };
        let given = |p: EntityId| (p == y).then_some(LevelOf::fixed(Level::Action));
        assert_eq!(sets.substitute(of_x, given), of_x);
        let raised = sets.substitute(both, given);
        assert_eq!(raised.level, Level::Action);
        assert_eq!(sets.members(raised.params), [x]);
    }

    #[test]
    fn equal_sets_are_one_set() {
        let mut sets = ParamSets::default();
        let a = sets.of(vec![EntityId(3), EntityId(1)]);
        let b = sets.of(vec![EntityId(1)]);
        let c = sets.of(vec![EntityId(3)]);
        assert_eq!(sets.union(b, c), a);
        assert_eq!(sets.union(c, b), a);
    }
}
