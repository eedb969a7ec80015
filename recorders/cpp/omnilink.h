/* omnilink.h: records the operations of a concurrent C program as a trace for `omnilink check` and `omnilink validate`.
 *
 *   omnilink_recorder *recorder = omnilink_create("traces/run-1", NULL, message, sizeof message);
 *   omnilink_log *log = omnilink_thread(recorder, 0);         // one log per thread
 *   omnilink_call(log, "enqueue");
 *   omnilink_arg_int(log, "value", 3);
 *   omnilink_begin(log);                                      // the timebox starts here
 *   bool ok = enqueue(queue, 3);
 *   omnilink_end_bool(log, ok);                               // the timebox ends first, then the result is recorded
 *   omnilink_close(log);
 *   int failed = omnilink_finish(recorder, message, sizeof message);
 *
 * Then: omnilink check traces/run-1 --model queue
 *
 * Header-only, C11 or C++17, GCC or Clang, POSIX; link with -pthread. In C++ include omnilink.hpp, which wraps this file.
 *
 * Decisions (the same as those of the Rust recorder, and the same files):
 * - Each thread writes its own file through shared memory. A store is in the kernel's page cache at once, so it survives
 *   abort(), SIGSEGV, std::terminate and kill -9, and no signal handler is needed.
 * - One byte commits. A record is a complete pending operation in the file before the operation starts. Its end is written
 *   behind it, and becomes part of it by changing the first byte. However the process dies, the file is complete records and
 *   a tail that no reader takes for one.
 * - The timebox contains the operation: the clock is read between fences, after everything that recording does before a call
 *   and before everything that it does after one.
 * - No lock, no allocation and no system call per operation; one round of system calls per chunk (1 MiB), between operations.
 *
 * If a file cannot grow or the clock goes back, recording stops on all threads with one message on standard error; the program
 * goes on, operations are counted instead of recorded, and omnilink_finish reports it. What was recorded stays a sound trace.
 *
 * License: MIT OR Apache-2.0.
 */
#ifndef OMNILINK_H
#define OMNILINK_H

#if !defined(__unix__) && !defined(__APPLE__)
#error "omnilink.h needs a POSIX system: it records through shared memory mappings"
#endif

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* sched_setaffinity, fallocate, CLOCK_MONOTONIC_RAW; include this file first if they are missing */
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Which clock to read. */
typedef enum omnilink_clock {
  OMNILINK_CLOCK_AUTO = 0,      /* the time-stamp counter where it can be trusted, else the raw monotonic clock */
  OMNILINK_CLOCK_TSC = 1,       /* the time-stamp counter; an error where it cannot be trusted */
  OMNILINK_CLOCK_MONOTONIC = 2, /* the raw monotonic clock */
} omnilink_clock;

/* Options of a recorder; all zero is the default. */
typedef struct omnilink_options {
  omnilink_clock clock;
  bool loads_only;    /* do not drain the store buffer at the end of an operation; check such traces for sequential consistency */
  size_t chunk_bytes; /* how much a file grows at a time; 0 is 1 MiB */
} omnilink_options;

typedef struct omnilink_recorder omnilink_recorder;
typedef struct omnilink_log omnilink_log;

enum {
  OMNILINK_DEPTH_MAX_ = 32,
  OMNILINK_LABEL_MAX_ = 96,
  OMNILINK_END_RESERVE_ = 512, /* kept free behind a record that starts, so that its end seldom needs a new chunk */
};

struct omnilink_recorder {
  char *directory;
  bool uses_tsc, loads_only, is_scheduled;
  int64_t ticks_per_second;
  size_t chunk_bytes, page_bytes;
  pid_t owner; /* a forked child must leave the recording alone */
  unsigned forks; /* how often this process was forked off when it made the recorder */
  bool has_stopped;
  pthread_mutex_t mutex; /* guards everything below */
  unsigned char *header; /* MessagePack of the caller's own header fields */
  size_t header_bytes, header_fields;
  omnilink_log *logs; /* open and closed */
  uint64_t next_number, open_logs, lost, operations;
  char stop_message[512];
};

/* One thread's part of the recording. Use it from one thread at a time. */
struct omnilink_log {
  omnilink_recorder *recorder;
  uintptr_t origin;    /* the address that offset 0 of the file would have; only offsets of the mapped window are valid */
  size_t window_end;   /* the first offset behind the window */
  size_t position;     /* where the next byte goes */
  size_t record_start; /* where the current record starts */
  size_t published_to; /* the end of the last published record, as far as it is published */
  size_t start_at;     /* where the start time of the open operation is */
  size_t count_at;     /* where the number of arguments goes */
  int64_t last_time, end_time;
  uint32_t arguments;
  unsigned char fields;
  bool is_prepared, is_open, has_end_time, has_ret, has_meta, has_failed;
  unsigned char depth;
  uint64_t remaining[OMNILINK_DEPTH_MAX_]; /* values still owed to each open array or map; [0] is the current slot */
  int file;
  size_t allocated, map_bytes;
  void *map;
  char *path;
  char label[OMNILINK_LABEL_MAX_];
  bool label_is_number;
  int64_t label_number;
  unsigned char preamble[OMNILINK_LABEL_MAX_ + 16];
  size_t preamble_bytes;
  uint64_t number, operations, pending, lost;
  bool is_closed;
  omnilink_log *next;
};

/* ---- Time -------------------------------------------------------------------------------------------------------------- */

