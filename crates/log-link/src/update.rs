//! Updates of variables: the operators that a logger applies to parts of values.

use omnilink_value::Value;

use crate::value_type::{TypeProblem, ValueType, Vocabulary};

/// An operator of the log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum UpdateOperator {
    Init,
    Update,
    Unchanged,
    AddElement,
    AddElements,
    RemoveElement,
    RemoveElements,
    Clear,
    AddElementToBag,
    RemoveElementFromBag,
    AddToBag,
    RemoveFromBag,
    ClearBag,
    AppendElement,
    RemoveFirst,
    RemoveLast,
    RemoveAt,
    Truncate,
    SetKey,
    AddKey,
    RemoveKey,
    ResetKey,
    UpdateRec,
    InitRec,
    Add,
    Sub,
}

/// All operators with their names and the least and largest number of arguments.
const OPERATORS: [(&str, UpdateOperator, usize, usize); 26] = [
    ("Init", UpdateOperator::Init, 0, 0),
    ("Update", UpdateOperator::Update, 1, 1),
    ("Unchanged", UpdateOperator::Unchanged, 0, 0),
    ("AddElement", UpdateOperator::AddElement, 1, 1),
    ("AddElements", UpdateOperator::AddElements, 1, 1),
    ("RemoveElement", UpdateOperator::RemoveElement, 1, 1),
    ("RemoveElements", UpdateOperator::RemoveElements, 1, 1),
    ("Clear", UpdateOperator::Clear, 0, 0),
    ("AddElementToBag", UpdateOperator::AddElementToBag, 1, 1),
    ("RemoveElementFromBag", UpdateOperator::RemoveElementFromBag, 1, 1),
    ("AddToBag", UpdateOperator::AddToBag, 1, 1),
    ("RemoveFromBag", UpdateOperator::RemoveFromBag, 1, 1),
    ("ClearBag", UpdateOperator::ClearBag, 0, 0),
    ("AppendElement", UpdateOperator::AppendElement, 1, 1),
    ("RemoveFirst", UpdateOperator::RemoveFirst, 0, 0),
    ("RemoveLast", UpdateOperator::RemoveLast, 0, 0),
    ("RemoveAt", UpdateOperator::RemoveAt, 1, 1),
    ("Truncate", UpdateOperator::Truncate, 1, 1),
    ("SetKey", UpdateOperator::SetKey, 2, 2),
    ("AddKey", UpdateOperator::AddKey, 2, 2),
    ("RemoveKey", UpdateOperator::RemoveKey, 1, 1),
    ("ResetKey", UpdateOperator::ResetKey, 1, 1),
    ("UpdateRec", UpdateOperator::UpdateRec, 1, 1),
    ("InitRec", UpdateOperator::InitRec, 0, 1),
    ("Add", UpdateOperator::Add, 1, 1),
    ("Sub", UpdateOperator::Sub, 1, 1),
];

impl UpdateOperator {
    fn entry(self) -> &'static (&'static str, UpdateOperator, usize, usize) {
        OPERATORS
            .iter()
            .find(|entry| entry.1 == self)
            .unwrap_or(&OPERATORS[0])
    }
}

/// An update of a variable, or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Update {
    pub operator: UpdateOperator,
    pub path: Vec<Value>,
    pub args: Vec<Value>,
    /// Whether it states the value after the line: what other updates of the line lead to must be the same.
    pub is_statement: bool,
}

/// What is wrong with an update. Where it depends on the state, one of several explanations may still allow it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UpdateProblem {
    #[error("{0}")]
    Malformed(String),
    #[error("there is no operator \"{name}\"; there are {known}")]
    UnknownOperator { name: String, known: String },
    #[error("{operator} takes {expected}, not {found}")]
    Arguments {
        operator: &'static str,
        expected: String,
        found: usize,
    },
    #[error(transparent)]
    Type(#[from] TypeProblem),
    #[error("the path {path} leads nowhere: {value} has no {key}")]
    WrongPath {
        path: String,
        value: String,
        key: String,
    },
    #[error("{operator} does not apply to {value}: it needs {needs}")]
    WrongValue {
        operator: &'static str,
        value: String,
        needs: &'static str,
    },
    #[error("{operator}: {value} has no {part}")]
    Absent {
        operator: &'static str,
        value: String,
        part: String,
    },
    #[error("the line states that it is {stated} afterwards, and its updates make it {updated}")]
    Contradiction { stated: String, updated: String },
    #[error("the lines of one step disagree: one says {one}, and all of them together make it {all}")]
    Disagreement { one: String, all: String },
    #[error("the initial states differ at {path}, so there is no default value")]
    NoDefault { path: String },
}

