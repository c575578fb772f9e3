//! glTF files that are made by hand, one for each feature.

/// Bytes of numbers, the lowest first.
macro_rules! le {
    ($t:ty: $($x:expr),* $(,)?) => {
        [$(($x) as $t),*].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()
    };
}

mod hostile;
mod materials;
mod read;
mod skins;
mod write;

use super::*;
use serde_json::{Value, json};

const F32: u32 = 5126;
const U8: u32 = 5121;
const U16: u32 = 5123;

/// A document while it is made: JSON, and the bytes of its first buffer.
struct Document {
    json: Value,
    bytes: Vec<u8>,
}

impl Document {
    /// Starts a document with a square of four vertices as accessor 0.
    fn square() -> Document {
        let mut document = Document {
            json: json!({ "asset": { "version": "2.0" }, "bufferViews": [], "accessors": [] }),
            bytes: Vec::new(),
        };
        let square = le!(f32: 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0);
        document.accessor(F32, "VEC3", 4, &square);
        document
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view =
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.bytes.extend_from_slice(bytes);
        self.push("bufferViews", view)
    }

    fn accessor(&mut self, component: u32, kind: &str, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }),
        )
    }

    fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    /// Sets the primitives of the only mesh.
    fn primitives(self, primitives: Value) -> Document {
        self.with("meshes", json!([{ "primitives": primitives }]))
    }

    fn with(mut self, key: &str, value: Value) -> Document {
        self.json[key] = value;
        self
    }

    fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if json.get("buffers").is_none() {
            json["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        }
        container(json.to_string().as_bytes(), &self.bytes)
    }

    fn read(&self) -> Result<Loaded, String> {
        read_as("a.glb", &self.glb()).map_err(|e| e.to_string())
    }

    fn mesh(&self) -> TriMesh {
        let loaded = self.read().unwrap();
        assert_eq!(loaded.format, Format::Glb);
        assert_eq!(loaded.warnings, Vec::<String>::new());
        loaded.mesh
    }

    fn refused(&self) -> String {
        self.read().unwrap_err()
    }
}

fn container(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let (mut json, mut bin) = (json.to_vec(), bin.to_vec());
    json.resize(json.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let number = |n: usize| (n as u32).to_le_bytes();
    let mut all = b"glTF".to_vec();
    all.extend(
        [2, 28 + json.len() + bin.len(), json.len()]
            .map(number)
            .concat(),
    );
    all.extend(b"JSON");
    all.append(&mut json);
    all.extend(number(bin.len()));
    all.extend(b"BIN\0");
    all.append(&mut bin);
    all
}

fn vertex_column<'a>(mesh: &'a TriMesh, name: &str) -> &'a Column {
    let column = mesh.extras.column(ElementKind::Vertex, name);
    column.unwrap_or_else(|| panic!("no {name}: {:?}", mesh.extras.columns))
}

fn positions(mesh: &TriMesh) -> Vec<[f32; 3]> {
    mesh.positions.iter().map(|p| p.to_array()).collect()
}

fn tags(mesh: &TriMesh) -> Vec<(u32, TagKind, &str)> {
    let tags = mesh.extras.tags.iter();
    tags.map(|t| (t.face, t.kind, &t.text[..])).collect()
}

fn tag(face: u32, kind: TagKind, text: &str) -> Tag {
    let text = text.into();
    Tag { face, kind, text }
}

/// Returns both forms of the format.
fn both_forms() -> [(&'static str, Encoding); 2] {
    [("a.glb", Encoding::Binary), ("a.gltf", Encoding::Base64)]
}
