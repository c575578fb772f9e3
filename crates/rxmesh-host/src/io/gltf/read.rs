//! Meshes of the scene become a soup.

use super::super::budget::Budget;
use super::super::error::Fault;
use super::super::points::{CoordinateBits, FilePoints};
use super::super::soup::Soup;
use super::accessors::AccessorReader;
use super::attributes::{self, Gathered, Role};
use super::buffers::Buffers;
use super::extensions::{self, DRACO, DRACO_ADVICE};
use super::faces::{self, Mode};
use super::json::{self, JsonItem, JsonObject, MESHES};
use super::materials::{self, MaterialList};
use super::placing::Placing;
use super::scene::{self, Instance};
use super::texture_transform::TextureTransform;
use super::{container, left_out, skins};
use crate::mesh::{ColumnData, NORMAL, Tag, TagKind, check_counts};
use crate::par::{IntoLean, mapped, position_first};
use glam::Vec3;
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Reads a file of either form; `name` is its path, beside which other files of it are.
pub(in super::super) fn read(
    bytes: &[u8],
    bits: CoordinateBits,
    name: &Path,
) -> Result<Soup, Fault> {
    let chunks = container::split(bytes)?;
    let mut document = json::parse(chunks.json)?;
    check_version(&document)?;
    extensions::check(&document)?;
    let materials = materials::take(&mut document)?;
    let mut budget = Budget::of(bytes.len());
    let buffers = Buffers::new(&document, chunks.bin, name, &mut budget)?;
    let instances = scene::instances(&document)?;
    let mut reader = GltfReader {
        document: &document,
        accessors: AccessorReader {
            document: &document,
            buffers,
            budget,
        },
        soup: Soup {
            points: FilePoints::new(bits),
            binary: true,
            warnings: chunks.warnings,
            comments: comments(&document),
            ..Soup::default()
        },
        materials,
        state: [None, None],
        columns: Gathered::default(),
        known: HashMap::new(),
        has_faces: has_faces(&document, &instances.all)?,
        objects: instances.all.len(),
        skipped: Skipped::default(),
    };
    reader.soup.warnings.extend(instances.warnings);
    let warnings = &mut reader.soup.warnings;
    if let Some(skins) = skins::take(&mut reader.accessors, &instances.all, warnings)? {
        let source = reader.materials.source.get_or_insert_default();
        source.skins = Some(skins);
    }
    for instance in &instances.all {
        reader.mesh(instance)?;
    }
    reader.finish(name)
}

/// Returns the comments that a file of our own has.
fn comments(document: &JsonObject) -> Vec<String> {
    let list = document
        .get("asset")
        .and_then(|asset| asset.get("extras")?.get("comments")?.as_array());
    let texts = list.into_iter().flatten().filter_map(|c| c.as_str());
    texts.map(|c| c.replace(['\n', '\r'], " ")).collect()
}

fn check_version(document: &JsonObject) -> Result<(), Fault> {
    let asset = document.get("asset").and_then(|a| a.as_object());
    let text = |key: &str| asset.and_then(|a| a.get(key)?.as_str());
    let version = text("minVersion").or(text("version")).unwrap_or("2.0");
    match version {
        "2" | "2.0" => Ok(()),
        _ => {
            let version: String = version.chars().take(20).collect();
            let what = format!("version '{version}' of glTF is not read; 2.0 is");
            Err(Fault::file(what))
        }
    }
}

