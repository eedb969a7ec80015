//! `cargo bench`: one table, our checker beside porcupine-rs.
//!
//! `cargo bench -- WORD` runs the cases whose name contains the word.

use std::path::PathBuf;
use std::time::Duration;

use omnilink_benches::case::CASES;
use omnilink_benches::subject::{Measured, run};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long either tool may take for one case.
const CPU_LIMIT: Duration = Duration::from_secs(30);
/// How much memory either tool may take.
const MEMORY_LIMIT_MB: u64 = 12_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [flag, tool, case, files @ ..] = args.as_slice()
        && flag == "--subject"
    {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let case = &CASES[case.parse::<usize>().unwrap_or(0)];
        println!(
            "{}",
            if tool == "ours" {
                case.ours(&files)
            } else {
                case.porcupine(&files)
            }
        );
        return;
    }
    let wanted = args.first().map_or("", String::as_str);
    table(wanted);
}

fn table(wanted: &str) {
    println!(
        "{:<42} {:>8} {:>8}   {:>9} {:>9}   {:>8} {:>8}  verdict",
        "case", "ours s", "MB", "porc.-rs s", "MB", "time", "memory"
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
        let ours = best_of_three(|| subject("ours"));
        let theirs = case.porcupine.then(|| {
            let first = subject("porcupine");
            if first.cpu_seconds < 1.0 {
                best_of_three(|| subject("porcupine"))
            } else {
                first
            }
        });
        print_line(case.name, case.ratio_min, &ours, theirs.as_ref());
    }
}

/// Short runs are repeated: the machine may have been busy with something else.
fn best_of_three(mut measure: impl FnMut() -> Measured) -> Measured {
    let mut best = measure();
    if best.cpu_seconds < 1.0 {
        for _ in 0..2 {
            let again = measure();
            if again.cpu_seconds < best.cpu_seconds {
                best = again;
            }
        }
    }
    best
}

fn print_line(name: &str, ratio_min: Option<f64>, ours: &Measured, theirs: Option<&Measured>) {
    let summary = |verdict: &str| match (verdict.matches('v').count(), verdict.matches('x').count()) {
        (1, 0) => "valid".to_owned(),
        (0, 1) => "violation".to_owned(),
        (valid, violations) => format!("{valid} valid, {violations} not"),
    };
    let verdict = ours
        .verdict
        .as_deref()
        .map_or_else(|| "UNDECIDED".to_owned(), summary);
    print!("{name:<42} {:>8.3} {:>8.0}", ours.cpu_seconds, ours.peak_mb);
    let Some(theirs) = theirs else {
        println!("   {:>9} {:>9}   {:>8} {:>8}  {verdict}", "-", "-", "-", "-");
        return;
    };
    let stopped = theirs.verdict.is_none();
    let more = if stopped { ">" } else { "" };
    let ratio = theirs.cpu_seconds / ours.cpu_seconds;
    let memory = theirs.peak_mb / ours.peak_mb;
    let missed = if ratio_min.is_some_and(|min| ratio < min) {
        "  (below the promise)"
    } else {
        ""
    };
    let differs = if !stopped && theirs.verdict != ours.verdict {
        "  THEY DISAGREE"
    } else {
        ""
    };
    println!(
        "   {:>9} {:>9.0}   {:>8} {:>8}  {verdict}{missed}{differs}",
        format!("{more}{:.2}", theirs.cpu_seconds),
        theirs.peak_mb,
        format!("{more}{ratio:.1}×"),
        format!("{more}{memory:.1}×"),
    );
}
