//! The `omnilink` command as a script sees it: arguments in; exit code, standard output and standard error out.

mod bad_input;
mod demo;
mod inputs;
mod json;
mod labelled;
mod limits;
mod lineup;
mod lineup_found;
mod link_verbs;
mod mc;
mod pages;
mod ran;
mod tla;
mod trace_verbs;
mod validate;
mod verdicts;
mod weak;
mod weak_nonsense;
