//! The C names that the object file defines: one assembly stub for each, which jumps to a function of this crate.
//!
//! In an ordinary build of the crate the names have a prefix, so that they replace nothing.

use super::{
    accesses, annotations, atomics, c11_threads, call_stack, cancellation, clock, conditions, cpp_library,
    descriptors, file_sets, heap, joins, libc_accesses, locks, mappings, outside, processes, processors,
    queues, random, server, signals, std_library, threads, timers, wait,
};

/// Symbols of the kinds `plain`, `weak`, `passing_caller`, `with_caller` and `with_registers`: `name => function`.
macro_rules! symbols {
    (plain: $($name:ident => $function:path,)*) => { $(plain!(".globl", symbol!(stringify!($name)), $function);)* };
    (weak: $($name:ident => $function:path,)*) => { $(plain!(".weak", symbol!(stringify!($name)), $function);)* };
    (passing_caller $position:tt: $($name:ident => $function:path,)*) => {
        $(passing_caller!($position, symbol!(stringify!($name)), $function);)*
    };
    (with_caller: $($name:ident => $function:path,)*) => { $(with_caller!(symbol!(stringify!($name)), $function);)* };
    (with_registers: $($name:ident => $function:path,)*) => { $(with_registers!(symbol!(stringify!($name)), $function);)* };
}

/// Symbols that end in a number of bytes: `prefix => function: sizes`.
macro_rules! sized {
    ($($prefix:literal  => $module:ident::$function:ident: $($size:literal)*;)*) => {
        $($(passing_caller!(2, symbol!($prefix, $size ), $module::$function::<$size>);)*)*
    };
}

/// The atomic functions for one width in bits.
macro_rules! atomic {
    ($($bits:literal $int:ty;)*) => { $(
        with_registers!(symbol!("__tsan_atomic", $bits, "_load"), atomics::load::<$int>);
        with_registers!(symbol!("__tsan_atomic", $bits, "_store"), atomics::store::<$int>);
        with_registers!(symbol!("__tsan_atomic", $bits, "_exchange"), atomics::fetch::<$int, atomics::Exchange>);
        with_registers!(symbol!("__tsan_atomic", $bits, "_fetch_add"), atomics::fetch::<$int, atomics::Add>);
        with_registers!(symbol!("__tsan_atomic", $bits, "_fetch_sub"), atomics::fetch::<$int, atomics::Sub>);
        with_registers!(symbol!("__tsan_atomic", $bits, "_fetch_and"), atomics::fetch::<$int, atomics::And>);
        with_registers!(symbol!("__tsan_atomic", $bits, "_fetch_or"), atomics::fetch::<$int, atomics::Or>);
        with_registers!(symbol!("__tsan_atomic", $bits, "_fetch_xor"), atomics::fetch::<$int, atomics::Xor>);
        with_registers!(symbol!("__tsan_atomic", $bits, "_fetch_nand"), atomics::fetch::<$int, atomics::Nand>);
        with_registers!(
            symbol!("__tsan_atomic", $bits, "_compare_exchange_strong"),
            atomics::compare_exchange::<$int>
        );
        with_registers!(
            symbol!("__tsan_atomic", $bits, "_compare_exchange_weak"),
            atomics::compare_exchange_weak::<$int>
        );
        with_registers!(
            symbol!("__tsan_atomic", $bits, "_compare_exchange_val"),
            atomics::compare_exchange_value::<$int>
        );
    )* };
}

// What a harness calls, and the stubs of Rust's standard library.
symbols! { plain:
    omnilink_serve => server::serve,
    omnilink_return => server::return_from_call,
    omnilink_step => server::step,
    omnilink_unobserve => threads::unobserve,
    omnilink_observe => threads::observe,
    omnilink_library => std_library::enter,
}

