//! Specifications and models that long traces are checked against.

use std::path::PathBuf;

use omnilink_engine::Options;
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_trace::OpenOptions;
use omnilink_verify::{CheckRequest, Input, Keyed, ModelCheck, ProgressCounter};

use crate::product::{Answer, Product, answer_of};

/// What a trace is checked against.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// A specification, with what its link file says.
    Spec(&'static str, &'static str),
    /// A style of the map, of the benchmarks.
    Style(&'static str),
    /// A native model.
    Model(&'static str),
}

/// A subject made ready for objects of a size.
pub enum Ready {
    Spec(Box<Product>),
    Model(&'static str),
}

fn folder(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Subject {
    pub fn ready(self, size: i64) -> Ready {
        let (path, link, constants) = match self {
            Self::Model(name) => return Ready::Model(name),
            Self::Spec(name, link) => (
                folder("tests/soundness/long/specs").join(name),
                link,
                &["Keys", "Accounts"][..],
            ),
            Self::Style(name) => (folder("../..").join(name), "", &["Keys", "NoValue"][..]),
        };
        let path = path.with_extension("tla");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let value = |name: &str| {
            if name == "NoValue" {
                "0".to_owned()
            } else {
                format!("1..{size}")
            }
        };
        let constants = constants
            .iter()
            .filter(|name| text.contains("CONSTANT") && text.contains(**name));
        let config = path.with_extension("cfg");
        let options = LinkOptions {
            constants: constants.map(|name| ((*name).to_owned(), value(name))).collect(),
            config: config.exists().then_some(config),
            file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
            ..LinkOptions::default()
        };
        let product = Product::load(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        Ready::Spec(Box::new(product))
    }
}

impl Ready {
    /// The answers about traces (NDJSON).
    pub fn answers(&self, questions: &[(&str, Options)]) -> Vec<Answer> {
        match self {
            Self::Spec(product) => product.answers(questions),
            Self::Model(name) => questions
                .iter()
                .map(|(trace, options)| checked(name, trace, *options))
                .collect(),
        }
    }
}

fn checked(model: &str, trace: &str, options: Options) -> Answer {
    let request = CheckRequest {
        options,
        ..CheckRequest::new(model)
    };
    let check = ModelCheck::new(model, Keyed::No, request).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("trace.ndjson");
    std::fs::write(&file, trace).unwrap_or_else(|error| panic!("{error}"));
    match Input::new(&file, OpenOptions::default(), None) {
        Ok(input) => answer_of(&check.check(&input, &ProgressCounter::default())),
        Err(error) => Answer::Other(error.to_string()),
    }
}
