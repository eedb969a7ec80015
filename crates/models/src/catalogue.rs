//! The catalogue of native models, and how to create one by name.

use crate::decode::Decode;
use crate::entry::{ModelEntry, is_similar};
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::suggestion::nearest;
use crate::{
    Bag, Bank, CasRegister, Counter, JavaCollection, JavaMap, Kv, Log, Map, MultiRegister, Mutex,
    PriorityQueue, Queue, Register, Semaphore, Set, Stack,
};

/// Generic code that runs with a model chosen by name.
pub trait Visitor {
    /// Its result.
    type Output;

    /// Runs with one model.
    fn visit<M: NativeModel>(self, model: M) -> Self::Output;
}

/// Defines the catalogue and the creation of models by name from one list.
macro_rules! native_models {
    ($($model:ty),* $(,)?) => {
        /// All native models.
        pub fn catalogue() -> &'static [&'static ModelEntry] {
            &[$(<$model as Decode>::ENTRY),*]
        }

        fn make<V: Visitor>(entry: &ModelEntry, options: ModelOptions, visitor: V) -> Result<V::Output, ModelSpecError> {
            $(
                if entry.name == <$model as Decode>::ENTRY.name {
                    return run::<$model, V>(options, visitor);
                }
            )*
            Err(unknown_model(entry.name))
        }
    };
}

native_models! {
    Register,
    CasRegister,
    MultiRegister,
    Kv,
    Set,
    Bag,
    Map,
    JavaMap,
    JavaCollection,
    Queue,
    Stack,
    PriorityQueue,
    Mutex,
    Semaphore,
    Counter,
    Bank,
    Log,
}

/// The model of objects that a file calls by this name, such as `stack` in the title `# stack` of a test case.
pub fn model_of_type(word: &str) -> Option<&'static ModelEntry> {
    let name = match word.to_ascii_lowercase().as_str() {
        // So PolyLin calls a register with an operation that reads and modifies.
        "rmw" => "cas-register",
        _ => word,
    };
    let mut models = catalogue().iter().copied();
    models.find(|entry| is_similar(entry.name, name))
}

/// Runs `visitor` with the model that `spec` describes, such as `register:initial=0` or `queue:capacity=8,empty=nil`.
///
/// # Errors
/// If there is no such model, or it has no such options.
pub fn with_model<V: Visitor>(spec: &str, visitor: V) -> Result<V::Output, ModelSpecError> {
    let (entry, options) = entry_and_options(spec)?;
    make(entry, options, visitor)
}

/// The model that `spec` names, and the options that it gives.
pub(crate) fn entry_and_options(spec: &str) -> Result<(&'static ModelEntry, ModelOptions), ModelSpecError> {
    let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
    let name = name.trim();
    let mut models = catalogue().iter().copied();
    let found = models.find(|entry| is_similar(entry.name, name));
    let entry = found.ok_or_else(|| unknown_model(name))?;
    Ok((entry, ModelOptions::parse(entry, options)?))
}

fn run<M: NativeModel, V: Visitor>(
    mut options: ModelOptions,
    visitor: V,
) -> Result<V::Output, ModelSpecError> {
    let model = M::from_options(&mut options)?;
    options.finish()?;
    Ok(visitor.visit(model))
}

fn unknown_model(name: &str) -> ModelSpecError {
    let known = || catalogue().iter().map(|entry| entry.name);
    ModelSpecError::UnknownModel {
        name: name.to_owned(),
        suggestion: nearest(name, known()),
        known: known().collect::<Vec<_>>().join(", "),
    }
}
