//! Amounts as people type them: `10s`, `2GB`, `1_000_000`.

use std::time::Duration;

/// A duration: `500ns`, `500us`, `500ms`, `10s`, `2m`, `1h`, or seconds without a unit. Exact: what is less than a nanosecond counts as one.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("\"{text}\" is no duration; write 500us, 500ms, 10s, 2m or 1h");
    let (number, unit) = split(text);
    let nanoseconds: u128 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "" | "s" | "sec" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err(wrong()),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let scale = u32::try_from(fraction.len())
        .ok()
        .and_then(|digits| 10u128.checked_pow(digits));
    let digits: Option<u128> = format!("{whole}{fraction}").parse().ok();
    let amount = digits.and_then(|digits| Some(digits.checked_mul(nanoseconds)?.div_ceil(scale?)));
    let amount = amount.ok_or_else(wrong)?;
    let seconds = u64::try_from(amount / 1_000_000_000).map_err(|_| wrong())?;
    Ok(Duration::new(seconds, (amount % 1_000_000_000) as u32))
}

/// An amount of memory: `2GB`, `512MB`, `1.5GiB`. Without a unit it could be meant in bytes or in gigabytes.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    let wrong = || format!("\"{text}\" is no amount of memory; write 512MB, 2GB or 1GiB");
    let (number, unit) = split(text);
    let bytes = match unit.to_ascii_lowercase().as_str() {
        "" if number.parse::<f64>().is_ok() => {
            return Err(format!(
                "\"{text}\" has no unit; write {text}GB, {text}MB or {text}B"
            ));
        }
        "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let amount: f64 = number.parse().map_err(|_| wrong())?;
    let total = amount * bytes;
    if (1.0..1e18).contains(&total) {
        Ok(total as u64)
    } else {
        Err(wrong())
    }
}

/// A count: `1000000`, `1_000_000`, `1,000,000`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    digits
        .parse()
        .map_err(|_| format!("\"{text}\" is no count; write a number such as 1_000_000"))
}

/// A number of threads, or one for each core.
pub(crate) fn workers(text: &str) -> Result<u16, String> {
    if text == "auto" {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        return Ok(u16::try_from(cores).unwrap_or(WORKERS_MAX).min(WORKERS_MAX));
    }
    match text.parse() {
        Ok(number) if (1..=WORKERS_MAX).contains(&number) => Ok(number),
        _ => Err(format!(
            "write a number from 1 to {WORKERS_MAX}, or `auto` for one thread per core"
        )),
    }
}

const WORKERS_MAX: u16 = 1024;

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_type_them() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5 m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert_eq!(duration("500us"), Ok(Duration::from_micros(500)));
        assert_eq!(duration("500µs"), Ok(Duration::from_micros(500)));
        assert_eq!(duration("0.3ms"), Ok(Duration::from_nanos(300_000)));
        assert_eq!(duration("1ns"), Ok(Duration::from_nanos(1)));
        assert_eq!(duration("0.0000000001s"), Ok(Duration::from_nanos(1)));
        assert_eq!(memory("2GB"), Ok(2_000_000_000));
        assert_eq!(memory("1GiB"), Ok(1 << 30));
        assert_eq!(memory("640B"), Ok(640));
        assert!(memory("2").is_err_and(|message| message.contains("write 2GB, 2MB or 2B")));
        assert_eq!(count("1_000_000"), Ok(1_000_000));
    }

    #[test]
    fn nonsense_is_refused_with_an_example() {
        for text in [
            "",
            "soon",
            "-3s",
            "1e999s",
            "10 parsecs",
            "9999999999999999999999h",
            "1.2.3s",
        ] {
            assert!(
                duration(text).is_err_and(|message| message.contains("10s")),
                "{text}"
            );
        }
        for text in ["", "much", "0GB", "99999999999999GB", "-1MB"] {
            assert!(
                memory(text).is_err_and(|message| message.contains("2GB")),
                "{text}"
            );
        }
        assert!(count("1.5").is_err() && count("").is_err());
    }
}
