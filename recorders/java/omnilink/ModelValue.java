package omnilink;

/** A TLA+ model value: equal to itself, and to nothing else. */
public record ModelValue(String name) {}
