//! Materials, images, and buffers that are packed or in other files.

use super::*;

#[test]
fn quantised_positions_and_texture_transforms() {
    let mut d = Document::square();
    let at = le!(i16: 0, 0, 0, 0, 1000, 0, 0, 0, 0, 1000, -32768, 0);
    let at = d.accessor(5122, "VEC3", 3, &at);
    d.json["bufferViews"][1]["byteStride"] = 8.into();
    let uv = d.accessor(U16, "VEC2", 3, &le!(u16: 0, 0, 4096, 0, 0, 4096));
    let transform = json!({ "scale": [1.0 / 4096.0, 1.0 / 4096.0] });
    let texture = json!({ "index": 0, "extensions": { "KHR_texture_transform": transform } });
    let primitive = json!({ "attributes": { "POSITION": at, "TEXCOORD_0": uv }, "material": 0 });
    let required = json!(["KHR_mesh_quantization", "KHR_texture_transform"]);
    let d = d
        .primitives(json!([primitive]))
        .with(
            "nodes",
            json!([{ "mesh": 0, "scale": [0.001, 0.001, 0.001] }]),
        )
        .with(
            "materials",
            json!([{ "pbrMetallicRoughness": { "baseColorTexture": texture } }]),
        )
        .with("extensionsRequired", required);
    let mesh = d.mesh();
    let expected = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, -32.768]];
    assert_eq!(positions(&mesh), expected);
    let floats = |name: &str| vertex_column(&mesh, name).data.clone();
    assert_eq!(floats("s"), ColumnData::F32(vec![0.0, 1.0, 0.0]));
    assert_eq!(floats("t"), ColumnData::F32(vec![1.0, 1.0, 0.0]));
    let json = written("a.gltf", Encoding::Base64, &mesh).0;
    let json = String::from_utf8(json).unwrap();
    assert!(
        !json.contains("KHR_") && json.contains("baseColorTexture"),
        "{json}"
    );
}

/// Forty positions that meshoptimizer has packed: x counts quarters from -3, z is 1.5.
const PACKED: &str = "\
    oAAAHwAfHx8fPz8/P39//////4CAQEBAQCAgICAgICAgEBAQ//8AABAQEBAQEBAQBQAQAfiEfACAAAAAFT/wM8//f4B/gP///3+A\
    AMz//4CAgP9//4CA//8PzwAA/39/f4AfAEjHZAL+e0XDHjSO0HHVGXA/hcXPN3m+ApmEKYehtC7//wAAWci87JQJQecVIAAAYDoA\
    BhkDHEgAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEDAAAACQQAAwD8=";

#[test]
fn views_that_meshoptimizer_has_packed() {
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let packed = base64::decode(PACKED.as_bytes(), 1000).unwrap().0;
        let mut d = Document::square();
        let view = d.view(&packed);
        let how = json!({
            "buffer": 0, "byteOffset": 48, "byteLength": packed.len(), "byteStride": 12, "count": 40,
            "mode": "ATTRIBUTES"
        });
        d.json["bufferViews"][view] = json!({
            "buffer": 1, "byteLength": 480, "byteStride": 12, "extensions": { extension: how }
        });
        let at = json!({ "bufferView": view, "componentType": F32, "type": "VEC3", "count": 40 });
        let at = d.push("accessors", at);
        let buffers = json!([
            { "byteLength": d.bytes.len() },
            { "byteLength": 480, "extensions": { extension: { "fallback": true } } },
        ]);
        let mut d = d
            .primitives(json!([{ "attributes": { "POSITION": at }, "mode": 5 }]))
            .with("extensionsRequired", json!([extension]))
            .with("buffers", buffers);
        let mesh = d.mesh();
        for (v, p) in (0u8..).zip(&mesh.positions) {
            assert_eq!((p.x, p.z), (f32::from(v) / 4.0 - 3.0, 1.5));
        }
        assert_eq!((mesh.vertex_count(), mesh.face_count()), (40, 38));
        d.json["bufferViews"][view]["extensions"][extension]["byteStride"] = 16.into();
        let why = d.refused();
        let place = format!("buffer view 1: {extension}: ");
        assert!(why.contains(&place), "{why}");
    }
}

