//! Weak levels of histories whose model is a TLA+ specification.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use omnilink_consistency::{Guarantee, RecordedHistory, WeakOptions, infer_recorded};
use omnilink_link::{CollectedConstants, LinkOptions, Linked};

use super::histories::{Read, histories};
use super::judge_factory::{Judge, JudgeFactory, judge_by, weak_error};
use super::{Deliver, WeakCheck, WeakTask};
use crate::error::VerifyError;
use crate::spec_subject::SpecSubject;
use crate::subject::NamedModel;

impl WeakCheck<'_> {
    /// Checks every input against a specification.
    ///
    /// # Errors
    /// If the specification cannot be linked.
    pub fn against_spec(
        &self,
        spec: &Path,
        options: &LinkOptions,
        collection: &CollectedConstants,
        deliver: &mut Deliver<'_>,
    ) -> Result<(), VerifyError> {
        if collection.is_empty() {
            let linked = Linked::load(spec, options)?;
            return self.against_linked(self.all(), &linked, deliver);
        }
        // What is collected differs from input to input, and so does what the spec says.
        for index in self.all() {
            let started = Instant::now();
            match self.collected(index, spec, options, collection) {
                Ok(linked) => self.against_linked(index..index + 1, &linked, deliver)?,
                Err(error) => {
                    if deliver(self.evidence(index, Err(error), (Vec::new(), false), started.elapsed()))
                        .is_break()
                    {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The spec with the constants that one input gives it.
    fn collected(
        &self,
        index: usize,
        spec: &Path,
        options: &LinkOptions,
        collection: &CollectedConstants,
    ) -> Result<Linked, VerifyError> {
        let mut collection = collection.clone();
        for recorded in histories(&self.inputs[index], self.reading())?.each {
            recorded?.ops.iter().for_each(|op| collection.observe(op));
        }
        let mut options = options.clone();
        options.collected = collection.finish().0;
        Ok(Linked::load(spec, &options)?)
    }

    fn against_linked(
        &self,
        inputs: Range<usize>,
        linked: &Linked,
        deliver: &mut Deliver<'_>,
    ) -> Result<(), VerifyError> {
        let (options, reading) = (self.options, self.reading());
        let read: &Read<'_> = &|input| histories(input, reading);
        match self.task.clone() {
            WeakTask::Judge(question) => {
                let judges = SpecJudges {
                    linked,
                    question,
                    options,
                };
                self.judge_inputs(inputs, &judges, read, deliver)
            }
            WeakTask::InferIsolation => self.transactions(super::IsolationTask::AllLevels, deliver),
            WeakTask::Infer(given) => {
                let infer = |histories: &[RecordedHistory]| {
                    linked.run(|model| {
                        let subject = SpecSubject { linked, model };
                        let known = subject.methods();
                        infer_recorded(model, histories, &subject, &known, &given, &options)
                            .map_err(weak_error)
                    })?
                };
                self.infer_inputs(inputs, read, &infer, deliver)
            }
        }
    }
}

/// Judges by a specification, each with a model of its own.
struct SpecJudges<'a> {
    linked: &'a Linked,
    question: Guarantee,
    options: WeakOptions,
}

impl JudgeFactory for SpecJudges<'_> {
    fn with_judge(&self, work: &mut (dyn FnMut(&mut Judge<'_>) + Send)) -> Result<(), VerifyError> {
        let linked = self.linked;
        let interrupt = self.options.limits.interrupt;
        Ok(linked.run_until(None, interrupt, |model| {
            judge_by(
                &SpecSubject { linked, model },
                &self.question,
                &self.options,
                work,
            );
        })?)
    }
}
