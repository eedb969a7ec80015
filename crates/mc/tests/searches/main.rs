//! What every search must do, shown on grids: from the origin, each step adds 1 to one coordinate.

mod breadth;
mod depth;
mod random;
mod together;
mod toy;
