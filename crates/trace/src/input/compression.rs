//! Compressed inputs, detected by their first bytes, not by their names.

use std::io::{self, Cursor, Read};

#[cfg(feature = "compression")]
use flate2::read::MultiGzDecoder;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

#[cfg(not(feature = "compression"))]
impl Compression {
    /// Why nothing can be read or written so.
    pub(crate) fn not_built_in(self) -> io::Error {
        let message =
            format!("{self:?} needs the Cargo feature `compression`, which this program was built without");
        io::Error::new(io::ErrorKind::Unsupported, message)
    }
}

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The decompressed bytes of `reader`.
pub(super) fn decompress(mut reader: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::with_capacity(ZSTD.len());
    reader.by_ref().take(ZSTD.len() as u64).read_to_end(&mut magic)?;
    let compression = match () {
        () if magic.starts_with(GZIP) => Compression::Gzip,
        () if magic.starts_with(ZSTD) => Compression::Zstd,
        () => Compression::None,
    };
    let whole = Cursor::new(magic).chain(reader);
    match compression {
        Compression::None => Ok(Box::new(whole)),
        #[cfg(feature = "compression")]
        Compression::Gzip => Ok(Box::new(MultiGzDecoder::new(whole))),
        #[cfg(feature = "compression")]
        Compression::Zstd => Ok(Box::new(zstd::Decoder::new(whole)?)),
        #[cfg(not(feature = "compression"))]
        compression => Err(compression.not_built_in()),
    }
}
