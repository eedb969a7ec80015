//! A MessagePack decoder that shares no code with the recorder.

use std::fmt;

/// A decoded value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i128),
    Text(String),
    Array(Vec<Value>),
    Map(Vec<(String, Value)>),
}

impl Value {
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Map(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    pub fn int(&self) -> i128 {
        match self {
            Self::Int(value) => *value,
            other => panic!("not an integer: {other}"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => write!(f, "null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(Value::to_string).collect();
                write!(f, "[{}]", items.join(","))
            }
            Self::Map(fields) => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(key, value)| format!("{key}:{value}"))
                    .collect();
                write!(f, "{{{}}}", fields.join(","))
            }
        }
    }
}

/// A decoded file: its header, the operations, and the offset at which the tail begins.
#[derive(Debug)]
pub struct Decoded {
    pub header: Value,
    pub operations: Vec<Operation>,
    pub whole_bytes: usize,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    pub record: Value,
}

impl Operation {
    pub fn start(&self) -> i128 {
        self.record.field("start").expect("a start").int()
    }

    pub fn end(&self) -> Option<i128> {
        self.record.field("end").map(Value::int)
    }

    pub fn arg(&self, name: &str) -> i128 {
        self.record
            .field("args")
            .and_then(|args| args.field(name))
            .expect("the argument")
            .int()
    }

    pub fn ret(&self) -> Option<i128> {
        self.record.field("ret").map(Value::int)
    }
}

/// The operation without its times: `0 push{value:3} = 7`.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = |name| self.record.field(name);
        let (Some(Value::Text(op)), Some(thread), Some(args)) = (field("op"), field("thread"), field("args"))
        else {
            panic!("not an operation: {}", self.record);
        };
        write!(f, "{thread} {op}{args}")?;
        if let Some(ret) = field("ret") {
            write!(f, " = {ret}")?;
        }
        if let Some(meta) = field("meta") {
            write!(f, " meta {meta}")?;
        }
        if field("aborted").is_some() {
            write!(f, " aborted")?;
        }
        if field("end").is_none() {
            write!(f, " pending")?;
        }
        Ok(())
    }
}

/// Reads whole maps up to the end, a zero, or the string of an incomplete record.
pub fn decode(bytes: &[u8]) -> Decoded {
    let mut rest = bytes;
    let mut records = Vec::new();
    while let Some(0x80..=0x8f | 0xde | 0xdf) = rest.first() {
        records.push(value(&mut rest));
    }
    let mut records = records.into_iter();
    let header = records.next().expect("a header");
    assert_eq!(header.field("omnilink"), Some(&Value::Int(1)));
    let operations = records.map(|record| Operation { record }).collect();
    Decoded {
        header,
        operations,
        whole_bytes: bytes.len() - rest.len(),
    }
}

/// The operations, one a line.
pub fn listed(bytes: &[u8]) -> String {
    let lines: Vec<_> = decode(bytes)
        .operations
        .iter()
        .map(Operation::to_string)
        .collect();
    lines.join("\n")
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}

fn unsigned(rest: &mut &[u8], bytes: usize) -> u64 {
    take(rest, bytes)
        .iter()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn value(rest: &mut &[u8]) -> Value {
    let tag = take(rest, 1)[0];
    match tag {
        0x00..=0x7f => Value::Int(tag.into()),
        0x80..=0x8f => map(rest, u64::from(tag & 0x0f)),
        0x90..=0x9f => array(rest, u64::from(tag & 0x0f)),
        0xa0..=0xbf => text(rest, u64::from(tag & 0x1f)),
        0xc0 => Value::Null,
        0xc2 => Value::Bool(false),
        0xc3 => Value::Bool(true),
        0xcc..=0xcf => Value::Int(unsigned(rest, 1 << (tag - 0xcc)).into()),
        0xd0 => Value::Int((unsigned(rest, 1) as i8).into()),
        0xd1 => Value::Int((unsigned(rest, 2) as i16).into()),
        0xd2 => Value::Int((unsigned(rest, 4) as i32).into()),
        0xd3 => Value::Int((unsigned(rest, 8) as i64).into()),
        0xd9..=0xdb => {
            let length = unsigned(rest, 1 << (tag - 0xd9));
            text(rest, length)
        }
        0xdc | 0xdd => {
            let length = unsigned(rest, 2 << (tag - 0xdc));
            array(rest, length)
        }
        0xde | 0xdf => {
            let length = unsigned(rest, 2 << (tag - 0xde));
            map(rest, length)
        }
        0xe0..=0xff => Value::Int((tag as i8).into()),
        other => panic!("no value of trace format 1 begins with {other:#x}"),
    }
}

fn text(rest: &mut &[u8], length: u64) -> Value {
    Value::Text(String::from_utf8(take(rest, length as usize).to_vec()).expect("UTF-8"))
}

fn array(rest: &mut &[u8], length: u64) -> Value {
    Value::Array((0..length).map(|_| value(rest)).collect())
}

fn map(rest: &mut &[u8], length: u64) -> Value {
    let mut fields: Vec<(String, Value)> = Vec::new();
    for _ in 0..length {
        let Value::Text(key) = value(rest) else {
            panic!("a key that is not a string")
        };
        assert!(fields.iter().all(|(taken, _)| *taken != key), "key {key} twice");
        let value = value(rest);
        fields.push((key, value));
    }
    Value::Map(fields)
}
