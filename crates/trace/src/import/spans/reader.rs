//! Spans as operations.

use std::sync::Arc;

use omnilink_value::Value;

use super::rules::{MARK, THREAD};
use super::span::{Attributes, Span, attribute};
use super::{CHROME_KEY, SpanErrors, SpanOrder, SpanRules, SpanSource, SpanSurvey, SpanThreads};
use crate::format1::{Field, RawRecord, RecordDefaults};
use crate::input::{Next, Reader};
use crate::note::Notes;
use crate::{Args, Call, Location, Note, Operation, OperationName, Problem, Timebox, TraceError};

/// The spans of an input that are operations.
pub(crate) struct SpanReader {
    source: Box<dyn SpanSource>,
    rules: SpanRules,
    survey: SpanSurvey,
    file: String,
    notes: Notes,
    /// How many spans are no operations.
    left_out: u64,
    /// Whether a span became a thread of its own because nothing says what the threads are.
    lacks_threads: bool,
    /// How many spans ended in an error of which nothing says what it means.
    unclear_errors: u64,
}

/// The end of an attribute's name whose text is JSON: attributes have no nulls and no records.
const JSON: &str = ".json";
/// The attribute that says of which type an error is.
const ERROR_TYPE: &str = "error.type";

impl SpanReader {
    pub(crate) fn new(
        source: Box<dyn SpanSource>,
        rules: SpanRules,
        survey: SpanSurvey,
        file: &str,
        notes: Notes,
    ) -> Self {
        Self {
            source,
            rules,
            survey,
            file: file.to_owned(),
            notes,
            left_out: 0,
            lacks_threads: false,
            unclear_errors: 0,
        }
    }

    fn operation(&mut self, span: Span) -> Result<Operation, Problem> {
        let Some(name) = self.rules.operation_name(&span).filter(|name| !name.is_empty()) else {
            return Err(match &self.rules.name {
                Some(attribute) => Problem::MissingAttribute {
                    span: span.name,
                    attribute: attribute.clone(),
                },
                None => Problem::missing(None, "name", "the name of the span"),
            });
        };
        let name = OperationName::new(name);
        if span.dropped > 0 {
            let count = span.dropped;
            return Err(Problem::DroppedAttributes { op: name, count });
        }
        let (mut args, mut ret, mut others) = (Attributes::new(), None, Attributes::new());
        for (key, value) in &span.attributes {
            let (key, value) = match (key.strip_suffix(JSON), value.as_str()) {
                (Some(key), Some(text)) => (key, Value::from_json(text.as_bytes())?),
                _ => (key.as_str(), value.clone()),
            };
            if key == MARK || key == THREAD {
                continue;
            }
            let argument = self.rules.argument(key);
            if self.rules.is_result(key) {
                ret = Some(value);
            } else if let Some(argument) = argument {
                args.push((argument.to_owned(), value));
            } else {
                others.push((key.to_owned(), value));
            }
        }
        let node = self.rules.node(&span.resource)?;
        let has_aborted = span.error.is_some() && self.says_aborted(&span);
        let is_unclear = span.error.is_some() && !has_aborted && self.rules.errors == SpanErrors::Unknown;
        self.unclear_errors += u64::from(is_unclear && span.end.is_some());
        let end = span.end.filter(|_| !is_unclear);
        let thread = self.thread(&span, node.as_deref(), end.is_none())?;
        let call = Call {
            ret: end.and(ret),
            aborted: has_aborted,
            meta: Some(self.meta(&span, node, others)),
            ..Call::new(name, Args::named(args))
        };
        Ok(Operation {
            thread,
            call: Arc::new(call),
            timebox: Timebox {
                start: span.start,
                end,
            },
            location: span.location,
        })
    }

    /// Whether the error of a span says that nothing was done.
    fn says_aborted(&self, span: &Span) -> bool {
        let error = span.attribute(ERROR_TYPE);
        let error = error.map(|error| error.as_str().map_or_else(|| error.to_json(), str::to_owned));
        self.rules.errors == SpanErrors::Aborted
            || error.is_some_and(|error| self.rules.aborted.contains(&error))
    }

    fn thread(&mut self, span: &Span, node: Option<&str>, is_pending: bool) -> Result<Value, Problem> {
        let in_node = |thread: &Value| match (node, thread.as_str()) {
            (None, _) => thread.clone(),
            (Some(node), Some(thread)) => Value::str(&format!("{node}/{thread}")),
            (Some(node), None) => Value::str(&format!("{node}/{thread}")),
        };
        let own = || match span.key {
            Some(key) => in_node(&Value::str(&key.short())),
            None => in_node(&Value::str(&span.location.to_string())),
        };
        let thread = match &self.rules.threads {
            SpanThreads::Span => return Ok(own()),
            SpanThreads::Node => match node {
                Some(node) => Value::str(node),
                None => {
                    let expected = "the node, by which the rule thread=node orders spans";
                    return Err(Problem::missing(None, "resource", expected));
                }
            },
            SpanThreads::Attribute(name) => match span.attribute(name) {
                Some(thread) => in_node(thread),
                None => {
                    return Err(Problem::MissingAttribute {
                        span: span.name.clone(),
                        attribute: name.clone(),
                    });
                }
            },
            SpanThreads::Unknown => match (span.attribute(THREAD), &span.thread) {
                (Some(thread), _) => in_node(thread),
                (None, Some(thread)) => thread.clone(),
                (None, None) => {
                    self.lacks_threads = true;
                    return Ok(own());
                }
            },
        };
        // What was never seen to return does not keep its thread from going on.
        Ok(match (is_pending, span.key) {
            (true, Some(key)) => Value::str(&format!("{} ({})", plain(&thread), key.short())),
            _ => thread,
        })
    }

