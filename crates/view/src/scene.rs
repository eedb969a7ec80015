//! What a page shows.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use omnilink_evidence::{Evidence, Violation};
use serde_json::{Value, json};

use crate::faults::Fault;
use crate::sources::SourceExcerpt;
use crate::timeline::{Timeline, TimelineBuilder, align};

/// What a page shows: stories, and the lines of source that they mention.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The name of the page.
    pub title: String,
    /// Whether a [`Server`](crate::Server) is behind the page.
    pub live: bool,
    /// What can be looked at, one at a time.
    pub stories: Vec<Story>,
    /// Lines of source.
    pub sources: Vec<SourceExcerpt>,
    /// The overview of a campaign.
    pub campaign: Option<Value>,
}

/// A piece of evidence with the timeline around it; one of the two may be missing.
#[derive(Clone, Debug)]
pub struct Story {
    /// What it is called.
    pub name: String,
    /// The evidence as JSON. It is embedded as it is: variables keep the order of their specification.
    pub evidence: Option<String>,
    /// The operations.
    pub timeline: Option<Arc<Timeline>>,
    /// What the server calls it, if it can compute how everything up to some operation is explained.
    pub explained_as: Option<String>,
    /// What happened to the system meanwhile; times are relative to the timeline's first.
    bands: Vec<Fault>,
}

impl Story {
    /// A trace alone.
    pub fn of_trace(name: impl Into<String>, timeline: Timeline) -> Self {
        Self {
            name: name.into(),
            evidence: None,
            timeline: Some(Arc::new(timeline)),
            explained_as: None,
            bands: Vec::new(),
        }
    }

    /// Evidence with the operations that it names; and, if it was shrunk, the few operations that are left as a second story.
    pub fn of_evidence(evidence: &Evidence) -> Vec<Self> {
        let name = match &evidence.id {
            Some(id) => format!("{}: {id}", evidence.input),
            None => evidence.input.clone(),
        };
        let story = |name: String, evidence: &Evidence| Self {
            name,
            timeline: TimelineBuilder::of_evidence(evidence).map(Arc::new),
            evidence: Some(evidence.to_json()),
            explained_as: None,
            bands: Vec::new(),
        };
        let mut stories = vec![story(name.clone(), evidence)];
        if let Some(minimal) = &evidence.minimal {
            let mut shrunk = evidence.clone();
            shrunk.minimal = None;
            // Its times are those of the whole history.
            shrunk.last_writers = Vec::new();
            shrunk.violation = Some(Violation::Operation(Box::new(minimal.counterexample.clone())));
            let mut shrunk = story(
                format!("shrunk to {} operations: {name}", minimal.operations.len()),
                &shrunk,
            );
            shrunk.timeline = Some(Arc::new(TimelineBuilder::of_operations(
                &minimal.operations,
                evidence.subject,
            )));
            stories.push(shrunk);
        }
        let further = evidence
            .exploration
            .iter()
            .flat_map(|exploration| &exploration.further);
        for behaviour in further {
            let mut other = evidence.clone();
            other.violation = Some(Violation::Behaviour(Box::new(behaviour.clone())));
            if let Some(exploration) = &mut other.exploration {
                exploration.violated.clone_from(&behaviour.violated);
                exploration.further = Vec::new();
            }
            let what = behaviour.violated.as_deref().unwrap_or(behaviour.kind.word());
            stories.push(story(format!("{what}: {name}"), &other));
        }
        stories
    }

    fn json(&self) -> String {
        format!(
            "{{\"name\":{},\"evidence\":{},\"timeline\":{},\"explained_as\":{},\"bands\":{}}}",
            json!(self.name),
            self.evidence.as_deref().unwrap_or("null"),
            json!(self.timeline.as_deref()),
            json!(self.explained_as),
            json!(self.bands)
        )
    }

    /// The same story with another timeline: that of the whole trace.
    #[must_use]
    pub fn with_timeline(self, timeline: Timeline) -> Self {
        Self {
            timeline: Some(Arc::new(timeline)),
            ..self
        }
    }

    /// The same story with what happened to the system meanwhile.
    #[must_use]
    pub fn with_faults(mut self, faults: &[Fault]) -> Self {
        if let Some(timeline) = &self.timeline {
            let relative = faults.iter().map(|fault| fault.relative_to(timeline.first()));
            self.bands = relative.collect();
        }
        self
    }
}

impl Scene {
    /// The head of what is embedded.
    fn json(&self) -> String {
        let stories: Vec<String> = self.stories.iter().map(Story::json).collect();
        format!(
            "{{\"title\":{},\"version\":{},\"live\":{},\"stories\":[{}],\"sources\":{},\"campaign\":{}}}",
            json!(self.title),
            json!(env!("CARGO_PKG_VERSION")),
            self.live,
            stories.join(","),
            json!(self.sources),
            json!(self.campaign)
        )
    }

    /// The bytes that `page/scene.js` reads, deflated.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let json = self.json().into_bytes();
        let mut bytes = Vec::with_capacity(json.len() + 4);
        bytes.extend_from_slice(&(json.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&json);
        align(&mut bytes);
        for timeline in self.stories.iter().filter_map(|story| story.timeline.as_ref()) {
            timeline.columns(&mut bytes);
            align(&mut bytes);
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        // Writing to memory does not fail.
        let _ = encoder.write_all(&bytes);
        encoder.finish().unwrap_or_default()
    }
}
