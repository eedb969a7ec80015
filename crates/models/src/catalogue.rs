//! The catalogue of native models: their names, operations and options, and how to create one by name.
//!
//! The entry of a model is both its documentation and the table that recognises operation names, so the two always agree.

use crate::decode::Decode;
use crate::options::{ModelOptions, ModelSpecError, Spec};
use crate::{
    Bag, Bank, CasRegister, Counter, JavaCollection, JavaMap, Kv, Log, Map, MultiRegister, Mutex,
    PriorityQueue, Queue, Register, Semaphore, Set, Stack,
};

/// A native model, as `omnilink check --list-models` shows it.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// Its name.
    pub name: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    /// Its operations.
    pub ops: &'static [OpEntry],
    /// Its options.
    pub options: &'static [OptionEntry],
    /// A small valid history in trace format 1.
    pub example: &'static str,
}

/// An operation of a model.
#[derive(Clone, Copy, Debug)]
pub struct OpEntry {
    /// Its name.
    pub name: &'static str,
    /// Other names for it. Comparisons of names ignore case, `-` and `_`.
    pub aliases: &'static [&'static str],
    /// Its arguments, in the order of positional arguments.
    pub arguments: &'static str,
    /// Its result.
    pub result: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// A table of operations, one row each: `name | alias: (arguments) -> result, meaning;`, then `+ ROW` for shared rows.
macro_rules! operations {
    ($($name:literal $(| $alias:literal)*: ($($arguments:literal)?) $(-> $result:literal)?, $meaning:literal;)* $(+ $row:expr)*) => {
        &[
            $($crate::catalogue::OpEntry {
                name: $name,
                aliases: &[$($alias),*],
                arguments: concat!($($arguments)?),
                result: concat!($($result)?),
                meaning: $meaning,
            },)*
            $($row,)*
        ]
    };
}
pub(crate) use operations;

/// An option of a model.
#[derive(Clone, Copy, Debug)]
pub struct OptionEntry {
    /// Its name.
    pub name: &'static str,
    /// The allowed values.
    pub values: &'static str,
    /// The default.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

impl ModelEntry {
    /// Whether this model has all operations of `other`, with the same meaning.
    pub fn includes(&self, other: &Self) -> bool {
        self.name == other.name || (self.name, other.name) == ("cas-register", "register")
    }

    /// The operation of this name.
    pub(crate) fn op(&self, name: &str) -> Option<&'static OpEntry> {
        let spelled = |op: &&OpEntry| op.name == name || op.aliases.contains(&name);
        let is_named_similarly = |op: &&OpEntry| {
            is_similar(op.name, name) || op.aliases.iter().any(|alias| is_similar(alias, name))
        };
        self.ops
            .iter()
            .find(spelled)
            .or_else(|| self.ops.iter().find(is_named_similarly))
    }

    /// All names of all operations.
    pub(crate) fn op_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.ops
            .iter()
            .flat_map(|op| std::iter::once(op.name).chain(op.aliases.iter().copied()))
    }
}

/// Whether two names differ at most in case, `-` and `_`.
pub(crate) fn is_similar(left: &str, right: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        name.bytes()
            .filter(|byte| !matches!(byte, b'-' | b'_'))
            .map(|byte| byte.to_ascii_lowercase())
    }
    letters(left).eq(letters(right))
}

/// A native model that ships with OmniLink.
pub trait NativeModel:
    Decode<State: Send + Sync + 'static, Op: Send + Sync + 'static>
    + Clone
    + std::fmt::Debug
    + Send
    + Sync
    + 'static
{
    /// The model with these options.
    ///
    /// # Errors
    /// If an option has a value that the model does not support.
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError>;
}

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
            Err(ModelSpecError::unknown_model(entry.name))
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
    let Spec { entry, options } = Spec::parse(spec)?;
    make(entry, options, visitor)
}

fn run<M: NativeModel, V: Visitor>(
    mut options: ModelOptions,
    visitor: V,
) -> Result<V::Output, ModelSpecError> {
    let model = M::from_options(&mut options)?;
    options.finish()?;
    Ok(visitor.visit(model))
}
