//! `omnilink gen tests`: behaviours of a specification as tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use omnilink_drive::{Criteria, Explored, GraphExploration, GraphExtent, GraphOptions, TestSuite};
use omnilink_mc::{ExplorerError, ExplorerOptions, Limit, SearchLimits, SearchProgress, explore};
use omnilink_report::{Look, counted};
use omnilink_tla::model::CompiledSpec;
use omnilink_verify::{NewFile, variable_names};

use crate::error::CliError;
use crate::exit::Exit;
use crate::mc_progress::{LINE_EVERY, McProgress};
use crate::output::{self, Output};
use crate::quantity;
use crate::spec_args::SpecArgs;

/// Something to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Cover {
    /// Every action
    Actions,
    /// Every disjunct, IF and CASE of an action
    Branches,
    /// Every action directly after every other, where that is possible
    Pairs,
    /// Every step between two states
    Transitions,
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TestsArgs {
    #[command(flatten)]
    spec: SpecArgs,
    /// The folder for the behaviours, one ITF file each, and for the table coverage.md
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// What to cover; actions, branches and pairs if neither this nor --goal is given. May be given several times
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    cover: Vec<Cover>,
    /// A shortest behaviour to a state in which this is true; may be given several times
    #[arg(long, value_name = "EXPR")]
    goal: Vec<String>,
    /// States with equal values of this expression count as one; of the configuration's VIEW if no expression is given
    #[arg(long, value_name = "EXPR", num_args = 0..=1, default_missing_value = "")]
    view: Option<String>,
    /// Behaviours are at most this long, unless something is farther away
    #[arg(long, value_name = "STEPS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    length: u32,
    /// Take the behaviours from this many random ones instead of exploring all states
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    simulate: Option<u64>,
    /// The number of states of a random behaviour
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..))]
    depth: u32,
    /// What decides random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// After this many states, go on with random behaviours
    #[arg(long, value_name = "N", default_value = "100000", value_parser = quantity::count)]
    states_max: u64,
    /// Use what was explored until then: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time_limit: Option<std::time::Duration>,
    /// Use what was explored within this much memory: 512MB, 2GB
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    memory_limit: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  omnilink gen tests Spec.tla --out tests              cover actions, branches and pairs of actions
  omnilink gen tests Spec.tla --out tests --cover transitions
  omnilink gen tests Spec.tla --out tests --cover transitions --view '<<state, Len(queue)>>'
  omnilink gen tests Spec.tla --out tests --goal 'Cardinality(committed) = 2'
  omnilink gen tests Large.tla --out tests --simulate 10000 --depth 50 --seed 7
  omnilink gen tests examples/drive/rwlock/ReadersWriters.tla --out /tmp/rwlock

Then: omnilink drive Spec.tla --tests tests -- ./driver

Exit codes: 0 everything that can be covered is; 1 a goal is never true; 2 bad usage or bad input; 3 unknown: a limit was
reached before a goal was.";

/// The name of the table.
const TABLE: &str = "coverage.md";

/// Runs the command.
pub(crate) fn run(args: &TestsArgs) -> Result<Exit, CliError> {
    let mut expressions = args.goal.clone();
    expressions.extend(args.view.clone().filter(|view| !view.trim().is_empty()));
    let model = args.spec.build(&expressions)?;
    let explored = explored(args, &model)?;
    let criteria = criteria(args);
    let suite = TestSuite::new(
        &args.spec.name(),
        explored,
        criteria,
        args.goal.clone(),
        args.length as usize,
    );
    if suite.extent() == GraphExtent::Limit(Limit::Interrupt) {
        output::note(&"interrupted, so nothing was written");
        return Ok(Exit::Interrupted);
    }
    if suite.state_count() == 0 {
        let message = match suite.extent() {
            GraphExtent::Complete => "no state satisfies the initial condition and the constraints",
            _ => "a limit was reached before the first state",
        };
        return Err(CliError::Usage(format!(
            "{}: {message}, so there is no behaviour",
            args.spec.spec.display()
        )));
    }
    write(args, &model, &suite)?;
    let mut out = Output::new(&Look::plain());
    out.print(&if args.json {
        format!("{}\n", suite.to_json())
    } else {
        summary(args, &suite)
    })?;
    Ok(match (suite.goals_not_reached().is_empty(), suite.extent()) {
        (true, _) => Exit::Valid,
        (false, GraphExtent::Complete) => Exit::Violation,
        (false, _) => Exit::Unknown,
    })
}

