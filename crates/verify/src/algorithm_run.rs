//! Behaviours of a specification as runs of the PlusCal algorithm that it is translated from.

use std::collections::BTreeMap;
use std::ops::Range;

use omnilink_evidence::{
    ActionTaken, AlgorithmRun, AlgorithmStep, Behaviour, Evidence, PropertyKind, Violation, WaitingProcess,
};
use omnilink_tla::semantics::pluscal::{
    OutlinedStep, TranslationOptions, find_markers, has_algorithm, outline, translate,
};
use omnilink_value::Value;

/// A longer action is cut.
const TLA_MAX: usize = 1_000;

/// Tells who took the steps of every behaviour, and by which statements. Nothing changes where there is no algorithm.
pub fn tell_as_algorithm(evidence: &mut Evidence) {
    let mut files = Files::default();
    if let Some(Violation::Behaviour(behaviour)) = &mut evidence.violation {
        behaviour.algorithm = files.run(behaviour).map(Box::new);
    }
    for behaviour in evidence.exploration.iter_mut().flat_map(|one| &mut one.further) {
        behaviour.algorithm = files.run(behaviour).map(Box::new);
    }
}

/// The files with algorithms, by path.
#[derive(Default)]
struct Files(BTreeMap<String, Option<AlgorithmFile>>);

/// A file with an algorithm.
struct AlgorithmFile {
    path: String,
    text: String,
    steps: Vec<OutlinedStep>,
    /// The translation, and where it begins in the file if it is there.
    translation: String,
    begins_at: Option<usize>,
}

impl Files {
    /// The file of an action. It is read again: a specification keeps only what it is evaluated by.
    fn of(&mut self, action: &ActionTaken) -> Option<&AlgorithmFile> {
        let (path, _line) = action.place.rsplit_once(':')?;
        let read = || AlgorithmFile::read(path);
        self.0.entry(path.to_owned()).or_insert_with(read).as_ref()
    }

    fn run(&mut self, behaviour: &Behaviour) -> Option<AlgorithmRun> {
        let mut run = AlgorithmRun {
            processes: Vec::new(),
            back: None,
            steps: Vec::new(),
            waiting: Vec::new(),
        };
        // The processes by their identities: steps of procedures do not say which one it is.
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for state in &behaviour.states {
            let action = state.action.as_ref();
            let process = action.and_then(|action| self.add_step(action, &mut known, &mut run));
            run.processes.push(process);
        }
        let back = behaviour.back.as_ref();
        run.back = back.and_then(|action| self.add_step(action, &mut known, &mut run));
        if behaviour.kind == PropertyKind::Deadlock {
            self.add_waiting(behaviour, &known, &mut run);
        }
        (!run.steps.is_empty()).then_some(run)
    }
}

impl Files {
    /// Adds the step that an action is, if it is one, and names its process.
    fn add_step(
        &mut self,
        action: &ActionTaken,
        known: &mut BTreeMap<String, String>,
        run: &mut AlgorithmRun,
    ) -> Option<String> {
        let file = self.of(action)?;
        let step = file.steps.iter().find(|step| step.label == action.name)?;
        if run.step(&action.name).is_none() {
            run.steps.push(file.described(step));
        }
        let own = action.bindings.get("self").map(ToString::to_string);
        let Some(process) = &step.process else {
            return own.map(|own| known.get(&own).cloned().unwrap_or(format!("process {own}")));
        };
        let (identity, name) = match (process.identity(), own) {
            (Some(identity), _) => (identity.to_owned(), process.name.clone()),
            (None, Some(own)) => (own.clone(), format!("{} {own}", process.name)),
            (None, None) => return Some(process.name.clone()),
        };
        known.insert(identity, name.clone());
        Some(name)
    }

    /// Where processes wait that have not ended, by the `pc` of the last state.
    fn add_waiting(
        &mut self,
        behaviour: &Behaviour,
        known: &BTreeMap<String, String>,
        run: &mut AlgorithmRun,
    ) {
        let pc = behaviour.states.last().and_then(|state| state.values.get("pc"));
        let last = behaviour
            .states
            .iter()
            .rev()
            .find_map(|state| state.action.as_ref());
        let Some((pc, file)) = pc.zip(last.and_then(|action| self.of(action))) else {
            return;
        };
        for (identity, label) in at_labels(pc) {
            let Some(step) = file.steps.iter().find(|step| step.label == label) else {
                continue;
            };
            let process = identity.map(|identity| match (known.get(&identity), &step.process) {
                (Some(name), _) => name.clone(),
                (None, Some(process)) if process.identity().is_some() => process.name.clone(),
                (None, Some(process)) => format!("{} {identity}", process.name),
                (None, None) => format!("process {identity}"),
            });
            if run.step(&label).is_none() {
                run.steps.push(file.described(step));
            }
            run.waiting.push(WaitingProcess { process, label });
        }
    }
}

