//! Programs whose threads are connected by files, time and memory. The first argument says which; each of them is correct, except for
//! `update`, `locks`, `race`, `freed` and `made-twice`.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::{AcqRel, Acquire, Release, SeqCst}};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("update") => update(),
        Some("locks") => locks(),
        Some("race") => race(),
        Some("freed") => freed(),
        Some("made-twice") => made_twice(),
        Some("pipe") => pipe(),
        Some("network") => network(),
        Some("elsewhere") => elsewhere(),
        Some("read-limit") => read_limit(),
        Some("child") => child(),
        Some("timer") => timer(),
        Some("addresses") => many_addresses(),
        Some("detached") => detached(),
        Some("crowd") => crowd(),
        Some("large-blocks") => large_blocks(),
        Some("processors") => println!("{}", thread::available_parallelism().unwrap()),
        other => panic!("{other:?} is no program"),
    }
}

/// A value that two threads make at the same time is left behind.
fn made_twice() {
    let slot: AtomicPtr<[u64; 5]> = AtomicPtr::new(std::ptr::null_mut());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                if slot.load(Acquire).is_null() {
                    slot.store(Box::into_raw(Box::new([7_u64; 5])), Release);
                }
            });
        }
    });
    // SAFETY: it was made by one of the threads, which have ended, and nobody else frees it.
    drop(unsafe { Box::from_raw(slot.load(Acquire)) });
}

/// An update may be lost.
fn update() {
    let count = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let count = count.clone();
            thread::spawn(move || {
                let before = count.load(SeqCst);
                count.store(before + 1, SeqCst);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(count.load(SeqCst), 2, "an update was lost");
}

fn locks() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let theirs = locks.clone();
    let other = thread::spawn(move || {
        let _first = theirs.0.lock().unwrap();
        let _second = theirs.1.lock().unwrap();
    });
    {
        let _second = locks.1.lock().unwrap();
        let _first = locks.0.lock().unwrap();
    }
    other.join().unwrap();
}

fn race() {
    static mut SHARED: u64 = 0;
    let other = thread::spawn(|| unsafe { SHARED = 1 });
    unsafe { SHARED = 2 };
    other.join().unwrap();
}

fn freed() {
    let block = Box::into_raw(Box::new(1_u64)) as usize;
    let is_freed = Arc::new(AtomicBool::new(false));
    let told = is_freed.clone();
    let other = thread::spawn(move || {
        drop(unsafe { Box::from_raw(block as *mut u64) });
        told.store(true, SeqCst);
    });
    while !is_freed.load(SeqCst) {
        thread::yield_now();
    }
    std::hint::black_box(unsafe { (block as *const u64).read() });
    other.join().unwrap();
}

fn pipe() {
    let (mut ours, mut theirs) = UnixStream::pair().unwrap();
    let other = thread::spawn(move || {
        let mut bytes = [0; 5];
        theirs.read_exact(&mut bytes).unwrap();
        bytes.reverse();
        theirs.write_all(&bytes).unwrap();
    });
    thread::sleep(Duration::from_secs(1_000));
    ours.write_all(b"hello").unwrap();
    let mut bytes = String::new();
    ours.read_to_string(&mut bytes).unwrap();
    assert_eq!(bytes, "olleh");
    other.join().unwrap();
}

fn network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        for _ in 0..2 {
            let (mut client, _) = listener.accept().unwrap();
            let mut byte = [0];
            client.read_exact(&mut byte).unwrap();
            client.write_all(&[byte[0] + 1]).unwrap();
        }
    });
    let clients: Vec<_> = (0..2)
        .map(|number| {
            thread::spawn(move || {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.write_all(&[number]).unwrap();
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                assert_eq!(byte[0], number + 1);
            })
        })
        .collect();
    clients.into_iter().for_each(|client| client.join().unwrap());
    server.join().unwrap();
}

/// A wait that the socket itself ends.
fn read_limit() {
    let (ours, _theirs) = UnixStream::pair().unwrap();
    ours.set_read_timeout(Some(Duration::from_secs(500))).unwrap();
    let began = Instant::now();
    let ended = (&ours).read(&mut [0]).unwrap_err();
    assert_eq!(ended.kind(), std::io::ErrorKind::WouldBlock);
    assert!(began.elapsed() >= Duration::from_secs(500));
}

