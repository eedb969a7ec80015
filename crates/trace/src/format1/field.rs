//! The fields of a record.

/// A top-level field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Thread,
    Op,
    Args,
    Start,
    End,
    Ret,
    Aborted,
    Meta,
    Vars,
    Clock,
}

impl Field {
    const ALL: [Self; 10] = [
        Self::Thread,
        Self::Op,
        Self::Args,
        Self::Start,
        Self::End,
        Self::Ret,
        Self::Aborted,
        Self::Meta,
        Self::Vars,
        Self::Clock,
    ];

    #[inline]
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "thread" => Self::Thread,
            "op" => Self::Op,
            "args" => Self::Args,
            "start" => Self::Start,
            "end" => Self::End,
            "ret" => Self::Ret,
            "aborted" => Self::Aborted,
            "meta" => Self::Meta,
            "vars" => Self::Vars,
            "clock" => Self::Clock,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Op => "op",
            Self::Args => "args",
            Self::Start => "start",
            Self::End => "end",
            Self::Ret => "ret",
            Self::Aborted => "aborted",
            Self::Meta => "meta",
            Self::Vars => "vars",
            Self::Clock => "clock",
        }
    }

    /// The name of the field for what other formats call so.
    pub(crate) fn meant(name: &str) -> Option<&'static str> {
        let field = match name.to_ascii_lowercase().as_str() {
            "result" | "results" | "return" | "returned" | "response" | "output" | "res" => Self::Ret,
            "arguments" | "params" | "parameters" | "input" | "inputs" => Self::Args,
            "operation" | "operation_name" | "method" | "function" | "name" | "f" => Self::Op,
            "process" | "pid" | "tid" | "client" | "clientid" | "thread_id" => Self::Thread,
            "time" | "timestamp" | "ts" | "begin" | "invoke" => Self::Start,
            "finish" | "stop" => Self::End,
            _ => return None,
        };
        Some(field.name())
    }

    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::name)
    }
}

/// The known name that is most similar to `name`, if any is similar.
pub(crate) fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    // Field names are short, so a longer prefix cannot change the answer.
    let name: String = name.chars().take(32).collect();
    let (distance, best) = known
        .map(|candidate| (strsim::damerau_levenshtein(&name, candidate), candidate))
        .min()?;
    (distance <= 2 && distance < best.len()).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_field_is_recognised_and_an_unrelated_one_is_not() {
        assert_eq!(nearest("strat", Field::names()), Some("start"));
        assert_eq!(nearest("threads", Field::names()), Some("thread"));
        assert_eq!(nearest("Args", Field::names()), Some("args"));
        assert_eq!(nearest("operation_name", Field::names()), None);
        assert_eq!(nearest("x", Field::names()), None);
    }
}
