//! How often actions were taken and definitions evaluated.

use std::sync::atomic::Ordering;

use omnilink_tla::ir::{ActionInfo, Program};

use crate::report::{ActionSteps, DefinitionUse};
use crate::source_line::file_and_line;
use crate::statistics::ActionCount;
use crate::tla_system::TlaSystem;

/// Number of evaluations of each definition. One definition becomes several operators if it is used through instances, or both
/// with and without a prime.
pub(super) fn definition_coverage(system: &TlaSystem<'_>) -> Vec<DefinitionUse> {
    let mut definitions: Vec<DefinitionUse> = Vec::new();
    let Some(counts) = &system.evaluation_counts else {
        return definitions;
    };
    let program = &system.model.program;
    let counts = program.operators.iter().zip(counts.iter());
    for (operator, evaluations) in counts.filter(|(operator, _)| operator.is_definition) {
        let place = file_and_line(program, operator.body.at);
        let evaluations = evaluations.load(Ordering::Relaxed);
        let same = |known: &&mut DefinitionUse| *known.name == *operator.name && known.place == place;
        match definitions.iter_mut().find(same) {
            Some(known) => known.evaluations += evaluations,
            None => definitions.push(DefinitionUse {
                name: operator.name.to_string(),
                place,
                evaluations,
            }),
        }
    }
    for (name, at) in &system.model.unused {
        definitions.push(DefinitionUse {
            name: name.clone(),
            place: file_and_line(program, *at),
            evaluations: 0,
        });
    }
    definitions
}

/// Number of steps of each action.
pub(super) fn action_coverage(program: &Program, counts: &[ActionCount]) -> Vec<ActionSteps> {
    let action = |(action, count): (&ActionInfo, &ActionCount)| ActionSteps {
        name: action.name.to_string(),
        place: file_and_line(program, action.at),
        generated: count.generated,
        distinct: count.distinct,
    };
    program.actions.iter().zip(counts).map(action).collect()
}
