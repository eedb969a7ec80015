//! Mutated inputs for every reader of files: traces, specifications, configurations.
//!
//! No input may cause a panic, take longer than [`TIME_MAX`], or hold more than [`MEMORY_MAX`]. A trace that is cut, or that something was put
//! behind, may not be read as a shorter one without a word. What breaks this is written into a folder, made small, and ends the run with exit
//! code 1.
//!
//! ```sh
//! cargo run -p omnilink-fuzz                          # five minutes
//! cargo run -p omnilink-fuzz -- --inputs 100000 --seed 7
//! cargo run -p omnilink-fuzz -- FILE…                 # what was found before, again
//! ```

mod mutate;
mod target;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::mutate::{mutated, shrunk};
use crate::target::{Seed, Wrong, seeds, try_input};

/// How long one input may take. It is a few kilobytes.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(10);
/// How much the process may hold.
pub(crate) const MEMORY_MAX: u64 = 1 << 30;

struct Arguments {
    until: Option<Instant>,
    inputs: u64,
    seed: u64,
    files: Vec<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    let (mut minutes, mut inputs, mut seed, mut files) = (None, None, None, Vec::new());
    while let Some(word) = words.next() {
        let mut number = || {
            let number = words.next().and_then(|number| number.parse::<u64>().ok());
            number.ok_or_else(|| format!("{word} needs a number"))
        };
        match word.as_str() {
            "--minutes" => minutes = Some(number()?),
            "--inputs" => inputs = Some(number()?),
            "--seed" => seed = Some(number()?),
            option if option.starts_with('-') => {
                return Err(format!(
                    "unknown option {option}; there are --minutes N, --inputs N and --seed N"
                ));
            }
            file => files.push(file.into()),
        }
    }
    let minutes = minutes.or(if inputs.is_none() { Some(5) } else { None });
    Ok(Arguments {
        until: minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes)),
        inputs: inputs.unwrap_or(u64::MAX),
        seed: seed.unwrap_or_else(|| Rng::new().u64(..1 << 32)),
        files,
    })
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    // A panic is a finding, and its message is part of it.
    std::panic::set_hook(Box::new(|_| {}));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let seeds = match seeds(&folder) {
        Ok(seeds) => seeds,
        Err(error) => {
            eprintln!("error: {}: {error}", folder.display());
            return ExitCode::from(2);
        }
    };
    if !arguments.files.is_empty() {
        return again(&arguments.files);
    }
    println!("{} seeds, --seed {}", seeds.len(), arguments.seed);
    let mut rng = Rng::with_seed(arguments.seed);
    let started = Instant::now();
    let (mut tried, mut found) = (0_u64, 0);
    while tried < arguments.inputs && arguments.until.is_none_or(|until| Instant::now() < until) {
        let seed = &seeds[rng.usize(..seeds.len())];
        let input = mutated(seed, &seeds, &mut rng);
        tried += 1;
        if let Err(wrong) = try_input(&input) {
            found += 1;
            report(&input, &wrong);
        }
        if tried.is_multiple_of(20_000) {
            println!("{tried} inputs, {:.0} s", started.elapsed().as_secs_f64());
        }
    }
    println!(
        "{tried} inputs, {:.0} s, {found} findings",
        started.elapsed().as_secs_f64()
    );
    if found == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    }
}

/// Makes an input small, and keeps it.
fn report(input: &Seed, wrong: &Wrong) {
    let small = shrunk(input, |smaller| {
        try_input(smaller).is_err_and(|other| other.kind() == wrong.kind())
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz-found");
    let name = format!(
        "{}-{:08x}.{}",
        wrong.kind(),
        rng_of(&small.bytes),
        small.kind.extension()
    );
    let path = folder.join(name);
    let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, &small.bytes));
    match kept {
        Ok(()) => println!("{wrong}\n  {} ({} bytes)", path.display(), small.bytes.len()),
        Err(error) => println!("{wrong}\n  could not be kept: {error}"),
    }
}

/// A number for the name of a file.
fn rng_of(bytes: &[u8]) -> u32 {
    let fold = |hash: u64, byte: &u8| Rng::with_seed(hash ^ u64::from(*byte)).u64(..);
    bytes.iter().fold(bytes.len() as u64, fold) as u32
}

fn again(files: &[PathBuf]) -> ExitCode {
    let mut exit = ExitCode::SUCCESS;
    for file in files {
        let tried = match Seed::read(file) {
            Ok(input) => try_input(&input).map_err(|wrong| wrong.to_string()),
            Err(error) => Err(error.to_string()),
        };
        println!(
            "{}: {}",
            file.display(),
            tried.as_ref().err().map_or("fine", String::as_str)
        );
        if tried.is_err() {
            exit = ExitCode::from(1);
        }
    }
    exit
}