// The instrumentation of functions and of plain accesses.
symbols! { plain:
    __tsan_init => accesses::nothing,
    __tsan_func_entry => call_stack::enter,
    __tsan_func_exit => call_stack::exit,
}
sized! {
    "__tsan_read" => accesses::read: 1 2 4 8 16;
    "__tsan_unaligned_read" => accesses::read: 2 4 8 16;
    "__tsan_write" => accesses::write: 1 2 4 8 16;
    "__tsan_unaligned_write" => accesses::write: 2 4 8 16;
    "__tsan_read_write" => accesses::write: 1 2 4 8 16;
    "__tsan_unaligned_read_write" => accesses::write: 2 4 8 16;
    "__tsan_volatile_read" => accesses::read_volatile: 1 2 4 8 16;
    "__tsan_unaligned_volatile_read" => accesses::read_volatile: 2 4 8 16;
    "__tsan_volatile_write" => accesses::write_volatile: 1 2 4 8 16;
    "__tsan_unaligned_volatile_write" => accesses::write_volatile: 2 4 8 16;
}
// Their second argument, a code address or a value, is not used.
symbols! { passing_caller 2:
    __tsan_read1_pc => accesses::read::<1>,
    __tsan_read2_pc => accesses::read::<2>,
    __tsan_read4_pc => accesses::read::<4>,
    __tsan_read8_pc => accesses::read::<8>,
    __tsan_read16_pc => accesses::read::<16>,
    __tsan_write1_pc => accesses::write::<1>,
    __tsan_write2_pc => accesses::write::<2>,
    __tsan_write4_pc => accesses::write::<4>,
    __tsan_write8_pc => accesses::write::<8>,
    __tsan_write16_pc => accesses::write::<16>,
    __tsan_vptr_read => accesses::read::<8>,
    __tsan_vptr_update => accesses::write::<8>,
}
symbols! { passing_caller 3:
    __tsan_read_range => accesses::read_range,
    __tsan_write_range => accesses::write_range,
}
symbols! { passing_caller 4:
    __tsan_memcpy => accesses::memcpy,
    __tsan_memmove => accesses::memmove,
    __tsan_memset => accesses::memset,
}

// Atomic accesses.
atomic! { 8 u8; 16 u16; 32 u32; 64 u64; 128 u128; }
symbols! { with_registers:
    __tsan_atomic_thread_fence => atomics::thread_fence,
}
symbols! { plain:
    __tsan_atomic_signal_fence => atomics::signal_fence,
}

// Annotations by which a program tells ThreadSanitizer about locks of its own.
symbols! { plain:
    __tsan_acquire => annotations::acquire,
    __tsan_release => annotations::release,
    __tsan_mutex_post_lock => annotations::post_lock,
    __tsan_mutex_pre_unlock => annotations::pre_unlock,
    AnnotateHappensBefore => annotations::happens_before,
    AnnotateHappensAfter => annotations::happens_after,
    AnnotateRWLockAcquired => annotations::happens_after,
    AnnotateRWLockReleased => annotations::happens_before,
    __tsan_ignore_thread_begin => annotations::begin_ignoring,
    __tsan_ignore_thread_end => annotations::end_ignoring,
    AnnotateIgnoreReadsBegin => annotations::begin_ignoring,
    AnnotateIgnoreReadsEnd => annotations::end_ignoring,
    AnnotateIgnoreWritesBegin => annotations::begin_ignoring,
    AnnotateIgnoreWritesEnd => annotations::end_ignoring,
    AnnotateBenignRace => annotations::benign,
    AnnotateBenignRaceSized => annotations::benign_sized,
    // What they say is seen, or of no interest here.
    __tsan_mutex_create => accesses::nothing,
    __tsan_mutex_destroy => accesses::nothing,
    __tsan_mutex_pre_lock => accesses::nothing,
    __tsan_mutex_post_unlock => accesses::nothing,
    __tsan_mutex_pre_signal => accesses::nothing,
    __tsan_mutex_post_signal => accesses::nothing,
    __tsan_mutex_pre_divert => accesses::nothing,
    __tsan_mutex_post_divert => accesses::nothing,
    __tsan_flush_memory => accesses::nothing,
    __tsan_get_current_fiber => accesses::nothing,
    __tsan_create_fiber => accesses::nothing,
    __tsan_destroy_fiber => accesses::nothing,
    __tsan_switch_to_fiber => accesses::nothing,
    __tsan_set_fiber_name => accesses::nothing,
    AnnotateIgnoreSyncBegin => accesses::nothing,
    AnnotateIgnoreSyncEnd => accesses::nothing,
    AnnotateRWLockCreate => accesses::nothing,
    AnnotateRWLockCreateStatic => accesses::nothing,
    AnnotateRWLockDestroy => accesses::nothing,
    AnnotateNewMemory => accesses::nothing,
    AnnotateThreadName => accesses::nothing,
}

