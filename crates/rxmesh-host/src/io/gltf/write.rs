//! Writing of both forms.

use super::super::base64;
use super::super::shape::TriangleView;
use super::super::{BorrowedPieces, Encoding};
use super::container::{self, CHUNK, HEADER};
use super::extensions::{MESHOPT, QUANTIZATION};
use super::json::JsonObject;
use super::layout::{AccessorForm, BufferLayout, bytes, words};
use super::materials::MaterialWriter;
use super::outgoing::{Outgoing, VertexAttribute};
use super::parts::{self, FaceRun, ObjectRun};
use super::quantise;
use super::skins;
use super::split::{self, SplitVertices};
use super::values::Component;
use crate::mesh::{Placement, TagKind};
use crate::par::{IntoLean, PLAIN};
use glam::Vec3;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Vertices from which indices of 16 bits do not suffice: the largest number means that a strip begins anew.
const MANY: usize = u16::MAX as usize;
/// Begins the URI of a buffer in the JSON.
const BASE64: &str = "data:application/octet-stream;base64,";

/// Writes a mesh as one binary file.
pub(super) fn binary<'a>(
    mesh: TriangleView<'a>,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Result<BorrowedPieces<'a>, String> {
    let (mut document, layout) = document(mesh, encoding, warnings);
    if layout.length > 0 {
        document.insert("buffers".into(), layout.buffers(json!({})));
    }
    let mut text = text(&document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let bin = if layout.length > 0 {
        CHUNK + layout.length
    } else {
        0
    };
    let all = HEADER + CHUNK + text.len() + bin;
    let number = |n: usize| {
        let n = u32::try_from(n).map_err(|_| {
            format!(
                "a GLB has at most 4 GiB, and this mesh takes {all} bytes: other formats hold it"
            )
        })?;
        Ok::<_, String>(n.to_le_bytes())
    };
    let mut head = container::MAGIC.to_vec();
    head.extend(2u32.to_le_bytes());
    head.extend(number(all)?);
    head.extend(number(text.len())?);
    head.extend(container::JSON.to_le_bytes());
    head.append(&mut text);
    if layout.length > 0 {
        head.extend(number(layout.length)?);
        head.extend(container::BIN.to_le_bytes());
    }
    let mut pieces = vec![head.into()];
    pieces.extend(layout.pieces);
    Ok(pieces)
}

/// Writes a mesh as JSON with its buffer within.
pub(super) fn json<'a>(
    mesh: TriangleView<'a>,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Result<BorrowedPieces<'a>, String> {
    let (document, layout) = document(mesh, encoding, warnings);
    let mut head = text(&document)?;
    if layout.length == 0 {
        return Ok(vec![head.into()]);
    }
    // The document is an object with at least one member: the buffers are put behind the last one, and the base64 into
    // their first URI.
    head.pop();
    let buffers = layout.buffers(json!({ "uri": BASE64 })).to_string();
    let (before, after) = buffers.split_once(BASE64).unwrap_or((&buffers, ""));
    head.extend(format!(",\"buffers\":{before}{BASE64}").bytes());
    let mut packed = Vec::new();
    base64::encode(&layout.pieces.concat(), &mut packed);
    let end = format!("{after}}}\n").into_bytes();
    Ok([head, packed, end].map(Cow::Owned).into())
}

fn text(document: &JsonObject) -> Result<Vec<u8>, String> {
    serde_json::to_vec(document).map_err(|e| e.to_string())
}

/// Returns the document without its buffer, and the bytes of that.
fn document<'a>(
    mesh: TriangleView<'a>,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> (JsonObject, BufferLayout<'a>) {
    let mut document = JsonObject::new();
    let generator = concat!("rxmesh ", env!("CARGO_PKG_VERSION"));
    let mut asset = json!({ "version": "2.0", "generator": generator });
    if !mesh.extras.comments.is_empty() {
        asset["extras"] = json!({ "comments": mesh.extras.comments });
    }
    document.insert("asset".into(), asset);
    warn_of_statements(mesh, warnings);
    if mesh.positions.is_empty() {
        return (document, BufferLayout::default());
    }
    let mut split = split::split(mesh);
    let positions = positions(mesh, split.as_ref());
    let mut attributes = Outgoing::new(mesh.extras, split.as_mut(), warnings).attributes();
    let packs = encoding == Encoding::Packed;
    let quantises = packs || encoding == Encoding::Quantised;
    let objects = parts::objects(&mesh.extras.tags, mesh.faces.len());
    let skins = skins::of_objects(mesh.extras, &objects, mesh.faces, warnings);
    // Readers of the rest pose find the positions of a mesh with a skin as they are.
    let is_skinned = skins.iter().any(Option::is_some);
    let steps = (quantises && !is_skinned).then(|| quantise::steps(&positions));
    let mut frame = *mesh.placement;
    let mut own = Vec::new();
    if quantises {
        attributes = attributes.into_iter().map(quantise::attribute).collect();
        own.push(QUANTIZATION);
        own.extend(packs.then_some(MESHOPT[0]));
    }
    if let Some(steps) = &steps {
        frame.origin += frame.scale * steps.origin;
        frame.scale *= steps.size;
    }
    let faces = split.as_ref().map_or(mesh.faces, |s| &s.faces);
    let position = match (&steps, &positions) {
        (Some(steps), _) => quantise::positions(&steps.positions),
        (None, Cow::Borrowed(own)) => {
            let flat: &'a [f32] = bytemuck::cast_slice(own);
            VertexAttribute::floats("POSITION", 3, flat)
        }
        (None, Cow::Owned(with_copies)) => {
            let flat: &[f32] = bytemuck::cast_slice(with_copies);
            VertexAttribute::floats("POSITION", 3, flat.to_vec())
        }
    };
    let mut writer = DocumentWriter {
        layout: BufferLayout {
            packs,
            ..BufferLayout::default()
        },
        positions: steps.as_ref().map_or(&positions, |s| &s.positions),
        faces,
        unsplit: split.is_none().then_some(mesh.faces),
        vertices: Vec::new(),
        ranges: HashMap::new(),
        short: Indices::default(),
        long: Indices::default(),
        materials: MaterialWriter::new(mesh.extras.materials.as_deref()),
    };
    attributes.insert(0, position);
    writer.attributes(attributes);
    let ranges = parts::vertex_ranges(&objects, faces, positions.len());
    let mut meshes = Vec::new();
    for (object, range) in objects.iter().zip(ranges) {
        meshes.push((object.name, writer.primitives(object, range)));
    }
    if meshes.is_empty() {
        meshes.push(("", vec![writer.points()]));
    }
    writer.indices();
    let DocumentWriter {
        mut layout,
        materials,
        ..
    } = writer;
    materials.finish(&mut document, &mut layout, &own, warnings);
    add_scene(&mut document, meshes, &frame);
    skins::add(&mut document, &mut layout, mesh.extras, &skins, &frame);
    document.insert(
        "bufferViews".into(),
        std::mem::take(&mut layout.views).into(),
    );
    document.insert(
        "accessors".into(),
        std::mem::take(&mut layout.accessors).into(),
    );
    (document, layout)
}

