//! The checks of OmniLink as tools for agents: a server of the Model Context Protocol over standard input and output.
//!
//! The decision behind this crate is that **every call is a process of its own**: the `omnilink` command again, with the arguments of
//! the call. What an agent sends is input that nobody has looked at, so a call may take any time and memory, panic or overflow the
//! stack, and a specification may open any file. A process can be ended at once, its memory is gone with it, and the system can
//! confine it to the folders of the server before it reads anything ([`Confinement`]). What is given up are a few milliseconds per
//! call, and specifications that stay loaded from one call to the next.
//!
//! The answer of a call is the command's evidence, its report as text, and nothing that is larger than an agent can use.

mod answer;
#[macro_use]
mod arguments;
mod call;
mod confinement;
mod folders;
#[cfg(target_os = "linux")]
mod landlock;
mod limits;
mod message;
mod pages;
mod process;
mod server;
mod tools;

pub use call::end_with_the_server;
pub use confinement::{Confinement, ConfinementError};
pub use folders::{FolderError, Folders};
pub use limits::Most;
pub use server::{ServeError, Settings, serve};
