//! What histories are to be explained by, if not by the component itself: a shipped model or a TLA+ specification.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use omnilink_consistency::{Guarantee, MethodLevels, parse_axioms};
use omnilink_engine::{Consistency, Interrupt};
use omnilink_lineup::{
    Alphabet, CorrectnessCondition, ModelSpecification, SerialCriterion, Specification, SpecificationResult,
    StopConditions, calls_as_operations, explain_by,
};
use omnilink_link::{CollectedConstants, LinkOptions, Linked};
use omnilink_models::AnyModel;
use omnilink_trace::Operation;
use omnilink_verify::{NamedModel, NativeSubject, SpecSubject};

use crate::error::CliError;
use crate::linking::Linking;
use crate::output;

/// What explains histories, as arguments.
#[derive(Debug, Args)]
pub(super) struct SpecificationArgs {
    /// Check against this model instead of the component's own serial runs, such as queue:capacity=2
    #[arg(long, short, value_name = "NAME[:OPT=VAL,…]", conflicts_with = "spec")]
    model: Option<String>,
    /// Check against a TLA+ specification: the call `Push(1)` is its action `Push`
    #[arg(long, value_name = "SPEC.tla")]
    spec: Option<PathBuf>,
    #[command(flatten)]
    linking: Linking,
    /// linearizable or sequential; with a model or a specification also causal, weak, read-my-writes …
    #[arg(long, value_name = "LEVEL", default_value = "linearizable")]
    consistency: String,
    /// Check the axioms in this file: see docs/consistency.md
    #[arg(long, value_name = "FILE", conflicts_with_all = ["consistency", "levels"])]
    axioms: Option<PathBuf>,
    /// Check each method at the level that this file gives it
    #[arg(long, value_name = "FILE", conflicts_with = "consistency")]
    levels: Option<PathBuf>,
}

/// What explains histories, found to make sense before anything is built.
pub(super) struct Explained<'a> {
    condition: CorrectnessCondition,
    by: By<'a>,
}

enum By<'a> {
    /// The component's own serial runs.
    Itself(SerialCriterion),
    Model(&'a str),
    Spec(Box<Spec<'a>>),
}

struct Spec<'a> {
    path: &'a Path,
    options: LinkOptions,
    /// What is taken from the calls of a component. Without that, one reading of the spec serves all components.
    collection: CollectedConstants,
    shared: Option<Arc<Linked>>,
}

impl SpecificationArgs {
    /// Finds out what is asked for.
    pub(super) fn explained(&self) -> Result<Explained<'_>, CliError> {
        let condition = self.condition()?;
        self.linking.needs(self.spec.as_ref())?;
        let by = match (&self.model, &self.spec) {
            (Some(model), _) => {
                AnyModel::from_spec(model)?;
                By::Model(model)
            }
            (None, Some(path)) => By::Spec(Box::new(self.read(path)?)),
            (None, None) => By::Itself(criterion(&condition)?),
        };
        Ok(Explained { condition, by })
    }

    /// The arguments that repeat this choice, with a blank in front; without the constants of a specification.
    pub(super) fn arguments(&self) -> String {
        let mut arguments = String::new();
        let mut say = |option: &str, value: &dyn std::fmt::Display| {
            arguments.push_str(&format!(" --{option} {value}"));
        };
        if let Some(model) = &self.model {
            say("model", model);
        }
        for (option, path) in [
            ("spec", &self.spec),
            ("axioms", &self.axioms),
            ("levels", &self.levels),
        ] {
            if let Some(path) = path {
                say(option, &path.display());
            }
        }
        if self.consistency != "linearizable" {
            say("consistency", &self.consistency);
        }
        arguments
    }

    fn condition(&self) -> Result<CorrectnessCondition, CliError> {
        let bad = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
        let text = |path: &Path| {
            std::fs::read_to_string(path)
                .map_err(|error| CliError::Usage(format!("{}: {error}; give a text file", path.display())))
        };
        let question = match (&self.axioms, &self.levels) {
            (Some(path), _) => Guarantee::Axioms(
                parse_axioms(&path.display().to_string(), &text(path)?).map_err(|error| bad(&error))?,
            ),
            (None, Some(path)) => Guarantee::Levels(
                MethodLevels::parse(&path.display().to_string(), &text(path)?)
                    .map_err(|error| bad(&error))?,
            ),
            (None, None) => {
                return CorrectnessCondition::from_name(&self.consistency).map_err(|error| bad(&error));
            }
        };
        Ok(CorrectnessCondition::Weak(question))
    }

    fn read<'a>(&'a self, path: &'a Path) -> Result<Spec<'a>, CliError> {
        let (options, collection) = self.linking.options(path)?;
        let shared = if collection.is_empty() {
            Some(load(path, &options)?)
        } else {
            None
        };
        Ok(Spec {
            path,
            options,
            collection,
            shared,
        })
    }
}

