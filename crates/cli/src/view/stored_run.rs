//! A run that a campaign has stored, as a page.

use std::path::PathBuf;

use omnilink_campaign::Store;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_view::{Scene, Story, html};

use super::campaign;
use super::load::Loader;
use super::recheck::Rechecker;
use crate::error::CliError;
use crate::output;

/// Runs of a campaign that are embedded in a file: those that found something first.
const RUNS_EMBEDDED_MAX: usize = 20;

impl Loader<'_> {
    /// A run of the store: its evidence with its whole trace.
    pub(super) fn run(&self, run: i64) -> Result<Vec<Story>, CliError> {
        let store = Store::open(&self.store.borrow())?;
        let kept = store.files(run, Some("evidence"))?;
        let stored = kept
            .first()
            .and_then(|file| Evidence::from_json(&String::from_utf8_lossy(&file.bytes)).ok());
        let folder = self.export_folder()?.join(run.to_string());
        let trace = store.export(run, &folder)?;
        let campaign = store.campaign(&store.run(run)?.campaign)?;
        let rechecker =
            self.args
                .recheck
                .rechecker(&trace, self.reading(), stored.as_ref(), campaign.as_ref());
        let evidence = stored.map(|evidence| self.in_full(evidence, rechecker.as_ref()));
        let whole = self.timeline(&trace, evidence.as_ref());
        let mut stories = match (&evidence, whole) {
            (Some(evidence), Ok((timeline, _))) => {
                let mut stories = Story::of_evidence(evidence);
                stories[0] = stories[0].clone().with_timeline(timeline);
                stories
            }
            (Some(evidence), Err(_)) => Story::of_evidence(evidence),
            (None, Ok((timeline, _))) => vec![Story::of_trace(String::new(), timeline)],
            (None, Err(error)) => return Err(error),
        };
        stories[0].name = format!("run {run}");
        if let Some(rechecker) = rechecker {
            self.explain_as(format!("run-{run}"), rechecker, &mut stories[0]);
        }
        Ok(stories)
    }

    /// Where traces of runs are, as long as they can be asked about.
    fn export_folder(&self) -> Result<PathBuf, CliError> {
        if let Some(folder) = self.exports.get() {
            return Ok(folder.path().to_owned());
        }
        let folder = tempfile::tempdir().map_err(|error| CliError::write(std::env::temp_dir(), error))?;
        let path = folder.path().to_owned();
        // It was not there: there is one thread only.
        let _ = self.exports.set(folder);
        Ok(path)
    }

    /// The evidence of a run with its explanations. A campaign keeps those of violations; those of a valid run are computed now.
    fn in_full(&self, stored: Evidence, rechecker: Option<&Rechecker>) -> Evidence {
        let is_conclusive = matches!(stored.verdict, Verdict::Valid | Verdict::Violation);
        let Some(rechecker) = rechecker.filter(|_| stored.context.is_none() && is_conclusive) else {
            return stored;
        };
        let again = rechecker.up_to(None, &self.args.limits);
        let why = match again {
            Ok((mut evidence, _)) if evidence.verdict == stored.verdict => {
                evidence.input = stored.input;
                return evidence;
            }
            Ok((
                Evidence {
                    error: Some(error), ..
                },
                _,
            )) => error,
            Ok((evidence, _)) => format!("checked again it is {}", evidence.verdict.word()),
            Err(error) => error.to_string(),
        };
        let mut stored = stored;
        stored.notes.push(format!(
            "how it is explained cannot be shown: {why}; give --spec or --model, --const and --link as they were for omnilink fuzz"
        ));
        stored
    }

    /// The page of a run, for a server.
    pub(super) fn run_page(&self, run: &str) -> Option<String> {
        let run: i64 = run.parse().ok()?;
        let mut scene = Scene {
            title: format!("run {run}"),
            live: true,
            stories: self.run(run).ok()?,
            ..Scene::default()
        };
        self.finish(&mut scene);
        Some(html(&scene))
    }

    /// A file has no server behind it: the runs that found something first are part of it.
    pub(super) fn embed_runs(&self, scene: &mut Scene) -> Result<(), CliError> {
        let Some(campaign) = &scene.campaign else {
            return Ok(());
        };
        for run in campaign::first_findings(campaign)
            .into_iter()
            .take(RUNS_EMBEDDED_MAX)
        {
            match self.run(run) {
                Ok(stories) => scene.stories.extend(stories.into_iter().take(1)),
                Err(error) => output::note(&format!("run {run} is not part of the page: {error}")),
            }
        }
        self.finish(scene);
        Ok(())
    }
}
