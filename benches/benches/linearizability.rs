//! One table: our checker beside porcupine-rs.
//!
//! `cargo bench -p omnilink-benches --bench linearizability -- WORD` runs the cases whose name contains the word.

use std::path::PathBuf;
use std::time::Duration;

use omnilink_benches::case::{CASES, Case};
use omnilink_benches::subject::{Measured, peak_mb, run};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long either tool may take for one case.
const CPU_LIMIT: Duration = Duration::from_secs(40);
/// How much memory either tool may take.
const MEMORY_LIMIT_MB: u64 = 12_000;
/// How often short runs are repeated.
const ROUNDS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [flag, tool, case, files @ ..] = args.as_slice()
        && flag == "--subject"
    {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let case = &CASES[case.parse::<usize>().unwrap_or(0)];
        let answer = match tool.as_str() {
            "ours" => case.ours(&files),
            "streaming" => case.ours_streaming(&files),
            _ => case.porcupine(&files),
        };
        println!("{} {} {}", answer.letters, answer.seconds, peak_mb());
        return;
    }
    let wanted = args.first().map_or("", String::as_str);
    table(wanted);
}

fn table(wanted: &str) {
    println!(
        "{:<40} {:>26} {:>20} {:>15}",
        "", "ours: check, file to verdict", "porcupine-rs: check", "ratio of"
    );
    println!(
        "{:<40} {:>9} {:>9} {:>7} {:>11} {:>8} {:>8} {:>8}  verdict",
        "case", "s", "s", "MB", "s", "MB", "time", "memory"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (index, case) in CASES
        .iter()
        .enumerate()
        .filter(|(_, case)| case.name.contains(wanted))
    {
        let files = case.input.files(folder.path()).expect("the input can be made");
        let subject = |tool: &str| {
            let index = index.to_string();
            let mut args = vec!["--subject", tool, &index];
            args.extend(files.iter().filter_map(|file| file.to_str()));
            run(&args, CPU_LIMIT, MEMORY_LIMIT_MB)
        };
        if case.porcupine {
            let [streaming, ours, porcupine] = best_of_rounds(["streaming", "ours", "porcupine"], subject);
            print_comparison(case, &ours, &streaming, &porcupine);
        } else {
            let [streaming] = best_of_rounds(["streaming"], subject);
            println!(
                "{:<40} {:>9} {:>9.3} {:>7.0} {:>11} {:>8} {:>8} {:>8}  {}",
                case.name,
                "",
                streaming.seconds,
                streaming.peak_mb,
                "",
                "",
                "",
                "",
                in_words(&streaming)
            );
        }
    }
}

/// The best run of each tool. Short runs are repeated, and the tools alternate, because other load on the machine lasts for seconds
/// and must not affect only one of them.
fn best_of_rounds<const TOOLS: usize>(
    tools: [&str; TOOLS],
    measure: impl Fn(&str) -> Measured,
) -> [Measured; TOOLS] {
    let mut best = tools.map(&measure);
    for _ in 1..ROUNDS {
        for (best, tool) in best.iter_mut().zip(tools) {
            if best.seconds < 1.0 {
                let again = measure(tool);
                if again.seconds < best.seconds {
                    *best = again;
                }
            }
        }
    }
    best
}

fn in_words(measured: &Measured) -> String {
    let Some(letters) = &measured.verdict else {
        return "UNDECIDED".to_owned();
    };
    match (letters.matches('v').count(), letters.matches('x').count()) {
        (1, 0) => "valid".to_owned(),
        (0, 1) => "violation".to_owned(),
        (valid, violations) => format!("{valid} valid, {violations} not"),
    }
}

fn print_comparison(case: &Case, ours: &Measured, streaming: &Measured, theirs: &Measured) {
    let stopped = theirs.verdict.is_none();
    let more = if stopped { ">" } else { "" };
    let ratio = theirs.seconds / ours.seconds;
    let memory = theirs.peak_mb / streaming.peak_mb;
    let missed = if case.ratio_min.is_some_and(|min| ratio < min) {
        "  (below the promise)"
    } else {
        ""
    };
    let agree = ours.verdict == streaming.verdict && (stopped || theirs.verdict == ours.verdict);
    let differs = if agree { "" } else { "  THEY DISAGREE" };
    println!(
        "{:<40} {:>9.4} {:>9.4} {:>7.0} {:>11} {:>8.0} {:>8} {:>8}  {}{missed}{differs}",
        case.name,
        ours.seconds,
        streaming.seconds,
        streaming.peak_mb,
        format!("{more}{:.4}", theirs.seconds),
        theirs.peak_mb,
        format!("{more}{ratio:.1}×"),
        format!("{more}{memory:.1}×"),
        in_words(ours),
    );
}
