//! `omnilink lineup`: does a component do concurrently what it does serially?

mod arguments;
mod debugger;
mod files;
mod harness;
mod outlook;
mod specification;

use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;
use std::time::Instant;

use omnilink_evidence::Evidence;
use omnilink_lineup::{
    CampaignSubject, CheckedMatrix, Description, Diagnosis, HarnessCommand, HarnessError, Matrices,
    MatrixExecutor, MatrixVerdict, Request, Schedule, ScheduleError, Scheduled, ScheduledOptions,
    SerialObservation, Specification, behavioural_diff, read_observations, run_campaign, run_schedule,
};
use omnilink_memory::peak_bytes;
use omnilink_report::{Look, TextOptions, text};
use omnilink_sched::SchedError;
use omnilink_verify::LineupSubject;

use self::arguments::Memory;
pub(crate) use self::arguments::{ABOUT, LineupArgs};
use self::files::Files;
use self::harness::{Built, Engine};
use self::outlook::Outlook;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{self, Output};
use crate::progress::ProgressLine;

/// Runs the command.
pub(crate) fn run(args: &LineupArgs) -> Result<Exit, CliError> {
    // What runs under test gets its memory as it would without us.
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    if args.memory == Memory::C11 && args.target.engine == Engine::Native {
        return Err(CliError::Usage(
            "--memory c11 needs a component that is instrumented: leave out --engine native, which shows what this processor \
             does"
                .to_owned(),
        ));
    }
    if args.leaks && args.target.engine == Engine::Native {
        return Err(CliError::Usage(
            "--leaks needs a component that is instrumented: leave out --engine native, and use a sanitizer for what cannot be"
                .to_owned(),
        ));
    }
    if args.gdb.is_some() && args.target.engine == Engine::Native {
        return Err(CliError::Usage(
            "--gdb needs a run that can be repeated: leave out --engine native".to_owned(),
        ));
    }
    let mut files = Files::check(args)?;
    let explained_by = args.specification.subject()?;
    let schedule = args.schedule.as_deref().map(parse_schedule).transpose()?;
    let mut observations = Vec::new();
    let mut exits = Vec::new();
    let all = args.target.build()?;
    // From here on Ctrl-C ends the check with a report. A build that is interrupted has nothing to report.
    interrupt::listen();
    for built in all {
        if !exits.is_empty() && interrupt::is_raised() {
            exits.push(Exit::Unknown);
            break;
        }
        let evidence = args.check(
            &built,
            &explained_by,
            schedule.as_ref(),
            &mut observations,
            &look,
            &mut out,
        )?;
        let Some(evidence) = evidence else { continue };
        if let Some(file) = &mut files.evidence {
            file.add(&evidence.to_json());
        }
        exits.push(Exit::of(evidence.verdict));
    }
    let Some(mut worst) = exits.into_iter().max() else {
        return Err(CliError::Usage(
            "no #[test] function offers a component; let one end in `.test()` of omnilink_harness::Component"
                .to_owned(),
        ));
    };
    if let Some(path) = &args.compare {
        let old = File::open(path).map_err(|error| {
            CliError::Usage(format!(
                "{}: {error}; name a file that `--observations` wrote",
                path.display()
            ))
        })?;
        let old = read_observations(&path.display().to_string(), BufReader::new(old))
            .map_err(|error| CliError::Usage(error.to_string()))?;
        let difference = behavioural_diff(&old, &observations);
        if !difference.is_empty() {
            output::note(&format!(
                "serial behaviour differs from that in {}",
                path.display()
            ));
            if !args.json {
                let lines = difference.lines().map(|line| format!("{}\n", look.clean(line)));
                out.print(&lines.collect::<String>())?;
            }
            worst = worst.max(Exit::Violation);
        }
    }
    files.write(&observations)?;
    Ok(worst)
}

