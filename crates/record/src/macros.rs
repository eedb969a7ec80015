//! The macro that records an operation in one line.

/// Records one operation and returns its result: `record!(log, push(value = 3) => queue.push(3))`.
///
/// The arguments are recorded by name, then the clock is read, then the expression runs. If it panics, the
/// operation stays pending. The operation's name may be a string: `record!(log, "KVInsert"(key = 3) => ...)`.
/// To record something other than the result, add a closure: `record!(log, pop() => queue.pop(), |popped| popped.is_ok())`.
/// It is evaluated before `end` is read, so keep it cheap.
///
/// ```
/// # use omnilink_record::{Recorder, record};
/// # let recorder = Recorder::in_memory()?;
/// let mut log = recorder.thread(0)?;
/// let mut stack = Vec::new();
/// record!(log, push(value = 3) => stack.push(3));
/// let top = record!(log, pop() => stack.pop());
/// assert_eq!(top, Some(3));
/// # Ok::<_, omnilink_record::RecordError>(())
/// ```
#[macro_export]
macro_rules! record {
    (
        $log:expr, $op:ident ( $($name:ident = $value:expr),* $(,)? ) => $body:expr
        $(, |$result:pat_param| $ret:expr)? $(,)?
    ) => {
        $crate::record!($log, (::core::stringify!($op)) ( $($name = $value),* ) => $body $(, |$result| $ret)?)
    };
    (
        $log:expr, $op:literal ( $($name:ident = $value:expr),* $(,)? ) => $body:expr
        $(, |$result:pat_param| $ret:expr)? $(,)?
    ) => {
        $crate::record!($log, ($op) ( $($name = $value),* ) => $body $(, |$result| $ret)?)
    };
    ($log:expr, ($op:expr) ( $($name:ident = $value:expr),* ) => $body:expr) => {{
        let open = $log.call($op)$(.arg(::core::stringify!($name), &$value))*.begin();
        let result = $body;
        open.end(&result);
        result
    }};
    (
        $log:expr, ($op:expr) ( $($name:ident = $value:expr),* ) => $body:expr,
        |$result:pat_param| $ret:expr
    ) => {{
        let open = $log.call($op)$(.arg(::core::stringify!($name), &$value))*.begin();
        let result = $body;
        let $result = &result;
        open.end($ret);
        result
    }};
}
