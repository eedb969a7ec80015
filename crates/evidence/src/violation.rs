//! Why the answer is no.

use serde::Serialize;

use crate::behaviour::Behaviour;
use crate::counterexample::Counterexample;
use crate::failing_test::FailingTest;
use crate::operation::ReportedOperation;
use crate::schedule::{FailingRun, SerialContradiction};
use crate::transactions::Anomaly;
use crate::visibility::VisibilityRefutation;

/// Why the answer is no. In JSON, `type` names the variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Violation {
    /// No order explains an operation.
    Operation(Box<Counterexample>),
    /// No order with a visibility explains an operation.
    Visibility(Box<VisibilityRefutation>),
    /// Transactions are not isolated.
    Transactions(Anomaly),
    /// A behaviour of a specification violates a property.
    Behaviour(Box<Behaviour>),
    /// A run of a component has a history that nothing explains.
    Run(Box<FailingRun>),
    /// Serial runs of a component contradict each other.
    Nondeterminism(Box<SerialContradiction>),
    /// A test fails under some schedule.
    Test(Box<FailingTest>),
}

impl Violation {
    pub(crate) fn visit_operations(&mut self, visit: &mut dyn FnMut(&mut ReportedOperation)) {
        match self {
            Self::Operation(counterexample) => counterexample.visit_operations(visit),
            Self::Visibility(refutation) => refutation.visit_operations(visit),
            Self::Run(run) => run.visit_operations(visit),
            Self::Test(test) => test.visit_operations(visit),
            Self::Transactions(_) | Self::Behaviour(_) | Self::Nondeterminism(_) => {}
        }
    }
}
