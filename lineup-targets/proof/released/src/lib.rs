//! The components are the tests of this package.
