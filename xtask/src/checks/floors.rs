//! Check of layers: modules of a crate, and submodules of a large module, name only modules of their own layer
//! (*floor*) and of lower ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;

/// Layers of a crate, or of one module of it, from the lowest one up. Modules of one layer may name each other.
struct Building {
    name: &'static str,
    /// Module that contains the layers; empty for the whole crate.
    inside: &'static str,
    floors: &'static [&'static [&'static str]],
    /// Modules, by their path from the crate's root, that may name one above them.
    up: &'static [(&'static str, &'static str)],
}

/// Layers of `algo`, the same in both halves.
const ROOMS: &[&[&str]] = &[
    &["measure"],
    &["distance"],
    &["grid"],
    &["smooth"],
    &["improve"],
    &["motion"],
];

const BUILDINGS: &[Building] = &[
    Building {
        name: "rxmesh-kernels",
        inside: "algo",
        floors: ROOMS,
        up: &[],
    },
    Building {
        name: "rxmesh-host",
        inside: "algo",
        floors: ROOMS,
        up: &[],
    },
    Building {
        name: "rxmesh-kernels",
        inside: "",
        floors: &[
            &["math"],
            &["lanes"],
            &["exec", "mem"],
            &["topo"],
            &["attr"],
            &["kernel", "query"],
            &["readback"],
            &["parallel"],
            &["volume"],
            &["repack"],
            &["construct"],
            &["algebra"],
            &["cavity", "edit"],
            &["algo"],
            &["entry"],
        ],
        up: &[],
    },
    Building {
        name: "rxmesh-host",
        inside: "",
        floors: &[
            &["par"],
            &["files"],
            &["units"],
            &["engine"],
            &["mesh"],
            &["batch"],
            &["grid", "io"],
            &["patch"],
            &["error"],
            &["options"],
            &["parallel"],
            &["store"],
            &["volume"],
            &["repack"],
            &["construct"],
            &["algebra"],
            &["edit"],
            &["repair"],
            &["algo"],
            &["instances"],
        ],
        // Carried columns and normals are looked up on the surface, and computed, as algorithms do.
        up: &[("edit::carry", "algo")],
    },
];

/// Returns the faults: modules that name a higher layer, modules without a layer, and unused permissions.
pub(super) fn faults(crates: &Path) -> anyhow::Result<Vec<String>> {
    let mut all = Vec::new();
    for building in BUILDINGS {
        let sources = crates.join(building.name).join("src");
        all.extend(faults_of(building, &sources)?);
    }
    Ok(all)
}

fn faults_of(building: &Building, sources: &Path) -> anyhow::Result<Vec<String>> {
    let (root, start) = match building.inside {
        "" => ("lib.rs".to_owned(), "crate::".to_owned()),
        module => (format!("{module}/mod.rs"), format!("crate::{module}::")),
    };
    let root = sources.join(root);
    let folder = root.parent().context("a root lies in a folder")?;
    let text = fs::read_to_string(&root).with_context(|| root.display().to_string())?;
    let modules = declared(&text);
    let known = Known {
        renamed: reexported(&text, &modules, folder)?,
        modules,
    };
    let name = Path::new(building.name).join("src").join(building.inside);
    let name = name.to_string_lossy();
    let floor = |module: &str| building.floors.iter().position(|f| f.contains(&module));
    let mut faults: Vec<String> = known
        .modules
        .iter()
        .filter(|module| floor(module).is_none())
        .map(|module| format!("{name}: module {module} has no layer in xtask/src/checks/floors.rs"))
        .collect();
    let mut used = BTreeSet::new();
    for file in files(folder)? {
        let module = module_of(&file);
        let Some(here) = module.first().and_then(|top| floor(top)) else {
            continue;
        };
        let text = fs::read_to_string(folder.join(&file))?;
        for above in known.named(&text, &start, module.len()) {
            if floor(&above).is_none_or(|there| there <= here) {
                continue;
            }
            let path = module.join("::");
            let permitted = building.up.iter().position(|(from, to)| {
                let rest = path.strip_prefix(from);
                *to == above && rest.is_some_and(|r| r.is_empty() || r.starts_with("::"))
            });
            match permitted {
                Some(at) => _ = used.insert(at),
                None => faults.push(format!(
                    "{name}/{file}: {path} must not name {above}, which is above it"
                )),
            }
        }
    }
    let idle = building
        .up
        .iter()
        .enumerate()
        .filter(|(at, _)| !used.contains(at));
    faults.extend(
        idle.map(|(_, (from, to))| format!("{name}: {from} no longer names {to}; take it out")),
    );
    Ok(faults)
}

/// Modules at the root of a crate, and names that it takes from them.
struct Known {
    modules: BTreeSet<String>,
    /// Name at the root, and its module.
    renamed: Vec<(String, String)>,
}

impl Known {
    /// Modules at the root that the code of a module at some depth names.
    fn named(&self, text: &str, start: &str, depth: usize) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for path in paths_from_root(&code(text), start, depth) {
            let renamed = self.renamed.iter().find(|(name, _)| *name == path);
            let module = renamed.map_or(&path, |(_, module)| module);
            if self.modules.contains(module) {
                all.insert(module.clone());
            }
        }
        all
    }
}

