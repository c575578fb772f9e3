//! Makes a project outside the repository with its own kernels, from the templates in `xtask/templates/kernels`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use crate::workspace;

#[derive(clap::Args)]
pub(crate) struct NewKernelsArguments {
    /// Name of the program, and beginning of the names of its crate of kernels and of the kernels
    name: String,
    /// Folder to make the project in [default: the name, in the current folder]
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
}

/// Templates by their places in the project. `{{name}}` stands for the name, `{{snake}}` for the name as an identifier,
/// and `{{rxmesh}}` for the path of this repository.
macro_rules! templates {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../templates/kernels/", $path)))),*]
    };
}

const TEMPLATES: [(&str, &str); 9] = templates![
    "Cargo.toml",
    ".gitignore",
    ".cargo/config.toml",
    "README.md",
    "kernels/Cargo.toml",
    "kernels/src/lib.rs",
    "app/Cargo.toml",
    "app/build.rs",
    "app/src/main.rs",
];

pub(crate) fn run(arguments: &NewKernelsArguments) -> anyhow::Result<()> {
    let NewKernelsArguments { name, into } = arguments;
    let folder = match into {
        Some(folder) => folder.clone(),
        None => env::current_dir()?.join(name),
    };
    make(name, &folder)?;
    println!(
        "made {}: `cargo test` there runs its kernels",
        folder.display()
    );
    Ok(())
}

/// Makes a project in a folder that is not there yet, or is empty.
pub(crate) fn make(name: &str, folder: &Path) -> anyhow::Result<()> {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    ensure!(
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letters),
        "'{name}' is no name of a crate: lower-case letters, digits and '-', a letter first"
    );
    let taken = fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
    ensure!(!taken, "{} is there already", folder.display());
    let root = workspace::root();
    let rxmesh = root
        .to_str()
        .context("the path of this repository is not UTF-8")?;
    let fill = |text: &str| {
        let text = text.replace("{{name}}", name);
        let text = text.replace("{{snake}}", &name.replace('-', "_"));
        text.replace("{{rxmesh}}", &rxmesh.replace('\\', "/"))
    };
    for (path, template) in TEMPLATES {
        write(&folder.join(path), &fill(template))?;
    }
    // The versions that this repository is tested with; cargo leaves out what the project does not use.
    let lock = fs::read_to_string(root.join("examples/custom-kernel/Cargo.lock"))?;
    let lock = lock.replace("\"cloth-kernels\"", &format!("\"{name}-kernels\""));
    write(
        &folder.join("Cargo.lock"),
        &lock.replace("\"cloth\"", &format!("\"{name}\"")),
    )
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let parent = path.parent().context("no folder")?;
    fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    fs::write(path, text).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cargo xtask ci --only example` builds and runs such a project.
    #[test]
    fn a_project_has_every_template_filled() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("wind-tunnel");
        make("wind-tunnel", &project).unwrap();
        let mut files = 0;
        let mut open = vec![project.clone()];
        while let Some(here) = open.pop() {
            for entry in fs::read_dir(here).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                assert!(!text.contains("{{"), "{}", path.display());
                assert!(!text.contains("cloth"), "{}", path.display());
                files += 1;
            }
        }
        assert_eq!(files, TEMPLATES.len() + 1);
        let kernels = fs::read_to_string(project.join("kernels/src/lib.rs")).unwrap();
        assert!(kernels.contains("patch wind_tunnel_smooth: Smooth;"));
        let manifest = fs::read_to_string(project.join("app/Cargo.toml")).unwrap();
        let (_, path) = manifest.split_once("rxmesh-host = { path = \"").unwrap();
        assert!(
            Path::new(path.split_once('"').unwrap().0)
                .join("Cargo.toml")
                .is_file()
        );
        // A folder that exists is not overwritten.
        assert!(make("wind-tunnel", &project).is_err());
    }

    #[test]
    fn names_are_those_of_crates() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "Wind", "2d", "a b", "a/b", "-a", "wind_tunnel"] {
            let e = make(name, &folder.path().join("project")).unwrap_err();
            assert!(e.to_string().contains("no name of a crate"), "{e}");
        }
    }
}
