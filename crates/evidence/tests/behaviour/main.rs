//! Evidence as JSON.

mod examples;
mod round_trip;
