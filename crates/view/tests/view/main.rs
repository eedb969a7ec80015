//! The page as people see it, in a real browser; its modules and its server without one.

mod browser;
mod modules;
mod pages;
mod performance;
mod samples;
mod serving;
