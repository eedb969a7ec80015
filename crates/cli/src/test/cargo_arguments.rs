//! Which tests are built: the options of `cargo test`.

use clap::Args;

/// The options of `cargo test` that say what is built, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of cargo test")]
pub(super) struct CargoArgs {
    /// A package of the workspace
    #[arg(short, long, value_name = "PACKAGE")]
    package: Vec<String>,
    /// All packages of the workspace
    #[arg(long, alias = "all")]
    workspace: bool,
    /// A package to leave out
    #[arg(long, value_name = "PACKAGE")]
    exclude: Vec<String>,
    /// The library
    #[arg(long)]
    lib: bool,
    /// All binaries
    #[arg(long)]
    bins: bool,
    /// A binary
    #[arg(long, value_name = "NAME")]
    bin: Vec<String>,
    /// All files of integration tests
    #[arg(long)]
    tests: bool,
    /// A file of integration tests
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,
    /// All examples
    #[arg(long)]
    examples: bool,
    /// An example
    #[arg(long, value_name = "NAME")]
    example: Vec<String>,
    /// Features
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,
    /// All features
    #[arg(long)]
    all_features: bool,
    /// Without default features
    #[arg(long)]
    no_default_features: bool,
    /// With optimisation
    #[arg(short, long)]
    release: bool,
    /// A profile
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// The Cargo.toml
    #[arg(long, value_name = "FILE")]
    pub(super) manifest_path: Option<String>,
    /// Without the network
    #[arg(long)]
    offline: bool,
    /// With the versions of Cargo.lock
    #[arg(long)]
    locked: bool,
    /// Without cargo's messages
    #[arg(short, long)]
    quiet: bool,
}

impl CargoArgs {
    /// Them as cargo takes them.
    pub(super) fn arguments(&self) -> Vec<String> {
        let flags = [
            ("--workspace", self.workspace),
            ("--lib", self.lib),
            ("--bins", self.bins),
            ("--tests", self.tests),
            ("--examples", self.examples),
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--release", self.release),
            ("--offline", self.offline),
            ("--locked", self.locked),
            ("--quiet", self.quiet),
        ];
        let lists = [
            ("--package", &self.package),
            ("--exclude", &self.exclude),
            ("--bin", &self.bin),
            ("--test", &self.test),
            ("--example", &self.example),
            ("--features", &self.features),
        ];
        let single = [
            ("--profile", &self.profile),
            ("--manifest-path", &self.manifest_path),
        ];
        let mut arguments: Vec<String> = Vec::new();
        arguments.extend(
            flags
                .iter()
                .filter(|(_, is_set)| *is_set)
                .map(|(flag, _)| (*flag).to_owned()),
        );
        for (option, value) in lists
            .iter()
            .flat_map(|(option, values)| values.iter().map(move |value| (option, value)))
        {
            arguments.extend([(*option).to_owned(), value.clone()]);
        }
        for (option, value) in single
            .iter()
            .filter_map(|(option, value)| Some((option, value.as_ref()?)))
        {
            arguments.extend([(*option).to_owned(), value.clone()]);
        }
        arguments
    }
}
