//! What is to be shown, from what the reader named.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omnilink_campaign::Store;
use omnilink_evidence::{Command, Evidence, Subject, Verdict};
use omnilink_trace::{OpenOptions, Operation, Time};
use omnilink_verify::{Input, VerifyError};
use omnilink_view::{
    Fault, FileKind, Scene, SourceFinder, Story, Timeline, TimelineBuilder, faults_of_log, html,
    nemesis_faults,
};
use tempfile::TempDir;

use super::arguments::ViewArgs;
use super::campaign;
use super::recheck::Rechecker;
use crate::error::CliError;
use crate::trace_args::span_rules;
use crate::{interrupt, limits, output};

/// Longer texts are not searched for lines of the nemesis.
const NEMESIS_BYTES_MAX: u64 = 512 << 20;

/// Loads what the reader named.
pub(super) struct Loader<'a> {
    pub(super) args: &'a ViewArgs,
    /// Folders of what was loaded, in which source is looked for.
    folders: RefCell<Vec<PathBuf>>,
    /// The store of the runs that are given by number.
    pub(super) store: RefCell<PathBuf>,
    /// Where the traces of runs are written to, once there is one.
    pub(super) exports: OnceCell<TempDir>,
    /// What can be checked again, by the names that addresses have for it.
    explained: RefCell<BTreeMap<String, Explained>>,
}

/// A story that can be checked again.
#[derive(Clone, Debug)]
struct Explained {
    rechecker: Rechecker,
    timeline: Arc<Timeline>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(args: &'a ViewArgs) -> Self {
        Self {
            args,
            folders: RefCell::new(args.source.clone()),
            store: RefCell::new(args.store.clone()),
            exports: OnceCell::new(),
            explained: RefCell::default(),
        }
    }

    /// Adds what a path or a number stands for.
    pub(super) fn add(&self, what: &Path, scene: &mut Scene) -> Result<(), CliError> {
        if scene.title.is_empty() {
            scene.title = what
                .file_name()
                .unwrap_or(what.as_os_str())
                .to_string_lossy()
                .into_owned();
        }
        self.quote_from(what);
        let number = what.to_str().and_then(|text| text.parse::<i64>().ok());
        if let Some(run) = number.filter(|_| !what.exists()) {
            scene.stories.extend(self.run(run)?);
            return Ok(());
        }
        match FileKind::of(what).map_err(|error| CliError::read(what, error))? {
            FileKind::Store => {
                *self.store.borrow_mut() = what.to_owned();
                scene.campaign = Some(campaign::overview(&Store::open(what)?)?);
                Ok(())
            }
            FileKind::Evidence => self.add_evidence(what, scene),
            FileKind::Trace => {
                let (timeline, faults) = self.trace(what, None)?;
                let story = Story::of_trace(what.display().to_string(), timeline);
                scene.stories.push(story.with_faults(&faults));
                self.keep_rechecker(what, None, scene);
                Ok(())
            }
        }
    }

    /// Source may be quoted from the folder of what was given, and from the one in which the reader works if that is around it.
    fn quote_from(&self, what: &Path) {
        let here = Path::new(".");
        let folder = what.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(here);
        let is_around = |outer: &Path| {
            let (inner, outer) = (folder.canonicalize().ok()?, outer.canonicalize().ok()?);
            inner.starts_with(outer).then_some(())
        };
        let mut folders = self.folders.borrow_mut();
        if is_around(here).is_some() {
            folders.push(here.to_owned());
        }
        folders.push(folder.to_owned());
    }

    /// What can be added only at the end: the lines of source that the stories mention.
    pub(super) fn finish(&self, scene: &mut Scene) {
        let finder = SourceFinder::new(self.folders.borrow().iter().cloned());
        let evidence = scene.stories.iter().filter_map(|story| story.evidence.as_deref());
        scene.sources = finder.excerpts(evidence);
    }

    fn add_evidence(&self, path: &Path, scene: &mut Scene) -> Result<(), CliError> {
        let text = fs::read_to_string(path).map_err(|error| CliError::read(path, error))?;
        for evidence in evidence_in(&text, path)? {
            let (stories, trace) = self.stories(&evidence, path.parent())?;
            let mut stories = stories.into_iter();
            scene.stories.extend(stories.next());
            if let Some(trace) = trace {
                self.keep_rechecker(&trace, Some(&evidence), scene);
            }
            scene.stories.extend(stories);
        }
        Ok(())
    }

