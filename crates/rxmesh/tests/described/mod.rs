//! Comparison of reports with their schema.

use serde_json::{Map, Value};

/// Each key of a report is in the schema of its operation with the right type, and each key that the schema requires is
/// in the report.
pub(crate) fn assert_described(operation: &str, report: &impl serde::Serialize) {
    let schema = rxmesh::schema::of(operation).unwrap();
    let report = serde_json::to_value(report).unwrap();
    let faults = faults(&schema, &schema, &report, operation);
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Returns the differences between a value and a part of a schema.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(target.trim_start_matches('#')).unwrap();
        return faults(root, target, value, at);
    }
    for of in ["anyOf", "oneOf"] {
        if let Some(Value::Array(parts)) = schema.get(of) {
            let each = parts.iter().map(|part| faults(root, part, value, at));
            return each.min_by_key(Vec::len).unwrap();
        }
    }
    let mut all = Vec::new();
    let is_type = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{at}: unknown type {other}"),
    };
    let is = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|name| is_type(name.as_str().unwrap())),
        Some(name) => is_type(name.as_str().unwrap()),
        None => schema.get("const").is_some(),
    };
    if !is {
        all.push(format!("{at}: {value} is not {schema}"));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        all.push(format!("{at}: {value} is another text"));
    }
    if let (Some(items), Value::Array(values)) = (schema.get("items"), value) {
        let each = values.iter().map(|value| faults(root, items, value, at));
        all.extend(each.flatten());
    }
    if let Value::Object(keys) = value {
        all.extend(key_faults(root, schema, keys, at));
    }
    all
}

/// Returns the differences between the keys of an object and those of its schema.
fn key_faults(root: &Value, schema: &Value, keys: &Map<String, Value>, at: &str) -> Vec<String> {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        // Keys are free.
        return match schema.get("additionalProperties") {
            Some(Value::Bool(true)) => Vec::new(),
            _ => vec![format!("{at}: an object without keys in the schema")],
        };
    };
    let mut all = Vec::new();
    for (name, value) in keys {
        let at = format!("{at}.{name}");
        match properties.get(name) {
            Some(schema) => all.extend(faults(root, schema, value, &at)),
            None => all.push(format!("{at} is not in the schema")),
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !keys.contains_key(name) {
            all.push(format!("{at}.{name} is not in the report"));
        }
    }
    all
}
