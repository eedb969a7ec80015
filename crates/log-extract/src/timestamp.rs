//! Times of log lines, in nanoseconds since 1970 (UTC).
//!
//! A time without a year, as syslog and glog write it, is one of 1972, which has a 29th of February, and a time without a day one of 1970's first day: such times order
//! lines, as long as the log does not go past midnight or the end of a year. A time without a zone is taken for UTC. A day that the calendar has not is no time.

use serde_json::Value;

/// How a time is written: `%Y-%m-%d %H:%M:%S,%f`.
///
/// `%Y` year, `%y` its last two digits, `%m` month, `%b` its English name, `%d` day, `%H` hour, `%M` minute, `%S` second, `%f` the digits of a fraction of a second, `%z` a zone (`Z`,
/// `+02:00`, `+0200`), `%s` seconds since 1970, `%%` a percent sign. A space stands for one space or more. Everything else stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeFormat(Vec<Token>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Year,
    /// Of this century.
    ShortYear,
    Month,
    MonthName,
    Day,
    Hour,
    Minute,
    Second,
    Fraction,
    Zone,
    Epoch,
    Letter(char),
}

/// Formats that are tried if none is given.
const USUAL: [&str; 15] = [
    "%Y-%m-%dT%H:%M:%S.%f%z",
    "%Y-%m-%dT%H:%M:%S,%f%z",
    "%Y-%m-%dT%H:%M:%S%z",
    "%Y-%m-%d %H:%M:%S.%f%z",
    "%Y-%m-%d %H:%M:%S,%f%z",
    "%Y-%m-%d %H:%M:%S%z",
    "%H:%M:%S.%f",
    "%H:%M:%S,%f",
    "%H:%M:%S",
    "%m%d %H:%M:%S.%f",
    "%y%m%d %H:%M:%S.%f",
    "%b %d %H:%M:%S",
    "%d/%b/%Y:%H:%M:%S %z",
    "%Y/%m/%d %H:%M:%S.%f",
    "%Y/%m/%d %H:%M:%S",
];

impl TimeFormat {
    /// Reads a format.
    ///
    /// # Errors
    /// If it has a letter after `%` that means nothing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Vec::new();
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            tokens.push(match letter {
                '%' => match letters.next() {
                    Some('Y') => Token::Year,
                    Some('y') => Token::ShortYear,
                    Some('m') => Token::Month,
                    Some('b') => Token::MonthName,
                    Some('d') => Token::Day,
                    Some('H') => Token::Hour,
                    Some('M') => Token::Minute,
                    Some('S') => Token::Second,
                    Some('f') => Token::Fraction,
                    Some('z') => Token::Zone,
                    Some('s') => Token::Epoch,
                    Some('%') => Token::Letter('%'),
                    other => {
                        let other = other.map(String::from).unwrap_or_default();
                        return Err(format!(
                            "`%{other}` means nothing in a time; there are %Y %y %m %b %d %H %M %S %f (fraction) %z (zone) %s (seconds since 1970)"
                        ));
                    }
                },
                letter => Token::Letter(letter),
            });
        }
        Ok(Self(tokens))
    }

    /// The nanoseconds of a text.
    pub fn nanoseconds(&self, text: &str) -> Option<i64> {
        let mut rest = text.trim();
        let has = |token: Token| self.0.contains(&token);
        let has_year = has(Token::Year) || has(Token::ShortYear);
        let has_day = has(Token::Month) || has(Token::MonthName) || has(Token::Day);
        let (mut year, mut month, mut day) = (1970_i64, 1_i64, 1_i64);
        if has_day && !has_year {
            year = 1972;
        }
        let (mut seconds, mut fraction_ns, mut zone_s) = (0_i64, 0_i64, 0_i64);
        for token in &self.0 {
            let mut number = |most: usize| digits(&mut rest, most);
            match token {
                Token::Year => year = number(4)?,
                Token::ShortYear => year = 2000 + number(2)?,
                Token::Month => month = number(2)?,
                Token::Day => {
                    rest = rest.trim_start();
                    day = digits(&mut rest, 2)?;
                }
                Token::Hour => seconds += number(2)? * 3_600,
                Token::Minute => seconds += number(2)? * 60,
                Token::Second => seconds += number(2)?,
                Token::Epoch => seconds += number(12)?,
                Token::Fraction => {
                    let before = rest.len();
                    let value = digits(&mut rest, 9)?;
                    let places = (before - rest.len()) as u32;
                    fraction_ns = value * 10_i64.pow(9 - places);
                    rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
                }
                Token::MonthName => {
                    let name = rest.get(..3)?;
                    let mut months = MONTHS.iter();
                    month = months.position(|known| known.eq_ignore_ascii_case(name))? as i64 + 1;
                    rest = &rest[3..];
                }
                Token::Zone => zone_s = zone(&mut rest)?,
                Token::Letter(' ') => rest = rest.strip_prefix(' ')?.trim_start(),
                Token::Letter(letter) => rest = rest.strip_prefix(*letter)?,
            }
        }
        if !rest.is_empty() || !(1..=12).contains(&month) || !(1..=days_of_month(year, month)).contains(&day)
        {
            return None;
        }
        let seconds = days(year, month, day) * 86_400 + seconds - zone_s;
        seconds.checked_mul(1_000_000_000)?.checked_add(fraction_ns)
    }
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The number at the beginning, of `most` digits or fewer.
fn digits(rest: &mut &str, most: usize) -> Option<i64> {
    let length = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at_checked(length)?;
    *rest = after;
    number.parse().ok()
}

