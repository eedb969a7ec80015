// system.hpp: the system under test, for the harness of ConcurrentQueue. This file is yours: `omnilink gen harness` adds sections for new
// actions, and changes nothing else.
//
//   make && omnilink fuzz --spec ConcurrentQueue.tla -- ./harness
#pragma once

#include "harness.hpp"

#include <concurrentqueue/concurrentqueue.h>

using omnilink::Call;
using omnilink::Op;
using omnilink::Random;

// omnilink: begin system
// What all threads share. Its constructor is the set-up and its destructor the tear-down.
struct System {
  moodycamel::ConcurrentQueue<std::int64_t> queue;
};

// What each thread has for itself: a connection, a session, an open transaction.
struct Client {
  moodycamel::ProducerToken producer;
  Client(System &system, int) : producer(system.queue) {}
};
// omnilink: end system

// omnilink: begin values item(a value of a kind that the specification does not show)
// The specification does not show of which kind it is; change the type if these are no integers.
namespace values {
inline std::int64_t item(Random &random) {
  (void)random;
  return omnilink::unique();  // who takes an item twice, or loses it, is then found at once
}
}  // namespace values
// omnilink: end values item

// omnilink: begin values items(a sequence)
namespace values {
inline std::vector<std::int64_t> items(Random &random) {
  std::vector<std::int64_t> items(static_cast<std::size_t>(random.between(2, 5)));
  for (std::int64_t &item : items) item = omnilink::unique();
  return items;
}
}  // namespace values
// omnilink: end values items

// omnilink: begin action Enqueue(item)
// Enqueue(thread, item), ConcurrentQueue.tla:22:1
namespace actions {
inline void Enqueue(System &system, Client &client, Op &op, std::int64_t item) {
  Call call = op.begin();
  system.queue.enqueue(client.producer, item);
  call.end();
}
}  // namespace actions
// omnilink: end action Enqueue

// omnilink: begin action TryDequeue()
// TryDequeue(result), ConcurrentQueue.tla:26:1
//   result is a result
namespace actions {
inline void TryDequeue(System &system, Client &client, Op &op) {
  (void)client;
  std::int64_t item = 0;
  Call call = op.begin();
  bool found = system.queue.try_dequeue(item);
  call.end(found ? std::optional<std::int64_t>(item) : std::nullopt);
}
}  // namespace actions
// omnilink: end action TryDequeue

// omnilink: begin action EnqueueBulk(items)
// EnqueueBulk_Done(thread, items), ConcurrentQueue.tla:45:1; takes effect in steps: EnqueueBulk_Step any number of times, then EnqueueBulk_Done
namespace actions {
inline void EnqueueBulk(System &system, Client &client, Op &op, const std::vector<std::int64_t> &items) {
  Call call = op.begin();
  system.queue.enqueue_bulk(client.producer, items.data(), items.size());
  call.end();
}
}  // namespace actions
// omnilink: end action EnqueueBulk

// omnilink: begin action DequeueBulk()
// DequeueBulk_Done(thread, result), ConcurrentQueue.tla:60:1; takes effect in steps: DequeueBulk_Step any number of times, then DequeueBulk_Done
//   result is a result
namespace actions {
inline void DequeueBulk(System &system, Client &client, Op &op) {
  (void)client;
  std::vector<std::int64_t> items(static_cast<std::size_t>(op.random().between(2, 5)));
  Call call = op.begin();
  items.resize(system.queue.try_dequeue_bulk(items.data(), items.size()));
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

// omnilink: new sections are inserted above this line
