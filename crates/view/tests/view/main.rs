//! The page as people see it, in a real browser.

mod browser;
mod pages;
