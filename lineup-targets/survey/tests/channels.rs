//! Channels of released crates. Each function is one row of the survey.

use omnilink_harness::{Component, RoleCell};

/// Two values sent, one received without waiting, by any thread.
macro_rules! channel {
    ($case:ident, $name:literal, $make:expr, $send:expr, $receive:expr $(, $more:literal => $call:expr)*) => {
        #[test]
        fn $case() {
            Component::new($name, || $make)
                .ops("send", [1, 2], $send)
                .op("recv()", $receive)
                $(.op($more, $call))*
                .test();
        }
    };
}

/// The same for halves that one thread uses at a time.
macro_rules! halves {
    ($case:ident, $name:literal, $make:expr, $send:expr, $receive:expr) => {
        #[test]
        fn $case() {
            Component::new($name, || {
                let (sender, receiver) = $make;
                (RoleCell::new(sender), RoleCell::new(receiver))
            })
            .ops("send", [1, 2], |(sender, _), value: &i64| sender.with(|sender| ($send)(sender, *value)))
            .op("recv()", |(_, receiver)| receiver.with($receive))
            .role("sender", ["send(1)", "send(2)"])
            .role("receiver", ["recv()"])
            .test();
        }
    };
}

channel!(crossbeam_unbounded, "crossbeam-channel unbounded", crossbeam_channel::unbounded::<i64>(),
    |c, v| c.0.send(*v), |c| c.1.try_recv(), "len()" => |c| c.1.len());
channel!(crossbeam_bounded, "crossbeam-channel bounded(1)", crossbeam_channel::bounded::<i64>(1),
    |c, v| c.0.try_send(*v), |c| c.1.try_recv(), "len()" => |c| c.1.len());
channel!(crossbeam_blocking, "crossbeam-channel bounded(1), blocking", crossbeam_channel::bounded::<i64>(1),
    |c, v| c.0.send(*v), |c| c.1.recv());
channel!(flume_unbounded, "flume unbounded", flume::unbounded::<i64>(),
    |c, v| c.0.send(*v), |c| c.1.try_recv(), "len()" => |c| c.1.len());
channel!(flume_bounded, "flume bounded(1)", flume::bounded::<i64>(1),
    |c, v| c.0.try_send(*v), |c| c.1.try_recv(), "len()" => |c| c.1.len());
channel!(kanal_bounded, "kanal bounded(1)", kanal::bounded::<i64>(1),
    |c, v| c.0.try_send(*v), |c| c.1.try_recv(), "len()" => |c| c.1.len());
channel!(kanal_unbounded, "kanal unbounded", kanal::unbounded::<i64>(),
    |c, v| c.0.send(*v), |c| c.1.try_recv(), "close()" => |c| c.0.close());
channel!(async_channel_one, "async-channel bounded(1)", async_channel::bounded::<i64>(1),
    |c, v| c.0.try_send(*v), |c| c.1.try_recv(), "close()" => |c| c.0.close());
channel!(async_channel_two, "async-channel bounded(2)", async_channel::bounded::<i64>(2),
    |c, v| c.0.try_send(*v), |c| c.1.try_recv(), "close()" => |c| c.0.close());
channel!(async_channel_unbounded, "async-channel unbounded", async_channel::unbounded::<i64>(),
    |c, v| c.0.try_send(*v), |c| c.1.try_recv(), "len()" => |c| c.1.len());
channel!(loole_unbounded, "loole unbounded", loole::unbounded::<i64>(),
    |c, v| c.0.send(*v).is_ok(), |c| c.1.try_recv(), "len()" => |c| c.1.len());
channel!(loole_bounded, "loole bounded(1)", loole::bounded::<i64>(1),
    |c, v| c.0.try_send(*v).is_ok(), |c| c.1.try_recv(), "len()" => |c| c.1.len());
channel!(crossfire_bounded, "crossfire mpmc bounded(1)", crossfire::mpmc::bounded_blocking::<i64>(1),
    |c, v| c.0.try_send(*v).is_ok(), |c| c.1.try_recv());
channel!(thingbuf_channel, "thingbuf mpsc channel(2)", { let (tx, rx) = thingbuf::mpsc::channel::<i64>(2); (tx, rx) },
    |c, v| c.0.try_send(*v).is_ok(), |c| c.1.try_recv());
channel!(nolock_mpmc, "nolock mpmc bounded scq(2)", { let (rx, tx) = nolock::queues::mpmc::bounded::scq::queue::<i64>(2); (tx, rx) },
    |c, v| c.0.try_enqueue(*v).is_ok(), |c| c.1.try_dequeue().ok());

halves!(std_mpsc, "std mpsc", std::sync::mpsc::channel::<i64>(),
    |tx: &mut std::sync::mpsc::Sender<i64>, v| tx.send(v), |rx| rx.try_recv());
halves!(std_sync_mpsc, "std mpsc sync_channel(1)", std::sync::mpsc::sync_channel::<i64>(1),
    |tx: &mut std::sync::mpsc::SyncSender<i64>, v| tx.try_send(v), |rx| rx.try_recv());
halves!(tokio_unbounded, "tokio mpsc unbounded", tokio::sync::mpsc::unbounded_channel::<i64>(),
    |tx: &mut tokio::sync::mpsc::UnboundedSender<i64>, v| tx.send(v), |rx| rx.try_recv());
halves!(tokio_bounded, "tokio mpsc channel(1)", tokio::sync::mpsc::channel::<i64>(1),
    |tx: &mut tokio::sync::mpsc::Sender<i64>, v| tx.try_send(v), |rx| rx.try_recv());
