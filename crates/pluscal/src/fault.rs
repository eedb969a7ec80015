//! Mistakes in an algorithm.

use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::{SourceId, Span};

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $word:literal;)*) => {
        /// The kinds of mistakes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AlgorithmErrorKind { $($(#[$doc])* $variant,)* }

        impl AlgorithmErrorKind {
            /// The word for it in output.
            pub fn word(self) -> &'static str {
                match self { $(AlgorithmErrorKind::$variant => $word,)* }
            }
        }
    };
}

kinds! {
    /// A statement needs a label and has none.
    MissingLabel "missing-label";
    /// A label inside a `with`.
    LabelInWith "label-in-with";
    /// A `while` inside a `with`.
    WhileInWith "while-in-with";
    /// A statement after a call or a return inside a `with`.
    CallInWith "call-in-with";
    /// A label inside a macro.
    LabelInMacro "label-in-macro";
    /// The label `Done` or `Error`.
    ReservedLabel "reserved-label";
    /// Two assignments to one variable in one step.
    DoubleAssignment "double-assignment";
    /// An assignment to a name that is no variable.
    UndeclaredVariable "undeclared-variable";
    /// A `goto` to a label that is not in its process or procedure.
    UnknownLabel "unknown-label";
    /// A call of a macro that is not defined, or not yet.
    UnknownMacro "unknown-macro";
    /// A macro with the wrong number of arguments.
    MacroArity "macro-arity";
    /// A call of a procedure that does not exist.
    UnknownProcedure "unknown-procedure";
    /// A procedure with the wrong number of arguments.
    ProcedureArity "procedure-arity";
    /// A `return` outside of a procedure.
    ReturnOutsideProcedure "return-outside-procedure";
    /// One name for two things.
    DuplicateName "duplicate-name";
    /// An algorithm without variables.
    NoVariables "no-variables";
    /// A syntax error.
    Syntax "syntax";
    /// An invalid token.
    Lexical "lexical";
    /// An algorithm that is not in a comment of its own, or markers that do not belong together.
    Layout "layout";
    /// A text without an algorithm.
    NoAlgorithm "no-algorithm";
    /// An option of the translator that does not exist or contradicts another.
    Option "option";
}

/// A mistake: where, what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmError {
    /// The kind of mistake.
    pub kind: AlgorithmErrorKind,
    /// Where it is.
    pub span: Span,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// A second place that explains the first.
    pub related: Option<(Span, String)>,
}

impl AlgorithmError {
    pub(crate) fn new(kind: AlgorithmErrorKind, span: Span, message: impl Into<String>) -> Self {
        Self {
            kind,
            span,
            message: message.into(),
            help: None,
            related: None,
        }
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    #[must_use]
    pub(crate) fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related = Some((span, message.into()));
        self
    }

    /// It as an error in a text.
    pub fn diagnostic(&self, source: SourceId) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(Class::PlusCal, source, self.span, &*self.message);
        if let Some((span, message)) = &self.related {
            diagnostic = diagnostic.label(source, *span, &**message);
        }
        if let Some(help) = &self.help {
            diagnostic = diagnostic.help(&**help);
        }
        diagnostic
    }
}
