//! Runs work with a model of a spec, on a stack that is deep enough to evaluate it.

use std::time::Instant;

use omnilink_engine::Interrupt;
use omnilink_tla::deep_stack;

use crate::error::LinkError;
use crate::eval_session::EvalSession;
use crate::linked::Linked;
use crate::model::TlaModel;

impl Linked {
    /// Runs `work` with a model on this spec, on a stack that is deep enough to evaluate it.
    ///
    /// # Errors
    /// When the initial states cannot be found.
    pub fn run<T: Send>(&self, work: impl FnOnce(&TlaModel<'_>) -> T + Send) -> Result<T, LinkError> {
        self.run_until(None, None, work)
    }

    /// The same, with a deadline or an interrupt that ends evaluation, even in the middle of a step: the check then fails, without a
    /// verdict.
    ///
    /// # Errors
    /// As [`Linked::run`].
    pub fn run_until<T: Send>(
        &self,
        deadline: Option<Instant>,
        interrupt: Option<Interrupt>,
        work: impl FnOnce(&TlaModel<'_>) -> T + Send,
    ) -> Result<T, LinkError> {
        let session = EvalSession::until(deadline, interrupt);
        deep_stack::run(|| {
            let model = TlaModel::new(self, &session)?;
            Ok(work(&model))
        })
    }
}
