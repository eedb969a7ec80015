//! The actions and open constants of a spec, before anything is linked.

use std::path::Path;

use omnilink_tla::semantics::load;

use crate::action::{SpecAction, actions};
use crate::error::LinkError;
use crate::link_options::LinkOptions;
use crate::spec_reader::{read_config, sound};

/// What a spec offers to traces, before anything is linked.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Its actions.
    pub actions: Vec<SpecAction>,
    /// Its constants that the configuration says nothing about.
    pub constants: Vec<String>,
}

impl Outline {
    /// Reads a spec and its configuration.
    ///
    /// # Errors
    /// When something about them is wrong.
    pub fn read(spec: &Path, options: &LinkOptions) -> Result<Self, LinkError> {
        let mut spec = sound(load(spec, &options.search))?;
        let config = read_config(&mut spec, options.config.as_deref())?;
        let is_given = |name: &str| {
            config
                .constants
                .iter()
                .any(|assignment| assignment.target.name == name)
        };
        let constants = spec.root().into_iter().flat_map(|root| &root.constants);
        let constants = constants.map(|entity| spec.names.text(spec.entity(*entity).name).to_owned());
        Ok(Self {
            actions: actions(&spec, Some(&config)),
            constants: constants.filter(|name| !is_given(name)).collect(),
        })
    }
}

/// Which of these names a spec declares or defines.
///
/// # Errors
/// When the spec cannot be read.
pub fn declared(spec: &Path, options: &LinkOptions, names: &[&str]) -> Result<Vec<String>, LinkError> {
    let spec = sound(load(spec, &options.search))?;
    let known = names.iter().filter(|name| spec.find(name).is_some());
    Ok(known.map(|name| (*name).to_owned()).collect())
}
