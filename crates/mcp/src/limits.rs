//! How long a call may take and how much memory it may hold. There is no call without limits.

use std::time::Duration;

/// The time of a call that does not say how long it may take.
const USUAL_TIME: Duration = Duration::from_secs(60);

/// The most that calls may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Time.
    pub time: Duration,
    /// Bytes of memory.
    pub memory: u64,
}

arguments! {
    /// When to give up; the answer is then `unknown`.
    pub(crate) struct LimitArguments {
        /// Give up after this many seconds; 60 if not given. The server has a most.
        seconds: Option<f64>,
        /// Give up when the check holds this many megabytes. The server has a most, which counts if this is not given.
        megabytes: Option<u64>,
    }
}

/// The limits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    pub(crate) memory: u64,
}

impl Limits {
    /// What was asked for, as far as it is allowed.
    pub(crate) fn of(asked: Option<&LimitArguments>, most: Most) -> Result<Self, String> {
        let time = match asked.and_then(|asked| asked.seconds) {
            None => USUAL_TIME,
            Some(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| {
                format!("limits.seconds: {seconds} is no time; give seconds, such as 10 or 0.5")
            })?,
        };
        let memory = match asked.and_then(|asked| asked.megabytes) {
            Some(0) => return Err("limits.megabytes: 0 is no limit to work with; give at least 1".to_owned()),
            Some(megabytes) => megabytes.saturating_mul(1_000_000),
            None => most.memory,
        };
        Ok(Self {
            time: time.min(most.time),
            memory: memory.min(most.memory),
        })
    }

    /// The same as arguments of a command.
    pub(crate) fn words(self) -> [String; 2] {
        [
            format!("--time-limit={}ms", self.time.as_millis()),
            format!("--memory-limit={}B", self.memory),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Most = Most {
        time: Duration::from_secs(100),
        memory: 1_000_000_000,
    };

    fn limits(seconds: Option<f64>, megabytes: Option<u64>) -> Result<Limits, String> {
        Limits::of(Some(&LimitArguments { seconds, megabytes }), MOST)
    }

    #[test]
    fn a_call_has_limits_also_if_it_names_none() {
        let usual = Limits::of(None, MOST);
        assert_eq!(
            usual.map(Limits::words),
            Ok(["--time-limit=60000ms", "--memory-limit=1000000000B"].map(str::to_owned))
        );
    }

    #[test]
    fn no_call_gets_more_than_the_most() {
        assert_eq!(
            limits(Some(1e9), Some(u64::MAX)).map(|one| (one.time, one.memory)),
            Ok((MOST.time, MOST.memory))
        );
        assert_eq!(
            limits(Some(0.5), Some(5)).map(|one| (one.time.as_millis(), one.memory)),
            Ok((500, 5_000_000))
        );
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        for seconds in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(limits(Some(seconds), None).is_err(), "{seconds}");
        }
        assert!(limits(None, Some(0)).is_err());
    }
}
