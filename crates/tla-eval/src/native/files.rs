//! Files that natives read and write, with errors that name the file and say what to do.

use std::fs;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::error::{ErrorClass, Failure, Outcome};

/// Whether a file is compressed, by its name.
pub(super) fn is_gzip_name(path: &str) -> bool {
    path.ends_with(".gz")
}

/// An error about a file.
pub(super) fn file_error(path: &str, what: impl std::fmt::Display) -> Box<Failure> {
    Failure::new(ErrorClass::Io, format!("{path}: {what}"))
}

/// All bytes of a file, decompressed if it is compressed.
pub(super) fn read(path: &str, is_gzip: bool) -> Outcome<Vec<u8>> {
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => file_error(
            path,
            "there is no such file; relative paths start where the command was started",
        ),
        _ => file_error(path, error),
    })?;
    if !is_gzip {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    GzDecoder::new(&*bytes)
        .read_to_end(&mut plain)
        .map_err(|error| file_error(path, format!("this is not gzip: {error}")))?;
    Ok(plain)
}

/// The text of a file.
pub(super) fn read_text(path: &str, is_gzip: bool) -> Outcome<String> {
    String::from_utf8(read(path, is_gzip)?).map_err(|error| {
        file_error(
            path,
            format!("byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1),
        )
    })
}

/// Replaces a file, compressed if its name says so.
pub(super) fn write(path: &str, bytes: &[u8], is_gzip: bool) -> Outcome<()> {
    let packed = if is_gzip {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder
            .write_all(bytes)
            .and_then(|()| encoder.finish())
            .map_err(|error| file_error(path, error))?
    } else {
        bytes.to_vec()
    };
    fs::write(path, packed).map_err(|error| file_error(path, error))
}

/// Appends to a file, which need not exist.
pub(super) fn append(path: &str, text: &str) -> Outcome<()> {
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| file_error(path, error))
}