/* Waits until all earlier loads are complete, and keeps everything later from starting. */
static inline void omnilink_complete_loads_(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#if defined(__x86_64__)
  _mm_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("dsb ishld\n\tisb" ::: "memory");
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Waits until all earlier stores can be seen by every core: a store may still be in the core's buffer when the instruction is
 * done, and the operation would take effect after its recorded end. */
static inline void omnilink_complete_stores_(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#if defined(__aarch64__)
  __asm__ volatile("dsb ish" ::: "memory");
#endif
}

static inline int64_t omnilink_monotonic_ns_(void) {
  struct timespec now;
#if defined(CLOCK_MONOTONIC_RAW)
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A program that was built for `omnilink fuzz --chaos schedule` runs one thread at a time, and a seed decides which. There, a
 * counter is the clock: readings are the same in every run of a seed, and never equal. The scheduler's runtime has this function. */
#if defined(__linux__)
#if defined(__cplusplus)
extern "C" uint64_t omnilink_step(void) __attribute__((weak));
#else
extern uint64_t omnilink_step(void) __attribute__((weak));
#endif
__attribute__((weak)) int64_t omnilink_readings_ = 0;
__attribute__((weak)) int64_t omnilink_stop_at_ = -1; /* OMNILINK_STOP_AT: the reading at which a debugger gets the process */

static inline bool omnilink_is_scheduled_(void) {
  if (omnilink_step == NULL || getenv("OMNILINK_SEED") == NULL) return false;
  const char *stop_at = getenv("OMNILINK_STOP_AT");
  if (stop_at != NULL) omnilink_stop_at_ = strtoll(stop_at, NULL, 10);
  return true;
}

static inline int64_t omnilink_read_counter_(void) {
  if (++omnilink_readings_ == omnilink_stop_at_) raise(SIGTRAP); /* the operation starts: go up to the harness's frame */
  return omnilink_readings_;
}
#else
static inline bool omnilink_is_scheduled_(void) { return false; }
static inline int64_t omnilink_read_counter_(void) { return 0; }
#endif

static inline int64_t omnilink_read_clock_(const omnilink_recorder *recorder) {
  if (recorder->is_scheduled) return omnilink_read_counter_();
#if defined(__x86_64__) && defined(__linux__)
  if (recorder->uses_tsc) return (int64_t)__rdtsc();
#endif
  return omnilink_monotonic_ns_();
}

#if defined(__x86_64__) && defined(__linux__)
typedef struct omnilink_lag_ {
  int64_t latest;
  bool has_lagged, may_go;
  int rounds;
} omnilink_lag_;

typedef struct omnilink_lag_thread_ {
  omnilink_lag_ *lag;
  int core;
} omnilink_lag_thread_;

/* Compares the counter of one core with the latest value that another core has published. */
static inline void *omnilink_compare_core_(void *argument) {
  omnilink_lag_thread_ *thread = (omnilink_lag_thread_ *)argument;
  omnilink_lag_ *lag = thread->lag;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET((size_t)thread->core, &only);
  (void)sched_setaffinity(0, sizeof only, &only);
  while (!__atomic_load_n(&lag->may_go, __ATOMIC_ACQUIRE)) sched_yield();
  for (int i = 0; i < lag->rounds; i++) {
    int64_t published = __atomic_load_n(&lag->latest, __ATOMIC_SEQ_CST);
    omnilink_complete_loads_();
    int64_t now = (int64_t)__rdtsc();
    if (now < published) __atomic_store_n(&lag->has_lagged, true, __ATOMIC_RELAXED);
    while (published < now &&
           !__atomic_compare_exchange_n(&lag->latest, &published, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
  }
  return NULL;
}

static inline bool omnilink_some_core_lags_(void) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return true;
  int cores = CPU_COUNT(&allowed);
  omnilink_lag_ lag = {0, false, false, cores > 100 ? 200 : 20000 / (cores > 0 ? cores : 1)};
  pthread_t *threads = (pthread_t *)calloc((size_t)cores, sizeof *threads);
  omnilink_lag_thread_ *arguments = (omnilink_lag_thread_ *)calloc((size_t)cores, sizeof *arguments);
  int started = 0;
  if (threads != NULL && arguments != NULL) {
    for (int core = 0; core < CPU_SETSIZE && started < cores; core++) {
      if (!CPU_ISSET((size_t)core, &allowed)) continue;
      arguments[started].lag = &lag;
      arguments[started].core = core;
      if (pthread_create(&threads[started], NULL, omnilink_compare_core_, &arguments[started]) != 0) break;
      started++;
    }
  }
  __atomic_store_n(&lag.may_go, true, __ATOMIC_RELEASE);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  free(threads);
  free(arguments);
  return lag.has_lagged;
}

static inline double omnilink_tsc_rate_(void) {
  struct timespec span = {0, 10000000};
  int64_t ticks[3], ns[3];
  for (int i = 0; i < 3; i++) {
    int64_t best = INT64_MAX;
    for (int attempt = 0; attempt < 8; attempt++) { /* the shortest attempt was not interrupted */
      omnilink_complete_loads_();
      int64_t before = (int64_t)__rdtsc(), now = omnilink_monotonic_ns_();
      omnilink_complete_loads_();
      int64_t after = (int64_t)__rdtsc();
      if (after - before < best) {
        best = after - before;
        ticks[i] = before + (after - before) / 2;
        ns[i] = now;
      }
    }
    if (i < 2) nanosleep(&span, NULL);
  }
  double early = (double)(ticks[1] - ticks[0]) / (double)(ns[1] - ns[0]);
  double late = (double)(ticks[2] - ticks[1]) / (double)(ns[2] - ns[1]);
  double whole = (double)(ticks[2] - ticks[0]) / (double)(ns[2] - ns[0]);
  double difference = early > late ? early - late : late - early;
  return difference <= whole * 1e-3 && whole > 1e-3 ? whole * 1e9 : 0;
}
#endif

/* The counter's ticks per second, or 0 with the reason if it cannot be trusted: the processor must promise a constant rate,
 * the kernel, which watches the counter on all packages, must use it itself, no core may lag behind another, and its rate
 * against the monotonic clock must be steady. Takes some 20 ms. */
static inline int64_t omnilink_examine_tsc_(const char **reason) {
#if defined(__x86_64__) && defined(__linux__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) || (edx & (1u << 8)) == 0) {
    *reason = "the processor does not promise a constant rate";
    return 0;
  }
  char source[32] = {0};
  FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
  if (file != NULL) {
    if (fgets(source, sizeof source, file) == NULL) source[0] = 0;
    fclose(file);
  }
  if (strcmp(source, "tsc\n") != 0) {
    *reason = "the kernel itself does not use it (/sys/devices/system/clocksource/clocksource0/current_clocksource)";
    return 0;
  }
  if (omnilink_some_core_lags_()) {
    *reason = "its readings differ between cores";
    return 0;
  }
  for (int attempt = 0; attempt < 3; attempt++) {
    double rate = omnilink_tsc_rate_();
    if (rate > 0) return (int64_t)(rate + 0.5);
  }
  *reason = "its rate against the system's clock is not steady";
  return 0;
#else
  *reason = "it is only examined on Linux, x86-64";
  return 0;
#endif
}

/* ---- Stopping ---------------------------------------------------------------------------------------------------------- */

/* How often this process was forked off since the library was loaded. In a child the files are not mapped any more: to it, a recorder that it
 * inherits has stopped. */
__attribute__((weak)) unsigned omnilink_forks_ = 0;
__attribute__((weak)) pthread_once_t omnilink_forks_once_ = PTHREAD_ONCE_INIT;

static inline void omnilink_forked_(void) { omnilink_forks_++; }
static inline void omnilink_watch_forks_(void) { (void)pthread_atfork(NULL, NULL, omnilink_forked_); }

static inline bool omnilink_has_stopped_(const omnilink_recorder *recorder) {
  if (recorder->forks != omnilink_forks_) return true;
  return __atomic_load_n(&recorder->has_stopped, __ATOMIC_RELAXED);
}

/* Stops recording on all threads, and says so once: a harness that never asks would not learn of it. */
__attribute__((cold, format(printf, 2, 3))) static inline void omnilink_stop_(omnilink_log *log, const char *format, ...) {
  omnilink_recorder *recorder = log->recorder;
  log->has_failed = true;
  log->window_end = log->position; /* no room: every later write fails */
  pthread_mutex_lock(&recorder->mutex);
  if (recorder->stop_message[0] == 0) {
    int length = snprintf(recorder->stop_message, sizeof recorder->stop_message, "thread %s: ", log->label);
    va_list arguments;
    va_start(arguments, format);
    if (length >= 0 && (size_t)length < sizeof recorder->stop_message)
      vsnprintf(recorder->stop_message + length, sizeof recorder->stop_message - (size_t)length, format, arguments);
    va_end(arguments);
    fprintf(stderr, "omnilink: recording stopped: %s\n", recorder->stop_message);
  }
  pthread_mutex_unlock(&recorder->mutex);
  __atomic_store_n(&recorder->has_stopped, true, __ATOMIC_RELAXED);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------------- */

static inline unsigned char *omnilink_at_(omnilink_log *log, size_t offset) {
  return (unsigned char *)(log->origin + offset); /* NOLINT: an offset of the mapped window */
}

/* Makes room on the disk before a page is mapped: a store to a page without room is a SIGBUS. The zeros bring the pages into
 * the page cache in large pieces, and are the allocation where a file system cannot allocate. */
static inline int omnilink_make_room_(int file, size_t offset, size_t bytes) {
#if defined(__linux__)
  while (fallocate(file, 0, (off_t)offset, (off_t)bytes) != 0) {
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS) break;
    return -1;
  }
#endif
  static const unsigned char zeros[64 << 10] = {0};
  for (size_t done = 0; done < bytes;) {
    size_t piece = bytes - done < sizeof zeros ? bytes - done : sizeof zeros;
    ssize_t written = pwrite(file, zeros, piece, (off_t)(offset + done));
    if (written < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    done += (size_t)written;
  }
  return 0;
}

/* Maps the file from the page of the current record to the end of the next chunk. */
__attribute__((cold, noinline)) static bool omnilink_grow_(omnilink_log *log, size_t bytes) {
  if (log->has_failed) return false;
  omnilink_recorder *recorder = log->recorder;
  if (bytes > SIZE_MAX / 4 || log->position > SIZE_MAX / 4) {
    omnilink_stop_(log, "a value of %zu bytes is too large", bytes);
    return false;
  }
  size_t start = log->record_start - log->record_start % recorder->page_bytes;
  size_t end = log->position + bytes;
  end += (recorder->chunk_bytes - end % recorder->chunk_bytes) % recorder->chunk_bytes;
  if (end < log->allocated) end = log->allocated;
  if (end > log->allocated && omnilink_make_room_(log->file, log->allocated, end - log->allocated) != 0) {
    omnilink_stop_(log, "%s: cannot make room for the trace: %s", log->path, strerror(errno));
    return false;
  }
  void *map = mmap(NULL, end - start, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, (off_t)start);
  if (map == MAP_FAILED) {
    omnilink_stop_(log, "%s: cannot map the trace into memory: %s", log->path, strerror(errno));
    return false;
  }
#if defined(__linux__)
  /* MADV_POPULATE_WRITE, by number because older C libraries do not name it: page faults stay out of the timeboxes. Kernels
   * before 5.14 answer EINVAL, and their pages fault in one by one. */
  if (madvise(map, end - start, 23) != 0 && errno != EINVAL) {
    int error = errno;
    munmap(map, end - start);
    omnilink_stop_(log, "%s: cannot make the trace's pages writable: %s", log->path, strerror(error));
    return false;
  }
  (void)madvise(map, end - start, MADV_DONTFORK); /* a forked child would write into the same file */
#endif
  if (log->map != NULL) munmap(log->map, log->map_bytes);
  log->map = map;
  log->map_bytes = end - start;
  log->allocated = end;
  log->origin = (uintptr_t)map - start;
  log->window_end = end;
  return true;
}

static inline bool omnilink_reserve_(omnilink_log *log, size_t bytes) {
  return bytes <= log->window_end - log->position || omnilink_grow_(log, bytes);
}

static inline void omnilink_put_(omnilink_log *log, const void *bytes, size_t count) {
  if (omnilink_reserve_(log, count)) {
    memcpy(omnilink_at_(log, log->position), bytes, count);
    log->position += count;
  }
}

#define OMNILINK_PUT_LITERAL_(log, text) omnilink_put_(log, text, sizeof text - 1)

static inline void omnilink_put_tagged_(omnilink_log *log, unsigned char tag, uint64_t value, int bytes) {
  unsigned char encoded[9];
  encoded[0] = tag;
  for (int i = 0; i < bytes; i++) encoded[1 + i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
  omnilink_put_(log, encoded, 1 + (size_t)bytes);
}

static inline void omnilink_put_head_(omnilink_log *log, unsigned char small, size_t small_max, unsigned char tag16,
                                      size_t count) {
  if (count <= small_max) {
    unsigned char head = (unsigned char)(small | count);
    omnilink_put_(log, &head, 1);
  } else if (count <= 0xffff) {
    omnilink_put_tagged_(log, tag16, count, 2);
  } else {
    omnilink_put_tagged_(log, (unsigned char)(tag16 + 1), count, 4);
  }
}

/* A trace holds Unicode. Of a text that is not, a wrong byte is written \xff, so that two texts that differ do not look alike; for the same
 * reason a backslash that begins what looks like such an escape is written \x5c. All recorders do the same: crates/record/src/text.rs. */
#define OMNILINK_ESCAPE_BYTES_ 4

/* The bytes of the character that begins here; 0 if it is no UTF-8. */
static inline size_t omnilink_character_(const unsigned char *at, size_t left) {
  if (at[0] < 0x80) return 1;
  size_t bytes = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4 || left < bytes) return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  bool is_overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
  bool is_beyond = (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f);
  return is_overlong || is_beyond ? 0 : bytes;
}

static inline bool omnilink_are_digits_(const unsigned char *at, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!((at[i] >= '0' && at[i] <= '9') || (at[i] >= 'a' && at[i] <= 'f'))) return false;
  return true;
}

/* How many bytes from here on are written as they are: up to a wrong byte, or a backslash that looks like the beginning of an escape. */
static inline size_t omnilink_plain_bytes_(const char *text, size_t bytes) {
  const unsigned char *at = (const unsigned char *)text;
  size_t plain = 0;
  while (plain < bytes) {
    size_t left = bytes - plain, character = omnilink_character_(at + plain, left);
    if (character == 0) break;
    const unsigned char *next = at + plain;
    if (*next == '\\' && left >= 4 && next[1] == 'x' && omnilink_are_digits_(next + 2, 2)) break;
    if (*next == '\\' && left >= 6 && next[1] == 'u' && next[2] == 'd' && omnilink_are_digits_(next + 3, 3)) break;
    plain += character;
  }
  return plain;
}

/* The bytes of a text with its escapes. */
static inline size_t omnilink_escaped_bytes_(const char *text, size_t bytes) {
  size_t escapes = 0;
  for (size_t at = omnilink_plain_bytes_(text, bytes); at < bytes; at += omnilink_plain_bytes_(text + at, bytes - at)) {
    escapes++;
    at++;
  }
  return bytes + escapes * (OMNILINK_ESCAPE_BYTES_ - 1);
}

/* Writes a text with its escapes to where there is room for them. */
static inline void omnilink_escape_(unsigned char *to, const char *text, size_t bytes) {
  static const char digits[] = "0123456789abcdef";
  for (size_t at = 0; at < bytes; at++) {
    size_t plain = omnilink_plain_bytes_(text + at, bytes - at);
    memcpy(to, text + at, plain);
    to += plain;
    at += plain;
    if (at == bytes) return;
    unsigned char wrong = (unsigned char)text[at];
    *to++ = '\\';
    *to++ = 'x';
    *to++ = (unsigned char)digits[wrong >> 4];
    *to++ = (unsigned char)digits[wrong & 15];
  }
}

static inline void omnilink_put_text_(omnilink_log *log, const char *text, size_t bytes) {
  size_t escaped = omnilink_escaped_bytes_(text, bytes);
  if (escaped > 31 && escaped <= 0xff) {
    omnilink_put_tagged_(log, 0xd9, escaped, 1);
  } else {
    omnilink_put_head_(log, 0xa0, 31, 0xda, escaped);
  }
  if (escaped == bytes) {
    omnilink_put_(log, text, bytes);
  } else if (omnilink_reserve_(log, escaped)) {
    omnilink_escape_(omnilink_at_(log, log->position), text, bytes);
    log->position += escaped;
  }
}

static inline void omnilink_put_int_(omnilink_log *log, int64_t value) {
  if (value >= -32 && value <= 127) {
    unsigned char small = (unsigned char)value;
    omnilink_put_(log, &small, 1);
  } else {
    omnilink_put_tagged_(log, 0xd3, (uint64_t)value, 8);
  }
}

/* Makes the current record, as far as it is written, part of the file. The byte behind it is zero first, so that what follows
 * a complete record is a complete record, a zero, or a string that belongs to an end that is not published yet. */
static inline void omnilink_publish_(omnilink_log *log, unsigned char first) {
  static const unsigned char zero = 0;
  size_t end = log->position;
  omnilink_put_(log, &zero, 1);
  if (log->has_failed) return;
  log->position = end;
  __atomic_store_n(omnilink_at_(log, log->record_start), first, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  log->published_to = end;
}

/* ---- Values ------------------------------------------------------------------------------------------------------------ */

/* Every value fills one slot. The slots that are still to be filled are counted, so that no malformed trace is written. */
static inline bool omnilink_fill_(omnilink_log *log) {
  if (!log->is_prepared) return false;
  if (log->remaining[log->depth] == 0) {
    omnilink_stop_(log, "a value was given where none is due; give an argument's name first");
    return false;
  }
  log->remaining[log->depth]--;
  return true;
}

static inline void omnilink_close_filled_(omnilink_log *log) {
  while (log->depth > 0 && log->remaining[log->depth] == 0) log->depth--;
}

static inline void omnilink_open_(omnilink_log *log, uint64_t slots) {
  if (log->depth + 1 >= OMNILINK_DEPTH_MAX_) {
    omnilink_stop_(log, "a value is nested more than %d deep", OMNILINK_DEPTH_MAX_ - 1);
    return;
  }
  log->remaining[++log->depth] = slots;
  omnilink_close_filled_(log);
}

static inline void omnilink_int(omnilink_log *log, int64_t value) {
  if (!omnilink_fill_(log)) return;
  omnilink_put_int_(log, value);
  omnilink_close_filled_(log);
}

static inline void omnilink_uint(omnilink_log *log, uint64_t value) {
  if (value <= (uint64_t)INT64_MAX) {
    omnilink_int(log, (int64_t)value);
    return;
  }
  if (!omnilink_fill_(log)) return;
  omnilink_put_tagged_(log, 0xcf, value, 8);
  omnilink_close_filled_(log);
}

static inline void omnilink_bool(omnilink_log *log, bool value) {
  if (!omnilink_fill_(log)) return;
  unsigned char byte = value ? 0xc3 : 0xc2;
  omnilink_put_(log, &byte, 1);
  omnilink_close_filled_(log);
}

static inline void omnilink_null(omnilink_log *log) {
  if (!omnilink_fill_(log)) return;
  static const unsigned char null = 0xc0;
  omnilink_put_(log, &null, 1);
  omnilink_close_filled_(log);
}

/* A text of this many bytes, in UTF-8. Bytes that are not are kept, too: they are escapes in the trace. */
static inline void omnilink_text(omnilink_log *log, const char *text, size_t bytes) {
  if (!omnilink_fill_(log)) return;
  if (bytes > UINT32_MAX / OMNILINK_ESCAPE_BYTES_) {
    omnilink_stop_(log, "a text of %zu bytes is too large", bytes);
    return;
  }
  omnilink_put_text_(log, text, bytes);
  omnilink_close_filled_(log);
}

static inline void omnilink_str(omnilink_log *log, const char *text) {
  if (text == NULL) {
    omnilink_null(log);
  } else {
    omnilink_text(log, text, strlen(text));
  }
}

/* An array (a TLA+ tuple): `count` values follow. */
static inline void omnilink_array(omnilink_log *log, size_t count) {
  if (!omnilink_fill_(log)) return;
  omnilink_put_head_(log, 0x90, 15, 0xdc, count);
  omnilink_open_(log, count);
}

/* A record: `count` fields follow, each an omnilink_key and a value. */
static inline void omnilink_record(omnilink_log *log, size_t count) {
  if (!omnilink_fill_(log)) return;
  omnilink_put_head_(log, 0x80, 15, 0xde, count);
  omnilink_open_(log, 2 * (uint64_t)count);
}

/* The name of the next field of a record. */
static inline void omnilink_key(omnilink_log *log, const char *name) { omnilink_text(log, name, strlen(name)); }

/* A TLA+ set: `count` values follow. */
static inline void omnilink_set(omnilink_log *log, size_t count) {
  omnilink_record(log, 1);
  omnilink_key(log, "$set");
  omnilink_array(log, count);
}

/* A TLA+ function: `count` pairs follow, each an omnilink_array of two. */
static inline void omnilink_function(omnilink_log *log, size_t count) {
  omnilink_record(log, 1);
  omnilink_key(log, "$fn");
  omnilink_array(log, count);
}

/* A TLA+ model value. */
static inline void omnilink_model_value(omnilink_log *log, const char *name) {
  omnilink_record(log, 1);
  omnilink_key(log, "$model");
  omnilink_str(log, name);
}

/* ---- Operations -------------------------------------------------------------------------------------------------------- */

static inline void omnilink_write_preamble_(omnilink_log *log) {
  unsigned char *next = log->preamble;
  *next++ = 0; /* published later */
  memcpy(next, "\xa6thread", 7);
  next += 7;
  if (log->label_is_number) {
    if (log->label_number >= -32 && log->label_number <= 127) {
      *next++ = (unsigned char)log->label_number;
    } else {
      *next++ = 0xd3;
      for (int i = 7; i >= 0; i--) *next++ = (unsigned char)((uint64_t)log->label_number >> (8 * i));
    }
  } else {
    size_t bytes = strlen(log->label);
    if (bytes > 31) {
      *next++ = 0xd9;
      *next++ = (unsigned char)bytes;
    } else {
      *next++ = (unsigned char)(0xa0 | bytes);
    }
    memcpy(next, log->label, bytes);
    next += bytes;
  }
  memcpy(next, "\xa2op", 3);
  log->preamble_bytes = (size_t)(next + 3 - log->preamble);
}

/* An operation that never ends may take effect at any later time, so nothing of the same thread can come after it: the log
 * goes on under another label, 3'1 after 3. */
__attribute__((cold, noinline)) static void omnilink_go_on_after_pending_(omnilink_log *log) {
  char base[OMNILINK_LABEL_MAX_];
  memcpy(base, log->label, sizeof base);
  char *quote = strchr(base, '\'');
  if (quote != NULL) *quote = 0;
  log->pending++;
  log->is_open = false;
  log->label_is_number = false;
  snprintf(log->label, sizeof log->label, "%.70s'%" PRIu64, base, log->pending);
  omnilink_write_preamble_(log);
}

/* Starts to record a call of `op`. Its arguments follow: omnilink_arg and a value for each. */
static inline void omnilink_call(omnilink_log *log, const char *op) {
  log->is_prepared = false;
  if (omnilink_has_stopped_(log->recorder)) return;
  if (log->is_open) omnilink_go_on_after_pending_(log);
  log->position = log->record_start = log->published_to;
  log->is_prepared = true;
  log->depth = 0;
  log->remaining[0] = 0;
  log->arguments = 0;
  omnilink_put_(log, log->preamble, log->preamble_bytes);
  if (op == NULL) {
    omnilink_stop_(log, "an operation has no name");
    return;
  }
  omnilink_put_text_(log, op, strlen(op));
  OMNILINK_PUT_LITERAL_(log, "\xa4" "args\xde");
  log->count_at = log->position;
  OMNILINK_PUT_LITERAL_(log, "\0\0");
}

/* The name of the next argument; its value follows. */
static inline void omnilink_arg(omnilink_log *log, const char *name) {
  if (!log->is_prepared) return;
  if (name == NULL) {
    omnilink_stop_(log, "an argument has no name");
    return;
  }
  if (log->depth != 0 || log->remaining[0] != 0) {
    omnilink_stop_(log, "the value of the argument before \"%s\" is not complete", name);
    return;
  }
  log->arguments++;
  omnilink_put_text_(log, name, strlen(name));
  log->remaining[0] = 1;
}

static inline void omnilink_arg_int(omnilink_log *log, const char *name, int64_t value) {
  omnilink_arg(log, name);
  omnilink_int(log, value);
}

static inline void omnilink_arg_bool(omnilink_log *log, const char *name, bool value) {
  omnilink_arg(log, name);
  omnilink_bool(log, value);
}

static inline void omnilink_arg_str(omnilink_log *log, const char *name, const char *value) {
  omnilink_arg(log, name);
  omnilink_str(log, value);
}

/* An operation starts that is not recorded. The fence keeps the flag, set or seen, in front of its effects. */
__attribute__((cold, noinline)) static void omnilink_lose_(omnilink_log *log) {
  log->is_prepared = false;
  log->lost++;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline int64_t omnilink_time_before_(const omnilink_log *log) {
  omnilink_complete_loads_();
  int64_t now = omnilink_read_clock_(log->recorder);
  omnilink_complete_loads_();
  return now;
}

static inline int64_t omnilink_time_after_(const omnilink_log *log) {
  if (!log->recorder->loads_only) omnilink_complete_stores_();
  omnilink_complete_loads_();
  return omnilink_read_clock_(log->recorder);
}

static inline bool omnilink_check_clock_(omnilink_log *log, int64_t now) {
  if (now >= log->last_time) {
    log->last_time = now;
    return true;
  }
  omnilink_stop_(log, "the clock went back by %" PRId64 " ticks", log->last_time - now);
  return false;
}

static inline void omnilink_encode_time_(unsigned char *target, int64_t time) {
  uint64_t big = (uint64_t)time;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  big = __builtin_bswap64(big);
#endif
  memcpy(target, &big, 8); /* one store: a process that dies leaves the old time or the new one */
}

/* The timebox starts: the call is recorded as pending. Whatever the operation does comes after this. */
static inline void omnilink_begin(omnilink_log *log) {
  if (!log->is_prepared) {
    omnilink_lose_(log);
    return;
  }
  if (log->depth != 0 || log->remaining[0] != 0) omnilink_stop_(log, "the value of the last argument is missing");
  if (log->arguments > 0xffff) omnilink_stop_(log, "%u arguments are too many", log->arguments);
  OMNILINK_PUT_LITERAL_(log, "\xa5start\xd3\0\0\0\0\0\0\0\0");
  if (!omnilink_reserve_(log, OMNILINK_END_RESERVE_)) {
    omnilink_lose_(log);
    return;
  }
  omnilink_at_(log, log->count_at)[0] = (unsigned char)(log->arguments >> 8);
  omnilink_at_(log, log->count_at)[1] = (unsigned char)log->arguments;
  log->start_at = log->position - 8;
  int64_t start = omnilink_time_before_(log);
  omnilink_encode_time_(omnilink_at_(log, log->start_at), start);
  log->fields = 4; /* thread, op, args, start */
  log->has_end_time = log->has_ret = log->has_meta = false;
  if (!omnilink_check_clock_(log, start)) {
    omnilink_lose_(log);
    return;
  }
  omnilink_publish_(log, (unsigned char)(0x80 | log->fields));
  if (log->has_failed) {
    omnilink_lose_(log);
    return;
  }
  log->is_open = true;
  log->operations++;
}

/* Moves the start of the timebox to now. Call it where the operation has had no effect yet, such as after waiting for a lock:
 * a shorter timebox overlaps fewer others, and is cheaper to check and stricter. */
static inline void omnilink_tighten_start(omnilink_log *log) {
  if (!log->is_open || omnilink_has_stopped_(log->recorder)) return;
  int64_t start = omnilink_time_before_(log);
  if (omnilink_check_clock_(log, start)) omnilink_encode_time_(omnilink_at_(log, log->start_at), start);
}

/* Ends the timebox now, before the operation returns. Call it where the operation has had all of its effect, such as before
 * releasing a lock. omnilink_end still has to follow. */
static inline void omnilink_tighten_end(omnilink_log *log) {
  if (!log->is_open || log->has_end_time) return;
  log->end_time = omnilink_time_after_(log);
  log->has_end_time = true;
}

/* Forgets the operation as if it had never started: for a harness that finds that it must pick another one. Only where the
 * operation had no effect. */
static inline void omnilink_cancel(omnilink_log *log) {
  if (!log->is_open || log->recorder->forks != omnilink_forks_) return;
  __atomic_store_n(omnilink_at_(log, log->record_start), (unsigned char)0, __ATOMIC_RELEASE);
  log->published_to = log->position = log->record_start;
  log->is_open = log->is_prepared = false;
  log->operations--;
}

/* The operation returned; its timebox ends here, unless omnilink_tighten_end was called. A result may follow (omnilink_ret and a
 * value), and metadata (omnilink_meta and a value), and then omnilink_end. The omnilink_end_… functions do all of it. */
static inline void omnilink_returned(omnilink_log *log) {
  if (!log->is_open) return;
  omnilink_tighten_end(log);
  /* If the operation saw any effect of one that is not recorded, it also sees the flag behind this fence, and stays pending:
   * no operation gets an end that depends on one that is missing. */
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (omnilink_has_stopped_(log->recorder) || !omnilink_check_clock_(log, log->end_time)) {
    log->is_prepared = false;
    return;
  }
  log->depth = 0;
  log->remaining[0] = 0;
}

static inline void omnilink_field_(omnilink_log *log, const char *encoded, size_t bytes) {
  if (!log->is_open || !log->is_prepared) return;
  if (log->depth != 0 || log->remaining[0] != 0) {
    omnilink_stop_(log, "the value before \"%s\" is not complete", encoded + 1);
    return;
  }
  log->fields++;
  omnilink_put_(log, encoded, bytes);
  log->remaining[0] = 1;
}

/* The result follows. */
static inline void omnilink_ret(omnilink_log *log) {
  if (!log->has_ret) omnilink_field_(log, "\xa3ret", 4);
  log->has_ret = true;
}

/* Metadata follows: any value, kept with the operation and ignored by checks. */
static inline void omnilink_meta(omnilink_log *log) {
  if (!log->has_meta) omnilink_field_(log, "\xa4meta", 5);
  log->has_meta = true;
}

/* The operation is over: its end becomes part of the trace. */
static inline void omnilink_end(omnilink_log *log) {
  if (!log->is_open) return;
  if (!log->has_end_time) omnilink_returned(log);
  if (!log->is_prepared) return;
  log->is_prepared = false;
  if (log->depth != 0 || log->remaining[0] != 0) {
    omnilink_stop_(log, "a value of the result is missing");
    return;
  }
  OMNILINK_PUT_LITERAL_(log, "\xa3" "end\xd3");
  unsigned char time[8];
  omnilink_encode_time_(time, log->end_time);
  omnilink_put_(log, time, sizeof time);
  log->fields++;
  omnilink_publish_(log, (unsigned char)(0x80 | log->fields));
  if (!log->has_failed) log->is_open = false;
}

static inline void omnilink_end_int(omnilink_log *log, int64_t result) {
  omnilink_returned(log);
  omnilink_ret(log);
  omnilink_int(log, result);
  omnilink_end(log);
}

static inline void omnilink_end_bool(omnilink_log *log, bool result) {
  omnilink_returned(log);
  omnilink_ret(log);
  omnilink_bool(log, result);
  omnilink_end(log);
}

static inline void omnilink_end_str(omnilink_log *log, const char *result) {
  omnilink_returned(log);
  omnilink_ret(log);
  omnilink_str(log, result);
  omnilink_end(log);
}

static inline void omnilink_end_null(omnilink_log *log) {
  omnilink_returned(log);
  omnilink_ret(log);
  omnilink_null(log);
  omnilink_end(log);
}

/* The system said that the operation failed: it has not taken effect and never will. */
static inline void omnilink_abort(omnilink_log *log) {
  omnilink_returned(log);
  if (log->is_open && log->is_prepared) {
    OMNILINK_PUT_LITERAL_(log, "\xa7" "aborted\xc3");
    log->fields++;
  }
  omnilink_end(log);
}

/* ---- Recorders --------------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static inline void omnilink_explain_(char *message, size_t bytes, const char *format,
                                                                          ...) {
  if (message == NULL || bytes == 0) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, bytes, format, arguments);
  va_end(arguments);
}

/* Creates a folder with its parents; it must be empty. */
static inline bool omnilink_make_folder_(const char *path, char *message, size_t bytes) {
  char partial[PATH_MAX];
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof partial) {
    omnilink_explain_(message, bytes, "the name of the trace folder is empty or too long");
    return false;
  }
  memcpy(partial, path, length + 1);
  for (size_t i = 1; i <= length; i++) {
    if (partial[i] != '/' && partial[i] != 0) continue;
    char kept = partial[i];
    partial[i] = 0;
    if (mkdir(partial, 0777) != 0 && errno != EEXIST) {
      omnilink_explain_(message, bytes, "%s: cannot create the trace folder: %s", partial, strerror(errno));
      return false;
    }
    partial[i] = kept;
  }
  DIR *folder = opendir(path);
  if (folder == NULL) {
    omnilink_explain_(message, bytes, "%s: cannot read the trace folder: %s", path, strerror(errno));
    return false;
  }
  bool is_empty = true;
  for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) is_empty = false;
  closedir(folder);
  if (!is_empty)
    omnilink_explain_(message, bytes, "%s: the folder is not empty, and a folder is one trace; choose another", path);
  return is_empty;
}

/* A recorder that writes one file per thread into `directory`, which is created or must be empty. NULL, with the reason in
 * `message`, if that fails. `options` may be NULL. */
static inline omnilink_recorder *omnilink_create(const char *directory, const omnilink_options *options, char *message,
                                                 size_t bytes) {
  omnilink_options defaults;
  memset(&defaults, 0, sizeof defaults);
  if (options == NULL) options = &defaults;
  const char *reason = "";
  bool is_scheduled = omnilink_is_scheduled_();
  int64_t rate = options->clock == OMNILINK_CLOCK_MONOTONIC || is_scheduled ? 0 : omnilink_examine_tsc_(&reason);
  if (rate == 0 && options->clock == OMNILINK_CLOCK_TSC && !is_scheduled) {
    omnilink_explain_(message, bytes, "the time-stamp counter cannot be used as the clock: %s", reason);
    return NULL;
  }
  if (!omnilink_make_folder_(directory, message, bytes)) return NULL;
  omnilink_recorder *recorder = (omnilink_recorder *)calloc(1, sizeof *recorder);
  char *path = strdup(directory);
  if (recorder == NULL || path == NULL) {
    free(recorder);
    free(path);
    omnilink_explain_(message, bytes, "out of memory");
    return NULL;
  }
  long page = sysconf(_SC_PAGESIZE);
  recorder->directory = path;
  recorder->is_scheduled = is_scheduled;
  recorder->uses_tsc = rate != 0;
  recorder->ticks_per_second = rate != 0 ? rate : 1000000000;
  recorder->loads_only = options->loads_only;
  recorder->page_bytes = page > 0 ? (size_t)page : 65536;
  size_t chunk = options->chunk_bytes != 0 ? options->chunk_bytes : (size_t)1 << 20;
  recorder->chunk_bytes = (chunk + recorder->page_bytes - 1) / recorder->page_bytes * recorder->page_bytes;
  (void)pthread_once(&omnilink_forks_once_, omnilink_watch_forks_);
  recorder->owner = getpid();
  recorder->forks = omnilink_forks_;
  pthread_mutex_init(&recorder->mutex, NULL);
  return recorder;
}

static inline bool omnilink_add_header_(omnilink_recorder *recorder, const void *bytes, size_t count) {
  unsigned char *grown = (unsigned char *)realloc(recorder->header, recorder->header_bytes + count);
  if (grown == NULL) return false;
  if (bytes != NULL) memcpy(grown + recorder->header_bytes, bytes, count);
  recorder->header = grown;
  recorder->header_bytes += count;
  return true;
}

static inline bool omnilink_add_header_text_(omnilink_recorder *recorder, const char *text) {
  size_t bytes = strlen(text), escaped = omnilink_escaped_bytes_(text, bytes);
  unsigned char head[3] = {0xda, (unsigned char)(escaped >> 8), (unsigned char)escaped};
  if (escaped > 0xffff || !omnilink_add_header_(recorder, head, 3) || !omnilink_add_header_(recorder, NULL, escaped)) return false;
  omnilink_escape_(recorder->header + recorder->header_bytes - escaped, text, bytes);
  return true;
}

/* A field of your own in the header of every file, such as a seed. Before the first omnilink_thread; false if it is too late or
 * there is no memory. */
static inline bool omnilink_header_str(omnilink_recorder *recorder, const char *name, const char *value) {
  if (recorder->next_number != 0) return false;
  recorder->header_fields++;
  return omnilink_add_header_text_(recorder, name) && omnilink_add_header_text_(recorder, value);
}

static inline bool omnilink_header_int(omnilink_recorder *recorder, const char *name, int64_t value) {
  if (recorder->next_number != 0) return false;
  unsigned char encoded[9] = {0xd3};
  omnilink_encode_time_(encoded + 1, value);
  recorder->header_fields++;
  return omnilink_add_header_text_(recorder, name) && omnilink_add_header_(recorder, encoded, sizeof encoded);
}

static inline void omnilink_header_field_(omnilink_log *log, const char *name) {
  omnilink_put_text_(log, name, strlen(name));
}

static inline void omnilink_write_header_(omnilink_log *log) {
  omnilink_recorder *recorder = log->recorder;
  char host[256] = {0}, command[4096] = {0};
  gethostname(host, sizeof host - 1);
  FILE *file = fopen("/proc/self/cmdline", "r");
  if (file != NULL) {
    size_t read = fread(command, 1, sizeof command - 1, file);
    fclose(file);
    for (size_t i = 0; i + 1 < read; i++)
      if (command[i] == 0) command[i] = ' ';
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  log->position = log->record_start = log->published_to = 0;
  OMNILINK_PUT_LITERAL_(log, "\0"); /* the first byte of a map of 16 bits, written last */
  unsigned fields = 10 + (unsigned)recorder->header_fields;
  unsigned char count[2] = {(unsigned char)(fields >> 8), (unsigned char)fields};
  omnilink_put_(log, count, 2);
  omnilink_header_field_(log, "omnilink");
  omnilink_put_int_(log, 1);
  omnilink_header_field_(log, "unit");
  omnilink_header_field_(log, recorder->is_scheduled ? "readings" : recorder->uses_tsc ? "tsc" : "ns");
  omnilink_header_field_(log, "ticks_per_second");
  omnilink_put_int_(log, recorder->ticks_per_second);
  omnilink_header_field_(log, "clock");
#if defined(CLOCK_MONOTONIC_RAW)
  omnilink_header_field_(log, recorder->is_scheduled ? "schedule" : recorder->uses_tsc ? "tsc" : "monotonic-raw");
#else
  omnilink_header_field_(log, recorder->is_scheduled ? "schedule" : "monotonic");
#endif
  omnilink_header_field_(log, "host");
  omnilink_header_field_(log, host);
  omnilink_header_field_(log, "pid");
  omnilink_put_int_(log, (int64_t)getpid());
  omnilink_header_field_(log, "command");
  omnilink_header_field_(log, command);
  omnilink_header_field_(log, "recorded_at");
  omnilink_put_int_(log, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
  omnilink_header_field_(log, "thread");
  if (log->label_is_number) {
    omnilink_put_int_(log, log->label_number);
  } else {
    omnilink_header_field_(log, log->label);
  }
  omnilink_header_field_(log, "sorted");
  OMNILINK_PUT_LITERAL_(log, "\xc3");
  omnilink_put_(log, recorder->header, recorder->header_bytes);
  omnilink_publish_(log, 0xde);
}

static inline void omnilink_free_log_(omnilink_log *log) {
  if (log->map != NULL) munmap(log->map, log->map_bytes);
  if (log->file >= 0) close(log->file);
  free(log->path);
  free(log);
}

static inline omnilink_log *omnilink_new_log_(omnilink_recorder *recorder, const char *label, bool is_number, int64_t number) {
  if (recorder->owner != getpid()) return NULL;
  omnilink_log *log = (omnilink_log *)calloc(1, sizeof *log);
  size_t path_bytes = strlen(recorder->directory) + OMNILINK_LABEL_MAX_ + 32;
  char *path = (char *)malloc(path_bytes);
  if (log == NULL || path == NULL) {
    free(log);
    free(path);
    return NULL;
  }
  log->recorder = recorder;
  log->path = path;
  log->file = -1;
  log->last_time = INT64_MIN;
  log->label_is_number = is_number;
  log->label_number = number;
  snprintf(log->label, sizeof log->label, "%s", label);
  omnilink_write_preamble_(log);
  char stem[65] = {0};
  for (size_t i = 0; i < 64 && label[i] != 0; i++) {
    char c = label[i];
    bool keep = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    stem[i] = keep ? c : '_';
  }
  pthread_mutex_lock(&recorder->mutex);
  bool is_taken = false;
  for (omnilink_log *other = recorder->logs; other != NULL; other = other->next)
    is_taken = is_taken || strcmp(other->label, label) == 0;
  if (!is_taken) {
    log->number = recorder->next_number++;
    log->next = recorder->logs;
    recorder->logs = log;
    recorder->open_logs++;
  }
  pthread_mutex_unlock(&recorder->mutex);
  if (is_taken) {
    omnilink_free_log_(log);
    return NULL;
  }
  snprintf(path, path_bytes, "%s/%04" PRIu64 "-%s.msgpack", recorder->directory, log->number, stem);
  log->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (log->file < 0) {
    omnilink_stop_(log, "%s: cannot create a thread's trace file: %s", path, strerror(errno));
  } else {
    omnilink_write_header_(log);
  }
  return log;
}

/* A log for the thread with this number. Numbers and labels must differ. NULL if there is no memory, the label is taken, or the recorder is
 * inherited from another process; if
 * the file cannot be created, recording stops, and the log counts operations. */
static inline omnilink_log *omnilink_thread(omnilink_recorder *recorder, int64_t number) {
  char label[32];
  snprintf(label, sizeof label, "%" PRId64, number);
  return omnilink_new_log_(recorder, label, true, number);
}

/* A log for the thread with this name: 1 to 64 bytes of UTF-8, without the character '. */
static inline omnilink_log *omnilink_thread_named(omnilink_recorder *recorder, const char *label) {
  if (label == NULL || label[0] == 0 || strlen(label) > 64 || strchr(label, '\'') != NULL) return NULL;
  if (omnilink_plain_bytes_(label, strlen(label)) != strlen(label)) return NULL;
  return omnilink_new_log_(recorder, label, false, 0);
}

/* Completes the log's file: a log must be closed before omnilink_finish, and not be used afterwards. In a forked child it does
 * nothing. */
static inline void omnilink_close(omnilink_log *log) {
  omnilink_recorder *recorder = log->recorder;
  if (recorder->owner != getpid() || log->is_closed) return;
  log->is_closed = true;
  if (log->map != NULL) munmap(log->map, log->map_bytes);
  log->map = NULL;
  log->window_end = log->position = 0;
  log->has_failed = true;
  if (log->file >= 0) {
    if (ftruncate(log->file, (off_t)log->published_to) != 0)
      omnilink_stop_(log, "%s: cannot cut the trace to its length: %s", log->path, strerror(errno));
    close(log->file);
    log->file = -1;
  }
  pthread_mutex_lock(&recorder->mutex);
  recorder->open_logs--;
  recorder->lost += log->lost;
  recorder->operations += log->operations;
  pthread_mutex_unlock(&recorder->mutex);
}

/* Whether recording has stopped before the program did. */
static inline bool omnilink_stopped(const omnilink_recorder *recorder) { return omnilink_has_stopped_(recorder); }

/* Ends the recording and frees it. 0 if all is well; 1, with the reason in `message`, if recording stopped; 2 if a log is still
 * open, or if the recorder is inherited from another process, and then nothing is freed. */
static inline int omnilink_finish(omnilink_recorder *recorder, char *message, size_t bytes) {
  if (recorder->owner != getpid()) {
    omnilink_explain_(message, bytes, "this recorder belongs to process %ld; a child needs one of its own, in a folder of its own",
                      (long)recorder->owner);
    return 2;
  }
  if (recorder->open_logs != 0) {
    omnilink_explain_(message, bytes, "%" PRIu64 " logs are still open; close them first", recorder->open_logs);
    return 2;
  }
  bool has_stopped = recorder->stop_message[0] != 0;
  if (has_stopped)
    omnilink_explain_(message, bytes, "recording stopped, and %" PRIu64 " operations are missing: %s", recorder->lost,
                      recorder->stop_message);
  for (omnilink_log *log = recorder->logs; log != NULL;) {
    omnilink_log *next = log->next;
    omnilink_free_log_(log);
    log = next;
  }
  pthread_mutex_destroy(&recorder->mutex);
  free(recorder->header);
  free(recorder->directory);
  free(recorder);
  return has_stopped ? 1 : 0;
}

#ifdef __cplusplus
}
#endif

#endif
