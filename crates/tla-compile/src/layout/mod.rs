//! Layouts: how the values of the variables are spread over cells.
//!
//! A function whose domain was the same in all states so far is *exploded*: each of its values has a cell of its own, or is exploded in
//! turn. Reading `f[x]` and updating it with EXCEPT then touches one cell. Every other value is one cell. A layout is learned from some
//! states and never trusted: a value that does not fit is a [`Trap::Layout`], and the part is widened to a cell.
//!
//! The hash of an exploded function is kept beside its cells, as a sum that each write updates, so the hash of a state is that of its
//! values whatever the layout is.

mod form;

use omnilink_value::{ValueKind, hash};

pub use self::form::Form;
use crate::trap::Trap;
use crate::values::{ValueStore, ValueWord};

/// Names a kind of node of a layout.
pub type LayoutNodeId = u32;

/// A node of a layout: what is at some cells. All values of an exploded function that is no record share one node.
#[derive(Clone, Debug)]
pub struct LayoutNode {
    /// The function, unless this is one cell.
    pub exploded: Option<Exploded>,
    /// The variable, and the way from it.
    variable: usize,
    path: Vec<usize>,
}

/// An exploded function.
#[derive(Clone, Debug)]
pub struct Exploded {
    /// The set of its keys.
    pub domain: ValueWord,
    /// Its keys, in order.
    pub keys: Box<[ValueWord]>,
    /// The first key, if the keys are consecutive integers.
    pub first_int: Option<i64>,
    /// The nodes of its values, and their first cells relative to its own.
    pub parts: Box<[(LayoutNodeId, u32)]>,
    /// The number of cells from one value to the next, if all values have one node.
    pub stride: Option<u32>,
}

/// An exploded function at its cells: where its sum and its hash are kept.
#[derive(Clone, Copy, Debug)]
struct Instance {
    kind: ValueKind,
    sum: u32,
    hash: u32,
    place: Place,
}

/// What a cell or an exploded function is a part of.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The value of an exploded function, for the key with this hash.
    In { instance: u32, key: u64 },
    /// A variable of one cell.
    Variable { variable: u32 },
    /// A variable that is exploded.
    Top { variable: u32 },
}

/// How the variables are spread over cells.
#[derive(Clone, Debug)]
pub struct CellLayout {
    forms: Vec<Form>,
    nodes: Vec<LayoutNode>,
    /// The node and the first cell of each variable.
    variables: Vec<(LayoutNodeId, u32)>,
    places: Vec<Place>,
    instances: Vec<Instance>,
    hashes: u32,
    slots: usize,
    /// The position of each variable among those that states are told apart by, if it is one of them.
    positions: Vec<Option<usize>>,
}

impl CellLayout {
    /// The layout of variables of these forms. States are told apart by the variables of a view, or by all.
    pub fn new(forms: Vec<Form>, view: Option<&[u32]>, store: &mut ValueStore) -> Self {
        let positions = (0..forms.len()).map(|variable| match view {
            None => Some(variable),
            Some(view) => view.iter().position(|viewed| *viewed as usize == variable),
        });
        let mut layout = Self {
            nodes: Vec::new(),
            variables: Vec::new(),
            places: Vec::new(),
            instances: Vec::new(),
            hashes: 0,
            slots: 0,
            positions: positions.collect(),
            forms: Vec::new(),
        };
        let cells: usize = forms.iter().map(Form::cells).sum();
        // Slots: the cells, the hashes of the variables, their sum, then sums and hashes of exploded functions.
        layout.hashes = cells as u32;
        layout.slots = cells + forms.len() + 1;
        for (variable, form) in forms.iter().enumerate() {
            let first = layout.places.len() as u32;
            let node = layout.add_node(form, (variable, Vec::new()), store);
            layout.variables.push((node, first));
            let hash = layout.hashes + variable as u32;
            layout.add_places(node, (variable as u32, hash), None, store);
        }
        layout.forms = forms;
        layout
    }

