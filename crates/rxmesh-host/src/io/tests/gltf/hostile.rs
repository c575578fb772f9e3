//! Damaged files.

use super::*;

/// A change of a valid document, and words of the error that follows.
type Damage = (fn(&mut Value), &'static str);

fn primitive(d: &mut Value) -> &mut Value {
    &mut d["meshes"][0]["primitives"][0]
}

fn refuse(cases: &[Damage]) {
    for (k, (damage, word)) in cases.iter().enumerate() {
        let mut document = Document::square();
        let indices = document.accessor(U8, "SCALAR", 3, &[0, 1, 2, 1, 3, 9]);
        let primitive = json!({ "attributes": { "POSITION": 0 }, "indices": indices });
        let mut document = document.primitives(json!([primitive]));
        document.mesh();
        damage(&mut document.json);
        let why = document.refused();
        assert!(
            why.contains(word) && why.starts_with("a.glb: "),
            "{k}: {why}"
        );
    }
}

#[test]
fn numbers_that_lead_nowhere_are_refused_by_name() {
    refuse(&[
        (
            |d| primitive(d)["indices"] = 7.into(),
            "accessor 7 is named, but there are 2",
        ),
        (
            |d| d["accessors"][0]["bufferView"] = 9.into(),
            "buffer view 9 is named, but there are 2",
        ),
        (
            |d| d["bufferViews"][0]["buffer"] = 3.into(),
            "buffer view 0: buffer 3 is named, but there are 1",
        ),
        (
            |d| primitive(d)["material"] = 2.into(),
            "mesh 0 primitive 0: material 2 is named, but there are 0",
        ),
        (
            |d| d["nodes"] = json!([{ "children": [5] }]),
            "node 5 is named, but there are 1",
        ),
        (
            |d| {
                d["nodes"] = json!([{}]);
                d["scenes"] = json!([{}]);
                d["scene"] = 4.into();
            },
            "scene 4 is named, but there are 1",
        ),
        (
            |d| d["accessors"][1]["count"] = 6.into(),
            "mesh 0 primitive 0: index 5 of accessor 1 is 9, but there are 4 vertices",
        ),
        (
            |d| d["nodes"] = json!([{ "children": [1] }, { "children": [0] }]),
            "holds no vertices",
        ),
        (
            |d| {
                d["nodes"] = json!([{ "children": [1] }, { "children": [0] }]);
                d["scenes"] = json!([{ "nodes": [0] }]);
            },
            "node 0: it is reached a second time",
        ),
        (
            |d| d["nodes"] = json!([{ "children": [2] }, { "children": [2] }, { "mesh": 0 }]),
            "node 2: it is reached a second time",
        ),
    ]);
}

#[test]
fn sizes_that_do_not_fit_are_refused_by_name() {
    refuse(&[
        (
            |d| d["accessors"][0]["count"] = 5.into(),
            "accessor 0: 5 elements from byte 0 on do not fit buffer view 0, which has 48 bytes",
        ),
        (
            |d| d["accessors"][0]["count"] = (1u64 << 53).into(),
            "accessor 0: ",
        ),
        (
            |d| {
                let zeros = json!({ "componentType": F32, "type": "VEC3", "count": 1u64 << 40 });
                d["accessors"][0] = zeros;
            },
            "accessor 0: the arrays of this file take more than",
        ),
        (
            |d| d["accessors"][0]["byteOffset"] = u64::MAX.into(),
            "accessor 0: ",
        ),
        (
            |d| d["bufferViews"][1]["byteLength"] = 100.into(),
            "buffer view 1: 100 bytes from byte 48 on are named, but buffer 0 has 54",
        ),
        (
            |d| d["bufferViews"][0]["byteStride"] = 4.into(),
            "accessor 0: elements of 12 bytes do not fit the 'byteStride' 4",
        ),
        (
            |d| d["bufferViews"][0]["byteStride"] = 0.into(),
            "'byteStride' must not be 0",
        ),
        (
            |d| {
                let packed = json!({
                    "buffer": 0, "byteLength": 9, "byteStride": 12, "count": 1u64 << 50, "mode": "ATTRIBUTES"
                });
                d["bufferViews"][0]["extensions"] = json!({ "EXT_meshopt_compression": packed });
            },
            "buffer view 0: EXT_meshopt_compression: the arrays of this file take more than",
        ),
        (
            |d| d["accessors"][0]["sparse"] = json!({ "count": 9, "indices": {}, "values": {} }),
            "accessor 0: 'sparse' replaces 9 elements of 4",
        ),
        (
            |d| {
                let indices = json!({ "bufferView": 1, "componentType": U8, "byteOffset": 3 });
                let values = json!({ "bufferView": 0 });
                let sparse = json!({ "count": 3, "indices": indices, "values": values });
                d["accessors"][0]["sparse"] = sparse;
            },
            "accessor 0: 'sparse' replaces element 9, but there are 4",
        ),
        (
            |d| {
                d["accessors"][1]["count"] = 3.into();
                primitive(d)["attributes"]["_X"] = 1.into();
            },
            "mesh 0 primitive 0: _X has 3 elements, POSITION has 4",
        ),
        (
            |d| {
                let large = [1e308; 3];
                d["nodes"] = json!([{ "mesh": 0, "scale": large, "translation": large }]);
            },
            "is not a finite number",
        ),
    ]);
}

#[test]
fn values_of_a_wrong_kind_are_refused_by_name() {
    refuse(&[
        (
            |d| d["accessors"][0]["count"] = (-1).into(),
            "accessor 0: 'count' must be a whole number of 0 or more, not -1",
        ),
        (
            |d| d["accessors"][0]["count"] = 1.5.into(),
            "'count' must be a whole number",
        ),
        (
            |d| d["accessors"][0]["type"] = "VEC9".into(),
            "accessor 0: 'type' is none of glTF's",
        ),
        (
            |d| d["accessors"][0]["componentType"] = 5124.into(),
            "'componentType' 5124 is none of glTF's types",
        ),
        (
            |d| d["accessors"][0]["type"] = "VEC2".into(),
            "POSITION has 2 numbers an element",
        ),
        (
            |d| primitive(d)["indices"] = 0.into(),
            "accessor 0: indices must be SCALAR",
        ),
        (
            |d| primitive(d)["mode"] = 7.into(),
            "mesh 0 primitive 0: 'mode' 7 is none of glTF's",
        ),
        (
            |d| d["nodes"] = json!([{ "mesh": 0, "matrix": [1, 2] }]),
            "node 0: 'matrix' must be 16 numbers",
        ),
        (
            |d| d["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]),
            "requires the extension KHR_draco_mesh_compression, which is not read: unpack it",
        ),
        (
            |d| d["extensionsRequired"] = json!(["VENDOR_thing"]),
            "requires the extension VENDOR_thing, which is not read",
        ),
        (
            |d| d["asset"]["version"] = "1.0".into(),
            "version '1.0' of glTF is not read; 2.0 is",
        ),
        (|d| d["accessors"] = json!({}), "'accessors' is not a list"),
        (
            |d| d["accessors"][0] = json!(3),
            "accessor 0 is not an object",
        ),
    ]);
}

#[test]
fn containers_that_do_not_fit_are_refused() {
    let strip = json!([{ "attributes": { "POSITION": 0 }, "mode": 5 }]);
    let whole = Document::square().primitives(strip).glb();
    for cut in 0..whole.len() {
        assert!(read_as("a.glb", &whole[..cut]).is_err(), "{cut}");
    }
    for (at, n, word) in [
        (4, 1, "byte 4: version 1 of GLB is not read"),
        (8, u32::MAX, "byte 8: the header says 4294967295 bytes"),
        (8, 12, "byte 12: a chunk of JSON expected"),
        (
            12,
            u32::MAX,
            "byte 12: a chunk of 4294967295 bytes, but only",
        ),
        (
            16,
            0x004E_4942,
            "byte 16: the first chunk of a GLB must be JSON",
        ),
    ] {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(n));
        let why = read_as("a.glb", &bytes).unwrap_err().to_string();
        assert!(why.contains(word), "{why}");
    }
    let loaded = read_as("a.glb", &[&whole[..], b"more"].concat()).unwrap();
    let told = "4 bytes after the end of the GLB are passed over";
    assert_eq!(loaded.warnings, [told]);
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for json in [&deep, "{\"asset\":", "[]", "{\"asset\":\"\\ud800\"}"] {
        let bytes = container(json.as_bytes(), &[]);
        let why = read_as("a.glb", &bytes).unwrap_err().to_string();
        assert!(why.contains("the JSON "), "{why}");
    }
}

/// Whatever a few bytes of a file become, it is read or refused with its name.
#[test]
fn changed_bytes_never_panic() {
    let mut mesh = laden();
    let of_vertices = |c: &Column| c.element == ElementKind::Vertex;
    mesh.extras.columns.retain(of_vertices);
    for (name, encoding) in both_forms() {
        let whole = written(name, encoding, &mesh).0;
        let mut rng = crate::mesh::Rng::new(5);
        for _ in 0..4000 {
            let mut bytes = whole.clone();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len() as u64) as usize;
                bytes[at] = match rng.below(3) {
                    0 => rng.below(256) as u8,
                    1 => b'0' + rng.below(10) as u8,
                    _ => bytes[rng.below(bytes.len() as u64) as usize],
                };
            }
            match read_as(name, &bytes) {
                Ok(loaded) => loaded.mesh.validate().unwrap(),
                Err(e) => assert!(e.to_string().starts_with(name), "{e}"),
            }
        }
    }
}
