//! Queues, stacks, deques, maps and slabs of released crates. Each function is one row of the survey.

use omnilink_harness::{Component, RoleCell};
use survey::component;

component!(array_queue, "crossbeam-queue ArrayQueue(1)", crossbeam_queue::ArrayQueue::<i64>::new(1);
    "push(1)" => |q| q.push(1), "push(2)" => |q| q.push(2), "pop()" => |q| q.pop());
component!(array_queue_forced, "crossbeam-queue ArrayQueue(1), force_push", crossbeam_queue::ArrayQueue::<i64>::new(1);
    "force_push(1)" => |q| q.force_push(1), "force_push(2)" => |q| q.force_push(2), "pop()" => |q| q.pop(), "len()" => |q| q.len());
component!(seg_queue, "crossbeam-queue SegQueue", crossbeam_queue::SegQueue::<i64>::new();
    "push(1)" => |q| q.push(1), "push(2)" => |q| q.push(2), "pop()" => |q| q.pop(), "len()" => |q| q.len());
component!(concurrent_queue_one, "concurrent-queue bounded(1)", concurrent_queue::ConcurrentQueue::<i64>::bounded(1);
    "push(1)" => |q| q.push(1), "pop()" => |q| q.pop(), "len()" => |q| q.len());
component!(concurrent_queue_two, "concurrent-queue bounded(2)", concurrent_queue::ConcurrentQueue::<i64>::bounded(2);
    "push(1)" => |q| q.push(1), "push(2)" => |q| q.push(2), "pop()" => |q| q.pop());
component!(concurrent_queue_unbounded, "concurrent-queue unbounded", concurrent_queue::ConcurrentQueue::<i64>::unbounded();
    "push(1)" => |q| q.push(1), "push(2)" => |q| q.push(2), "pop()" => |q| q.pop(), "close()" => |q| q.close());
component!(heapless_mpmc, "heapless mpmc Queue(2)", heapless::mpmc::Queue::<i64, 2>::new();
    "enqueue(1)" => |q| q.enqueue(1), "enqueue(2)" => |q| q.enqueue(2), "dequeue()" => |q| q.dequeue());
component!(thingbuf_queue, "thingbuf ThingBuf(2)", thingbuf::ThingBuf::<i64>::new(2);
    "push(1)" => |q| q.push(1).is_ok(), "push(2)" => |q| q.push(2).is_ok(), "pop()" => |q| q.pop());
component!(lockfree_stack, "lockfree Stack", lockfree::stack::Stack::<i64>::new();
    "push(1)" => |s| s.push(1), "push(2)" => |s| s.push(2), "pop()" => |s| s.pop());
component!(lockfree_map, "lockfree Map", { let map = lockfree::map::Map::<i64, i64>::new(); map.insert(1, 0); map };
    "insert(1)" => |m| m.insert(1, 5).is_some(), "get(1)" => |m| m.get(&1).map(|entry| *entry.val()), "remove(1)" => |m| m.remove(&1).is_some());
component!(scc_queue, "scc Queue", scc::Queue::<i64>::default();
    "push(1)" => |q| { q.push(1); }, "push(2)" => |q| { q.push(2); }, "pop()" => |q| q.pop().map(|e| **e));
component!(scc_stack, "scc Stack", scc::Stack::<i64>::default();
    "push(1)" => |s| { s.push(1); }, "push(2)" => |s| { s.push(2); }, "pop()" => |s| s.pop().map(|e| **e));
component!(scc_hash_map, "scc HashMap", { let map = scc::HashMap::<i64, i64>::with_capacity(64); let _ = map.insert_sync(1, 0); map };
    "insert(2)" => |m| m.insert_sync(2, 5).is_ok(), "upsert(1)" => |m| m.upsert_sync(1, 7), "read(1)" => |m| m.read_sync(&1, |_, v| *v), "remove(1)" => |m| m.remove_sync(&1));
