//! Work that is over, and a process that does not end.

use super::*;

fn live(time: Option<u64>, memory_bytes: Option<u64>) -> Live {
    Live {
        state: Arc::default(),
        outer: Handle::default(),
        deadline: time.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
        memory_bytes,
        interrupt: None,
        since: None,
    }
}

#[test]
fn a_limit_is_reached_by_time_or_by_memory() {
    let later = |seconds| Instant::now() + Duration::from_secs(seconds);
    let reached = |live: Live, seconds, held| live.limit_reached(later(seconds), held);
    assert_eq!(reached(live(Some(2), None), 1, Some(9)), None);
    assert_eq!(reached(live(Some(2), None), 3, Some(9)), Some(Over::Time));
    assert_eq!(reached(live(None, Some(9)), 3, Some(8)), None);
    assert_eq!(reached(live(None, Some(9)), 3, Some(9)), Some(Over::Memory));
    assert_eq!(reached(live(None, Some(9)), 3, None), None);
}

#[test]
fn the_process_ends_when_its_patience_is_over_and_at_once_if_memory_still_fills_up() {
    let now = Instant::now();
    let after = |millis| now + Duration::from_millis(millis);
    let mut guard = Guard {
        live: vec![live(None, Some(100 << 20))],
        force: None,
        interrupted: None,
        unfinished: 0,
    };
    let most = Some(1 << 40);
    assert_eq!(guard.is_to_end(after(90_000), most, false), None, "no limit");
    guard.live[0].end(Over::Memory, now);
    assert_eq!(guard.is_to_end(after(50), Some(150 << 20), false), None);
    assert_eq!(
        guard.is_to_end(after(50), Some(200 << 20), false),
        Some(Over::Memory)
    );
    assert_eq!(
        guard.is_to_end(after(5_000), Some(90 << 20), false),
        Some(Over::Memory)
    );
    guard.unfinished = 1;
    assert_eq!(guard.is_to_end(after(5_000), Some(200 << 20), false), None);
    assert_eq!(
        guard.is_to_end(after(60_000), Some(90 << 20), false),
        Some(Over::Memory)
    );
    (guard.live, guard.unfinished, guard.interrupted) = (Vec::new(), 0, Some(now));
    assert_eq!(guard.is_to_end(after(950), None, false), None);
    assert_eq!(guard.is_to_end(after(950), None, true), Some(Over::Interrupt));
    assert_eq!(guard.is_to_end(after(5_000), None, false), Some(Over::Interrupt));
}

fn of_time(time: Duration) -> WorkLimits {
    WorkLimits {
        time: Some(time),
        ..WorkLimits::default()
    }
}

#[test]
fn a_work_is_over_for_those_who_do_it_and_for_its_parts() {
    let whole = begin(of_time(Duration::ZERO));
    let part = begin(of_time(Duration::from_secs(3600)));
    while part.over().is_none() {
        std::thread::yield_now();
    }
    assert_eq!((whole.over(), over()), (Some(Over::Time), Some(Over::Time)));
    let work = current();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(!is_over(), "this thread does something else");
            let helping = work.enter();
            assert!(is_over() && !has_room(1));
            drop(helping);
            assert!(!is_over());
        });
    });
    drop(part);
    assert!(is_over());
    drop(whole);
    assert!(!is_over() && has_room(usize::MAX / 2));
}

#[test]
fn there_is_room_up_to_the_limit() {
    let work = begin(WorkLimits {
        memory_bytes: Some(1 << 40),
        ..WorkLimits::default()
    });
    let part = begin(WorkLimits::default());
    assert!(has_room(1 << 22) && work.over().is_none());
    drop(part);
    assert!(!has_room(1 << 41));
    assert_eq!(work.over(), Some(Over::Memory));
}
