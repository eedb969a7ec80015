// system.hpp: the system under test, for the harness of WiredTiger. This file is yours: `omnilink gen harness` adds sections for new
// actions, and changes nothing else.
//
//   ../run.sh schedule
#pragma once

#include "harness.hpp"

#include <wiredtiger.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>

using omnilink::Call;
using omnilink::Op;
using omnilink::Random;

// omnilink: begin system
// How timestamps are chosen, by OMNILINK_TIMESTAMPS: any (the default: equal ones and older ones too), unique, or none.
enum class Timestamps { Any, Unique, None };

inline Timestamps timestamps() {
  const char *text = std::getenv("OMNILINK_TIMESTAMPS");
  std::string given = text == nullptr ? "any" : text;
  if (given == "any") return Timestamps::Any;
  if (given == "unique") return Timestamps::Unique;
  if (given == "none") return Timestamps::None;
  omnilink::Settings::refuse("OMNILINK_TIMESTAMPS", given.c_str(), "any, unique or none");
}

inline void must(int error) {
  if (error != 0) throw omnilink::Error(wiredtiger_strerror(error));
}

// What all threads share: a database in memory, and the latest timestamp.
struct System {
  std::string folder = "/tmp/omnilink-wiredtiger-XXXXXX";
  WT_CONNECTION *connection = nullptr;
  std::atomic<std::int64_t> latest{10};
  Timestamps style = timestamps();

  System() {
    if (mkdtemp(folder.data()) == nullptr) throw omnilink::Error("no folder can be made in /tmp");
    must(wiredtiger_open(folder.c_str(), &quiet, "create,in_memory=true,cache_size=20MB,session_max=100", &connection));
    // Without an oldest timestamp, versions that are needed for reading at a timestamp may go.
    must(connection->set_timestamp(connection, "oldest_timestamp=1"));
    WT_SESSION *session = nullptr;
    must(connection->open_session(connection, nullptr, nullptr, &session));
    // A database in memory counts as logged, and timestamps are ignored on logged tables unless this is said.
    must(session->create(session, "table:t", "key_format=q,value_format=q,log=(enabled=false)"));
    must(session->close(session, nullptr));
  }

  // Transactions that are still open end here, unrecorded: nobody can notice any more.
  ~System() {
    connection->close(connection, nullptr);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  // A refused commit is a result. The engine would also print each of them.
  static int silent(WT_EVENT_HANDLER *, WT_SESSION *, int error, const char *message) {
    if (error != EINVAL) std::fprintf(stderr, "%s\n", message);
    return 0;
  }
  WT_EVENT_HANDLER quiet = {silent, nullptr, nullptr, nullptr};
};

// A session with its transaction.
struct Client {
  WT_SESSION *session = nullptr;
  WT_CURSOR *cursor = nullptr, *remover = nullptr;
  bool is_open = false, has_failed = false;
  int updates = 0;

  Client(System &system, int) {
    must(system.connection->open_session(system.connection, nullptr, "isolation=snapshot", &session));
    must(session->open_cursor(session, "table:t", nullptr, nullptr, &cursor));
    // With overwrite, a removal does not say whether the key was there.
    must(session->open_cursor(session, "table:t", nullptr, "overwrite=false", &remover));
  }

  // What an operation of the engine returned, as the specification calls it.
  const char *told(int error, const char *refusal) {
    switch (error) {
      case 0: return "ok";
      case WT_NOTFOUND: return "notfound";
      case WT_ROLLBACK:
        has_failed = true;
        return "conflict";
      case EINVAL: return refusal;
      default: throw omnilink::Error(wiredtiger_strerror(error));
    }
  }

  void end() {
    is_open = has_failed = false;
    updates = 0;
  }

