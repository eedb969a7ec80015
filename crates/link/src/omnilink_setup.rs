//! Setups made for OmniLink on TLC, taken as they are.
//!
//! Such a setup is a spec `S`, and a module that extends `SValidate` and tells its model checker what is special:
//! definitions such as `__Action_X` (joined to action `X`), `__AbortBehavior`, `__TAG_X(pid, op)`, constants that are
//! collected from `__traces`, and a configuration that puts them in place. `SValidate` itself is generated for every trace. Here
//! it is generated once, without a trace and without the machinery that walks one: the engine does that.
//!
//! `__action`, the operation that a step is, is a variable there. Here it has a value during a step only, and is no part
//! of a state: states that differ in nothing else are one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use omnilink_tla::semantics::entity::EntityKind;
use omnilink_tla::semantics::level::Level;
use omnilink_tla::semantics::search_path::{SearchPath, read_text};
use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::semantics::{Loaded, add_module, load};
use omnilink_tla::source::Section;

use crate::action::actions;
use crate::error::LinkError;
use crate::link_file::{ABORTED, LinkFile, OpLink, TERMINATED};
use crate::module::{application, identifiers};
use crate::setup_names::{END, EVENT, GENERATED, TRACES, TRANSIENT};
use crate::spec_reader::sound;

/// A setup, recognised.
#[derive(Debug)]
pub(crate) struct Setup {
    /// The spec that it checks traces against, with the modules that are generated from it.
    modules: Spec,
    /// Which action each operation is.
    pub(crate) ops: BTreeMap<String, OpLink>,
    /// Where the spec defines the actions that generated ones stand for, by the names of the latter.
    pub(crate) places: BTreeMap<String, String>,
}

impl Setup {
    /// Recognises a setup by what the spec extends; `None` for any other spec.
    pub(crate) fn recognise(path: &Path, search: &SearchPath) -> Result<Option<Self>, LinkError> {
        // A file that cannot be read is reported when it is read as a spec.
        let Ok(text) = read_text(path) else {
            return Ok(None);
        };
        let Some((folder, base)) = base_of(path, &text) else {
            return Ok(None);
        };
        let spec = sound(load(&folder.join(format!("{base}.tla")), search))?;
        let Generated {
            text: module,
            sections,
            ops,
        } = generate(base, &spec, identifiers(&text).contains("__action"));
        let places = actions(&spec, None)
            .into_iter()
            .map(|action| (format!("{GENERATED}{}", action.name), action.at));
        let places = places.collect();
        let trace_ops = Path::new("__TraceOps.tla");
        let spec = sound(add_module(spec, trace_ops, TRACE_OPS.to_owned(), search))?;
        let path = PathBuf::from(format!("{base}Validate.tla"));
        let mut generated = add_module(spec, &path, module, search);
        generated.spec.sources.set_sections(&path, sections);
        Ok(Some(Self {
            modules: sound(generated)?,
            ops,
            places,
        }))
    }

    /// The spec, with the generated modules in the place of the files next to it.
    pub(crate) fn load(self, path: &Path, search: &SearchPath) -> Loaded {
        add_module(self.modules, path, read_text(path).unwrap_or_default(), search)
    }
}

/// The folder of a setup, and the spec that it checks traces against; `None` for any other spec.
fn base_of<'p, 't>(path: &'p Path, text: &'t str) -> Option<(&'p Path, &'t str)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let extended = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("EXTENDS"));
    let extended = extended.flat_map(|names| names.split(','));
    let mut bases = extended.filter_map(|name| name.trim().strip_suffix("Validate"));
    let base = bases.find(|base| folder.join(format!("{base}.tla")).is_file())?;
    Some((folder, base))
}

impl LinkFile {
    /// Whether ends of threads are operations: this file says what they mean, or the spec is a setup that was made for
    /// OmniLink. See `thread_ends` of [`OpenOptions`](omnilink_trace::OpenOptions).
    pub fn keeps_thread_ends(&self, spec: &Path) -> bool {
        let is_linked = self.thread_end.entries().next().is_some();
        let is_op = |end: &str| self.ops.contains_key(end);
        is_linked || is_op(TERMINATED) || is_op(ABORTED) || is_setup(spec)
    }

    /// Whether the end of the trace is an operation: the spec is a setup that was made for OmniLink, and says what must hold
    /// there. Its name is that of the operation.
    pub fn end_of_trace(spec: &Path) -> Option<&'static str> {
        asks_for_end(spec).then_some(END)
    }
}

/// Whether a spec is such a setup: there, the end of a thread is an operation.
fn is_setup(path: &Path) -> bool {
    read_text(path).is_ok_and(|text| base_of(path, &text).is_some())
}

/// Whether a spec is such a setup, and looks at the whole trace.
pub(crate) fn asks_for_traces(path: &Path) -> bool {
    let Ok(text) = read_text(path) else { return false };
    let words = identifiers(&text);
    let asks = words.contains(TRACES) || (words.contains("traces") && words.contains("__TraceOps"));
    asks && words.iter().any(|word| word.ends_with("Validate"))
}

/// What modules of such setups name. Walking a trace is the engine's part, so most of it has nothing to do here. Whether the
/// trace is at its end is the value of `__pc`, which differs in the one step after all operations.
const TRACE_OPS: &str = "---- MODULE __TraceOps ----\nEXTENDS Integers\nCONSTANT __traces\nVARIABLE __pc\ntraces == __traces\n\
    AtEndOfTrace == __pc = TRUE\nViablePIDs == {}\nTerminateAtEnd == TRUE\nEndCheck == FALSE\nPrintOptionsAtInitState == FALSE\n\
    DebugAlias == <<>>\nPostCondition == TRUE\n__pc_depth == 0\n====\n";

