//! The XML of the Line-Up paper: serial histories grouped by what each thread sees.
//!
//! An `observation` lists the operations of each thread with their results; the `history` elements below it are the
//! orders in which serial runs made them. `3[]` is the third operation, which returned; `3[` is stuck.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{ObservedSerial, SerialObservation, SerialOutcome};

/// Writes observations as XML.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_xml(out: &mut dyn Write, observations: &[SerialObservation]) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>")?;
    writeln!(out, "<observations>")?;
    for observation in observations {
        writeln!(
            out,
            "  <observationset matrix=\"{}\">",
            escaped(&observation.matrix)
        )?;
        for (view, histories) in by_view(observation) {
            write_view(out, &view, &histories)?;
        }
        writeln!(out, "  </observationset>")?;
    }
    writeln!(out, "</observations>")
}

/// What each thread sees: its calls with their results.
type View = BTreeMap<String, Vec<ObservedSerial>>;

fn by_view(observation: &SerialObservation) -> BTreeMap<View, Vec<&[ObservedSerial]>> {
    let mut views: BTreeMap<View, Vec<&[ObservedSerial]>> = BTreeMap::new();
    for history in &observation.histories {
        let mut view = View::new();
        for step in history {
            view.entry(step.thread.clone()).or_default().push(step.clone());
        }
        views.entry(view).or_default().push(history);
    }
    views
}

fn write_view(out: &mut dyn Write, view: &View, histories: &[&[ObservedSerial]]) -> io::Result<()> {
    writeln!(out, "    <observation>")?;
    let mut numbers: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for (thread, steps) in view {
        let first = numbers.len() + 1;
        let marks: Vec<String> = (first..)
            .zip(steps)
            .map(|(number, step)| mark(number, step))
            .collect();
        writeln!(
            out,
            "      <thread id=\"{}\">{}</thread>",
            escaped(thread),
            marks.join(" ")
        )?;
        for position in 0..steps.len() {
            let number = numbers.len() + 1;
            numbers.insert((thread, position), number);
        }
    }
    let mut number = 0;
    for step in view.values().flatten() {
        number += 1;
        let call = escaped(&step.call);
        match &step.outcome {
            SerialOutcome::Returned(result) => {
                let result = escaped(result);
                writeln!(
                    out,
                    "      <op id=\"{number}\" name=\"{call}\" result=\"{result}\"/>"
                )?;
            }
            SerialOutcome::Stuck => writeln!(out, "      <op id=\"{number}\" name=\"{call}\"/>")?,
            SerialOutcome::Crashed(reason) => {
                let reason = escaped(reason);
                writeln!(
                    out,
                    "      <op id=\"{number}\" name=\"{call}\" crash=\"{reason}\"/>"
                )?;
            }
        }
    }
    for history in histories {
        let mut made: BTreeMap<&str, usize> = BTreeMap::new();
        let mut marks = Vec::new();
        for step in *history {
            let position = made.entry(&step.thread).or_default();
            let number = numbers
                .get(&(step.thread.as_str(), *position))
                .copied()
                .unwrap_or(0);
            *position += 1;
            marks.push(mark(number, step));
        }
        if history.iter().any(|step| step.outcome == SerialOutcome::Stuck) {
            marks.push("#".to_owned());
        }
        writeln!(out, "      <history>{}</history>", marks.join(" "))?;
    }
    writeln!(out, "    </observation>")
}

fn mark(number: usize, step: &ObservedSerial) -> String {
    match step.outcome {
        SerialOutcome::Returned(_) => format!("{number}[]"),
        SerialOutcome::Stuck | SerialOutcome::Crashed(_) => format!("{number}["),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 has no way to write most control characters.
            c if c.is_control() && !matches!(c, '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_are_grouped_by_what_threads_see() {
        let step = |thread: &str, call: &str, result: Option<&str>| ObservedSerial {
            thread: thread.to_owned(),
            call: call.to_owned(),
            outcome: result.map_or(SerialOutcome::Stuck, |result| {
                SerialOutcome::Returned(result.to_owned())
            }),
        };
        let observation = SerialObservation {
            matrix: "push(1) | pop()".to_owned(),
            histories: vec![
                vec![step("0", "push(1)", Some("<ok>")), step("1", "pop()", Some("1"))],
                vec![step("1", "pop()", None)],
            ],
        };
        let mut bytes = Vec::new();
        write_xml(&mut bytes, &[observation]).unwrap();
        insta::assert_snapshot!(String::from_utf8(bytes).unwrap(), @r#"
        <?xml version="1.0" encoding="utf-8"?>
        <observations>
          <observationset matrix="push(1) | pop()">
            <observation>
              <thread id="0">1[]</thread>
              <thread id="1">2[]</thread>
              <op id="1" name="push(1)" result="&lt;ok&gt;"/>
              <op id="2" name="pop()" result="1"/>
              <history>1[] 2[]</history>
            </observation>
            <observation>
              <thread id="1">1[</thread>
              <op id="1" name="pop()"/>
              <history>1[ #</history>
            </observation>
          </observationset>
        </observations>
        "#);
    }
}
