//! Arguments that belong to a TLA+ specification.

use std::collections::BTreeMap;

use super::{Site, option};

/// `--const=NAME=EXPR` for each constant.
pub(super) fn constants(words: &mut Vec<String>, given: &BTreeMap<String, String>) -> Result<(), String> {
    for (name, value) in given {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!("constants: {name:?} is no name of a constant"));
        }
        words.push(format!("--const={name}={value}"));
    }
    Ok(())
}

/// `--config=FILE`.
pub(super) fn config(words: &mut Vec<String>, given: Option<&str>, site: &Site<'_>) -> Result<(), String> {
    option(words, "config", given.map(|path| site.path(path)).transpose()?);
    Ok(())
}

/// `--library=FOLDER` for each folder.
pub(super) fn library(words: &mut Vec<String>, given: &[String], site: &Site<'_>) -> Result<(), String> {
    for folder in site.paths(given)? {
        option(words, "library", Some(folder));
    }
    Ok(())
}
