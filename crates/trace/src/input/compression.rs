//! Compressed inputs, detected by their first bytes, not by their names.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "compression")]
use flate2::read::MultiGzDecoder;

#[cfg(feature = "compression")]
use super::Cancelled;

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

/// The ratio of compressed data beyond which they are more likely a trap than a trace. Repetitive traces reach some hundreds.
const RATIO_MAX: u64 = 1_000;
/// Below this size the ratio does not matter.
const ANY_RATIO_BYTES: u64 = 64 << 20;

/// The decompressed bytes of `reader`, at most `max_bytes` of them.
pub(super) fn decompress(
    mut reader: Box<dyn Read + Send>,
    max_bytes: Option<u64>,
) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::with_capacity(ZSTD.len());
    reader.by_ref().take(ZSTD.len() as u64).read_to_end(&mut magic)?;
    let compression = match () {
        () if magic.starts_with(GZIP) => Compression::Gzip,
        () if magic.starts_with(ZSTD) => Compression::Zstd,
        () => Compression::None,
    };
    let packed = Arc::new(AtomicU64::new(0));
    let whole = Counted {
        reader: Cursor::new(magic).chain(reader),
        bytes: Arc::clone(&packed),
    };
    let unpacked: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        #[cfg(feature = "compression")]
        Compression::Gzip => Box::new(Decompressed {
            reader: MultiGzDecoder::new(whole),
            test: "gzip -t",
        }),
        #[cfg(feature = "compression")]
        Compression::Zstd => Box::new(Decompressed {
            reader: zstd::Decoder::new(whole)?,
            test: "zstd -t",
        }),
        #[cfg(not(feature = "compression"))]
        compression => return Err(compression.not_built_in()),
    };
    if compression == Compression::None && max_bytes.is_none() {
        return Ok(unpacked);
    }
    Ok(Box::new(Limited {
        reader: unpacked,
        bytes: 0,
        packed,
        max_bytes,
    }))
}

/// Counts what is read.
struct Counted<R> {
    reader: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(out)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Fails where an input is larger than it may be.
struct Limited {
    reader: Box<dyn Read + Send>,
    /// How many bytes were read, unpacked.
    bytes: u64,
    /// How many bytes they were before.
    packed: Arc<AtomicU64>,
    max_bytes: Option<u64>,
}

impl Read for Limited {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(out)?;
        self.bytes += count as u64;
        let packed = self.packed.load(Ordering::Relaxed);
        let too_large = match self.max_bytes {
            Some(max) if self.bytes > max => {
                format!("more than {max} bytes, which is the limit for an input; --max-input sets another")
            }
            None if self.bytes > ANY_RATIO_BYTES && self.bytes / RATIO_MAX > packed => format!(
                "{packed} bytes unpack to more than {} bytes, over {RATIO_MAX} times their size; if that is no mistake, say how much may be \
                 read: --max-input 10GB",
                self.bytes
            ),
            _ => return Ok(count),
        };
        Err(io::Error::new(io::ErrorKind::InvalidData, too_large))
    }
}

/// The bytes of a decompressor, whose own errors say neither what they are about nor what to do.
#[cfg(feature = "compression")]
struct Decompressed<R> {
    reader: R,
    /// The command that tests such a file.
    test: &'static str,
}

#[cfg(feature = "compression")]
impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reader.read(out).map_err(|error| match error.kind() {
            // These have a meaning of their own: a signal, and data that end early. An error of the system has a number, and
            // a reading that was cancelled is told by what is inside.
            io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => error,
            _ if error.raw_os_error().is_some() => error,
            _ if error.get_ref().is_some_and(|inner| inner.is::<Cancelled>()) => error,
            kind => {
                let test = self.test;
                io::Error::new(
                    kind,
                    format!("the compressed data are damaged ({error}); copy the file again, and test it with `{test}`"),
                )
            }
        })
    }
}