/// Modules that the root of a crate declares.
fn declared(root: &str) -> BTreeSet<String> {
    let modules = root.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    modules.map(str::to_owned).collect()
}

/// Returns the names that `pub use module::Name;` or `pub use module::{A, B};` re-exports at the root, each with its
/// module. `pub use module::*;`, which a list may hold, takes the modules in the module's folder.
fn reexported(
    root: &str,
    modules: &BTreeSet<String>,
    folder: &Path,
) -> anyhow::Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for statement in root.split(';') {
        let Some((_, used)) = statement.rsplit_once("pub use ") else {
            continue;
        };
        let glob = |module: &&String| used.contains(&format!("{module}::*"));
        for module in modules.iter().filter(glob) {
            let names = files(&folder.join(module))?;
            let names = names
                .iter()
                .filter_map(|file| module_of(file).first().copied());
            all.extend(names.map(|name| (name.to_owned(), module.clone())));
        }
        let Some((module, names)) = used.split_once("::") else {
            continue;
        };
        let names = names.trim_matches(['{', '}']).split(',').map(str::trim);
        let names = names.filter(|name| !name.is_empty());
        all.extend(names.map(|name| (name.to_owned(), module.to_owned())));
    }
    Ok(all)
}

/// Returns the source files below a folder, by their paths in it, tests left out.
fn files(sources: &Path) -> anyhow::Result<Vec<String>> {
    let mut all = Vec::new();
    let mut open = vec![sources.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.strip_prefix(sources)?.to_string_lossy().into_owned();
            let stem = path.file_stem().unwrap_or_default();
            if stem.to_string_lossy().ends_with("tests") {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if name.ends_with(".rs") {
                all.push(name);
            }
        }
    }
    all.sort();
    Ok(all)
}

/// Returns the path of a file's module from the root: `edit/carry/mod.rs` is `edit::carry`.
fn module_of(file: &str) -> Vec<&str> {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/')
        .filter(|part| !["lib", "mod"].contains(part))
        .collect()
}

/// Returns a source without comments and without its tests and the lines after them, which may name anything.
fn code(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim() == "mod tests {" {
            break;
        }
        if !line.trim_start().starts_with("//") {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Returns the first names after the path of the root, and after the `super::` that lead to it. Paths of macros
/// (`$crate::`) are those of the macro's users.
fn paths_from_root(code: &str, root: &str, depth: usize) -> Vec<String> {
    let supers = "super::".repeat(depth);
    let mut all = Vec::new();
    for start in [root, &supers[..]] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || "_$:".contains(c)) {
                continue;
            }
            let rest = &code[at + start.len()..];
            match rest.strip_prefix('{') {
                Some(list) => all.extend(names_of_list(list)),
                None => all.extend(name(rest)),
            }
        }
    }
    all
}

