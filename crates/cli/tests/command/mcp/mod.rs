//! `omnilink mcp` as a client sees it: messages of the protocol over pipes.

mod attacks;
mod client;
mod conversation;
mod other_client;
