//! The interface of small workloads.

use omnilink_engine::Model;

/// A model with a small set of calls and results.
pub trait Workload {
    type Model: Model;

    fn model(&self) -> Self::Model;

    /// Every call, as an operation with an unknown result.
    fn calls(&self) -> Vec<<Self::Model as Model>::Op>;

    /// `call` with every result of the workload, possible or not.
    fn results(&self, call: &<Self::Model as Model>::Op) -> Vec<<Self::Model as Model>::Op>;

    /// Every operation: all calls, with results and without.
    fn operations(&self) -> Vec<<Self::Model as Model>::Op> {
        let mut operations = Vec::new();
        for call in self.calls() {
            operations.extend(self.results(&call));
            operations.push(call);
        }
        let mut distinct = Vec::new();
        for operation in operations {
            if !distinct.contains(&operation) {
                distinct.push(operation);
            }
        }
        distinct
    }
}

/// Code that runs for every workload.
pub trait Visitor {
    fn visit<W: Workload>(&mut self, name: &str, workload: &W);
}