  // After an update has failed, a transaction only reads and ends. Four updates are the most that WiredTiger.toml expects.
  bool may_update() const { return is_open && !has_failed && updates < 4; }
};
// omnilink: end system

// omnilink: begin values read_ts(an integer from Nat)
// Chosen in Begin, which knows what was committed.
namespace values {
inline std::int64_t read_ts(Random &) { return 0; }
}  // namespace values
// omnilink: end values read_ts

// omnilink: begin values key(a value of a kind that the specification does not show from Keys)
namespace values {
inline std::int64_t key(Random &random) { return random.between(1, omnilink::settings().values); }
}  // namespace values
// omnilink: end values key

// omnilink: begin values value(an integer from Nat)
namespace values {
inline std::int64_t value(Random &) { return omnilink::unique(); }
}  // namespace values
// omnilink: end values value

// omnilink: begin values ts(an integer from Nat)
// Chosen in Commit, which knows what was committed.
namespace values {
inline std::int64_t ts(Random &) { return 0; }
}  // namespace values
// omnilink: end values ts

// omnilink: begin action Begin(read_ts)
namespace actions {
inline void Begin(System &system, Client &client, Op &op, std::int64_t) {
  if (client.is_open) return op.pick_another();
  std::optional<std::int64_t> read_ts;
  if (system.style != Timestamps::None && op.random().chance(0.4)) read_ts = system.latest - op.random().between(0, 4);
  char config[64] = "isolation=snapshot";
  if (read_ts) std::snprintf(config, sizeof config, "isolation=snapshot,read_timestamp=%llx", static_cast<unsigned long long>(*read_ts));
  Call call = op.begin({{"read_ts", read_ts}});
  int error = client.session->begin_transaction(client.session, config);
  call.end(client.told(error, "refused"));
  client.is_open = error == 0;
}
}  // namespace actions
// omnilink: end action Begin

// omnilink: begin action Get(key)
namespace actions {
inline void Get(System &, Client &client, Op &op, std::int64_t key) {
  if (!client.is_open) return op.pick_another();
  std::int64_t value = 0;
  client.cursor->set_key(client.cursor, key);
  Call call = op.begin();
  int error = client.cursor->search(client.cursor);
  if (error == 0) must(client.cursor->get_value(client.cursor, &value));
  if (error != 0 && error != WT_NOTFOUND) must(error);
  call.end(error == 0 ? std::optional<std::int64_t>(value) : std::nullopt);
}
}  // namespace actions
// omnilink: end action Get

// omnilink: begin action Put(key, value)
namespace actions {
inline void Put(System &, Client &client, Op &op, std::int64_t key, std::int64_t value) {
  if (!client.may_update()) return op.pick_another();
  client.cursor->set_key(client.cursor, key);
  client.cursor->set_value(client.cursor, value);
  client.updates++;
  Call call = op.begin();
  call.end(client.told(client.cursor->insert(client.cursor), "refused"));
}
}  // namespace actions
// omnilink: end action Put

// omnilink: begin action Remove(key)
namespace actions {
inline void Remove(System &, Client &client, Op &op, std::int64_t key) {
  if (!client.may_update()) return op.pick_another();
  client.remover->set_key(client.remover, key);
  client.updates++;
  Call call = op.begin();
  call.end(client.told(client.remover->remove(client.remover), "refused"));
}
}  // namespace actions
// omnilink: end action Remove

// omnilink: begin action Rollback()
namespace actions {
inline void Rollback(System &, Client &client, Op &op) {
  if (!client.is_open || (!client.has_failed && op.random().chance(0.7))) return op.pick_another();
  Call call = op.begin();
  must(client.session->rollback_transaction(client.session, nullptr));
  call.end();
  client.end();
}
}  // namespace actions
// omnilink: end action Rollback

// omnilink: begin action Commit(ts)
namespace actions {
inline void Commit(System &system, Client &client, Op &op, std::int64_t) {
  if (!client.is_open) return op.pick_another();
  // The versions of a key without timestamps count as 0.
  std::int64_t ts = 0;
  char config[64] = "";
  if (system.style != Timestamps::None) {
    ts = system.style == Timestamps::Unique ? ++system.latest : system.latest + op.random().between(-3, 2);
    std::int64_t latest = system.latest;
    while (latest < ts && !system.latest.compare_exchange_weak(latest, ts)) {
    }
    std::snprintf(config, sizeof config, "commit_timestamp=%llx", static_cast<unsigned long long>(ts));
  }
  Call call = op.begin({{"ts", ts}});
  int error = client.session->commit_transaction(client.session, config);
  // After some refusals 3.2.1 leaves the rollback to the caller. Where there is nothing to roll back this is refused, too.
  if (error == EINVAL) client.session->rollback_transaction(client.session, nullptr);
  call.end(client.told(error, "refused"));
  client.end();
}
}  // namespace actions
// omnilink: end action Commit

// omnilink: begin action SetOldest(ts)
namespace actions {
inline void SetOldest(System &system, Client &client, Op &op, std::int64_t) {
  if (system.style == Timestamps::None || op.random().chance(0.8)) return op.pick_another();
  std::int64_t ts = system.latest - op.random().between(4, 8);
  if (ts < 1) return op.pick_another();
  char config[64];
  std::snprintf(config, sizeof config, "oldest_timestamp=%llx", static_cast<unsigned long long>(ts));
  Call call = op.begin({{"ts", ts}});
  call.end(client.told(system.connection->set_timestamp(system.connection, config), "refused"));
}
}  // namespace actions
// omnilink: end action SetOldest

// omnilink: new sections are inserted above this line
