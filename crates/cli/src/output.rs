//! Standard output with or without colour; a closed pipe is not an error.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::AutoStream;
use clap::{Args, ValueEnum};
use omnilink_report::{Look, Tone};

use crate::error::CliError;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that can show it.
    #[default]
    Auto,
    /// Also into a file or a pipe.
    Always,
    /// Not at all.
    Never,
}

impl Color {
    /// Makes this the choice for standard output and standard error.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// What commands that draw have in common.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Drawing {
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

impl Drawing {
    /// How pictures on standard output are to look.
    pub(crate) fn look(self) -> Look {
        look(self.ascii)
    }
}

/// How text on standard output is to look.
pub(crate) fn look(ascii: bool) -> Look {
    let stdout = io::stdout();
    let is_colored = AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
    let width = if stdout.is_terminal() {
        console::Term::stdout()
            .size_checked()
            .map(|(_, columns)| usize::from(columns))
    } else {
        None
    };
    Look {
        width: width.unwrap_or(Look::WIDTH),
        color: is_colored,
        ascii,
    }
}

/// Standard output. When its reader goes away (`omnilink … | head`), the rest is dropped without an error.
pub(crate) struct Output {
    stream: AutoStream<io::Stdout>,
    is_closed: bool,
}

impl Output {
    /// Standard output in the colours of `look`.
    pub(crate) fn new(look: &Look) -> Self {
        let choice = if look.color {
            anstream::ColorChoice::AlwaysAnsi
        } else {
            anstream::ColorChoice::Never
        };
        Self {
            stream: AutoStream::new(io::stdout(), choice),
            is_closed: false,
        }
    }

    /// Writes `text` and sees to it that it arrives.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), CliError> {
        if self.is_closed {
            return Ok(());
        }
        if CLOSED.load(Ordering::Relaxed) {
            let closed = "it is closed; give the answer somewhere to go";
            return Err(CliError::Output(io::Error::new(
                io::ErrorKind::NotConnected,
                closed,
            )));
        }
        let written = self
            .stream
            .write_all(text.as_bytes())
            .and_then(|()| self.stream.flush());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            written => written.map_err(CliError::Output),
        }
    }

    /// Whether the reader has closed the pipe.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

/// Whether standard output was closed when the process began. Only known on Linux.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Notes a standard output that is closed. Runs before the runtime of the language, which opens /dev/null in its place: answers that nobody
/// can read are an error, as those that do not fit a full disk are.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the section is that of functions which run before `main`; this one asks the system about a descriptor, and stores to an atomic.
#[unsafe(link_section = ".init_array")]
static NOTE_CLOSED: extern "C" fn() = {
    extern "C" fn note_closed() {
        // SAFETY: it changes nothing.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        CLOSED.store(flags == -1, Ordering::Relaxed);
    }
    note_closed
};

/// `error: …` on standard error.
pub(crate) fn error(error: &dyn std::fmt::Display) {
    say(Tone::Bad, "error", error);
}

/// `note: …` on standard error.
pub(crate) fn note(note: &dyn std::fmt::Display) {
    say(Tone::Unsure, "note", note);
}

fn say(tone: Tone, word: &str, message: &dyn std::fmt::Display) {
    let is_colored = AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let look = Look {
        color: is_colored,
        ..Look::plain()
    };
    // What a file name or a trace puts into a message must not reach the terminal as it is; a message about a spec has
    // lines that show it.
    let message = message.to_string();
    let lines: Vec<_> = message.trim_end().lines().map(|line| look.clean(line)).collect();
    let message = lines.join("\n");
    // What is wrong with a spec comes as the front end says it, `error[parse]: …`, and needs no second word.
    let (between, message) = match message.strip_prefix(word) {
        Some(rest) if rest.starts_with('[') => ("", rest),
        Some(rest) if rest.starts_with(": ") => ("", rest),
        _ => (": ", message.as_str()),
    };
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(anstream::stderr(), "{}{between}{message}", look.paint(tone, word));
}
