//! Packages of the workspace and their dependencies, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::workspace;

#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) repository: Option<String>,
    /// Registry or repository; `None` for members of the workspace.
    pub(crate) source: Option<String>,
    pub(crate) rust_version: Option<String>,
    manifest_path: PathBuf,
    /// Registries that it may be published to; `None` for any.
    publish: Option<Vec<String>>,
}

impl Package {
    /// Returns the folder of its sources.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("."))
    }

    /// Returns `true` for a member of the workspace that is published.
    pub(crate) fn is_published(&self) -> bool {
        self.source.is_none() && !self.publish.as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns name and version.
    pub(crate) fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `dev` or `build`; `None` for linked dependencies.
    kind: Option<String>,
}

impl Metadata {
    /// Loads all packages of the lock file, or those for one platform.
    pub(crate) fn load(platform: Option<&str>) -> anyhow::Result<Metadata> {
        let mut cargo = workspace::cargo();
        cargo.args(["metadata", "--format-version", "1", "--locked"]);
        if let Some(platform) = platform {
            cargo.args(["--filter-platform", platform]);
            // The Python module is left out of other builds, and has parts of its own.
            cargo.args(["--features", "rxmesh-python/extension"]);
        }
        let out = cargo.output()?;
        let said = String::from_utf8_lossy(&out.stderr);
        ensure!(out.status.success(), "cargo metadata: {said}");
        serde_json::from_slice(&out.stdout).context("cargo metadata")
    }

    /// Returns the foreign packages that a member is linked with, by name and version, without those of its tests and
    /// its build script.
    pub(crate) fn parts_of(&self, member: &str) -> anyhow::Result<Vec<&Package>> {
        let packages: BTreeMap<&str, &Package> =
            self.packages.iter().map(|p| (p.id.as_str(), p)).collect();
        let nodes: BTreeMap<&str, &Node> = self
            .resolve
            .nodes
            .iter()
            .map(|n| (n.id.as_str(), n))
            .collect();
        let start = self.packages.iter().find(|p| p.name == member);
        let start = start.with_context(|| format!("there is no package {member}"))?;
        let mut found = BTreeSet::new();
        let mut open = vec![start.id.as_str()];
        while let Some(id) = open.pop() {
            if !found.insert(id) {
                continue;
            }
            let node = nodes.get(id).with_context(|| id.to_owned())?;
            let linked = |d: &&Dependency| d.dep_kinds.iter().any(|k| k.kind.is_none());
            open.extend(node.deps.iter().filter(linked).map(|d| d.pkg.as_str()));
        }
        let found = found.into_iter().filter_map(|id| packages.get(id).copied());
        let mut foreign: Vec<&Package> = found.filter(|p| p.source.is_some()).collect();
        foreign.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        Ok(foreign)
    }
}
