//! Native models that ship with OmniLink: registers, maps, queues, locks and more.