halves!(tokio_broadcast, "tokio broadcast channel(2)", tokio::sync::broadcast::channel::<i64>(2),
    |tx: &mut tokio::sync::broadcast::Sender<i64>, v| tx.send(v).is_ok(), |rx| rx.try_recv());
halves!(tokio_watch, "tokio watch", tokio::sync::watch::channel(0_i64),
    |tx: &mut tokio::sync::watch::Sender<i64>, v| tx.send(v).is_ok(), |rx| (rx.has_changed().ok(), *rx.borrow_and_update()));
halves!(futures_unbounded, "futures-channel mpsc unbounded", futures_channel::mpsc::unbounded::<i64>(),
    |tx: &mut futures_channel::mpsc::UnboundedSender<i64>, v| tx.unbounded_send(v).is_ok(), |rx| rx.try_recv().ok());
halves!(futures_bounded, "futures-channel mpsc channel(1)", futures_channel::mpsc::channel::<i64>(1),
    |tx: &mut futures_channel::mpsc::Sender<i64>, v| tx.try_send(v).is_ok(), |rx| rx.try_recv().ok());
halves!(rtrb_ring, "rtrb RingBuffer(1)", rtrb::RingBuffer::<i64>::new(1),
    |tx: &mut rtrb::Producer<i64>, v| tx.push(v), |rx| rx.pop());
halves!(ringbuf_ring, "ringbuf HeapRb(1)", { use ringbuf::traits::Split; ringbuf::HeapRb::<i64>::new(1).split() },
    |tx: &mut ringbuf::HeapProd<i64>, v| { use ringbuf::traits::Producer; tx.try_push(v) },
    |rx| { use ringbuf::traits::Consumer; rx.try_pop() });
halves!(magnetic_spsc, "magnetic spsc(1)", magnetic::spsc::spsc_queue(magnetic::buffer::dynamic::DynamicBuffer::<i64>::new(1).unwrap()),
    |tx: &mut magnetic::spsc::SPSCProducer<i64, magnetic::buffer::dynamic::DynamicBuffer<i64>>, v| { use magnetic::Producer; tx.try_push(v).is_ok() },
    |rx| { use magnetic::Consumer; rx.try_pop().ok() });
halves!(magnetic_mpmc, "magnetic mpmc(2)", magnetic::mpmc::mpmc_queue(magnetic::buffer::dynamic::DynamicBuffer::<i64>::new(2).unwrap()),
    |tx: &mut magnetic::mpmc::MPMCProducer<i64, magnetic::buffer::dynamic::DynamicBuffer<i64>>, v| { use magnetic::Producer; tx.try_push(v).is_ok() },
    |rx| { use magnetic::Consumer; rx.try_pop().ok() });
halves!(nolock_spsc, "nolock spsc bounded(2)", { let (rx, tx) = nolock::queues::spsc::bounded::queue::<i64>(2); (tx, rx) },
    |tx: &mut nolock::queues::spsc::bounded::BoundedSender<i64>, v| tx.try_enqueue(v).is_ok(), |rx| rx.try_dequeue().ok());
halves!(nolock_mpsc, "nolock mpsc jiffy", { let (rx, tx) = nolock::queues::mpsc::jiffy::queue::<i64>(); (tx, rx) },
    |tx: &mut nolock::queues::mpsc::jiffy::Sender<i64>, v| tx.enqueue(v).is_ok(), |rx| rx.try_dequeue().ok());
halves!(bus_spmc, "bus Bus(1)", { let mut bus = bus::Bus::<i64>::new(1); let rx = bus.add_rx(); (bus, rx) },
    |tx: &mut bus::Bus<i64>, v| tx.try_broadcast(v), |rx| rx.try_recv());
halves!(async_broadcast_one, "async-broadcast(1)", async_broadcast::broadcast::<i64>(1),
    |tx: &mut async_broadcast::Sender<i64>, v| tx.try_broadcast(v).is_ok(), |rx| rx.try_recv());
halves!(triple_buffer_cell, "triple_buffer", triple_buffer::TripleBuffer::new(&0_i64).split(),
    |tx: &mut triple_buffer::Input<i64>, v| tx.write(v), |rx| *rx.read());
halves!(heapless_spsc, "heapless spsc Queue(2)", Box::leak(Box::new(heapless::spsc::Queue::<i64, 3>::new())).split(),
    |tx: &mut heapless::spsc::Producer<'static, i64>, v| tx.enqueue(v), |rx| rx.dequeue());

/// Both halves are used up by one call each.
macro_rules! oneshot {
    ($case:ident, $name:literal, $make:expr, $send:expr, $receive:expr) => {
        #[test]
        fn $case() {
            Component::new($name, || {
                let (sender, receiver) = $make;
                (RoleCell::new(Some(sender)), RoleCell::new(receiver))
            })
            .op("send(1)", |(sender, _)| sender.with(|sender| sender.take().map($send)))
            .op("drop(sender)", |(sender, _)| sender.with(|sender| drop(sender.take())))
            .op("recv()", |(_, receiver)| receiver.with($receive))
            .role("sender", ["send(1)", "drop(sender)"])
            .role("receiver", ["recv()"])
            .test();
        }
    };
}

oneshot!(tokio_oneshot, "tokio oneshot", tokio::sync::oneshot::channel::<i64>(), |tx| tx.send(1), |rx| rx.try_recv());
oneshot!(futures_oneshot, "futures-channel oneshot", futures_channel::oneshot::channel::<i64>(), |tx| tx.send(1), |rx| rx.try_recv());
oneshot!(oneshot_crate, "oneshot", oneshot::channel::<i64>(), |tx| tx.send(1).is_ok(), |rx| rx.try_recv());
