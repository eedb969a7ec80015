//! The labels of a state and of its steps, by compiled code.

use omnilink_tla::eval::Evaluator;
use omnilink_tla_compile::Form;

use super::graph::Node;
use super::instantiate::AtomKind;
use super::labelling::Labelling;
use super::node_labels::NodeLabels;
use crate::check::Layouts;
use crate::compiled::{CompiledAtoms, FairSteps};
use crate::tla_system::TlaSystem;
use omnilink_tla_compile::Evaluators;

/// Fewer states are labelled faster than code is made.
const STATES_MIN: usize = 500;
/// States from which the layout is learned, at even distances.
const STATES_LEARNED: usize = 400;
/// The same where compiled code is compared with the evaluator: few, so that layouts are often wrong.
const STATES_LEARNED_TO_COMPARE: usize = 2;

impl<'a> Labelling<'a> {
    /// Code for the atoms; `None` if it does not pay, or is not to be used.
    pub(super) fn compiled_atoms<'m>(
        &self,
        system: &TlaSystem<'m>,
        worker: &mut Evaluator<'m>,
    ) -> Option<CompiledAtoms<'a, 'm>> {
        let states = self.graph.len();
        let layouts = system.layouts;
        let learned = layouts.states_learned(match system.evaluators {
            Evaluators::Interpreter => return None,
            Evaluators::Compiled if states < STATES_MIN && layouts == Layouts::Learned => return None,
            Evaluators::Compiled => STATES_LEARNED,
            Evaluators::Both => STATES_LEARNED_TO_COMPARE,
        });
        if system.evaluation_counts.is_some() {
            return None;
        }
        let mut forms: Option<Vec<Form>> = None;
        for node in (0..states).step_by((states / learned).max(1)).take(learned) {
            let state = self.graph.state(node as Node).ok()?;
            let own = state.iter().map(|value| layouts.form(value));
            forms = Some(match forms {
                None => own.collect(),
                Some(forms) => forms.iter().zip(own).map(|(form, own)| form.meet(&own)).collect(),
            });
        }
        Some(CompiledAtoms::new(
            self.atoms,
            forms?,
            system.compiled_bytes,
            worker,
        ))
    }

    /// The labels of a state and of its steps; `None` if the evaluator has to find them. It decides about single atoms too.
    pub(super) fn label_compiled<'m>(
        &self,
        worker: &mut Evaluator<'m>,
        code: &mut CompiledAtoms<'a, 'm>,
        node: Node,
        labels: &mut NodeLabels,
    ) -> Option<()> {
        if !code.start(worker, self.graph.encoded(node)) {
            return None;
        }
        let successors = self.graph.successors(node);
        labels.start(self.atoms.len(), successors.len());
        // Atoms for the evaluator, and those to be evaluated for each step, with the atoms to add.
        let (mut left, mut of_steps) = (Vec::new(), Vec::new());
        for (number, atom) in self.atoms.iter().enumerate() {
            match &atom.kind {
                AtomKind::State(_) => match code.holds_now(worker, number) {
                    Some(true) => labels.add(number),
                    Some(false) => {}
                    None => left.push(number),
                },
                AtomKind::Step { .. } => of_steps.push((number, number)),
                AtomKind::Enabled { .. } => match code.steps(worker, number) {
                    Some(FairSteps::Listed(found)) => {
                        if !found.is_empty() {
                            labels.add(number);
                        }
                        for to in found {
                            if let Some(at) = self.step_to(*to, successors) {
                                labels.add_to_step(at, number + 1);
                            }
                        }
                    }
                    Some(FairSteps::Open) => match code.holds_now(worker, number) {
                        Some(true) => {
                            labels.add(number);
                            of_steps.push((number, number + 1));
                        }
                        Some(false) => {}
                        None => left.push(number),
                    },
                    None => left.push(number),
                },
                AtomKind::Taken => {}
            }
        }
        for (at, to) in successors.iter().enumerate() {
            if of_steps.is_empty() {
                break;
            }
            if !code.start_step(self.graph.encoded(*to)) {
                left.extend(of_steps.drain(..).map(|(number, _)| number));
            }
            of_steps.retain(|(number, holds)| {
                match code.holds_for_step(worker, *number) {
                    Some(true) => labels.add_to_step(at, *holds),
                    Some(false) => {}
                    None => {
                        left.push(*number);
                        return false;
                    }
                }
                true
            });
        }
        if !left.is_empty() {
            let mut decoded = self.decoded(node).ok()?;
            for number in left {
                let atom = (number, &self.atoms[number]);
                self.label_atom(worker, &mut decoded, atom, labels).ok()?;
            }
        }
        Some(())
    }
}
