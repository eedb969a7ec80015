//! The behaviour graph: all states and the steps between them.
//!
//! It is recorded while the search runs. States stay encoded: some tens of bytes each. A step takes eight bytes until all states are
//! known, then four, and four more for its letter. Steps that change nothing are not stored: a behaviour may stutter in every state, and
//! no formula can tell the two apart, because actions occur only as `[A]_v`, which every such step satisfies, and `<<A>>_v`, which none
//! does.

use std::io::{self, Read, Write};

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::formula::Letter;
use crate::codec::{Decoder, StateDecodeError, encode};
use crate::dump::GraphSink;
use crate::fingerprint::Fingerprint;
use crate::transition_system::State;

/// Number of a state of the graph.
pub(crate) type Node = u32;

/// The steps from a state, as a part of a list.
#[derive(Clone, Copy, Debug, Default)]
struct Slice {
    start: u64,
    len: u32,
}

impl Slice {
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// Records the graph during a search, and passes it on to a dump if there is one.
pub(crate) struct GraphRecorder<'s> {
    nodes: FxHashMap<u64, Node>,
    bytes: Vec<u8>,
    ends: Vec<u64>,
    initial: Vec<Node>,
    /// The first state of each run of states of one level.
    levels: Vec<(Node, u32)>,
    /// States with the end of their steps in `targets`.
    sources: Vec<(Fingerprint, u64)>,
    targets: Vec<Fingerprint>,
    dump: Option<&'s mut dyn GraphSink>,
}

impl<'s> GraphRecorder<'s> {
    pub(crate) fn new(dump: Option<&'s mut dyn GraphSink>) -> Self {
        Self {
            nodes: FxHashMap::default(),
            bytes: Vec::new(),
            ends: Vec::new(),
            initial: Vec::new(),
            levels: Vec::new(),
            sources: Vec::new(),
            targets: Vec::new(),
            dump,
        }
    }

    /// Adds a state, whose encoding is at the end of the bytes.
    fn add_node(&mut self, fingerprint: Fingerprint, level: u32) -> io::Result<()> {
        let node =
            Node::try_from(self.ends.len()).map_err(|_| io::Error::other("more than four billion states"))?;
        self.nodes.insert(fingerprint.word(), node);
        self.ends.push(self.bytes.len() as u64);
        if level == 1 {
            self.initial.push(node);
        }
        if self.levels.last().is_none_or(|(_, last)| *last != level) {
            self.levels.push((node, level));
        }
        Ok(())
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The graph of all that was recorded.
    pub(crate) fn finish(mut self, variables: usize) -> StateGraph {
        self.graph(variables)
    }

    /// Looks at the graph of what was recorded so far.
    pub(crate) fn look<R>(&mut self, variables: usize, look: impl FnOnce(&StateGraph) -> R) -> R {
        let graph = self.graph(variables);
        let seen = look(&graph);
        self.nodes = graph.nodes;
        self.bytes = graph.bytes;
        self.ends = graph.ends;
        self.initial = graph.initial;
        self.levels = graph.levels;
        seen
    }

    /// The graph. Takes the states out of the recorder.
    fn graph(&mut self, variables: usize) -> StateGraph {
        let mut slices = vec![Slice::default(); self.ends.len()];
        let mut targets = Vec::with_capacity(self.targets.len());
        let mut start = 0;
        let mut own = Vec::new();
        for (from, end) in &self.sources {
            let of_source = &self.targets[start..*end as usize];
            start = *end as usize;
            let Some(from) = self.nodes.get(&from.word()) else {
                continue;
            };
            own.clear();
            let known = of_source.iter().filter_map(|to| self.nodes.get(&to.word()));
            own.extend(known.copied().filter(|to| to != from));
            own.sort_unstable();
            own.dedup();
            slices[*from as usize] = Slice {
                start: targets.len() as u64,
                len: own.len() as u32,
            };
            targets.extend_from_slice(&own);
        }
        StateGraph {
            variables,
            nodes: std::mem::take(&mut self.nodes),
            bytes: std::mem::take(&mut self.bytes),
            ends: std::mem::take(&mut self.ends),
            initial: std::mem::take(&mut self.initial),
            levels: std::mem::take(&mut self.levels),
            slices,
            targets,
            queue_lengths: None,
        }
    }
}

impl GraphSink for GraphRecorder<'_> {
    fn state(&mut self, fingerprint: Fingerprint, values: &[Value], level: u32) -> io::Result<()> {
        for value in values {
            encode(value, &mut self.bytes);
        }
        self.add_node(fingerprint, level)?;
        match &mut self.dump {
            Some(dump) => dump.state(fingerprint, values, level),
            None => Ok(()),
        }
    }

    fn encoded_state(&mut self, fingerprint: Fingerprint, encoded: &[u8], level: u32) -> io::Result<bool> {
        // A dump shows the values.
        if self.dump.is_some() {
            return Ok(false);
        }
        self.bytes.extend_from_slice(encoded);
        self.add_node(fingerprint, level)?;
        Ok(true)
    }

