//! Check of the names of types: one name stands for at most [`MOST`] types of the workspace.

use std::collections::BTreeMap;

/// Most types of one name.
const MOST: usize = 2;

/// Folders whose sources are checked.
const FOLDERS: [&str; 4] = ["crates/", "examples/", "tests/", "xtask/src/"];

/// Keywords before the name of a type.
const KEYWORDS: [&str; 4] = ["struct ", "enum ", "trait ", "union "];

/// Places of the types by their names.
#[derive(Default)]
pub(super) struct TypeNames(BTreeMap<String, Vec<String>>);

impl TypeNames {
    /// Adds the types that a source file declares.
    pub(super) fn add(&mut self, file: &str, text: &str) {
        if !file.ends_with(".rs") || !FOLDERS.iter().any(|f| file.starts_with(f)) {
            return;
        }
        for (i, line) in text.lines().enumerate() {
            if let Some(name) = declared(line) {
                let places = self.0.entry(name.to_owned()).or_default();
                places.push(format!("{file}:{}", i + 1));
            }
        }
    }

    /// Returns a message for every name of more than [`MOST`] types.
    pub(super) fn faults(&self) -> impl Iterator<Item = String> {
        let many = self.0.iter().filter(|(_, places)| places.len() > MOST);
        many.map(|(name, places)| {
            let (n, places) = (places.len(), places.join(", "));
            format!("{n} types are called {name}, more than {MOST}; name each after what it holds: {places}")
        })
    }
}

/// Returns the name of the type that a line declares, also inside of a macro (`kernel! { pub struct Name: Flat {`).
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.split_once("! {") {
        Some((name, rest)) if name.chars().all(is_of_name) => rest.trim_start(),
        _ => line,
    };
    let line = line
        .strip_prefix("pub")
        .map_or(line, |rest| match rest.split_once(')') {
            Some((scope, rest)) if scope.starts_with('(') => rest.trim_start(),
            _ => rest.trim_start(),
        });
    let line = line.strip_prefix("unsafe ").unwrap_or(line);
    let name = KEYWORDS.iter().find_map(|k| line.strip_prefix(k))?;
    let end = name.find(|c| !is_of_name(c)).unwrap_or(name.len());
    let name = &name[..end];
    name.starts_with(|c: char| c.is_ascii_uppercase())
        .then_some(name)
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{TypeNames, declared};

    #[test]
    fn types_are_found_in_every_form() {
        for line in [
            "struct Parts;",
            "pub struct Parts<'a> {",
            "    pub(crate) enum Parts {",
            "pub(in crate::algo) struct Parts(u32);",
            "pub unsafe trait Parts: Copy {",
            "union Parts {",
            "kernel! { pub struct Parts: Patch {",
        ] {
            assert_eq!(declared(line), Some("Parts"), "{line}");
        }
        for line in [
            "type Parts = u32;",
            "impl Parts {",
            "// struct Parts;",
            "let x = \"struct Parts\";",
            "    struct $name;",
            "publish(Parts)",
        ] {
            assert_eq!(declared(line), None, "{line}");
        }
    }

    #[test]
    fn a_third_type_of_a_name_is_refused() {
        let mut names = TypeNames::default();
        names.add("crates/a/src/lib.rs", "struct A;\nstruct B;\n");
        names.add("tests/src/b.rs", "\nenum A {}\nstruct B;\n");
        names.add("docs/c.md", "struct A;\n");
        assert_eq!(names.faults().count(), 0);
        names.add("xtask/src/c.rs", "\n\npub trait A {}\n");
        let faults: Vec<String> = names.faults().collect();
        assert_eq!(
            faults,
            [
                "3 types are called A, more than 2; name each after what it holds: crates/a/src/lib.rs:1, \
                tests/src/b.rs:2, xtask/src/c.rs:3"
            ]
        );
    }
}
