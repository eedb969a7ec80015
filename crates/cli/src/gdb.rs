//! gdb on a process that waits for it.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, ExitStatus};

/// Hides the frames of the scheduler, of harnesses and of libraries from backtraces, and defines `own`, which selects the innermost of the
/// others.
const SCRIPT: &str = "\
set pagination off
set confirm off
python
def is_own(frame):
    table = frame.find_sal().symtab
    if table is None or gdb.solib_name(frame.pc()) is not None:
        return False
    hidden = ('/lineup.hpp', 'crates/harness/src/component.rs', 'crates/harness/src/serve.rs')
    library = table.filename.startswith('/usr/include/') or '/rustlib/src/' in table.filename or table.filename.startswith(('/rustc/', 'library/'))
    return not library and not table.filename.endswith(hidden) and '/omnilink-harness-' not in table.filename
class OwnFrames:
    def __init__(self):
        self.name, self.priority, self.enabled = 'omnilink', 100, True
        gdb.frame_filters[self.name] = self
    def filter(self, frames):
        return (frame for frame in frames if is_own(frame.inferior_frame()))
OwnFrames()
class Own(gdb.Command):
    'Selects the innermost frame of the program itself.'
    def __init__(self):
        super().__init__('own', gdb.COMMAND_STACK)
    def invoke(self, argument, from_tty):
        frame = gdb.newest_frame()
        while frame is not None and not is_own(frame):
            frame = frame.older()
        if frame is not None:
            frame.select()
Own()
end
";

/// Runs gdb on a process, with these commands first. Without a terminal it prints where the process is then.
pub(crate) fn attach(process: u32, commands: &[String], all_threads: bool) -> io::Result<ExitStatus> {
    let mut script = tempfile::Builder::new().suffix(".gdb").tempfile()?;
    script.write_all(SCRIPT.as_bytes())?;
    let is_batch = !io::stdin().is_terminal();
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-nx", "-p", &process.to_string()])
        .args(is_batch.then_some("-batch"))
        .arg("-x")
        .arg(script.path());
    for command in commands {
        gdb.args(["-ex", command]);
    }
    gdb.args(["-ex", "own", "-ex", "frame"]);
    if is_batch {
        let backtrace = if all_threads {
            "thread apply all backtrace"
        } else {
            "backtrace"
        };
        gdb.args(["-ex", backtrace]);
    }
    gdb.status()
}
