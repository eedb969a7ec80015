//! Cycles of the precedence graph in words.

use omnilink_history::order_graph::{EdgeReason, OrderEdge};

use crate::transaction::Transactions;

impl Transactions {
    /// A cycle in words.
    pub(crate) fn describe(&self, cycle: &[OrderEdge]) -> Vec<String> {
        let name = |one: Option<usize>| one.map_or("the initial state", |one| self.all[one].label.as_str());
        cycle
            .iter()
            .map(|OrderEdge { from, to, reason }| {
                let reason = match reason {
                    EdgeReason::Beginning => "nothing comes before it".to_owned(),
                    EdgeReason::Same => "a transaction commits after it began".to_owned(),
                    EdgeReason::Session => "earlier in the same session".to_owned(),
                    EdgeReason::RealTime => "it was over before the other began".to_owned(),
                    EdgeReason::ReadFrom(key) => format!("the other read {} from it", self.key(*key)),
                    EdgeReason::SeenBy { reader, key } => {
                        let (reader, key) = (name(Some(*reader as usize)), self.key(*key));
                        format!("{reader} sees both, and read {key} from the other, not from it")
                    }
                    EdgeReason::ReadBefore(key) => {
                        format!("it read {} before the other wrote it", self.key(*key))
                    }
                    EdgeReason::WroteOver(key) => {
                        format!("the other wrote {} over what it wrote", self.key(*key))
                    }
                    EdgeReason::OnlyOrder(key) | EdgeReason::Forced { key, .. } => {
                        format!(
                            "every other order of the writers of {} leads to a contradiction",
                            self.key(*key)
                        )
                    }
                };
                format!("{} before {}: {reason}", name(*from), name(*to))
            })
            .collect()
    }
}
