//! Written by `omnilink gen harness`, and rewritten by it.

mod actions;
mod harness;
#[path = "../src/system.rs"]
mod system;

fn main() {
    let setup = harness::Setup {
        system: system::System::new,
        client: system::Client::new,
    };
    std::process::exit(harness::run(setup, actions::all()));
}