/// Another process, which answers after a while of real time.
fn child() {
    let printed = std::process::Command::new("sh").args(["-c", "sleep 0.5; echo done"]).output().unwrap();
    assert_eq!(printed.stdout, b"done\n");
    let mut command = std::process::Command::new("sleep");
    // A function that runs before the program makes the library fork.
    unsafe { std::os::unix::process::CommandExt::pre_exec(command.arg("0.1"), || Ok(())) };
    let mut waits = command.spawn().unwrap();
    assert!(waits.wait().unwrap().success());
}

/// An address for documentation, which nobody has.
fn elsewhere() {
    let refused = TcpStream::connect("192.0.2.1:80").unwrap_err();
    println!("{refused}");
}

unsafe extern "C" {
    fn timerfd_create(clock: i32, flags: i32) -> i32;
    fn timerfd_settime(file: i32, flags: i32, new: *const [i64; 4], old: *mut [i64; 4]) -> i32;
    fn read(file: i32, to: *mut u8, length: usize) -> isize;
    fn close(file: i32) -> i32;
}

fn timer() {
    let began = Instant::now();
    let mut bytes = [0; 8];
    unsafe {
        let timer = timerfd_create(1, 0);
        assert_eq!(timerfd_settime(timer, 0, &[10, 0, 3_600, 0], std::ptr::null_mut()), 0);
        assert_eq!(read(timer, bytes.as_mut_ptr(), 8), 8);
        assert!(began.elapsed() >= Duration::from_secs(3_600));
        assert_eq!(read(timer, bytes.as_mut_ptr(), 8), 8);
        close(timer);
    }
    assert_eq!(u64::from_ne_bytes(bytes), 1);
    assert!(began.elapsed() >= Duration::from_secs(3_610));
}

/// More flags than the runtime has room for: each of them orders what is written before it.
fn many_addresses() {
    const FLAGS: usize = 40_000;
    let flags: Arc<Vec<AtomicU64>> = Arc::new((0..FLAGS).map(|_| AtomicU64::new(0)).collect());
    let cells = Arc::new(vec![0_u64; FLAGS]);
    let (theirs, their_cells) = (flags.clone(), cells.clone());
    let writer = thread::spawn(move || {
        for (number, flag) in theirs.iter().enumerate() {
            let cell = their_cells.as_ptr().cast_mut();
            unsafe { cell.add(number).write(number as u64) };
            flag.store(1, Release);
        }
    });
    for (number, flag) in flags.iter().enumerate() {
        while flag.load(Acquire) == 0 {
            thread::yield_now();
        }
        assert_eq!(unsafe { cells.as_ptr().add(number).read() }, number as u64);
    }
    writer.join().unwrap();
}

/// Threads that nobody joins: later ones have their numbers and their stacks.
fn detached() {
    let (sender, receiver) = mpsc::channel();
    for number in 0..60_u64 {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut on_stack = [number; 64];
            on_stack.iter_mut().for_each(|cell| *cell += 1);
            sender.send(std::hint::black_box(on_stack).iter().sum::<u64>()).unwrap();
        });
        if number % 3 == 2 {
            (0..3).for_each(|_| _ = receiver.recv().unwrap());
        }
    }
}

/// More threads at a time than there are clocks for races.
fn crowd() {
    let sum = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..60)
        .map(|_| {
            let sum = sum.clone();
            thread::spawn(move || *sum.lock().unwrap() += 1)
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*sum.lock().unwrap(), 60);
}

/// More memory than the runtime checks: the C library gives blocks of one thread to another one.
fn large_blocks() {
    let turns = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let turns = turns.clone();
            thread::spawn(move || {
                for _ in 0..40 {
                    let mut block = vec![0_u8; 1 << 20];
                    block[5_000] = 1;
                    std::hint::black_box(&block);
                    drop(block);
                    turns.fetch_add(1, AcqRel);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
