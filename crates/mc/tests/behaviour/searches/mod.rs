//! Properties of every search, shown on small hand-written transition systems.

mod breadth_first;
mod depth_first;
mod parallel;
mod resume;
mod simulation;
mod toy_systems;
