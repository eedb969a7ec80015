//! The guarantees of the recorder, checked with an independent decoder.

#[cfg(unix)]
mod child;
mod clock_soundness;
mod counter;
#[cfg(unix)]
mod cpp_recorder;
#[cfg(unix)]
mod crash;
mod decoder;
#[cfg(unix)]
mod fork;
mod happens_before;
#[cfg(unix)]
mod log_writer;
mod pending;
mod picture;
mod refusals;
#[cfg(unix)]
mod stop;
mod values;
mod whole_records;
