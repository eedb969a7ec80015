//! Lessons: what one evaluator has learnt, for others of the same program.
//!
//! By the argument on the page of this module an answer follows from what was seen, and from nothing else, so it is the same for
//! every evaluator of the program. Workers of a search would otherwise all have to find every answer for themselves, which
//! is the part of their work that does not get less by sharing it.
//!
//! What is learnt from others is copied whole: see [`omnilink_tla_ir`]'s `unshared` for why no two threads should use one value.

use std::rc::Rc;
use std::sync::Arc;

use omnilink_tla_ir::unshared;
use omnilink_value::Value;
use smallvec::SmallVec;

use super::common::Common;
use super::edit::Edit;
use super::exchange::Exchange;
use super::naming::{AnswerNumber, Heard, Names};
use super::place::{Place, Seen};
use super::tree::Looked;
use super::{Answer, Memory, OwnLook, Successor};
use crate::evaluator::Evaluator;

/// An answer and what it follows from, in the numbers of who has found it.
#[derive(Clone, Debug)]
pub(super) struct Lesson {
    teacher: u32,
    site: u32,
    /// The variables that have a next value whenever an action begins at the site.
    given: Option<u128>,
    /// The numbers of each place and of what was seen there.
    looks: SmallVec<[(u32, u32); 8]>,
    answer: AnswerNumber,
}

/// What an evaluator needs to learn together with others.
pub(super) struct Together {
    exchange: Arc<Exchange>,
    number: usize,
    /// Room for what is taken from the exchange, empty in between.
    taken: Vec<Lesson>,
    /// The numbers that this one has given.
    names: Names,
    /// What each of the others means by its numbers.
    heard: Vec<Heard>,
}

impl Together {
    /// What was learnt, in numbers; `None` if there are none left.
    fn lesson(
        &mut self,
        (site, given): (u32, Option<u128>),
        looks: &[OwnLook<'_>],
        answer: &Answer,
    ) -> Option<Lesson> {
        let named = self.exchange.named_by(self.number)?;
        let names = &mut self.names;
        let numbered = |looked: &OwnLook<'_>| {
            let place = names.place(looked.place, named)?;
            let seen = match looked.seen {
                Seen::Value(value) => names.value(value, named)?,
                Seen::Truth(truth) => names.value(&Value::bool(truth), named)?,
            };
            Some((place, seen))
        };
        Some(Lesson {
            teacher: self.number as u32,
            site,
            given,
            looks: looks.iter().map(numbered).collect::<Option<_>>()?,
            answer: names.answer(answer, named)?,
        })
    }
}

impl Evaluator<'_> {
    /// Learns together with others of the same program from now on, as the one of this number, if anything is remembered at
    /// all.
    pub fn join(&mut self, exchange: Arc<Exchange>, number: usize) {
        if let Some(memory) = &mut self.memory {
            let evaluators = exchange.evaluators();
            memory.together = Some(Together {
                exchange,
                number,
                taken: Vec::new(),
                names: Names::default(),
                heard: (0..evaluators).map(|_| Heard::default()).collect(),
            });
        }
    }
}

