//! Native models that ship with OmniLink: registers, maps, queues, locks and more.
//!
//! A model is the sequential specification of a component: the results that its operations may have in each state. This
//! crate decided that an operation contains its result, *or that the result is unknown*: a pending read is `Read(None)` and
//! stands for every possible result. So crashed and partially observed operations need no special cases.
//!
//! Three declarations make the search fast: which operations are pure, which keys an operation reads and writes, and which
//! operations may enable a refused one. Each model declares them as precisely as it can prove. The proofs are beside the
//! declarations, and `tests/behaviour/laws.rs` checks them on all states of small workloads. States are immutable, shared and
//! contain their hash, so an operation that changes nothing costs a reference count.
//!
//! What it gave up: the models have no notion of time, threads (except for the owner of a mutex) or failures. And a change
//! of a state with thousands of keys copies a part of it. Such states are rare, because keys are normally checked
//! separately.
//!
//! Models are created by name and decode operations of traces from any importer:
//!
//! ```
//! use omnilink_models::{NativeModel, Visitor, with_model};
//! use omnilink_trace::{Args, Operation, Timebox};
//!
//! struct Describe(Operation);
//!
//! impl Visitor for Describe {
//!     type Output = String;
//!
//!     fn visit<M: NativeModel>(self, model: M) -> String {
//!         match model.decode(&self.0) {
//!             Ok(decoded) => match decoded.last() {
//!                 Some(op) => model.describe_op(op),
//!                 None => "did not happen".to_owned(),
//!             },
//!             Err(error) => error.to_string(),
//!         }
//!     }
//! }
//!
//! let cas = Operation::new(7, "cas", Args::positional([1.into(), 2.into()]), Timebox::new(0, 5)).returning(true);
//! assert_eq!(with_model("cas-register:initial=1", Describe(cas))?, "cas(1, 2) = true");
//! # Ok::<(), omnilink_models::ModelSpecError>(())
//! ```

mod any_model;
mod bag;
mod bank;
mod call_reader;
mod cas_register;
mod catalogue;
mod container;
mod counter;
mod decode;
mod decode_error;
mod display;
mod entry;
mod initial_state;
mod java_collection;
mod java_map;
mod java_text;
mod keying;
mod keys;
mod kv;
mod log;
mod map;
mod multi_register;
mod mutex;
mod native_model;
mod options;
mod persistent_map;
mod priority_queue;
mod queue;
mod register;
mod semaphore;
mod sequence;
mod set;
mod stack;
mod suggestion;

pub use any_model::{AnyModel, AnyOp, AnyState};
pub use bag::{Bag, BagOp};
pub use bank::{Balances, Bank, BankOp};
pub use call_reader::{CallReader, is_code};
pub use cas_register::{CasRegister, CasRegisterOp, FailedCas};
pub use catalogue::{Visitor, catalogue, model_of_type, with_model};
pub use counter::{Counter, CounterOp};
pub use decode::Decode;
pub use decode_error::{DecodeError, DecodeProblem};
pub use entry::{ModelEntry, OpEntry, OptionEntry};
pub use initial_state::initial_guesses;
pub use java_collection::{
    CollectionEnd, ElementOrder, JavaCollection, JavaCollectionCall, JavaCollectionError, JavaCollectionOp,
};
pub use java_map::{
    JavaMap, JavaMapCall, JavaMapError, JavaMapOp, KeyMethod, MapEnd, Neighbour, WholeMethod,
};
pub use java_text::EntryPart;
pub use keying::{KeyDetector, Keying, split, split_by_field, splits_by_key};
pub use kv::{Kv, KvAction, KvOp};
pub use log::{Log, LogOp};
pub use map::{Map, MapAction, MapOp};
pub use multi_register::{MultiRegister, MultiRegisterOp, RegisterAccess};
pub use mutex::{Mutex, MutexOp};
pub use native_model::NativeModel;
pub use omnilink_engine::Decoded;
pub use options::{ModelOptions, ModelSpecError};
pub use persistent_map::PersistentMap;
pub use priority_queue::{Multiset, PriorityOrder, PriorityQueue, PriorityQueueOp};
pub use queue::{Batch, Queue, QueueOp};
pub use register::{Register, RegisterOp};
pub use semaphore::{Semaphore, SemaphoreOp};
pub use sequence::Sequence;
pub use set::{Elements, Set, SetOp};
pub use stack::{Stack, StackOp};
