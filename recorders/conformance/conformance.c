/* The conformance program in C: conformance PART FOLDER. What each part does: README.md. */
#include "omnilink.h"

#include <stdatomic.h>
#include <sys/wait.h>

static omnilink_recorder *recorder;

static omnilink_log *thread(int64_t number) {
  omnilink_log *log = omnilink_thread(recorder, number);
  if (log == NULL) {
    puts("ERROR no log");
    exit(3);
  }
  return log;
}

static void pause_ms(long ms) {
  struct timespec span = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&span, NULL);
}

/* A call without arguments. */
static void begin(omnilink_log *log, const char *op) {
  omnilink_call(log, op);
  omnilink_begin(log);
}

static void begin_with(omnilink_log *log, const char *op, const char *name, int64_t value) {
  omnilink_call(log, op);
  omnilink_arg_int(log, name, value);
  omnilink_begin(log);
}

static void calls(void) {
  omnilink_log *one = thread(1);
  omnilink_log *named = omnilink_thread_named(recorder, "main");
  begin_with(one, "write", "value", 1);
  omnilink_end(one);
  begin(one, "read");
  omnilink_end_int(one, 1);
  omnilink_call(one, "cas");
  omnilink_arg_int(one, "from", 1);
  omnilink_arg_int(one, "to", 2);
  omnilink_begin(one);
  omnilink_end_bool(one, true);
  begin(one, "refused");
  omnilink_abort(one);
  begin_with(one, "another", "value", 1);
  omnilink_cancel(one);
  begin_with(one, "noted", "value", 2);
  omnilink_returned(one);
  omnilink_ret(one);
  omnilink_int(one, 3);
  omnilink_meta(one);
  omnilink_record(one, 1);
  omnilink_key(one, "node");
  omnilink_int(one, 4);
  omnilink_end(one);
  begin(one, "narrow");
  omnilink_tighten_end(one);
  pause_ms(20);
  omnilink_end(one);
  begin(one, "lost");
  begin(one, "after");
  omnilink_end(one);
  begin(named, "hello");
  omnilink_end_null(named);
  omnilink_close(one);
  omnilink_close(named);
}

/* Writes the value of this name. */
static void value(omnilink_log *log, const char *name) {
  if (strcmp(name, "null") == 0) {
    omnilink_null(log);
  } else if (strcmp(name, "true") == 0) {
    omnilink_bool(log, true);
  } else if (strcmp(name, "false") == 0) {
    omnilink_bool(log, false);
  } else if (strcmp(name, "zero") == 0) {
    omnilink_int(log, 0);
  } else if (strcmp(name, "negative") == 0) {
    omnilink_int(log, -1);
  } else if (strcmp(name, "exact") == 0) {
    omnilink_int(log, (INT64_C(1) << 53) + 1);
  } else if (strcmp(name, "least") == 0) {
    omnilink_int(log, INT64_MIN);
  } else if (strcmp(name, "greatest") == 0) {
    omnilink_int(log, INT64_MAX);
  } else if (strcmp(name, "unsigned") == 0) {
    omnilink_uint(log, UINT64_MAX);
  } else if (strcmp(name, "empty text") == 0) {
    omnilink_str(log, "");
  } else if (strcmp(name, "text") == 0) {
    omnilink_str(log, "a \xc3\xa9 \xf0\x9f\x98\x80 \n \x01 \" \\");
  } else if (strcmp(name, "list") == 0) {
    omnilink_array(log, 2);
    omnilink_int(log, 1);
    omnilink_array(log, 2);
    omnilink_int(log, 2);
    omnilink_array(log, 0);
  } else if (strcmp(name, "bytes") == 0) {
    omnilink_array(log, 3);
    omnilink_int(log, 0);
    omnilink_int(log, 127);
    omnilink_int(log, 255);
  } else if (strcmp(name, "record") == 0) {
    omnilink_record(log, 2);
    omnilink_key(log, "x");
    omnilink_int(log, 1);
    omnilink_key(log, "names");
    omnilink_array(log, 1);
    omnilink_str(log, "n");
  } else if (strcmp(name, "function") == 0) {
    omnilink_function(log, 1);
    omnilink_array(log, 2);
    omnilink_int(log, 1);
    omnilink_str(log, "one");
  } else if (strcmp(name, "dollar") == 0) {
    omnilink_function(log, 1);
    omnilink_array(log, 2);
    omnilink_str(log, "$set");
    omnilink_int(log, 7);
  } else if (strcmp(name, "set") == 0) {
    omnilink_set(log, 2);
    omnilink_int(log, 1);
    omnilink_int(log, 2);
  } else if (strcmp(name, "empty set") == 0) {
    omnilink_set(log, 0);
  } else if (strcmp(name, "empty list") == 0) {
    omnilink_array(log, 0);
  } else if (strcmp(name, "model") == 0) {
    omnilink_model_value(log, "n1");
  } else {
    for (int depth = 0; depth < 25; depth++) omnilink_array(log, 1);
    omnilink_array(log, 0);
  }
}

