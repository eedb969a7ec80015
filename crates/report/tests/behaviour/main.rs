//! Reports as they are printed.

mod pages;
mod weak_pages;