/// The label of each process by its identity, or that of an algorithm without processes.
fn at_labels(pc: &Value) -> Vec<(Option<String>, String)> {
    let label = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(label) = label(pc) {
        return vec![(None, label)];
    }
    let numbered = pc.as_tuple().unwrap_or_default().iter().zip(1..);
    let numbered = numbered.map(|(value, number): (&Value, u64)| (number.to_string(), value));
    let named = pc.as_record().into_iter().flat_map(|record| record.iter());
    let named = named.map(|(name, value)| (Value::from(name).to_string(), value));
    let others = pc.as_entries().unwrap_or_default().iter();
    let others = others.map(|(identity, value)| (identity.to_string(), value));
    let all = numbered.chain(named).chain(others);
    all.filter_map(|(identity, value)| Some((Some(identity), label(value)?)))
        .collect()
}

impl AlgorithmFile {
    fn read(path: &str) -> Option<Self> {
        let text = std::fs::read_to_string(path)
            .ok()
            .filter(|text| has_algorithm(text))?;
        let steps = outline(&text);
        let stored = find_markers(&text).ok().flatten();
        let translation = match &stored {
            Some(markers) => text[markers.between.clone()].to_owned(),
            None => translate(&text, &TranslationOptions::default()).ok()?.text,
        };
        Some(Self {
            path: path.to_owned(),
            begins_at: stored.map(|markers| markers.between.start),
            steps,
            translation,
            text,
        })
    }

    fn described(&self, step: &OutlinedStep) -> AlgorithmStep {
        let action = definition(&self.translation, &step.label);
        let place = |offset: usize| format!("{}:{}", self.path, line_of(&self.text, offset));
        AlgorithmStep {
            label: step.label.clone(),
            statement: step.statement.clone(),
            place: place(step.span.start as usize),
            translation: self
                .begins_at
                .zip(action.as_ref())
                .map(|(begins_at, action)| place(begins_at + action.start)),
            tla: action.map_or_else(String::new, |action| {
                self.translation[action]
                    .trim_end()
                    .chars()
                    .take(TLA_MAX)
                    .collect()
            }),
        }
    }
}

/// The definition of an action in a translation: from the line that begins with its name to the empty line after it.
fn definition(translation: &str, name: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in translation.split_inclusive('\n') {
        let is_it = line
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with("(self) ==") || rest.trim_start().starts_with("=="));
        if is_it {
            let rest = &translation[start..];
            let end = ["\n\n", "\r\n\r\n"]
                .iter()
                .filter_map(|empty| rest.find(empty))
                .min();
            return Some(start..start + end.unwrap_or(rest.len()));
        }
        start += line.len();
    }
    None
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_wait_at_labels() {
        let text = |name: &str| Value::from(name);
        let shown = |pc: Value| format!("{:?}", at_labels(&pc));
        assert_eq!(shown(text("a")), r#"[(None, "a")]"#);
        let pair = Value::tuple([text("a"), text("b")]);
        assert_eq!(shown(pair), r#"[(Some("1"), "a"), (Some("2"), "b")]"#);
        assert_eq!(at_labels(&Value::int(3)), []);
    }

    #[test]
    fn the_definition_of_an_action_ends_at_an_empty_line() {
        let text =
            "VARIABLES x\n\ntake(self) == /\\ pc[self] = \"take\"\n              /\\ x' = 1\n\ntaken == x\n";
        let found = definition(text, "take").map(|found| &text[found]);
        assert_eq!(
            found,
            Some("take(self) == /\\ pc[self] = \"take\"\n              /\\ x' = 1")
        );
        assert_eq!(
            definition(text, "taken").map(|found| &text[found]),
            Some("taken == x\n")
        );
        assert_eq!(definition(text, "tak"), None);
    }
}
