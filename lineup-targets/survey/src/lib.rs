//! What the rows of the survey have in common.

pub use omnilink_harness;

/// A test of a component with calls that any thread may make: `component!(case, "name", make; "call()" => |one| …)`.
#[macro_export]
macro_rules! component {
    ($case:ident, $name:literal, $make:expr; $($call:literal => $does:expr),+ $(,)? $(; may_fail $($may_fail:literal),+)?) => {
        #[test]
        fn $case() {
            $crate::omnilink_harness::Component::new($name, || $make)
                $(.op($call, $does))+
                $($(.may_fail($may_fail))+)?
                .test();
        }
    };
}
