//! What histories are checked against at weak levels: a shipped model, or a specification.

use omnilink_consistency::Decoder;
use omnilink_engine::Model;
use omnilink_models::{AnyModel, AnyOp, DecodeError, Decoded};
use omnilink_trace::Operation;

/// A sequential model with the names of its operations.
pub trait NamedModel: Decoder<<Self::Model as Model>::Op> {
    /// The model.
    type Model: Model;

    /// The model.
    fn model(&self) -> &Self::Model;

    /// The operations that it knows, by all their names.
    fn methods(&self) -> Vec<&str>;
}

/// A shipped model.
#[derive(Clone, Debug)]
pub struct NativeSubject {
    /// The model.
    pub model: AnyModel,
}

impl Decoder<AnyOp> for NativeSubject {
    type Error = DecodeError;

    fn returned(&self, operation: &Operation) -> Result<Option<AnyOp>, DecodeError> {
        self.model.decode(operation).map(Decoded::into_last)
    }
}

impl NamedModel for NativeSubject {
    type Model = AnyModel;

    fn model(&self) -> &AnyModel {
        &self.model
    }

    fn methods(&self) -> Vec<&str> {
        let ops = self.model.entry().ops.iter();
        ops.flat_map(|op| std::iter::once(op.name).chain(op.aliases.iter().copied()))
            .collect()
    }
}
