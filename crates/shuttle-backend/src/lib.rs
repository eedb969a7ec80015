//! Runs components that were ported to shuttle under OmniLink's strategies.
//!
//! A component that uses `shuttle::sync` in place of `std::sync` runs as coroutines of one thread, ten times as
//! fast as forked processes with real threads. [`ShuttleExecutor`] makes such executions, so that everything
//! that is built upon [`Executor`] works with them.
//!
//! What it gives up: the code has to be ported; statics, real thread-locals and crashes are shared by all
//! executions; shuttle does not say which location an access concerns, so that every step depends on every
//! other and reduction finds nothing to leave out. It is a crate of its own, so that nobody pays for shuttle who
//! does not use it.
//!
//! ```
//! use omnilink_sched::{Executor, ExploreOptions, Program, Strategy, explore, harness::Component};
//! use omnilink_shuttle::ShuttleExecutor;
//! use shuttle::sync::atomic::{AtomicU64, Ordering::SeqCst};
//! use std::ops::ControlFlow;
//!
//! struct Counter(AtomicU64);
//! impl Component for Counter {
//!     fn call(&self, _thread: u32, _op: u32) -> String {
//!         let seen = self.0.load(SeqCst);
//!         self.0.store(seen + 1, SeqCst); // another thread may have been here
//!         seen.to_string()
//!     }
//! }
//!
//! let executor = ShuttleExecutor::new(1, || Box::new(Counter(AtomicU64::new(0))));
//! let mut executors: Vec<Box<dyn Executor>> = vec![Box::new(executor)];
//! let two_threads = Program::new(vec![vec![0], vec![0]]);
//! let strategy = Strategy::Bounded { preemptions_max: Some(1), reduction: false };
//! let options = ExploreOptions::default();
//! let exploration = explore(&mut executors, &two_threads, strategy, &options, &mut |_| ControlFlow::Continue(()));
//! assert_eq!(exploration?.executions, 4);
//! # Ok::<_, omnilink_sched::SchedError>(())
//! ```

mod choose;
mod fairness;
mod scheduler;
mod world;

use omnilink_sched::harness::Component;
use omnilink_sched::{Execution, Executor, Plan, Program, SchedError, THREADS_MAX};
use scheduler::WorldScheduler;
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use world::{Phase, World, WorldRef};

/// How a component is made.
type Make = dyn Fn() -> Box<dyn SharedComponent> + Send + Sync;

/// A component that can be handed to shuttle's tasks.
pub trait SharedComponent: Component + Send {}
impl<T: Component + Send> SharedComponent for T {}

/// Makes executions of a component that was ported to shuttle.
pub struct ShuttleExecutor {
    ops: u32,
    make: Arc<Make>,
}

impl fmt::Debug for ShuttleExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShuttleExecutor")
            .field("ops", &self.ops)
            .finish_non_exhaustive()
    }
}

impl ShuttleExecutor {
    /// An executor for the component that `make` makes, with calls `0..ops`.
    pub fn new(ops: u32, make: impl Fn() -> Box<dyn SharedComponent> + Send + Sync + 'static) -> Self {
        Self {
            ops,
            make: Arc::new(make),
        }
    }

    fn check(&self, program: &Program) -> Result<(), SchedError> {
        let all = || {
            program
                .before
                .iter()
                .chain(program.columns.iter().flatten())
                .chain(&program.after)
        };
        let columns = program.columns.len();
        let problem = if columns == 0 || columns >= THREADS_MAX {
            format!("{columns} columns, possible are 1 to {}", THREADS_MAX - 1)
        } else if let Some(op) = all().find(|&&op| op >= self.ops) {
            format!("call {op} does not exist, the component has {}", self.ops)
        } else {
            return Ok(());
        };
        Err(SchedError::Program { problem })
    }
}

impl Executor for ShuttleExecutor {
    fn run(&mut self, program: &Program, plan: &Plan) -> Result<Execution, SchedError> {
        self.check(program)?;
        let world: WorldRef = Arc::new(Mutex::new(World::new(program, plan)));
        let mut config = Config::new();
        config.failure_persistence = FailurePersistence::None;
        config.silence_warnings = true;
        config.max_steps = MaxSteps::None;
        let runner = Runner::new(WorldScheduler::new(world.clone()), config);
        let (inside, program, make) = (world.clone(), Arc::new(program.clone()), self.make.clone());
        let ran = catch_unwind(AssertUnwindSafe(|| {
            runner.run(move || play(&inside, &program, &*make));
        }));
        if ran.is_err() {
            world::lock(&world).crash();
        }
        let mut world = world::lock(&world);
        Ok(world.take_execution())
    }
}

/// The main task of an execution.
fn play(world: &WorldRef, program: &Arc<Program>, make: &Make) {
    let component: Arc<dyn SharedComponent> = Arc::from(make());
    let main = program.main_thread();
    for (position, &op) in program.before.iter().enumerate() {
        call(world, &*component, main, position, op);
    }
    for column in 0..main {
        let (world, component, program) = (world.clone(), component.clone(), program.clone());
        // Nobody joins the tasks: shuttle takes a task that is waited for and blocked for a failure.
        drop(shuttle::thread::spawn(move || {
            for (position, &op) in program.columns[usize::from(column)].iter().enumerate() {
                if position > 0 {
                    world::lock(&world).at_boundary(column);
                    shuttle_engine::runtime::thread::switch();
                }
                call(&world, &*component, column, position, op);
            }
            world::lock(&world).finish(column);
        }));
    }
    world::lock(world).phase = Phase::Columns;
    // The scheduler comes back to this task only when no other can run.
    shuttle_engine::runtime::thread::switch();
    if world::lock(world).is_stuck() {
        // The scheduler now ends the execution; blocked tasks are given up.
        shuttle_engine::runtime::thread::switch();
        return;
    }
    for (position, &op) in program.after.iter().enumerate() {
        call(world, &*component, main, program.before.len() + position, op);
    }
    world::lock(world).finish_all();
}

fn call(world: &WorldRef, component: &dyn SharedComponent, thread: u8, position: usize, op: u32) {
    world::lock(world).begin_call(thread, position as u32, op);
    let result = match catch_unwind(AssertUnwindSafe(|| component.call(thread.into(), op))) {
        Ok(result) => result,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            format!("panicked: {}", text.as_deref().unwrap_or("(no message)"))
        }
    };
    world::lock(world).end_call(thread, position as u32, op, result);
}
