//! The calls of a component, and the entries that generated matrices consist of.

use thiserror::Error;

use crate::call_id::CallId;
use crate::role::{Role, RoleError};

/// The calls of a component.
///
/// An *entry* is the content of a cell of a generated matrix: one call, or a sequence of calls that only make sense together
/// (`acquire(); release()`). Each call of a sequence is an operation of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alphabet {
    calls: Vec<String>,
    entries: Vec<Vec<CallId>>,
    initial: Vec<CallId>,
    finals: Vec<CallId>,
    may_fail: Vec<CallId>,
    roles: Vec<Role>,
}

/// Why a list of calls cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AlphabetError {
    /// Two calls of one name.
    #[error("the call \"{0}\" is listed twice: give every call a name of its own, with its arguments")]
    Twice(String),
    /// A call without a name.
    #[error("a call has no name: name it as it is written, such as \"push(1)\"")]
    Nameless,
    /// More calls than a matrix can hold.
    #[error("there are more than {} calls: make several components of them", u16::MAX)]
    TooMany,
    /// There is no call with this name.
    #[error("there is no call \"{name}\"; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The calls that there are.
        known: String,
    },
    /// A role that cannot be played.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// There are no calls.
    #[error("there is nothing to call: list at least one call")]
    Empty,
}

impl Alphabet {
    /// An alphabet in which each of these calls is an entry.
    ///
    /// # Errors
    /// When two calls have one name, or there are none.
    pub fn of_calls<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, AlphabetError> {
        let mut alphabet = Self::default();
        for name in names {
            alphabet.add_call(name)?;
        }
        if alphabet.entries.is_empty() {
            Err(AlphabetError::Empty)
        } else {
            Ok(alphabet)
        }
    }

    /// Adds a call that is an entry.
    ///
    /// # Errors
    /// When it has no name, or that of another call.
    pub fn add_call(&mut self, name: impl Into<String>) -> Result<CallId, AlphabetError> {
        let call = self.add_part(name)?;
        self.entries.push(vec![call]);
        Ok(call)
    }

    /// Adds a call that is made only in sequences, initially or finally.
    ///
    /// # Errors
    /// As [`Alphabet::add_call`].
    pub fn add_part(&mut self, name: impl Into<String>) -> Result<CallId, AlphabetError> {
        let name = name.into().trim().to_owned();
        if name.is_empty() {
            return Err(AlphabetError::Nameless);
        }
        if self.calls.contains(&name) {
            return Err(AlphabetError::Twice(name));
        }
        let call = u16::try_from(self.calls.len()).map_err(|_| AlphabetError::TooMany)?;
        self.calls.push(name);
        Ok(CallId(call))
    }

    /// Adds a sequence of calls that is one entry.
    ///
    /// # Errors
    /// When one of them is not a call of this component.
    pub fn add_sequence<N: AsRef<str>>(
        &mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<(), AlphabetError> {
        let entry = self.find_all(names)?;
        if !entry.is_empty() {
            self.entries.push(entry);
        }
        Ok(())
    }

    /// Sets the calls before the threads start, in generated matrices.
    ///
    /// # Errors
    /// When one of them is not a call of this component.
    pub fn set_initial<N: AsRef<str>>(
        &mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<(), AlphabetError> {
        self.initial = self.find_all(names)?;
        Ok(())
    }

    /// Sets the calls after the threads have finished, in generated matrices.
    ///
    /// # Errors
    /// When one of them is not a call of this component.
    pub fn set_final<N: AsRef<str>>(
        &mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<(), AlphabetError> {
        self.finals = self.find_all(names)?;
        Ok(())
    }

    /// Marks calls that may fail because of contention.
    ///
    /// # Errors
    /// When one of them is not a call of this component.
    pub fn add_may_fail<N: AsRef<str>>(
        &mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<(), AlphabetError> {
        let calls = self.find_all(names)?;
        self.may_fail.extend(calls);
        Ok(())
    }

    /// Adds a role: calls that only one thread of a matrix makes, or, if it is shared, calls that are not mixed with those of
    /// other roles.
    ///
    /// # Errors
    /// When one of them is not a call of this component, or has a role already.
    pub fn add_role<N: AsRef<str>>(
        &mut self,
        name: &str,
        names: impl IntoIterator<Item = N>,
        is_shared: bool,
    ) -> Result<(), AlphabetError> {
        let calls = self.find_all(names)?;
        if let Some((role, call)) = calls.iter().find_map(|call| Some((self.role_of(*call)?, call))) {
            let (call, first) = (self.name(*call).to_owned(), self.roles[role].name.clone());
            let second = name.to_owned();
            return Err(RoleError::TwoRoles { call, first, second }.into());
        }
        self.roles.push(Role {
            name: name.to_owned(),
            calls,
            is_shared,
        });
        Ok(())
    }

    /// The roles.
    pub(crate) fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// The role of a call, by number; `None` if every thread may make it.
    pub(crate) fn role_of(&self, call: CallId) -> Option<usize> {
        self.roles.iter().position(|role| role.calls.contains(&call))
    }

    /// Whether a call may fail because of contention.
    pub fn may_fail(&self, call: CallId) -> bool {
        self.may_fail.contains(&call)
    }

    /// The call of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, name: &str) -> Result<CallId, AlphabetError> {
        let at = self.calls.iter().position(|call| same_call(call, name));
        at.and_then(|at| u16::try_from(at).ok())
            .map(CallId)
            .ok_or_else(|| AlphabetError::Unknown {
                name: name.to_owned(),
                known: self.calls.join(", "),
            })
    }

    fn find_all<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<CallId>, AlphabetError> {
        names.into_iter().map(|name| self.find(name.as_ref())).collect()
    }

    /// The name of a call.
    pub fn name(&self, call: CallId) -> &str {
        self.calls.get(usize::from(call.0)).map_or("?", String::as_str)
    }

    /// All calls, by number.
    pub fn calls(&self) -> &[String] {
        &self.calls
    }

    /// The entries of generated matrices.
    pub fn entries(&self) -> &[Vec<CallId>] {
        &self.entries
    }

    /// The initial calls of generated matrices.
    pub fn initial(&self) -> &[CallId] {
        &self.initial
    }

    /// The final calls of generated matrices.
    pub fn finals(&self) -> &[CallId] {
        &self.finals
    }
}

/// Whether two names are equal up to white space: `push( 1 )` is `push(1)`.
fn same_call(left: &str, right: &str) -> bool {
    let letters = |text: &'_ str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    left == right || letters(left) == letters(right)
}
