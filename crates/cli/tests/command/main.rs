//! The `omnilink` command as a script sees it: arguments in; exit code, standard output and standard error out.

mod bad_input;
mod demo;
mod inputs;
mod json;
mod labelled;
mod levels;
mod limits;
mod lineup;
mod link_verbs;
mod mc;
mod pages;
mod ran;
mod ties;
mod tla;
mod trace_verbs;
mod validate;
mod verdicts;
mod weak;
mod weak_nonsense;
