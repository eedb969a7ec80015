//! Histories checked against a shipped model, found by its name.

use omnilink_evidence::Evidence;
use omnilink_models::AnyModel;

use crate::check_run::CheckRequest;
use crate::error::VerifyError;
use crate::input::Input;
use crate::keyed::{Keyed, check_model};
use crate::progress::ProgressCounter;

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
        check_model(&self.model, self.keyed, input, &self.request, progress)
    }
}
