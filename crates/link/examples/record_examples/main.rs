//! Records the traces of `examples/validate` from real threads, correct and buggy.
//!
//! `cargo run --release -p omnilink-link --example record_examples [FOLDER]` writes `FOLDER/queue/ok.ndjson` and so on; the folder
//! is `examples/validate` if none is given. A race does not show in every run: each implementation is recorded until
//! its trace says about it what is true, and it is an error if that takes too long, or if a correct one is refused once.

mod map;
mod producers;
mod queue;
mod store;
mod subject;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use subject::{Subject, Trouble};

fn main() -> ExitCode {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("examples/validate"), PathBuf::from);
    match record_all(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::from(2)
        }
    }
}

fn record_all(folder: &Path) -> Result<(), Trouble> {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/validate");
    let subjects: Vec<Subject> = [
        queue::subjects(),
        map::subjects(),
        store::subjects(),
        producers::subjects(),
    ]
    .into_iter()
    .flatten()
    .collect();
    for subject in &subjects {
        let (path, attempts) = subject.record_into(&specs, folder)?;
        println!("{} (recorded {attempts} times)", path.display());
    }
    Ok(())
}
