// system.hpp: the system under test, for the harness of ConcurrentQueue. This file is yours: `omnilink gen harness` adds sections for new
// actions, and changes nothing else.
//
//   make && omnilink fuzz --spec ConcurrentQueue.tla -- ./harness
#pragma once

#include "harness.hpp"

#include <climits>
#include <concurrentqueue/concurrentqueue.h>
#include <cstdlib>

using omnilink::Call;
using omnilink::Op;
using omnilink::Random;

// omnilink: begin system
// What all threads share. Its constructor is the set-up and its destructor the tear-down.
struct System {
  moodycamel::ConcurrentQueue<std::int64_t> queue;
};

// How many threads put items in, by OMNILINK_PRODUCERS; all of them if it is not given.
inline int producers() {
  static const int given = [] {
    const char *text = std::getenv("OMNILINK_PRODUCERS");
    return text == nullptr ? INT_MAX : std::atoi(text);
  }();
  return given;
}

// What each thread has for itself: a connection, a session, an open transaction.
struct Client {
  moodycamel::ProducerToken producer;
  moodycamel::ConsumerToken consumer;
  Client(System &system, int) : producer(system.queue), consumer(system.queue) {}
};
// omnilink: end system

// omnilink: begin values item(an integer from Nat)
// The specification does not show of which kind it is; change the type if these are no integers.
namespace values {
inline std::int64_t item(Random &random) {
  (void)random;
  return omnilink::unique();  // who takes an item twice, or loses it, is then found at once
}
}  // namespace values
// omnilink: end values item

// omnilink: begin values items(a sequence from Seq(Nat))
namespace values {
inline std::vector<std::int64_t> items(Random &random) {
  std::vector<std::int64_t> items(static_cast<std::size_t>(random.between(2, 5)));
  for (std::int64_t &item : items) item = omnilink::unique();
  return items;
}
}  // namespace values
// omnilink: end values items

// omnilink: begin action Enqueue(token, item)
namespace actions {
inline void Enqueue(System &system, Client &client, Op &op, bool token, std::int64_t item) {
  if (op.thread() >= producers()) return op.pick_another();
  Call call = op.begin();
  token ? system.queue.enqueue(client.producer, item) : system.queue.enqueue(item);
  call.end();
}
}  // namespace actions
// omnilink: end action Enqueue

// omnilink: begin action TryDequeue()
namespace actions {
inline void TryDequeue(System &system, Client &client, Op &op) {
  std::int64_t item = 0;
  bool token = op.random().chance(0.5);
  Call call = op.begin();
  bool found = token ? system.queue.try_dequeue(client.consumer, item) : system.queue.try_dequeue(item);
  call.end(found ? std::optional<std::int64_t>(item) : std::nullopt);
}
}  // namespace actions
// omnilink: end action TryDequeue

// omnilink: begin action EnqueueBulk(token, items)
namespace actions {
inline void EnqueueBulk(System &system, Client &client, Op &op, bool token, const std::vector<std::int64_t> &items) {
  if (op.thread() >= producers()) return op.pick_another();
  Call call = op.begin();
  token ? system.queue.enqueue_bulk(client.producer, items.data(), items.size()) : system.queue.enqueue_bulk(items.data(), items.size());
  call.end();
}
}  // namespace actions
// omnilink: end action EnqueueBulk

// omnilink: begin action DequeueBulk()
namespace actions {
inline void DequeueBulk(System &system, Client &client, Op &op) {
  std::vector<std::int64_t> items(static_cast<std::size_t>(op.random().between(2, 5)));
  bool token = op.random().chance(0.5);
  Call call = op.begin();
  std::size_t count = token ? system.queue.try_dequeue_bulk(client.consumer, items.data(), items.size())
                            : system.queue.try_dequeue_bulk(items.data(), items.size());
  items.resize(count);
  call.end(items);
}
}  // namespace actions
// omnilink: end action DequeueBulk

// omnilink: begin action SizeApprox()
// SizeApprox(result), ConcurrentQueue.tla:66:1
//   result is a result
namespace actions {
inline void SizeApprox(System &system, Client &client, Op &op) {
  (void)client;
  Call call = op.begin();
  call.end(static_cast<std::int64_t>(system.queue.size_approx()));
}
}  // namespace actions
// omnilink: end action SizeApprox

// omnilink: begin values token(a boolean from BOOLEAN)
namespace values {
inline bool token(Random &random) {
  return random.chance(0.5);
}
}  // namespace values
// omnilink: end values token

// omnilink: begin action TryDequeueOwn()
namespace actions {
inline void TryDequeueOwn(System &system, Client &client, Op &op) {
  std::int64_t item = 0;
  Call call = op.begin();
  bool found = system.queue.try_dequeue_from_producer(client.producer, item);
  call.end(found ? std::optional<std::int64_t>(item) : std::nullopt);
}
}  // namespace actions
// omnilink: end action TryDequeueOwn

// omnilink: new sections are inserted above this line
