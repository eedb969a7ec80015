//! What the recorder promises, read back with a decoder that shares nothing with it.

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
mod pending;
mod picture;
mod refusals;
#[cfg(unix)]
mod stop;
mod values;
mod whole_records;
