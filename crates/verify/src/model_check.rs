//! Histories checked against a shipped model, found by its name.

use omnilink_evidence::Evidence;
use omnilink_models::AnyModel;

use crate::check_run::CheckRequest;
use crate::error::VerifyError;
use crate::initial_state::explaining_model;
use crate::input::Input;
use crate::keyed::{Keyed, check_model};
use crate::limits::limit_instead_of_error;
use crate::progress::ProgressCounter;
use crate::unlike_values::number_or_text;

/// A shipped model to check histories against.
#[derive(Debug)]
pub struct ModelCheck {
    model: AnyModel,
    keyed: Keyed,
    request: CheckRequest,
}

impl ModelCheck {
    /// Finds the model by its name, with options such as `queue:capacity=8`.
    ///
    /// # Errors
    /// If there is no such model, or not with such options.
    pub fn new(model: &str, keyed: Keyed, request: CheckRequest) -> Result<Self, VerifyError> {
        Ok(Self {
            model: AnyModel::from_spec(model)?,
            keyed,
            request,
        })
    }

    /// Checks one history. Whatever goes wrong is part of the evidence.
    pub fn check(&self, input: &Input, progress: &ProgressCounter) -> Evidence {
        // What is read to find out what the values are counts, too.
        let work = self.request.options.limits.begin();
        let mut evidence = self.check_once(input, progress);
        if let Some(model) = explaining_model(&self.request, input, &evidence) {
            evidence.notes.push(format!(
                "{}: if the object did not begin as the model does: with --model {model} that operation has an explanation",
                input.name
            ));
        }
        evidence.notes.extend(number_or_text(input, &evidence));
        limit_instead_of_error(&mut evidence, &work);
        evidence
    }

    /// The same, without a look at other initial states.
    pub(crate) fn check_once(&self, input: &Input, progress: &ProgressCounter) -> Evidence {
        check_model(&self.model, &self.keyed, input, &self.request, progress)
    }
}
