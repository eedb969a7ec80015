//! The picture of the bug: one element, put in once and taken twice.

use std::path::Path;

use omnilink_evidence::{Evidence, ThreadName, Violation};
use omnilink_report::{Bar, Look, Mark, draw};
use omnilink_trace::{OpenOptions, Operation, Trace};
use omnilink_value::Value;

/// The operations on the element that the unexplained operation took, if others took it as well.
pub(super) struct TakenTwice {
    element: Value,
    bars: Vec<Bar>,
}

impl TakenTwice {
    /// Finds them in the trace. `None` if the violation is of another kind: what is left of the ring after two threads took one element
    /// may also show later and differently.
    pub(super) fn find(report: &Evidence, trace: &Path) -> Option<Self> {
        let Some(Violation::Operation(counterexample)) = &report.violation else {
            return None;
        };
        let operations: Vec<Operation> = Trace::open(trace, &OpenOptions::default())
            .ok()?
            .map_while(Result::ok)
            .collect();
        let (start, end) = (counterexample.op.start?, counterexample.op.end);
        let is_unexplained = |operation: &&Operation| {
            let timebox = operation.timebox;
            operation.name.as_str() == "dequeue" && timebox.start == start && timebox.end == end
        };
        let element = operations.iter().find(is_unexplained)?.ret.clone()?;
        let bars: Vec<Bar> = operations
            .iter()
            .filter_map(|operation| {
                let text = match operation.name.as_str() {
                    "enqueue" if operation.args.field("value") == Some(&element) => {
                        format!("enqueue({element})")
                    }
                    "dequeue" if operation.ret.as_ref() == Some(&element) => format!("dequeue() = {element}"),
                    _ => return None,
                };
                let mark = if is_unexplained(&operation) {
                    Mark::Unexplained
                } else {
                    Mark::Plain
                };
                Some(Bar {
                    thread: ThreadName::Name(operation.thread.to_string()),
                    text,
                    timebox: operation.timebox,
                    mark,
                })
            })
            .collect();
        let takes = bars.iter().filter(|bar| bar.text.starts_with("dequeue")).count();
        (takes > 1 && takes < bars.len()).then_some(Self { element, bars })
    }

    /// A sentence and the picture.
    pub(super) fn text(&self, look: &Look) -> String {
        format!(
            "\nThe element {} went in once and came out {} times:\n\n{}",
            self.element,
            self.bars.len() - 1,
            draw(&self.bars, look)
        )
    }
}
