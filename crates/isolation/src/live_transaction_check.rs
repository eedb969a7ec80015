//! The live check of transactions: a running system is checked as its transactions come in, in bounded memory.
//!
//! The newest transactions are kept in a *window*, and checked together whenever half a window is new.
//!
//! **What is told is a violation of the whole, however it goes on.** The window is a part of the history from which, with a transaction, all reads go that it
//! may have written, and its elements in lists. A part of an isolated history is isolated (`confirmation`), so a window that is not
//! proves that the whole is not. What a read of a register saw is not certain as long as somebody may write the same value once more, or
//! delete the key: a reader comes in before the writer that it read from where it ends first. So such reads count once half a window has come in after
//! them, and what they prove is told as *within the window*. Elements of lists are appended once, so that reads of lists count at once.
//!
//! To find every violation among transactions that are less than half a window apart, all of whose reads count, up to one and a half windows are
//! kept: two halves that count, and one that may explain what they read.
//!
//! **What is not told holds within the window.** A cycle may lead through a transaction that was forgotten: at most levels a read of
//! something old is no error, so no transaction is ever certain to be out of all cycles. Until the first transaction is forgotten, the answer
//! at the end is that of the whole history.

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_history::RecordedHistory;
use omnilink_trace::Operation;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::access::Access;
use crate::accesses::accesses;
use crate::check_recorded::check_recorded_part;
use crate::grouping::{TxnAction, action_of};
use crate::initial_values::{InitialValues, TransactionOptions};
use crate::isolation_error::IsolationError;
use crate::level::Isolation;
use crate::transaction::Extent;

/// Checks a stream of transactions.
///
/// ```
/// use omnilink_isolation::{Isolation, LiveTransactionCheck};
/// use omnilink_trace::{Args, Operation, Timebox};
/// use omnilink_value::Value;
///
/// let mut live = LiveTransactionCheck::new("store", Isolation::SERIALIZABLE);
/// let skewed = [(0, r#"[["r","x",null],["w","y",1]]"#), (1, r#"[["r","y",null],["w","x",2]]"#)];
/// for (session, accesses) in skewed {
///     let accesses = Value::from_json(accesses.as_bytes()).unwrap();
///     let args = Args::named([("value", accesses.clone())]);
///     let mut transaction = Operation::new(session, "txn", args, Timebox::new(session, session + 1));
///     transaction.ret = Some(accesses);
///     assert!(live.feed(transaction)?.is_none(), "it is not looked at yet");
/// }
/// assert!(live.finish()?.violation.is_some());
/// # Ok::<(), omnilink_isolation::IsolationError>(())
/// ```
#[derive(Debug)]
pub struct LiveTransactionCheck {
    name: String,
    isolation: Isolation,
    options: TransactionOptions,
    window: usize,
    /// Transactions whose operations may go on, by session: name and operations.
    open: FxHashMap<Value, (Value, Vec<Operation>)>,
    /// The operations of complete transactions, oldest first, and how many belong to each.
    ops: Vec<Operation>,
    lengths: Vec<usize>,
    /// How many transactions came in since the last check.
    fresh: usize,
    /// How many operations came in, and how many operations and transactions are forgotten.
    count: u64,
    forgotten_ops: u64,
    forgotten: u64,
    /// Whether one that was forgotten deleted something.
    has_forgotten_delete: bool,
    /// Whether a window could not be decided within the limits.
    undecided: Option<Box<Evidence>>,
}

impl LiveTransactionCheck {
    /// The number of transactions in a window, unless another one is given.
    pub const WINDOW: usize = 20_000;

    /// A check at one level. Messages call the history `name`.
    pub fn new(name: &str, isolation: Isolation) -> Self {
        Self {
            name: name.to_owned(),
            isolation,
            options: TransactionOptions::default(),
            window: Self::WINDOW,
            open: FxHashMap::default(),
            ops: Vec::new(),
            lengths: Vec::new(),
            fresh: 0,
            count: 0,
            forgotten_ops: 0,
            forgotten: 0,
            has_forgotten_delete: false,
            undecided: None,
        }
    }

    /// The same with windows of this many transactions; at least two.
    #[must_use]
    pub fn with_window(mut self, window: usize) -> Self {
        self.window = window.max(2);
        self
    }

    /// The same with limits for the check of each window.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// The same for keys that hold something at first.
    #[must_use]
    pub fn with_initial(mut self, initial: InitialValues) -> Self {
        self.options.initial = initial;
        self
    }