#[test]
fn buffers_in_other_files_and_in_the_json() {
    let folder = tempfile::tempdir().unwrap();
    let strip = json!([{ "attributes": { "POSITION": 0 }, "mode": 5 }]);
    let d = Document::square().primitives(strip);
    let mut text = Vec::new();
    base64::encode(&d.bytes, &mut text);
    let text = String::from_utf8(text).unwrap();
    let inline = format!("data:application/octet-stream;base64,{text}");
    std::fs::write(folder.path().join("the bytes.bin"), &d.bytes).unwrap();
    let path = folder.path().join("a.gltf");
    let expected = d.mesh();
    let with = |uri: &str| {
        let buffers = json!([{ "byteLength": d.bytes.len(), "uri": uri }]);
        let mut json = d.json.clone();
        json["buffers"] = buffers;
        std::fs::write(&path, json.to_string()).unwrap();
        read(&path, &ReadOptions::default()).map_err(|e| e.to_string())
    };
    for uri in [&inline, "the%20bytes.bin", "./the bytes.bin"] {
        let loaded = with(uri).unwrap();
        assert_eq!((&loaded.mesh, loaded.format), (&expected, Format::Gltf));
    }
    for (uri, word) in [
        ("other.bin", "other.bin: cannot be read"),
        ("/etc/passwd", "is not a relative path"),
        ("https://a.b/c.bin", "is not a relative path"),
        ("../the bytes.bin", "leads out of the file's folder"),
        ("data:;base64,AAAA", "it has 3 bytes instead of 48"),
        ("data:,AAAA", "is not base64"),
    ] {
        let why = with(uri).unwrap_err();
        let place = "a.gltf: buffer view 0: buffer 0 cannot be used: ";
        assert!(why.contains(place) && why.contains(word), "{why}");
    }
}

#[test]
fn materials_and_images_go_through_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let png = [&b"\x89PNG\r\n\x1a\n"[..], b"not much of one"].concat();
    std::fs::write(folder.path().join("wood.png"), &png).unwrap();
    std::fs::write(folder.path().join("secret.png"), b"no image").unwrap();
    let mut d = Document::square();
    let uv = d.accessor(F32, "VEC2", 4, &le!(f32: 0, 0, 1, 0, 0, 1, 1, 1));
    let inner = d.view(b"\xff\xd8\xff jpeg");
    let attributes = json!({ "POSITION": 0, "TEXCOORD_0": uv });
    let rough = json!({ "baseColorTexture": { "index": 0 }, "roughnessFactor": 0.25 });
    let glass = json!({ "KHR_materials_ior": { "ior": 1.3 } });
    let materials = json!([
        { "name": "wood", "pbrMetallicRoughness": rough },
        { "name": "wood", "doubleSided": true, "extensions": glass },
    ]);
    let images = json!([
        { "uri": "wood.png" },
        { "bufferView": inner, "mimeType": "image/jpeg" },
        { "uri": "secret.png" },
    ]);
    let primitives = json!([
        { "attributes": attributes, "material": 1, "mode": 5 },
        { "attributes": attributes, "material": 0, "mode": 5 },
        { "attributes": attributes, "mode": 5 },
    ]);
    let textures = json!([{ "source": 0, "sampler": 0 }, { "source": 1 }, { "source": 2 }]);
    let d = d
        .primitives(primitives)
        .with("materials", materials.clone())
        .with("textures", textures)
        .with("samplers", json!([{ "wrapS": 33071 }]))
        .with("extensionsUsed", json!(["KHR_materials_ior", "KHR_other"]))
        .with("images", images);
    let path = folder.path().join("in.glb");
    std::fs::write(&path, d.glb()).unwrap();
    let mesh = read(&path, &ReadOptions::default()).unwrap().mesh;
    assert_eq!((mesh.vertex_count(), mesh.face_count()), (4, 6));
    let material = TagKind::Material;
    let expected = [
        (0, material, "wood_1"),
        (2, material, "wood"),
        (4, material, ""),
    ];
    assert_eq!(tags(&mesh), expected);
    let kept = mesh.extras.materials.as_ref().unwrap();
    assert_eq!(kept.names(), ["wood", "wood_1"]);
    let (bytes, report) = written("out.glb", Encoding::Binary, &mesh);
    let told = "image 'secret.png' is not in the file";
    assert!(report.warnings.len() == 1 && report.warnings[0].contains(told));
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    assert_eq!(json["materials"], materials);
    assert_eq!(json["samplers"], d.json["samplers"]);
    assert_eq!(json["textures"], d.json["textures"]);
    assert_eq!(json["extensionsUsed"], json!(["KHR_materials_ior"]));
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let image = |k: usize| {
        let view = &json["bufferViews"][number(&json["images"][k]["bufferView"])];
        let from = 28 + length + number(&view["byteOffset"]);
        bytes[from..from + number(&view["byteLength"])].to_vec()
    };
    assert_eq!(image(0), png);
    assert_eq!(image(1), b"\xff\xd8\xff jpeg");
    assert_eq!(json["images"][0]["mimeType"], "image/png");
    assert_eq!(json["images"][2], json!({ "uri": "secret.png" }));
    let used = &json["meshes"][0]["primitives"];
    assert_eq!([&used[0]["material"], &used[1]["material"]], [1, 0]);
    assert!(used[2].get("material").is_none());
    // The bytes are within the file now.
    let again = read_as("b.glb", &bytes).unwrap().mesh;
    assert_eq!(again.extras.tags, mesh.extras.tags);
    // A part of the mesh has the materials still.
    let part = mesh.with_faces(&[true, false, false, false, false, false]);
    assert_eq!(part.extras.materials, mesh.extras.materials);
}
