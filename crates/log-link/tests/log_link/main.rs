//! Tests of logs against specifications.

mod bad_input;
mod follow;
mod found;
mod joined;
mod lease;
mod left_out;
mod link_file;
mod naive;
mod oracle;
mod patterns;
mod protocols;
mod random_specs;
mod recorded;
mod stream_order;
mod unused;

use std::path::{Path, PathBuf};

use omnilink_engine::Limits;
use omnilink_evidence::Evidence;
use omnilink_link::LinkOptions;
use omnilink_log_link::{LogCheck, check_log, constants_of_file};

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(path)
}

/// The evidence of a log, with constants from a file and from text.
fn checked(spec: &str, log: &Path, constants: Option<&Path>, given: &[(&str, &str)]) -> Evidence {
    let options = LinkOptions {
        constants: given
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect(),
        ..LinkOptions::default()
    };
    let mut check = LogCheck::new(&data(spec), options, Limits::default());
    if let Some(constants) = constants {
        check.constants = constants_of_file(constants).unwrap_or_else(|error| panic!("{error}"));
    }
    check_log(
        &check,
        None,
        &log.display().to_string(),
        &[log.to_owned()],
        &mut |_| {},
    )
}
