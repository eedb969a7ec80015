// system.hpp: the system under test, for the harness of Map. This file is yours: `omnilink gen harness` adds sections for new
// actions, and changes nothing else.
//
//   make && omnilink fuzz --spec Map.tla -- ./harness
#pragma once

#include "harness.hpp"

#include "../map.hpp"

using omnilink::Call;
using omnilink::Op;
using omnilink::Random;

// omnilink: begin system
// What all threads share. Its constructor is the set-up and its destructor the tear-down.
struct System {
  Map map;
};

// What each thread has for itself: a connection, a session, an open transaction.
struct Client {
  Client(System &system, int thread) {
    (void)system;
    (void)thread;
  }
};
// omnilink: end system

// omnilink: begin values key(an integer from Keys)
namespace values {
inline std::int64_t key(Random &random) {
  return omnilink::value_between(random, 1, 24);
}
}  // namespace values
// omnilink: end values key

// omnilink: begin values value(an integer from Values)
namespace values {
inline std::int64_t value(Random &random) {
  return omnilink::value_between(random, 1, 8);
}
}  // namespace values
// omnilink: end values value

// omnilink: begin values lo(an integer from Keys)
namespace values {
inline std::int64_t lo(Random &random) {
  return omnilink::value_between(random, 1, 24);
}
}  // namespace values
// omnilink: end values lo

// omnilink: begin values hi(an integer from Keys)
namespace values {
inline std::int64_t hi(Random &random) {
  return omnilink::value_between(random, 1, 24);
}
}  // namespace values
// omnilink: end values hi

// omnilink: begin action Insert(key, value)
// Insert(key, value, result), Map.tla:17:1
//   result is a result
namespace actions {
inline void Insert(System &system, Client &client, Op &op, std::int64_t key, std::int64_t value) {
  (void)client;
  Call call = op.begin();
  call.end(system.map.insert(key, value));
}
}  // namespace actions
// omnilink: end action Insert

// omnilink: begin action Erase(key)
// Erase(key, result), Map.tla:23:1
//   result is a result
namespace actions {
inline void Erase(System &system, Client &client, Op &op, std::int64_t key) {
  (void)client;
  Call call = op.begin();
  call.end(system.map.erase(key));
}
}  // namespace actions
// omnilink: end action Erase

// omnilink: begin action Lookup(key)
// Lookup(key, result), Map.tla:27:1
//   result is a result
namespace actions {
inline void Lookup(System &system, Client &client, Op &op, std::int64_t key) {
  (void)client;
  Call call = op.begin();
  call.end(system.map.lookup(key));
}
}  // namespace actions
// omnilink: end action Lookup

// omnilink: begin action Count(lo, hi)
// Count(lo, hi, result), Map.tla:31:1
//   result is a result
namespace actions {
inline void Count(System &system, Client &client, Op &op, std::int64_t lo, std::int64_t hi) {
  (void)client;
  Call call = op.begin();
  call.end(system.map.count(lo, hi));
}
}  // namespace actions
// omnilink: end action Count

// omnilink: new sections are inserted above this line
