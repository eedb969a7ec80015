//! Functions of prebuilt libraries that order nothing between threads, each with the reason.
//!
//! A race, deadlock or livelock is called one only if every call on the threads' way into code that is not instrumented was one of these or one
//! that the runtime replaces. After any other it is suspected.

/// Functions with one reason. A name that ends in `*` stands for all that begin so.
#[derive(Debug, Clone, Copy)]
pub struct HarmlessFunctions {
    /// Why they order nothing, or nothing that is not seen.
    pub reason: &'static str,
    /// Their names, separated by spaces.
    pub names: &'static str,
}

/// All of them.
pub static HARMLESS: [HarmlessFunctions; 16] = [
    HarmlessFunctions {
        reason: "They compute from their arguments, and write only there.",
        names: "mem* str* stp* wcs* wmem* wcp* is* to* ato* _to* __ctype* __is* __strto* __wcs* bsearch qsort* lfind lsearch tsearch \
            tfind tdelete twalk hsearch* hcreate* hdestroy* insque remque abs labs llabs div ldiv lldiv ffs* swab bcmp bcopy bzero index rindex \
            rawmemchr __rawmemchr __mem* __str* __stp* sprintf snprintf vsprintf vsnprintf asprintf vasprintf __sprintf* __snprintf* __vsprintf* \
            __vsnprintf* __asprintf* __vasprintf* swprintf vswprintf sscanf vsscanf __isoc* swscanf inet_* hton* ntoh* ether_* gcvt ecvt fcvt \
            mb* wc* btowc wctob __mb* ucs* utf* a64l l64a crypt* fnmatch basename dirname __xpg_basename getopt* getsubopt argp_* envz_* argz_* \
            regcomp regexec regfree regerror iconv* nl_langinfo* rand_r drand48* erand48* lrand48* nrand48* mrand48* jrand48* srand48* seed48* lcong48* if_nametoindex if_indextoname gnu_get_libc* explicit_bzero \
            __explicit_bzero* confstr random_r srandom_r initstate_r setstate_r",
    },
    HarmlessFunctions {
        reason: "Mathematics.",
        names: "sin* cos* tan* asin* acos* atan* exp* log* pow* sqrt* cbrt* hypot* fabs* fmod* remainder* remquo* ceil* floor* round* lround* \
            llround* rint* lrint* llrint* nearbyint* trunc* frexp* ldexp* modf* scalb* ilogb* erf* gamma* lgamma* tgamma* nan* nextafter* \
            nexttoward* copysign* fdim* fmax* fmin* fma fmaf fmal significand* drem* j0* j1* jn* y0* y1* yn* creal* cimag* cabs* carg* conj* cproj* cexp* clog* cpow* csqrt* csin* ccos* ctan* casin* cacos* catan* feclear* feget* feset* fetest* feraise* feupdate* fehold* feenable* fedisable* __finite* __fpclass* \
            __signbit* __issignal* llogb* roundeven* __muldc3 __mulsc3 __divdc3 __divsc3 __mulxc3 __divxc3",
    },
    HarmlessFunctions {
        reason: "Memory of the caller: what is allocated is known to the runtime, or new.",
        names: "__libc_* valloc pvalloc cfree malloc_* mallinfo* mallopt mprotect pkey_* madvise posix_madvise mlock* munlock* msync mincore \
            shm* obstack_* _obstack* reallocarray wcsdup alloca _Zn* _Zd* __cxa_allocate* __cxa_free* __cxa_vec* memfd_create",
    },
    HarmlessFunctions {
        reason: "They make, describe or destroy an object of one thread, or say which thread it is.",
        names: "pthread_attr_* pthread_mutexattr_* pthread_condattr_* pthread_rwlockattr_* pthread_barrierattr_* pthread_mutex_init \
            pthread_mutex_destroy pthread_mutex_consistent pthread_mutex_setprioceiling pthread_mutex_getprioceiling pthread_cond_init pthread_cond_destroy \
            pthread_rwlock_init pthread_rwlock_destroy pthread_spin_init pthread_spin_destroy pthread_barrier_init pthread_self pthread_equal \
            pthread_key_* pthread_getspecific pthread_setspecific pthread_setname_np pthread_getname_np pthread_setaffinity_np \
            pthread_getaffinity_np pthread_getattr_np pthread_getattr_default_np pthread_setattr_default_np pthread_getschedparam \
            pthread_setschedparam pthread_setschedprio pthread_getcpuclockid pthread_setconcurrency pthread_getconcurrency pthread_atfork \
            __register_atfork pthread_yield sem_init sem_destroy sem_getvalue sem_open sem_close sem_unlink mtx_init mtx_destroy cnd_init \
            cnd_destroy tss_* thrd_current thrd_equal gettid semget semctl msgget msgctl mq_open mq_close mq_unlink mq_getattr mq_setattr \
            timer_create timer_delete timer_gettime timer_getoverrun",
    },
    HarmlessFunctions {
        reason: "The thread ends, or unwinds its own stack; what it calls by that is seen.",
        names: "pthread_exit thrd_exit __pthread_register_cancel* __pthread_unregister_cancel* __pthread_unwind* _pthread_cleanup_* _Unwind_* \
            __gxx_personality* __gcc_personality* __cxa_throw* __cxa_rethrow* __cxa_begin_catch __cxa_get_* __cxa_current_* __cxa_init_* \
            __cxa_call_* __cxa_bad_* __cxa_pure_virtual __cxa_deleted_virtual __cxa_demangle __cxa_uncaught* _setjmp __sigsetjmp setjmp \
            longjmp siglongjmp _longjmp __longjmp_chk __register_frame* __deregister_frame* backtrace* __dynamic_cast rust_eh_personality",
    },
    HarmlessFunctions {
        reason: "They hold the lock of a stream during the call only: in which order two threads print, they do not find out.",
        names: "printf vprintf fprintf vfprintf dprintf vdprintf __printf* __fprintf* __vprintf* __vfprintf* __dprintf* puts fputs putc \
            putchar fputc fputwc putwc fputws wprintf fwprintf vfwprintf fwrite fputs_unlocked fputc_unlocked putc_unlocked putchar_unlocked \
            fwrite_unlocked perror psignal psiginfo fflush* fclose fopen* freopen* fdopen fmemopen open_memstream setvbuf setbuf* setlinebuf \
            fileno* feof* ferror* clearerr* fseek* ftell* rewind fgetpos* fsetpos* tmpfile* fcloseall __fbufsize __fpending __overflow __fsetlocking \
            _IO_putc popen pclose syslog vsyslog openlog closelog setlogmask",
    },
    HarmlessFunctions {
        reason: "Files and processes by their names and numbers: threads that pass them on are seen, and so is what goes through pipes and sockets.",
        names: "open open64 openat* __open* creat* stat* fstat* lstat* __xstat* __fxstat* __lxstat* statx statfs* fstatfs* statvfs* fstatvfs* \
            lseek* truncate* ftruncate* fallocate* posix_fallocate* posix_fadvise* fsync fdatasync sync syncfs readahead unlink* remove rename* \
            link linkat symlink* readlink* realpath* __realpath* canonicalize_file_name mkdir* rmdir mkfifo* mknod* mktemp mkstemp* mkostemp* \
            mkdtemp opendir fdopendir readdir* closedir rewinddir seekdir telldir dirfd scandir* alphasort* glob* ftw* nftw* fts_* getcwd \
            get_current_dir_name chdir fchdir chroot access faccessat eaccess euidaccess chmod fchmod* chown fchown* lchown utime* futime* \
            umask dup dup2 dup3 pipe pipe2 fcntl* __fcntl* ioctl socket socketpair bind listen getsockname getpeername getsockopt setsockopt \
            sockatmark epoll_create* eventfd inotify_* fanotify_* signalfd getaddrinfo freeaddrinfo gai_strerror getnameinfo gethostby* \
            getservby* getprotoby* getifaddrs freeifaddrs pidfd_* pread* pwrite* preadv* pwritev* copy_file_range sendfile* splice tee vmsplice \
            mount umount* isatty ttyname* tcgetattr tcsetattr cf* ptsname* grantpt unlockpt posix_openpt openpty getxattr* setxattr* \
            posix_spawn_* posix_spawnattr_* exec* _exit _Exit exit quick_exit atexit at_quick_exit on_exit abort __cxa_atexit __cxa_at_quick_exit \
            __cxa_finalize __cxa_thread_atexit* __assert* __errno_location __stack_chk_fail __fortify_fail __chk_fail __fdelt_chk error error_at_line \
            err errx warn warnx verr* vwarn* daemon setsid setpgid getpgid getpgrp setpgrp getsid nice getpriority setpriority",
    },
    HarmlessFunctions {
        reason: "What the system says of itself and of the process.",
        names: "getpid getppid getuid geteuid getgid getegid setuid setgid seteuid setegid setre* getgroups setgroups initgroups getpw* getgr* \
            getlogin* endpw* setpw* uname gethostname sethostname getdomainname sysconf pathconf fpathconf getpagesize getrlimit* setrlimit* \
            prlimit* getrusage sysinfo get_phys_pages get_avphys_pages getloadavg get_nprocs_conf __sched_cpu* __sched_get* sched_getcpu getcpu \
            sched_setaffinity sched_get_priority* sched_getparam sched_setparam sched_getscheduler sched_setscheduler sched_rr_get_interval \
            getenv secure_getenv __secure_getenv setenv unsetenv putenv clearenv getauxval prctl personality times clock clock_getres \
            clock_getcpuclockid clock_settime ctime* asctime* gmtime* localtime* mktime timegm timelocal strftime* strptime* difftime tzset \
            ftime adjtime* timespec_get timespec_getres utimes rand srand random srandom initstate setstate setlocale newlocale uselocale \
            duplocale freelocale localeconv gettext dgettext dcgettext ngettext textdomain bindtextdomain bind_textdomain_codeset \
            catopen catgets catclose __tls_get_addr dlopen dlsym dlvsym dlclose dlerror dladdr* dl_iterate_phdr dlinfo __libc_start_main \
            __gmon_start__ _ITM_* __sysconf __getdelim __fgets_chk __ppoll_chk",
    },
    HarmlessFunctions {
        reason: "Sets of signals, and stacks for handlers: sending, blocking and waiting for signals is seen.",
        names: "sigemptyset sigfillset sigaddset sigdelset sigismember sigisemptyset sigandset sigorset sigpending sigaltstack siginterrupt \
            strsignal sigabbrev_np sigdescr_np getitimer",
    },
    HarmlessFunctions {
        reason: "GCC's C++ library: it waits and locks by functions of the C library, which are seen, and counts references by itself.",
        names: "_ZSt* _ZNSt* _ZNKSt* _ZNSa* _ZNKSa* _ZNSs* _ZNKSs* _ZNSo* _ZNKSo* _ZNSi* _ZNKSi* _ZNSd* _ZTv* _ZThn* _ZNVSt* _ZGVNSt* _ZN9__gnu_cxx* \
            _ZNK9__gnu_cxx* _ZN10__cxxabiv1* _ZNK10__cxxabiv1* _ZN14__gnu_parallel* _ZNSs*",
    },
    HarmlessFunctions {
        reason: "Arithmetic of the compiler.",
        names: "__popcount* __clz* __ctz* __ffs* __parity* __bswap* __div* __udiv* __mod* __umod* __mul* __add* __sub* __neg* __ash* __lshr* \
            __ashr* __cmp* __ucmp* __fix* __float* __trunc* __extend* __eq* __ne* __lt* __le* __gt* __ge* __unord* __pow* __emutls* __cpu_* \
            __morestack* __absv* __negv* __splitstack*",
    },
    HarmlessFunctions {
        reason: "The loader and the runtime itself.",
        names: "_dl_* __ehdr_start __start_* __stop_* omnilink_* __tsan_* __sanitizer_* Annotate* _init _fini main __deregister_tm* \
            __register_tm* _Jv_* __cyg_profile*",
    },
    HarmlessFunctions {
        reason: "Rust's library uses them at the start of a program.",
        names: "poll __pthread_get_minstack gnu_get_libc_version __xpg_strerror_r statx getentropy",
    },
    HarmlessFunctions {
        reason: "They read a stream of the thread's own: what comes through one from another thread, they wait for in the system.",
        names: "stdin stdout stderr environ __environ program_invocation*",
    },
    HarmlessFunctions {
        reason: "Error messages.",
        names: "strerror* __strerror* hstrerror sys_err* sys_nerr gai_strerror",
    },
    HarmlessFunctions {
        reason: "Debugging and coverage.",
        names: "__gcov* __llvm_profile* __asan* __ubsan* mtrace muntrace mcheck* __valgrind*",
    },
];

/// Whether a function is one of these.
pub fn is_harmless(name: &[u8]) -> bool {
    let Some(first) = name.first() else {
        return true;
    };
    let mut groups = HARMLESS.iter();
    groups.any(|group| {
        let mut patterns = group.names.as_bytes().split(|byte| byte.is_ascii_whitespace());
        patterns.any(|pattern| match pattern {
            [] => false,
            [begin, ..] if begin != first => false,
            [prefix @ .., b'*'] => name.starts_with(prefix),
            pattern => name == pattern,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn what_may_order_threads_is_not_harmless() {
        for name in [
            "flock",
            "lockf",
            "swapcontext",
            "GOMP_parallel",
            "sqlite3_step",
            "fgets",
            "getline",
            "pthread_future_np",
            "aio_suspend",
            "mq_notify",
            "__atomic_load",
            "lio_listio",
        ] {
            assert!(!is_harmless(name.as_bytes()), "{name}");
        }
        for name in [
            "memcpy",
            "printf",
            "_ZNSt6thread4joinEv",
            "sinf",
            "pthread_attr_init",
            "_Unwind_Resume",
        ] {
            assert!(is_harmless(name.as_bytes()), "{name}");
        }
    }
}
