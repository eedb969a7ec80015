//! Names of a specification as identifiers of a programming language.

/// Words that neither C++ nor Rust take as a name, or that the harness uses itself.
const TAKEN: &[&str] = &[
    "abstract",
    "alignas",
    "alignof",
    "and",
    "as",
    "asm",
    "async",
    "auto",
    "await",
    "become",
    "bool",
    "box",
    "break",
    "call",
    "case",
    "catch",
    "char",
    "class",
    "client",
    "const",
    "constexpr",
    "continue",
    "crate",
    "default",
    "delete",
    "do",
    "double",
    "dyn",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "friend",
    "gen",
    "goto",
    "if",
    "impl",
    "in",
    "inline",
    "int",
    "let",
    "log",
    "long",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "op",
    "operator",
    "or",
    "override",
    "priv",
    "private",
    "protected",
    "pub",
    "public",
    "random",
    "ref",
    "register",
    "requires",
    "return",
    "self",
    "Self",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "super",
    "switch",
    "system",
    "template",
    "this",
    "thread",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typename",
    "typeof",
    "union",
    "unsafe",
    "unsigned",
    "unsized",
    "use",
    "using",
    "values",
    "virtual",
    "void",
    "volatile",
    "where",
    "while",
    "xor",
    "yield",
    "System",
    "Client",
    "Op",
    "Random",
    "actions",
    "omnilink",
];

/// A name that C++ and Rust accept.
pub(crate) fn identifier(name: &str) -> String {
    let mut text: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if text.starts_with(|c: char| c.is_ascii_digit()) || text.is_empty() {
        text.insert(0, 'n');
    }
    // Names with two underscores, and those that begin with one, are reserved in C++.
    while text.contains("__") {
        text = text.replace("__", "_");
    }
    let text = text.trim_start_matches('_');
    if TAKEN.contains(&text) || text.is_empty() {
        format!("{text}_")
    } else {
        text.to_owned()
    }
}

/// In the style of Rust's functions: `KVInsert` is `kv_insert`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        let starts_word = c.is_ascii_uppercase()
            && i > 0
            && (chars[i - 1].is_ascii_lowercase()
                || chars[i - 1].is_ascii_digit()
                || chars.get(i + 1).is_some_and(char::is_ascii_lowercase));
        if starts_word && !out.ends_with('_') {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    identifier(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_one_that_compilers_accept() {
        assert_eq!(identifier("Enqueue"), "Enqueue");
        assert_eq!(identifier("delete"), "delete_");
        assert_eq!(identifier("1x"), "n1x");
        assert_eq!(identifier("a'b"), "a_b");
        assert_eq!(identifier("_"), "_");
        assert_eq!(snake_case("KVInsertIfAbsent"), "kv_insert_if_absent");
        assert_eq!(snake_case("enqueue"), "enqueue");
        assert_eq!(snake_case("Type"), "type_");
    }
}