/// The seconds by which a zone is ahead of UTC; no zone is UTC.
fn zone(rest: &mut &str) -> Option<i64> {
    let text = rest.trim_start();
    if text.is_empty() {
        *rest = text;
        return Some(0);
    }
    if let Some(after) = text.strip_prefix(['Z', 'z']) {
        *rest = after;
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let mut after = &text[1..];
    let hours = digits(&mut after, 2)?;
    after = after.strip_prefix(':').unwrap_or(after);
    let minutes = if after.is_empty() {
        0
    } else {
        digits(&mut after, 2)?
    };
    *rest = after;
    Some(sign * (hours * 3_600 + minutes * 60))
}

/// How many days a month has.
fn days_of_month(year: i64, month: i64) -> i64 {
    let (next_year, next) = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    days(next_year, next, 1) - days(year, month, 1)
}

/// Days from 1970-01-01 to a day of the Gregorian calendar. The year is taken to begin in March, so that the leap day is its last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The nanoseconds of a time: a text in this format, or in one of the usual ones; or a number of seconds, milliseconds, microseconds or nanoseconds since
/// 1970, which its size tells.
pub(crate) fn nanoseconds(value: &Value, format: Option<&TimeFormat>) -> Option<i64> {
    match (value, format) {
        (Value::String(text), Some(format)) => format.nanoseconds(text),
        (Value::String(text), None) => since_1970(text).or_else(|| {
            let mut formats = USUAL.iter().filter_map(|format| TimeFormat::parse(format).ok());
            formats.find_map(|format| format.nanoseconds(text))
        }),
        (Value::Number(number), None) => since_1970(&number.to_string()),
        (Value::Number(number), Some(format)) => format.nanoseconds(&number.to_string()),
        _ => None,
    }
}

/// The nanoseconds of a decimal number of which nobody says what it counts.
fn since_1970(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() || !(whole.bytes().chain(fraction.bytes())).all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    // Until the year 5138 seconds have at most eleven digits.
    let unit_ns: i64 = match whole.trim_start_matches('0').len() {
        0..=11 => 1_000_000_000,
        12..=14 => 1_000_000,
        15..=17 => 1_000,
        _ => 1,
    };
    let mut digits = fraction.get(..9.min(fraction.len()))?.to_owned();
    while digits.len() < 9 {
        digits.push('0');
    }
    // Billionths of the unit.
    let part = digits.parse::<i64>().ok()? / (1_000_000_000 / unit_ns);
    number.checked_mul(unit_ns)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const DAY_NS: i64 = 86_400 * 1_000_000_000;

    #[test]
    fn usual_times_are_read() {
        let at = 1_700_000_000_123_000_000;
        for time in [
            json!("2023-11-14T22:13:20.123Z"),
            json!("2023-11-14T22:13:20.123000+00:00"),
            json!("2023-11-15 00:13:20,123 +0200"),
            json!("2023-11-14 22:13:20.123"),
            json!("1700000000.123"),
            json!(1_700_000_000.123),
            json!(1_700_000_000_123_u64),
            json!(1_700_000_000_123_000_u64),
            json!("1700000000123000000"),
        ] {
            assert_eq!(nanoseconds(&time, None), Some(at), "{time}");
        }
        let midnight = |text: &str| nanoseconds(&json!(text), None).map(|time| time.rem_euclid(DAY_NS));
        assert_eq!(midnight("Nov 18 00:00:01"), Some(1_000_000_000));
        assert_eq!(midnight("Nov  8 00:00:01"), Some(1_000_000_000));
        assert_eq!(midnight("2024-02-29 00:00:01"), Some(1_000_000_000));
        assert_eq!(midnight("Feb 29 00:00:01"), Some(1_000_000_000));
        assert_eq!(midnight("1118 00:00:00.000001"), Some(1_000));
        assert_eq!(midnight("00:00:02,5"), Some(2_500_000_000));
        assert_eq!(midnight("00:00:03"), Some(3_000_000_000));
        assert_eq!(
            nanoseconds(&json!("231114 22:13:20.123"), None),
            Some(at),
            "two digits of the year"
        );
        assert_eq!(
            nanoseconds(&json!("10/Oct/2000:13:55:36 -0700"), None),
            Some(971_211_336_000_000_000)
        );
        for wrong in [
            json!("soon"),
            json!(""),
            json!(null),
            json!(true),
            json!("2023-13-01 00:00:00"),
            json!("2023-02-30 00:00:00"),
            json!("2023-02-29 00:00:00"),
            json!("2023-11-31T00:00:00Z"),
            json!("Feb 30 00:00:01"),
            json!("-"),
        ] {
            assert_eq!(nanoseconds(&wrong, None), None, "{wrong}");
        }
    }

    #[test]
    fn a_format_of_ones_own_is_used() {
        let format = TimeFormat::parse("%d.%m.%Y %H:%M:%S.%f").unwrap();
        assert_eq!(
            format.nanoseconds("02.01.1970 00:00:00.5"),
            Some(DAY_NS + 500_000_000)
        );
        assert_eq!(format.nanoseconds("02.01.1970"), None);
        assert!(TimeFormat::parse("%Q").is_err());
    }

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(2000, 2, 29), 11_016);
        assert_eq!(days(2000, 3, 1), 11_017);
        assert_eq!(days(1969, 12, 31), -1);
    }
}