    /// Notes that more can be computed about the story that was added last, if that is so.
    fn keep_rechecker(&self, trace: &Path, evidence: Option<&Evidence>, scene: &mut Scene) {
        let name = (scene.stories.len().saturating_sub(1)).to_string();
        let rechecker = self.args.recheck.rechecker(trace, self.reading(), evidence, None);
        if let (Some(rechecker), Some(story)) = (rechecker, scene.stories.last_mut()) {
            self.explain_as(name, rechecker, story);
        }
    }

    /// Notes that more can be computed about a story, and what it is called in addresses.
    pub(super) fn explain_as(&self, name: String, rechecker: Rechecker, story: &mut Story) {
        if let Some(timeline) = &story.timeline {
            let timeline = Arc::clone(timeline);
            story.explained_as = Some(name.clone());
            self.explained
                .borrow_mut()
                .insert(name, Explained { rechecker, timeline });
        }
    }

    /// The page of `STORY/ROW`: how everything up to the return of an operation is explained.
    pub(super) fn page_up_to(&self, path: &str) -> Option<String> {
        let (name, row) = path.split_once('/')?;
        let Explained { rechecker, timeline } = self.explained.borrow().get(name)?.clone();
        let moment = timeline.moment(row.parse().ok()?)?;
        let shown = rechecker.up_to(Some(moment), &self.args.limits);
        let mut page = Scene {
            title: format!("up to {moment}"),
            live: true,
            ..Scene::default()
        };
        match shown {
            Ok((evidence, operations)) => {
                let mut builder = TimelineBuilder::of_trace(Some(&evidence), timeline.unit());
                operations.iter().for_each(|operation| builder.push(operation));
                let mut stories = Story::of_evidence(&evidence).into_iter();
                let mut whole = stories.next()?.with_timeline(builder.finish());
                whole.name = format!("{} up to {moment}", whole.name);
                page.stories = vec![whole];
            }
            Err(error) => {
                let mut evidence = Evidence::new(Command::Check, Subject::Operations, name);
                evidence.verdict = Verdict::Error;
                evidence.error = Some(error.to_string());
                page.stories = Story::of_evidence(&evidence);
            }
        }
        self.finish(&mut page);
        Some(html(&page))
    }

    /// The stories of some evidence: with the whole trace, if that is to be found, and then also where it is.
    fn stories(
        &self,
        evidence: &Evidence,
        folder: Option<&Path>,
    ) -> Result<(Vec<Story>, Option<PathBuf>), CliError> {
        let mut stories = Story::of_evidence(evidence);
        let given = self.args.trace.clone();
        let is_alone = evidence.id.as_ref().is_none_or(|id| *id == evidence.input);
        let is_of_trace = match evidence.subject {
            Subject::Operations => evidence.id.is_none(),
            // The only history of a file goes by the name of the file.
            Subject::Transactions => is_alone,
            _ => false,
        };
        // Evidence may come from anywhere: it does not say which other files the page holds.
        let given_folders = self.folders.borrow();
        let finder = SourceFinder::new(given_folders.iter().cloned().chain([PathBuf::from(".")]));
        let beside = || {
            let input = Path::new(&evidence.input);
            let places = [
                Some(input.to_owned()),
                folder.map(|folder| folder.join(input.file_name().unwrap_or_default())),
            ];
            let found = places.into_iter().flatten().find(|path| path.exists())?;
            // Elsewhere, only a trace that holds all operations of the evidence, of which there are some: so their author could read it.
            let names_operations = TimelineBuilder::of_trace(Some(evidence), "").unmet() > 0;
            if names_operations || finder.holds(&found) {
                return Some(found);
            }
            output::note(&format!(
                "the trace that the evidence names is elsewhere; --trace {} shows all of it",
                found.display()
            ));
            None
        };
        let Some(trace) = given.or_else(|| is_of_trace.then(beside).flatten()) else {
            return Ok((stories, None));
        };
        let mut found = None;
        match self.trace(&trace, Some(evidence)) {
            Ok((timeline, faults)) => {
                let whole = stories.remove(0).with_timeline(timeline).with_faults(&faults);
                stories.insert(0, whole);
                found = Some(trace);
            }
            Err(error) if self.args.trace.is_some() => return Err(error),
            Err(error) => output::note(&format!(
                "only the operations that the evidence names are shown: {error}"
            )),
        }
        Ok((stories, found))
    }

