//! Numbers as people read them.

/// A count with thousands apart: `4,812`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How many of something: `1 operation`, `4,812 operations`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", count(number)),
    }
}

/// A duration: `0.8 ms`, `1.24 s`, `3 min 20 s`.
pub fn seconds(seconds: f64) -> String {
    if seconds < 0.0995 {
        format!("{:.1} ms", seconds * 1e3)
    } else if seconds < 99.95 {
        format!("{seconds:.2} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {} s", count(whole / 60), whole % 60)
    }
}

/// An amount of memory: `640 B`, `21 MB`, `1.5 GB`. Decimal units, as limits are given.
pub fn bytes(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    for (unit, name) in units {
        if bytes >= unit {
            let amount = bytes as f64 / unit as f64;
            return if amount < 9.95 {
                format!("{amount:.1} {name}")
            } else {
                format!("{amount:.0} {name}")
            };
        }
    }
    format!("{bytes} B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let texts = [0, 999, 1_000, 4_812, 1_234_567].map(count);
        assert_eq!(texts, ["0", "999", "1,000", "4,812", "1,234,567"]);
        assert_eq!(counted(1, "operation", "operations"), "1 operation");
        assert_eq!(counted(0, "operation", "operations"), "0 operations");
    }

    #[test]
    fn durations_and_amounts_have_the_unit_that_suits_them() {
        assert_eq!(
            [0.0008, 0.25, 61.0, 200.2].map(seconds),
            ["0.8 ms", "0.25 s", "61.00 s", "3 min 20 s"]
        );
        assert_eq!(
            [640, 21_000_000, 1_500_000_000].map(bytes),
            ["640 B", "21 MB", "1.5 GB"]
        );
    }
}
