//! The outcome of a recording.

use crate::{ThreadLabel, ThreadOutput};

/// A finished recording.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recording {
    /// The threads, in the order in which their logs were made.
    pub threads: Vec<ThreadRecording>,
    /// The header of a trace of all threads.
    pub(crate) header: Vec<u8>,
}

impl Recording {
    /// The number of operations recorded, pending ones included.
    pub fn operations(&self) -> u64 {
        self.threads.iter().map(|thread| thread.operations).sum()
    }

    /// The number of operations that have no end.
    pub fn pending(&self) -> u64 {
        self.threads.iter().map(|thread| thread.pending).sum()
    }

    /// The bytes of each thread's trace, if the recording was in memory: the contents that the thread's file would
    /// have.
    pub fn into_bytes(self) -> Option<Vec<Vec<u8>>> {
        self.threads
            .into_iter()
            .map(ThreadRecording::into_bytes)
            .collect()
    }

    /// The bytes of one trace of all threads, thread by thread, if the recording was in memory.
    pub fn into_trace(self) -> Option<Vec<u8>> {
        let mut trace = self.header;
        for thread in &self.threads {
            let ThreadOutput::Memory(bytes) = &thread.output else {
                return None;
            };
            trace.extend_from_slice(bytes.get(thread.header_bytes..).unwrap_or_default());
        }
        Some(trace)
    }
}

/// The recording of one thread.
#[derive(Debug)]
#[non_exhaustive]
pub struct ThreadRecording {
    /// The thread.
    pub label: ThreadLabel,
    /// The number of its operations, pending ones included.
    pub operations: u64,
    /// The number of its operations that have no end.
    pub pending: u64,
    /// The recorded bytes or their file.
    pub output: ThreadOutput,
    /// The size of the header in the output.
    pub(crate) header_bytes: usize,
}

impl ThreadRecording {
    /// The bytes of the thread's trace, if the recording was in memory.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        match self.output {
            ThreadOutput::Memory(bytes) => Some(bytes),
            ThreadOutput::File(_) => None,
        }
    }
}