// Functions of the C library.
symbols! { plain:
    malloc => heap::malloc,
    calloc => heap::calloc,
    realloc => heap::realloc,
    free => heap::free,
    memalign => heap::memalign,
    aligned_alloc => heap::memalign,
    posix_memalign => heap::posix_memalign,
    malloc_usable_size => heap::malloc_usable_size,
    mmap => mappings::mmap,
    mmap64 => mappings::mmap,
    munmap => mappings::munmap,
    mremap => mappings::mremap,
    sbrk => mappings::sbrk,
    brk => mappings::brk,
    clock_gettime => clock::clock_gettime,
    gettimeofday => clock::gettimeofday,
    time => clock::time,
    getrandom => random::getrandom,
    getentropy => random::getentropy,
    arc4random => random::arc4random,
    arc4random_buf => random::arc4random_buf,
    arc4random_uniform => random::arc4random_uniform,
    pthread_create => threads::pthread_create,
    pthread_detach => joins::pthread_detach,
    fopen => outside::fopen,
    fopen64 => outside::fopen64,
    fork => processes::fork,
    posix_spawn => processes::posix_spawn,
    posix_spawnp => processes::posix_spawnp,
    system => processes::system,
    popen => processes::popen,
    sched_getaffinity => processors::sched_getaffinity,
    get_nprocs => processors::get_nprocs,
    timerfd_create => timers::timerfd_create,
    timerfd_settime => timers::timerfd_settime,
    timerfd_gettime => timers::timerfd_gettime,
}
symbols! { with_caller:
    pthread_join => joins::pthread_join,
    pthread_tryjoin_np => joins::pthread_tryjoin_np,
    pthread_timedjoin_np => joins::pthread_timedjoin_np,
    pthread_clockjoin_np => joins::pthread_clockjoin_np,
    pthread_mutex_lock => locks::pthread_mutex_lock,
    pthread_mutex_trylock => locks::pthread_mutex_trylock,
    pthread_mutex_timedlock => locks::pthread_mutex_timedlock,
    pthread_mutex_clocklock => locks::pthread_mutex_clocklock,
    pthread_mutex_unlock => locks::pthread_mutex_unlock,
    pthread_rwlock_rdlock => locks::pthread_rwlock_rdlock,
    pthread_rwlock_tryrdlock => locks::pthread_rwlock_tryrdlock,
    pthread_rwlock_timedrdlock => locks::pthread_rwlock_timedrdlock,
    pthread_rwlock_clockrdlock => locks::pthread_rwlock_clockrdlock,
    pthread_rwlock_wrlock => locks::pthread_rwlock_wrlock,
    pthread_rwlock_trywrlock => locks::pthread_rwlock_trywrlock,
    pthread_rwlock_timedwrlock => locks::pthread_rwlock_timedwrlock,
    pthread_rwlock_clockwrlock => locks::pthread_rwlock_clockwrlock,
    pthread_rwlock_unlock => locks::pthread_rwlock_unlock,
    pthread_spin_lock => locks::pthread_spin_lock,
    pthread_spin_trylock => locks::pthread_spin_trylock,
    pthread_spin_unlock => locks::pthread_spin_unlock,
    sem_wait => locks::sem_wait,
    sem_trywait => locks::sem_trywait,
    sem_timedwait => locks::sem_timedwait,
    sem_clockwait => locks::sem_clockwait,
    sem_post => locks::sem_post,
    pthread_cond_wait => conditions::pthread_cond_wait,
    pthread_cond_signal => conditions::pthread_cond_signal,
    pthread_cond_broadcast => conditions::pthread_cond_broadcast,
    pthread_barrier_wait => conditions::pthread_barrier_wait,
    pthread_barrier_destroy => conditions::pthread_barrier_destroy,
    mtx_lock => c11_threads::mtx_lock,
    mtx_timedlock => c11_threads::mtx_timedlock,
    mtx_trylock => c11_threads::mtx_trylock,
    mtx_unlock => c11_threads::mtx_unlock,
    cnd_wait => c11_threads::cnd_wait,
    cnd_signal => c11_threads::cnd_signal,
    cnd_broadcast => c11_threads::cnd_broadcast,
    thrd_create => c11_threads::thrd_create,
    thrd_join => c11_threads::thrd_join,
    thrd_detach => c11_threads::thrd_detach,
    thrd_yield => c11_threads::thrd_yield,
    pthread_cancel => cancellation::pthread_cancel,
    pthread_testcancel => cancellation::pthread_testcancel,
    pthread_setcancelstate => cancellation::pthread_setcancelstate,
    pthread_setcanceltype => cancellation::pthread_setcanceltype,
    sigaction => signals::sigaction,
    signal => signals::signal,
    pthread_kill => signals::pthread_kill,
    raise => signals::raise,
    kill => signals::kill,
    pthread_sigmask => signals::pthread_sigmask,
    sigprocmask => signals::sigprocmask,
    sigwait => signals::sigwait,
    sigwaitinfo => signals::sigwaitinfo,
    sigtimedwait => signals::sigtimedwait,
    pause => signals::pause,
    sigsuspend => signals::sigsuspend,
    alarm => signals::alarm,
    setitimer => signals::setitimer,
    timer_settime => signals::timer_settime,
    mq_send => queues::mq_send,
    mq_timedsend => queues::mq_timedsend,
    mq_receive => queues::mq_receive,
    mq_timedreceive => queues::mq_timedreceive,
    msgsnd => queues::msgsnd,
    msgrcv => queues::msgrcv,
    semop => queues::semop,
    semtimedop => queues::semtimedop,
    flockfile => queues::flockfile,
    ftrylockfile => queues::ftrylockfile,
    funlockfile => queues::funlockfile,
    wait => processes::wait,
    waitpid => processes::waitpid,
    wait3 => processes::wait3,
    wait4 => processes::wait4,
    waitid => processes::waitid,
    read => descriptors::read,
    readv => descriptors::readv,
    write => descriptors::write,
    writev => descriptors::writev,
    recv => descriptors::recv,
    recvfrom => descriptors::recvfrom,
    recvmsg => descriptors::recvmsg,
    send => descriptors::send,
    sendto => descriptors::sendto,
    sendmsg => descriptors::sendmsg,
    accept => descriptors::accept,
    accept4 => descriptors::accept4,
    connect => descriptors::connect,
    close => descriptors::close,
    shutdown => descriptors::shutdown,
    epoll_ctl => descriptors::epoll_ctl,
    epoll_wait => descriptors::epoll_wait,
    epoll_pwait => descriptors::epoll_pwait,
    select => file_sets::select,
    pselect => file_sets::pselect,
    eventfd_read => file_sets::eventfd_read,
    eventfd_write => file_sets::eventfd_write,
    poll => descriptors::poll,
    ppoll => descriptors::ppoll,
}
// With registers: loops of these may wait for ever.
symbols! { with_registers:
    nanosleep => clock::nanosleep,
    clock_nanosleep => clock::clock_nanosleep,
    usleep => clock::usleep,
    sleep => clock::sleep,
    thrd_sleep => c11_threads::thrd_sleep,
    cnd_timedwait => c11_threads::cnd_timedwait,
    pthread_cond_timedwait => conditions::pthread_cond_timedwait,
    pthread_cond_clockwait => conditions::pthread_cond_clockwait,
    sched_yield => wait::sched_yield,
    syscall => wait::syscall,
}

