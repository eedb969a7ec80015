//! The folders that a server was given, and paths in them.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// The folders that tools may read. Relative paths belong to the first one.
#[derive(Clone, Debug)]
pub struct Folders(Vec<PathBuf>);

/// A folder that cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// There is none.
    #[error("no folder was given; give the folders that tools may read, such as .")]
    None,
    /// It is not there, or is no folder.
    #[error("{}: {problem}; give a folder that tools may read", path.display())]
    Unusable {
        /// What was given.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl Folders {
    /// These folders, without symbolic links.
    ///
    /// # Errors
    /// If there are none, or one is no folder.
    pub fn new(given: &[PathBuf]) -> Result<Self, FolderError> {
        if given.is_empty() {
            return Err(FolderError::None);
        }
        let folder = |path: &PathBuf| {
            let unusable = |problem: String| FolderError::Unusable {
                path: path.clone(),
                problem,
            };
            let real = path.canonicalize().map_err(|error| unusable(error.to_string()))?;
            if real.is_dir() {
                Ok(real)
            } else {
                Err(unusable("this is no folder".to_owned()))
            }
        };
        given.iter().map(folder).collect::<Result<_, _>>().map(Self)
    }

    /// The folders.
    pub fn all(&self) -> &[PathBuf] {
        &self.0
    }

    /// Where relative paths begin.
    pub(crate) fn first(&self) -> &Path {
        &self.0[0]
    }

    /// A path of an argument, absolute and without symbolic links, if it is in one of the folders.
    ///
    /// This is for a message that helps. What keeps a check in its folders is the [confinement](crate::Confinement) of its
    /// process, because a specification names files, too.
    pub(crate) fn resolve(&self, given: &str) -> Result<PathBuf, String> {
        let names: Vec<String> = self.0.iter().map(|folder| folder.display().to_string()).collect();
        let names = names.join(", ");
        if given.is_empty() || given.contains('\0') {
            return Err(format!("{given:?} is no path; give one in {names}"));
        }
        let outside = || format!("{given}: this is not in the folders of this server: {names}");
        let path = self.first().join(given);
        match path.canonicalize() {
            Ok(real) if self.contains(&real) => Ok(real),
            Ok(_) => Err(outside()),
            // Whether a file is there is told only of places in the folders.
            Err(error) => {
                if nearest(&path).is_some_and(|real| self.contains(&real)) {
                    Err(format!(
                        "{given}: {error}; relative paths begin at {}",
                        self.first().display()
                    ))
                } else {
                    Err(outside())
                }
            }
        }
    }

    fn contains(&self, real: &Path) -> bool {
        self.0.iter().any(|folder| real.starts_with(folder))
    }
}

/// The nearest part of a path that is there.
fn nearest(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|part| part.canonicalize().ok())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folders() -> (tempfile::TempDir, Folders) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("in/deep")).expect("a folder");
        fs::create_dir(folder.path().join("inside")).expect("a folder");
        for file in ["in/a.tla", "in/deep/b.tla", "out.txt", "inside/c.tla"] {
            fs::write(folder.path().join(file), "").expect("a file");
        }
        let folders = Folders::new(&[folder.path().join("in")]).expect("it is a folder");
        (folder, folders)
    }

    #[test]
    fn paths_in_a_folder_are_found() {
        let (folder, folders) = folders();
        let real = folder.path().canonicalize().expect("it is there");
        assert_eq!(folders.resolve("a.tla"), Ok(real.join("in/a.tla")));
        assert_eq!(
            folders.resolve("deep/../deep/b.tla"),
            Ok(real.join("in/deep/b.tla"))
        );
        let absolute = real.join("in/a.tla").display().to_string();
        assert_eq!(folders.resolve(&absolute), Ok(real.join("in/a.tla")));
    }

    #[test]
    fn paths_outside_are_refused_and_nothing_is_told_about_them() {
        let (folder, folders) = folders();
        for given in [
            "../out.txt",
            "../none.txt",
            "/etc/passwd",
            "/none",
            "deep/../../inside/c.tla",
            "../inside",
        ] {
            let refused = folders.resolve(given).expect_err(given);
            assert!(
                refused.contains("is not in the folders of this server"),
                "{refused}"
            );
        }
        assert!(
            folders
                .resolve("")
                .is_err_and(|refused| refused.contains("is no path"))
        );
        assert!(
            folders
                .resolve("a\0b")
                .is_err_and(|refused| refused.contains("is no path"))
        );
        let absent = folders.resolve("none.tla").expect_err("it is not there");
        assert!(absent.contains("relative paths begin at"), "{absent}");
        drop(folder);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_where_it_leads() {
        let (folder, folders) = folders();
        let inside = folder.path().join("in");
        std::os::unix::fs::symlink("../out.txt", inside.join("link")).expect("a link");
        std::os::unix::fs::symlink("..", inside.join("up")).expect("a link");
        std::os::unix::fs::symlink("deep/b.tla", inside.join("good")).expect("a link");
        std::os::unix::fs::symlink("../none", inside.join("dangling")).expect("a link");
        for given in ["link", "up", "up/out.txt", "up/in/../out.txt"] {
            let refused = folders.resolve(given).expect_err(given);
            assert!(refused.contains("is not in the folders"), "{refused}");
        }
        assert!(folders.resolve("good").is_ok());
        assert!(folders.resolve("dangling").is_err());
    }

    #[test]
    fn what_is_no_folder_is_refused() {
        let (folder, _) = folders();
        assert!(matches!(Folders::new(&[]), Err(FolderError::None)));
        let file = Folders::new(&[folder.path().join("out.txt")]).expect_err("it is a file");
        assert!(file.to_string().contains("this is no folder"), "{file}");
        assert!(Folders::new(&[folder.path().join("none")]).is_err());
    }
}
