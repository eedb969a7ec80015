//! Test matrices: the calls of each thread, and initial and final calls.
//!
//! Notation: `{push(9)} push(1), pop() | pop() {len()}`. Bars separate threads, commas separate calls, and braces enclose the
//! initial and the final calls. Commas and bars inside brackets or quotes belong to a call.

use std::fmt;

use thiserror::Error;

use crate::alphabet::{Alphabet, AlphabetError};
use crate::call_id::CallId;
use crate::played_roles::check_roles;
use crate::role::RoleError;
use crate::slot::{CallSlot, Lane};

/// A test matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Matrix {
    /// Calls made before the threads start.
    pub initial: Vec<CallId>,
    /// The calls of each thread.
    pub threads: Vec<Vec<CallId>>,
    /// Calls made after the threads have finished.
    pub finals: Vec<CallId>,
}

/// Why a matrix cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatrixError {
    /// It names a call that the component does not have.
    #[error("matrix \"{text}\": {error}")]
    Call {
        /// The matrix.
        text: String,
        /// What is wrong.
        error: AlphabetError,
    },
    /// A call or a thread is empty.
    #[error("matrix \"{text}\", at character {at}: a call is missing; write \"push(1), pop() | pop()\"")]
    Missing {
        /// The matrix.
        text: String,
        /// Where.
        at: usize,
    },
    /// A bracket or quote that is not closed, or a brace that is not at one of the ends.
    #[error(
        "matrix \"{text}\", at character {at}: {what}; the initial and the final sequence stand in braces at the two ends"
    )]
    Bracket {
        /// The matrix.
        text: String,
        /// Where.
        at: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// More than can be run.
    #[error(
        "a matrix may have {} threads of {} calls, this one has {threads} threads and up to {calls} calls",
        Matrix::THREADS_MAX,
        Matrix::CALLS_MAX
    )]
    TooLarge {
        /// Its threads.
        threads: usize,
        /// The calls of its longest sequence.
        calls: usize,
    },
    /// A thread that does not keep to its role.
    #[error("matrix \"{text}\": {error}")]
    Role {
        /// The matrix.
        text: String,
        /// What is wrong.
        error: RoleError,
    },
    /// No thread at all.
    #[error("a matrix needs at least one thread that calls something")]
    Empty,
}

impl Matrix {
    /// The most threads a matrix may have.
    pub const THREADS_MAX: usize = 16;
    /// The most calls a thread may make.
    pub const CALLS_MAX: usize = 64;

    /// A matrix of these threads, without initial and final calls.
    pub fn of_threads(threads: impl IntoIterator<Item = Vec<CallId>>) -> Self {
        Self {
            threads: threads.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Parses `{push(9)} push(1), pop() | pop() {len()}`.
    ///
    /// # Errors
    /// When it names an unknown call or has a syntax error.
    pub fn parse(text: &str, alphabet: &Alphabet) -> Result<Self, MatrixError> {
        let parts = split_ends(text)?;
        let calls = |part: Part<'_>| -> Result<Vec<CallId>, MatrixError> {
            let mut calls = Vec::new();
            for piece in part.split(',', text)? {
                let name = piece.text.trim();
                if name.is_empty() {
                    let (text, at) = (text.to_owned(), piece.at);
                    return Err(MatrixError::Missing { text, at });
                }
                calls.push(alphabet.find(name).map_err(|error| MatrixError::Call {
                    text: text.to_owned(),
                    error,
                })?);
            }
            Ok(calls)
        };
        let matrix = Self {
            initial: parts.initial.map(calls).transpose()?.unwrap_or_default(),
            threads: parts
                .threads
                .split('|', text)?
                .into_iter()
                .map(calls)
                .collect::<Result<_, _>>()?,
            finals: parts.finals.map(calls).transpose()?.unwrap_or_default(),
        };
        check_roles(alphabet, &matrix.threads).map_err(|error| MatrixError::Role {
            text: text.to_owned(),
            error,
        })?;
        matrix.checked()
    }

    /// This matrix, if it can be run.
    ///
    /// # Errors
    /// When it is empty or too large.
    pub fn checked(self) -> Result<Self, MatrixError> {
        let lanes = || self.threads.iter().chain([&self.initial, &self.finals]);
        let calls = lanes().map(Vec::len).max().unwrap_or(0);
        if self.threads.len() > Self::THREADS_MAX || calls > Self::CALLS_MAX {
            let threads = self.threads.len();
            return Err(MatrixError::TooLarge { threads, calls });
        }
        if self.threads.iter().all(Vec::is_empty) {
            Err(MatrixError::Empty)
        } else {
            Ok(self)
        }
    }

    /// The call in a slot.
    pub fn call(&self, slot: CallSlot) -> Option<CallId> {
        self.lane(slot.lane).get(usize::from(slot.index)).copied()
    }

    /// The calls of a lane.
    pub fn lane(&self, lane: Lane) -> &[CallId] {
        match lane {
            Lane::Initial => &self.initial,
            Lane::Thread(thread) => self.threads.get(usize::from(thread)).map_or(&[], Vec::as_slice),
            Lane::Final => &self.finals,
        }
    }

    /// All lanes with calls: initial calls, threads, final calls.
    pub fn lanes(&self) -> impl Iterator<Item = Lane> + '_ {
        let threads = (0..self.threads.len()).map(|thread| Lane::Thread(thread as u8));
        let all = std::iter::once(Lane::Initial)
            .chain(threads)
            .chain(std::iter::once(Lane::Final));
        all.filter(|lane| !self.lane(*lane).is_empty())
    }