    /// Takes the next operation: a whole transaction, or one of its reads and writes. Those of a session come one after the other; a
    /// transaction of several operations is complete with its commit or abort, or when its session begins another one.
    ///
    /// Returns the evidence of a violation, if one was found by now.
    ///
    /// # Errors
    /// If the operation is no read or write of a key.
    pub fn feed(&mut self, operation: Operation) -> Result<Option<Evidence>, IsolationError> {
        self.count += 1;
        let group = { operation.meta.as_ref() }.and_then(|meta| meta.field("txn").cloned());
        let session = operation.thread.clone();
        if let Some((name, _)) = self.open.get(&session)
            && Some(name) != group.as_ref()
        {
            self.complete(&session);
        }
        match group {
            None => self.keep(vec![operation]),
            Some(group) => {
                let is_last = operation.timebox.is_pending()
                    || operation.aborted
                    || matches!(operation.name.as_str(), "commit")
                    || matches!(action_of(&operation, ""), Ok(TxnAction::Abort));
                let open = self.open.entry(session.clone()).or_insert((group, Vec::new()));
                open.1.push(operation);
                if is_last {
                    self.complete(&session);
                }
            }
        }
        if 2 * self.fresh >= self.window {
            self.check()
        } else {
            Ok(None)
        }
    }

    /// Checks what has come in since the last check, if anything has: for moments at which nothing comes in.
    ///
    /// # Errors
    /// If an operation is no read or write of a key.
    pub fn check(&mut self) -> Result<Option<Evidence>, IsolationError> {
        if self.fresh == 0 {
            return Ok(None);
        }
        let half = self.window.div_ceil(2);
        let settled = self.lengths.len().saturating_sub(half);
        let mut evidence = self.window_evidence(self.window_extent(settled))?;
        if evidence.verdict == Verdict::Violation && settled > 0 {
            // It may be one without the reads that are open in principle.
            let certain = self.window_evidence(self.window_extent(0))?;
            if certain.verdict == Verdict::Violation {
                evidence = certain;
            } else {
                evidence.notes.push(format!(
                    "this is so within the window: unless what comes more than {half} transactions later deletes one of these keys or \
                     writes one of these values again"
                ));
            }
        }
        self.fresh = 0;
        let excess = self.lengths.len().saturating_sub(self.window);
        let ops: usize = self.lengths.drain(..excess).sum();
        let forgotten = self.ops.drain(..ops);
        self.has_forgotten_delete |= { forgotten }.any(|op| deletes(&op));
        self.forgotten += excess as u64;
        self.forgotten_ops += ops as u64;
        match evidence.verdict {
            Verdict::Violation => Ok(Some(evidence)),
            Verdict::Unknown => {
                self.undecided.get_or_insert_with(|| Box::new(evidence));
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// The answer at the end. It holds for the whole history if nothing was forgotten, and within the window otherwise, which a note says.
    ///
    /// # Errors
    /// If an operation is no read or write of a key.
    pub fn finish(mut self) -> Result<Evidence, IsolationError> {
        let mut sessions: Vec<Value> = self.open.keys().cloned().collect();
        sessions.sort_unstable();
        sessions.iter().for_each(|session| self.complete(session));
        let mut evidence = self.window_evidence(match self.forgotten {
            0 => Extent::Whole,
            _ => self.window_extent(usize::MAX),
        })?;
        if self.forgotten > 0 {
            if let (Verdict::Valid, Some(undecided)) = (evidence.verdict, self.undecided.take()) {
                evidence = *undecided;
            }
            // Of the last window only.
            evidence.witness = None;
            evidence.notes.push(self.within());
        }
        Ok(evidence)
    }

    /// What an answer of a history that is longer than the window means.
    fn within(&self) -> String {
        format!(
            "this holds within the window: any {} transactions in a row were checked together, and {} older ones were forgotten, \
             which may have written the same values, and through which a longer cycle may lead",
            self.window.div_ceil(2),
            self.forgotten
        )
    }

    fn window_extent(&self, settled: usize) -> Extent {
        Extent::Window {
            settled,
            has_lost_deletes: self.has_forgotten_delete,
        }
    }

    fn complete(&mut self, session: &Value) {
        if let Some((_, ops)) = self.open.remove(session) {
            self.keep(ops);
        }
    }

    fn keep(&mut self, ops: Vec<Operation>) {
        self.lengths.push(ops.len());
        self.ops.extend(ops);
        self.fresh += 1;
    }

    /// Checks the window.
    fn window_evidence(&mut self, extent: Extent) -> Result<Evidence, IsolationError> {
        let mut recorded = RecordedHistory::from_operations(&self.name, std::mem::take(&mut self.ops))?;
        // Positions count from the beginning of the history.
        for (position, label) in recorded.labels.iter_mut().enumerate() {
            if *label == position.to_string() {
                *label = (self.forgotten_ops + position as u64).to_string();
            }
        }
        let found = check_recorded_part(&recorded, self.isolation, &self.options, extent);
        self.ops = recorded.ops;
        let mut evidence = found?;
        evidence.figures.ops = self.count;
        Ok(evidence)
    }
}

/// Whether an operation may leave a key without a value.
fn deletes(operation: &Operation) -> bool {
    match accesses(operation, "") {
        Ok(Some(accesses)) => {
            { accesses.iter() }.any(|access| matches!(access, Access::Write(_, value) if value.is_null()))
        }
        _ => matches!(action_of(operation, ""), Ok(TxnAction::Write(_, value)) if value.is_null()),
    }
}