component!(scc_hash_index, "scc HashIndex", { let map = scc::HashIndex::<i64, i64>::with_capacity(64); let _ = map.insert_sync(1, 0); map };
    "insert(1)" => |m| m.insert_sync(1, 5).is_ok(), "peek(1)" => |m| m.peek_with(&1, |_, v| *v), "remove(1)" => |m| m.remove_sync(&1));
component!(scc_tree_index, "scc TreeIndex", { let map = scc::TreeIndex::<i64, i64>::new(); let _ = map.insert_sync(1, 0); map };
    "insert(1)" => |m| m.insert_sync(1, 5).is_ok(), "peek(1)" => |m| m.peek_with(&1, |_, v| *v), "remove(1)" => |m| m.remove_sync(&1));
component!(dash_map, "dashmap DashMap", { let map = dashmap::DashMap::<i64, i64>::with_shard_amount(2); map.insert(1, 0); map };
    "insert(1)" => |m| m.insert(1, 5), "get(1)" => |m| m.get(&1).map(|v| *v), "remove(1)" => |m| m.remove(&1), "len()" => |m| m.len());
component!(papaya_map, "papaya HashMap", { let map = papaya::HashMap::<i64, i64>::new(); map.pin().insert(1, 0); map };
    "insert(1)" => |m| m.pin().insert(1, 5).copied(), "get(1)" => |m| m.pin().get(&1).copied(), "remove(1)" => |m| m.pin().remove(&1).copied());
component!(flurry_map, "flurry HashMap", { let map = flurry::HashMap::<i64, i64>::new(); map.pin().insert(1, 0); map };
    "insert(1)" => |m| m.pin().insert(1, 5).copied(), "get(1)" => |m| m.pin().get(&1).copied(), "remove(1)" => |m| m.pin().remove(&1).copied());
component!(cht_map, "cht HashMap", { let map = cht::HashMap::<i64, i64>::with_capacity(8); map.insert(1, 0); map };
    "insert(1)" => |m| m.insert(1, 5), "get(1)" => |m| m.get(&1), "remove(1)" => |m| m.remove(&1), "len()" => |m| m.len());
component!(skip_map, "crossbeam-skiplist SkipMap", { let map = crossbeam_skiplist::SkipMap::<i64, i64>::new(); map.insert(1, 0); map };
    "insert(2)" => |m| *m.insert(2, 5).value(), "get(1)" => |m| m.get(&1).map(|e| *e.value()), "remove(1)" => |m| m.remove(&1).is_some());
component!(skip_set, "crossbeam-skiplist SkipSet", crossbeam_skiplist::SkipSet::<i64>::new();
    "insert(1)" => |m| { m.insert(1); }, "contains(1)" => |m| m.contains(&1), "remove(1)" => |m| m.remove(&1).is_some());
component!(quick_cache_map, "quick_cache sync::Cache", quick_cache::sync::Cache::<i64, i64>::new(100);
    "insert(1)" => |m| m.insert(1, 5), "get(1)" => |m| m.get(&1), "remove(1)" => |m| m.remove(&1));
component!(frozen_map, "elsa sync::FrozenMap", elsa::sync::FrozenMap::<i64, Box<i64>>::new();
    "insert(1)" => |m| *m.insert(1, Box::new(5)), "get(1)" => |m| m.get(&1).copied());
component!(boxcar_vec, "boxcar Vec", boxcar::Vec::<i64>::new();
    "push(1)" => |v| v.push(1), "get(0)" => |v| v.get(0).copied(), "count()" => |v| v.count());
component!(append_only, "append-only-vec", append_only_vec::AppendOnlyVec::<i64>::new();
    "push(1)" => |v| v.push(1), "last()" => |v| v.iter().last().copied(), "len()" => |v| v.len());
component!(object_pool, "object-pool Pool", object_pool::Pool::<i64>::new(1, || 0);
    "take()" => |p| p.try_pull().map(|item| item.detach().1), "attach(5)" => |p| p.attach(5), "len()" => |p| p.len());
component!(injector, "crossbeam-deque Injector", crossbeam_deque::Injector::<i64>::new();
    "push(1)" => |d| d.push(1), "push(2)" => |d| d.push(2), "steal()" => |d| steal(|| d.steal()), "is_empty()" => |d| d.is_empty());
