//! The wire format of protobuf: fields with a number and a value, one after the other.

use thiserror::Error;

/// Bytes that are no protobuf message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum WireError {
    #[error("a field goes beyond the end of its message")]
    Incomplete,
    #[error("a number of more than 64 bits")]
    TooLarge,
    #[error("a field of an unknown type")]
    UnknownType,
    #[error("a field of another type than the protocol says")]
    WrongType,
    #[error("text that is not UTF-8")]
    NotText,
    #[error("reading was stopped by a limit")]
    Stopped,
    #[error("values nested deeper than 100 levels")]
    TooDeep,
}

/// The fields of a message, read one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The offset of the message in the input.
    offset: u64,
}

/// The value of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32,
    Bytes { bytes: &'a [u8], offset: u64 },
}

impl<'a> Message<'a> {
    /// The message of these bytes, which begin at this offset of the input.
    pub(super) fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { bytes, at: 0, offset }
    }

    /// The offset in the input of what is read next.
    pub(super) fn offset(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// The next field with its number; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Field<'a>)>, WireError> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let field = match tag & 7 {
            0 => Field::Varint(self.varint()?),
            1 => {
                let bytes = self.take(8)?;
                Field::Fixed64(
                    bytes
                        .iter()
                        .rev()
                        .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
                )
            }
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| WireError::Incomplete)?;
                let offset = self.offset();
                let bytes = self.take(length)?;
                Field::Bytes { bytes, offset }
            }
            5 => {
                self.take(4)?;
                Field::Fixed32
            }
            _ => return Err(WireError::UnknownType),
        };
        Ok(Some((tag >> 3, field)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let end = self.at.checked_add(length).ok_or(WireError::Incomplete)?;
        let taken = self.bytes.get(self.at..end).ok_or(WireError::Incomplete)?;
        self.at = end;
        Ok(taken)
    }

    /// Seven bits a byte, the lowest first; the highest bit of a byte says that more follow.
    fn varint(&mut self) -> Result<u64, WireError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(WireError::TooLarge);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(WireError::TooLarge)
    }
}

impl<'a> Field<'a> {
    pub(super) fn message(self) -> Result<Message<'a>, WireError> {
        match self {
            Self::Bytes { bytes, offset } => Ok(Message::new(bytes, offset)),
            _ => Err(WireError::WrongType),
        }
    }

    pub(super) fn bytes(self) -> Result<&'a [u8], WireError> {
        self.message().map(|message| message.bytes)
    }

    pub(super) fn text(self) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| WireError::NotText)
    }

    pub(super) fn varint(self) -> Result<u64, WireError> {
        match self {
            Self::Varint(number) => Ok(number),
            _ => Err(WireError::WrongType),
        }
    }

    pub(super) fn fixed64(self) -> Result<u64, WireError> {
        match self {
            Self::Fixed64(number) => Ok(number),
            _ => Err(WireError::WrongType),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_64_bits_are_read_and_larger_ones_refused() {
        let mut largest = vec![0x08];
        largest.extend([0xff; 9]);
        largest.push(1);
        let mut message = Message::new(&largest, 0);
        assert!(matches!(message.next(), Ok(Some((1, Field::Varint(u64::MAX))))));
        *largest.last_mut().expect("a byte") = 2;
        assert_eq!(Message::new(&largest, 0).next().err(), Some(WireError::TooLarge));
    }

    #[test]
    fn a_field_ends_within_its_message() {
        for bytes in [&[0x0a, 5, 1][..], &[0x09, 1, 2], &[0x0d, 1], &[0x80], &[0x0a]] {
            assert_eq!(
                Message::new(bytes, 0).next().err(),
                Some(WireError::Incomplete),
                "{bytes:?}"
            );
        }
        assert_eq!(
            Message::new(&[0x0b], 0).next().err(),
            Some(WireError::UnknownType)
        );
    }
}
