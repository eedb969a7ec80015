//! A model that a user can choose by name, with options.

use crate::decode::Decode;
use crate::options::{ModelOptions, ModelSpecError};

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
