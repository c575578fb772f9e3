//! JSON Schema of reports, made from their fields: keys, types, units, and what each key holds.
//!
//! ```
//! let mcf = rxmesh::schema::of("mcf").unwrap();
//! let keys = rxmesh::schema::keys(&mcf);
//! let step = keys.iter().find(|key| key.path == "time_step").unwrap();
//! assert_eq!((step.kind.as_str(), step.unit.as_deref()), ("number", Some("length²")));
//! println!("{}", step.holds);
//! ```

use crate::{Operation, for_each_operation, ops};
use rxmesh_host::units::{FieldUnit, InUnits, Units};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use std::collections::BTreeSet;

/// Keyword of the schema that holds the unit of a number, or of each number of a list or an object.
pub const UNIT: &str = "unit";

macro_rules! reports {
    ($($on:ident { $($operation:ident in $module:ident),* $(,)? })*) => {
        /// Makes the schema of the report of an operation; `None` for another name.
        pub fn of(name: &str) -> Option<Value> {
            $($(
                if name == ops::$operation::NAME {
                    return Some(report::<<ops::$operation as Operation>::Report>());
                }
            )*)*
            None
        }
    };
}
for_each_operation!(reports);

/// Makes the schema of a report as it is written in records.
pub fn report<R: InUnits + JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = Schema::to_value(generator.into_root_schema_for::<R>());
    plain(&mut schema);
    let missed = annotate(&mut schema, "", R::UNITS);
    debug_assert!(missed.is_empty(), "units of no key: {missed:?}");
    schema
}

/// Turns documentation into plain text: one line, links without their targets.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(all) => {
            if let Some(Value::String(text)) = all.get_mut("description") {
                *text = without_links(&text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            all.values_mut().for_each(plain);
        }
        Value::Array(all) => all.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Replaces `[text](target)` and `[text]` by the text, where it is code or has a target.
fn without_links(mut text: &str) -> String {
    let mut out = String::new();
    while let Some((before, rest)) = text.split_once('[') {
        out += before;
        let link = rest.split_once(']').and_then(|(inner, after)| {
            let target = after.strip_prefix('(').and_then(|t| t.split_once(')'));
            match target {
                Some((_, after)) => Some((inner, after)),
                None => inner.starts_with('`').then_some((inner, after)),
            }
        });
        let (inner, after) = link.unwrap_or_else(|| {
            out.push('[');
            ("", rest)
        });
        out += inner;
        text = after;
    }
    out + text
}

/// Writes units to the keys below a part of the schema. Returns the fields that are no key there.
fn annotate(root: &mut Value, at: &str, units: &[FieldUnit]) -> Vec<&'static str> {
    let mut missed = Vec::new();
    for field in units {
        let key = |object: &String| format!("{object}/properties/{}", field.field);
        let keys: Vec<String> = objects(root, at).iter().map(key).collect();
        let keys = keys.into_iter().filter(|key| root.pointer(key).is_some());
        let keys: Vec<String> = keys.collect();
        match field.unit {
            Units::One(_) if keys.is_empty() => missed.push(field.field),
            Units::One(kind) => {
                for key in keys {
                    if let Some(Value::Object(key)) = root.pointer_mut(&key) {
                        key.insert(UNIT.into(), kind.name().into());
                    }
                }
            }
            // The fields of a flattened struct, and those of a variant, are keys here.
            Units::Fields(inner) if keys.is_empty() => missed.extend(annotate(root, at, inner)),
            Units::Fields(inner) => {
                for key in keys {
                    missed.extend(annotate(root, &key, inner));
                }
            }
        }
    }
    missed
}

/// Returns the places of the objects that a part of the schema describes, in lists and as alternatives too.
fn objects(root: &Value, at: &str) -> Vec<String> {
    let Some(Value::Object(schema)) = root.pointer(at) else {
        return Vec::new();
    };
    if let Some(Value::String(target)) = schema.get("$ref") {
        return objects(root, target.trim_start_matches('#'));
    }
    if schema.contains_key("properties") {
        return vec![at.to_owned()];
    }
    let mut all = Vec::new();
    if schema.contains_key("items") {
        all.extend(objects(root, &format!("{at}/items")));
    }
    for of in ["anyOf", "oneOf", "allOf"] {
        let count = schema.get(of).and_then(Value::as_array).map_or(0, Vec::len);
        for k in 0..count {
            all.extend(objects(root, &format!("{at}/{of}/{k}")));
        }
    }
    all
}

/// Key of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Names from the report to the key, with dots between them; `[]` follows the name of a list of objects.
    pub path: String,
    /// Type of the value, in words: `number`, `integer or null`, `list of integer`, `object`, ...
    pub kind: String,
    /// Unit of a number, or of each number of a list or an object.
    pub unit: Option<String>,
    /// Meaning, in a line; of a text with few possible values those too.
    pub holds: String,
    /// Path of an earlier key with the same keys below it, which are not listed again.
    pub like: Option<String>,
}

/// Lists the keys of a schema in the order of the fields, each followed by those below it.
pub fn keys(schema: &Value) -> Vec<Key> {
    let mut list = KeyList {
        root: schema,
        keys: Vec::new(),
        seen: Vec::new(),
    };
    list.add_below("", "");
    list.keys
}

/// Keys that were listed.
struct KeyList<'a> {
    root: &'a Value,
    keys: Vec<Key>,
    /// Places of objects whose keys are listed, with the path of the key that holds them.
    seen: Vec<(Vec<String>, String)>,
}

