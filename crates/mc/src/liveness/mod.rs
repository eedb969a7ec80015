//! Liveness: temporal properties, checked on the behaviour graph under the fairness of the specification.
//!
//! A counterexample is a behaviour that satisfies the fairness conditions and violates the property. If there is one, there is a
//! *lasso*: a finite prefix and a cycle. It is searched for in these steps:
//!
//! 1. `graph`: the search records all states and steps.
//! 2. `instantiate`: quantifiers over constant sets are unfolded. What remains are atoms about states and steps.
//! 3. `labelling`: each atom is evaluated for each state or step, by compiled code where there is any. Nothing is evaluated after that.
//! 4. `normal_form` and `problem`: the fairness conditions and the negated property are taken apart into conditions on the cycle and
//!    a rest, for which `tableau` makes an automaton.
//! 5. `product`: graph and automaton are explored together.
//! 6. `component`: a fair strongly connected component is searched for; `lasso` makes a short lasso through it.
//! 7. `early_look`: the same is done for the part of the graph that is explored so far, while the search runs.
//! 8. `view`: where only the states that a VIEW tells apart can be explored, it is done for these.
//! 9. The labels of the lasso are computed again by the evaluator, and it is evaluated again, by the definition of the temporal operators,
//!    before it is reported; `explain` says why it is a counterexample.
//!
//! Every state may stutter. Constraints remove states and steps from the graph, as in TLC; whether an action is enabled does not
//! depend on them.

mod compiled_labels;
mod component;
mod early_look;
mod explain;
mod formula;
mod graph;
mod instantiate;
mod labelling;
mod lasso;
mod node_labels;
mod normal_form;
mod problem;
mod product;
mod tableau;
#[cfg(test)]
mod tests;
mod view;

use omnilink_evidence::LassoReason;
use omnilink_tla::eval::error::Failure;
use omnilink_tla::model::{Check, CompiledSpec};
use omnilink_tla_compile::Evaluators;

pub(crate) use self::early_look::EarlyLook;
pub(crate) use self::graph::{GraphRecorder, Node, StateGraph};
pub(crate) use self::instantiate::{AtomInstance, AtomKind};
pub(crate) use self::view::{ROUNDS, ViewOutcome};

use self::component::{ComponentSearch, ConditionPositions, Met};
use self::explain::Explainer;
use self::formula::TemporalFormula;
use self::graph::LabelledGraph;
use self::instantiate::Instantiation;
use self::lasso::Lasso;
use self::normal_form::{FormId, NormalForms};
use self::problem::problems;
use self::product::{Product, ProductNode};
use crate::codec::StateDecodeError;
use crate::limits::{Limit, LimitWatch};
use crate::tla_system::TlaSystem;
use crate::transition_system::TransitionSystem;

/// Why a check of temporal properties ended without an answer.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A limit was reached.
    Limit(Limit),
    /// A formula could not be evaluated in this state or for a step from it.
    Failed(Node, Box<Failure>),
    /// A state could not be decoded.
    Decode(StateDecodeError),
    /// The automaton of a property has too many states.
    TooLarge,
    /// The lasso that was found is none: a mistake of this program.
    NotReplayed,
    /// Compiled code and the evaluator differ, as the system knows.
    Disagreement,
}

/// Computes the labels of the nodes of a lasso again.
type Confirm<'a> = &'a dyn Fn(&[Node]) -> Result<(), Stop>;

/// A temporal property.
#[derive(Debug)]
struct TemporalProperty {
    name: String,
    formula: TemporalFormula,
}

/// The temporal properties of a model and its fairness conditions.
#[derive(Debug)]
pub(crate) struct Liveness {
    properties: Vec<TemporalProperty>,
    fairness: Vec<TemporalFormula>,
    atoms: Vec<AtomInstance>,
}

