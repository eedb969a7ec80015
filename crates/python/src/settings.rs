//! Keyword arguments, as the Python side hands them over: those that were given, by name.

use std::path::PathBuf;
use std::time::Duration;

use omnilink_engine::{Consistency, Interrupt, Limits, Options, Strategy};
use omnilink_trace::OpenOptions;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Failure;
use crate::file_path::FilePath;
use crate::value::value_of;

/// The keyword arguments of one call.
pub(crate) struct Settings<'py>(pub(crate) Bound<'py, PyDict>);

impl<'py> Settings<'py> {
    /// The argument of this name; `expected` says in an error what it has to be.
    pub(crate) fn get<T>(&self, name: &str, expected: &str) -> Result<Option<T>, Failure>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let Some(given) = self.given(name)? else {
            return Ok(None);
        };
        given.extract::<T>().map(Some).map_err(|_| {
            let repr = given.repr().map(|repr| repr.to_string());
            Failure::usage(format!(
                "{name}={} makes no sense; give {expected}",
                repr.unwrap_or_default()
            ))
        })
    }

    fn given(&self, name: &str) -> Result<Option<Bound<'py, PyAny>>, Failure> {
        let given = self.0.get_item(name).map_err(Failure::usage)?;
        Ok(given.filter(|given| !given.is_none()))
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        self.get(name, "a text")
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, Failure> {
        Ok(self.get(name, "True or False")?.unwrap_or_default())
    }

    pub(crate) fn path(&self, name: &str) -> Result<Option<PathBuf>, Failure> {
        Ok(self.get::<FilePath>(name, "a path")?.map(|path| path.0))
    }

    pub(crate) fn paths(&self, name: &str) -> Result<Vec<PathBuf>, Failure> {
        let paths = self.get::<Vec<FilePath>>(name, "a list of paths")?;
        Ok(paths.into_iter().flatten().map(|path| path.0).collect())
    }

    pub(crate) fn count(&self, name: &str) -> Result<Option<u64>, Failure> {
        self.get(name, "a count, such as 1_000_000")
    }

    /// Seconds.
    pub(crate) fn duration(&self, name: &str) -> Result<Option<Duration>, Failure> {
        let Some(seconds) = self.get::<f64>(name, "seconds, such as 10 or 0.5")? else {
            return Ok(None);
        };
        Duration::try_from_secs_f64(seconds).map(Some).map_err(|_| {
            Failure::usage(format!(
                "{name}={seconds} makes no sense; give seconds, such as 10 or 0.5"
            ))
        })
    }

    pub(crate) fn time_limit(&self) -> Result<Option<Duration>, Failure> {
        self.duration("time_limit")
    }

    pub(crate) fn memory_limit(&self) -> Result<Option<u64>, Failure> {
        self.get("memory_limit", "bytes, such as 2_000_000_000")
    }

    /// The constants of a specification: texts are TLA+ expressions, other objects are values.
    pub(crate) fn constants(&self) -> Result<Vec<(String, String)>, Failure> {
        let Some(given) = self.get::<Bound<'py, PyDict>>("const", "a dict, such as {\"N\": 3}")? else {
            return Ok(Vec::new());
        };
        let constant = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let name: String = name
                .extract()
                .map_err(|_| Failure::usage("const: the name of a constant is a text"))?;
            let expression = match value.extract::<String>() {
                Ok(expression) => expression,
                Err(_) => value_of(&value, &|| format!("const {name}"))?.to_string(),
            };
            Ok((name, expression))
        };
        given.iter().map(constant).collect()
    }

    /// How to read a trace.
    pub(crate) fn reading(&self) -> Result<OpenOptions, Failure> {
        let format = self.text("format")?;
        let format = format
            .map(|name| name.parse().map_err(Failure::usage))
            .transpose()?;
        let names: Option<std::collections::BTreeMap<String, String>> =
            self.get("ops", "a dict of codes and names, such as {\"0\": \"put\"}")?;
        let names = names.unwrap_or_default().into_iter();
        Ok(OpenOptions::new()
            .with_format(format)
            .with_async_threads(self.flag("async_threads")?)
            .with_names(names.map(|(code, name)| (code, name.as_str().into())).collect()))
    }

    /// The name of the level.
    pub(crate) fn consistency(&self) -> Result<String, Failure> {
        Ok(self
            .text("consistency")?
            .unwrap_or_else(|| "linearizable".to_owned()))
    }

    /// What the engine is to do. Levels other than its own are not for it.
    pub(crate) fn engine(&self) -> Result<Options, Failure> {
        let strategy = match self.text("strategy")?.as_deref() {
            None | Some("portfolio") => Strategy::Portfolio,
            Some("sweep") => Strategy::Sweep,
            Some("depth-first") => Strategy::DepthFirst,
            Some("monitor") => Strategy::Monitor,
            Some(other) => {
                return Err(Failure::usage(format!(
                    "strategy={other:?} is no search; give portfolio, sweep, depth-first or monitor"
                )));
            }
        };
        Ok(Options {
            consistency: match self.consistency()?.as_str() {
                "sequential" => Consistency::Sequential,
                _ => Consistency::Linearizable,
            },
            strategy,
            naive: self.flag("naive")?,
            async_threads: self.flag("async_threads")?,
            limits: Limits {
                time: self.time_limit()?,
                memory_bytes: self.memory_limit()?,
                configurations: self.count("config_limit")?,
                interrupt: None,
            },
            ..Options::default()
        })
    }
}

/// The same options, ended by an interrupt.
pub(crate) fn interruptible(options: Options, interrupt: Interrupt) -> Options {
    Options {
        limits: Limits {
            interrupt: Some(interrupt),
            ..options.limits
        },
        ..options
    }
}