/// What setups call the end of the trace.
const AT_END: &str = "AtEndOfTrace";

/// Whether a spec is such a setup, and says what must hold at the end of the trace.
fn asks_for_end(path: &Path) -> bool {
    let Ok(text) = read_text(path) else { return false };
    base_of(path, &text).is_some() && identifiers(&text).contains(AT_END)
}

/// The formula of the step after all operations: nothing changes, and these invariants hold once more.
pub(crate) fn end_formula(invariants: &[&str]) -> String {
    let mut formula = "__pc' = TRUE /\\ UNCHANGED <<__Spec_vars, __viable_pids, __action>>".to_owned();
    for invariant in invariants {
        formula.push_str(&format!(" /\\ ({invariant})'"));
    }
    formula
}

/// The module of a setup's operations.
struct Generated {
    text: String,
    sections: Vec<Section>,
    ops: BTreeMap<String, OpLink>,
}

fn generate(base: &str, spec: &Spec, uses_action: bool) -> Generated {
    let root = spec.root();
    let name = |entity: &_| {
        let entity = spec.entity(*entity);
        let holes = vec!["_"; entity.arity as usize];
        application(spec.names.text(entity.name), &holes)
    };
    let constants: Vec<String> = root
        .into_iter()
        .flat_map(|root| &root.constants)
        .map(name)
        .collect();
    let variables: Vec<String> = root
        .into_iter()
        .flat_map(|root| &root.variables)
        .map(name)
        .collect();
    let mut text = format!("---- MODULE {base}Validate ----\nEXTENDS Integers\n");
    text.push_str(&format!(
        "CONSTANTS {}\n",
        [constants, vec![TRACES.to_owned()]].concat().join(", ")
    ));
    text.push_str(&format!("VARIABLES {}\n", variables.join(", ")));
    text.push_str(&format!("__Spec == INSTANCE {base}\n"));
    text.push_str(&format!("VARIABLES {}\n", TRANSIENT.join(", ")));
    text.push_str(&format!("__Spec_vars == <<{}>>\n", variables.join(", ")));
    text.push_str(&format!("__vars == <<__Spec_vars, {}>>\n", TRANSIENT.join(", ")));
    let fields = variables.iter().map(String::as_str).chain(TRANSIENT);
    let fields: Vec<String> = fields.map(|name| format!("{name} |-> {name}")).collect();
    text.push_str(&format!("__state == [{}]\n", fields.join(", ")));
    text.push_str("__TraceOps == INSTANCE __TraceOps\n");
    text.push_str("Init == __Spec!Init /\\ __pc = FALSE /\\ __viable_pids = {} /\\ __action = <<>>\n");
    text.push_str("__AbortBehavior == UNCHANGED __Spec_vars\n");
    text.push_str("__Action__TerminateThread == UNCHANGED __Spec_vars\n__Action__AbortThread == FALSE\n");
    let during = if uses_action {
        format!("__action' = {EVENT} /\\ UNCHANGED <<__pc, __viable_pids>>")
    } else {
        format!("UNCHANGED <<{}>>", TRANSIENT.join(", "))
    };
    text.push_str(&format!("__Aborted({EVENT}) == {during} /\\ __AbortBehavior\n"));
    let mut ops = BTreeMap::new();
    let mut link = |op: &str, action: String| {
        ops.insert(
            op.to_owned(),
            OpLink {
                action: Some(action),
                aborted: uses_action.then(|| format!("__Aborted({EVENT})")),
                ..OpLink::default()
            },
        );
    };
    let mut sections = Vec::new();
    for op in ["__TerminateThread", "__AbortThread"] {
        let joined = format!("__Action__{}", op.trim_start_matches('_'));
        text.push_str(&format!("__Op_{op}({EVENT}) == {during} /\\ {joined}\n"));
        link(op, format!("__Op_{op}"));
    }
    for action in actions(spec, None)
        .iter()
        .filter(|action| is_own(spec, &action.name))
    {
        let mut params = action.params.clone();
        let applied = application(&format!("__Spec!{}", action.name), &params);
        text.push_str(&format!("__Action_{} == TRUE\n", action.name));
        if uses_action {
            params.push(EVENT.to_owned());
        }
        let operation = application(&format!("__Op_{}", action.name), &params);
        text.push_str(&format!(
            "{operation} == {during} /\\ {applied} /\\ __Action_{}\n",
            action.name
        ));
        sections.push(Section {
            start: (text.trim_end().rfind('\n').map_or(0, |at| at + 1)) as u32,
            definition: format!("__Op_{}", action.name),
            made_from: action.signature(),
        });
        let plain = action.name.strip_suffix("_Done");
        link(
            plain.unwrap_or(&action.name),
            format!("__Op_{}", plain.unwrap_or(&action.name)),
        );
    }
    text.push_str("Next == UNCHANGED __vars\n====\n");
    // A step is part of an operation, never one of its own.
    ops.retain(|op, _| !op.ends_with("_Step"));
    Generated { text, sections, ops }
}

/// Whether a definition may be an operation: an action that is not the next-state relation itself.
fn is_own(spec: &Spec, name: &str) -> bool {
    name != "Next"
        && spec.find(name).is_some_and(|binding| {
            let entity = spec.entity(binding.entity);
            matches!(entity.kind, EntityKind::Operator { .. }) && entity.level.level == Level::Action
        })
}
