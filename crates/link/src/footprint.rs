//! Footprints: which parts of the state an instance touches, in the engine's terms.
//!
//! A cell gets a key of its own. The engine knows keys, not containment. So a cell that other actions access part by part, such as a
//! function as a whole, is every key there is; and a record that some action accesses as a whole is one cell, even where others
//! access its fields.

use omnilink_engine::{Footprint, Keys};
use omnilink_tla::eval::{Cell, CellStep, Effects, Layout, Left, Write};
use omnilink_value::Value;

use crate::step_part::StepPart;

/// How the actions of a spec access the state.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// The cells that some action accesses, with unknown arguments. `None`: nothing is taken apart.
    accessed: Option<Vec<Cell>>,
}

impl Cells {
    /// The state is one cell.
    pub(crate) fn tied() -> Self {
        Self { accessed: None }
    }

    /// From the effects of all actions, for any arguments. If one of them is not understood, any variable may turn out
    /// to be taken apart.
    pub(crate) fn found(variables: u32, effects: &[Effects]) -> Self {
        let mut accessed: Vec<Cell> = Vec::new();
        let cells = effects.iter().flat_map(|effects| {
            let written = effects.writes.iter().map(|write| &write.cell);
            effects.reads.iter().chain(written).cloned()
        });
        let is_complete = effects.iter().all(|effects| effects.is_complete);
        let any = (0..variables).filter(|_| !is_complete).map(|variable| Cell {
            variable,
            path: [CellStep::Any].into_iter().collect(),
        });
        for cell in cells.chain(any) {
            if !accessed.contains(&cell) {
                accessed.push(cell);
            }
        }
        Self {
            accessed: Some(without_instances(&accessed)),
        }
    }

    /// The number of steps of a path that keys tell apart.
    ///
    /// No more than some action takes for any arguments, so that what is known of all actions holds for this path. And a record
    /// that some action accesses as a whole ends it.
    fn depth(accessed: &[Cell], cell: &Cell) -> usize {
        let common = accessed.iter().filter(|known| known.variable == cell.variable);
        let common = common.map(|known| {
            let steps = known.path.iter().zip(&cell.path);
            steps.take_while(|(known, step)| may_be(known, step)).count()
        });
        let depth = common.max().unwrap_or(0);
        let is_field = |step: &CellStep| matches!(step, CellStep::At(name) if name.as_str().is_some());
        let ends = |length: &usize| {
            let steps = cell.path.get(..*length).unwrap_or_default();
            is_field(&cell.path[*length]) && accessed.iter().any(|known| is_at(known, cell.variable, steps))
        };
        (1..depth).find(ends).unwrap_or(depth)
    }

    /// The key of a cell; `None` if it is every key.
    fn key(accessed: &[Cell], cell: &Cell) -> Option<u64> {
        let depth = Self::depth(accessed, cell);
        let steps = cell.path.get(..depth).unwrap_or_default();
        let is_apart = |known: &Cell| {
            known.variable == cell.variable
                && known
                    .path
                    .iter()
                    .zip(steps)
                    .all(|(known, step)| may_be(known, step))
                && Self::depth(accessed, known) > depth
        };
        if steps.iter().any(CellStep::is_unknown) || accessed.iter().any(is_apart) {
            return None;
        }
        let mut key = spread(u64::from(cell.variable).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for (at, step) in steps.iter().enumerate() {
            let value = match step {
                CellStep::At(value) | CellStep::Has(value) | CellStep::Group(_, value) => value,
                CellStep::Any | CellStep::AnyGroup | CellStep::Like(_) => return None,
            };
            // Small integers never collide: most keys are small integers.
            key = match value.as_int().filter(|_| at + 1 == depth) {
                Some(int) => key.wrapping_add(int as u64),
                None => spread(key ^ value.hash64()),
            };
        }
        Some(key)
    }

    fn keys<'c>(accessed: &[Cell], cells: impl Iterator<Item = &'c Cell>) -> Keys {
        let mut keys = smallvec::SmallVec::new();
        for cell in cells {
            match Self::key(accessed, cell) {
                Some(key) if keys.contains(&key) => {}
                Some(key) => keys.push(key),
                None => return Keys::All,
            }
        }
        Keys::Only(keys)
    }