/// Returns `true` if any mesh has triangles.
fn has_faces(document: &JsonObject, instances: &[Instance]) -> Result<bool, Fault> {
    for instance in instances {
        let mesh = json::item(document, MESHES, instance.mesh)?;
        for primitive in mesh.items("primitives", "primitive")? {
            if !matches!(Mode::of(&primitive)?, Mode::Points | Mode::Lines) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Primitives and other data that are not in the mesh.
#[derive(Debug, Default)]
struct Skipped {
    /// Primitives of points and lines.
    points: usize,
    /// Primitives without positions.
    empty: usize,
    /// Primitives with morph targets.
    morphed: usize,
    /// Lists of triangles that end within one.
    torn: usize,
}

/// Identity of the vertices of a primitive: accessors by attribute, and bits of the transforms of positions and texture
/// coordinates. Primitives with the same share vertices.
type VertexKey = (Vec<(String, usize)>, Option<[u64; 16]>, Option<[u64; 5]>);

/// Vertices of a primitive in the soup.
#[derive(Clone, Copy)]
struct PrimitiveVertices {
    first: usize,
    count: usize,
}

struct GltfReader<'a> {
    document: &'a JsonObject,
    accessors: AccessorReader<'a>,
    soup: Soup,
    columns: Gathered,
    materials: MaterialList,
    /// Material and group of the last faces, where statements have named any.
    state: [Option<String>; 2],
    known: HashMap<VertexKey, PrimitiveVertices>,
    has_faces: bool,
    objects: usize,
    skipped: Skipped,
}

impl GltfReader<'_> {
    fn mesh(&mut self, instance: &Instance) -> Result<(), Fault> {
        let mesh = json::item(self.document, MESHES, instance.mesh)?;
        let primitives = mesh.items("primitives", "primitive")?;
        if self.objects > 1 || !instance.name.is_empty() {
            self.tag(TagKind::Object, &instance.name);
        }
        let placing = instance.placed.map(Placing::new);
        let mut last = None;
        for (index, primitive) in primitives.iter().enumerate() {
            let material = primitive.index("material")?;
            // Without a name, a primitive of the material of the one before would not be told from it.
            let group = match primitive
                .object("extras")
                .ok()
                .flatten()
                .and_then(|e| e.text("group"))
            {
                None if index > 0 && last == Some(material) => format!("primitive_{index}"),
                group => group.unwrap_or_default().to_owned(),
            };
            last = Some(material);
            self.statements(primitive, material, group)?;
            let transform = material.and_then(|m| *self.materials.transforms.get(m)?);
            self.primitive(primitive, placing.as_ref(), transform)?;
        }
        Ok(())
    }

    /// Names the material and the group of the faces that follow, where they are others than before.
    fn statements(
        &mut self,
        primitive: &JsonItem<'_>,
        material: Option<usize>,
        group: String,
    ) -> Result<(), Fault> {
        let name = match material {
            None => "",
            Some(material) => {
                let names = self.materials.source.as_ref().map_or(&[][..], |s| &s.names);
                let count = names.len();
                let missing = || {
                    primitive.fault(format!(
                        "material {material} is named, but there are {count}"
                    ))
                };
                names.get(material).ok_or_else(missing)?
            }
        };
        let texts = [name.to_owned(), group];
        for (k, (kind, text)) in [TagKind::Material, TagKind::Group]
            .into_iter()
            .zip(texts)
            .enumerate()
        {
            if self.state[k].as_deref().unwrap_or_default() != text {
                self.tag(kind, &text);
                self.state[k] = Some(text);
            }
        }
        Ok(())
    }

    fn tag(&mut self, kind: TagKind, text: &str) {
        let face = (self.soup.corners.len() / 3) as u32;
        let text = text.to_owned();
        self.soup.tags.push(Tag { face, kind, text });
    }

    fn primitive(
        &mut self,
        primitive: &JsonItem<'_>,
        placing: Option<&Placing>,
        transform: Option<TextureTransform>,
    ) -> Result<(), Fault> {
        let mode = Mode::of(primitive)?;
        let is_line = matches!(mode, Mode::Points | Mode::Lines);
        if mode == Mode::Lines || is_line && self.has_faces {
            self.skipped.points += 1;
            return Ok(());
        }
        let Some(attributes) = primitive.object("attributes")? else {
            self.skipped.empty += 1;
            return Ok(());
        };
        let Some(positions) = attributes.index("POSITION")? else {
            self.skipped.empty += 1;
            return Ok(());
        };
        if primitive.extension(DRACO)?.is_some() {
            let (accessor, _) = self.accessors.count(positions)?;
            if !accessor.object.contains_key("bufferView") {
                return Err(primitive.fault(format!("it is packed by {DRACO}: {DRACO_ADVICE}")));
            }
        }
        self.skipped.morphed += usize::from(!primitive.values("targets")?.is_empty());
        let vertices = self.vertices(primitive, &attributes, placing, transform)?;
        if is_line {
            return Ok(());
        }
        let order = match primitive.index("indices")? {
            Some(accessor) => self.order(primitive, accessor, vertices.count)?,
            None => {
                let count = vertices.count as u32;
                (0..count).collect()
            }
        };
        self.skipped.torn += usize::from(mode == Mode::Triangles && order.len() % 3 != 0);
        let mut corners = mode.corners(order);
        if placing.is_some_and(|p| p.mirrors) {
            faces::turn(&mut corners);
        }
        self.add_corners(corners, vertices.first)
    }

    /// Returns the vertices that the indices of a primitive name.
    fn order(
        &mut self,
        primitive: &JsonItem<'_>,
        accessor: usize,
        vertices: usize,
    ) -> Result<Vec<u32>, Fault> {
        let order = self.accessors.indices(accessor)?;
        if let Some(at) = position_first(&order, |&v| v as usize >= vertices) {
            let what = format!(
                "index {at} of accessor {accessor} is {}, but there are {vertices} vertices",
                order[at]
            );
            return Err(primitive.fault(what));
        }
        Ok(order)
    }

    fn add_corners(&mut self, mut corners: Vec<u32>, first: usize) -> Result<(), Fault> {
        let all = &mut self.soup.corners;
        check_counts(
            self.soup.points.len() as u64,
            (all.len() + corners.len()) as u64 / 3,
        )?;
        if first > 0 {
            let first = first as u32;
            corners.iter_mut().for_each(|v| *v += first);
        }
        match all.is_empty() {
            true => *all = corners,
            false => all.append(&mut corners),
        }
        Ok(())
    }

    /// Reads the vertices of a primitive, unless one before had the same.
    fn vertices(
        &mut self,
        primitive: &JsonItem<'_>,
        attributes: &JsonItem<'_>,
        placing: Option<&Placing>,
        transform: Option<TextureTransform>,
    ) -> Result<PrimitiveVertices, Fault> {
        let mut accessors = Vec::with_capacity(attributes.object.len());
        for name in attributes.object.keys() {
            accessors.push((name.clone(), attributes.required(name)?));
        }
        let key = (
            accessors,
            placing.map(Placing::bits),
            transform.map(|t| t.bits()),
        );
        if let Some(vertices) = self.known.get(&key) {
            return Ok(*vertices);
        }
        let first = self.soup.points.len();
        let position = attributes.required("POSITION")?;
        let points = self.points(primitive, position)?;
        let vertices = PrimitiveVertices {
            first,
            count: points.len(),
        };
        check_counts((first + points.len()) as u64, 0)?;
        match placing {
            None => self.soup.points.extend(points),
            Some(placing) => {
                let placed = points.par_iter().lean().map(|p| placing.point(*p));
                let placed = self.soup.points.extend_placed(placed.collect());
                placed.map_err(|r| r.of(|what| primitive.fault(format!("a position {what}"))))?;
            }
        }
        for (name, accessor) in key.0.iter().filter(|(name, _)| name != "POSITION") {
            self.attribute(primitive, (name, *accessor), vertices, placing, transform)?;
        }
        self.known.insert(key, vertices);
        Ok(vertices)
    }

    fn points(&mut self, primitive: &JsonItem<'_>, accessor: usize) -> Result<Vec<Vec3>, Fault> {
        let point = |bytes: [u8; 12]| {
            let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes;
            [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(f32::from_le_bytes)
        };
        let points: Vec<Vec3> = match self.accessors.plain(accessor, point)? {
            Some(points) => bytemuck::allocation::cast_vec(points),
            None => {
                let numbers = self.accessors.numbers(accessor)?;
                attributes::check(primitive, "POSITION", &numbers, numbers.count)?;
                let floats = numbers.floats();
                floats
                    .as_chunks::<3>()
                    .0
                    .iter()
                    .map(|p| Vec3::from(*p))
                    .collect()
            }
        };
        match position_first(&points, |p| !p.is_finite()) {
            Some(at) => Err(primitive.fault(format!(
                "element {at} of POSITION (accessor {accessor}) is not finite: {:?}",
                points[at].to_array()
            ))),
            None => Ok(points),
        }
    }

    fn attribute(
        &mut self,
        primitive: &JsonItem<'_>,
        (name, accessor): (&str, usize),
        vertices: PrimitiveVertices,
        placing: Option<&Placing>,
        transform: Option<TextureTransform>,
    ) -> Result<(), Fault> {
        let role = Role::of(name);
        let numbers = self.accessors.numbers(accessor)?;
        attributes::check(primitive, name, &numbers, vertices.count)?;
        let width = numbers.width;
        let mut data = role.values(numbers);
        if let (Some(placing), ColumnData::F32(values)) = (placing, &mut data) {
            match role {
                Role::Normal => placing.normals(values),
                Role::Tangent => placing.tangents(values),
                _ => {}
            }
        }
        match (role, data) {
            (Role::Normal, data) => self.columns.add(NORMAL, vertices.first, width, data),
            (Role::Texcoord, ColumnData::F32(mut values)) => {
                if let Some(transform) = transform {
                    transform.apply(&mut values);
                }
                let [s, t] = texcoords(&values);
                self.columns.add("s", vertices.first, 1, ColumnData::F32(s));
                self.columns.add("t", vertices.first, 1, ColumnData::F32(t));
            }
            (_, data) => self.columns.add(name, vertices.first, width, data),
        }
        Ok(())
    }

    fn finish(mut self, name: &Path) -> Result<Soup, Fault> {
        let soup = &mut self.soup;
        if let Some(mut source) = self.materials.source {
            materials::fetch_images(&mut source, &mut self.accessors, name, &mut soup.warnings)?;
            soup.materials = Some(Arc::new(source));
        }
        soup.columns = self.columns.finish(soup.points.len(), &mut soup.warnings);
        let Skipped {
            points,
            empty,
            morphed,
            torn,
        } = self.skipped;
        for (count, what) in [
            (points, "primitives of points and lines are left out"),
            (empty, "primitives have no positions and are left out"),
            (morphed, "primitives have morph targets, which are not kept"),
            (torn, "lists of triangles end within one, which is left out"),
        ] {
            if count > 0 {
                soup.warnings.push(format!("{count} {what}"));
            }
        }
        soup.warnings.extend(left_out::warning(self.document));
        Ok(self.soup)
    }
}

/// Returns the two texture coordinates of each vertex; the second counts from the lower edge of the image, as those of
/// all other formats do.
fn texcoords(values: &[f32]) -> [Vec<f32>; 2] {
    let pairs = values.as_chunks::<2>().0;
    [mapped(pairs, |p| p[0]), mapped(pairs, |p| 1.0 - p[1])]
}
