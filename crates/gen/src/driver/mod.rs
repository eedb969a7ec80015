//! Drivers: programs that do the actions of a specification on a system, and read its state back.
//!
//! A driver knows nothing of the specification but the names of its actions and the types of their parameters: `omnilink drive` tells it
//! what to do, and compares. So the part that is written once per language is a loop over lines of JSON.

mod cpp;
mod java;
mod names;
mod python;
mod rust;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use omnilink_value::Value;

use crate::parameter_type::ParameterType;
use crate::plan::GenError;
use crate::project::{Generated, keep, update, write};
use crate::sections::{Comment, Section};

/// In which language a driver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverLanguage {
    /// Rust, without other crates.
    Rust,
    /// C++17, without other libraries.
    Cpp,
    /// Python 3, without other packages.
    Python,
    /// Java 17, without other packages.
    Java,
}

impl FromStr for DriverLanguage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "rust" => Ok(Self::Rust),
            "cpp" | "c++" => Ok(Self::Cpp),
            "python" => Ok(Self::Python),
            "java" => Ok(Self::Java),
            other => Err(format!("\"{other}\": there are rust, cpp, python and java")),
        }
    }
}

/// An action that a driver does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverAction {
    /// Its name in the specification.
    pub name: String,
    /// File and line of its definition.
    pub place: String,
    /// Its parameters, and the names that it chooses, with the types of their values.
    pub parameters: Vec<(String, ParameterType)>,
}

impl DriverAction {
    /// An action whose parameters have had these values.
    pub fn new(name: &str, place: &str, seen: &[(String, Vec<Value>)]) -> Self {
        let parameters = seen.iter();
        Self {
            name: name.to_owned(),
            place: place.to_owned(),
            parameters: parameters
                .map(|(name, values)| (name.clone(), ParameterType::of_all(values)))
                .collect(),
        }
    }

    /// `RMPrepare(rm)`, with the types of parameters as a language names them.
    fn signature(&self, type_name: fn(&ParameterType) -> &'static str) -> String {
        let parameters = self.parameters.iter();
        let parameters: Vec<String> = parameters
            .map(|(name, kind)| format!("{name}: {}", type_name(kind)))
            .collect();
        format!("({})", parameters.join(", "))
    }
}

/// What a driver is generated from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverPlan {
    /// The specification.
    pub spec: PathBuf,
    /// The options with which it is read, as they are typed after its name.
    pub options: String,
    /// Its variables.
    pub variables: Vec<String>,
    /// Its actions.
    pub actions: Vec<DriverAction>,
}

impl DriverPlan {
    /// What stands above the first section of the user's file, each line after a mark for comments.
    fn head(&self, mark: &str, run: &str) -> String {
        let lines = [
            format!("The system, for the driver of {}.", self.spec.display()),
            "This file is yours: omnilink gen driver adds sections for new actions, and changes nothing else.".to_owned(),
            String::new(),
            format!("    {run}"),
            String::new(),
            format!("Variables of the specification: {}.", self.variables.join(", ")),
        ];
        let lines = lines.map(|line| format!("{mark} {line}").trim_end().to_owned());
        format!("{}\n\n", lines.join("\n"))
    }
}

/// Writes a driver into a folder. What the user wrote stays.
///
/// # Errors
/// If a file cannot be written.
pub fn generate_driver(
    plan: &DriverPlan,
    language: DriverLanguage,
    folder: &Path,
) -> Result<Generated, GenError> {
    let ours = folder.join("omnilink");
    let sections = |of_system: &str, of_action: &dyn Fn(&DriverAction, &str) -> Section| -> Vec<Section> {
        let names = names::unique(plan);
        let system = Section {
            name: "system".to_owned(),
            signature: String::new(),
            text: of_system.to_owned(),
        };
        let actions = plan.actions.iter().zip(&names);
        let actions = actions.map(|(action, name)| of_action(action, name));
        std::iter::once(system).chain(actions).collect()
    };
    match language {
        DriverLanguage::Python => {
            write(&ours.join("driver.py"), python::driver(plan).as_bytes())?;
            let head = plan.head("#", &python::run(plan, folder));
            update(
                &folder.join("system.py"),
                &head,
                &sections(python::SYSTEM, &python::section),
                "",
                Comment::Hash,
            )
        }
        DriverLanguage::Rust => {
            write(
                &ours.join("main.rs"),
                include_bytes!("../templates/driver/main.rs.in"),
            )?;
            write(
                &ours.join("json.rs"),
                include_bytes!("../templates/driver/json.rs.in"),
            )?;
            write(&ours.join("actions.rs"), rust::actions(plan).as_bytes())?;
            keep(&folder.join("Cargo.toml"), rust::MANIFEST)?;
            let head = plan.head("//!", &rust::run(plan, folder)) + rust::IMPORTS;
            update(
                &folder.join("src/system.rs"),
                &head,
                &sections(rust::SYSTEM, &rust::section),
                "",
                Comment::Slashes,
            )
        }
        DriverLanguage::Cpp => {
            write(
                &ours.join("json.hpp"),
                include_bytes!("../templates/driver/json.hpp"),
            )?;
            write(&ours.join("main.cpp"), cpp::main(plan).as_bytes())?;
            keep(&folder.join("Makefile"), cpp::MAKEFILE)?;
            let head = plan.head("//", &cpp::run(plan, folder)) + cpp::INCLUDES;
            update(
                &folder.join("system.hpp"),
                &head,
                &sections(cpp::SYSTEM, &cpp::section),
                "",
                Comment::Slashes,
            )
        }
        DriverLanguage::Java => {
            write(
                &ours.join("Json.java"),
                include_bytes!("../templates/driver/Json.java"),
            )?;
            write(&ours.join("Driver.java"), java::driver(plan).as_bytes())?;
            keep(&folder.join("Makefile"), java::MAKEFILE)?;
            let head = plan.head("//", &java::run(plan, folder)) + java::IMPORTS;
            update(
                &folder.join("sut/Sut.java"),
                &head,
                &sections(java::SYSTEM, &java::section),
                "}\n",
                Comment::Slashes,
            )
        }
    }
}

/// The commands that build a driver and use it.
pub fn driver_commands(plan: &DriverPlan, language: DriverLanguage, folder: &Path) -> String {
    match language {
        DriverLanguage::Python => python::run(plan, folder),
        DriverLanguage::Rust => rust::run(plan, folder),
        DriverLanguage::Cpp => cpp::run(plan, folder),
        DriverLanguage::Java => java::run(plan, folder),
    }
}

fn drive(plan: &DriverPlan, driver: &str) -> String {
    format!(
        "omnilink drive {}{} --tests DIR -- {driver}",
        plan.spec.display(),
        plan.options
    )
}