    fn add_node(
        &mut self,
        form: &Form,
        (variable, path): (usize, Vec<usize>),
        store: &mut ValueStore,
    ) -> LayoutNodeId {
        let exploded = match form {
            Form::Cell => None,
            Form::Exploded { keys, parts } => {
                let domain = store.word(keys);
                let words: Box<[ValueWord]> = store.as_set(domain).unwrap_or_default().into();
                let is_record = keys
                    .as_set()
                    .unwrap_or_default()
                    .iter()
                    .all(|key| key.as_str().is_some());
                let mut nodes = Vec::with_capacity(parts.len());
                let mut offset = 0;
                for (at, part) in parts.iter().enumerate() {
                    let node = match nodes.first() {
                        Some((first, _)) if !is_record => *first,
                        _ => {
                            let mut path = path.clone();
                            path.push(at);
                            self.add_node(part, (variable, path), store)
                        }
                    };
                    nodes.push((node, offset));
                    offset += part.cells() as u32;
                }
                let first_int = words.first().and_then(|first| first.as_int()).filter(|first| {
                    words
                        .iter()
                        .zip(*first..)
                        .all(|(key, int)| key.as_int() == Some(int))
                });
                Some(Exploded {
                    domain,
                    first_int,
                    stride: (!is_record).then(|| parts.first().map_or(0, Form::cells) as u32),
                    keys: words,
                    parts: nodes.into(),
                })
            }
        };
        self.nodes.push(LayoutNode {
            exploded,
            variable,
            path,
        });
        self.nodes.len() as LayoutNodeId - 1
    }

    /// Adds the cells of a node. `outer` is what it is a part of: an instance and the hash of the key.
    fn add_places(
        &mut self,
        node: LayoutNodeId,
        (variable, hash): (u32, u32),
        outer: Option<(u32, u64)>,
        store: &ValueStore,
    ) {
        let Some(exploded) = self.nodes[node as usize].exploded.clone() else {
            self.places.push(match outer {
                Some((instance, key)) => Place::In { instance, key },
                None => Place::Variable { variable },
            });
            return;
        };
        let kind = if exploded.keys.iter().all(|key| store.kind(*key) == ValueKind::Str) {
            ValueKind::Record
        } else if exploded.first_int == Some(1) {
            ValueKind::Tuple
        } else {
            ValueKind::Function
        };
        let (sum, own_hash) = match outer {
            None => (self.new_slot(), hash),
            Some(_) => (self.new_slot(), self.new_slot()),
        };
        let instance = self.instances.len() as u32;
        self.instances.push(Instance {
            kind,
            sum,
            hash: own_hash,
            place: match outer {
                Some((instance, key)) => Place::In { instance, key },
                None => Place::Top { variable },
            },
        });
        for (at, (part, _)) in exploded.parts.iter().enumerate() {
            let key = match kind {
                ValueKind::Tuple => at as u64 + 1,
                _ => store.hash(exploded.keys[at]),
            };
            self.add_places(*part, (variable, 0), Some((instance, key)), store);
        }
    }

    fn new_slot(&mut self) -> u32 {
        self.slots += 1;
        self.slots as u32 - 1
    }

    /// The forms of the variables with the part of a node widened to a cell.
    pub fn widened(&self, node: LayoutNodeId) -> Vec<Form> {
        let mut forms = self.forms.clone();
        let node = &self.nodes[node as usize];
        forms[node.variable].widen(&node.path);
        forms
    }

    /// The forms of the variables.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A node.
    pub fn node(&self, node: LayoutNodeId) -> &LayoutNode {
        &self.nodes[node as usize]
    }

    /// The node and the first cell of a variable.
    pub fn variable(&self, variable: u32) -> (LayoutNodeId, u32) {
        self.variables[variable as usize]
    }

    /// The number of cells of a node.
    pub(crate) fn width(&self, node: LayoutNodeId) -> u32 {
        match &self.nodes[node as usize].exploded {
            None => 1,
            Some(exploded) => exploded
                .parts
                .last()
                .map_or(0, |(part, offset)| offset + self.width(*part)),
        }
    }

    /// The number of variables.
    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// The number of cells.
    pub fn cell_count(&self) -> usize {
        self.places.len()
    }

    /// The number of slots: the cells and what is kept beside them.
    pub(crate) fn slot_count(&self) -> usize {
        self.slots
    }

