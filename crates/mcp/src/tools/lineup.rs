//! The tool `lineup`.

use super::{Arguments, Site, evidence_max, flag, option};
use crate::call::{Call, Prints};
use crate::limits::LimitArguments;

arguments! {
    /// A component to build and run.
    pub(super) struct LineupArguments {
        /// The cargo package whose lineup/*.rs targets are checked; the first folder of the server if not given
        folder: Option<String>,
        /// A binary of the package instead
        bin: Option<String>,
        /// An example of the package instead
        example: Option<String>,
        /// A test target of the package
        test: Option<String>,
        /// C++ harnesses that include "lineup.hpp", instead of a package
        cpp: Vec<String>,
        /// Flags for the C++ compiler, such as -Iinclude
        cxxflags: Vec<String>,
        /// Matrices of calls, such as "push(1) | pop()": threads apart by bars
        matrices: Vec<String>,
        /// All matrices of up to so many threads with so many calls
        auto: Option<usize>,
        /// So many random matrices of each shape
        samples: Option<u64>,
        /// All runs with up to so many preemptions; 2 if not given
        preemptions: Option<u32>,
        /// Check against this model instead of the component's own serial runs, such as queue:capacity=2
        model: Option<String>,
        /// Check against a TLA+ specification instead
        spec: Option<String>,
        /// linearizable if not given
        consistency: Option<String>,
        /// Loads may read older stores, as the memory orders of C11, C++20 and Rust allow
        weak_memory: bool,
        /// The most bytes of evidence in the answer: 24000 if not given, 0 for none, at most 1000000
        evidence_max: Option<usize>,
        /// When to stop; building the component takes more time
        limits: Option<LimitArguments>,
    }
}

impl Arguments for LineupArguments {
    const NAME: &'static str = "lineup";
    const TITLE: &'static str = "Find concurrency bugs";
    const DESCRIPTION: &'static str = "Finds concurrency bugs of a Rust or C++ component without a specification: builds it with \
        instrumentation, runs its calls one at a time, then under many schedules of several threads, and reports every run that no \
        serial run explains. It builds and runs code, so the server must be started with --allow-exec.";

    fn call(self, site: &Site<'_>) -> Result<Call, String> {
        let limits = site.limits(self.limits.as_ref())?;
        let executes = site.executes(true)?;
        let mut words = vec!["lineup".to_owned(), "--json".to_owned()];
        words.extend(limits.words());
        option(&mut words, "bin", self.bin);
        option(&mut words, "example", self.example);
        option(&mut words, "test", self.test);
        for file in site.paths(&self.cpp)? {
            option(&mut words, "cpp", Some(file));
        }
        for compiler_flag in self.cxxflags {
            option(&mut words, "cxxflag", Some(compiler_flag));
        }
        for matrix in self.matrices {
            option(&mut words, "matrix", Some(matrix));
        }
        option(&mut words, "auto", self.auto);
        option(&mut words, "samples", self.samples);
        option(&mut words, "preemptions", self.preemptions);
        option(&mut words, "model", self.model);
        option(
            &mut words,
            "spec",
            self.spec.map(|spec| site.path(&spec)).transpose()?,
        );
        option(&mut words, "consistency", self.consistency);
        flag(&mut words, "memory=c11", self.weak_memory);
        let folder = self.folder.map(|folder| site.path(&folder)).transpose()?;
        words.push("--".to_owned());
        words.extend(folder);
        Ok(Call {
            words,
            prints: Prints::Evidence,
            executes,
            limits,
            file: None,
            evidence_max: evidence_max(self.evidence_max),
        })
    }
}