impl UpdateProblem {
    /// Whether the update may be right in another state: a sequence that is longer, a bag that has the element.
    pub fn depends_on_state(&self) -> bool {
        matches!(
            self,
            Self::Absent { .. } | Self::Contradiction { .. } | Self::Disagreement { .. }
        )
    }
}

type Updated<T> = Result<T, UpdateProblem>;

impl Update {
    /// Reads `{"op":…,"path":[…],"args":[…]}`.
    pub fn read(json: &Value, place: &ValueType, words: &Vocabulary) -> Updated<Self> {
        let malformed = || {
            UpdateProblem::Malformed(format!(
                "{} is no update; one looks like {{\"op\":\"AddElement\",\"path\":[],\"args\":[1]}}",
                shortened(&json.to_json())
            ))
        };
        let record = json.as_record().ok_or_else(malformed)?;
        let name = record.get("op").and_then(Value::as_str).ok_or_else(malformed)?;
        let list = |field: &str| match record.get(field) {
            None => Ok(&[] as &[Value]),
            Some(list) => list.as_tuple().ok_or_else(malformed),
        };
        if let Some((field, _)) = record
            .iter()
            .find(|(field, _)| !matches!(*field, "op" | "path" | "args"))
        {
            return Err(UpdateProblem::Malformed(format!(
                "an update has no field \"{field}\"; its fields are op, path and args"
            )));
        }
        let Some(&(name, operator, least, most)) = OPERATORS.iter().find(|entry| entry.0 == name) else {
            return Err(UpdateProblem::UnknownOperator {
                name: name.to_owned(),
                known: OPERATORS.map(|entry| entry.0).join(", "),
            });
        };
        let args = list("args")?;
        if !(least..=most).contains(&args.len()) {
            let expected = match most {
                0 => "no arguments".to_owned(),
                1 => "1 argument".to_owned(),
                most => format!("{most} arguments"),
            };
            return Err(UpdateProblem::Arguments {
                operator: name,
                expected,
                found: args.len(),
            });
        }
        let mut place = std::borrow::Cow::Borrowed(place);
        let mut path = Vec::new();
        for step in list("path")? {
            let key = place.key();
            let step = match step.as_str() {
                Some(name) => key.convert_key(name, words),
                None => step.clone(),
            };
            place = std::borrow::Cow::Owned(place.at(&step));
            path.push(step);
        }
        let args = converted(operator, args, &place, words)?;
        Ok(Self {
            operator,
            path,
            args,
            is_statement: false,
        })
    }

    /// Whether it says what a part becomes, whatever it was: then it says the same again of its own result.
    fn is_absolute(&self) -> bool {
        !matches!(
            self.operator,
            UpdateOperator::AddElementToBag
                | UpdateOperator::RemoveElementFromBag
                | UpdateOperator::AddToBag
                | UpdateOperator::RemoveFromBag
                | UpdateOperator::AppendElement
                | UpdateOperator::RemoveFirst
                | UpdateOperator::RemoveLast
                | UpdateOperator::RemoveAt
                | UpdateOperator::Truncate
                | UpdateOperator::RemoveKey
                | UpdateOperator::Add
                | UpdateOperator::Sub
        )
    }

    /// The part of a value that it is about.
    fn part(&self, value: &Value) -> Option<Value> {
        let mut part = value.clone();
        for key in &self.path {
            part = part.part(part.index_of(key)?)?.clone();
        }
        Some(part)
    }

