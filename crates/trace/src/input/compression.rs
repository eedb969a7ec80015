//! Compressed inputs, detected by their first bytes, not by their names.

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

/// The decompressed bytes of `reader`.
pub(super) fn decompress(mut reader: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::with_capacity(ZSTD.len());
    reader.by_ref().take(ZSTD.len() as u64).read_to_end(&mut magic)?;
    let (is_gzip, is_zstd) = (magic.starts_with(GZIP), magic.starts_with(ZSTD));
    let whole = Cursor::new(magic).chain(reader);
    Ok(match (is_gzip, is_zstd) {
        (true, _) => Box::new(MultiGzDecoder::new(whole)),
        (_, true) => Box::new(zstd::Decoder::new(whole)?),
        _ => Box::new(whole),
    })
}