/// What the temporal properties are.
#[derive(Debug)]
pub(crate) struct LivenessOutcome {
    /// The properties that hold.
    pub(crate) held: Vec<String>,
    /// The properties that do not hold.
    pub(crate) violated: Vec<String>,
    /// Counterexamples to all of them, or to the first, as was asked for.
    pub(crate) counterexamples: Vec<LassoCounterexample>,
    /// Whether no behaviour is fair.
    pub(crate) is_vacuous: bool,
}

/// A counterexample to a temporal property.
#[derive(Debug)]
pub(crate) struct LassoCounterexample {
    pub(crate) property: String,
    pub(crate) lasso: Lasso,
    /// Whether the finite behaviour is a counterexample by itself.
    pub(crate) is_finite: bool,
    pub(crate) reasons: Vec<LassoReason>,
    pub(crate) fairness: Vec<LassoReason>,
}

impl LassoCounterexample {
    /// Position of the state to which the last one leads back, if that matters.
    pub(crate) fn back_to(&self) -> Option<usize> {
        (!self.is_finite).then_some(self.lasso.start)
    }
}

impl Liveness {
    /// The temporal properties of a model, if it has any.
    pub(crate) fn new(
        system: &TlaSystem<'_>,
        model: &CompiledSpec,
    ) -> Result<Option<Self>, (String, Box<Failure>)> {
        let mut evaluator = system.worker(0);
        let mut instantiation = Instantiation {
            evaluator: &mut evaluator,
            atoms: Vec::new(),
        };
        let mut properties = Vec::new();
        for property in &model.properties {
            for check in &property.checks {
                if let Check::Temporal(formula) = check {
                    let formula = instantiation.formula(formula);
                    properties.push(TemporalProperty {
                        name: property.name.clone(),
                        formula: formula.map_err(|failure| (property.name.clone(), failure))?,
                    });
                }
            }
        }
        if properties.is_empty() {
            return Ok(None);
        }
        let mut fairness = Vec::new();
        for formula in &model.fairness {
            let formula = instantiation.formula(formula);
            fairness.push(formula.map_err(|failure| ("SPECIFICATION".to_owned(), failure))?);
        }
        let atoms = instantiation.atoms;
        Ok(Some(Self {
            properties,
            fairness,
            atoms,
        }))
    }

    /// Whether the properties read the queue of the search, and there is no fairness, which would need every state.
    pub(crate) fn is_about_the_search(&self, system: &TlaSystem<'_>) -> bool {
        let has_action = |atom: &AtomInstance| matches!(atom.kind, AtomKind::Enabled { .. });
        self.atoms.iter().any(|atom| labelling::is_impure(system, atom)) && !self.atoms.iter().any(has_action)
    }

    /// Checks the properties on the graph of all states.
    pub(crate) fn check(
        &self,
        system: &TlaSystem<'_>,
        graph: &StateGraph,
        limits: &LimitWatch<'_>,
        workers: usize,
        shows_all: bool,
    ) -> Result<LivenessOutcome, Stop> {
        let labelled = labelling::label(system, &self.atoms, graph, limits, workers)?;
        let confirm =
            |nodes: &[Node]| labelling::confirm(system, &self.atoms, (graph, &labelled), limits, nodes);
        let confirm = (system.evaluators != Evaluators::Interpreter).then_some(&confirm as _);
        self.check_labelled(system, (&labelled, confirm), limits, shows_all)
    }