impl Memory {
    /// Tells others an answer that was just learnt.
    pub(super) fn tell(&mut self, site: u32, looks: &[OwnLook<'_>], answer: &Answer) {
        let here = &self.sites[site as usize];
        if let Some(together) = &mut self.together
            && here.is_promising()
            && together.exchange.is_wanted(together.number)
        {
            let lesson = together.lesson((site, here.given), looks, answer);
            self.room = self.room.saturating_sub(together.names.take_bytes());
            if let Some(lesson) = lesson {
                together.exchange.leave(together.number, &lesson);
            }
        }
    }

    /// Remembers what others have learnt since the last time. Gives whether there was anything.
    pub(super) fn hear(&mut self) -> bool {
        let Some(together) = &mut self.together else {
            return false;
        };
        let mut taken = std::mem::take(&mut together.taken);
        together.exchange.take(together.number, &mut taken);
        let is_new = !taken.is_empty();
        for lesson in taken.drain(..) {
            // One that cannot be understood is one that has to be found out.
            let _ = self.study(&lesson);
        }
        if let Some(together) = &mut self.together {
            together.taken = taken;
        }
        is_new
    }

    /// `None` if there is nothing to be learnt.
    fn study(&mut self, lesson: &Lesson) -> Option<()> {
        let here = self.sites.get_mut(lesson.site as usize)?;
        let fits = lesson
            .given
            .is_none_or(|given| *here.given.get_or_insert(given) == given);
        if here.is_off || !fits || self.room == 0 {
            return None;
        }
        let Together { exchange, heard, .. } = self.together.as_mut()?;
        let heard = heard.get_mut(lesson.teacher as usize)?;
        if !heard.knows(lesson) {
            let named = exchange.named_by(lesson.teacher as usize)?;
            let made = heard.catch_up(named, &mut self.common);
            self.room = self.room.saturating_sub(made);
        }
        let looks = lesson.looks.iter().map(|(place, seen)| {
            Some(ToldLook {
                place: heard.place(*place)?,
                seen: heard.value(*seen)?,
            })
        });
        let looks: SmallVec<[_; 8]> = looks.collect::<Option<_>>()?;
        let answer = heard.answer(lesson.answer)?;
        let made = here.tree.insert(looks, &mut self.common, || answer);
        self.room = self.room.saturating_sub(made);
        Some(())
    }
}

impl Heard {
    /// Whether all numbers of a lesson have been heard.
    fn knows(&self, lesson: &Lesson) -> bool {
        let mut looks = lesson.looks.iter();
        looks.all(|(place, seen)| self.place(*place).is_some() && self.value(*seen).is_some())
            && self.has_answer(lesson.answer)
    }
}

/// What another evaluator has seen, as one's own.
struct ToldLook<'l> {
    place: &'l Rc<Place>,
    seen: &'l Value,
}

impl Looked for ToldLook<'_> {
    fn place(&self) -> &Place {
        self.place
    }

    fn seen(&self) -> Seen<'_> {
        Seen::Value(self.seen)
    }

    fn kept_place(&self, _: &mut Common) -> Rc<Place> {
        self.place.clone()
    }

    fn kept_value(&self, _: &mut Common) -> Value {
        self.seen.clone()
    }
}

impl Successor {
    pub(super) fn unshared(&self) -> Self {
        let edits = self.edits.iter();
        Self {
            action: self.action,
            edits: edits
                .map(|(variable, edit)| (*variable, edit.unshared()))
                .collect(),
        }
    }
}

impl Edit {
    fn unshared(&self) -> Self {
        match self {
            Edit::Same => Edit::Same,
            Edit::Is(value) => Edit::Is(unshared(value)),
            Edit::Copy(source) => Edit::Copy(*source),
            Edit::Except(source, changes) => {
                let change = |(path, value): &(Vec<Value>, Value)| {
                    (path.iter().map(unshared).collect(), unshared(value))
                };
                Edit::Except(*source, changes.iter().map(change).collect())
            }
            Edit::Union(source, more) => Edit::Union(*source, unshared(more)),
            Edit::Difference(source, less) => Edit::Difference(*source, unshared(less)),
        }
    }
}

/// A lesson that says whose it is and which, in each of its parts.
#[cfg(test)]
pub(super) fn numbered(teacher: u32, number: u32) -> Lesson {
    Lesson {
        teacher,
        site: teacher,
        given: Some(number.into()),
        looks: (0..20).map(|_| (teacher, number)).collect(),
        answer: AnswerNumber::Next(number),
    }
}

#[cfg(test)]
mod tests {
    use omnilink_value::Value;

    use super::*;
    use crate::evaluator::State;
    use crate::{Flow, Quiet};
    use omnilink_tla_ir::lower::{Lowering, Mode, Replacements};
    use omnilink_tla_ir::{Formula, Program};
    use omnilink_tla_semantics::load_text;
    use omnilink_tla_semantics::search_path::SearchPath;

    impl Lesson {
        /// Whose it is and which, if all its parts say so.
        pub(in super::super) fn number(&self) -> Option<(u32, u32)> {
            let number = u32::try_from(self.given?).ok()?;
            let is_whole = self.teacher == self.site
                && self.looks.len() == 20
                && self.looks.iter().all(|look| *look == (self.site, number))
                && self.answer == AnswerNumber::Next(number);
            is_whole.then_some((self.site, number))
        }
    }

