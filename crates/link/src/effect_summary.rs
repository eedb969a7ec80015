//! The static effects of the actions that a trace uses: for `omnilink link check --explain`.

use std::collections::BTreeMap;

use omnilink_engine::Model as _;
use omnilink_tla::eval::{Cell, Effects};

use crate::instance::Instance;
use crate::model::TlaModel;

/// Counts, for each operation, in how many instances it changes nothing.
#[derive(Debug, Default)]
pub struct EffectSummary {
    ops: BTreeMap<String, CoverageCounters>,
}

#[derive(Debug, Default)]
struct CoverageCounters {
    instances: u64,
    pure: u64,
    example: Option<String>,
}

impl EffectSummary {
    /// Counts an instance.
    pub fn observe(&mut self, model: &TlaModel<'_>, instance: &Instance) {
        let op = &model.linked.bindings[instance.0.binding as usize].op;
        if !self.ops.contains_key(op) {
            self.ops.insert(op.clone(), CoverageCounters::default());
        }
        let Some(counters) = self.ops.get_mut(op) else {
            return;
        };
        let is_pure = model.is_pure(instance);
        counters.instances += 1;
        counters.pure += u64::from(is_pure);
        if counters.example.is_none() && !is_pure {
            let text = described(model, model.effects(instance));
            counters.example = Some(format!("{}: {text}", model.describe_op(instance)));
        }
    }

    /// A line or two for each operation.
    pub fn lines(&self) -> Vec<String> {
        let line = |(op, counters): (&String, &CoverageCounters)| match (&counters.example, counters.pure) {
            (None, _) => format!(
                "{op}: never changes anything; placed at once ({} seen)",
                counters.instances
            ),
            (Some(example), 0) => format!(
                "{op}: may change the state ({} seen)\n    {example}",
                counters.instances
            ),
            (Some(example), pure) => format!(
                "{op}: changes nothing in {pure} of {} cases, because of its arguments\n    {example}",
                counters.instances
            ),
        };
        self.ops.iter().map(line).collect()
    }
}

fn described(model: &TlaModel<'_>, effects: &Effects) -> String {
    if !effects.is_complete {
        return "not analysable; assumed to read and change everything".to_owned();
    }
    let variables = &model.linked.program.variables;
    let cell = |cell: &Cell| {
        let name = variables.get(cell.variable as usize).map_or("?", |name| name);
        let path: String = cell.path.iter().map(ToString::to_string).collect();
        format!("{name}{path}")
    };
    let listed = |cells: Vec<String>| match cells.as_slice() {
        [] => "nothing".to_owned(),
        cells => cells.join(", "),
    };
    let reads = listed(effects.reads.iter().map(cell).collect());
    let writes = listed(effects.writes.iter().map(|write| cell(&write.cell)).collect());
    if effects.is_exact {
        format!("reads {reads}; changes {writes}; known without evaluating it")
    } else {
        format!("reads {reads}; may change {writes}")
    }
}
