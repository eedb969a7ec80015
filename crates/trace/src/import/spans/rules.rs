//! What spans mean as operations.

use thiserror::Error;

/// Which spans are operations, and what their names, arguments, results, threads and nodes are.
///
/// ```
/// use omnilink_trace::SpanRules;
///
/// let rules = SpanRules::from_rules(["kind=client", "args=kv.*", "ret=kv.result"])?;
/// assert_eq!(rules.kinds, ["client"]);
/// # Ok::<(), omnilink_trace::SpanRuleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpanRules {
    /// The kinds of spans that are operations; `any` for all. If empty, the spans with the attribute `omnilink.op`, and if there are
    /// none, all, which must then be of one kind.
    pub kinds: Vec<String>,
    /// The names of operations; if not empty, other spans are none.
    pub only: Vec<String>,
    /// The attribute that names the operation, in place of the span's name.
    pub name: Option<String>,
    /// The attributes that are arguments: names, or prefixes such as `kv.*`, which are left out of the arguments' names. If empty,
    /// those without a dot in their names, and `omnilink.arg.*`.
    pub args: Vec<String>,
    /// The attribute that is the result; if not given, `omnilink.ret`, `ret` or `result`.
    pub ret: Option<String>,
    /// What the threads are.
    pub threads: SpanThreads,
    /// The attribute of the resource that names the node; if not given, `service.instance.id`, or else `service.name` and
    /// `host.name`.
    pub node: Option<String>,
    /// What a span that ended in an error did.
    pub errors: SpanErrors,
    /// Values of the attribute `error.type` that say that nothing was done, whatever other errors mean.
    pub aborted: Vec<String>,
    /// What the order of operations is.
    pub order: SpanOrder,
}

/// What the thread of a span is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SpanThreads {
    /// The attribute `omnilink.thread`, or else that of the format if it has threads, or else each span is a thread of its own: the
    /// calls of a service overlap.
    #[default]
    Unknown,
    /// Each span is a thread of its own.
    Span,
    /// The node, which makes one call after the other.
    Node,
    /// The attribute of this name, within the node.
    Attribute(String),
}

/// What a span that ended in an error did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanErrors {
    /// It may have done its work or not, now or later: a timeout is an error, too.
    #[default]
    Unknown,
    /// It did nothing.
    Aborted,
    /// It returned: the error is a result like any other.
    Returned,
}

/// What the order of operations is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanOrder {
    /// That of their times.
    #[default]
    Time,
    /// A span comes after its parent and after the spans that it links to, and nothing is concluded from times: for clocks that do not
    /// agree, where a span does its work before it starts others.
    Parents,
}

/// A text that is no rule about spans.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "\"{0}\" is no rule about spans; the rules are kind=KIND,… (client, server, producer, consumer, internal, any), only=NAME,…, \
     name=ATTRIBUTE, args=ATTRIBUTE,… or args=PREFIX.*, ret=ATTRIBUTE, thread=span|node|ATTRIBUTE, node=ATTRIBUTE, \
     error=unknown|aborted|returned, aborted=ERROR.TYPE,… and order=time|parents"
)]
pub struct SpanRuleError(pub String);

