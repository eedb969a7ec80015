//! `omnilink gen driver`: a program that does the actions of a specification on a system.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use omnilink_drive::{GraphExploration, GraphOptions};
use omnilink_gen::{DriverAction, DriverLanguage, DriverPlan, driver_commands, generate_driver};
use omnilink_mc::{Explorer, ExplorerOptions, SearchLimits, SearchProgress, explore};
use omnilink_report::Look;
use omnilink_value::Value;

use crate::error::CliError;
use crate::exit::Exit;
use crate::generated::what_changed;
use crate::interrupt;
use crate::mc_progress::{LINE_EVERY, McProgress};
use crate::output::Output;
use crate::quantity;
use crate::spec_args::SpecArgs;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DriverArgs {
    #[command(flatten)]
    spec: SpecArgs,
    /// The language: rust, cpp, python or java
    #[arg(long, value_name = "LANG")]
    lang: DriverLanguage,
    /// The project's folder
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// The types of parameters are those of their values in this many states
    #[arg(long, value_name = "N", default_value = "10000", value_parser = quantity::count)]
    states_max: u64,
    /// Use what was seen until then: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time_limit: Option<std::time::Duration>,
}

const EXAMPLES: &str = "\
Examples:
  omnilink gen driver Spec.tla --lang python --out driver
  omnilink gen driver Spec.tla --lang rust --out driver --config Small.cfg

Running it again after the specification has changed adds what is new; what you wrote stays.";

/// Runs the command.
pub(crate) fn run(args: &DriverArgs) -> Result<Exit, CliError> {
    let model = args.spec.build(&[])?;
    let options = GraphOptions {
        states_max: usize::try_from(args.states_max).unwrap_or(usize::MAX),
        ..GraphOptions::default()
    };
    let explorer = ExplorerOptions {
        limits: SearchLimits {
            time: args.time_limit,
            ..SearchLimits::default()
        },
        ..ExplorerOptions::default()
    };
    let live = Arc::new(SearchProgress::default());
    let progress = McProgress::start(&args.spec.spec.display().to_string(), &live, LINE_EVERY);
    let print = |text: &str| progress.suspend(|| eprintln!("{text}"));
    let actions = explore(&model, &explorer, &live, &print, |explorer| {
        actions(explorer, &options)
    })?;
    drop(progress);
    let actions = actions.map_err(|error| CliError::Usage(error.to_string()))?;
    if interrupt::is_raised() {
        return Ok(Exit::Interrupted);
    }
    let plan = DriverPlan {
        // The generated files name the specification from wherever they are.
        spec: std::path::absolute(&args.spec.spec).unwrap_or_else(|_| args.spec.spec.clone()),
        options: args.spec.words(),
        variables: omnilink_verify::variable_names(&model),
        actions,
    };
    let generated = generate_driver(&plan, args.lang, &args.out)?;
    let system = generated.system.display();
    let mut text = if generated.was_there {
        format!("{system}: kept\n")
    } else {
        format!("{system}: say here how to do each action on your system, and what is seen of it\n")
    };
    for action in &plan.actions {
        let parameters = action.parameters.iter();
        let parameters: Vec<String> = parameters.map(|(name, kind)| format!("{name}, {kind}")).collect();
        text.push_str(&format!("  {}({})\n", action.name, parameters.join("; ")));
    }
    text.push_str(&what_changed(&generated));
    text.push_str(&format!(
        "\nNext:\n  omnilink gen tests {}{} --out tests\n  {}\n",
        args.spec.spec.display(),
        plan.options,
        driver_commands(&plan, args.lang, &args.out).replace("--tests DIR", "--tests tests")
    ));
    Output::new(&Look::plain()).print(&text)?;
    Ok(Exit::Valid)
}

/// The actions, with the values that their parameters have in the states that were explored.
fn actions(
    explorer: &mut Explorer<'_>,
    options: &GraphOptions,
) -> Result<Vec<DriverAction>, omnilink_mc::ExplorerError> {
    let explored = GraphExploration::run(explorer, options, &[], false)?;
    let graph = &explored.graph;
    let infos = &explorer.model().program.actions;
    let mut found = Vec::new();
    for name in &graph.actions {
        let mut seen: Vec<(String, Vec<Value>)> = Vec::new();
        for (number, _) in (0..).zip(infos).filter(|(_, info)| *info.name == **name) {
            for parameter in explorer.parameters_of(number) {
                if seen.iter().all(|(own, _)| own != parameter) {
                    seen.push((parameter.to_owned(), Vec::new()));
                }
            }
        }
        let mut place = String::new();
        for label in graph.labels().iter().filter(|label| label.name == *name) {
            if place.is_empty() {
                place.clone_from(&label.place);
            }
            for (parameter, values) in &mut seen {
                values.extend(label.bindings.get(parameter).cloned());
            }
        }
        if place.is_empty() {
            "enabled in no state that was explored".clone_into(&mut place);
        }
        found.push(DriverAction::new(name, &place, &seen));
    }
    Ok(found)
}
