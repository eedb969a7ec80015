//! Roles: which thread of a matrix may make which calls. The producer of a single-producer queue, the worker of a work-stealing
//! deque, the two halves of a channel.
//!
//! A thread plays at most one role. Calls without a role may be made by every thread.

use thiserror::Error;

use crate::call_id::CallId;

/// A role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// The calls that only this role makes.
    pub calls: Vec<CallId>,
    /// Whether several threads may play it.
    pub is_shared: bool,
}

/// Why calls do not fit to roles.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RoleError {
    /// A call with two roles.
    #[error(
        "the call \"{call}\" has the role \"{first}\", and the role \"{second}\" too; a call has one role, and without one every \
         thread may make it"
    )]
    TwoRoles {
        /// The call.
        call: String,
        /// Its role.
        first: String,
        /// The other one.
        second: String,
    },
    /// A thread that mixes roles.
    #[error("one thread makes calls of the roles \"{first}\" and \"{second}\": {calls}")]
    Mixed {
        /// A role.
        first: String,
        /// Another one.
        second: String,
        /// The calls.
        calls: String,
    },
    /// Several threads in a role for one.
    #[error(
        "two threads make calls of the role \"{role}\", which is for one thread (a shared role is for several)"
    )]
    Shared {
        /// The role.
        role: String,
    },
}
