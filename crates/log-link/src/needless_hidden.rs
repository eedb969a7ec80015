//! Hidden actions that no explanation needs: those that only take away what everything else only wants to be there.
//!
//! A message that is lost is the commonest hidden action, and the costliest: before every line, any of the messages in transit may disappear. But
//! mostly nothing ever asks whether a message is *not* there. Then losing one never helps to explain a line.
//!
//! **Only wanted.** Let `V` be a variable. State `u` has *more* than `s` if `s.V \subseteq u.V`, and the two agree on all other variables. `V` is
//! *only wanted* if, whenever `s` to `s'` is a step for a line and `u` has more than `s`, there is a step for the same line from `u` to some `u'`
//! that has more than `s'`. That is so if
//!
//! 1. all of the next-state relation is *growing* in `V` ([`Growth::formula`]): its truth for a choice of disjuncts and of bound values is kept when
//!    `V` becomes larger. `V` occurs only in `e \in S`, in `\E x \in S : …` and in `V' = S`, in no condition of an IF, under no negation, and each
//!    such `S` is a set that grows with `V`; `V'` is assigned at most once, because a second assignment would compare;
//! 2. nothing else about lines mentions `V`: no formula of the link file, no update, no `tracked`, and no invariant.
//!
//! The same disjuncts and values are chosen from `u` as from `s`, so the step from `u` goes through the same actions with the same arguments.
//!
//! **Needless.** A hidden action is needless if each of its steps leaves all variables as they are but some that are only wanted, and these lose
//! elements ([`loses`]). Take an explanation, leave out the steps of needless actions, and follow the others from states that have more:
//! at the beginning they are the same states. A step of a needless action leads from `s` to some `s'`, and whatever has more than `s` has more
//! than `s'`. Any other step can be made, by the definition of *only wanted*, and invariants, which do not mention `V`, stay true. So there is an
//! explanation without needless actions. ∎
//!
//! Several variables may be lost from: the same holds for the states that have more of each, if all are only wanted. A step that is left out
//! counts for no bound, so the bounds of other hidden actions stay as they are.

use omnilink_tla::ir::{Argument, Kind, Node, OperatorId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lines::Lines;
use crate::log_spec::LogSpec;
use crate::mutant::{Mutant, mutated};
use crate::stage_action::StageAction;

/// For each hidden action of a specification, whether no explanation of these lines needs it.
pub(crate) fn needless_hidden(spec: &LogSpec, lines: &Lines<'_>) -> Vec<bool> {
    let none = vec![false; spec.hidden.len()];
    // Of lines that are still to be read, it is not known which variables they mention.
    if spec.hidden.is_empty() || lines.order().is_none() {
        return none;
    }
    let program = &spec.program;
    let lost: Vec<Option<Vec<u32>>> = spec
        .hidden
        .iter()
        .map(|hidden| {
            let operation = operation_of(spec, &hidden.action)?;
            let mut lost = Vec::new();
            let body = &program.operator(operation.formula()).body;
            (loses(program, body, &mut lost, 0) && !lost.is_empty()).then_some(lost)
        })
        .collect();
    let mut is_needless: Vec<bool> = lost.iter().map(Option::is_some).collect();
    // An action that turns out to be needed must itself be growing in what the others lose.
    loop {
        let is_wanted = |variable: u32| is_only_wanted(spec, lines, variable, &is_needless);
        let still: Vec<bool> = lost
            .iter()
            .zip(&is_needless)
            .map(|(lost, is_needless)| {
                let mut lost = lost.iter().flatten();
                *is_needless && lost.all(|variable| is_wanted(*variable))
            })
            .collect();
        if still == is_needless {
            return is_needless;
        }
        is_needless = still;
    }
}

/// An operation whose steps are at least those of an action.
fn operation_of(spec: &LogSpec, action: &StageAction) -> Option<OperatorId> {
    match action {
        StageAction::Any => None,
        StageAction::Event(number) | StageAction::Applied(number, _) => {
            Some(spec.actions[*number].restriction.as_ref()?.partial)
        }
        StageAction::Formula(formula) => Some(formula.operation),
    }
}

fn is_only_wanted(spec: &LogSpec, lines: &Lines<'_>, variable: u32, is_needless: &[bool]) -> bool {
    let program = &spec.program;
    let is_logged = lines.logged[variable as usize] || spec.tracked.contains(&variable);
    if is_logged && !mutated(Mutant::LoseWhatIsLogged) {
        return false;
    }
    let mut growth = Growth::new(program, variable);
    // What holds for every line is a condition of a line without an event, too.
    let meanings = spec.meanings.values().chain([&spec.any]);
    let of_events = meanings.flat_map(|meaning| meaning.formulas());
    let needed = spec.hidden.iter().zip(is_needless);
    let needed = needed.filter(|(_, is_needless)| !**is_needless);
    let of_hidden = needed.flat_map(|(hidden, _)| hidden.action.formulas().iter().chain(&hidden.when));
    let formulas = of_events
        .chain(of_hidden)
        .map(|formula| formula.operation.formula());
    let invariants = spec.invariants.iter().map(|invariant| invariant.formula);
    let mut others = formulas.chain(invariants);
    others.all(|formula| !growth.mentions(&program.operator(formula).body))
        && (growth.formula(&program.operator(spec.next.formula()).body, 0)
            || mutated(Mutant::LoseWhatIsMissed))
}

/// Definitions nested deeper are not looked into.
const DEPTH_MAX: u32 = 128;

/// What becomes of expressions when a variable that is a set becomes larger.
struct Growth<'p> {
    program: &'p Program,
    variable: u32,
    /// Whether the body of an operator mentions the variable, in this state or the next.
    mentioned: FxHashMap<u32, bool>,
}

