//! Histories that mean several things, because reads of counters do not tell what they have seen.

use omnilink_evidence::{Anomaly, Conclusion, Confirmation, Limit, Unknown};
use omnilink_history::Budget;
use omnilink_value::Value;

use crate::access::Accesses;
use crate::counters::CounterReadings;
use crate::level::Isolation;
use crate::level_outcome::{Blame, IsolationConclusion};
use crate::transaction::{Extent, Readings, Transactions};
use crate::transaction_error::TransactionError;

impl Readings {
    /// The transactions of each reading, as the first of them.
    ///
    /// # Errors
    /// That of `settled`.
    pub fn settled(
        counters: CounterReadings,
        extent: Extent,
        settled: &dyn Fn(Accesses) -> Result<Transactions, TransactionError>,
    ) -> Result<Transactions, TransactionError> {
        let mut all = Vec::with_capacity(counters.readings.len());
        for accesses in counters.readings {
            let mut one = settled(accesses)?;
            one.read_anomalies.extend(counters.anomalies.iter().cloned());
            all.push(one);
        }
        // Sums contain what was forgotten.
        let is_window = extent != Extent::Whole;
        let readings = Self {
            is_complete: counters.is_complete && !is_window,
            is_lossy: counters.is_lossy || is_window,
            keys: counters.keys,
            all,
        };
        let mut first = readings.all[0].clone();
        let is_certain = readings.all.len() == 1 && readings.is_complete && !readings.is_lossy;
        first.readings = (!is_certain).then(|| Box::new(readings));
        Ok(first)
    }

    /// Checks the readings: one that is isolated is enough.
    pub fn check_within(
        &self,
        isolation: Isolation,
        budget: &mut Budget,
    ) -> Result<(IsolationConclusion, Blame), TransactionError> {
        let mut open = None;
        for reading in &self.all {
            if let Some(violation) = reading.read_violation(isolation) {
                return Ok(violation);
            }
            match reading.check_within(isolation, budget)? {
                (Conclusion::Valid(order), blame) if !self.is_lossy => {
                    return Ok((Conclusion::Valid(order), blame));
                }
                (Conclusion::Unknown(unknown), _) => open = Some(unknown),
                _ => {}
            }
        }
        let unknown = match open {
            None if self.is_complete => {
                let keys = self.keys.iter().map(Value::to_string).collect();
                let violation = Anomaly::NoOrder { keys };
                return Ok((
                    IsolationConclusion::Violation(Box::new(violation)),
                    Blame::default(),
                ));
            }
            Some(unknown) => unknown,
            None => Box::new(Unknown {
                reason: Some(format!(
                    "what was read of {} does not tell which increments were seen, and one guess was tried",
                    self.keys.first().map_or_else(String::new, Value::to_string)
                )),
                ..Unknown::limited(Limit::Configurations)
            }),
        };
        Ok((Conclusion::Unknown(unknown), Blame::default()))
    }

    /// Decides again that no reading is isolated.
    ///
    /// # Errors
    /// If one is.
    pub fn confirm(&self, isolation: Isolation) -> Result<Confirmation, String> {
        let mut configurations = 0;
        for reading in &self.all {
            match reading.confirm(isolation, &Blame::default())? {
                Confirmation::Confirmed {
                    configurations: more, ..
                } => configurations += more,
                open => return Ok(open),
            }
        }
        Ok(Confirmation::Confirmed {
            search: format!("{} choices of what was seen, in every order", self.all.len()),
            configurations,
        })
    }
}
