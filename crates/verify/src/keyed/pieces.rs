//! Keyed histories for checks that take all operations at once.

use std::sync::Arc;

use omnilink_models::{AnyModel, Keying, splits_by_key};
use omnilink_trace::Operation;

use super::{Keyed, READ_AS_KEYED, find_out, objects, unclear};
use crate::error::VerifyError;
use crate::input::Input;

/// The operations of an input as the model reads them, in one piece or by key.
pub(crate) struct Pieces {
    /// Each with its name.
    pub(crate) each: Vec<(String, Vec<Operation>)>,
    /// What to say about it.
    pub(crate) notes: Vec<String>,
}

/// The pieces of an input whose values are keyed, for checks that take all operations at once; `None` if they are not.
pub(crate) fn pieces(model: &AnyModel, keyed: Keyed, input: &Input) -> Result<Option<Pieces>, VerifyError> {
    let entry = model.entry();
    let keying = match keyed {
        Keyed::Yes => Keying::Keyed,
        Keyed::No => return Ok(None),
        Keyed::ByContent => find_out(entry, input, |operation| model.decode(operation).is_ok()),
    };
    match keying {
        Keying::Plain | Keying::PlainPairs => return Ok(None),
        Keying::Unclear => return Err(unclear(input)),
        Keying::Keyed => {}
    }
    let (objects, _, mut notes) = objects(entry, input)?;
    notes.push(format!("{}: {READ_AS_KEYED}", input.name));
    let operation = |operation: Arc<Operation>| Arc::unwrap_or_clone(operation);
    let each = if splits_by_key(entry) {
        objects
            .into_iter()
            .map(|object| {
                let name = format!("{} (key {})", input.name, object.name());
                (name, object.operations.into_iter().map(operation).collect())
            })
            .collect()
    } else {
        let all = objects.into_iter().flat_map(|object| object.operations);
        let mut all: Vec<Operation> = all.map(operation).collect();
        all.sort_by_key(|operation| operation.timebox.start);
        vec![(input.name.clone(), all)]
    };
    Ok(Some(Pieces { each, notes }))
}