    /// The hashes of the variables.
    pub(crate) fn hashes<'s>(&self, slots: &'s [u64]) -> &'s [u64] {
        &slots[self.hashes as usize..][..self.variables.len()]
    }

    /// Computes what is kept beside the cells.
    pub(crate) fn complete(&self, slots: &mut [u64], store: &ValueStore) {
        for instance in &self.instances {
            slots[instance.sum as usize] = 0;
        }
        for (cell, place) in self.places.iter().enumerate() {
            let value = store.hash(ValueWord(slots[cell]));
            match *place {
                Place::In { instance, key } => {
                    let sum = &mut slots[self.instances[instance as usize].sum as usize];
                    *sum = sum.wrapping_add(hash::of_entry(key, value)).wrapping_add(1);
                }
                Place::Variable { variable } => slots[(self.hashes + variable) as usize] = value,
                Place::Top { .. } => {}
            }
        }
        // Outer instances come before inner ones.
        for instance in self.instances.iter().rev() {
            let value = hash::of_sum(instance.kind, slots[instance.sum as usize]);
            slots[instance.hash as usize] = value;
            if let Place::In { instance: outer, key } = instance.place {
                let sum = &mut slots[self.instances[outer as usize].sum as usize];
                *sum = sum.wrapping_add(hash::of_entry(key, value)).wrapping_add(1);
            }
        }
        let mut sum = 0_u64;
        for (variable, position) in self.positions.iter().enumerate() {
            if let Some(position) = position {
                let value = slots[self.hashes as usize + variable];
                sum = sum.wrapping_add(hash::of_variable(*position, value));
            }
        }
        slots[self.sum_slot()] = sum;
    }

    /// The slot of the sum over the variables, from which the fingerprint of the state is made.
    pub(crate) fn sum_slot(&self) -> usize {
        self.hashes as usize + self.variables.len()
    }

    /// The variable whose hash is kept at a slot.
    pub(crate) fn variable_of_hash(&self, slot: u32) -> Option<u32> {
        let variable = slot.checked_sub(self.hashes)?;
        ((variable as usize) < self.variables.len()).then_some(variable)
    }

    /// Writes a cell, and logs what it overwrites.
    #[inline]
    pub(crate) fn write(
        &self,
        slots: &mut [u64],
        trail: &mut Vec<(u32, u64)>,
        store: &ValueStore,
        cell: u32,
        word: ValueWord,
    ) {
        let old = slots[cell as usize];
        if old == word.0 {
            return;
        }
        let mut set = |slots: &mut [u64], slot: u32, new: u64| {
            trail.push((slot, slots[slot as usize]));
            slots[slot as usize] = new;
        };
        set(slots, cell, word.0);
        let (mut before, mut after) = (store.hash(ValueWord(old)), store.hash(word));
        let mut place = self.places[cell as usize];
        let variable = loop {
            match place {
                Place::Variable { variable } => {
                    set(slots, self.hashes + variable, after);
                    break variable;
                }
                Place::Top { variable } => break variable,
                Place::In { instance, key } => {
                    let instance = &self.instances[instance as usize];
                    let sum = slots[instance.sum as usize]
                        .wrapping_sub(hash::of_entry(key, before))
                        .wrapping_add(hash::of_entry(key, after));
                    set(slots, instance.sum, sum);
                    before = slots[instance.hash as usize];
                    after = hash::of_sum(instance.kind, sum);
                    set(slots, instance.hash, after);
                    place = instance.place;
                }
            }
        };
        if let Some(position) = self.positions[variable as usize] {
            let sum = slots[self.sum_slot()]
                .wrapping_sub(hash::of_variable(position, before))
                .wrapping_add(hash::of_variable(position, after));
            set(slots, self.sum_slot() as u32, sum);
        }
    }

    /// The value at the cells of a node.
    pub(crate) fn gather(
        &self,
        node: LayoutNodeId,
        first: u32,
        slots: &[u64],
        store: &mut ValueStore,
    ) -> ValueWord {
        let Some(exploded) = &self.nodes[node as usize].exploded else {
            return ValueWord(slots[first as usize]);
        };
        let mut values = Vec::with_capacity(exploded.parts.len());
        for (part, offset) in &exploded.parts {
            values.push(self.gather(*part, first + offset, slots, store));
        }
        store.function_of(exploded.domain, &values)
    }

    /// Lists the cells and words of a value at the cells of a node.
    ///
    /// # Errors
    /// A trap if the value does not have the form of the node.
    pub fn scatter(
        &self,
        node: LayoutNodeId,
        first: u32,
        word: ValueWord,
        store: &ValueStore,
        cells: &mut Vec<(u32, ValueWord)>,
    ) -> Result<(), Trap> {
        let Some(exploded) = &self.nodes[node as usize].exploded else {
            cells.push((first, word));
            return Ok(());
        };
        let Some(values) = store.range_of(word) else {
            return Err(Trap::Layout(node));
        };
        let fits = match store.as_function(word) {
            Some((domain, _)) => domain == exploded.domain,
            None => exploded.first_int == Some(1) && values.len() == exploded.keys.len(),
        };
        if !fits {
            return Err(Trap::Layout(node));
        }
        for ((part, offset), value) in exploded.parts.iter().zip(values) {
            self.scatter(*part, first + offset, *value, store, cells)?;
        }
        Ok(())
    }

    /// The index of a key of an exploded function.
    #[inline]
    pub(crate) fn index(exploded: &Exploded, key: ValueWord) -> Option<usize> {
        if let Some(first) = exploded.first_int {
            let at = usize::try_from(key.as_int()?.checked_sub(first)?).ok()?;
            return (at < exploded.keys.len()).then_some(at);
        }
        exploded.keys.iter().position(|known| *known == key)
    }
}