impl KeyList<'_> {
    /// Lists the keys below a part of the schema.
    fn add_below(&mut self, at: &str, path: &str) {
        let mut done = BTreeSet::new();
        for object in objects(self.root, at) {
            for name in names(self.root.pointer(&object).unwrap_or(&Value::Null)) {
                if done.insert(name.clone()) {
                    let dot = if path.is_empty() { "" } else { "." };
                    let key = format!("{object}/properties/{name}");
                    self.add(&key, format!("{path}{dot}{name}"));
                }
            }
        }
    }

    /// Lists a key and those below it.
    fn add(&mut self, at: &str, mut path: String) {
        let schema = self.root.pointer(at).unwrap_or(&Value::Null);
        let kind = kind(self.root, schema);
        let below = objects(self.root, at);
        if kind.starts_with("list of object") {
            path += "[]";
        }
        let earlier = self.seen.iter().find(|(objects, _)| *objects == below);
        let like = earlier.map(|(_, path)| path.clone());
        let unit = schema.get(UNIT).and_then(Value::as_str);
        self.keys.push(Key {
            path: path.clone(),
            kind,
            unit: unit.map(str::to_owned),
            holds: holds(self.root, schema),
            like: like.clone(),
        });
        if like.is_none() && !below.is_empty() {
            self.seen.push((below, path.clone()));
            self.add_below(at, &path);
        }
    }
}

/// Returns the names of an object's keys: those that are always there, in the order of the fields, then the others.
fn names(object: &Value) -> Vec<String> {
    let required = object.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let mut names: Vec<String> = required.map(str::to_owned).collect();
    let all = object.get("properties").and_then(Value::as_object);
    for name in all.into_iter().flat_map(|all| all.keys()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Follows a reference.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|target| root.pointer(target.trim_start_matches('#')));
    target.unwrap_or(schema)
}

/// Describes a type in words.
fn kind(root: &Value, schema: &Value) -> String {
    let schema = resolved(root, schema);
    let any = ["anyOf", "oneOf"].map(|of| schema.get(of).and_then(Value::as_array));
    let mut words: Vec<String> = Vec::new();
    for part in any.into_iter().flatten().flatten() {
        words.push(kind(root, part));
    }
    let named = |name: &str| match (name, schema.get("items")) {
        ("array", Some(items)) => format!("list of {}", kind(root, items)),
        ("array", None) => "list".to_owned(),
        ("string", _) => "text".to_owned(),
        (name, _) => name.to_owned(),
    };
    match schema.get("type") {
        Some(Value::String(name)) => words.push(named(name)),
        Some(Value::Array(names)) => {
            words.extend(names.iter().filter_map(Value::as_str).map(named));
        }
        _ => {}
    }
    let mut once = BTreeSet::new();
    words.retain(|word| once.insert(word.clone()));
    words.join(" or ")
}

/// Describes what a key holds, with the possible values if these are few.
fn holds(root: &Value, schema: &Value) -> String {
    let description = |of: &Value| {
        let text = of.get("description").and_then(Value::as_str);
        text.unwrap_or("").trim().trim_end_matches('.').to_owned()
    };
    let target = resolved(root, schema);
    let mut out = match description(schema) {
        text if text.is_empty() => description(target),
        text => text,
    };
    let values = target.get("oneOf").and_then(Value::as_array);
    for value in values.into_iter().flatten() {
        if let Some(name) = value.get("const").and_then(Value::as_str) {
            out += &format!("; `{name}`: {}", description(value));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_text() {
        let text = "As [`a::b`](super::b), see [`c`] and [a page](https://x.org); [0, 1) stays.";
        assert_eq!(
            without_links(text),
            "As `a::b`, see `c` and a page; [0, 1) stays."
        );
    }

    /// Each operation has a schema, whose keys have a type and a meaning.
    #[test]
    fn every_key_is_described() {
        macro_rules! names {
            ($($on:ident { $($operation:ident in $module:ident),* $(,)? })*) => {
                [$($(ops::$operation::NAME,)*)*]
            };
        }
        let mut with_units = 0;
        for name in for_each_operation!(names) {
            let schema = of(name).unwrap();
            for key in keys(&schema) {
                assert!(
                    !key.holds.is_empty(),
                    "{name}: {} has no documentation",
                    key.path
                );
                assert!(!key.kind.is_empty(), "{name}: {} has no type", key.path);
                with_units += usize::from(key.unit.is_some());
            }
        }
        assert!(with_units > 40, "{with_units}");
        assert_eq!(of("no operation"), None);
    }

    #[test]
    fn keys_are_in_the_order_of_the_fields() {
        let schema = of("remesh").unwrap();
        let keys = keys(&schema);
        let paths: Vec<&str> = keys.iter().map(|key| key.path.as_str()).collect();
        assert_eq!(paths[..3], ["target_length", "features", "area_before"]);
        let find = |path: &str| keys.iter().find(|key| key.path == path).unwrap();
        assert_eq!(find("area_before").unit.as_deref(), Some("length²"));
        assert_eq!(
            find("meshes[].target_length").unit.as_deref(),
            Some("length")
        );
        assert_eq!(find("split.rounds").kind, "integer");
        assert_eq!(find("flip").like.as_deref(), Some("split"));
        assert!(!paths.contains(&"flip.rounds"));
    }
}
