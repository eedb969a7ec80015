//! The model of `docs/own-model.md`.

use omnilink::{Model, Options, Outcomes, Timebox, TimedOp, check_evidence};

/// A set of permits that are handed out once each.
struct Tickets {
    count: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Take {
    ticket: Option<u32>,
}

impl Model for Tickets {
    type State = u32;
    type Op = Take;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn step(&self, taken: &u32, op: &Take, outcomes: &mut Outcomes<u32>) {
        match op.ticket {
            None if *taken == self.count => outcomes.accept(*taken),
            Some(ticket) if ticket == *taken && *taken < self.count => outcomes.accept(taken + 1),
            _ => outcomes.refuse(|| format!("{op:?}, but {taken} of {} were taken", self.count)),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let history = [
        TimedOp::new(0, Take { ticket: Some(0) }, Timebox::new(0, 10)),
        TimedOp::new(1, Take { ticket: Some(0) }, Timebox::new(5, 12)),
    ];
    let evidence = check_evidence(
        "tickets",
        "Tickets",
        &Tickets { count: 2 },
        history,
        Options::default(),
    )?;
    println!("{}", omnilink::report::text(&evidence, &Default::default()));
    // evidence.to_json() is what `omnilink view` and `omnilink report` read.
    Ok(())
}
