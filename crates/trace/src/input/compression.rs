//! Compressed inputs, told by their first bytes and not by their names.

use std::io::{self, Cursor, Read};

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

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The decompressed bytes of `reader`, and how they were compressed.
pub(super) fn decompress(
    mut reader: Box<dyn Read + Send>,
) -> io::Result<(Box<dyn Read + Send>, Compression)> {
    let mut magic = Vec::with_capacity(ZSTD.len());
    reader.by_ref().take(ZSTD.len() as u64).read_to_end(&mut magic)?;
    let compression = match magic.as_slice() {
        magic if magic.starts_with(GZIP) => Compression::Gzip,
        magic if magic.starts_with(ZSTD) => Compression::Zstd,
        _ => Compression::None,
    };
    let whole = Cursor::new(magic).chain(reader);
    Ok((
        match compression {
            Compression::None => Box::new(whole),
            Compression::Gzip => Box::new(MultiGzDecoder::new(whole)),
            Compression::Zstd => Box::new(zstd::Decoder::new(whole)?),
        },
        compression,
    ))
}