component!(may_queue_mpsc, "may_queue mpsc", may_queue::mpsc::Queue::<i64>::new();
    "push(1)" => |q| q.push(1), "is_empty()" => |q| q.is_empty());

/// Told to try again, tries again: that is how it is meant to be used.
fn steal<T>(attempt: impl Fn() -> crossbeam_deque::Steal<T>) -> Option<T> {
    loop {
        match attempt() {
            crossbeam_deque::Steal::Success(value) => return Some(value),
            crossbeam_deque::Steal::Empty => return None,
            crossbeam_deque::Steal::Retry => std::thread::yield_now(),
        }
    }
}

/// A worker that one thread uses, and stealers.
macro_rules! deque {
    ($case:ident, $name:literal, $make:expr, $push:expr, $pop:expr, $steal:expr) => {
        #[test]
        fn $case() {
            Component::new($name, || {
                let (worker, stealer) = $make;
                (RoleCell::new(worker), stealer)
            })
            .ops("push", [1, 2], |(worker, _), value: &i64| worker.with(|worker| ($push)(worker, *value)))
            .op("pop()", |(worker, _)| worker.with($pop))
            .op("steal()", |(_, stealer)| ($steal)(stealer))
            .role("worker", ["push(1)", "push(2)", "pop()"])
            .shared_role("stealer", ["steal()"])
            .test();
        }
    };
}

deque!(deque_fifo, "crossbeam-deque Worker fifo", { let w = crossbeam_deque::Worker::<i64>::new_fifo(); let s = w.stealer(); (w, s) },
    |w: &mut crossbeam_deque::Worker<i64>, v| w.push(v), |w| w.pop(), |s: &crossbeam_deque::Stealer<i64>| steal(|| s.steal()));
deque!(deque_lifo, "crossbeam-deque Worker lifo", { let w = crossbeam_deque::Worker::<i64>::new_lifo(); let s = w.stealer(); (w, s) },
    |w: &mut crossbeam_deque::Worker<i64>, v| w.push(v), |w| w.pop(), |s: &crossbeam_deque::Stealer<i64>| steal(|| s.steal()));
deque!(st3_fifo, "st3 fifo Worker", { let w = st3::fifo::Worker::<i64>::new(4); let s = w.stealer(); (w, s) },
    |w: &mut st3::fifo::Worker<i64>, v| w.push(v), |w| w.pop(),
    |s: &st3::fifo::Stealer<i64>| { let own = st3::fifo::Worker::new(4); s.steal_and_pop(&own, |_| 1).ok() });
deque!(st3_lifo, "st3 lifo Worker", { let w = st3::lifo::Worker::<i64>::new(4); let s = w.stealer(); (w, s) },
    |w: &mut st3::lifo::Worker<i64>, v| w.push(v), |w| w.pop(),
    |s: &st3::lifo::Stealer<i64>| { let own = st3::lifo::Worker::new(4); s.steal_and_pop(&own, |_| 1).ok() });

#[test]
fn sharded_slab() {
    Component::new("sharded-slab Slab", sharded_slab::Slab::<i64>::new)
        .op("insert(1)", |slab| slab.insert(1).is_some())
        .op("get(0)", |slab| slab.get(0).map(|entry| *entry))
        .op("take(0)", |slab| slab.take(0))
        .test();
}

#[test]
fn evmap_map() {
    Component::new("evmap", || {
        let (writer, reader) = evmap::new::<i64, i64>();
        (RoleCell::new(writer), RoleCell::new(reader))
    })
    .op("insert(1)", |(writer, _)| writer.with(|writer| { writer.insert(1, 5).publish(); }))
    .op("empty(1)", |(writer, _)| writer.with(|writer| { writer.empty(1).publish(); }))
    .op("get(1)", |(_, reader)| reader.with(|reader| reader.get_one(&1).map(|value| *value)))
    .role("writer", ["insert(1)", "empty(1)"])
    .role("reader", ["get(1)"])
    .test();
}