// What calls of the C library in a component are redirected to.
symbols! { with_caller:
    omnilink_libc_memcmp => libc_accesses::compare_memory,
    omnilink_libc_bcmp => libc_accesses::compare_memory,
    omnilink_libc_memchr => libc_accesses::find_byte,
    omnilink_libc_strlen => libc_accesses::length_of,
    omnilink_libc_strnlen => libc_accesses::length_of_part,
    omnilink_libc_strcmp => libc_accesses::compare_text,
    omnilink_libc_strncmp => libc_accesses::compare_part,
    omnilink_libc_strcpy => libc_accesses::copy_text,
    omnilink_libc_stpcpy => libc_accesses::copy_text_to_end,
    omnilink_libc_strncpy => libc_accesses::copy_part,
    omnilink_libc_strcat => libc_accesses::append,
    omnilink_libc_strncat => libc_accesses::append_part,
    omnilink_libc_strchr => libc_accesses::find_first,
    omnilink_libc_strrchr => libc_accesses::find_last,
    omnilink_libc_strstr => libc_accesses::find_text,
    omnilink_libc_strdup => libc_accesses::duplicate,
    omnilink_libc_bzero => libc_accesses::zero,
    omnilink_libc_read => libc_accesses::read_file,
    omnilink_libc_write => libc_accesses::write_file,
    omnilink_libc_pread => libc_accesses::read_file_at,
    omnilink_libc_pwrite => libc_accesses::write_file_at,
    omnilink_libc_recv => libc_accesses::receive,
    omnilink_libc_send => libc_accesses::send_bytes,
    omnilink_libc_fread => libc_accesses::read_stream,
    omnilink_libc_fwrite => libc_accesses::write_stream,
    omnilink_libc_qsort => libc_accesses::sort,
}

// Weak, because a program may be linked with the C++ library as an archive that defines them.
symbols! { weak:
    __cxa_guard_acquire => cpp_library::guard_acquire,
    __cxa_guard_release => cpp_library::guard_release,
    __cxa_end_catch => cpp_library::end_catch,
    _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv => cpp_library::exception_kept,
    _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv => cpp_library::exception_released,
    _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv => cpp_library::make_ready_at_exit,
    _ZNSt13random_device9_M_getvalEv => cpp_library::random_device,
}
