//! Tells whether a PTX file was built from the sources at hand, without building it again.
//!
//! The first line of a PTX file is a [`Header`]: `// rxmesh-ptx sources=... rustc=... target=... options=...`. A fingerprint covers the
//! source files and manifests of the device crates and the versions of the packages from elsewhere that they use. It does not cover the
//! compiler: another release gives other PTX of the same meaning, and the file says which release it came from.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The first line of a PTX file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// [`source_fingerprint`] of what it was built from.
    pub sources: String,
    /// Release of the compiler.
    pub rustc: String,
    /// Oldest architecture that it runs on.
    pub target: String,
    /// What the builder was asked for.
    pub options: String,
}

const PREFIX: &str = "// rxmesh-ptx ";

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            sources,
            rustc,
            target,
            options,
        } = self;
        write!(
            f,
            "{PREFIX}sources={sources} rustc={rustc} target={target} options={options}"
        )
    }
}

impl Header {
    /// Reads the header of PTX text, if it has one.
    pub fn parse(ptx: &str) -> Option<Self> {
        let line = ptx.lines().next()?.strip_prefix(PREFIX)?;
        let field = |key: &str| {
            line.split(' ')
                .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
                .map(str::to_owned)
        };
        Some(Self {
            sources: field("sources")?,
            rustc: field("rustc")?,
            target: field("target")?,
            options: field("options")?,
        })
    }
}

/// The fingerprint of device sources: the folder `src` and the `Cargo.toml` of each of `crates`, and the versions that the lock file
/// `lock` has for `packages`. Neither the location of the folders nor line endings matter.
pub fn source_fingerprint(
    crates: &[impl AsRef<Path>],
    lock: &Path,
    packages: &[&str],
) -> io::Result<String> {
    let mut files = Vec::new();
    for dir in crates {
        let dir = dir.as_ref();
        let name = dir
            .canonicalize()?
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        files.push((format!("{name}/Cargo.toml"), dir.join("Cargo.toml")));
        collect(&dir.join("src"), &format!("{name}/src"), &mut files)?;
    }
    files.sort();
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    for (name, path) in files {
        add(name.as_bytes());
        add(&unix_lines(fs::read(path)?));
    }
    for (name, version) in locked(lock, packages)? {
        add(name.as_bytes());
        add(version.as_bytes());
    }
    Ok(hash
        .finalize()
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// All files below a folder, with their names relative to it, `/` between the parts.
fn collect(dir: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}

fn unix_lines(mut text: Vec<u8>) -> Vec<u8> {
    text.retain(|byte| *byte != b'\r');
    text
}

/// Name and version of each of `packages` that the lock file has, sorted.
fn locked(lock: &Path, packages: &[&str]) -> io::Result<Vec<(String, String)>> {
    #[derive(serde::Deserialize)]
    struct Lock {
        #[serde(default)]
        package: Vec<Locked>,
    }
    #[derive(serde::Deserialize)]
    struct Locked {
        name: String,
        version: String,
    }
    let lock: Lock = toml::from_str(&fs::read_to_string(lock)?).map_err(io::Error::other)?;
    let mut versions: Vec<_> = lock
        .package
        .into_iter()
        .filter(|p| packages.contains(&p.name.as_str()))
        .map(|p| (p.name, p.version))
        .collect();
    versions.sort();
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device_crate(root: &Path, source: &str, glam: &str) -> io::Result<String> {
        let dir = root.join("kernels");
        fs::create_dir_all(dir.join("src/deep"))?;
        fs::write(dir.join("Cargo.toml"), "[package]\nname = \"kernels\"\n")?;
        fs::write(dir.join("src/lib.rs"), source)?;
        fs::write(dir.join("src/deep/mod.rs"), "//! Deep.\n")?;
        let lock = root.join("Cargo.lock");
        fs::write(
            &lock,
            format!(
                "[[package]]\nname = \"glam\"\nversion = \"{glam}\"\n[[package]]\nname = \"rayon\"\nversion = \"1.0.0\"\n"
            ),
        )?;
        source_fingerprint(&[dir], &lock, &["glam", "libm"])
    }

    #[test]
    fn depends_on_content_and_versions_and_on_nothing_else() -> io::Result<()> {
        let (one, two) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let base = device_crate(one.path(), "fn a() {}\n", "0.34.0")?;
        assert_eq!(base.len(), 32);
        assert_eq!(
            base,
            device_crate(two.path(), "fn a() {}\r\n", "0.34.0")?,
            "place and line endings"
        );
        assert_ne!(
            base,
            device_crate(two.path(), "fn b() {}\n", "0.34.0")?,
            "content"
        );
        assert_ne!(
            base,
            device_crate(two.path(), "fn a() {}\n", "0.35.0")?,
            "a version"
        );
        assert_eq!(base, device_crate(two.path(), "fn a() {}\n", "0.34.0")?);
        fs::rename(
            two.path().join("kernels/src/deep/mod.rs"),
            two.path().join("kernels/src/deep.rs"),
        )?;
        let lock = two.path().join("Cargo.lock");
        assert_ne!(
            base,
            source_fingerprint(&[two.path().join("kernels")], &lock, &["glam", "libm"])?,
            "a name"
        );
        Ok(())
    }

    #[test]
    fn header_survives_writing_and_reading() {
        let header = Header {
            sources: "00ff".into(),
            rustc: "1.96.0".into(),
            target: "sm_75".into(),
            options: "release,fma,features:entries".into(),
        };
        assert_eq!(
            Header::parse(&format!("{header}\n//\n.version 6.3\n")),
            Some(header)
        );
        assert_eq!(Header::parse("//\n.version 6.3\n"), None);
    }
}
