//! The destination of written bytes: a compressor in front of a file that appears atomically, or of a stream.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[cfg(feature = "compression")]
use flate2::write::GzEncoder;
use omnilink_memory::{HalfWritten, without_name};
use tempfile::NamedTempFile;

use crate::Compression;

/// A destination.
pub(super) enum Target {
    /// A temporary file beside `path` that is renamed to it at the end, so that no reader ever sees half a trace.
    File {
        file: NamedTempFile,
        path: PathBuf,
        half_written: HalfWritten,
    },
    /// A stream, such as standard output.
    Stream(Box<dyn Write + Send>),
}

impl Target {
    pub(super) fn file(path: &Path) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".omnilink-");
        // A temporary file is private by default; this one becomes an ordinary file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(without_name)?;
        Ok(Self::File {
            half_written: HalfWritten::new(file.path()),
            file,
            path: path.to_owned(),
        })
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::File {
                file,
                path,
                half_written,
            } => {
                file.as_file().sync_all()?;
                let _: File = file.persist(path).map_err(|error| error.error)?;
                drop(half_written);
                Ok(())
            }
            Self::Stream(mut stream) => stream.flush(),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File { file, .. } => file.write(bytes),
            Self::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File { file, .. } => file.flush(),
            Self::Stream(stream) => stream.flush(),
        }
    }
}

/// A destination behind a compressor.
pub(super) enum Sink {
    Plain(BufWriter<Target>),
    #[cfg(feature = "compression")]
    Gzip(BufWriter<GzEncoder<Target>>),
    #[cfg(feature = "compression")]
    Zstd(BufWriter<zstd::Encoder<'static, Target>>),
}

const BUFFER_BYTES: usize = 1 << 16;

impl Sink {
    pub(super) fn new(target: Target, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::Plain(BufWriter::with_capacity(BUFFER_BYTES, target)),
            #[cfg(feature = "compression")]
            Compression::Gzip => {
                let encoder = GzEncoder::new(target, flate2::Compression::default());
                Self::Gzip(BufWriter::with_capacity(BUFFER_BYTES, encoder))
            }
            #[cfg(feature = "compression")]
            Compression::Zstd => {
                let encoder = zstd::Encoder::new(target, 3)?;
                Self::Zstd(BufWriter::with_capacity(BUFFER_BYTES, encoder))
            }
            #[cfg(not(feature = "compression"))]
            compression => return Err(compression.not_built_in()),
        })
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(writer) => writer.write_all(bytes),
            #[cfg(feature = "compression")]
            Self::Gzip(writer) => writer.write_all(bytes),
            #[cfg(feature = "compression")]
            Self::Zstd(writer) => writer.write_all(bytes),
        }
    }

    /// Writes the rest and renames the file.
    pub(super) fn finish(self) -> io::Result<()> {
        let target = match self {
            Self::Plain(writer) => writer.into_inner().map_err(io::IntoInnerError::into_error)?,
            #[cfg(feature = "compression")]
            Self::Gzip(writer) => writer
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?
                .finish()?,
            #[cfg(feature = "compression")]
            Self::Zstd(writer) => writer
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?
                .finish()?,
        };
        target.finish()
    }
}
