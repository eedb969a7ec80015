//! `omnilink view`: evidence, a trace, a run or a store of runs as a page.

mod arguments;
mod campaign;
mod load;
mod recheck;
mod stored_run;

use omnilink_verify::NewFile;
use omnilink_view::{Response, Scene, Server, html};

pub(crate) use self::arguments::{ABOUT, ViewArgs};
use self::load::Loader;
pub(crate) use self::load::evidence_in;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{interrupt, output};

/// Runs the command.
pub(crate) fn run(args: &ViewArgs) -> Result<Exit, CliError> {
    interrupt::listen();
    let reading = args.limits.limits().begin();
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
    // Who looks at a page is not at work.
    drop(reading);
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
