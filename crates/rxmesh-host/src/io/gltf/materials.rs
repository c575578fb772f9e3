//! Materials, textures and images, which go from file to file as they are.

use super::super::error::Fault;
use super::super::{bytes_of, names};
use super::accessors::AccessorReader;
use super::buffers::beside;
use super::json::{self, JsonItem, JsonObject, MATERIALS};
use super::layout::BufferLayout;
use super::texture_transform::{self, TextureTransform};
use crate::mesh::{ImageContent, SourceMaterials};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

/// Lists of a document that go with its materials.
const LISTS: [&str; 4] = ["materials", "textures", "samplers", "images"];

/// Beginnings of images, and the types that these have.
const KINDS: [(&[u8], usize, &str); 6] = [
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"WEBP", 8, "image/webp"),
    (b"\xabKTX 20\xbb\r\n\x1a\n", 0, "image/ktx2"),
    (b"ftypavif", 4, "image/avif"),
    (b"DDS ", 0, "image/vnd-ms.dds"),
];

/// Materials of a document.
#[derive(Debug, Default)]
pub(super) struct MaterialList {
    /// `None` for a document without materials.
    pub(super) source: Option<SourceMaterials>,
    /// Transforms of texture coordinates that the materials no longer have, as these are moved instead.
    pub(super) transforms: Vec<Option<TextureTransform>>,
}

/// Takes the lists of materials out of a document.
pub(super) fn take(document: &mut JsonObject) -> Result<MaterialList, Fault> {
    let count = json::list(document, MATERIALS)?.len();
    if count == 0 {
        return Ok(MaterialList::default());
    }
    for index in 0..count {
        json::item(document, MATERIALS, index)?;
    }
    let mut source = SourceMaterials::default();
    for key in LISTS {
        if let Some((key, list)) = document.remove_entry(key) {
            source.document.insert(key, list);
        }
    }
    if let Some(Value::Array(required)) = document.get("extensionsRequired") {
        let names = required.iter().filter_map(|name| name.as_str());
        source.required = names.map(str::to_owned).collect();
    }
    let materials = source
        .document
        .get_mut("materials")
        .and_then(Value::as_array_mut);
    let mut all = MaterialList::default();
    let mut taken = HashSet::new();
    for (index, material) in materials.into_iter().flatten().enumerate() {
        let name = material
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let name = free_name(name, index, &mut taken);
        source.names.push(name);
        all.transforms.push(texture_transform::take(material));
    }
    all.source = Some(source);
    Ok(all)
}

/// Returns a name that no material before has.
fn free_name(name: &str, index: usize, taken: &mut HashSet<String>) -> String {
    let mut free = match name.trim().is_empty() {
        true => format!("material_{index}"),
        false => name.to_owned(),
    };
    // Two materials of one name and the number of another: the number alone does not make the name free.
    while !taken.insert(free.clone()) {
        free = format!("{free}_{index}");
    }
    free
}

/// Fetches the images that are in buffers, and finds those in other files.
pub(super) fn fetch_images(
    source: &mut SourceMaterials,
    reader: &mut AccessorReader<'_>,
    name: &Path,
    warnings: &mut Vec<String>,
) -> Result<(), Fault> {
    let images = source
        .document
        .get_mut("images")
        .and_then(Value::as_array_mut);
    for (index, image) in images.into_iter().flatten().enumerate() {
        let Some(object) = image.as_object_mut() else {
            return Err(Fault::file(format!("image {index} is not an object")));
        };
        let item = JsonItem {
            object,
            place: json::place("image", index),
        };
        let content = if let Some(view) = item.index("bufferView")? {
            reader
                .buffers
                .unpack(reader.document, view, &mut reader.budget)?;
            let bytes = reader.buffers.view(reader.document, view)?.bytes;
            reader
                .budget
                .take(bytes.len())
                .map_err(|what| item.fault(what))?;
            let content = ImageContent::Bytes(bytes.to_vec());
            object.remove("bufferView");
            Some(content)
        } else {
            match item.text("uri") {
                Some(uri) if !uri.starts_with("data:") => match beside(uri, name) {
                    Ok(path) => Some(ImageContent::File(path)),
                    Err(why) => {
                        warnings.push(format!("image {index} stays where it is: {why}"));
                        None
                    }
                },
                _ => None,
            }
        };
        source.images.push(content);
    }
    Ok(())
}