/// Warns of statements that the format does not hold.
fn warn_of_statements(mesh: TriangleView<'_>, warnings: &mut Vec<String>) {
    let count = |kind| mesh.extras.tags.iter().filter(|t| t.kind == kind).count();
    if count(TagKind::Smoothing) > 0 {
        warnings.push("glTF holds no smoothing groups".into());
    }
    if count(TagKind::Library) > 0 && mesh.extras.materials.is_none() {
        let why = "the material libraries (mtllib) were not found: materials have their names only";
        warnings.push(why.into());
    }
}

/// Returns the positions of all vertices, copies last.
fn positions<'a>(mesh: TriangleView<'a>, split: Option<&SplitVertices>) -> Cow<'a, [Vec3]> {
    let copies = split.map_or(&[][..], |s| &s.copies);
    if copies.is_empty() {
        return Cow::Borrowed(mesh.positions);
    }
    let copied = copies.iter().map(|&v| mesh.positions[v as usize]);
    Cow::Owned(mesh.positions.iter().copied().chain(copied).collect())
}

/// Adds meshes, a node for each and the scene of them.
fn add_scene(document: &mut JsonObject, meshes: Vec<(&str, Vec<Value>)>, placement: &Placement) {
    let (mut nodes, mut all) = (Vec::new(), Vec::new());
    for (index, (name, primitives)) in meshes.into_iter().enumerate() {
        let mut mesh = json!({ "primitives": primitives });
        let mut node = json!({ "mesh": index });
        if !name.is_empty() {
            mesh["name"] = name.into();
            node["name"] = name.into();
        }
        if !placement.is_world() {
            node["translation"] = json!(placement.origin.to_array());
            let scale = [placement.scale; 3];
            node["scale"] = json!(scale);
        }
        nodes.push(node);
        all.push(mesh);
    }
    let roots: Vec<usize> = (0..nodes.len()).collect();
    document.insert("scene".into(), 0.into());
    document.insert("scenes".into(), json!([{ "nodes": roots }]));
    document.insert("nodes".into(), nodes.into());
    document.insert("meshes".into(), all.into());
}

/// Attribute whose bytes are in the layout.
struct PlacedAttribute {
    name: String,
    form: AccessorForm,
    view: usize,
}

/// Maker of the accessors and primitives of a document.
struct DocumentWriter<'m, 'a> {
    layout: BufferLayout<'m>,
    positions: &'a [Vec3],
    faces: &'a [[u32; 3]],
    /// The same faces, where they are the mesh's.
    unsplit: Option<&'m [[u32; 3]]>,
    /// Attributes, the positions first.
    vertices: Vec<PlacedAttribute>,
    /// Attributes of primitives by their range of vertices: objects may share them.
    ranges: HashMap<Range<usize>, Value>,
    /// Indices of 16 and of 32 bits.
    short: Indices<'m>,
    long: Indices<'m>,
    materials: MaterialWriter<'a>,
}

