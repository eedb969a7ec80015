//! The roles that threads play, by the calls that they make.

use crate::alphabet::Alphabet;
use crate::call_id::CallId;
use crate::role::RoleError;

/// Whether the threads of a matrix keep to the roles.
///
/// # Errors
/// When a thread mixes roles, or two threads play one that is not shared.
pub(crate) fn check_roles(alphabet: &Alphabet, threads: &[Vec<CallId>]) -> Result<(), RoleError> {
    let roles = alphabet.roles();
    let mut is_played = vec![false; roles.len()];
    for calls in threads {
        let Some(role) = role_of_thread(alphabet, calls)? else {
            continue;
        };
        if std::mem::replace(&mut is_played[role], true) && !roles[role].is_shared {
            let role = roles[role].name.clone();
            return Err(RoleError::Shared { role });
        }
    }
    Ok(())
}

/// The role that a thread plays with these calls.
pub(crate) fn role_of_thread(alphabet: &Alphabet, calls: &[CallId]) -> Result<Option<usize>, RoleError> {
    let mut played = None;
    for role in calls.iter().filter_map(|call| alphabet.role_of(*call)) {
        if *played.get_or_insert(role) != role {
            let name = |role: usize| alphabet.roles()[role].name.clone();
            let names: Vec<&str> = calls.iter().map(|call| alphabet.name(*call)).collect();
            return Err(RoleError::Mixed {
                first: name(played.unwrap_or(role)),
                second: name(role),
                calls: names.join(", "),
            });
        }
    }
    Ok(played)
}
