//! The encoding of queued states, read into cells and written from them.
//!
//! The bytes are those of [`crate::codec`], so compiled and interpreted states share one queue. An exploded function is compared with its
//! keys as it is read. Any other value is found by its bytes.

use omnilink_tla_compile::{CellLayout, LayoutNodeId, Trap, ValueStore, ValueWord, WordContent};
use omnilink_value::ValueKind;

use crate::codec::{
    Decoder, FUNCTION, MODEL, SET, STR, TUPLE, encode, encode_count, encode_int, encoded_len,
};

/// The encodings of the entries of a store.
#[derive(Debug, Default)]
pub(crate) struct Packing {
    bytes: Vec<u8>,
    /// Where the encoding of each entry is; empty if it was not needed yet.
    spans: Vec<(u32, u32)>,
    /// Open addressing by the hash of the encoding: the words of all entries that have one; `FALSE` where there is none.
    table: Vec<ValueWord>,
    encoded: usize,
    /// The word that was last read into each cell. Neighbours in the queue are alike, and no encoding is the beginning of another, so that a
    /// state that goes on with the encoding of this word has this word.
    last: Vec<ValueWord>,
}

impl Packing {
    /// Its size in memory.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes.len()
            + self.spans.len() * size_of::<(u32, u32)>()
            + self.table.len() * size_of::<ValueWord>()
    }

    /// Reads a state, and returns the length of its encoding.
    ///
    /// # Errors
    /// A trap if it does not fit the layout, or is damaged, which the decoder reports.
    pub(crate) fn read(
        &mut self,
        encoded: &[u8],
        layout: &CellLayout,
        store: &mut ValueStore,
        cells: &mut [u64],
    ) -> Result<usize, Trap> {
        let mut left = encoded;
        for variable in 0..layout.variable_count() as u32 {
            let (node, first) = layout.variable(variable);
            self.read_node(&mut left, layout, (node, first), store, cells)?;
        }
        Ok(encoded.len() - left.len())
    }

    fn read_node(
        &mut self,
        left: &mut &[u8],
        layout: &CellLayout,
        (node, first): (LayoutNodeId, u32),
        store: &mut ValueStore,
        cells: &mut [u64],
    ) -> Result<(), Trap> {
        let Some(exploded) = &layout.node(node).exploded else {
            cells[first as usize] = self.read_cell(left, first, store)?.bits();
            return Ok(());
        };
        let misfit = Trap::Layout(node);
        let (&tag, mut rest) = left.split_first().ok_or(misfit)?;
        let is_tuple = tag == TUPLE;
        if (!is_tuple && tag != FUNCTION) || (is_tuple && exploded.first_int != Some(1)) {
            return Err(misfit);
        }
        // Fewer than 128 entries: the count is one byte.
        let (&count, after) = rest.split_first().ok_or(misfit)?;
        rest = after;
        if count as usize != exploded.keys.len() {
            return Err(misfit);
        }
        for (key, (part, offset)) in exploded.keys.iter().zip(&exploded.parts) {
            if !is_tuple {
                rest = self.after_key(rest, *key, store).ok_or(misfit)?;
            }
            self.read_node(&mut rest, layout, (*part, first + offset), store, cells)?;
        }
        *left = rest;
        Ok(())
    }

    /// What follows a key, if the encoding starts with it.
    fn after_key<'b>(&mut self, bytes: &'b [u8], key: ValueWord, store: &ValueStore) -> Option<&'b [u8]> {
        match key.content() {
            WordContent::Entry(_) => bytes.strip_prefix(self.encoding(key, store)),
            WordContent::Int(small @ 0..=127) => bytes.strip_prefix(&[small as u8]),
            _ => {
                let mut encoded = Vec::new();
                self.write_word(key, store, &mut encoded);
                bytes.strip_prefix(&encoded[..])
            }
        }
    }

    fn read_cell(&mut self, left: &mut &[u8], cell: u32, store: &mut ValueStore) -> Result<ValueWord, Trap> {
        if self.last.len() <= cell as usize {
            self.last.resize(cell as usize + 1, ValueWord::FALSE);
        }
        if let Some(number) = self.last[cell as usize].as_entry()
            && let Some(&(start, len @ 1..)) = self.spans.get(number as usize)
        {
            let encoding = &self.bytes[start as usize..][..len as usize];
            if let Some(rest) = left.strip_prefix(encoding) {
                *left = rest;
                return Ok(self.last[cell as usize]);
            }
        }
        let word = self.read_word(left, store)?;
        self.last[cell as usize] = word;
        Ok(word)
    }

    fn read_word(&mut self, left: &mut &[u8], store: &mut ValueStore) -> Result<ValueWord, Trap> {
        let damaged = Trap::Type;
        if let Some((&tag, rest)) = left.split_first()
            && tag < 0x80
        {
            *left = rest;
            return ValueWord::int(i64::from(tag)).ok_or(damaged);
        }
        let len = encoded_len(left).ok_or(damaged)?;
        let (own, rest) = left.split_at_checked(len).ok_or(damaged)?;
        *left = rest;
        let is_entry = own
            .first()
            .is_some_and(|tag| matches!(*tag, STR | MODEL | SET | TUPLE | FUNCTION));
        if !is_entry {
            let value = Decoder::new(own).value().map_err(|_| damaged)?;
            return Ok(store.word(&value));
        }
        if let Some(known) = self.find(own, hash_of(own)) {
            return Ok(known);
        }
        let value = Decoder::new(own).value().map_err(|_| damaged)?;
        let word = store.word(&value);
        self.encoding(word, store);
        Ok(word)
    }

    fn find(&self, encoding: &[u8], hash: u64) -> Option<ValueWord> {
        let mask = self.table.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        while let Some(number) = self.table[slot].as_entry() {
            let (start, len) = self.spans[number as usize];
            if &self.bytes[start as usize..][..len as usize] == encoding {
                return Some(self.table[slot]);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    fn remember(&mut self, word: ValueWord, hash: u64) {
        if (self.encoded + 1) * 2 > self.table.len() {
            let size = (self.table.len() * 2).max(1 << 10);
            let old = std::mem::replace(&mut self.table, vec![ValueWord::FALSE; size]);
            for known in old {
                if let Some(number) = known.as_entry() {
                    let (start, len) = self.spans[number as usize];
                    let hash = hash_of(&self.bytes[start as usize..][..len as usize]);
                    self.put(known, hash);
                }
            }
        }
        self.encoded += 1;
        self.put(word, hash);
    }

    fn put(&mut self, word: ValueWord, hash: u64) {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != ValueWord::FALSE {
            slot = (slot + 1) & mask;
        }
        self.table[slot] = word;
    }

    /// The encoding of an entry.
    fn encoding(&mut self, word: ValueWord, store: &ValueStore) -> &[u8] {
        let number = word.as_entry().unwrap_or_default() as usize;
        if self.spans.len() <= number {
            self.spans.resize(store.len().max(number + 1), (0, 0));
        }
        let (start, len) = self.spans[number];
        if len > 0 {
            return &self.bytes[start as usize..][..len as usize];
        }
        let mut encoded = Vec::new();
        self.encode_entry(word, store, &mut encoded);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&encoded);
        self.spans[number] = (start as u32, encoded.len() as u32);
        // Most states that are read were written here.
        self.remember(word, hash_of(&encoded));
        &self.bytes[start..]
    }

    fn encode_entry(&mut self, word: ValueWord, store: &ValueStore, out: &mut Vec<u8>) {
        match store.kind(word) {
            ValueKind::Set | ValueKind::Tuple => {
                let (tag, parts) = match store.as_set(word) {
                    Some(elements) => (SET, elements),
                    None => (TUPLE, store.as_tuple(word).unwrap_or_default()),
                };
                out.push(tag);
                encode_count(parts.len() as u64, out);
                for part in parts {
                    self.write_word(*part, store, out);
                }
            }
            ValueKind::Record | ValueKind::Function => {
                let Some((domain, values)) = store.as_function(word) else {
                    return;
                };
                out.push(FUNCTION);
                encode_count(values.len() as u64, out);
                for (key, value) in store.as_set(domain).unwrap_or_default().iter().zip(values) {
                    self.write_word(*key, store, out);
                    self.write_word(*value, store, out);
                }
            }
            _ => {
                if let Some(atom) = store.as_atom(word) {
                    encode(atom, out);
                }
            }
        }
    }

    fn write_word(&mut self, word: ValueWord, store: &ValueStore, out: &mut Vec<u8>) {
        match word.content() {
            WordContent::Int(int) => encode_int(int, out),
            WordContent::Bool(truth) => encode(&truth.into(), out),
            WordContent::Entry(_) => out.extend_from_slice(self.encoding(word, store)),
        }
    }

    /// Writes a state.
    pub(crate) fn write(
        &mut self,
        cells: &[u64],
        layout: &CellLayout,
        store: &ValueStore,
        out: &mut Vec<u8>,
    ) {
        for variable in 0..layout.variable_count() as u32 {
            let (node, first) = layout.variable(variable);
            self.write_node(cells, layout, (node, first), store, out);
        }
    }

    fn write_node(
        &mut self,
        cells: &[u64],
        layout: &CellLayout,
        (node, first): (LayoutNodeId, u32),
        store: &ValueStore,
        out: &mut Vec<u8>,
    ) {
        let Some(exploded) = &layout.node(node).exploded else {
            self.write_word(ValueWord::of_bits(cells[first as usize]), store, out);
            return;
        };
        let is_tuple = exploded.first_int == Some(1);
        out.push(if is_tuple { TUPLE } else { FUNCTION });
        encode_count(exploded.keys.len() as u64, out);
        for (key, (part, offset)) in exploded.keys.iter().zip(&exploded.parts) {
            if !is_tuple {
                self.write_word(*key, store, out);
            }
            self.write_node(cells, layout, (*part, first + offset), store, out);
        }
    }
}

/// A hash of some bytes, for tables in memory.
fn hash_of(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    let mut mix = |word: u64| {
        let product = u128::from(hash ^ word) * u128::from(MULTIPLIER);
        hash = (product as u64) ^ ((product >> 64) as u64);
    };
    for chunk in &mut chunks {
        mix(chunk.try_into().map_or(0, u64::from_le_bytes));
    }
    let mut last = [0; 8];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    mix(u64::from_le_bytes(last));
    hash
}