    fn step(&mut self, from: Fingerprint, to: Fingerprint, action: usize) -> io::Result<()> {
        self.targets.push(to);
        let end = self.targets.len() as u64;
        match self.sources.last_mut() {
            Some((source, last)) if *source == from => *last = end,
            _ => self.sources.push((from, end)),
        }
        match &mut self.dump {
            Some(dump) => dump.step(from, to, action),
            None => Ok(()),
        }
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut fingerprints = vec![0; self.ends.len()];
        for (fingerprint, node) in &self.nodes {
            fingerprints[*node as usize] = *fingerprint;
        }
        write_list(out, fingerprints.into_iter())?;
        write_list(out, self.ends.iter().copied())?;
        out.write_all(&self.bytes)?;
        write_list(out, self.initial.iter().map(|node| u64::from(*node)))?;
        let levels = self.levels.iter();
        write_list(
            out,
            levels.map(|(node, level)| u64::from(*node) << 32 | u64::from(*level)),
        )?;
        write_list(out, self.sources.iter().map(|(source, _)| source.word()))?;
        write_list(out, self.sources.iter().map(|(_, end)| *end))?;
        write_list(out, self.targets.iter().map(|target| target.word()))
    }

    fn restore(&mut self, input: &mut dyn Read) -> io::Result<()> {
        self.nodes = read_list(input)?.into_iter().zip(0..).collect();
        self.ends = read_list(input)?;
        let length = self.ends.last().copied().unwrap_or(0);
        input.take(length).read_to_end(&mut self.bytes)?;
        let initial = read_list(input)?.into_iter();
        self.initial = initial.map(|node| node as Node).collect();
        let levels = read_list(input)?.into_iter();
        self.levels = levels.map(|run| ((run >> 32) as Node, run as u32)).collect();
        let sources = read_list(input)?.into_iter().map(Fingerprint::new);
        self.sources = sources.zip(read_list(input)?).collect();
        self.targets = read_list(input)?.into_iter().map(Fingerprint::new).collect();
        Ok(())
    }
}

/// Writes numbers after their count.
fn write_list(out: &mut dyn Write, numbers: impl ExactSizeIterator<Item = u64>) -> io::Result<()> {
    out.write_all(&(numbers.len() as u64).to_le_bytes())?;
    for number in numbers {
        out.write_all(&number.to_le_bytes())?;
    }
    Ok(())
}

/// Reads numbers after their count. A count that is wrong ends with the file, before much memory is taken.
fn read_list(input: &mut dyn Read) -> io::Result<Vec<u64>> {
    let mut number = || {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes)?;
        io::Result::Ok(u64::from_le_bytes(bytes))
    };
    let count = number()?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(number()?);
    }
    Ok(list)
}

/// The graph of a finished search.
#[derive(Debug)]
pub(crate) struct StateGraph {
    variables: usize,
    nodes: FxHashMap<u64, Node>,
    bytes: Vec<u8>,
    ends: Vec<u64>,
    initial: Vec<Node>,
    levels: Vec<(Node, u32)>,
    slices: Vec<Slice>,
    targets: Vec<Node>,
    /// What the lengths of the queue were before states were left out.
    queue_lengths: Option<Vec<u32>>,
}

impl StateGraph {
    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The initial states.
    pub(crate) fn initial(&self) -> &[Node] {
        &self.initial
    }

    /// Keeps the states that were expanded, which come first, and the steps between them. This is what TLC checks when a spec ends
    /// the search: a state that was found and not expanded has no successors yet.
    pub(crate) fn truncate(&mut self, expanded: u64) {
        let expanded = usize::try_from(expanded).unwrap_or(usize::MAX);
        if expanded >= self.len() {
            return;
        }
        // The states that are left out were in the queue.
        self.queue_lengths = Some(self.queue_lengths());
        self.nodes.retain(|_, node| (*node as usize) < expanded);
        self.ends.truncate(expanded);
        self.slices.truncate(expanded);
        self.initial.retain(|node| (*node as usize) < expanded);
        for slice in &mut self.slices {
            // Targets are sorted.
            let own = &self.targets[slice.range()];
            slice.len = own.partition_point(|to| (*to as usize) < expanded) as u32;
        }
    }

