//! The page as people see it, in a real browser; its modules and its server without one.

mod behaviours;
mod browser;
mod evidence;
mod focus;
mod hostile;
mod inspector;
mod keyboard;
mod lanes;
mod medium;
mod modules;
mod performance;
mod samples;
mod serving;
