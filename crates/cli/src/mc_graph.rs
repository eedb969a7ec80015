//! The state graph of a small specification, for the page that shows its evidence.

use omnilink_evidence::StateGraph;
use omnilink_mc::{CheckOptions, SearchMode, SearchProgress, SmallGraph};
use omnilink_tla::model::CompiledSpec;

/// The graph of a specification whose search found this many states; `None` if that is too many to be drawn, or the graph is not known.
///
/// The search is made again, which takes no time for so few states: so searches of large specifications need not keep their steps. A
/// specification that may run commands is not explored twice.
pub(crate) fn small_graph(
    model: &CompiledSpec,
    input: &str,
    options: &CheckOptions<'_>,
    distinct: u64,
) -> Option<StateGraph> {
    if distinct > StateGraph::STATES_MAX as u64 || options.may_execute {
        return None;
    }
    let options = CheckOptions {
        mode: SearchMode::BreadthFirst,
        workers: 1,
        checkpoints: None,
        ..*options
    };
    let (variables, actions) = names(model);
    let mut graph = SmallGraph::new(variables, actions);
    let live = SearchProgress::default();
    omnilink_mc::check(model, input, &options, &live, &|_| {}, Some(&mut graph)).ok()?;
    graph.finish().filter(|graph| !graph.states.is_empty())
}

/// The names of the variables and of the actions of a specification.
pub(crate) fn names(model: &CompiledSpec) -> (Vec<String>, Vec<String>) {
    let program = &model.program;
    let variables = program.variables.iter().map(|name| name.to_string()).collect();
    let actions = program
        .actions
        .iter()
        .map(|action| action.name.to_string())
        .collect();
    (variables, actions)
}
