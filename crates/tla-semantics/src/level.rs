//! Levels: whether an expression depends on no state, one state, two states or a whole behaviour.
//!
//! The level of an expression depends on what is substituted for parameters and for the constants of its module. So a
//! [`LevelOf`] is the level with every parameter taken as constant, and the set of parameters that can raise it. There are few
//! distinct sets: [`ParamSets`] interns them and memoises unions. A large union is stored as its two halves, so that a sum of fifty
//! thousand constants takes fifty thousand small nodes and not as many growing lists.

use rustc_hash::{FxHashMap, FxHashSet};

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
    /// The parameters that can raise it.
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

/// Unions of at most this size are stored as lists.
const LISTED_MAX: usize = 64;

/// A set of parameters.
#[derive(Debug)]
enum Set {
    Listed(Box<[EntityId]>),
    Union(ParamSet, ParamSet),
}

/// The interned sets of parameters. Large unions may occur twice.
#[derive(Debug)]
pub struct ParamSets {
    sets: Vec<Set>,
    numbers: FxHashMap<Box<[EntityId]>, ParamSet>,
    unions: FxHashMap<(ParamSet, ParamSet), ParamSet>,
}

impl Default for ParamSets {
    fn default() -> Self {
        let empty: Box<[EntityId]> = Box::new([]);
        let numbers = FxHashMap::from_iter([(empty.clone(), ParamSet::EMPTY)]);
        Self {
            sets: vec![Set::Listed(empty)],
            numbers,
            unions: FxHashMap::default(),
        }
    }
}

impl ParamSets {
    /// The members, in order.
    pub fn members(&self, set: ParamSet) -> Vec<EntityId> {
        if let Some(listed) = self.listed(set) {
            return listed.to_vec();
        }
        let mut met = FxHashSet::default();
        let mut members = Vec::new();
        self.walk(set, |set| met.insert(set), |member| members.push(member));
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Visits the members of a set, except those of subsets that `enter` rejects. Members of several subsets are visited several
    /// times.
    pub fn walk(
        &self,
        set: ParamSet,
        mut enter: impl FnMut(ParamSet) -> bool,
        mut each: impl FnMut(EntityId),
    ) {
        let mut pending = vec![set];
        while let Some(set) = pending.pop() {
            if set == ParamSet::EMPTY || !enter(set) {
                continue;
            }
            match self.sets.get(set.0 as usize) {
                Some(Set::Listed(members)) => members.iter().copied().for_each(&mut each),
                Some(Set::Union(a, b)) => pending.extend([*a, *b]),
                None => {}
            }
        }
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
        self.sets.push(Set::Listed(members.clone()));
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
        let set = match (self.listed(a), self.listed(b)) {
            (Some(x), Some(y)) if x.len() + y.len() <= LISTED_MAX => {
                let both = [x, y].concat();
                self.of(both)
            }
            _ => {
                self.sets.push(Set::Union(key.0, key.1));
                ParamSet(self.sets.len() as u32 - 1)
            }
        };
        self.unions.insert(key, set);
        set
    }

    fn listed(&self, set: ParamSet) -> Option<&[EntityId]> {
        match self.sets.get(set.0 as usize) {
            Some(Set::Listed(members)) => Some(members),
            _ => None,
        }
    }

    /// The level of an expression with two operands.
    pub fn join(&mut self, a: LevelOf, b: LevelOf) -> LevelOf {
        LevelOf {
            level: a.level.max(b.level),
            params: self.union(a.params, b.params),
        }
    }

    /// The level of an expression with many operands. A long list becomes one set at once, not one per prefix.
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
            many => match many
                .iter()
                .map(|set| self.listed(*set))
                .collect::<Option<Vec<_>>>()
            {
                Some(lists) => self.of(lists.concat()),
                None => many
                    .iter()
                    .fold(ParamSet::EMPTY, |all, set| self.union(all, *set)),
            },
        };
        LevelOf { level, params }
    }

    /// The level after substitution: `value` returns the level of what is substituted for a parameter.
    pub fn substitute(&mut self, of: LevelOf, value: impl Fn(EntityId) -> Option<LevelOf>) -> LevelOf {
        if of.params == ParamSet::EMPTY {
            return of;
        }
        let members = self.members(of.params);
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
    fn a_long_sum_is_not_one_list_per_prefix() {
        let mut sets = ParamSets::default();
        let mut all = ParamSet::EMPTY;
        for i in (0..50_000).rev() {
            let one = sets.of(vec![EntityId(i)]);
            all = sets.union(all, one);
            all = sets.union(all, one);
        }
        let wanted: Vec<EntityId> = (0..50_000).map(EntityId).collect();
        assert_eq!(sets.members(all), wanted);
        let kept = |p: EntityId| (p.0 > 0).then(LevelOf::default);
        let of = LevelOf {
            level: Level::State,
            params: all,
        };
        let left = sets.substitute(of, kept);
        assert_eq!(sets.members(left.params), [EntityId(0)]);
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
