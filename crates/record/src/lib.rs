//! What a system under test embeds to record its operations as a trace.