    /// Checks the properties on a labelled graph. If compiled code has labelled it, the labels of a lasso are to be confirmed.
    fn check_labelled(
        &self,
        system: &TlaSystem<'_>,
        (labelled, confirm): (&LabelledGraph, Option<Confirm<'_>>),
        limits: &LimitWatch<'_>,
        shows_all: bool,
    ) -> Result<LivenessOutcome, Stop> {
        let mut forms = NormalForms::default();
        let fairness: Vec<FormId> = self
            .fairness
            .iter()
            .map(|formula| forms.of(formula, true))
            .collect();
        let mut outcome = LivenessOutcome {
            held: Vec::new(),
            violated: Vec::new(),
            counterexamples: Vec::new(),
            is_vacuous: false,
        };
        for property in &self.properties {
            if outcome.violated.contains(&property.name) {
                continue;
            }
            let mut conjuncts = fairness.clone();
            conjuncts.push(forms.of(&property.formula, false));
            let Some(lasso) = find_lasso(labelled, &mut forms, &conjuncts, limits)? else {
                continue;
            };
            if let Some(confirm) = confirm {
                confirm(&lasso.nodes)?;
            }
            let holds = |formula: &TemporalFormula| lasso.truths(labelled, formula)[0];
            if holds(&property.formula) || !self.fairness.iter().all(holds) {
                return Err(Stop::NotReplayed);
            }
            outcome.violated.push(property.name.clone());
            if shows_all || outcome.counterexamples.is_empty() {
                let positive = forms.of(&property.formula, true);
                let is_finite = self.fairness.is_empty() && forms.is_safety(positive);
                let counterexample = self.counterexample(system, labelled, property, lasso, is_finite);
                outcome.counterexamples.push(counterexample);
            }
        }
        for property in &self.properties {
            if !outcome.violated.contains(&property.name) && !outcome.held.contains(&property.name) {
                outcome.held.push(property.name.clone());
            }
        }
        outcome.is_vacuous = outcome.violated.is_empty()
            && !fairness.is_empty()
            && find_lasso(labelled, &mut forms, &fairness, limits)?.is_none();
        Ok(outcome)
    }

    fn counterexample(
        &self,
        system: &TlaSystem<'_>,
        graph: &LabelledGraph,
        property: &TemporalProperty,
        lasso: Lasso,
        is_finite: bool,
    ) -> LassoCounterexample {
        let explainer = Explainer {
            program: &system.model.program,
            graph,
            lasso: &lasso,
        };
        let mut reasons = Vec::new();
        explainer.property(&property.formula, &mut reasons);
        let mut fairness = Vec::new();
        for formula in &self.fairness {
            explainer.fairness(formula, &mut fairness);
        }
        LassoCounterexample {
            property: property.name.clone(),
            lasso,
            is_finite,
            reasons,
            fairness,
        }
    }
}

/// A lasso that satisfies all conjuncts, if there is one. Of several problems, the shortest is taken.
fn find_lasso(
    graph: &LabelledGraph,
    forms: &mut NormalForms,
    conjuncts: &[FormId],
    limits: &LimitWatch<'_>,
) -> Result<Option<Lasso>, Stop> {
    let mut best: Option<Lasso> = None;
    for problem in problems(forms, conjuncts) {
        let (propositions, positions) = ConditionPositions::propositions(&problem.cycle);
        let product = Product::explore(graph, forms, &problem, &propositions, limits)?;
        let found = match stuttering_node(&product, &positions) {
            Some(node) => Some(Lasso::stuttering(&product, node)),
            None => match ComponentSearch::new(&product, &positions, limits).earliest()? {
                Some(component) => {
                    Some(Lasso::through(&product, &positions, &component).ok_or(Stop::NotReplayed)?)
                }
                None => None,
            },
        };
        best = match (best, found) {
            (Some(best), Some(found)) if found.nodes.len() < best.nodes.len() => Some(found),
            (None, found) => found,
            (best, _) => best,
        };
    }
    Ok(best)
}

/// The first node in which stuttering for ever satisfies all conditions on the cycle.
fn stuttering_node(product: &Product<'_>, positions: &ConditionPositions) -> Option<ProductNode> {
    let allowed = ComponentSearch::allowed(product, positions);
    (0..product.len() as ProductNode).find(|node| {
        let mut met = Met::new(product);
        for step in product.stuttering_steps(*node) {
            if allowed[step.class as usize] {
                met.add(product, &step);
            }
        }
        met.meets_often(positions) && met.unanswered(positions).is_empty()
    })
}
