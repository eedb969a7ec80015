//! The worker that says what comes next, and keeps the books.

use std::panic::resume_unwind;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, Sender};

use crate::breadth_first::Search;
use crate::claims::Claims;
use crate::codec::Decoder;
use crate::crew::{Command, Crew, Early, Member, Report, lock, receive};
use crate::displaced::{Displaced, Find};
use crate::dump::GraphSink;
use crate::expand::{Harvest, start};
use crate::limits::{Limit, Limits, resident_bytes};
use crate::machine::Machine;
use crate::outcome::{End, Figures, SearchError, Taken, Wrong};
use crate::waiting::{Segment, Waiting};

/// Segments in one block for each worker, at most: enough to keep all busy, few enough to merge often.
const SEGMENTS_PER_WORKER: usize = 128;
/// Blocks with fewer states are expanded by the leader alone.
const STATES_TO_SHARE: usize = 256;

pub(crate) struct Leader<'c, 'a, 's, M: Machine> {
    crew: &'c Crew<'a, M>,
    member: Member<M::Worker>,
    limits: Limits,
    waiting_bytes_max: u64,
    depth_max: Option<u32>,
    followers: Vec<Sender<Command>>,
    reports: Receiver<Report>,
    sink: Option<&'s mut dyn GraphSink>,
    current: Waiting,
    next: Waiting,
    level: u32,
    figures: Figures,
    taken: Vec<Taken>,
}

type Ended<M> = (End<<M as Machine>::Failure>, Figures, Vec<Taken>);

impl<'c, 'a, 's, M: Machine> Leader<'c, 'a, 's, M> {
    pub(crate) fn new(
        crew: &'c Crew<'a, M>,
        search: &Search,
        sink: Option<&'s mut dyn GraphSink>,
        followers: Vec<Sender<Command>>,
        reports: Receiver<Report>,
    ) -> Self {
        Self {
            crew,
            member: crew.member(0),
            limits: search.limits,
            waiting_bytes_max: search.waiting_bytes_max,
            depth_max: search.depth_max,
            followers,
            reports,
            sink,
            current: waiting(search.waiting_bytes_max),
            next: waiting(search.waiting_bytes_max),
            level: 0,
            figures: Figures::default(),
            taken: vec![Taken::default(); crew.machine.actions()],
        }
    }

    /// Leads to the end.
    pub(crate) fn run(mut self) -> Result<Ended<M>, SearchError> {
        let end = self.search()?;
        self.figures.waiting = self.current.len() + self.next.len();
        Ok((end, self.figures, self.taken))
    }

    fn search(&mut self) -> Result<End<M::Failure>, SearchError> {
        let mut harvest = self.crew.harvest();
        let started = {
            let mut table = self.crew.seen.writing();
            start(
                self.crew.machine,
                &mut self.member.worker,
                &mut table,
                &mut harvest,
            )
        };
        self.collect(&harvest, &Displaced::default(), 0)?;
        if let Err(breach) = started {
            return Ok(match &breach.wrong {
                Wrong::Failed(failure) if self.crew.machine.was_cut_short(failure) => {
                    End::Limit(self.crew.reached().unwrap_or(Limit::Time))
                }
                _ => End::Broken(breach),
            });
        }
        if self.crew.machine.wants_to_stop(&self.member.worker) {
            return Ok(End::Stopped);
        }
        while self.next.len() > 0 {
            self.level += 1;
            if self.depth_max.is_some_and(|depth_max| self.level >= depth_max) {
                return Ok(End::Limit(Limit::Depth));
            }
            self.current = std::mem::replace(&mut self.next, waiting(self.waiting_bytes_max));
            while let Some(early) = self.next_block()? {
                match early {
                    None => {}
                    Some(Early::Broken(breach)) => return Ok(End::Broken(breach)),
                    Some(Early::Limit(limit)) => return Ok(End::Limit(limit)),
                    Some(Early::Stopped) => return Ok(End::Stopped),
                    Some(Early::Garbled(garbled)) => return Err(garbled.into()),
                }
                if self.is_memory_full() {
                    return Ok(End::Limit(Limit::Memory));
                }
            }
        }
        Ok(End::Complete)
    }

    /// Works on the next block of this level, if there is one; says what ended it early.
    #[allow(clippy::type_complexity)]
    fn next_block(&mut self) -> Result<Option<Option<Early<M::Failure>>>, SearchError> {
        self.figures.waiting_max = self.figures.waiting_max.max(self.current.len() + self.next.len());
        let mut segments = Vec::new();
        let mut states = 0;
        let segments_max = (SEGMENTS_PER_WORKER * (self.followers.len() + 1)).min(Claims::SEGMENTS_MAX);
        while segments.len() < segments_max
            && let Some(segment) = self.current.pop()?
        {
            states += segment.len();
            segments.push(segment);
        }
        if segments.is_empty() {
            return Ok(None);
        }
        if self.followers.is_empty() || states < STATES_TO_SHARE {
            return self.work_alone(&segments).map(Some);
        }
        self.work_together(segments).map(Some)
    }