/// Materials of the document that is written.
#[derive(Default)]
pub(super) struct MaterialWriter<'a> {
    source: Option<&'a SourceMaterials>,
    places: HashMap<&'a str, usize>,
    /// Materials that the source does not have: their names are all that is known of them.
    more: Vec<&'a str>,
}

impl<'a> MaterialWriter<'a> {
    pub(super) fn new(source: Option<&'a SourceMaterials>) -> MaterialWriter<'a> {
        let names = source.map_or(&[][..], |s| &s.names);
        MaterialWriter {
            source,
            places: names
                .iter()
                .enumerate()
                .map(|(i, name)| (&name[..], i))
                .collect(),
            more: Vec::new(),
        }
    }

    /// Returns the number of a material.
    pub(super) fn place(&mut self, name: &'a str) -> usize {
        let next = self.places.len();
        *self.places.entry(name).or_insert_with(|| {
            self.more.push(name);
            next
        })
    }

    /// Adds the materials to the document, and the images to the buffer. `own` are the extensions that everything else
    /// needs.
    pub(super) fn finish(
        self,
        document: &mut JsonObject,
        layout: &mut BufferLayout,
        own: &[&str],
        warnings: &mut Vec<String>,
    ) {
        let mut lists = self.source.map(|s| s.document.clone()).unwrap_or_default();
        if let Some(source) = self.source {
            put_images(source, &mut lists, layout, warnings);
        }
        if !self.more.is_empty() {
            let more = self.more.iter().map(|name| json!({ "name": name }));
            match lists.get_mut("materials").and_then(Value::as_array_mut) {
                Some(all) => all.extend(more),
                None => {
                    lists.insert("materials".into(), more.collect());
                }
            }
        }
        let mut used: BTreeSet<String> = own.iter().map(|name| name.to_string()).collect();
        lists.values().for_each(|list| extensions(list, &mut used));
        if !used.is_empty() {
            let required = self.source.map_or(&[][..], |s| &s.required);
            let required = required.iter().filter(|name| used.contains(*name));
            let required: Vec<&str> = required
                .map(|name| &name[..])
                .chain(own.iter().copied())
                .collect();
            if !required.is_empty() {
                document.insert("extensionsRequired".into(), json!(required));
            }
            document.insert("extensionsUsed".into(), json!(used));
        }
        // A list without entries is not valid.
        let filled = |list: &Value| list.as_array().is_some_and(|list| !list.is_empty());
        document.extend(lists.into_iter().filter(|(_, list)| filled(list)));
    }
}

/// Puts the images into the buffer. Those that cannot be read keep their URI.
fn put_images(
    source: &SourceMaterials,
    lists: &mut JsonObject,
    layout: &mut BufferLayout,
    warnings: &mut Vec<String>,
) {
    let images = lists.get_mut("images").and_then(Value::as_array_mut);
    for (image, content) in images.into_iter().flatten().zip(&source.images) {
        let bytes = match content {
            None => continue,
            Some(ImageContent::Bytes(bytes)) => Ok(bytes.clone()),
            Some(ImageContent::File(path)) => match bytes_of(path) {
                Ok(bytes) if kind(&bytes).is_some() => Ok(bytes),
                Ok(_) => Err(format!("{}: not an image", path.display())),
                Err(e) => Err(e.to_string()),
            },
        };
        match bytes {
            Ok(bytes) => {
                image.as_object_mut().map(|i| i.remove("uri"));
                if let Some(kind) = kind(&bytes) {
                    image["mimeType"] = kind.into();
                }
                image["bufferView"] = layout.view(bytes).into();
            }
            Err(why) => {
                let uri = image.get("uri").and_then(Value::as_str).unwrap_or_default();
                let uri = names::shown(uri);
                warnings.push(format!(
                    "image '{uri}' is not in the file, which names it only: {why}"
                ));
            }
        }
    }
}

/// Returns the type of an image.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    let begins = |(word, at, _): &&(&[u8], usize, &str)| {
        bytes.get(*at..).is_some_and(|rest| rest.starts_with(word))
    };
    KINDS.iter().find(begins).map(|(_, _, kind)| *kind)
}

/// Collects the names of the extensions that values have.
fn extensions(value: &Value, used: &mut BTreeSet<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|v| extensions(v, used)),
        Value::Object(object) => {
            if let Some(Value::Object(own)) = object.get("extensions") {
                used.extend(own.keys().cloned());
            }
            object.values().for_each(|v| extensions(v, used));
        }
        _ => {}
    }
}
