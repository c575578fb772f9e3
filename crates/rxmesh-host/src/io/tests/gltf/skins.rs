//! Skins go from file to file.

use super::*;

/// Inverse bind matrices of two joints, column by column.
fn matrices() -> Vec<f32> {
    (0..32)
        .map(|i| if i % 5 == 0 { 1.0 } else { i as f32 * 0.1 })
        .collect()
}

/// A square on two joints below an armature that is turned and moved. A lamp hangs on the second joint.
fn skinned() -> Document {
    let mut all = Document::square();
    let joints = le!(u8: 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    let joints = all.accessor(U8, "VEC4", 4, &joints);
    let weights = le!(f32: 0.5, 0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    let weights = all.accessor(F32, "VEC4", 4, &weights);
    let inverse: Vec<u8> = matrices().into_iter().flat_map(f32::to_le_bytes).collect();
    let inverse = all.accessor(F32, "MAT4", 2, &inverse);
    let attributes = json!({ "POSITION": 0, "JOINTS_0": joints, "WEIGHTS_0": weights });
    all.primitives(json!([{ "attributes": attributes, "mode": 5 }]))
        .with("scenes", json!([{ "nodes": [1] }]))
        .with(
            "nodes",
            json!([
                { "name": "body", "mesh": 0, "skin": 0, "translation": [9, 9, 9] },
                { "name": "armature", "rotation": [0, 0, 0, 1], "translation": [1, 2, 3], "children": [0, 2] },
                { "name": "hip", "children": [3], "extras": { "a": 1 } },
                { "name": "knee", "scale": [2, 2, 2], "children": [4] },
                { "name": "lamp", "camera": 0 },
            ]),
        )
        .with(
            "skins",
            json!([{ "name": "bones", "joints": [3, 2], "skeleton": 2, "inverseBindMatrices": inverse }]),
        )
}

/// Returns the JSON of a GLB and its other bytes.
fn parsed(glb: &[u8]) -> (Value, Vec<u8>) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    (json, glb[28 + length..].to_vec())
}

/// Checks the skin of a file, and returns its matrices.
fn checked(glb: &[u8]) -> Vec<f32> {
    let (json, bin) = parsed(glb);
    let nodes = json["nodes"].as_array().unwrap();
    let number = |name: &str| nodes.iter().position(|n| n["name"] == name).unwrap();
    let [body, armature, hip, knee] = ["body", "armature", "hip", "knee"].map(number);
    assert_eq!(nodes.len(), 4, "{nodes:?}");
    assert_eq!(nodes[body], json!({ "name": "body", "mesh": 0, "skin": 0 }));
    assert_eq!(nodes[armature]["translation"], json!([1, 2, 3]));
    assert_eq!(nodes[armature]["children"], json!([hip]));
    assert_eq!(nodes[hip]["children"], json!([knee]));
    assert_eq!(nodes[hip]["extras"], json!({ "a": 1 }));
    assert_eq!(nodes[knee], json!({ "name": "knee", "scale": [2, 2, 2] }));
    assert_eq!(json["scenes"][0]["nodes"], json!([body, armature]));
    let skin = &json["skins"][0];
    assert_eq!(
        (&skin["name"], &skin["skeleton"]),
        (&json!("bones"), &json!(hip))
    );
    assert_eq!(skin["joints"], json!([knee, hip]));
    let accessor = &json["accessors"][skin["inverseBindMatrices"].as_u64().unwrap() as usize];
    assert_eq!(
        (&accessor["type"], &accessor["count"]),
        (&json!("MAT4"), &json!(2))
    );
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let from = view["byteOffset"].as_u64().unwrap() as usize;
    let floats = bin[from..from + 128].as_chunks::<4>().0;
    floats.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

#[test]
fn skins_go_through_as_they_are() {
    let loaded = skinned().read().unwrap();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    // The rest pose: nodes do not move a mesh with a skin.
    assert_eq!(positions(&loaded.mesh)[0], [0.0; 3]);
    let (bytes, report) = written("a.glb", Encoding::Binary, &loaded.mesh);
    assert_eq!(report.warnings, Vec::<String>::new());
    assert_eq!(checked(&bytes), matrices());
    let again = read_as("a.glb", &bytes).unwrap().mesh;
    assert_eq!(again.extras.columns, loaded.mesh.extras.columns);
    let (same, _) = written("a.glb", Encoding::Binary, &again);
    assert_eq!(checked(&same), matrices());
    // Attributes are quantised, positions are not.
    for encoding in [Encoding::Quantised, Encoding::Packed] {
        let (small, _) = written("a.glb", encoding, &loaded.mesh);
        assert_eq!(checked(&small), matrices());
        let back = read_as("a.glb", &small).unwrap().mesh;
        assert_eq!(positions(&back), positions(&loaded.mesh));
    }
}

#[test]
fn far_meshes_keep_their_place_in_the_matrices() {
    let mut mesh = skinned().read().unwrap().mesh;
    mesh.placement.origin = glam::DVec3::new(1000.0, 0.0, 0.0);
    mesh.placement.scale = 2.0;
    let (bytes, _) = written("a.glb", Encoding::Binary, &mesh);
    let (found, given) = (checked(&bytes), matrices());
    for joint in 0..2 {
        let of = |all: &[f32]| glam::Mat4::from_cols_slice(&all[16 * joint..]);
        let p = glam::Vec3::new(0.25, 0.5, 1.0);
        let world = mesh.placement.world(p).as_vec3();
        let (a, b) = (of(&found) * p.extend(1.0), of(&given) * world.extend(1.0));
        assert!((a - b).abs().max_element() < 1e-3, "{a} {b}");
    }
}

#[test]
fn a_skin_without_its_joints_is_left_out() {
    let mesh = skinned().read().unwrap().mesh;
    let warned = |mesh: &TriMesh| {
        let (bytes, report) = written("a.glb", Encoding::Binary, mesh);
        assert!(parsed(&bytes).0.get("skins").is_none());
        report.warnings.join("; ")
    };
    let mut bare = mesh.clone();
    bare.extras.columns.retain(|c| c.name != "WEIGHTS_0");
    assert!(warned(&bare).contains("1 skins of objects are left out"));
    let mut wrong = mesh.clone();
    let joints = wrong
        .extras
        .columns
        .iter_mut()
        .find(|c| c.name == "JOINTS_0");
    joints.unwrap().data.set(0, 2.0);
    assert!(warned(&wrong).contains("1 skins of objects are left out"));
    let mut renamed = mesh;
    renamed.extras.tags.clear();
    assert!(warned(&renamed).contains("1 skins of objects are left out"));
}

#[test]
fn what_is_wrong_with_a_skin_is_named() {
    let with = |key: &str, value: Value| {
        let mut all = skinned();
        all.json["skins"][0][key] = value;
        all.refused()
    };
    assert!(with("joints", json!([3, 17])).contains("skin 0: node 17 is named, but there are 5"));
    assert!(with("joints", json!(["hip"])).contains("skin 0"));
    assert!(with("inverseBindMatrices", json!(0)).contains("holds no 2 matrices"));
    assert!(with("skeleton", json!(-1)).contains("skeleton"));
    let mut round = skinned();
    round.json["nodes"] = json!([
        { "name": "body", "mesh": 0, "skin": 0 }, {}, { "children": [3] }, { "children": [2] }
    ]);
    round.json["scenes"] = json!([{ "nodes": [0] }]);
    assert!(round.refused().contains("no trees"));
}