    fn work_alone(&mut self, segments: &[Segment]) -> Result<Option<Early<M::Failure>>, SearchError> {
        let mut harvest = self.crew.harvest();
        let mut left: u64 = segments.iter().map(|segment| segment.len() as u64).sum();
        for segment in segments {
            self.figures.waiting = self.current.len() + self.next.len() + left;
            let early = {
                let mut table = self.member.recent.before(self.crew.seen.writing());
                let worker = &mut self.member.worker;
                let so_far = Some(&self.figures);
                self.crew
                    .expand_segment(worker, (segment, self.level), &mut table, &mut harvest, so_far)
            };
            left -= segment.len() as u64;
            self.collect(&harvest, &Displaced::default(), 0)?;
            harvest.clear();
            if early.is_some() {
                return Ok(early);
            }
        }
        Ok(None)
    }

    fn work_together(&mut self, segments: Vec<Segment>) -> Result<Option<Early<M::Failure>>, SearchError> {
        self.crew.set_block(self.level, segments);
        self.command(Command::Explore);
        self.crew.explore(&mut self.member);
        self.await_followers();
        let parts = self.followers.len() + 1;
        self.command(Command::Merge { parts });
        let mut finds = self.crew.merge(&self.member, parts);
        finds.extend(self.await_followers());

        let block = self.crew.block.read().unwrap_or_else(PoisonError::into_inner);
        let Some(last) = self.crew.last(&block) else {
            return Ok(None);
        };
        let mut displaced = Displaced::default();
        for (segment, index) in finds {
            if let Some(harvest) = block.reaped.get(segment).and_then(|reaped| reaped.harvest.get()) {
                displaced.add(segment, index, harvest);
            }
        }
        let after = block.reaped.iter().skip(last + 1);
        after
            .filter_map(|reaped| reaped.harvest.get())
            .for_each(|harvest| displaced.add_all(harvest));
        let mut early = None;
        for (at, reaped) in block.reaped.iter().enumerate().take(last + 1) {
            if let Some(harvest) = reaped.harvest.get() {
                self.collect(harvest, &displaced, at)?;
            }
            early = lock(&reaped.early).take();
        }
        let figures = &self.figures;
        let waiting = self.current.len() + self.next.len();
        self.crew.live.set(
            figures.generated,
            figures.distinct,
            waiting,
            u64::from(figures.depth),
        );
        Ok(early)
    }

    fn command(&self, command: Command) {
        for follower in &self.followers {
            // A follower leaves only when this thread does.
            let _ = follower.send(command);
        }
    }

    fn await_followers(&self) -> Vec<Find> {
        let mut finds = Vec::new();
        for _ in &self.followers {
            match receive(&self.reports) {
                Ok(Report::Merged(displaced)) => finds.extend(displaced),
                Ok(Report::Panicked(panic)) => resume_unwind(panic),
                Ok(Report::Explored) | Err(_) => {}
            }
        }
        finds
    }

    /// Counts what a segment brought, and lets its new states wait for the next level.
    fn collect(
        &mut self,
        harvest: &Harvest,
        displaced: &Displaced,
        segment: usize,
    ) -> Result<(), SearchError> {
        self.figures.generated += harvest.generated;
        for (taken, steps) in self.taken.iter_mut().zip(&harvest.steps) {
            taken.generated += steps;
        }
        for (index, (find, bytes)) in harvest.states().enumerate() {
            if displaced.contains((segment, index)) {
                continue;
            }
            let bytes = match find.is_elsewhere {
                true => displaced.bytes_of(find.fingerprint)?,
                false => bytes,
            };
            self.figures.distinct += 1;
            self.figures.depth = self.level + 1;
            if let Some(taken) = find.action.and_then(|action| self.taken.get_mut(action)) {
                taken.distinct += 1;
            }
            self.next.push(find.fingerprint, bytes)?;
            if let Some(sink) = &mut self.sink {
                let mut decoder = Decoder::new(bytes);
                let values = decoder.state(self.crew.variables)?;
                sink.state(find.fingerprint, &values, self.level + 1)
                    .map_err(SearchError::Dump)?;
            }
        }
        if let (Some(sink), Some(edges)) = (&mut self.sink, &harvest.edges) {
            for edge in edges {
                sink.step(edge.from, edge.to, edge.action)
                    .map_err(SearchError::Dump)?;
            }
        }
        Ok(())
    }

    fn is_memory_full(&self) -> bool {
        let states = self.crew.seen.bytes() + self.current.memory_bytes() + self.next.memory_bytes();
        self.crew.live.set_memory_bytes(states);
        states.max(resident_bytes().unwrap_or(0)) > self.limits.memory_bytes
    }
}

/// Room for the states of a level. Two levels are alive at a time.
fn waiting(bytes_max: u64) -> Waiting {
    Waiting::new(bytes_max / 2)
}
