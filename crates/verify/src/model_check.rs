//! Histories checked against a shipped model, found by its name.

use std::fmt;

use omnilink_evidence::Evidence;
use omnilink_models::{NativeModel, Visitor, with_model};

use crate::check_run::CheckRequest;
use crate::error::VerifyError;
use crate::input::Input;
use crate::keyed::{Keyed, check_model};
use crate::progress::ProgressCounter;

/// A shipped model to check histories against.
pub struct ModelCheck {
    check: Box<Check>,
}

type Check = dyn Fn(&Input, &ProgressCounter) -> Evidence + Send + Sync;

impl ModelCheck {
    /// Finds the model by its name, with options such as `queue:capacity=8`.
    ///
    /// # Errors
    /// If there is no such model, or not with such options.
    pub fn new(model: &str, keyed: Keyed, request: CheckRequest) -> Result<Self, VerifyError> {
        let check = with_model(model, Bind { keyed, request })?;
        Ok(Self { check })
    }

    /// Checks one history. Whatever goes wrong is part of the evidence.
    pub fn check(&self, input: &Input, progress: &ProgressCounter) -> Evidence {
        (self.check)(input, progress)
    }
}

impl fmt::Debug for ModelCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelCheck").finish_non_exhaustive()
    }
}

/// Binds a check to whichever model has the name.
struct Bind {
    keyed: Keyed,
    request: CheckRequest,
}

impl Visitor for Bind {
    type Output = Box<Check>;

    fn visit<M: NativeModel>(self, model: M) -> Box<Check> {
        let Self { keyed, request } = self;
        Box::new(move |input, progress| check_model(&model, keyed, input, &request, progress))
    }
}
