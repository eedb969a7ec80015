//! What threads are called.

/// The names of a trace's threads, by the numbers that the engine knows them by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadNames(Vec<String>);

impl ThreadNames {
    /// Gives the next number a name.
    pub fn push(&mut self, name: impl Into<String>) {
        self.0.push(name.into());
    }

    /// How many threads there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a thread is called; `#7` if it was given no name.
    pub fn name(&self, thread: u32) -> String {
        self.0
            .get(thread as usize)
            .cloned()
            .unwrap_or_else(|| format!("#{thread}"))
    }

    /// Brings threads in the order in which people look for them: numbers as numbers, before texts.
    pub(crate) fn rank(&self, thread: u32) -> (bool, i64, String) {
        let name = self.name(thread);
        match name.parse() {
            Ok(number) => (false, number, name),
            Err(_) => (true, 0, name),
        }
    }
}

impl<N: Into<String>> FromIterator<N> for ThreadNames {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }
}

impl<const COUNT: usize> From<[&str; COUNT]> for ThreadNames {
    fn from(names: [&str; COUNT]) -> Self {
        names.into_iter().collect()
    }
}
