//! Native models that ship with OmniLink: registers, maps, queues, locks and more.
//!
//! A model is the sequential meaning of a component: which results its operations may have in which state. The decision
//! of this crate is that an operation carries its result, *or that it was not seen*: a pending read is `Read(None)`,
//! and stands for every result it could have had. So crashed and half-observed operations need no special treatment
//! anywhere.
//!
//! Three things make the search fast, and each model declares them as sharply as it can prove (the proofs stand beside
//! the declarations, and `tests/behaviour/laws.rs` checks them on all states of small worlds): which operations never change
//! anything, which keys an operation reads and writes, and what a refused operation is waiting for. States are
//! immutable, shared and carry their hash, so that an operation that changes nothing costs a reference count.
//!
//! What was given up: the models know nothing about time, threads (but for the owner of a mutex) or failures; and a
//! state that holds thousands of keys is copied when one of them changes. Keys are normally checked apart from each
//! other, so such states are rare.
//!
//! Models are made by name, and read operations from traces of any importer:
//!
//! ```
//! use omnilink_models::{Decoded, Shipped, Visitor, with_model};
//! use omnilink_trace::{Args, Operation, Timebox};
//!
//! struct Describe(Operation);
//!
//! impl Visitor for Describe {
//!     type Output = String;
//!
//!     fn visit<M: Shipped>(self, model: M) -> String {
//!         match model.decode(&self.0) {
//!             Ok(Decoded::Op(op)) => model.describe_op(&op),
//!             Ok(Decoded::DidNotHappen) => "did not happen".to_owned(),
//!             Err(error) => error.to_string(),
//!         }
//!     }
//! }
//!
//! let cas = Operation::new(7, "cas", Args::positional([1.into(), 2.into()]), Timebox::new(0, 5)).returning(true);
//! assert_eq!(with_model("cas-register:initial=1", Describe(cas))?, "cas(1, 2) = true");
//! # Ok::<(), omnilink_models::ModelSpecError>(())
//! ```

mod assoc;
mod bank;
mod call;
mod cas_register;
mod catalogue;
mod container;
mod counter;
mod decode;
mod describe;
mod java_map;
mod keyed;
mod keys;
mod kv;
mod log;
mod map;
mod multi_register;
mod mutex;
mod nearest;
mod options;
mod priority_queue;
mod queue;
mod register;
mod semaphore;
mod sequence;
mod set;
mod stack;

pub use assoc::Assoc;
pub use bank::{Balances, Bank, BankOp};
pub use call::{Call, is_code};
pub use cas_register::{CasRegister, CasRegisterOp, FailedCas};
pub use catalogue::{Entry, OpEntry, OptionEntry, Shipped, Visitor, catalogue, with_model};
pub use counter::{Counter, CounterOp};
pub use decode::{Decode, DecodeError, DecodeProblem, Decoded};
pub use java_map::{
    End, JavaMap, JavaMapCall, JavaMapError, JavaMapOp, KeyMethod, Near, Wanted, WholeMethod,
};
pub use keyed::{KeyEvidence, Keying, split, splits_by_key};
pub use kv::{Kv, KvAction, KvOp};
pub use log::{Log, LogOp};
pub use map::{Map, MapAction, MapOp};
pub use multi_register::{Access, MultiRegister, MultiRegisterOp};
pub use mutex::{Mutex, MutexOp};
pub use options::{ModelOptions, ModelSpecError};
pub use priority_queue::{First, Multiset, PriorityQueue, PriorityQueueOp};
pub use queue::{Batch, Queue, QueueOp};
pub use register::{Register, RegisterOp};
pub use semaphore::{Semaphore, SemaphoreOp};
pub use sequence::Sequence;
pub use set::{Elements, Set, SetOp};
pub use stack::{Stack, StackOp};
