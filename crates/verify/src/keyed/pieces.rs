//! Keyed histories for checks that take all operations at once.

use std::sync::Arc;

use omnilink_models::{AnyModel, Keying, split, split_by_field, splits_by_key};
use omnilink_sorting::sort_by_key;
use omnilink_trace::Operation;

use super::{
    Keyed, Object, READ_AS_KEYED, READ_BY_KEY, find_out, key_field, no_key, no_pair, objects, unclear,
};
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
pub(crate) fn pieces(model: &AnyModel, keyed: &Keyed, input: &Input) -> Result<Option<Pieces>, VerifyError> {
    let entry = model.entry();
    if let Some(field) = key_field(model, keyed, input) {
        let (objects, _, mut notes) = objects(
            &|operation| split_by_field(operation, &field).ok_or_else(|| no_key(operation, &field)),
            input,
        )?;
        if *keyed == Keyed::ByContent {
            notes.push(format!("{}: {READ_BY_KEY}", input.name));
        }
        let each = of_each(&input.name, objects);
        return Ok(Some(Pieces { each, notes }));
    }
    let keying = match keyed {
        Keyed::ByField(_) => return Ok(None),
        Keyed::Yes => Keying::Keyed,
        Keyed::No => return Ok(None),
        Keyed::ByContent => find_out(entry, input, |operation| model.decode(operation).is_ok()),
    };
    match keying {
        Keying::Plain | Keying::PlainPairs => return Ok(None),
        Keying::Unclear => return Err(unclear(input)),
        Keying::Keyed => {}
    }
    let (objects, _, mut notes) = objects(
        &|operation| split(operation, entry).ok_or_else(|| no_pair(operation)),
        input,
    )?;
    notes.push(format!("{}: {READ_AS_KEYED}", input.name));
    let each = if splits_by_key(entry) {
        of_each(&input.name, objects)
    } else {
        let all = objects.into_iter().flat_map(|object| object.operations);
        let mut all: Vec<Operation> = all.map(Arc::unwrap_or_clone).collect();
        sort_by_key(&mut all, |operation| operation.timebox.start);
        vec![(input.name.clone(), all)]
    };
    Ok(Some(Pieces { each, notes }))
}

/// A history of each object.
fn of_each(input: &str, objects: Vec<Object>) -> Vec<(String, Vec<Operation>)> {
    let piece = |object: Object| {
        let name = format!("{input} (key {})", object.name());
        let operations = object.operations.into_iter().map(Arc::unwrap_or_clone);
        (name, operations.collect())
    };
    objects.into_iter().map(piece).collect()
}
