//! `omnilink view`: evidence, a trace, a run or a store of runs as a page.

mod campaign;
mod load;
mod recheck;
mod stored_run;

use std::path::PathBuf;

use clap::Args;
use omnilink_trace::Format;
use omnilink_verify::NewFile;
use omnilink_view::{Response, Scene, Server, html};

use self::load::Loader;
pub(crate) use self::load::{Kind, evidence_in};
use self::recheck::RecheckArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::limits::{self, LimitArgs};
use crate::runs::STORE;
use crate::trace_args::{format_name, span_rule};
use crate::{interrupt, output};

/// What it is for.
pub(crate) const ABOUT: &str =
    "Look at evidence, a trace, a run or a campaign, in a browser or as one HTML file";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct ViewArgs {
    /// Evidence (--evidence FILE of another command), traces, stores of runs, or the numbers of runs in --store
    #[arg(required = true, value_name = "EVIDENCE|TRACE|RUN|STORE")]
    what: Vec<PathBuf>,
    /// Write one HTML file that needs nothing else, instead of opening a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The trace of the evidence, to show all of it; looked for where the evidence says it was, if not given
    #[arg(long, value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// The format of traces; found by content if not given
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    format: Option<Format>,
    /// Which spans of OpenTelemetry, Jaeger, Zipkin or Chrome are operations, and what they mean, such as kind=client or args=kv.*; may be given several times: see docs/opentelemetry.md
    #[arg(long, value_name = "RULE", value_parser = span_rule)]
    spans: Vec<String>,
    /// Faults and log lines to show on the same axis: lines {"start":1,"end":9,"text":"…"} or {"at":5,"text":"…"}
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Also quote source from below this folder; may be given several times
    #[arg(long, value_name = "FOLDER")]
    source: Vec<PathBuf>,
    /// The store of the runs given by number
    #[arg(long, value_name = "FILE", default_value = STORE)]
    store: PathBuf,
    /// Only print the address, do not open a browser
    #[arg(long)]
    no_open: bool,
    /// The port on 127.0.0.1; any if not given
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    recheck: RecheckArgs,
}

const EXAMPLES: &str = "\
Examples:
  omnilink check history.ndjson --model queue --evidence why.json; omnilink view why.json
  omnilink view why.json --html why.html             one file, to attach to a ticket
  omnilink view history.edn                          a trace alone, with the faults of Jepsen's nemesis
  omnilink view 17                                   a run that omnilink fuzz has kept
  omnilink view omnilink-runs.db                     the whole campaign, from which each run opens";

/// Runs the command.
pub(crate) fn run(args: &ViewArgs) -> Result<Exit, CliError> {
    interrupt::listen();
    limits::watch_process(args.limits.limits());
    let destination = args.html.as_deref().map(NewFile::check).transpose()?;
    let loader = Loader::new(args);
    let mut scene = Scene::default();
    for what in &args.what {
        loader.add(what, &mut scene)?;
    }
    loader.finish(&mut scene);
    if let Some(file) = destination {
        loader.embed_runs(&mut scene)?;
        file.write(html(&scene).as_bytes())?;
        return Ok(Exit::Valid);
    }
    scene.live = true;
    serve(args, &loader, &scene)
}

fn serve(args: &ViewArgs, loader: &Loader<'_>, scene: &Scene) -> Result<Exit, CliError> {
    let server = Server::start(args.port)?;
    let url = server.url();
    output::note(&format!("{url}  (Ctrl-C ends it, and so does closing the page)"));
    if !args.no_open && !open_browser(&url) {
        output::note(&"no browser could be started; open the address yourself");
    }
    let first = html(scene);
    let page = |path: &str| {
        let html = match path.split_once('/') {
            None if path.is_empty() => first.clone(),
            Some(("run", run)) => loader.run_page(run)?,
            Some(("upto", operation)) => loader.page_up_to(operation)?,
            _ => return None,
        };
        Some(Response { html })
    };
    server.serve(page, interrupt::is_raised);
    Ok(Exit::Valid)
}

/// Opens the address in the reader's browser.
fn open_browser(url: &str) -> bool {
    let openers: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["explorer"],
        _ => &["xdg-open", "gio-open", "sensible-browser"],
    };
    openers.iter().any(|opener| {
        std::process::Command::new(opener)
            .arg(url)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .is_ok()
    })
}
