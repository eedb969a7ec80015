//! What the shipped models are called, what they understand and how they are made.
//!
//! A model's entry is both its documentation and the table by which operation names are recognised, so the two cannot
//! drift apart.

use crate::decode::Decode;
use crate::options::{ModelOptions, ModelSpecError, Spec};
use crate::{
    Bank, CasRegister, Counter, JavaMap, Kv, Log, Map, MultiRegister, Mutex, PriorityQueue, Queue, Register,
    Semaphore, Set, Stack,
};

/// A shipped model, as `omnilink check --list-models` shows it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The operations that it knows.
    pub ops: &'static [OpEntry],
    /// The options that it takes.
    pub options: &'static [OptionEntry],
    /// A small valid history in trace format 1.
    pub example: &'static str,
}

/// An operation of a model.
#[derive(Clone, Copy, Debug)]
pub struct OpEntry {
    /// Its name.
    pub name: &'static str,
    /// Other names for it. Names are compared without regard to case, `-` and `_`.
    pub aliases: &'static [&'static str],
    /// Its arguments, in the order in which they stand where they have no names.
    pub arguments: &'static str,
    /// Its result.
    pub result: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// An option of a model.
#[derive(Clone, Copy, Debug)]
pub struct OptionEntry {
    /// Its name.
    pub name: &'static str,
    /// What may be given.
    pub values: &'static str,
    /// What is taken if nothing is given.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

impl Entry {
    /// The operation of this name.
    pub(crate) fn op(&self, name: &str) -> Option<&'static OpEntry> {
        let spelled = |op: &&OpEntry| op.name == name || op.aliases.contains(&name);
        let alike =
            |op: &&OpEntry| is_alike(op.name, name) || op.aliases.iter().any(|alias| is_alike(alias, name));
        self.ops
            .iter()
            .find(spelled)
            .or_else(|| self.ops.iter().find(alike))
    }

    /// All names of all operations.
    pub(crate) fn op_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.ops
            .iter()
            .flat_map(|op| std::iter::once(op.name).chain(op.aliases.iter().copied()))
    }
}

/// Whether two names differ at most in case, `-` and `_`.
pub(crate) fn is_alike(left: &str, right: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        name.bytes()
            .filter(|byte| !matches!(byte, b'-' | b'_'))
            .map(|byte| byte.to_ascii_lowercase())
    }
    letters(left).eq(letters(right))
}

/// A model that ships with OmniLink.
pub trait Shipped: Decode + Clone + std::fmt::Debug + Send + Sync + 'static {
    /// The model with these options.
    ///
    /// # Errors
    /// When an option holds something that the model cannot take.
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError>;
}

/// Code that works for every model.
pub trait Visitor {
    /// What it comes to.
    type Output;

    /// Runs it for one.
    fn visit<M: Shipped>(self, model: M) -> Self::Output;
}

/// Names every shipped model once: in the catalogue, and where a model is made by name.
macro_rules! shipped {
    ($($model:ty),* $(,)?) => {
        /// All shipped models.
        pub fn catalogue() -> &'static [&'static Entry] {
            &[$(<$model as Decode>::ENTRY),*]
        }

        fn make<V: Visitor>(entry: &Entry, options: ModelOptions, visitor: V) -> Result<V::Output, ModelSpecError> {
            $(
                if entry.name == <$model as Decode>::ENTRY.name {
                    return run::<$model, V>(options, visitor);
                }
            )*
            Err(ModelSpecError::unknown_model(entry.name))
        }
    };
}

shipped! {
    Register,
    CasRegister,
    MultiRegister,
    Kv,
    Set,
    Map,
    JavaMap,
    Queue,
    Stack,
    PriorityQueue,
    Mutex,
    Semaphore,
    Counter,
    Bank,
    Log,
}

/// Runs `visitor` with the model that `spec` asks for, such as `register:initial=0` or `queue:capacity=8,empty=nil`.
///
/// # Errors
/// When there is no such model, or it does not take such options.
pub fn with_model<V: Visitor>(spec: &str, visitor: V) -> Result<V::Output, ModelSpecError> {
    let Spec { entry, options } = Spec::parse(spec)?;
    make(entry, options, visitor)
}

fn run<M: Shipped, V: Visitor>(mut options: ModelOptions, visitor: V) -> Result<V::Output, ModelSpecError> {
    let model = M::from_options(&mut options)?;
    options.finish()?;
    Ok(visitor.visit(model))
}