impl<'p> Growth<'p> {
    fn new(program: &'p Program, variable: u32) -> Self {
        Self {
            program,
            variable,
            mentioned: FxHashMap::default(),
        }
    }

    /// Whether a formula, or a definition that it uses, mentions the variable, in this state or the next.
    fn mentions(&mut self, node: &'p Node) -> bool {
        let mut open = Vec::new();
        if self.mentions_directly(node, &mut open) {
            return true;
        }
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        while let Some(operator) = open.pop() {
            match self.mentioned.get(&operator) {
                Some(true) => return true,
                Some(false) => continue,
                None if !seen.insert(operator) => continue,
                None => {}
            }
            let Some(body) = self.program.operators.get(operator as usize) else {
                return true;
            };
            if self.mentions_directly(&body.body, &mut open) {
                self.mentioned.insert(operator, true);
                return true;
            }
        }
        // None of them mentions it, and neither does what they lead to.
        self.mentioned
            .extend(seen.into_iter().map(|operator| (operator, false)));
        false
    }

    fn mentions_directly(&self, node: &'p Node, operators: &mut Vec<u32>) -> bool {
        let is_here = match &node.kind {
            Kind::Var(variable) | Kind::Next(variable) => *variable == self.variable,
            Kind::Unchanged(variables) => variables.contains(&self.variable),
            Kind::Call(call) => {
                operators.push(call.operator);
                false
            }
            _ => false,
        };
        let mut is_found = is_here;
        node.kind.for_each_argument(|argument| {
            if let Argument::Operator(operator, _) = argument {
                operators.push(*operator);
            }
        });
        node.kind
            .for_each_child(|child| is_found = is_found || self.mentions_directly(child, operators));
        is_found
    }

    /// Whether the variable's next value may occur in a formula.
    fn assigns(&mut self, node: &'p Node) -> bool {
        let uses = node.uses;
        (uses.next || uses.unfinished || uses.opaque) && self.mentions(node)
    }

    /// Whether a formula that is true for some choice of disjuncts and bound values is true for the same choice when the variable is larger.
    fn formula(&mut self, node: &'p Node, depth: u32) -> bool {
        if depth > DEPTH_MAX {
            return false;
        }
        if !self.mentions(node) {
            return true;
        }
        match &node.kind {
            Kind::And(parts) => {
                let assigning = parts.iter().filter(|part| self.assigns(part)).count();
                assigning <= 1 && parts.iter().all(|part| self.formula(part, depth))
            }
            Kind::Or(parts) => parts.iter().all(|part| self.formula(part, depth)),
            Kind::Exists(bounded) => {
                bounded.sets.iter().all(|set| self.set(set, depth)) && self.formula(&bounded.body, depth)
            }
            Kind::In(two) => !self.mentions(&two.0) && self.set(&two.1, depth),
            Kind::Equal(two) => self.is_next(&two.0) && self.set(&two.1, depth),
            Kind::Unchanged(_) => true,
            Kind::If(parts) => {
                !self.mentions(&parts.0) && self.formula(&parts.1, depth) && self.formula(&parts.2, depth)
            }
            Kind::Stuttering(two) => self.formula(&two.0, depth) && self.formula(&two.1, depth),
            Kind::Let(slots, body) => {
                slots.iter().all(|(_, argument)| !self.in_argument(argument)) && self.formula(body, depth)
            }
            Kind::Call(call) => match self.body(call.operator, &call.arguments) {
                Some(body) => self.formula(body, depth + 1),
                None => false,
            },
            Kind::Action(_, inner) | Kind::Memo(_, inner) | Kind::PerState(_, inner) => {
                self.formula(inner, depth)
            }
            _ => false,
        }
    }