    /// The footprint of an instance with these effects, in states with this layout.
    ///
    /// It overwrites a key if its effects are exact, so that it makes each write wherever it happens, and the write gives all of the key a
    /// content. A write to a part of a key, or to a cell that may not be there, leaves something of what was there.
    pub(crate) fn footprint(&self, effects: &Effects, layout: &Layout) -> Footprint {
        let Some(accessed) = self.accessed.as_deref().filter(|_| effects.is_complete) else {
            if effects.is_pure() {
                return Footprint::reads(Keys::All);
            }
            return Footprint::everything();
        };
        let is_overwrite = |write: &Write| {
            effects.is_exact
                && Self::depth(accessed, &write.cell) == write.cell.path.len()
                && match write.left {
                    Left::Put(_) | Left::Removed => true,
                    Left::Replaced(_) => layout.is_always_there(&write.cell),
                    Left::Unknown | Left::Other => false,
                }
        };
        let (overwrites, updates): (Vec<&Write>, Vec<&Write>) =
            effects.writes.iter().partition(|write| is_overwrite(write));
        let keys = |writes: &[&Write]| Self::keys(accessed, writes.iter().map(|write| &write.cell));
        Footprint::new(
            Self::keys(accessed, effects.reads.iter()),
            &keys(&updates),
            keys(&overwrites),
        )
    }
}

/// The cells without those that another one stands for: `f[1]`, `f[2]`, … beside `f[k]` for an unknown `k`. An action that
/// names a hundred keys would otherwise cost a hundred comparisons for each cell of each instance.
///
/// Nothing that is asked about the cells changes: let `g` differ from `c` in its last step only, which is unknown. Whatever may be `c` may be `g`,
/// up to the same depth; both have the same beginnings, so that a record ends `g` only where it ends `c`. So wherever `c`
/// is an example, `g` is one, and `g` stays. ∎
fn without_instances(accessed: &[Cell]) -> Vec<Cell> {
    let stands_for = |general: &Cell, cell: &Cell| {
        general.variable == cell.variable
            && matches!((general.path.split_last(), cell.path.split_last()),
                (Some((unknown, start)), Some((known, own_start)))
                    if unknown.is_unknown() && !known.is_unknown() && start == own_start)
    };
    let is_needed = |cell: &&Cell| !accessed.iter().any(|general| stands_for(general, cell));
    accessed.iter().filter(is_needed).cloned().collect()
}

/// Whether a step may be the one that is known, possibly with an unknown argument.
fn may_be(known: &CellStep, step: &CellStep) -> bool {
    known.is_unknown() || step.is_unknown() || known == step
}

/// Whether a cell that some action accesses may be the one at a path.
fn is_at(known: &Cell, variable: u32, steps: &[CellStep]) -> bool {
    known.variable == variable
        && known.path.len() == steps.len()
        && known
            .path
            .iter()
            .zip(steps)
            .all(|(known, step)| may_be(known, step))
}

fn spread(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^ (word >> 29)
}

/// The state with another content in a cell; `None` if it cannot have it.
pub(crate) fn with_content(
    state: &[Value],
    cell: &Cell,
    content: Option<&Value>,
) -> Option<omnilink_tla::eval::State> {
    let left = content.map_or(Left::Removed, |value| Left::Put(value.clone()));
    let mut values: Vec<Value> = state.to_vec();
    let value = values.get_mut(cell.variable as usize)?;
    *value = cell.written(value, &left)?;
    Some(values.into())
}

/// The footprint of an operation in a spec with a VIEW, which tells states apart by all variables. A part of the history has the initial
/// values of everything else, and the view of such a state says nothing. So every operation reads one key that nothing writes: the history
/// is one part, and what commutes is as before.
pub(crate) fn with_view(mut footprint: Footprint) -> Footprint {
    if let Keys::Only(keys) = &mut footprint.reads {
        // No variable has this number.
        keys.push(0x7669_6577_0000_0000);
    }
    footprint
}

/// The footprint of a part of an operation in steps: besides the cells of its action, whether the last operation of its lane is done.
/// Every part reads that, and the last one writes it.
pub(crate) fn with_part(mut footprint: Footprint, part: StepPart) -> Footprint {
    // No variable has this number.
    let key = part.lane.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03;
    let add = |keys: &mut Keys| {
        if let Keys::Only(keys) = keys
            && !keys.contains(&key)
        {
            keys.push(key);
        }
    };
    add(&mut footprint.reads);
    if part.is_last {
        add(&mut footprint.writes);
    }
    footprint
}