static void values(void) {
  static const char *const names[] = {"null",   "true",     "false",  "zero",     "negative", "exact", "least",
                                      "greatest", "unsigned", "empty text", "text", "list",    "bytes", "record",
                                      "function", "dollar",   "set",    "empty set", "empty list", "model", "deep"};
  omnilink_log *log = thread(0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    omnilink_call(log, names[i]);
    omnilink_arg(log, "value");
    value(log, names[i]);
    omnilink_begin(log);
    omnilink_returned(log);
    omnilink_ret(log);
    value(log, names[i]);
    omnilink_end(log);
  }
  omnilink_close(log);
}

static void text(omnilink_log *log, const char *name, const char *text, size_t bytes) {
  omnilink_call(log, name);
  omnilink_arg(log, "value");
  omnilink_record(log, 1);
  omnilink_text(log, text, bytes);
  omnilink_text(log, text, bytes);
  omnilink_begin(log);
  omnilink_returned(log);
  omnilink_ret(log);
  omnilink_text(log, text, bytes);
  omnilink_end(log);
}

#define TEXT(name, literal) text(log, name, literal, sizeof literal - 1)

static void texts(void) {
  omnilink_log *log = thread(0);
  TEXT("byte", "a\xff" "b");
  TEXT("other byte", "a\xfe" "b");
  TEXT("cut off", "\xf0\x9f\x98");
  TEXT("surrogate", "\xed\xa0\x80");
  TEXT("looks like one", "a\\ud800b");
  TEXT("looks like a byte", "\\xff");
  TEXT("path", "C:\\users\\xyz");
  TEXT("nul", "a\0b");
  omnilink_close(log);
}

static atomic_llong counter;
static int rounds;

static void *count_up(void *number) {
  omnilink_log *log = thread((int64_t)(intptr_t)number);
  for (int round = 0; round < rounds; round++) {
    begin(log, "next");
    omnilink_end_int(log, atomic_fetch_add(&counter, 1));
  }
  omnilink_close(log);
  return NULL;
}

static void threads(int count, int each) {
  pthread_t all[100];
  rounds = each;
  for (int i = 0; i < count; i++)
    if (pthread_create(&all[i], NULL, count_up, (void *)(intptr_t)i) != 0) exit(4);
  for (int i = 0; i < count; i++) pthread_join(all[i], NULL);
  printf("DONE %lld\n", atomic_load(&counter));
}

static void die(void) {
  omnilink_log *log = thread(0);
  for (int i = 0; i < 1000; i++) {
    begin_with(log, "op", "i", i);
    omnilink_end_int(log, i);
  }
  begin_with(log, "op", "i", 1000);
  puts("open");
  fflush(stdout);
  pause_ms(600000);
}

static void *run(void *number) {
  omnilink_log *log = thread((int64_t)(intptr_t)number);
  for (int i = 0;; i++) {
    begin_with(log, "op", "i", i);
    omnilink_end_int(log, i);
    if (i % 64 == 63) {
      char line[32];
      int length = snprintf(line, sizeof line, "%d %d\n", (int)(intptr_t)number, i);
      if (write(1, line, (size_t)length) < 0) return NULL;
    }
  }
}

static void race(void) {
  pthread_t all[2];
  for (int i = 0; i < 2; i++)
    if (pthread_create(&all[i], NULL, run, (void *)(intptr_t)i) != 0) exit(4);
  for (int i = 0; i < 2; i++) pthread_join(all[i], NULL);
}

static void forked(void) {
  omnilink_log *log = thread(0);
  begin(log, "a");
  omnilink_end(log);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    begin(log, "of the child");
    omnilink_end(log);
    omnilink_close(log);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child: ended with %d\n", status);
  begin(log, "b");
  omnilink_end(log);
  omnilink_close(log);
}

static void cost(void) {
  omnilink_log *log = thread(0);
  for (int batch = 0; batch < 5; batch++) {
    clock_t start = clock();
    for (int at = 0; at < 100000; at++) {
      begin_with(log, "write", "value", 3);
      omnilink_end(log);
    }
    printf("COST %ld\n", (long)((double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / 100000));
  }
  omnilink_close(log);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  char message[512] = "";
  recorder = omnilink_create(arguments[2], NULL, message, sizeof message);
  if (recorder == NULL) {
    printf("ERROR %s\n", message);
    return 3;
  }
  omnilink_header_int(recorder, "seed", 42);
  signal(SIGXFSZ, SIG_IGN);
  const char *part = arguments[1];
  if (strcmp(part, "calls") == 0) {
    calls();
  } else if (strcmp(part, "texts") == 0) {
    texts();
  } else if (strcmp(part, "values") == 0) {
    values();
  } else if (strcmp(part, "threads") == 0) {
    threads(100, 50);
  } else if (strcmp(part, "full") == 0) {
    threads(4, 25000);
  } else if (strcmp(part, "die") == 0) {
    die();
  } else if (strcmp(part, "race") == 0) {
    race();
  } else if (strcmp(part, "fork") == 0) {
    forked();
  } else {
    cost();
  }
  if (omnilink_finish(recorder, message, sizeof message) != 0) {
    printf("ERROR %s\n", message);
    return 3;
  }
  return 0;
}
