//! What the histories of a Line-Up test are to be explained by: the component's own serial runs, a shipped model, or a specification.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omnilink_engine::{Consistency, Interrupt};
use omnilink_lineup::{
    Alphabet, CorrectnessCondition, ModelSpecification, SerialCriterion, Specification, SpecificationResult,
    StopConditions, calls_as_operations, explain_by,
};
use omnilink_link::{CollectedConstants, LinkOptions, Linked};
use omnilink_models::AnyModel;
use omnilink_trace::Operation;

use crate::error::VerifyError;
use crate::spec_subject::SpecSubject;
use crate::subject::{NamedModel, NativeSubject};

/// What explains histories, found to make sense before anything is built.
#[derive(Debug)]
pub struct LineupSubject {
    condition: CorrectnessCondition,
    by: By,
}

#[derive(Debug)]
enum By {
    /// The component's own serial runs.
    Itself(SerialCriterion),
    Model(String),
    Spec(Box<Spec>),
}

#[derive(Debug)]
struct Spec {
    path: PathBuf,
    options: LinkOptions,
    /// What is taken from the calls of a component. Without that, one reading of the spec serves all components.
    collection: CollectedConstants,
    shared: Option<Arc<Linked>>,
    /// Takes notes about how the spec was read.
    note: fn(&dyn std::fmt::Display),
}

impl LineupSubject {
    /// The component's own serial runs.
    ///
    /// # Errors
    /// If serial runs tell nothing about the condition.
    pub fn itself(condition: CorrectnessCondition) -> Result<Self, VerifyError> {
        let by = By::Itself(criterion(&condition)?);
        Ok(Self { condition, by })
    }

    /// A model, such as `queue:capacity=2`.
    ///
    /// # Errors
    /// If there is no such model.
    pub fn of_model(model: &str, condition: CorrectnessCondition) -> Result<Self, VerifyError> {
        AnyModel::from_spec(model)?;
        let by = By::Model(model.to_owned());
        Ok(Self { condition, by })
    }

    /// A specification. `note` takes notes about how it was read.
    ///
    /// # Errors
    /// If the specification cannot be linked.
    pub fn of_spec(
        path: &Path,
        (options, collection): (LinkOptions, CollectedConstants),
        condition: CorrectnessCondition,
        note: fn(&dyn std::fmt::Display),
    ) -> Result<Self, VerifyError> {
        let mut spec = Spec {
            path: path.to_owned(),
            options,
            collection,
            shared: None,
            note,
        };
        if spec.collection.is_empty() {
            spec.shared = Some(spec.load(&spec.options)?);
        }
        let by = By::Spec(Box::new(spec));
        Ok(Self { condition, by })
    }

    /// What counts as an explanation by serial runs.
    pub fn criterion(&self) -> SerialCriterion {
        match self.by {
            By::Itself(criterion) => criterion,
            By::Model(_) | By::Spec(_) => SerialCriterion::default(),
        }
    }

    /// The specification for a component with these calls; `None` if its serial runs are the specification.
    ///
    /// # Errors
    /// If the specification cannot be linked with these calls.
    pub fn specification(
        &self,
        alphabet: &Alphabet,
        stop: StopConditions,
    ) -> Result<Option<Specification>, VerifyError> {
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

impl Spec {
    fn load(&self, options: &LinkOptions) -> Result<Arc<Linked>, VerifyError> {
        let linked = Linked::load(&self.path, options)?;
        linked.notes().iter().for_each(|note| (self.note)(note));
        Ok(Arc::new(linked))
    }

    /// The spec with its constants filled by the calls of a component.
    fn for_calls(&self, alphabet: &Alphabet) -> Result<Arc<Linked>, VerifyError> {
        if let Some(linked) = &self.shared {
            return Ok(Arc::clone(linked));
        }
        let mut collection = self.collection.clone();
        for operation in calls_as_operations(alphabet) {
            collection.observe(&operation);
        }
        let mut options = self.options.clone();
        options.collected = collection.finish().0;
        self.load(&options)
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

/// What serial runs can be asked for.
fn criterion(condition: &CorrectnessCondition) -> Result<SerialCriterion, VerifyError> {
    match condition {
        CorrectnessCondition::Order(Consistency::Linearizable) => Ok(SerialCriterion::Linearizable),
        CorrectnessCondition::Order(Consistency::Sequential) => Ok(SerialCriterion::Sequential),
        CorrectnessCondition::Weak(question) => Err(VerifyError::Usage(format!(
            "{} needs a --model or a --spec: serial runs tell nothing about calls that do not see each other",
            question.name()
        ))),
    }
}
