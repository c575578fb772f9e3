//! `docs/use/record.schema.json`: the JSON Schema of the record.

use crate::apps::ALL;
use crate::record::Record;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Writes the schema with `RXMESH_WRITE_DOCS=1`, else compares it with the one that would be written.
pub(super) fn compare() {
    let document = "docs/use/record.schema.json";
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(document);
    let want = schema_of_records();
    if std::env::var("RXMESH_WRITE_DOCS").as_deref() == Ok("1") {
        std::fs::write(&path, want).unwrap();
    } else {
        let now = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(now == want, "{document} is not current: cargo xtask docs");
    }
}

/// Returns the JSON Schema of the record: the keys that all commands share, and for each command those of its report.
/// Options are not described: each is a key under the name of its flag, as the tables tell.
fn schema_of_records() -> String {
    let mut definitions = Map::new();
    let object = |schema: Value| match schema {
        Value::Object(schema) => schema,
        other => panic!("{other}"),
    };
    let mut root = object(rxmesh::schema::report::<Record>());
    take_definitions(&mut root, &mut definitions);
    let mut commands = Vec::new();
    for app in ALL {
        let with_keys = |schema: &Value| !rxmesh::schema::keys(schema).is_empty();
        let Some(report) = (app.schema)().filter(with_keys) else {
            continue;
        };
        let mut report = object(report);
        take_definitions(&mut report, &mut definitions);
        let mut then = json!({ "$ref": format!("#/$defs/{}", app.name) });
        if app.frame == "edits" {
            then = json!({ "properties": { "edit": { "properties": { "report": then } } } });
        }
        commands.push(json!({
            "if": { "properties": { "command": { "const": app.name } } },
            "then": then,
        }));
        definitions.insert(app.name.to_owned(), report.into());
    }
    root.insert(
        "$schema".to_owned(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    root.insert("title".to_owned(), "Record of a run of rxmesh".into());
    root.insert("allOf".to_owned(), commands.into());
    root.insert("$defs".to_owned(), definitions.into());
    format!("{:#}\n", Value::Object(root))
}

/// Moves the definitions of types from a schema to those of all.
fn take_definitions(schema: &mut Map<String, Value>, all: &mut Map<String, Value>) {
    schema.remove("$schema");
    let Some(Value::Object(definitions)) = schema.remove("$defs") else {
        return;
    };
    for (name, definition) in definitions {
        let old = all.insert(name.clone(), definition.clone());
        assert!(
            old.is_none_or(|old| old == definition),
            "two types are called {name}"
        );
    }
}