    /// Where several lines tell of one step, each changes what those before it have made of a variable. What one of them says that it becomes must
    /// still be so when all are done. What is wrong, if it is not.
    pub fn disagreement(
        list: &[Self],
        before: &Value,
        after: &Value,
        default: Option<&Value>,
    ) -> Option<UpdateProblem> {
        let says = |one: &Value| {
            Some(UpdateProblem::Disagreement {
                one: shortened(&one.to_string()),
                all: shortened(&after.to_string()),
            })
        };
        for update in list {
            if update.is_statement && update.args.first().is_some_and(|stated| stated != after) {
                return update.args.first().and_then(says);
            }
            if update.operator == UpdateOperator::Unchanged && update.part(before) != update.part(after) {
                return says(before);
            }
        }
        if !list.iter().all(Self::is_absolute) {
            return None;
        }
        let mut again = after.clone();
        for update in list.iter().filter(|update| !update.is_statement) {
            again = update.apply(&again, default).ok()?;
        }
        if again == *after { None } else { says(&again) }
    }

    /// The value of a variable after the update. `default` is its initial value, if there is one.
    pub fn apply(&self, value: &Value, default: Option<&Value>) -> Updated<Value> {
        self.apply_at(0, value, default)
    }

    fn apply_at(&self, depth: usize, value: &Value, default: Option<&Value>) -> Updated<Value> {
        let Some(key) = self.path.get(depth) else {
            return self.applied(value, default);
        };
        let wrong = || UpdateProblem::WrongPath {
            path: self.path_text(),
            value: shortened(&value.to_string()),
            key: key.to_string(),
        };
        let Some(index) = value.index_of(key) else {
            // A sequence may be longer in another explanation.
            return Err(match (value.as_tuple(), key.as_int()) {
                (Some(_), Some(_)) => self.absent(value, format!("element {key}")),
                _ => wrong(),
            });
        };
        let part = value.part(index).ok_or_else(wrong)?;
        let part = self.apply_at(depth + 1, part, default.and_then(|default| default.apply(key)))?;
        value.with_entry(index, part).ok_or_else(wrong)
    }

