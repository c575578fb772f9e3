//! Data of a document that a mesh does not hold.

use super::json::JsonObject;

/// Lists of data that no mesh holds, with their names in messages.
const LISTS: [(&str, &str); 2] = [("animations", "animations"), ("cameras", "cameras")];

/// Extensions of the document with the same names.
const EXTENSIONS: [(&str, &str); 2] = [
    ("KHR_lights_punctual", "lights"),
    ("KHR_materials_variants", "variants of materials"),
];

/// Returns the warning about data that are not read.
pub(super) fn warning(document: &JsonObject) -> Option<String> {
    let count = |key: &str| document.get(key)?.as_array().map(Vec::len);
    let found = LISTS.iter().filter_map(|(key, name)| {
        let count = count(key).filter(|n| *n > 0)?;
        Some(format!("{count} {name}"))
    });
    let mut found: Vec<String> = found.collect();
    let extension = |key: &str| document.get("extensions").and_then(|e| e.get(key));
    for (key, name) in EXTENSIONS {
        if extension(key).is_some() {
            found.push(name.to_owned());
        }
    }
    (!found.is_empty())
        .then(|| format!("data of the scene that are not kept: {}", found.join(", ")))
}
