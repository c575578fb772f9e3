//! Check that a PTX file was built from the present sources, without building it again.
//!
//! The first line of a PTX file is a [`Header`]: `// rxmesh-ptx sources=... rustc=... target=... options=...`. A
//! fingerprint covers the source files and manifests of the device crates and the versions of the registry packages
//! that they use. It does not cover the compiler: another release generates different PTX of the same meaning, and the
//! file names the release that it came from.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// First line of a PTX file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// [`source_fingerprint`] of the sources that it was built from.
    pub sources: String,
    /// Release of the compiler.
    pub rustc: String,
    /// Oldest architecture that the PTX runs on.
    pub target: String,
    /// Options of the builder.
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
    /// Parses the header of PTX text; `None` if it has none.
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

/// Computes the fingerprint of device sources: the folder `src` and the `Cargo.toml` of each of `crates`, and the
/// versions in the lock file `lock` of the registry packages that they use, directly or indirectly (development
/// dependencies excepted). Neither the location of the folders nor line endings matter.
///
/// # Errors
///
/// A file cannot be read, or a manifest or the lock file cannot be parsed.
pub fn source_fingerprint(crates: &[impl AsRef<Path>], lock: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    let mut manifests = Vec::new();
    for dir in crates {
        let dir = dir.as_ref();
        let real = dir.canonicalize()?;
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        files.push((format!("{name}/Cargo.toml"), dir.join("Cargo.toml")));
        collect(&dir.join("src"), &format!("{name}/src"), &mut files)?;
        manifests.push(read_toml(&dir.join("Cargo.toml"))?);
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
    for package in locked(&manifests, &read_toml(lock)?) {
        add(package.as_bytes());
    }
    let digest = hash.finalize();
    Ok(digest.iter().take(16).map(|b| format!("{b:02x}")).collect())
}

fn read_toml(path: &Path) -> io::Result<toml::Table> {
    let named = |what: String| io::Error::other(format!("{}: {what}", path.display()));
    let text = fs::read_to_string(path).map_err(|e| named(e.to_string()))?;
    text.parse()
        .map_err(|e: toml::de::Error| named(e.to_string()))
}

/// Collects all files below a folder, with their names relative to it and `/` between the parts.
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

/// Returns `name version` of each registry package that the manifests need, according to the lock file.
fn locked(manifests: &[toml::Table], lock: &toml::Table) -> BTreeSet<String> {
    let lock = Lock::new(lock);
    // The lock file does not distinguish development dependencies, so the first step follows the manifests.
    let mut open = Vec::new();
    for manifest in manifests {
        let direct = direct_dependencies(manifest);
        let name = manifest
            .get("package")
            .map(|p| text(p, "name"))
            .unwrap_or_default();
        let entries = lock.find(name).map(needs).unwrap_or_default();
        let used = |entry: &&str| direct.contains(entry.split(' ').next().unwrap_or_default());
        open.extend(entries.into_iter().filter(used));
    }
    let mut versions = BTreeSet::new();
    while let Some(entry) = open.pop() {
        // Packages without a source are folders, whose content is part of the fingerprint anyway.
        let Some(package) = lock.find(entry).filter(|p| p.get("source").is_some()) else {
            continue;
        };
        if versions.insert(format!(
            "{} {}",
            text(package, "name"),
            text(package, "version")
        )) {
            open.extend(needs(package));
        }
    }
    versions
}

/// The packages of a lock file.
struct Lock<'a>(Vec<&'a toml::Value>);

impl<'a> Lock<'a> {
    fn new(lock: &'a toml::Table) -> Self {
        Self(
            lock.get("package")
                .and_then(toml::Value::as_array)
                .into_iter()
                .flatten()
                .collect(),
        )
    }