    fn applied(&self, value: &Value, default: Option<&Value>) -> Updated<Value> {
        let first = self.args.first();
        let default = || {
            default.cloned().ok_or_else(|| UpdateProblem::NoDefault {
                path: self.path_text(),
            })
        };
        let argument = || first.cloned().unwrap_or_else(|| Value::tuple([]));
        Ok(match self.operator {
            UpdateOperator::Init => default()?,
            UpdateOperator::Update => argument(),
            UpdateOperator::Unchanged => value.clone(),
            UpdateOperator::AddElement => Value::union_of(self.set(value)?, &[argument()]),
            UpdateOperator::AddElements => {
                Value::union_of(self.set(value)?, argument().as_set().unwrap_or_default())
            }
            UpdateOperator::RemoveElement => {
                let left = self.set(value)?.iter().filter(|element| Some(*element) != first);
                Value::set_of_sorted(left.cloned())
            }
            UpdateOperator::RemoveElements => {
                let removed = argument();
                let removed = removed.as_set().unwrap_or_default();
                let left = self
                    .set(value)?
                    .iter()
                    .filter(|element| !removed.contains(element));
                Value::set_of_sorted(left.cloned())
            }
            UpdateOperator::Clear => {
                self.set(value)?;
                Value::set([])
            }
            UpdateOperator::AddElementToBag => self.counted(value, &argument(), 1)?,
            UpdateOperator::RemoveElementFromBag => self.counted(value, &argument(), -1)?,
            UpdateOperator::AddToBag | UpdateOperator::RemoveFromBag => {
                let sign = if self.operator == UpdateOperator::AddToBag {
                    1
                } else {
                    -1
                };
                let mut bag = value.clone();
                let changes = argument();
                for (element, count) in entries(&changes) {
                    let count = count.as_int().and_then(|count| count.checked_mul(sign));
                    let count = count.ok_or_else(|| self.wrong(&changes, "a bag"))?;
                    bag = self.counted(&bag, &element, count)?;
                }
                bag
            }
            UpdateOperator::ClearBag => Value::tuple([]),
            UpdateOperator::AppendElement => Value::sequence_of(self.sequence(value)?, &[argument()]),
            UpdateOperator::RemoveFirst => match self.sequence(value)? {
                [] => return Err(self.absent(value, "first element".to_owned())),
                [_, rest @ ..] => Value::tuple(rest.iter().cloned()),
            },
            UpdateOperator::RemoveLast => match self.sequence(value)? {
                [] => return Err(self.absent(value, "last element".to_owned())),
                [rest @ .., _] => Value::tuple(rest.iter().cloned()),
            },
            UpdateOperator::RemoveAt => {
                let elements = self.sequence(value)?;
                let index = self.index(elements.len(), 1, value)?;
                let left = elements[..index - 1].iter().chain(&elements[index..]);
                Value::tuple(left.cloned())
            }
            UpdateOperator::Truncate => {
                let elements = self.sequence(value)?;
                let length = self.index(elements.len(), 0, value)?;
                Value::tuple(elements[..length].iter().cloned())
            }
            UpdateOperator::SetKey => {
                let key = argument();
                let index = value.index_of(&key).ok_or_else(|| self.no_key(value, &key))?;
                let new = self.args.get(1).cloned().unwrap_or_else(|| Value::tuple([]));
                value
                    .with_entry(index, new)
                    .ok_or_else(|| self.no_key(value, &key))?
            }
            UpdateOperator::AddKey => {
                let key = argument();
                let new = self.args.get(1).cloned().unwrap_or_else(|| Value::tuple([]));
                let others = self.function(value)?.into_iter().filter(|(own, _)| *own != key);
                function(others.chain([(key.clone(), new)]))
            }
            UpdateOperator::RemoveKey => {
                let key = argument();
                if value.index_of(&key).is_none() {
                    return Err(self.absent(value, format!("key {key}")));
                }
                function(self.function(value)?.into_iter().filter(|(own, _)| *own != key))
            }
            UpdateOperator::ResetKey => {
                let key = argument();
                let index = value.index_of(&key).ok_or_else(|| self.no_key(value, &key))?;
                let default = default()?;
                let initial = default.apply(&key).ok_or_else(|| self.no_key(&default, &key))?;
                value
                    .with_entry(index, initial.clone())
                    .ok_or_else(|| self.no_key(value, &key))?
            }
            UpdateOperator::UpdateRec => self.overwritten(value.clone(), &argument())?,
            UpdateOperator::InitRec => match first {
                None => default()?,
                Some(fields) => self.overwritten(default()?, fields)?,
            },
            UpdateOperator::Add | UpdateOperator::Sub => {
                let number = value.as_int().ok_or_else(|| self.wrong(value, "an integer"))?;
                let other = argument();
                let other = other.as_int().ok_or_else(|| self.wrong(&other, "an integer"))?;
                let sum = match self.operator {
                    UpdateOperator::Add => number.checked_add(other),
                    _ => number.checked_sub(other),
                };
                Value::int(sum.ok_or_else(|| self.wrong(value, "a number that does not overflow"))?)
            }
        })
    }