    /// All calls, lane by lane.
    pub fn slots(&self) -> impl Iterator<Item = CallSlot> + '_ {
        self.lanes().flat_map(|lane| {
            (0..self.lane(lane).len()).map(move |index| CallSlot {
                lane,
                index: index as u8,
            })
        })
    }

    /// The number of calls.
    pub fn len(&self) -> usize {
        self.slots().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `3 × 2`, or the lengths of the threads where they differ.
    pub fn shape(&self) -> String {
        let lengths: Vec<usize> = self.threads.iter().map(Vec::len).collect();
        match lengths.split_first() {
            Some((first, rest)) if rest.iter().all(|length| length == first) => {
                format!("{} × {first}", lengths.len())
            }
            _ => lengths.iter().map(usize::to_string).collect::<Vec<_>>().join("+"),
        }
    }

    /// The number of serial orders of the calls: an upper bound of the serial histories. `None` if it does not fit.
    pub fn serial_orders(&self) -> Option<u64> {
        let mut orders: u64 = 1;
        let mut placed: u64 = 0;
        for thread in &self.threads {
            for chosen in 1..=thread.len() as u64 {
                placed += 1;
                // Divides exactly: the product of k consecutive numbers is a multiple of k!.
                orders = orders.checked_mul(placed)? / chosen;
            }
        }
        Some(orders)
    }

    /// The matrix in its notation.
    pub fn display<'a>(&'a self, alphabet: &'a Alphabet) -> impl fmt::Display + 'a {
        Displayed {
            matrix: self,
            alphabet,
        }
    }
}

struct Displayed<'a> {
    matrix: &'a Matrix,
    alphabet: &'a Alphabet,
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |calls: &[CallId]| {
            calls
                .iter()
                .map(|call| self.alphabet.name(*call))
                .collect::<Vec<_>>()
                .join(", ")
        };
        if !self.matrix.initial.is_empty() {
            write!(f, "{{{}}} ", names(&self.matrix.initial))?;
        }
        let threads: Vec<String> = self.matrix.threads.iter().map(|thread| names(thread)).collect();
        f.write_str(&threads.join(" | "))?;
        if self.matrix.finals.is_empty() {
            Ok(())
        } else {
            write!(f, " {{{}}}", names(&self.matrix.finals))
        }
    }
}

/// A part of the text and its position, in characters from 1.
#[derive(Clone, Copy)]
struct Part<'a> {
    text: &'a str,
    at: usize,
}

struct Ends<'a> {
    initial: Option<Part<'a>>,
    threads: Part<'a>,
    finals: Option<Part<'a>>,
}