fn load(path: &Path, options: &LinkOptions) -> Result<Arc<Linked>, CliError> {
    let linked = Linked::load(path, options)?;
    linked.notes().iter().for_each(|note| output::note(note));
    Ok(Arc::new(linked))
}

/// What serial runs can be asked for.
fn criterion(condition: &CorrectnessCondition) -> Result<SerialCriterion, CliError> {
    match condition {
        CorrectnessCondition::Order(Consistency::Linearizable) => Ok(SerialCriterion::Linearizable),
        CorrectnessCondition::Order(Consistency::Sequential) => Ok(SerialCriterion::Sequential),
        CorrectnessCondition::Weak(question) => Err(CliError::Usage(format!(
            "{} needs a --model or a --spec: serial runs tell nothing about calls that do not see each other",
            question.name()
        ))),
    }
}

impl Explained<'_> {
    /// What counts as an explanation by serial runs.
    pub(super) fn criterion(&self) -> SerialCriterion {
        match self.by {
            By::Itself(criterion) => criterion,
            By::Model(_) | By::Spec(_) => SerialCriterion::default(),
        }
    }

    /// The specification for a component with these calls; `None` if its serial runs are the specification.
    pub(super) fn specification(
        &self,
        alphabet: &Alphabet,
        stop: StopConditions,
    ) -> Result<Option<Specification>, CliError> {
        let named = |name: &dyn std::fmt::Display| format!("{name}, {}", self.condition.name());
        let condition = self.condition.clone();
        Ok(match &self.by {
            By::Itself(_) => None,
            By::Model(model) => {
                let subject = NativeSubject {
                    model: AnyModel::from_spec(model)?,
                };
                Some(Specification::new(named(model), move |operations| {
                    explained_by(&subject, &condition, stop, operations)
                }))
            }
            By::Spec(spec) => {
                let linked = spec.for_calls(alphabet)?;
                let name = named(&spec.path.display());
                Some(of_spec(name, linked, condition, stop))
            }
        })
    }
}

impl Spec<'_> {
    /// The spec with its constants filled by the calls of a component.
    fn for_calls(&self, alphabet: &Alphabet) -> Result<Arc<Linked>, CliError> {
        if let Some(linked) = &self.shared {
            return Ok(Arc::clone(linked));
        }
        let mut collection = self.collection.clone();
        for operation in calls_as_operations(alphabet) {
            collection.observe(&operation);
        }
        let mut options = self.options.clone();
        options.collected = collection.finish().0;
        load(self.path, &options)
    }
}

/// A spec is evaluated on a deep stack, by one evaluator: in a thread of its own.
fn of_spec(
    name: String,
    linked: Arc<Linked>,
    condition: CorrectnessCondition,
    stop: StopConditions,
) -> Specification {
    Specification::in_a_thread(name, move |requests| {
        let answer = linked.run_until(stop.deadline, stop.interrupt.map(Interrupt::new), |model| {
            let subject = SpecSubject {
                linked: &linked,
                model,
            };
            requests.answer(|operations| explained_by(&subject, &condition, stop, operations));
        });
        answer.map_err(|error| error.to_string())
    })
}

fn explained_by<S: NamedModel>(
    subject: &S,
    condition: &CorrectnessCondition,
    stop: StopConditions,
    operations: Vec<Operation>,
) -> SpecificationResult {
    let specification = ModelSpecification {
        model: subject.model(),
        decoder: subject,
        methods: &subject.methods(),
        condition,
        stop,
    };
    explain_by(&specification, operations)
}
