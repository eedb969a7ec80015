//! The `omnilink` command as a script sees it: arguments in; exit code, standard output and standard error out.

#[cfg(unix)]
mod action;
mod bad_input;
#[cfg(unix)]
mod ci;
mod demo;
#[cfg(unix)]
mod documented;
#[cfg(unix)]
mod drive;
#[cfg(unix)]
mod drive_proof;
mod edges;
mod formats;
#[cfg(unix)]
mod fuzz;
mod gen_harness;
mod honest;
mod hostile;
mod init;
mod inputs;
mod json;
mod labelled;
mod levels;
mod limits;
mod lineup;
mod lineup_found;
mod lineup_limits;
mod lineup_proof;
mod lineup_unfamiliar;
mod link_verbs;
mod logs;
mod long_histories;
mod mc;
mod mc_given;
mod mc_traces;
#[cfg(target_os = "linux")]
mod mcp;
mod monitors;
mod newcomer;
mod other_styles;
mod pages;
mod pluscal;
mod ran;
#[cfg(unix)]
mod recorders;
mod setups;
mod shell;
mod spans;
mod test;
mod text_logs;
mod ties;
mod tla;
mod trace_verbs;
mod transactions;
mod validate;
mod validate_evidence;
mod verdicts;
mod view;
mod weak;
mod weak_nonsense;
mod wrong_once;