/// Indices of one type, which share a view.
#[derive(Default)]
struct Indices<'m> {
    pieces: BorrowedPieces<'m>,
    length: usize,
    /// Accessors that need the view.
    accessors: Vec<usize>,
}

impl<'m, 'a> DocumentWriter<'m, 'a> {
    /// Puts the bytes of all attributes into the layout, the positions first.
    fn attributes(&mut self, attributes: Vec<VertexAttribute<'m>>) {
        for VertexAttribute { name, form, bytes } in attributes {
            let view = self.layout.vertices(bytes, form.stride());
            self.vertices.push(PlacedAttribute { name, form, view });
        }
    }

    /// Returns the attributes of primitives whose indices count from the beginning of a range of vertices.
    fn range(&mut self, range: Range<usize>) -> Value {
        if let Some(known) = self.ranges.get(&range) {
            return known.clone();
        }
        let mut all = JsonObject::new();
        for (k, of) in self.vertices.iter().enumerate() {
            let bounds = (k == 0).then(|| bounds(&self.positions[range.clone()]));
            let offset = range.start * of.form.stride();
            let accessor = self
                .layout
                .accessor(&of.form, of.view, offset, range.len(), bounds);
            all.insert(of.name.clone(), accessor.into());
        }
        let all = Value::from(all);
        self.ranges.insert(range, all.clone());
        all
    }

    /// Returns the primitives of an object with this range of vertices.
    fn primitives(&mut self, object: &ObjectRun<'a>, range: Range<usize>) -> Vec<Value> {
        let attributes = self.range(range.clone());
        let primitive = |run: &FaceRun<'a>| {
            let indices = self.run(run.faces.clone(), &range);
            let mut primitive = json!({ "attributes": attributes, "indices": indices });
            if !run.material.is_empty() {
                primitive["material"] = self.materials.place(run.material).into();
            }
            if !run.group.is_empty() {
                primitive["extras"] = json!({ "group": run.group });
            }
            primitive
        };
        object.runs.iter().map(primitive).collect()
    }

    /// Returns the primitive of a mesh without faces.
    fn points(&mut self) -> Value {
        let attributes = self.range(0..self.positions.len());
        json!({ "attributes": attributes, "mode": 0 })
    }

    /// Adds the indices of some faces, counted from the beginning of a range, and returns their accessor.
    fn run(&mut self, faces: Range<usize>, range: &Range<usize>) -> usize {
        let unsplit = self.unsplit.map(|all| all[faces.clone()].as_flattened());
        let corners = self.faces[faces].as_flattened();
        let first = range.start as u32;
        let is_short = range.len() <= MANY;
        let (component, list, bytes) = if is_short {
            let short: Vec<u16> = corners.iter().map(|v| (v - first) as u16).collect();
            (
                Component::U16,
                &mut self.short,
                Cow::Owned(bytes(&short, u16::to_le_bytes)),
            )
        } else if first == 0 {
            (
                Component::U32,
                &mut self.long,
                match unsplit {
                    Some(corners) => words(corners, u32::to_le_bytes),
                    None => Cow::Owned(bytes(corners, u32::to_le_bytes)),
                },
            )
        } else {
            let long: Vec<u32> = corners.iter().map(|v| v - first).collect();
            (
                Component::U32,
                &mut self.long,
                Cow::Owned(bytes(&long, u32::to_le_bytes)),
            )
        };
        let form = AccessorForm {
            component,
            width: 1,
            normalized: false,
        };
        let offset = list.length;
        let accessor = self.layout.accessor(&form, 0, offset, corners.len(), None);
        list.length += bytes.len();
        list.pieces.push(bytes);
        list.accessors.push(accessor);
        accessor
    }

    /// Puts the indices into the layout, a view for each type.
    fn indices(&mut self) {
        let lists = [(4, &mut self.long), (2, &mut self.short)];
        for (size, list) in lists.map(|(size, list)| (size, std::mem::take(list))) {
            if list.accessors.is_empty() {
                continue;
            }
            let mut pieces = list.pieces;
            let all = match &mut pieces[..] {
                [one] => std::mem::take(one),
                _ => Cow::Owned(pieces.concat()),
            };
            let view = self.layout.triangles(all, size);
            for accessor in list.accessors {
                self.layout.accessors[accessor]["bufferView"] = view.into();
            }
        }
    }
}

/// Returns the least and the largest coordinates.
fn bounds(positions: &[Vec3]) -> [[f32; 3]; 2] {
    let none = || [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let join = |[a, b]: [Vec3; 2], [c, d]: [Vec3; 2]| [a.min(c), b.max(d)];
    let add = |[low, high]: [Vec3; 2], p: &Vec3| [low.min(*p), high.max(*p)];
    let parts = positions.par_chunks(PLAIN).lean();
    let boxes = parts.map(|part| part.iter().fold(none(), add));
    boxes.reduce(none, join).map(|p| p.to_array())
}