    fn set<'v>(&self, value: &'v Value) -> Updated<&'v [Value]> {
        value.as_set().ok_or_else(|| self.wrong(value, "a set"))
    }

    fn sequence<'v>(&self, value: &'v Value) -> Updated<&'v [Value]> {
        value.as_tuple().ok_or_else(|| self.wrong(value, "a sequence"))
    }

    fn function(&self, value: &Value) -> Updated<Vec<(Value, Value)>> {
        if value.as_tuple().is_some() || value.as_entries().is_some() {
            Ok(entries(value))
        } else {
            Err(self.wrong(value, "a function"))
        }
    }

    /// A bag with the count of an element changed. An element with count 0 is not in the bag.
    fn counted(&self, bag: &Value, element: &Value, change: i64) -> Updated<Value> {
        let mut counts = self.function(bag)?;
        let at = counts.iter().position(|(own, _)| own == element);
        let old = match at {
            Some(at) => counts[at].1.as_int().ok_or_else(|| self.wrong(bag, "a bag"))?,
            None => 0,
        };
        let new = old
            .checked_add(change)
            .ok_or_else(|| self.wrong(bag, "counts that do not overflow"))?;
        if new < 0 {
            return Err(self.absent(bag, format!("element {element} to remove")));
        }
        match at {
            Some(at) if new == 0 => {
                counts.remove(at);
            }
            Some(at) => counts[at].1 = Value::int(new),
            None if new > 0 => counts.push((element.clone(), Value::int(new))),
            None => {}
        }
        Ok(function(counts))
    }

    fn overwritten(&self, mut value: Value, fields: &Value) -> Updated<Value> {
        for (key, new) in entries(fields) {
            let index = value.index_of(&key).ok_or_else(|| self.no_key(&value, &key))?;
            value.set_entry(index, new);
        }
        Ok(value)
    }

    fn index(&self, length: usize, least: usize, value: &Value) -> Updated<usize> {
        let index = self.args.first().and_then(Value::as_int);
        let index = index.ok_or_else(|| self.wrong(value, "an integer as argument"))?;
        usize::try_from(index)
            .ok()
            .filter(|index| (least..=length).contains(index))
            .ok_or_else(|| self.absent(value, format!("element {index}")))
    }

    fn wrong(&self, value: &Value, needs: &'static str) -> UpdateProblem {
        UpdateProblem::WrongValue {
            operator: self.operator.entry().0,
            value: shortened(&value.to_string()),
            needs,
        }
    }

    fn absent(&self, value: &Value, part: String) -> UpdateProblem {
        UpdateProblem::Absent {
            operator: self.operator.entry().0,
            value: shortened(&value.to_string()),
            part,
        }
    }

    fn no_key(&self, value: &Value, key: &Value) -> UpdateProblem {
        let steps = self.path.iter().chain([key]).map(Value::to_string);
        UpdateProblem::WrongPath {
            path: format!("[{}]", steps.collect::<Vec<_>>().join(", ")),
            value: shortened(&value.to_string()),
            key: key.to_string(),
        }
    }

    fn path_text(&self) -> String {
        let steps: Vec<String> = self.path.iter().map(Value::to_string).collect();
        format!("[{}]", steps.join(", "))
    }
}

/// The arguments as values of the types that the operator takes at a place.
fn converted(
    operator: UpdateOperator,
    args: &[Value],
    place: &ValueType,
    words: &Vocabulary,
) -> Updated<Vec<Value>> {
    let [first, rest @ ..] = args else {
        return Ok(Vec::new());
    };
    let key = |json: &Value| match json.as_str() {
        Some(name) => place.key().convert_key(name, words),
        None => json.clone(),
    };
    let elements = || -> Updated<Value> {
        let of = place.element();
        let elements = first.as_tuple().or_else(|| first.as_set());
        let elements =
            elements.ok_or_else(|| UpdateProblem::Malformed("the argument must be an array".to_owned()))?;
        let elements: Result<Vec<Value>, TypeProblem> =
            elements.iter().map(|one| of.convert(one, words)).collect();
        Ok(Value::set(elements?))
    };
    Ok(match operator {
        UpdateOperator::AddElement | UpdateOperator::RemoveElement => {
            vec![place.element().convert(first, words)?]
        }
        UpdateOperator::AddElements | UpdateOperator::RemoveElements => vec![elements()?],
        UpdateOperator::AddElementToBag | UpdateOperator::RemoveElementFromBag => {
            vec![place.key().convert(first, words)?]
        }
        UpdateOperator::AppendElement => vec![place.item().convert(first, words)?],
        UpdateOperator::SetKey | UpdateOperator::AddKey => {
            let key = key(first);
            let mut converted = Vec::new();
            for new in rest {
                converted.push(place.at(&key).convert(new, words)?);
            }
            [vec![key], converted].concat()
        }
        UpdateOperator::RemoveKey | UpdateOperator::ResetKey => vec![key(first)],
        UpdateOperator::Truncate | UpdateOperator::RemoveAt | UpdateOperator::Add | UpdateOperator::Sub => {
            vec![first.clone()]
        }
        _ => vec![place.convert(first, words)?],
    })
}

fn entries(value: &Value) -> Vec<(Value, Value)> {
    match value.as_tuple() {
        Some(elements) => (1..).map(Value::int).zip(elements.iter().cloned()).collect(),
        None => value.as_entries().unwrap_or_default().to_vec(),
    }
}

/// The function with these entries, whose keys are distinct.
fn function(entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
    Value::function(entries).unwrap_or_else(|_| Value::tuple([]))
}

pub(crate) fn shortened(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
