//! Mutations of inputs, and inputs made small.

use std::io::Write;

use fastrand::Rng;

use crate::target::{Change, Seed};

/// Bytes that mean something to one format or another.
const TOKENS: &[&[u8]] = &[
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b"\"",
    b"'",
    b",",
    b":",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\\",
    b"\\u0000",
    b"null",
    b"nil",
    b"true",
    b"-1",
    b"0",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"1e309",
    b"1.5",
    b"#{",
    b"#_",
    b"##NaN",
    b"==",
    b"\\*",
    b"(*",
    b"*)",
    b"----",
    b"====",
    b"LET",
    b"IN",
    b"CHOOSE",
    b"SUBSET",
    b"\\E",
    b"\\cup",
    b"CONSTANT",
    b"\xde\xff\xff",
    b"\xdf\xff\xff\xff\xff",
    b"\xdc\xff\xff",
    b"\xc6\xff\xff\xff\xff",
];

/// A mutant of a seed: one to four changes.
pub(crate) fn mutated(seed: &Seed, seeds: &[Seed], rng: &mut Rng) -> Seed {
    let mut input = seed.clone();
    // Two kinds of changes are known by what they may do to the answer.
    match rng.u8(..8) {
        0 => {
            let cut = rng.usize(..=input.bytes.len());
            input.bytes.truncate(cut);
            input.change = Change::Cut;
            return input;
        }
        1 => {
            input.bytes.extend_from_slice(TOKENS[rng.usize(..TOKENS.len())]);
            input.change = Change::Tail;
            return input;
        }
        _ => input.change = Change::Any,
    }
    for _ in 0..rng.usize(1..=4) {
        change(&mut input.bytes, seeds, rng);
    }
    match rng.u8(..16) {
        0 => input.bytes = compressed(&input.bytes, rng.bool()),
        1 => {
            input.bytes = compressed(&input.bytes, rng.bool());
            change(&mut input.bytes, seeds, rng);
        }
        _ => {}
    }
    input
}

fn compressed(bytes: &[u8], with_gzip: bool) -> Vec<u8> {
    if with_gzip {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let written = gzip.write_all(bytes).and_then(|()| gzip.finish());
        written.unwrap_or_default()
    } else {
        zstd::encode_all(bytes, 1).unwrap_or_default()
    }
}

fn change(bytes: &mut Vec<u8>, seeds: &[Seed], rng: &mut Rng) {
    let at = rng.usize(..=bytes.len());
    let longest = 1 << rng.u32(..8);
    let length = rng.usize(..=(bytes.len() - at).min(longest));
    match rng.u8(..8) {
        0 if at < bytes.len() => bytes[at] = rng.u8(..),
        1 if at < bytes.len() => bytes[at] ^= 1 << rng.u8(..8),
        2 => drop(bytes.drain(at..at + length)),
        3 => {
            let part = bytes[at..at + length].to_vec();
            let to = rng.usize(..=bytes.len());
            bytes.splice(to..to, part);
        }
        4 => {
            let token = TOKENS[rng.usize(..TOKENS.len())];
            bytes.splice(at..at + length.min(2), token.iter().copied());
        }
        5 => {
            let token = TOKENS[rng.usize(..TOKENS.len())];
            let many = token.repeat(rng.usize(1..200));
            bytes.splice(at..at, many);
        }
        6 => {
            let other = &seeds[rng.usize(..seeds.len())].bytes;
            let from = rng.usize(..=other.len());
            let to = rng.usize(from..=other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        _ => {
            let other = rng.usize(..=bytes.len());
            let (from, to) = (at.min(other), at.max(other));
            bytes[from..to].reverse();
        }
    }
}

/// A smaller input that is still wrong: without halves, quarters and so on of its bytes.
pub(crate) fn shrunk(input: &Seed, is_wrong: impl Fn(&Seed) -> bool) -> Seed {
    let mut small = input.clone();
    // What a cut or a tail means is known of the seed alone.
    if small.change != Change::Any {
        return small;
    }
    let mut length = small.bytes.len() / 2;
    let mut left = 2_000;
    while length > 0 {
        let mut at = 0;
        while at + length <= small.bytes.len() && left > 0 {
            left -= 1;
            let mut smaller = small.clone();
            smaller.bytes.drain(at..at + length);
            if is_wrong(&smaller) {
                small = smaller;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    small
}
