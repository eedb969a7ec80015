//! Two-phase commit over UDP sockets with message loss, instrumented for `omnilink validate`.
//!
//! ```sh
//! cargo run -p omnilink-record --example two_phase -- logs         # correct
//! cargo run -p omnilink-record --example two_phase -- logs --bug   # counts resent messages
//! omnilink validate examples/logs/two-phase/TwoPhase.tla logs --const 'RM={"rm-0","rm-1","rm-2"}'
//! ```
//!
//! Resource managers resend "prepared" until they hear a decision, because messages get lost. With `--bug` the transaction manager counts
//! messages instead of managers, so a resent message counts twice, and it commits too early. `OMNILINK_TRACE` and `OMNILINK_SEED` are used if nothing
//! else is given.

use std::collections::BTreeSet;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::time::Duration;

use omnilink_record::{LogClock, LogValue, LogWriter, Stamp};

const MANAGERS: usize = 3;

/// Decides at random, from a seed, which messages get lost.
struct Loss(u64);

impl Loss {
    fn is_lost(&mut self) -> bool {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33).is_multiple_of(3)
    }
}

fn send(socket: &UdpSocket, to: SocketAddr, text: &str, stamp: &Stamp, loss: &mut Loss) -> io::Result<()> {
    if loss.is_lost() {
        return Ok(());
    }
    socket
        .send_to(format!("{text}|{}", stamp.to_text()).as_bytes(), to)
        .map(|_| ())
}

/// A message and its stamp; `None` if none came in time.
fn receive(socket: &UdpSocket) -> io::Result<Option<(String, Stamp)>> {
    let mut buffer = [0; 512];
    match socket.recv_from(&mut buffer) {
        Ok((length, _)) => {
            let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
            let parts = text
                .split_once('|')
                .and_then(|(text, stamp)| Some((text.to_owned(), Stamp::from_text(stamp)?)));
            Ok(parts)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => Ok(None),
        Err(error) => Err(error),
    }
}

fn transaction_manager(
    socket: &UdpSocket,
    managers: &[SocketAddr],
    folder: &Path,
    has_bug: bool,
    seed: u64,
) -> io::Result<()> {
    let mut log = LogWriter::create(&folder.join("tm.ndjson"), "tm", LogClock::lamport())?;
    let mut loss = Loss(seed);
    let mut prepared = BTreeSet::new();
    let mut messages = 0;
    while if has_bug {
        messages < MANAGERS
    } else {
        prepared.len() < MANAGERS
    } {
        let Some((text, stamp)) = receive(socket)? else {
            continue;
        };
        if let Some(manager) = text.strip_prefix("prepared ") {
            log.received(&stamp);
            prepared.insert(manager.to_owned());
            messages += 1;
            log.observe("tmPrepared").add(manager);
            log.log("TMRcvPrepared", [manager])?;
        }
    }
    log.observe("tmState").set("done");
    log.observe("msgs").add(LogValue::record([("type", "Commit")]));
    log.log("TMCommit", [] as [&str; 0])?;
    // Until everybody has heard it: managers that have committed do not answer any more.
    for _ in 0..40 {
        for manager in managers {
            send(socket, *manager, "commit", &log.stamp(), &mut loss)?;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

fn resource_manager(
    name: &str,
    socket: &UdpSocket,
    tm: SocketAddr,
    folder: &Path,
    seed: u64,
) -> io::Result<()> {
    let mut log = LogWriter::create(&folder.join(format!("{name}.ndjson")), name, LogClock::lamport())?;
    let mut loss = Loss(seed);
    // Managers take different times to prepare.
    std::thread::sleep(Duration::from_millis(seed % 4 * 7));
    log.observe("rmState").at(name).set("prepared");
    log.observe("msgs")
        .add(LogValue::record([("type", "Prepared"), ("rm", name)]));
    log.log("RMPrepare", [name])?;
    for _ in 0..500 {
        send(socket, tm, &format!("prepared {name}"), &log.stamp(), &mut loss)?;
        if let Some((text, stamp)) = receive(socket)?
            && text == "commit"
        {
            log.received(&stamp);
            log.observe("rmState").at(name).set("committed");
            return log.log("RMRcvCommitMsg", [name]);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1).peekable();
    let given = args.next_if(|arg| !arg.starts_with("--"));
    let folder = given.or_else(|| std::env::var("OMNILINK_TRACE").ok());
    let folder = PathBuf::from(folder.unwrap_or_else(|| "logs".to_owned()));
    let rest: Vec<String> = args.collect();
    let has_bug = rest.iter().any(|arg| arg == "--bug");
    let seeds = rest.iter().cloned().chain(std::env::var("OMNILINK_SEED"));
    let seed = seeds
        .into_iter()
        .find_map(|arg| arg.parse::<u64>().ok())
        .unwrap_or(1)
        % (1 << 32);
    std::fs::create_dir_all(&folder)?;
    let socket = || -> io::Result<UdpSocket> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.set_read_timeout(Some(Duration::from_millis(3)))?;
        Ok(socket)
    };
    let tm = socket()?;
    let sockets: Vec<UdpSocket> = (0..MANAGERS).map(|_| socket()).collect::<io::Result<_>>()?;
    let addresses: Vec<SocketAddr> = sockets
        .iter()
        .map(UdpSocket::local_addr)
        .collect::<io::Result<_>>()?;
    let tm_address = tm.local_addr()?;
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, socket) in sockets.iter().enumerate() {
            let folder = &folder;
            threads.push(scope.spawn(move || {
                resource_manager(
                    &format!("rm-{number}"),
                    socket,
                    tm_address,
                    folder,
                    seed + 17 * number as u64,
                )
            }));
        }
        transaction_manager(&tm, &addresses, &folder, has_bug, seed + 1000)?;
        for thread in threads {
            match thread.join() {
                Ok(result) => result?,
                Err(_) => return Err(io::Error::other("a resource manager panicked")),
            }
        }
        Ok(())
    })
}