/// Splits off the initial and final calls in braces.
fn split_ends(text: &str) -> Result<Ends<'_>, MatrixError> {
    let mut rest = text.trim();
    let mut initial = None;
    let mut finals = None;
    let at_of = |part: &str| {
        1 + text[..part.as_ptr() as usize - text.as_ptr() as usize]
            .chars()
            .count()
    };
    let bracket = |at, what| {
        let text = text.to_owned();
        MatrixError::Bracket { text, at, what }
    };
    if let Some(inner) = rest.strip_prefix('{') {
        let end = inner
            .find('}')
            .ok_or_else(|| bracket(at_of(rest), "this brace is not closed"))?;
        initial = Some(&inner[..end]);
        rest = inner[end + 1..].trim();
    }
    if let Some(inner) = rest.strip_suffix('}') {
        let start = inner
            .rfind('{')
            .ok_or_else(|| bracket(at_of(rest), "a brace is closed but not opened"))?;
        finals = Some(&inner[start + 1..]);
        rest = inner[..start].trim();
    }
    let part = |text: &'_ str| text.trim().is_empty();
    Ok(Ends {
        initial: initial.filter(|text| !part(text)).map(|text| Part {
            at: at_of(text),
            text,
        }),
        threads: Part {
            at: at_of(rest),
            text: rest,
        },
        finals: finals.filter(|text| !part(text)).map(|text| Part {
            at: at_of(text),
            text,
        }),
    })
}

impl<'a> Part<'a> {
    /// Splits at each `separator` outside brackets and quotes.
    fn split(self, separator: char, whole: &str) -> Result<Vec<Part<'a>>, MatrixError> {
        let mut pieces = Vec::new();
        let mut first = (0, self.at);
        let mut open: Vec<char> = Vec::new();
        for (offset, (byte, c)) in self.text.char_indices().enumerate() {
            match (open.last(), c) {
                (Some('"'), '"') => drop(open.pop()),
                (Some('"'), _) => {}
                (_, '"' | '(' | '[' | '{') => open.push(c),
                (Some('('), ')') | (Some('['), ']') | (Some('{'), '}') => drop(open.pop()),
                (None, c) if c == separator => {
                    pieces.push(Part {
                        text: &self.text[first.0..byte],
                        at: first.1,
                    });
                    first = (byte + c.len_utf8(), self.at + offset + 1);
                }
                _ => {}
            }
        }
        if !open.is_empty() {
            let (text, at) = (whole.to_owned(), first.1);
            let what = "a bracket or quote is not closed";
            return Err(MatrixError::Bracket { text, at, what });
        }
        pieces.push(Part {
            text: &self.text[first.0..],
            at: first.1,
        });
        Ok(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue() -> Alphabet {
        Alphabet::of_calls(["push(1)", "pop()", "len()", "insert(1, \"a|b\")"]).unwrap()
    }

    #[test]
    fn a_matrix_is_read_as_it_is_written() {
        let alphabet = queue();
        for text in [
            "push(1) | pop()",
            "{push(1)} push(1), pop() | pop() {len(), pop()}",
            "insert(1, \"a|b\"), len() | pop() | pop()",
        ] {
            let matrix = Matrix::parse(text, &alphabet).unwrap();
            assert_eq!(matrix.display(&alphabet).to_string(), text);
        }
    }

    #[test]
    fn a_matrix_that_cannot_be_run_is_refused_with_the_position_of_the_error() {
        let alphabet = queue();
        let message = |text: &str| Matrix::parse(text, &alphabet).unwrap_err().to_string();
        assert!(message("push(1) | poop()").contains("no call \"poop()\""));
        assert!(message("push(1),, pop()").contains("at character 9: a call is missing"));
        assert!(message("push(1) | pop(").contains("not closed"));
        assert!(message("{push(1)").contains("not closed"));
        assert!(message("").contains("a call is missing"));
        assert!(message(&["pop()"; 17].join("|")).contains("16 threads"));
    }

    #[test]
    fn three_threads_of_three_calls_have_1680_orders() {
        let matrix = Matrix::of_threads(vec![vec![CallId(0); 3]; 3]);
        assert_eq!(matrix.serial_orders(), Some(1680));
        assert_eq!(matrix.shape(), "3 × 3");
        assert_eq!(
            Matrix::of_threads(vec![vec![CallId(0); 64]; 16]).serial_orders(),
            None
        );
    }
}