impl LineupArgs {
    fn check(
        &self,
        built: &Built,
        explained_by: &LineupSubject,
        schedule: Option<&Schedule>,
        observations: &mut Vec<SerialObservation>,
        look: &Look,
        out: &mut Output,
    ) -> Result<Option<Evidence>, CliError> {
        let bad = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
        let (mut executor, description) = match self.start(&built.harness) {
            Ok(started) => started,
            // A function that offers no component is a test like any other.
            Err(HarnessError::Start(SchedError::NotAHarness { .. })) if built.is_a_guess => return Ok(None),
            Err(error) => return Err(bad(&error)),
        };
        let executor = &mut *executor;
        let options = self.options(&description, explained_by.criterion());
        let specification = explained_by.specification(&description.alphabet, options.stop)?;
        let specification = specification.as_ref();
        let request = Request {
            alphabet: &description.alphabet,
            options: &options,
            specification,
        };
        let command = format!(
            "{}{}{}",
            built.command,
            self.specification.arguments(),
            self.run_arguments()
        );
        let subject = CampaignSubject {
            name: &description.name,
            alphabet: &description.alphabet,
            specification: specification.map(Specification::name),
            command: &command,
            matrices: &self.matrix_arguments(),
        };
        let matrices = self.matrices(&description)?;
        let total = matrices.checks_at_most(&description.alphabet, options.search);
        let outlook = Arc::new(Outlook::new(
            &description.name,
            total,
            self.processors(),
            &options,
        ));
        let shown = Arc::clone(&outlook);
        let progress = ProgressLine::showing(move |executions, elapsed_s| {
            shown.text(executions, elapsed_s, Instant::now())
        });
        let tick = &mut || progress.add_one();
        let mut seen = |checked: &CheckedMatrix, is_first: bool| {
            outlook.add_check(Instant::now());
            if let Some(found) = found_text(&description, checked) {
                output::note(&found);
            }
            if is_first {
                observations.push(SerialObservation::of(checked, &description.alphabet));
            }
        };
        let summary = match (schedule, &matrices) {
            (Some(schedule), Matrices::Given(given)) => {
                let [matrix] = given.as_slice() else {
                    return Err(CliError::Usage(
                        "--schedule is of one matrix: give one --matrix".to_owned(),
                    ));
                };
                executor.add_racy_accesses(&self.switch_at);
                run_schedule(executor, request, matrix, schedule, tick)
            }
            _ => run_campaign(executor, request, &matrices, &mut seen, tick),
        };
        let summary = summary.map_err(|error| bad(&error))?;
        drop(progress);
        let mut evidence = subject.evidence(&summary);
        evidence.figures.peak_bytes = peak_bytes();
        if self.json {
            out.print(&format!("{}\n", evidence.to_json()))?
        } else {
            out.print(&text(&evidence, &TextOptions::from(*look)))?
        }
        if let Some(step) = self.gdb {
            debugger::open(executor, &summary, step)?;
        }
        Ok(Some(evidence))
    }

    fn start(
        &self,
        harness: &HarnessCommand,
    ) -> Result<(Box<dyn MatrixExecutor>, Description), HarnessError> {
        let processors = self.processors();
        Ok(match self.target.engine {
            Engine::Instrumented => {
                let options = ScheduledOptions {
                    plain_accesses: self.plain,
                    reduction: !self.no_reduction,
                    spins_max: self.spins,
                    steps_max: self.steps,
                    races: !self.no_races,
                    leaks: self.leaks,
                    isolated: self.isolate,
                    memory_model: self.memory_model(),
                    processors,
                };
                let (executor, description) = Scheduled::start(harness, options)?;
                (Box::new(executor), description)
            }
            #[cfg(not(target_os = "linux"))]
            Engine::Native => {
                return Err(HarnessError::System(
                    omnilink_sched::build::BuildError::Unsupported,
                ));
            }
            #[cfg(target_os = "linux")]
            Engine::Native => {
                let (executor, description) =
                    omnilink_lineup::NativeThreads::start(harness, self.seed, processors)?;
                (Box::new(executor), description)
            }
        })
    }
}

/// What was found, before it is made smaller: that may take as long again.
fn found_text(description: &Description, checked: &CheckedMatrix) -> Option<String> {
    if !checked.verdict.is_failure() {
        return None;
    }
    let headline = Diagnosis::of(checked).map_or("nondeterministic", |diagnosis| diagnosis.headline());
    let matrix = checked.matrix.display(&description.alphabet);
    let schedule = match &checked.verdict {
        MatrixVerdict::Violation(violation)
            if !violation.execution.schedule.is_empty() && !violation.is_serial =>
        {
            format!(" --schedule '{}'", violation.execution.schedule)
        }
        _ => String::new(),
    };
    let name = &description.name;
    Some(format!(
        "{name}: {headline}, found in --matrix '{matrix}'{schedule}; making it smaller"
    ))
}

fn parse_schedule(text: &str) -> Result<Schedule, CliError> {
    text.parse()
        .map_err(|error: ScheduleError| CliError::Usage(error.to_string()))
}
