//! The search path for modules: the spec's own folder, the folders given by the user, then the built-in modules.

use std::path::{Path, PathBuf};

use super::built_in as modules;
use super::translation::PlusCal;

/// The folders that are searched for modules, and how a module is read.
#[derive(Clone, Debug, Default)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
    pluscal: PlusCal,
}

/// A module's text.
#[derive(Debug)]
pub struct ModuleText {
    /// Its path; for built-in modules `<built-in>/Name.tla`.
    pub path: PathBuf,
    /// The text.
    pub text: String,
    /// Whether it is a built-in module.
    pub built_in: bool,
}

impl SearchPath {
    /// Looks in the given folders, in order, before the built-in modules.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            folders: folders.into_iter().collect(),
            pluscal: PlusCal::default(),
        }
    }

    /// The same path, with another choice of the translation of PlusCal algorithms.
    #[must_use]
    pub fn with_pluscal(mut self, pluscal: PlusCal) -> Self {
        self.pluscal = pluscal;
        self
    }

    /// Which translation of a PlusCal algorithm is read.
    pub fn pluscal(&self) -> PlusCal {
        self.pluscal
    }

    /// The same path with one more folder in front.
    #[must_use]
    pub fn with_first(&self, folder: impl Into<PathBuf>) -> Self {
        let mut folders = vec![folder.into()];
        folders.extend(self.folders.iter().cloned());
        Self {
            folders,
            pluscal: self.pluscal,
        }
    }

    /// Finds a module. A file that exists but cannot be read is an error.
    pub fn find(&self, module: &str) -> Result<Option<ModuleText>, std::io::Error> {
        if module.contains(['/', '\\']) {
            return Ok(None);
        }
        let file = format!("{module}.tla");
        for folder in &self.folders {
            let path = folder.join(&file);
            if path.is_file() {
                return Ok(Some(ModuleText {
                    text: read_text(&path)?,
                    path,
                    built_in: false,
                }));
            }
        }
        Ok(built_in(module))
    }
}

/// A built-in module.
pub fn built_in(module: &str) -> Option<ModuleText> {
    let path = Path::new("<built-in>").join(format!("{module}.tla"));
    built_in_text(module).map(|text| ModuleText {
        path,
        text: text.to_owned(),
        built_in: true,
    })
}

/// The text of a built-in module.
pub fn built_in_text(module: &str) -> Option<&'static str> {
    modules::MODULES
        .iter()
        .find(|(name, _)| *name == module)
        .map(|(_, text)| *text)
}

/// The names of all built-in modules.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    modules::MODULES.iter().map(|(name, _)| *name)
}

/// A file's text. Bytes that are not UTF-8, which occur in old comments, become replacement characters.
pub fn read_text(path: &Path) -> Result<String, std::io::Error> {
    let bytes = std::fs::read(path)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}

/// The message that a file cannot be read, with the reason.
pub fn unreadable(path: &Path, error: &std::io::Error) -> String {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "you have no permission to".to_owned(),
        _ if path.is_dir() => "it is a folder".to_owned(),
        _ => error.to_string(),
    };
    format!("cannot read {}: {why}", path.display())
}