    /// Whether a set without the variable's next value has all its elements, and perhaps more, when the variable is larger.
    fn set(&mut self, node: &'p Node, depth: u32) -> bool {
        if depth > DEPTH_MAX || node.uses.next {
            return false;
        }
        if !self.mentions(node) {
            return true;
        }
        match &node.kind {
            Kind::Var(_) => true,
            Kind::Union(two) | Kind::Intersection(two) => self.set(&two.0, depth) && self.set(&two.1, depth),
            Kind::Difference(two) => self.set(&two.0, depth) && !self.mentions(&two.1),
            Kind::Filter(bounded) | Kind::Map(bounded) => {
                bounded.sets.iter().all(|set| self.set(set, depth)) && !self.mentions(&bounded.body)
            }
            Kind::If(parts) => {
                !self.mentions(&parts.0) && self.set(&parts.1, depth) && self.set(&parts.2, depth)
            }
            Kind::Let(slots, body) => {
                slots.iter().all(|(_, argument)| !self.in_argument(argument)) && self.set(body, depth)
            }
            Kind::Call(call) => match self.body(call.operator, &call.arguments) {
                Some(body) => self.set(body, depth + 1),
                None => false,
            },
            Kind::Memo(_, inner) | Kind::PerState(_, inner) => self.set(inner, depth),
            _ => false,
        }
    }

    fn is_next(&self, node: &Node) -> bool {
        matches!(node.bare().kind, Kind::Next(variable) if variable == self.variable)
    }

    fn in_argument(&mut self, argument: &'p Argument) -> bool {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => self.mentions(node),
            Argument::Slot(_) => false,
            Argument::Operator(operator, captures) => {
                let body = self.program.operators.get(*operator as usize);
                body.is_none_or(|operator| self.mentions(&operator.body))
                    || captures.iter().any(|(_, capture)| self.in_argument(capture))
            }
        }
    }

    /// The body of an operator that is applied, unless what is given to it mentions the variable.
    fn body(&mut self, operator: u32, arguments: &'p [(u32, Argument)]) -> Option<&'p Node> {
        let is_free = arguments.iter().all(|(_, argument)| !self.in_argument(argument));
        let operator = self.program.operators.get(operator as usize)?;
        is_free.then_some(&operator.body)
    }
}

/// Whether every step of an action leaves all variables as they are, but some that lose elements; these are added.
fn loses(program: &Program, node: &Node, lost: &mut Vec<u32>, depth: u32) -> bool {
    let uses = node.uses;
    if depth > DEPTH_MAX || uses.opaque || uses.unfinished {
        return false;
    }
    if !uses.next {
        return true;
    }
    let is_plain = |argument: &Argument| match argument {
        Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => !node.uses.next,
        Argument::Slot(_) => true,
        Argument::Operator(..) => false,
    };
    match &node.kind {
        Kind::And(parts) | Kind::Or(parts) => parts.iter().all(|part| loses(program, part, lost, depth)),
        Kind::Exists(bounded) => {
            bounded.sets.iter().all(|set| !set.uses.next) && loses(program, &bounded.body, lost, depth)
        }
        Kind::Unchanged(_) => true,
        Kind::Equal(two) => match two.0.bare().kind {
            Kind::Next(variable) if is_part_of(variable, &two.1) => {
                if !lost.contains(&variable) {
                    lost.push(variable);
                }
                true
            }
            _ => false,
        },
        Kind::If(parts) => {
            !parts.0.uses.next
                && loses(program, &parts.1, lost, depth)
                && loses(program, &parts.2, lost, depth)
        }
        Kind::Let(slots, body) => {
            slots.iter().all(|(_, argument)| is_plain(argument)) && loses(program, body, lost, depth)
        }
        Kind::Call(call) => {
            let operator = program.operators.get(call.operator as usize);
            call.arguments.iter().all(|(_, argument)| is_plain(argument))
                && operator.is_some_and(|operator| loses(program, &operator.body, lost, depth + 1))
        }
        Kind::Action(_, inner) | Kind::Memo(_, inner) => loses(program, inner, lost, depth),
        _ => false,
    }
}

/// Whether a set is a part of a variable's current value.
fn is_part_of(variable: u32, node: &Node) -> bool {
    match &node.bare().kind {
        Kind::Var(own) => *own == variable,
        Kind::Difference(two) => is_part_of(variable, &two.0),
        Kind::Intersection(two) => is_part_of(variable, &two.0) || is_part_of(variable, &two.1),
        Kind::Filter(bounded) => matches!(&*bounded.sets, [set] if is_part_of(variable, set)),
        _ => false,
    }
}
