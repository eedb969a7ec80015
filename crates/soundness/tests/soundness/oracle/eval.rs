//! The value of an expression.

use super::helper::Helper;
use super::term::{Argument, Binder, Infix, Step, Term};
use super::value::Val;

/// An expression without a value, or with one that TLA+ does not determine. Such traces are not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined;

pub type Valued<T> = Result<T, Undefined>;

/// Names with their values, innermost first.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub names: Option<&'a Bound<'a>>,
    pub state: &'a [Val],
    /// The next state, as far as it is known.
    pub next: &'a [Option<Val>],
    pub held: Option<&'a Val>,
}

#[derive(Debug)]
pub struct Bound<'a> {
    pub name: &'a str,
    pub value: Val,
    pub outer: Option<&'a Bound<'a>>,
}

impl<'a> Scope<'a> {
    pub fn of_state(state: &'a [Val]) -> Self {
        Self {
            names: None,
            state,
            next: &[],
            held: None,
        }
    }

    fn get(&self, name: &str) -> Valued<Val> {
        let mut names = self.names;
        while let Some(bound) = names {
            if bound.name == name {
                return Ok(bound.value.clone());
            }
            names = bound.outer;
        }
        Err(Undefined)
    }

    pub fn with<T>(&self, name: &str, value: Val, run: impl FnOnce(&Scope<'_>) -> T) -> T {
        let bound = Bound {
            name,
            value,
            outer: self.names,
        };
        run(&Scope {
            names: Some(&bound),
            ..*self
        })
    }

    fn held<T>(&self, held: &Val, run: impl FnOnce(&Scope<'_>) -> T) -> T {
        run(&Scope {
            held: Some(held),
            ..*self
        })
    }
}

/// Whether two values may be compared: TLC, and so the product, refuses to compare a number with a set.
fn comparable(left: &Val, right: &Val) -> bool {
    match (left, right) {
        (Val::Set(left), Val::Set(right)) => match (left.first(), right.first()) {
            (Some(left), Some(right)) => comparable(left, right),
            _ => true,
        },
        _ => std::mem::discriminant(left) == std::mem::discriminant(right),
    }
}

fn equal(left: &Val, right: &Val) -> Valued<bool> {
    comparable(left, right).then(|| left == right).ok_or(Undefined)
}

impl Term {
    pub fn is_true(&self, scope: &Scope<'_>) -> Valued<bool> {
        self.eval(scope)?.as_bool().ok_or(Undefined)
    }

    /// The elements of a set.
    pub fn elements(&self, scope: &Scope<'_>) -> Valued<Vec<Val>> {
        let value = self.eval(scope)?;
        Ok(value.as_set().ok_or(Undefined)?.iter().cloned().collect())
    }

    pub fn eval(&self, scope: &Scope<'_>) -> Valued<Val> {
        Ok(match self {
            Self::Int(int) => Val::Int(*int),
            Self::Bool(truth) => Val::Bool(*truth),
            Self::Text(text) => Val::Text(text),
            Self::Name(name) => scope.get(name)?,
            Self::Var(number) => scope.state.get(*number).cloned().ok_or(Undefined)?,
            Self::Next(number) => scope.next.get(*number).cloned().flatten().ok_or(Undefined)?,
            Self::Held => scope.held.cloned().ok_or(Undefined)?,
            Self::Infix(sign, sides) => infix(*sign, &sides[0], &sides[1], scope)?,
            Self::Not(term) => Val::Bool(!term.is_true(scope)?),
            Self::Set(terms) => Val::set(
                terms
                    .iter()
                    .map(|term| term.eval(scope))
                    .collect::<Valued<Vec<_>>>()?,
            ),
            Self::Tuple(terms) => Val::seq(
                terms
                    .iter()
                    .map(|term| term.eval(scope))
                    .collect::<Valued<Vec<_>>>()?,
            ),
            Self::Record(fields) => {
                let fields = fields.iter().map(|(name, term)| Ok((*name, term.eval(scope)?)));
                Val::record(fields.collect::<Valued<Vec<_>>>()?)
            }
            Self::Field(record, name) => applied(&record.eval(scope)?, &Val::Text(name))?,
            Self::At(parts) => applied(&parts[0].eval(scope)?, &parts[1].eval(scope)?)?,
            Self::Bind(binder, name, parts) => bound(*binder, name, &parts[0], &parts[1], scope)?,
            Self::Except(fun, changes) => {
                let mut value = fun.eval(scope)?;
                for (path, new) in changes {
                    value = changed(&value, path, new, scope)?;
                }
                value
            }
            Self::If(parts) => {
                if parts[0].is_true(scope)? {
                    parts[1].eval(scope)?
                } else {
                    parts[2].eval(scope)?
                }
            }
            Self::Case(arms, other) => {
                // TLA+ leaves open which arm is taken if several could be.
                let mut taken = None;
                for (when, then) in arms {
                    if when.is_true(scope)? {
                        if taken.is_some() {
                            return Err(Undefined);
                        }
                        taken = Some(then);
                    }
                }
                taken.unwrap_or(other).eval(scope)?
            }
            Self::Let(name, parts) => {
                let value = parts[0].eval(scope)?;
                scope.with(name, value, |scope| parts[1].eval(scope))?
            }
            Self::Call(helper, arguments) => called(*helper, arguments, scope)?,
        })
    }
}

fn infix(sign: Infix, left: &Term, right: &Term, scope: &Scope<'_>) -> Valued<Val> {
    let logic = |decided: bool, otherwise: bool| -> Valued<Val> {
        if left.is_true(scope)? == decided {
            Ok(Val::Bool(otherwise))
        } else {
            Ok(Val::Bool(right.is_true(scope)?))
        }
    };
    match sign {
        Infix::And => return logic(false, false),
        Infix::Or => return logic(true, true),
        Infix::Implies => return logic(false, true),
        _ => {}
    }
    let (left, right) = (left.eval(scope)?, right.eval(scope)?);
    let ints = || Ok((left.as_int().ok_or(Undefined)?, right.as_int().ok_or(Undefined)?));
    let sets = || Ok((left.as_set().ok_or(Undefined)?, right.as_set().ok_or(Undefined)?));
    Ok(match sign {
        Infix::And | Infix::Or | Infix::Implies => return Err(Undefined),
        Infix::Iff => Val::Bool(left.as_bool().ok_or(Undefined)? == right.as_bool().ok_or(Undefined)?),
        Infix::Plus => ints().map(|(a, b)| Val::Int(a + b))?,
        Infix::Minus => ints().map(|(a, b)| Val::Int(a - b))?,
        Infix::Mod => ints().map(|(a, b)| Val::Int(a.rem_euclid(b)))?,
        Infix::Less => ints().map(|(a, b)| Val::Bool(a < b))?,
        Infix::AtMost => ints().map(|(a, b)| Val::Bool(a <= b))?,
        Infix::Greater => ints().map(|(a, b)| Val::Bool(a > b))?,
        Infix::AtLeast => ints().map(|(a, b)| Val::Bool(a >= b))?,
        Infix::Equal => Val::Bool(equal(&left, &right)?),
        Infix::Unequal => Val::Bool(!equal(&left, &right)?),
        Infix::In => Val::Bool(right.as_set().ok_or(Undefined)?.contains(&left)),
        Infix::NotIn => Val::Bool(!right.as_set().ok_or(Undefined)?.contains(&left)),
        Infix::SubsetEq => sets().map(|(a, b)| Val::Bool(a.is_subset(b)))?,
        Infix::Union => sets().map(|(a, b)| Val::set(a | b))?,
        Infix::Intersect => sets().map(|(a, b)| Val::set(a & b))?,
        Infix::Without => sets().map(|(a, b)| Val::set(a - b))?,
        Infix::UpTo => ints().map(|(a, b)| Val::set((a..=b).map(Val::Int)))?,
        Infix::Maps => Val::fun([(left, right)]),
        Infix::Merge => {
            let (left, right) = (left.as_fun().ok_or(Undefined)?, right.as_fun().ok_or(Undefined)?);
            let mut merged = right.clone();
            merged.extend(left.iter().map(|(key, value)| (key.clone(), value.clone())));
            Val::fun(merged)
        }
        Infix::Concat => {
            let (left, right) = (left.as_seq().ok_or(Undefined)?, right.as_seq().ok_or(Undefined)?);
            Val::seq(left.into_iter().chain(right))
        }
    })
}

fn applied(fun: &Val, key: &Val) -> Valued<Val> {
    fun.as_fun()
        .and_then(|fun| fun.get(key))
        .cloned()
        .ok_or(Undefined)
}

fn bound(binder: Binder, name: &str, set: &Term, body: &Term, scope: &Scope<'_>) -> Valued<Val> {
    let elements = set.elements(scope)?;
    let at = |element: &Val| scope.with(name, element.clone(), |scope| body.eval(scope));
    let holds = |element: &Val| at(element)?.as_bool().ok_or(Undefined);
    let kept = || -> Valued<Vec<Val>> {
        let mut kept = Vec::new();
        for element in &elements {
            if holds(element)? {
                kept.push(element.clone());
            }
        }
        Ok(kept)
    };
    Ok(match binder {
        Binder::Filter => Val::set(kept()?),
        Binder::Image => Val::set(elements.iter().map(at).collect::<Valued<Vec<_>>>()?),
        Binder::Function => {
            let pairs = elements.iter().map(|element| Ok((element.clone(), at(element)?)));
            Val::fun(pairs.collect::<Valued<Vec<_>>>()?)
        }
        // The body has a value for each element, whether or not it matters.
        Binder::ForAll => Val::Bool(kept()?.len() == elements.len()),
        Binder::Exists => Val::Bool(!kept()?.is_empty()),
        // A choice among several is not determined.
        Binder::Choose => match kept()?.as_slice() {
            [chosen] => chosen.clone(),
            _ => return Err(Undefined),
        },
    })
}

fn changed(value: &Val, path: &[Step], new: &Term, scope: &Scope<'_>) -> Valued<Val> {
    let Some((step, rest)) = path.split_first() else {
        return scope.held(value, |scope| new.eval(scope));
    };
    let key = match step {
        Step::Key(key) => key.eval(scope)?,
        Step::Field(name) => Val::Text(name),
    };
    let mut fun = value.as_fun().ok_or(Undefined)?.clone();
    // A key that is not in the domain changes nothing, but is a mistake that products warn about.
    let inner = fun.get(&key).cloned().ok_or(Undefined)?;
    fun.insert(key, changed(&inner, rest, new, scope)?);
    Ok(Val::fun(fun))
}

fn called(helper: Helper, arguments: &[Argument], scope: &Scope<'_>) -> Valued<Val> {
    let plain = |at: usize| match arguments.get(at) {
        Some(Argument::Plain(term)) => term.eval(scope),
        _ => Err(Undefined),
    };
    let at_lambda = |at: usize, argument: Val| match arguments.get(at) {
        Some(Argument::Lambda(name, body)) => scope.with(name, argument, |scope| body.eval(scope)),
        _ => Err(Undefined),
    };
    let seq = |at: usize| plain(at)?.as_seq().ok_or(Undefined);
    let set = |at: usize| -> Valued<Vec<Val>> {
        Ok(plain(at)?.as_set().ok_or(Undefined)?.iter().cloned().collect())
    };
    let int = |at: usize| plain(at)?.as_int().ok_or(Undefined);
    let size = |size: usize| Val::Int(size as i64);
    let one = |found: Vec<Val>| match found.as_slice() {
        [] => Ok(Val::Int(0)),
        [one] => Ok(one.clone()),
        _ => Err(Undefined),
    };
    let filtered = |elements: Vec<Val>, lambda: usize| -> Valued<Vec<Val>> {
        let mut kept = Vec::new();
        for element in elements {
            if at_lambda(lambda, element.clone())?.as_bool().ok_or(Undefined)? {
                kept.push(element);
            }
        }
        Ok(kept)
    };
    let sum = |elements: Vec<Val>, lambda: usize| -> Valued<Val> {
        let mut sum = 0;
        for element in elements {
            sum += at_lambda(lambda, element)?.as_int().ok_or(Undefined)?;
        }
        Ok(Val::Int(sum))
    };
    Ok(match helper {
        Helper::Cardinality => size(set(0)?.len()),
        Helper::Len => size(seq(0)?.len()),
        Helper::Head => seq(0)?.first().cloned().ok_or(Undefined)?,
        Helper::Tail => match seq(0)?.as_slice() {
            [] => return Err(Undefined),
            [_, rest @ ..] => Val::seq(rest.to_vec()),
        },
        Helper::Append => Val::seq(seq(0)?.into_iter().chain([plain(1)?])),
        Helper::SubSeq => {
            let (from, to) = (int(1)?.max(1), int(2)?);
            let all = seq(0)?;
            if from <= to && to > all.len() as i64 {
                return Err(Undefined);
            }
            Val::seq((from..=to).map(|at| all[at as usize - 1].clone()))
        }
        Helper::SelectSeq => Val::seq(filtered(seq(0)?, 1)?),
        Helper::Domain => Val::set(plain(0)?.as_fun().ok_or(Undefined)?.keys().cloned()),
        Helper::Mod => Val::Int(int(0)?.rem_euclid(3)),
        Helper::First => seq(0)?.first().cloned().unwrap_or(Val::Int(0)),
        Helper::Rest => Val::seq(seq(0)?.into_iter().skip(1)),
        Helper::Last => seq(0)?.last().cloned().unwrap_or(Val::Int(0)),
        Helper::Front => {
            let all = seq(0)?;
            let most = all.len().saturating_sub(1);
            Val::seq(all.into_iter().take(most))
        }
        Helper::Mirrored => Val::seq(seq(0)?.into_iter().rev()),
        Helper::Range => Val::set(plain(0)?.as_fun().ok_or(Undefined)?.values().cloned()),
        Helper::Value | Helper::RecValue => {
            let (key, value) = match helper {
                Helper::Value => (Val::Int(1), Val::Int(2)),
                _ => (Val::Text("key"), Val::Text("val")),
            };
            let wanted = plain(1)?;
            let mut found = Vec::new();
            for pair in set(0)? {
                if applied(&pair, &key)? == wanted {
                    found.push(applied(&pair, &value)?);
                }
            }
            one(found)?
        }
        Helper::Positions | Helper::Found => {
            let (pairs, wanted) = (seq(0)?, plain(1)?);
            let is_it = |pair: &Val| applied(pair, &Val::Int(1)).is_ok_and(|key| key == wanted);
            match helper {
                Helper::Found => match pairs.iter().find(|pair| is_it(pair)) {
                    Some(pair) => applied(pair, &Val::Int(2))?,
                    None => Val::Int(0),
                },
                _ => Val::set(
                    (0..pairs.len())
                        .filter(|at| is_it(&pairs[*at]))
                        .map(|at| size(at + 1)),
                ),
            }
        }
        Helper::Get => applied(&plain(0)?, &plain(1)?).unwrap_or(Val::Int(0)),
        Helper::Count => size(filtered(set(0)?, 1)?.len()),
        Helper::Where => Val::set(filtered(set(0)?, 1)?),
        Helper::Every => {
            let all = set(0)?;
            let many = all.len();
            Val::Bool(filtered(all, 1)?.len() == many)
        }
        Helper::Some => Val::Bool(!filtered(set(0)?, 1)?.is_empty()),
        Helper::Sum => sum(set(1)?, 0)?,
        Helper::Fold => sum(set(1)?, 0)?,
        Helper::Total => {
            let ints = seq(0)?.into_iter().map(|value| value.as_int().ok_or(Undefined));
            Val::Int(ints.sum::<Valued<i64>>()?)
        }
        Helper::Applied => at_lambda(0, plain(1)?)?,
        Helper::Least => set(0)?.first().cloned().unwrap_or(Val::Int(0)),
    })
}
