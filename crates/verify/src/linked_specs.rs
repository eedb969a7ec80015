//! A specification read once for all traces with the same constants.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use omnilink_link::{LinkError, LinkOptions, Linked};
use omnilink_value::Value;

/// Traces of one campaign have one of a few sets of constants; those of setups made for TLC contain the trace, and never come again.
const KEPT_MAX: usize = 4;

type Constants = Vec<(String, Value)>;

/// The readings of one specification, by the constants that were collected from traces. Everything else about them is the same.
#[derive(Debug, Default)]
pub(crate) struct LinkedSpecs {
    /// The last one used is the last.
    kept: Mutex<Vec<(Constants, Arc<Linked>)>>,
}

impl LinkedSpecs {
    /// The specification with these constants: the one that is there, or a new one.
    ///
    /// Two jobs that need the same one at the same time may both read it, which costs time only.
    pub(crate) fn get(&self, spec: &Path, options: &LinkOptions) -> Result<Arc<Linked>, LinkError> {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(constants, _): &(Constants, Arc<Linked>)| *constants == options.collected;
        {
            let mut kept = lock();
            if let Some(index) = kept.iter().position(same) {
                let found = kept.remove(index);
                let linked = Arc::clone(&found.1);
                kept.push(found);
                return Ok(linked);
            }
        }
        let linked = Arc::new(Linked::load(spec, options)?);
        let mut kept = lock();
        if kept.len() >= KEPT_MAX {
            kept.remove(0);
        }
        kept.push((options.collected.clone(), Arc::clone(&linked)));
        Ok(linked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specification_is_read_again_only_for_other_constants() {
        let folder = tempfile::tempdir().expect("a folder");
        let spec = folder.path().join("Kept.tla");
        let text =
            "---- MODULE Kept ----\nCONSTANT Keys\nVARIABLE x\nInit == x \\in Keys\nPut(k) == x' = k\n====\n";
        std::fs::write(&spec, text).expect("the specification is written");
        let specs = LinkedSpecs::default();
        let with = |keys: &[i64]| {
            let mut options = LinkOptions::default();
            let keys = Value::set(keys.iter().map(|key| Value::int(*key)));
            options.collected = vec![("Keys".to_owned(), keys)];
            specs.get(&spec, &options).expect("it can be read")
        };
        let first = with(&[1, 2]);
        assert!(!Arc::ptr_eq(&first, &with(&[1, 3])));
        assert!(Arc::ptr_eq(&first, &with(&[1, 2])));
        for key in 0..KEPT_MAX as i64 {
            with(&[key]);
        }
        assert!(
            !Arc::ptr_eq(&first, &with(&[1, 2])),
            "what was not used for long is dropped"
        );
        assert!(specs.kept.lock().expect("no panic").len() <= KEPT_MAX);
    }
}
