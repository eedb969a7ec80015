//! Compressed inputs, detected by their first bytes, not by their names.

use std::io::{self, Cursor, Read};

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
        Compression::Gzip => Ok(Box::new(Decompressed {
            reader: MultiGzDecoder::new(whole),
            test: "gzip -t",
        })),
        #[cfg(feature = "compression")]
        Compression::Zstd => Ok(Box::new(Decompressed {
            reader: zstd::Decoder::new(whole)?,
            test: "zstd -t",
        })),
        #[cfg(not(feature = "compression"))]
        compression => Err(compression.not_built_in()),
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