    /// The encoding of a state.
    pub(crate) fn encoded(&self, node: Node) -> &[u8] {
        let node = node as usize;
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[node] as usize]
    }

    /// The values of a state.
    pub(crate) fn state(&self, node: Node) -> Result<State, StateDecodeError> {
        Decoder::new(self.encoded(node)).state(self.variables)
    }

    /// The values of some states.
    pub(crate) fn states(&self, nodes: &[Node]) -> Result<Vec<State>, StateDecodeError> {
        nodes.iter().map(|node| self.state(*node)).collect()
    }

    /// The states that a state leads to, without itself.
    pub(crate) fn successors(&self, node: Node) -> &[Node] {
        &self.targets[self.slices[node as usize].range()]
    }

    /// The level at which a state was found.
    pub(crate) fn level(&self, node: Node) -> u32 {
        let run = self.levels.partition_point(|(first, _)| *first <= node);
        run.checked_sub(1).map_or(1, |run| self.levels[run].1)
    }

    /// A shortest path from an initial state to a state.
    pub(crate) fn path_to(&self, node: Node) -> Vec<Node> {
        let mut parents: FxHashMap<Node, Node> = FxHashMap::default();
        let mut queue: std::collections::VecDeque<Node> = self.initial.iter().copied().collect();
        parents.extend(self.initial.iter().map(|initial| (*initial, *initial)));
        while let Some(here) = queue.pop_front() {
            if here == node {
                break;
            }
            for next in self.successors(here) {
                if let std::collections::hash_map::Entry::Vacant(entry) = parents.entry(*next) {
                    entry.insert(here);
                    queue.push_back(*next);
                }
            }
        }
        let mut path = vec![node];
        let mut here = node;
        while let Some(parent) = parents.get(&here).filter(|parent| **parent != here) {
            here = *parent;
            path.push(here);
        }
        path.reverse();
        path
    }

    /// The state with a fingerprint.
    pub(crate) fn find(&self, fingerprint: Fingerprint) -> Option<Node> {
        self.nodes.get(&fingerprint.word()).copied()
    }

    /// For each state, the length of the queue of a breadth-first search with one worker after the state was expanded.
    ///
    /// States are numbered in the order in which such a search finds them, and it expands them in the same order. So after it has
    /// expanded a state, it has found all states up to the highest one that the states so far lead to.
    pub(crate) fn queue_lengths(&self) -> Vec<u32> {
        if let Some(lengths) = &self.queue_lengths {
            return lengths.clone();
        }
        let mut found = self.initial.len() as u32;
        let nodes = 0..self.len() as Node;
        nodes
            .map(|node| {
                let highest = self.successors(node).last().map_or(0, |highest| highest + 1);
                found = found.max(highest);
                found.saturating_sub(node + 1)
            })
            .collect()
    }

    /// The graph with letters. `stuttering` has one for each state, `letters_of` one for each step, in the order of states.
    pub(crate) fn labelled(
        &self,
        letters: Vec<Letter>,
        stuttering: Vec<u32>,
        letters_of: impl Iterator<Item = u32>,
    ) -> LabelledGraph {
        let mut letters_of = letters_of;
        let mut slices = Vec::with_capacity(self.len());
        let mut steps = Vec::with_capacity(self.targets.len());
        for node in 0..self.len() as Node {
            let targets = self.successors(node);
            slices.push(Slice {
                start: steps.len() as u64,
                len: targets.len() as u32,
            });
            let labelled = targets.iter().zip(letters_of.by_ref().take(targets.len()));
            steps.extend(labelled.map(|(to, letter)| (*to, letter)));
        }
        LabelledGraph {
            initial: self.initial.clone(),
            letters,
            stuttering,
            slices,
            steps,
        }
    }
}

/// A graph whose steps have letters.
#[derive(Debug)]
pub(crate) struct LabelledGraph {
    pub(crate) initial: Vec<Node>,
    pub(crate) letters: Vec<Letter>,
    /// The letter of the stuttering step in each state.
    pub(crate) stuttering: Vec<u32>,
    slices: Vec<Slice>,
    steps: Vec<(Node, u32)>,
}

impl LabelledGraph {
    /// A graph of states numbered from 0, each given by the letter of its stuttering step and its steps.
    pub(crate) fn new(
        initial: Vec<Node>,
        letters: Vec<Letter>,
        states: Vec<(u32, Vec<(Node, u32)>)>,
    ) -> Self {
        let mut graph = Self {
            initial,
            letters,
            stuttering: Vec::new(),
            slices: Vec::new(),
            steps: Vec::new(),
        };
        for (stuttering, steps) in states {
            graph.stuttering.push(stuttering);
            graph.slices.push(Slice {
                start: graph.steps.len() as u64,
                len: steps.len() as u32,
            });
            graph.steps.extend(steps);
        }
        graph
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.stuttering.len()
    }

    /// The steps of a state but the stuttering one: their targets and letters.
    pub(crate) fn steps(&self, node: Node) -> &[(Node, u32)] {
        let Slice { start, len } = self.slices[node as usize];
        &self.steps[start as usize..][..len as usize]
    }

    /// A step of a state: its target and its letter. Number 0 is the stuttering step.
    #[inline]
    pub(crate) fn step(&self, node: Node, number: u32) -> Option<(Node, u32)> {
        let Some(number) = number.checked_sub(1) else {
            return Some((node, self.stuttering[node as usize]));
        };
        let slice = self.slices[node as usize];
        (number < slice.len).then(|| self.steps[slice.start as usize + number as usize])
    }
}