impl SpanRules {
    /// The rules of these texts, such as `kind=client`. Later ones add to lists, and replace anything else.
    ///
    /// # Errors
    /// If one of them is no rule.
    pub fn from_rules<T: AsRef<str>>(rules: impl IntoIterator<Item = T>) -> Result<Self, SpanRuleError> {
        let mut all = Self::default();
        for rule in rules {
            all.add(rule.as_ref())?;
        }
        Ok(all)
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// If the text is no rule.
    pub fn add(&mut self, rule: &str) -> Result<(), SpanRuleError> {
        let refused = || SpanRuleError(rule.to_owned());
        let (key, value) = rule.split_once('=').ok_or_else(refused)?;
        let value = value.trim();
        let list = || value.split(',').map(str::trim).map(str::to_owned);
        if list().any(|item| item.is_empty()) {
            return Err(refused());
        }
        match key.trim() {
            "kind" => self.kinds.extend(list().map(|kind| kind.to_ascii_lowercase())),
            "only" => self.only.extend(list()),
            "name" => self.name = Some(value.to_owned()),
            "args" => self.args.extend(list()),
            "ret" => self.ret = Some(value.to_owned()),
            "thread" => {
                self.threads = match value {
                    "span" => SpanThreads::Span,
                    "node" => SpanThreads::Node,
                    attribute => SpanThreads::Attribute(attribute.to_owned()),
                }
            }
            "node" => self.node = Some(value.to_owned()),
            "error" => {
                self.errors = match value {
                    "unknown" => SpanErrors::Unknown,
                    "aborted" => SpanErrors::Aborted,
                    "returned" => SpanErrors::Returned,
                    _ => return Err(refused()),
                }
            }
            "aborted" => self.aborted.extend(list()),
            "order" => {
                self.order = match value {
                    "time" => SpanOrder::Time,
                    "parents" => SpanOrder::Parents,
                    _ => return Err(refused()),
                }
            }
            _ => return Err(refused()),
        }
        Ok(())
    }

    /// The name of an argument, if the attribute of this name is one.
    pub(super) fn argument<'a>(&self, attribute: &'a str) -> Option<&'a str> {
        if self.args.is_empty() {
            return match attribute.strip_prefix(ARGUMENT) {
                Some(name) => Some(name),
                None => (!attribute.contains('.') && !NO_ARGUMENTS.contains(&attribute)).then_some(attribute),
            };
        }
        self.args
            .iter()
            .find_map(|pattern| match pattern.strip_suffix('*') {
                Some(prefix) => attribute.strip_prefix(prefix).filter(|name| !name.is_empty()),
                None => (pattern == attribute).then_some(attribute),
            })
    }

    /// Whether the attribute of this name is the result.
    pub(super) fn is_result(&self, attribute: &str) -> bool {
        match &self.ret {
            Some(ret) => ret == attribute,
            None => RESULTS.contains(&attribute),
        }
    }
}

/// The attribute that makes a span an operation, and names it.
pub(super) const MARK: &str = "omnilink.op";
/// The attribute that names the thread.
pub(super) const THREAD: &str = "omnilink.thread";
/// What begins the names of attributes that are arguments.
const ARGUMENT: &str = "omnilink.arg.";
/// Attributes that are results.
const RESULTS: [&str; 3] = ["omnilink.ret", "ret", "result"];
/// Names without a dot that libraries for tracing give to attributes of their own.
const NO_ARGUMENTS: [&str; 4] = ["error", "component", "busy_ns", "idle_ns"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_is_none_is_refused_with_the_list() {
        for rule in [
            "",
            "kind",
            "kind=",
            "kind=client,",
            "error=maybe",
            "order=sideways",
            "color=red",
        ] {
            let error = SpanRules::from_rules([rule]).expect_err(rule);
            assert!(error.to_string().contains("kind=KIND"), "{error}");
        }
    }

    #[test]
    fn arguments_are_named_or_have_a_prefix_or_no_dot() {
        let default = SpanRules::default();
        assert_eq!(default.argument("key"), Some("key"));
        assert_eq!(default.argument("omnilink.arg.http.key"), Some("http.key"));
        assert_eq!(default.argument("http.method"), None);
        assert_eq!(default.argument("error"), None);
        let rules = SpanRules::from_rules(["args=kv.*,app.mode"]).expect("rules");
        assert_eq!(rules.argument("kv.key"), Some("key"));
        assert_eq!(rules.argument("kv."), None);
        assert_eq!(rules.argument("app.mode"), Some("app.mode"));
        assert_eq!(rules.argument("key"), None);
    }
}
