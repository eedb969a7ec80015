//! Sessions that are opened once for each name, however many tasks ask for one at the same time.
//!
//! `cargo test` says that all tests pass, day after day. `omnilink test` says which of them do not, and why.

use std::collections::{HashMap, HashSet};
use std::sync::{Condvar, Mutex};

/// The sessions that are open, and those that are being opened.
#[derive(Debug, Default)]
pub struct Sessions {
    open: Mutex<HashMap<String, u32>>,
    opening: Mutex<HashSet<String>>,
    opened: Mutex<u32>,
    /// Told when a session has been opened.
    changed: Condvar,
}

impl Sessions {
    /// How many sessions were opened.
    pub fn opened(&self) -> u32 {
        *self.opened.lock().unwrap()
    }

    /// The number of the session with a name, which is opened if it is not there.
    pub fn get(&self, name: &str) -> u32 {
        loop {
            if let Some(number) = self.open.lock().unwrap().get(name) {
                return *number;
            }
            if self.is_first(name) {
                return self.open(name);
            }
            let opening = self.opening.lock().unwrap();
            let _still = self
                .changed
                .wait_while(opening, |opening| opening.contains(name))
                .unwrap();
        }
    }

    /// Whether nobody else opens the session.
    ///
    /// The mistake: between the question and the answer the lock is not held, so two tasks may both be the first.
    fn is_first(&self, name: &str) -> bool {
        let is_being_opened = self.opening.lock().unwrap().contains(name);
        if !is_being_opened {
            self.opening.lock().unwrap().insert(name.to_owned());
        }
        !is_being_opened
    }

    fn open(&self, name: &str) -> u32 {
        let number = {
            let mut opened = self.opened.lock().unwrap();
            *opened += 1;
            *opened
        };
        self.open.lock().unwrap().insert(name.to_owned(), number);
        self.opening.lock().unwrap().remove(name);
        self.changed.notify_all();
        number
    }
}

#[cfg(test)]
mod tests {
    use super::Sessions;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn a_session_has_a_number() {
        let sessions = Sessions::default();
        assert_eq!(sessions.get("a"), 1);
        assert_eq!(sessions.get("b"), 2);
        assert_eq!(sessions.get("a"), 1);
    }

    /// Needs an interleaving to fail.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_session_is_opened_once() {
        let sessions = Arc::new(Sessions::default());
        let tasks: Vec<_> = (0..2)
            .map(|_| {
                let sessions = sessions.clone();
                tokio::spawn(async move { sessions.get("a") })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(sessions.opened(), 1);
    }

    /// Assumes that half a second is enough.
    #[tokio::test]
    async fn a_session_is_there_soon() {
        let sessions = Arc::new(Sessions::default());
        let theirs = sessions.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(490)).await;
            theirs.get("a");
        });
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(sessions.opened(), 1);
    }
}
