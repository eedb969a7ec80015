//! Explores a spec with the library alone and prints the report as JSON: `explore Spec.tla Spec.cfg [workers [library…]]`. With the environment
//! variable `CONTINUE` it goes on after violations.

use std::path::Path;
use std::process::ExitCode;

use omnilink_mc::{CheckOptions, SearchProgress, check};
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::{SpecOptions, check as read, render_check_text};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spec, config, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: explore Spec.tla Spec.cfg [workers [library…]]");
        return ExitCode::from(2);
    };
    let spec = Path::new(spec);
    let options = SpecOptions {
        config: Some(config.into()),
        search: SearchPath::new(rest.iter().skip(1).map(Into::into)),
        ..SpecOptions::default()
    };
    let mut checked = read(spec, &options);
    if !checked.is_ok() {
        eprint!("{}", render_check_text(spec, &checked));
        return ExitCode::from(2);
    }
    let config = checked.config.take().unwrap_or_default();
    let model = match build(checked.spec, &config, &BuildOptions::default()) {
        Ok(model) => model,
        Err(rejected) => {
            eprintln!("{:?}", rejected.diagnostics);
            return ExitCode::from(2);
        }
    };
    let options = CheckOptions {
        explains_compilation: true,
        continues: std::env::var_os("CONTINUE").is_some(),
        workers: rest.first().and_then(|workers| workers.parse().ok()).unwrap_or(1),
        ..CheckOptions::default()
    };
    let print = |text: &str| eprintln!("{text}");
    match check(
        &model,
        &spec.display().to_string(),
        &options,
        &SearchProgress::default(),
        &print,
        None,
    ) {
        Ok(report) => {
            println!("{}", report.into_evidence(None).to_json());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