fn criteria(args: &TestsArgs) -> Criteria {
    match (&args.cover[..], &args.goal[..]) {
        ([], []) => Criteria::default(),
        (cover, _) => Criteria {
            actions: cover.contains(&Cover::Actions),
            branches: cover.contains(&Cover::Branches),
            pairs: cover.contains(&Cover::Pairs),
            transitions: cover.contains(&Cover::Transitions),
        },
    }
}

fn explored(args: &TestsArgs, model: &CompiledSpec) -> Result<Explored, CliError> {
    let view = match (&args.view, model.view) {
        (None, _) => None,
        (Some(view), Some(of_config)) if view.trim().is_empty() => Some(of_config),
        (Some(view), None) if view.trim().is_empty() => {
            return Err(CliError::Usage(
                "--view: the configuration has no VIEW; write --view EXPR, or VIEW in the configuration"
                    .into(),
            ));
        }
        (Some(_), _) => model.expressions.last().map(|view| view.formula),
    };
    let goals = model.expressions.iter().take(args.goal.len());
    let goals: Vec<_> = goals.map(|goal| goal.formula).collect();
    let options = GraphOptions {
        states_max: usize::try_from(args.states_max).unwrap_or(usize::MAX),
        walks: args.simulate,
        walk_length: args.depth,
        seed: args.seed,
        view,
    };
    let default = SearchLimits::default();
    let limits = SearchLimits {
        time: args.time_limit,
        memory_bytes: args.memory_limit.unwrap_or(default.memory_bytes),
    };
    let explorer = ExplorerOptions {
        limits,
        seed: args.seed,
        ..ExplorerOptions::default()
    };
    let live = Arc::new(SearchProgress::default());
    let progress = McProgress::start(&args.spec.spec.display().to_string(), &live, LINE_EVERY);
    let print = |text: &str| progress.suspend(|| eprintln!("{text}"));
    let only_goals = !goals.is_empty() && args.cover.is_empty();
    let _limits = limits.begin();
    let found = explore(model, &explorer, &live, &print, |explorer| {
        GraphExploration::run(explorer, &options, &goals, only_goals)
    })?;
    drop(progress);
    found.map_err(|error| match error {
        ExplorerError::Evaluation(text) => CliError::Usage(text),
        limit @ ExplorerError::Limit(_) => CliError::Usage(limit.to_string()),
    })
}

/// Writes the behaviours and the table, and removes behaviours of an earlier generation: they may be none any more.
fn write(args: &TestsArgs, model: &CompiledSpec, suite: &TestSuite) -> Result<(), CliError> {
    let folder = &args.out;
    std::fs::create_dir_all(folder).map_err(|error| CliError::write(folder, error))?;
    let variables = variable_names(model);
    let mut written = BTreeSet::new();
    for (number, path) in (1..).zip(suite.paths()) {
        let name = TestSuite::file_name(number);
        NewFile::check(&folder.join(&name))?.write(suite.itf(path, &variables).as_bytes())?;
        written.insert(name);
    }
    NewFile::check(&folder.join(TABLE))?.write(suite.table().as_bytes())?;
    remove_others(folder, &written).map_err(|error| CliError::write(folder, error))
}

fn remove_others(folder: &Path, written: &BTreeSet<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if TestSuite::is_file_name(&name) && !written.contains(&name) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn summary(args: &TestsArgs, suite: &TestSuite) -> String {
    let mut text = format!(
        "{}: {}, {}; {}\n",
        args.spec.spec.display(),
        counted(suite.paths().len() as u64, "behaviour", "behaviours"),
        counted(suite.step_count() as u64, "step", "steps"),
        suite.extent_text()
    );
    for (name, count) in suite.totals() {
        text.push_str(&format!("  {} of {} {name}\n", count.covered, count.all));
    }
    let missing = suite.not_covered();
    if !missing.is_empty() {
        text.push_str("not covered:\n");
    }
    for line in missing {
        text.push_str(&format!("  {line}\n"));
    }
    text.push_str(&format!("{}\n", args.out.join(TABLE).display()));
    text
}
