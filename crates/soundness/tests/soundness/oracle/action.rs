//! Actions: formulas that relate two states, and the next states that they allow.

use super::eval::{Scope, Undefined, Valued};
use super::term::{Binder, Term, variable};
use super::value::Val;

#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Holds(Term),
    /// `x' = e`
    Becomes(usize, Term),
    /// `x' \in S`
    BecomesOneOf(usize, Term),
    Unchanged(Vec<usize>),
    All(Vec<Act>),
    Any(Vec<Act>),
    If(Term, Box<[Act; 2]>),
    /// `\E x \in S : A` or `\A x \in S : A`
    Bind(Binder, String, Term, Box<Act>),
    Let(String, Term, Box<Act>),
    /// The same as the action inside, in other words.
    Wrapped(Wrapping, Box<Act>),
}

/// Ways to write an action that do not change what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// `LET there == A IN there`
    Let,
    /// `Through(LAMBDA z : A, 0)`
    HigherOrder,
    /// `(A)`, after `TRUE /\`
    Conjunct,
    /// `CASE c -> A [] OTHER -> B` for `IF c THEN A ELSE B`.
    Case,
    /// `CASE c -> A [] ~c -> B` for `IF c THEN A ELSE B`.
    CaseOfBoth,
    /// `(c => A) /\ (~c => B)` for `IF c THEN A ELSE B`.
    Implications,
}

/// Definitions that wrapped actions need.
pub const WRAPPINGS: &str = "Through(Op(_), z) == Op(z)";

/// A state, or a next state as far as it is known.
pub type State = Vec<Val>;
pub type PartialState = Vec<Option<Val>>;

impl Act {
    pub fn text(&self) -> String {
        let joined = |acts: &[Act], sign: &str| {
            let texts: Vec<String> = acts.iter().map(Act::text).collect();
            format!("({})", texts.join(&format!(" {sign} ")))
        };
        match self {
            Self::Holds(term) => term.text(),
            Self::Becomes(number, term) => format!("{}' = {}", variable(*number), term.text()),
            Self::BecomesOneOf(number, set) => format!("{}' \\in {}", variable(*number), set.text()),
            Self::Unchanged(numbers) => {
                let names: Vec<String> = numbers.iter().map(|number| variable(*number)).collect();
                match names.as_slice() {
                    [one] => format!("UNCHANGED {one}"),
                    _ => format!("UNCHANGED <<{}>>", names.join(", ")),
                }
            }
            Self::All(acts) if acts.is_empty() => "TRUE".to_owned(),
            Self::All(acts) => joined(acts, "/\\"),
            Self::Any(acts) => joined(acts, "\\/"),
            Self::If(condition, sides) => {
                let [yes, no] = sides.each_ref().map(Self::text);
                format!("(IF {} THEN {yes} ELSE {no})", condition.text())
            }
            Self::Bind(binder, name, set, act) => {
                let sign = if *binder == Binder::ForAll { "\\A" } else { "\\E" };
                format!("({sign} {name} \\in {} : {})", set.text(), act.text())
            }
            Self::Let(name, term, act) => format!("(LET {name} == {} IN {})", term.text(), act.text()),
            Self::Wrapped(wrapping, act) => match wrapping {
                Wrapping::Let => format!("(LET there == {} IN there)", act.text()),
                Wrapping::HigherOrder => format!("Through(LAMBDA z : {}, 0)", act.text()),
                Wrapping::Conjunct => format!("(TRUE /\\ {})", act.text()),
                Wrapping::Case | Wrapping::CaseOfBoth | Wrapping::Implications => match &**act {
                    Self::If(condition, sides) => {
                        let [yes, no] = sides.each_ref().map(Self::text);
                        let condition = condition.text();
                        match wrapping {
                            Wrapping::Case => format!("(CASE {condition} -> {yes} [] OTHER -> {no})"),
                            Wrapping::CaseOfBoth => {
                                format!("(CASE {condition} -> {yes} [] ~({condition}) -> {no})")
                            }
                            _ => format!("((({condition}) => ({yes})) /\\ ((~({condition})) => ({no})))"),
                        }
                    }
                    act => act.text(),
                },
            },
        }
    }

    /// All next states from the state of a scope.
    pub fn successors(&self, scope: &Scope<'_>) -> Valued<Vec<State>> {
        let nothing = vec![None; scope.state.len()];
        let mut all = Vec::new();
        for next in self.extended(scope, &nothing)? {
            let next: Option<State> = next.into_iter().collect();
            let next = next.ok_or(Undefined)?;
            if !all.contains(&next) {
                all.push(next);
            }
        }
        Ok(all)
    }

    /// All ways to know more of the next state.
    fn extended(&self, scope: &Scope<'_>, next: &PartialState) -> Valued<Vec<PartialState>> {
        let here = Scope { next, ..*scope };
        let assigned = |number: usize, value: Val| match &next[number] {
            Some(known) => (*known == value).then(|| next.clone()),
            None => {
                let mut next = next.clone();
                next[number] = Some(value);
                Some(next)
            }
        };
        Ok(match self {
            Self::Holds(term) => {
                if term.is_true(&here)? {
                    vec![next.clone()]
                } else {
                    Vec::new()
                }
            }
            Self::Becomes(number, term) => assigned(*number, term.eval(&here)?).into_iter().collect(),
            Self::BecomesOneOf(number, set) => {
                let values = set.elements(&here)?;
                values
                    .into_iter()
                    .filter_map(|value| assigned(*number, value))
                    .collect()
            }
            Self::Unchanged(numbers) => {
                let mut all = vec![next.clone()];
                for number in numbers {
                    let act = Self::Becomes(*number, Term::Var(*number));
                    all = each(&all, |next| act.extended(scope, next))?;
                }
                all
            }
            Self::All(acts) => {
                let mut all = vec![next.clone()];
                for act in acts {
                    all = each(&all, |next| act.extended(scope, next))?;
                }
                all
            }
            Self::Any(acts) => {
                let mut all = Vec::new();
                for act in acts {
                    all.extend(act.extended(scope, next)?);
                }
                all
            }
            Self::If(condition, sides) => {
                if condition.is_true(&here)? {
                    sides[0].extended(scope, next)?
                } else {
                    sides[1].extended(scope, next)?
                }
            }
            Self::Bind(Binder::ForAll, name, set, act) => {
                let mut all = vec![next.clone()];
                for element in set.elements(&here)? {
                    all = scope.with(name, element, |scope| {
                        each(&all, |next| act.extended(scope, next))
                    })?;
                }
                all
            }
            Self::Bind(_, name, set, act) => {
                let mut all = Vec::new();
                for element in set.elements(&here)? {
                    all.extend(scope.with(name, element, |scope| act.extended(scope, next))?);
                }
                all
            }
            Self::Let(name, term, act) => {
                scope.with(name, term.eval(&here)?, |scope| act.extended(scope, next))?
            }
            Self::Wrapped(_, act) => act.extended(scope, next)?,
        })
    }
}

fn each(
    all: &[PartialState],
    extended: impl Fn(&PartialState) -> Valued<Vec<PartialState>>,
) -> Valued<Vec<PartialState>> {
    let mut more = Vec::new();
    for next in all {
        more.extend(extended(next)?);
    }
    Ok(more)
}