    /// Returns the package of an entry of a dependency list: `name`, or `name version` where several versions are
    /// locked.
    fn find(&self, entry: &str) -> Option<&'a toml::Value> {
        let (name, version) = entry
            .split_once(' ')
            .map_or((entry, None), |(n, v)| (n, Some(v)));
        self.0
            .iter()
            .copied()
            .find(|p| text(p, "name") == name && version.is_none_or(|v| text(p, "version") == v))
    }
}

fn text<'a>(package: &'a toml::Value, key: &str) -> &'a str {
    package
        .get(key)
        .and_then(toml::Value::as_str)
        .unwrap_or_default()
}

fn needs(package: &toml::Value) -> Vec<&str> {
    let list = package.get("dependencies").and_then(toml::Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(toml::Value::as_str)
        .collect()
}

/// Returns the names of the packages in the dependency tables of a manifest, target-specific ones included.
fn direct_dependencies(manifest: &toml::Table) -> BTreeSet<&str> {
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let of_targets = targets
        .into_iter()
        .flat_map(toml::Table::values)
        .filter_map(|t| t.get("dependencies"));
    of_targets
        .chain(manifest.get("dependencies"))
        .filter_map(toml::Value::as_table)
        .flatten()
        .map(|(key, value)| {
            value
                .get("package")
                .and_then(toml::Value::as_str)
                .unwrap_or(key)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"
[package]
name = "kernels"
[dependencies]
glam.workspace = true
[dev-dependencies]
proptest = "1"
"#;

    const LOCK: &str = r#"
[[package]]
name = "kernels"
version = "0.1.0"
dependencies = ["glam 0.34.0", "proptest"]
[[package]]
name = "glam"
version = "0.20.5"
source = "registry"
[[package]]
name = "glam"
version = "0.34.0"
source = "registry"
dependencies = ["libm"]
[[package]]
name = "libm"
version = "0.2.1"
source = "registry"
[[package]]
name = "proptest"
version = "1.1.1"
source = "registry"
"#;

    /// Makes a device crate in a new folder, with one replacement made in its lock file, and computes its fingerprint.
    fn fingerprint(file: &str, source: &str, lock: (&str, &str)) -> io::Result<String> {
        let root = tempfile::tempdir()?;
        let dir = root.path().join("kernels");
        fs::create_dir_all(dir.join("src/deep"))?;
        fs::write(dir.join("Cargo.toml"), MANIFEST)?;
        fs::write(dir.join("src/lib.rs"), source)?;
        fs::write(dir.join("src").join(file), "//! Deep.\n")?;
        let path = root.path().join("Cargo.lock");
        fs::write(&path, LOCK.replace(lock.0, lock.1))?;
        source_fingerprint(&[dir], &path)
    }

    #[test]
    fn depends_on_content_and_versions_and_on_nothing_else() -> io::Result<()> {
        let (file, source, lock) = ("deep/mod.rs", "fn a() {}\n", ("x", "x"));
        let base = fingerprint(file, source, lock)?;
        assert_eq!(base.len(), 32);
        assert_eq!(
            base,
            fingerprint(file, "fn a() {}\r\n", lock)?,
            "line endings"
        );
        assert_eq!(
            base,
            fingerprint(file, source, ("1.1.1", "1.1.2"))?,
            "tests only"
        );
        assert_eq!(
            base,
            fingerprint(file, source, ("0.20.5", "0.20.6"))?,
            "not used"
        );
        assert_ne!(base, fingerprint("deep.rs", source, lock)?, "a name");
        assert_ne!(base, fingerprint(file, "fn b() {}\n", lock)?, "content");
        assert_ne!(
            base,
            fingerprint(file, source, ("0.34.0", "0.35.0"))?,
            "a version"
        );
        assert_ne!(
            base,
            fingerprint(file, source, ("0.2.1", "0.2.2"))?,
            "of an indirect one"
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
        let ptx = format!("{header}\n//\n.version 6.3\n");
        assert_eq!(Header::parse(&ptx), Some(header));
        assert_eq!(Header::parse("//\n.version 6.3\n"), None);
    }
}