    fn meta(&self, span: &Span, node: Option<String>, others: Attributes) -> Value {
        let text = |text: String| Value::str(&text);
        let mut meta: Vec<(&str, Value)> = vec![("kind", Value::str(&span.kind))];
        meta.extend(node.map(|node| ("node", text(node))));
        meta.extend(span.key.map(|key| ("span", text(key.to_string()))));
        meta.extend(span.parent.map(|key| ("parent", text(key.to_string()))));
        if !span.links.is_empty() {
            let links = span.links.iter().map(|key| text(key.to_string()));
            meta.push(("links", Value::set(links)));
        }
        meta.extend(span.error.as_ref().map(|error| ("error", Value::str(error))));
        if !others.is_empty() {
            meta.push(("attributes", Value::record(others)));
        }
        if let (SpanOrder::Parents, Some(key)) = (self.rules.order, span.key) {
            let before = self.survey.before(key);
            let before = before.iter().map(|key| text(key.to_string()));
            meta.push(("after", Value::tuple(before)));
            meta.push(("id", text(key.to_string())));
        }
        Value::record(meta)
    }

    /// Notes what is known at the end only.
    fn note_all(&mut self) {
        let file = || self.file.clone();
        let skipped = |count, what| {
            if count > 0 {
                let file = file();
                self.notes.push(Note::Skipped { file, count, what });
            }
        };
        skipped(
            self.left_out,
            "spans that are no operations by their kind or their name",
        );
        if self.unclear_errors > 0 {
            self.notes.push(Note::UnclearErrors {
                file: file(),
                count: self.unclear_errors,
            });
        }
        if self.lacks_threads {
            self.notes.push(Note::Interpretation {
                location: Location::whole(&self.file),
                how: "nothing says which spans are of one thread, so each is a thread of its own, and only times order them; if an \
                      attribute is the session or the thread, name it: --spans thread=ATTRIBUTE, or thread=node if a node makes one call \
                      after the other",
            });
        }
    }
}

/// The operation that OmniLink wrote as an event.
fn written(record: &Value, location: &Location) -> Result<Operation, TraceError> {
    let refused = |problem| TraceError::new(location.clone(), problem);
    let mut fields = RawRecord::default();
    for (name, value) in record.as_record().iter().flat_map(|record| record.iter()) {
        let field = Field::parse(name).ok_or_else(|| {
            let known = "this is the record of an operation, as OmniLink writes it into trace events";
            refused(Problem::UnknownField {
                field: name.to_owned(),
                suggestion: None,
                known,
            })
        })?;
        let is_map = value.as_record().is_some();
        fields.set(field, value.clone(), is_map).map_err(refused)?;
    }
    let mut defaults = RecordDefaults::new(Arc::clone(location.source()), None);
    let operation = defaults.operation(fields, 0);
    let operation = operation.map_err(|error| refused(Problem::Record(error.problem().to_string())))?;
    Ok(Operation {
        location: location.clone(),
        ..Arc::unwrap_or_clone(operation)
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Reader for SpanReader {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        loop {
            let span = match self.source.next_span()? {
                Next::One(span) => span,
                Next::End(end) => {
                    self.note_all();
                    return Ok(Next::End(end));
                }
            };
            if !self.survey.takes(&span, &self.rules) {
                self.left_out += 1;
                continue;
            }
            let location = span.location.clone();
            let record = span.attribute(CHROME_KEY).filter(|_| span.key.is_none());
            let operation = match record.filter(|record| record.as_record().is_some()) {
                Some(record) => written(record, &location)?,
                None => self
                    .operation(span)
                    .map_err(|problem| TraceError::new(location, problem))?,
            };
            return Ok(Next::One(Arc::new(operation)));
        }
    }
}

impl SpanRules {
    /// The name of the operation that a span is, if the span has it.
    pub(super) fn operation_name<'a>(&self, span: &'a Span) -> Option<&'a str> {
        let marked = span.attribute(MARK).and_then(Value::as_str);
        match &self.name {
            _ if marked.is_some() => marked,
            Some(name) => span.attribute(name).and_then(Value::as_str),
            None => Some(&span.name),
        }
    }

    /// The node of a resource. Several processes of one service may run on a host, so only the first is sure to be a single process; an
    /// instance that is not named is that of its service and its host.
    fn node(&self, resource: &Attributes) -> Result<Option<String>, Problem> {
        let get = |name: &str| attribute(resource, name).map(plain);
        if let Some(name) = &self.node {
            return match get(name) {
                Some(node) => Ok(Some(node)),
                None => Err(Problem::MissingAttribute {
                    span: "the resource".to_owned(),
                    attribute: name.clone(),
                }),
            };
        }
        let service_and_host = match (get("service.name"), get("host.name")) {
            (Some(service), Some(host)) => Some(format!("{service}@{host}")),
            (service, host) => service.or(host),
        };
        Ok(get("service.instance.id").or(service_and_host))
    }
}