    /// What an action looks at: one place in a function, a set, and a name; what it gives: edits of all kinds.
    const MOVES: &str = r#"---- MODULE Moves ----
EXTENDS Naturals, Sequences
VARIABLES pc, sent, log
P == {"a long name of the first", "the other one"}
Init == pc = [p \in P |-> "idle"] /\ sent = {} /\ log = <<>>
Ask(p) == pc[p] = "idle" /\ pc' = [pc EXCEPT ![p] = "asking"] /\ sent' = sent \cup {<<p>>} /\ UNCHANGED log
Take(p) == /\ pc[p] = "asking" /\ <<p>> \in sent /\ pc' = [pc EXCEPT ![p] = "idle"] /\ sent' = sent \ {<<p>>}
           /\ log' = IF Len(log) < 3 THEN Append(log, p) ELSE log
Next == \E p \in P : Ask(p) \/ Take(p)
===="#;

    struct Model {
        program: Program,
        init: Formula,
        next: Formula,
    }

    fn model() -> Model {
        let spec = load_text("Moves.tla".as_ref(), MOVES.into(), &SearchPath::default()).spec;
        let mut lowering = Lowering::new(&spec, Replacements::default());
        let mut formula = |name, mode| lowering.definition(spec.find(name).expect("a definition"), mode);
        let (init, next) = (formula("Init", Mode::Init), formula("Next", Mode::Next));
        Model {
            program: lowering.finish(),
            init,
            next,
        }
    }

    fn successors(evaluator: &mut Evaluator<'_>, model: &Model, from: &State) -> Vec<State> {
        let mut found = Vec::new();
        evaluator
            .successors(model.next, from, &mut |_, state, _| {
                found.push(state.into());
                Ok(Flow::Go)
            })
            .expect("steps that can be evaluated");
        found
    }

    /// All states, in the order in which they are found.
    fn states(evaluator: &mut Evaluator<'_>, model: &Model) -> Vec<State> {
        let mut states: Vec<State> = Vec::new();
        evaluator
            .initial(model.init, &mut |_, state, _| {
                states.push(state.into());
                Ok(Flow::Go)
            })
            .expect("initial states");
        let mut at = 0;
        while let Some(state) = states.get(at).cloned() {
            for next in successors(evaluator, model, &state) {
                if !states.contains(&next) {
                    states.push(next);
                }
            }
            at += 1;
        }
        states
    }

    fn asked_and_known(evaluator: &Evaluator<'_>) -> (u32, u32) {
        let memory = evaluator.memory.as_ref().expect("one that remembers");
        let sites = memory.sites.iter();
        sites.fold((0, 0), |sum, site| (sum.0 + site.asked, sum.1 + site.known))
    }

    #[test]
    fn what_one_has_learnt_the_other_knows_and_it_is_the_truth() {
        omnilink_tla_syntax::deep_stack::run(|| {
            let model = model();
            let session = Quiet::default();
            let mut plain = Evaluator::new(&model.program, &session);
            let states = states(&mut plain, &model);
            let exchange = Arc::new(Exchange::new(2));
            let other_program = model.program.unshared();
            let [mut teacher, mut student] =
                [(&model.program, 0), (&other_program, 1)].map(|(program, number)| {
                    let mut evaluator = Evaluator::new(program, &session);
                    evaluator.remember();
                    evaluator.join(exchange.clone(), number);
                    evaluator
                });
            for state in &states {
                successors(&mut teacher, &model, state);
            }
            for state in &states {
                let truth = successors(&mut plain, &model, state);
                assert_eq!(successors(&mut student, &model, state), truth, "after {state:?}");
            }
            let (asked, known) = asked_and_known(&student);
            assert_eq!(asked, known, "nothing had to be found out again");
            assert!(states.len() > 20, "{}", states.len());
        });
    }

    #[test]
    fn what_was_heard_shares_no_memory_with_who_said_it() {
        let name = Value::str("a text that does not fit into the value itself");
        let set = Value::set([name.clone(), Value::tuple([name.clone()])]);
        let function =
            Value::function([(set.clone(), Value::record([("f", name.clone())]))]).expect("one key");
        for value in [name, set, function] {
            let copy = unshared(&value);
            assert_eq!(copy, value);
            assert_eq!(copy.hash64(), value.hash64());
            let address = |value: &Value| match (value.as_str(), value.as_set(), value.as_entries()) {
                (Some(text), ..) => text.as_ptr() as usize,
                (_, Some(elements), _) => elements.as_ptr() as usize,
                (.., Some(entries)) => entries.as_ptr() as usize,
                _ => 0,
            };
            assert_ne!(address(&copy), address(&value));
        }
    }
}