    /// How traces are read.
    pub(super) fn reading(&self) -> OpenOptions {
        OpenOptions::new()
            .with_format(self.args.format)
            .with_async_threads(true)
            // Each rule was read when it was given.
            .with_spans(span_rules(&[], &self.args.spans).unwrap_or_default())
            .with_cancellation(|| limits::process_limit().is_some())
    }

    /// A whole trace, with what happened to the system meanwhile.
    fn trace(&self, path: &Path, evidence: Option<&Evidence>) -> Result<(Timeline, Vec<Fault>), CliError> {
        let (timeline, lines) = self.timeline(path, evidence)?;
        Ok((timeline, self.faults(path, &lines)?))
    }

    /// The operations of a trace, and when the operations of each line began.
    pub(super) fn timeline(
        &self,
        path: &Path,
        evidence: Option<&Evidence>,
    ) -> Result<(Timeline, BTreeMap<u64, Time>), CliError> {
        let input = Input::new(path, self.reading(), Some(interrupt::flag()))?;
        let mut trace = input.open_once()?;
        let unit = trace
            .header()
            .and_then(|header| header.get("unit"))
            .and_then(|unit| unit.as_str());
        let mut builder = TimelineBuilder::of_trace(evidence, unit.unwrap_or_default());
        let mut lines = BTreeMap::new();
        let mut operations = 0_u64;
        for operation in trace.by_ref() {
            if operations.is_multiple_of(1024)
                && let Some(limit) = limits::process_limit()
            {
                return Err(VerifyError::Limit { limit, operations }.into());
            }
            let operation = operation?;
            if let Some(line) = line_of(&operation) {
                lines.entry(line).or_insert(operation.timebox.start);
            }
            builder.push(&operation);
            operations += 1;
        }
        if operations == 0 {
            let message = format!(
                "{}: there is no operation in it, so there is nothing to show",
                path.display()
            );
            return Err(CliError::Usage(message));
        }
        if evidence.is_some() && builder.unmet() > 0 {
            let message = format!(
                "{}: {} operations of the evidence are not in it; is it the trace that was checked?",
                path.display(),
                builder.unmet()
            );
            return Err(CliError::Usage(message));
        }
        Ok((builder.finish(), lines))
    }

    /// The side file of `--log`, or else the lines of Jepsen's nemesis in the trace.
    fn faults(&self, trace: &Path, lines: &BTreeMap<u64, Time>) -> Result<Vec<Fault>, CliError> {
        if let Some(log) = &self.args.log {
            let text = fs::read_to_string(log).map_err(|error| CliError::read(log, error))?;
            return faults_of_log(&text).map_err(|(line, error)| {
                let example =
                    r#"write {"at":5,"text":"leader elected"} or {"start":1,"end":9,"text":"partition"}"#;
                CliError::Usage(format!("{}:{line}: {error}; {example}", log.display()))
            });
        }
        let is_small =
            fs::metadata(trace).is_ok_and(|about| about.is_file() && about.len() <= NEMESIS_BYTES_MAX);
        let text = is_small.then(|| fs::read_to_string(trace).ok()).flatten();
        Ok(text
            .filter(|text| text.contains("nemesis"))
            .map(|text| nemesis_faults(&text, |line| lines.range(line..).next().map(|(_, time)| *time)))
            .unwrap_or_default())
    }
}

/// The line of a trace on which an operation was read.
fn line_of(operation: &Operation) -> Option<u64> {
    operation.location.to_string().rsplit_once(':')?.1.parse().ok()
}

/// The evidence in a file.
pub(crate) fn evidence_in(text: &str, path: &Path) -> Result<Vec<Evidence>, CliError> {
    let evidence = Evidence::all_from_json(text)
        .map_err(|(line, error)| CliError::Usage(format!("{}:{line}: {error}", path.display())))?;
    if evidence.is_empty() {
        Err(CliError::Usage(format!("{}: the file is empty", path.display())))
    } else {
        Ok(evidence)
    }
}