/// Returns the name that a path begins with.
fn name(path: &str) -> Option<String> {
    let path = path.trim_start();
    let end = path.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &path[..end.unwrap_or(path.len())];
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the first names of the paths of a list, up to its closing brace.
fn names_of_list(list: &str) -> Vec<String> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                all.extend(name(&list[from..at]));
                from = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUSE: Building = Building {
        name: "house",
        inside: "",
        floors: &[&["cellar"], &["kitchen", "hall"], &["roof"]],
        up: &[("hall::stairs", "roof")],
    };

    /// Returns the faults of a crate with these modules, each a file and its text.
    fn faults_in(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let root = "mod cellar;\nmod hall;\nmod kitchen;\npub mod roof;\npub use roof::{\n    Ridge, Tile,\n};\n";
        let stairs = ("hall/stairs.rs", "use crate::roof;\n");
        for (name, text) in [("lib.rs", root), stairs].iter().chain(files) {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        faults_of(&HOUSE, folder.path()).unwrap()
    }

    #[test]
    fn names_of_modules_above_are_found() {
        let down = "use crate::cellar;\nuse crate::{hall::Door, Error};\n";
        let tests = "mod tests {\n    use crate::roof::Tile;\n}\n";
        let commented = "// crate::roof\nmacro_rules! m { () => { $crate::roof::f() } }\n";
        let sound = [down, tests, commented].map(|text| faults_in(&[("kitchen.rs", text)]));
        assert!(sound.iter().all(Vec::is_empty), "{sound:?}");
        for up in [
            "use crate::roof::Tile;\n",
            "use crate::{cellar::{a, b}, roof};\n",
            "use super::roof;\n",
            "fn f() -> crate::Tile {}\n",
            "fn f() -> crate::Ridge {}\n",
        ] {
            assert_eq!(faults_in(&[("kitchen.rs", up)]).len(), 1, "{up}");
        }
        let deep = ("kitchen/oven/mod.rs", "use super::super::roof;\n");
        assert_eq!(faults_in(&[deep]).len(), 1);
        let inside = ("kitchen/oven/mod.rs", "use super::roof;\n");
        assert!(faults_in(&[inside]).is_empty());
    }

    #[test]
    fn rooms_of_a_module_have_floors() {
        let rooms = Building {
            name: "house",
            inside: "hall",
            floors: &[&["desk"], &["shelf"]],
            up: &[],
        };
        for (text, count) in [
            ("use crate::hall::shelf;\n", 1),
            ("use crate::hall::{Key, shelf::Book};\n", 1),
            ("use crate::hall::book::Page;\n", 1),
            ("use super::shelf;\n", 1),
            ("use super::book;\n", 1),
            (
                "use crate::roof;\nuse crate::hall::pen;\nuse crate::shelf;\n",
                0,
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in [
                (
                    "mod.rs",
                    "mod desk;\nmod shelf;\npub use {desk::*, shelf::*};\n",
                ),
                ("desk/mod.rs", text),
                ("desk/pen.rs", "pub struct Pen;\n"),
                ("shelf/book/mod.rs", "use crate::hall::desk;\n"),
            ] {
                let path = folder.path().join("hall").join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            let faults = faults_of(&rooms, folder.path()).unwrap();
            assert_eq!(faults.len(), count, "{text}: {faults:?}");
        }
    }

    #[test]
    fn permissions_that_nothing_needs_and_modules_without_a_floor_are_found() {
        let idle = faults_in(&[("hall/stairs.rs", "use crate::cellar;\n")]);
        assert_eq!(idle.len(), 1, "{idle:?}");
        let root = "mod cellar;\nmod shed;\nmod roof;\n";
        let new = faults_in(&[("lib.rs", root)]);
        assert_eq!(new.len(), 1, "{new:?}");
        assert!(new[0].contains("shed has no layer"));
    }
}
