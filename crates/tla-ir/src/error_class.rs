//! The kinds of evaluation errors.

/// The kind of an evaluation error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// A value of the wrong kind, equality of incomparable values included.
    Type,
    /// An argument outside a domain; no arm of a CASE holds.
    Domain,
    /// CHOOSE of nothing.
    Choose,
    /// An infinite set would have to be enumerated.
    Infinite,
    /// An integer too large.
    Overflow,
    /// A failed Assert.
    Assert,
    /// Endless recursion.
    Recursion,
    /// Too much memory.
    Resource,
    /// A file or command.
    Io,
    /// A constant or register without a value.
    Undefined,
    /// The next value of a variable is used before it is known.
    Unassigned,
    /// An expression that is not supported.
    Unsupported,
}

impl ErrorClass {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            ErrorClass::Type => "type",
            ErrorClass::Domain => "domain",
            ErrorClass::Choose => "choose",
            ErrorClass::Infinite => "infinite",
            ErrorClass::Overflow => "overflow",
            ErrorClass::Assert => "assert",
            ErrorClass::Recursion => "recursion",
            ErrorClass::Resource => "resource",
            ErrorClass::Io => "io",
            ErrorClass::Undefined => "undefined",
            ErrorClass::Unassigned => "unassigned",
            ErrorClass::Unsupported => "unsupported",
        }
    }
}
