//! Native models that ship with OmniLink: registers, maps, queues, locks and more.

mod assoc;
mod bank;
mod call;
mod cas_register;
mod catalogue;
mod counter;
mod decode;
mod describe;
mod empty;
mod java_map;
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
pub use call::Call;
pub use cas_register::{CasRegister, CasRegisterOp, FailedCas};
pub use catalogue::{Entry, OpEntry, OptionEntry, Shipped, Visitor, catalogue, with_model};
pub use counter::{Counter, CounterOp};
pub use decode::{Decode, DecodeError, DecodeProblem, Decoded};
pub use java_map::{
    End, JavaMap, JavaMapCall, JavaMapError, JavaMapOp, KeyMethod, Near, Wanted, WholeMethod,
};
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
