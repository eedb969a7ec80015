//! OmniLink as a Python library: the extension module `omnilink._native`.
//!
//! The decision of this crate is that **what Python users see is written in Python** (`python/omnilink`): signatures, documentation and
//! classes. Here is what needs the engine: histories become traces, checks run on threads without the interpreter's lock, and answers,
//! models, recorders and live checks are handed over as objects. Everything that goes wrong is an exception of `omnilink._errors` with the
//! message of the command; a panic is one, too.

mod answer;
mod check;
mod error;
mod explore;
mod file_path;
mod history;
mod job;
mod live_check;
mod model;
mod recorder;
mod settings;
mod validate;
mod value;

use pyo3::prelude::*;

/// Panics where checks run, so that a test can see what comes of it.
#[pyfunction]
fn provoke_panic(py: Python<'_>) -> PyResult<()> {
    job::run(py, &|| (), |_| panic!("provoked by a test"))
}

/// The module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<model::Op>()?;
    module.add_class::<live_check::PythonLiveCheck>()?;
    module.add_class::<recorder::PythonRecorder>()?;
    module.add_class::<recorder::Lane>()?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_python, module)?)?;
    module.add_function(wrap_pyfunction!(validate::validate, module)?)?;
    module.add_function(wrap_pyfunction!(explore::mc, module)?)?;
    module.add_function(wrap_pyfunction!(history::encode, module)?)?;
    module.add_function(wrap_pyfunction!(provoke_panic, module)?)?;
    Ok(())
}
