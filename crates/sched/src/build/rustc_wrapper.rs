//! The program that cargo calls in place of the compiler.
//!
//! A component must not see that it is instrumented: build scripts read `CARGO_CFG_SANITIZE` and choose other code by it, and some
//! try which unstable features the compiler allows. So the flags of the instrumentation are not among those that cargo knows. A
//! wrapper adds them, with the permission for unstable flags, to each command that compiles a crate for the component, and to no
//! other: not to those of build scripts and procedural macros, nor to questions about the compiler.

use super::{BuildError, rust};
use std::path::PathBuf;
use std::process::Command;

pub(super) struct RustcWrapper {
    path: PathBuf,
    /// A flag that is another one for each version of the wrapper, because cargo does not compile again when only that changes.
    pub(super) cfg: String,
}

/// The wrapper of the user, such as a cache.
const OF_THE_USER: &str = "OMNILINK_RUSTC_WRAPPER";

impl RustcWrapper {
    pub(super) fn store() -> Result<Self, BuildError> {
        let flags = rust::tsan_flags()?.join(" ");
        // Cargo asks for messages as JSON when it compiles, and names the target for what is not part of the build itself.
        let script = format!(
            "#!/bin/sh\n\
             compiles= targets=\n\
             for argument; do\n\
             case \"$argument\" in --error-format=json) compiles=yes;; --target|--target=*) targets=yes;; esac\n\
             done\n\
             if test \"$compiles$targets\" = yesyes; then\n\
             RUSTC_BOOTSTRAP=1; export RUSTC_BOOTSTRAP\n\
             set -- \"$@\" {flags}\n\
             fi\n\
             exec ${OF_THE_USER} \"$@\"\n"
        );
        let path = super::store("rustc", "sh", script.as_bytes())?;
        make_executable(&path).map_err(|source| BuildError::Store {
            path: path.clone(),
            source,
        })?;
        let name = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().replace('-', "_"));
        Ok(Self {
            cfg: format!("--cfg=omnilink_{}", name.unwrap_or_default()),
            path,
        })
    }

    /// Makes cargo use it.
    pub(super) fn apply(&self, cargo: &mut Command) {
        let given = std::env::var_os("RUSTC_WRAPPER").unwrap_or_default();
        cargo.env(OF_THE_USER, given).env("RUSTC_WRAPPER", &self.path);
    }
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &std::path::Path) -> std::io::Result<()> {
    Ok(())
}
