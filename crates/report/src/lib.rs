//! Evidence for people and for machines: text, timelines and JSON.
