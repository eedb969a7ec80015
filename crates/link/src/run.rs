//! Runs: operations that are not one step of a PlusCal algorithm but several, of one process, through labels that the link file names.
//!
//! A run begins with the step of the first label and ends with the step after which the process is at none of the labels, or at the label that
//! the link file gives for its end. All its steps lie in the operation's timebox, and steps of other processes may lie between them.

/// The parameter of actions that belong to a set of processes.
pub(crate) const SELF: &str = "self";

/// The labels of a run, as a link file has them. The name of a process or of a procedure stands for all of its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunLabels {
    /// One name.
    One(String),
    /// Several, of which the first is where the run begins.
    Several(Vec<String>),
}

impl RunLabels {
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

/// A run, as TLA+.
#[derive(Debug)]
pub(crate) struct Run {
    /// The labels with their actions, the first one first.
    pub(crate) steps: Vec<(String, String)>,
    /// The label at which it ends.
    pub(crate) until: Option<String>,
    /// The process, as TLA+; `None` in an algorithm without processes.
    pub(crate) index: Option<String>,
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunPart {
    /// A step after which the run goes on.
    Step,
    /// The last step.
    Last,
}

/// How many steps a run has at most, for each of its labels, if the link file does not say it: a loop that is tried again a few times.
const STEPS_PER_LABEL: u32 = 2;

impl Run {
    /// Whether the process is a parameter.
    pub(crate) fn takes_self(&self) -> bool {
        self.index.as_deref() == Some(SELF)
    }

    /// Where it begins.
    pub(crate) fn first_label(&self) -> &str {
        self.steps.first().map_or("", |(label, _)| label)
    }

    /// The action of one of its labels.
    pub(crate) fn action_of(&self, label: &str) -> String {
        let found = self.steps.iter().find(|(other, _)| other == label);
        found.map_or_else(|| label.to_owned(), |(_, action)| action.clone())
    }

    /// The number of steps before the last one, if the link file gives none.
    pub(crate) fn default_bound(&self) -> u32 {
        STEPS_PER_LABEL.saturating_mul(self.steps.len() as u32)
    }

    /// A part as a formula; `begins` must hold of each step from the first label.
    pub(crate) fn formula(&self, part: RunPart, begins: &[String]) -> String {
        let (before, at) = match &self.index {
            Some(index) => (format!("pc[{index}]"), format!("pc'[{index}]")),
            None => ("pc".to_owned(), "pc'".to_owned()),
        };
        let steps = self.steps.iter().enumerate().map(|(number, (label, action))| {
            let begins = if number == 0 { begins } else { &[] };
            let conjuncts: Vec<&str> = std::iter::once(action)
                .chain(begins)
                .map(String::as_str)
                .collect();
            format!("{before} = \"{label}\" -> {}", conjuncts.join(" /\\ "))
        });
        let steps: Vec<String> = steps.collect();
        let inside = self.steps.iter().map(|(label, _)| label);
        let inside = inside.filter(|label| Some(*label) != self.until.as_ref());
        let inside: Vec<String> = inside.map(|label| format!("\"{label}\"")).collect();
        let inside = format!("{{{}}}", inside.join(", "));
        let place = match (part, &self.until) {
            (RunPart::Step, _) => format!("{at} \\in {inside}"),
            (RunPart::Last, Some(until)) => format!("{at} = \"{until}\""),
            (RunPart::Last, None) => format!("{at} \\notin {inside}"),
        };
        // Where the process is decides which step it takes, so that a refusal has the reason of that step only.
        format!("(CASE {} [] OTHER -> FALSE) /\\ {place}", steps.join(" [] "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(until: Option<&str>) -> Run {
        let step = |label: &str| (label.to_owned(), format!("{label}(self)"));
        Run {
            steps: vec![step("idle"), step("link")],
            until: until.map(str::to_owned),
            index: Some("self".to_owned()),
        }
    }

    #[test]
    fn a_run_goes_on_inside_of_its_labels_and_ends_outside() {
        let outside = run(None);
        assert_eq!(
            outside.formula(RunPart::Step, &[]),
            r#"(CASE pc[self] = "idle" -> idle(self) [] pc[self] = "link" -> link(self) [] OTHER -> FALSE) /\ pc'[self] \in {"idle", "link"}"#
        );
        assert_eq!(
            outside.formula(RunPart::Last, &[]),
            r#"(CASE pc[self] = "idle" -> idle(self) [] pc[self] = "link" -> link(self) [] OTHER -> FALSE) /\ pc'[self] \notin {"idle", "link"}"#
        );
    }

    #[test]
    fn a_run_may_end_where_it_began() {
        let begins = ["b(self)".to_owned()];
        assert_eq!(
            run(Some("idle")).formula(RunPart::Step, &begins),
            r#"(CASE pc[self] = "idle" -> idle(self) /\ b(self) [] pc[self] = "link" -> link(self) [] OTHER -> FALSE) /\ pc'[self] \in {"link"}"#
        );
        assert_eq!(
            run(Some("idle")).formula(RunPart::Last, &begins),
            r#"(CASE pc[self] = "idle" -> idle(self) /\ b(self) [] pc[self] = "link" -> link(self) [] OTHER -> FALSE) /\ pc'[self] = "idle""#
        );
    }
}
