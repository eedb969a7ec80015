//! The evidence of one input, as a Python object.

use omnilink_evidence::{Evidence, Verdict};
use omnilink_report::{Look, TextOptions, annotations, dot, junit, markdown, sarif, text};
use omnilink_view::{Scene, SourceFinder, Story, html};
use pyo3::prelude::*;

use crate::error::{Failure, FailureKind};
use crate::file_path::FilePath;

/// The evidence of one input.
#[pyclass(name = "Answer", module = "omnilink._native", frozen)]
pub(crate) struct Answer(Evidence);

impl Answer {
    /// The evidence, unless it is that the input could not be checked.
    pub(crate) fn new(evidence: Evidence) -> Result<Self, Failure> {
        Self::or_fail(evidence, FailureKind::Input)
    }

    /// The same, with the kind of the exception.
    pub(crate) fn or_fail(evidence: Evidence, kind: FailureKind) -> Result<Self, Failure> {
        match evidence.verdict {
            Verdict::Error => Err(Failure::new(
                kind,
                match &evidence.error {
                    Some(error) => error.clone(),
                    None => page(&evidence).trim_end().to_owned(),
                },
            )),
            _ => Ok(Self(evidence)),
        }
    }
}

fn page(evidence: &Evidence) -> String {
    text(evidence, &TextOptions::from(Look::plain()))
}

#[pymethods]
impl Answer {
    /// Evidence that a command wrote.
    #[staticmethod]
    fn from_json(json: &str) -> Result<Self, Failure> {
        let evidence = Evidence::from_json(json).map_err(Failure::input)?;
        Self::new(evidence)
    }

    #[getter]
    fn verdict(&self) -> &'static str {
        self.0.verdict.word()
    }

    /// How bad it is, for comparisons.
    #[getter]
    fn severity(&self) -> u8 {
        self.0.verdict as u8
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    fn json(&self) -> String {
        self.0.to_json()
    }

    /// The evidence in the forms of `omnilink report`.
    fn report(&self, form: &str) -> Result<String, Failure> {
        let one = std::slice::from_ref(&self.0);
        Ok(match form {
            "text" => page(&self.0),
            "markdown" => markdown(one),
            "junit" => junit(one),
            "sarif" => sarif(one),
            "github" => annotations(one),
            "dot" => dot(one),
            _ => {
                return Err(Failure::usage(format!(
                    "there is no report of the form {form:?}; give text, markdown, html, junit, sarif, github or dot"
                )));
            }
        })
    }

    /// The page of `omnilink view`. Source is looked for in the folders.
    fn page(&self, py: Python<'_>, folders: Vec<FilePath>) -> String {
        py.detach(|| {
            let stories = Story::of_evidence(&self.0);
            let finder = SourceFinder::new(folders.into_iter().map(|folder| folder.0));
            let sources = finder.excerpts(stories.iter().filter_map(|story| story.evidence.as_deref()));
            html(&Scene {
                title: self.0.input.clone(),
                stories,
                sources,
                ..Scene::default()
            })
        })
    }
}
