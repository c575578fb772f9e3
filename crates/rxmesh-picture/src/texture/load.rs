//! Textures of a mesh: its materials, their images, and the texture coordinates.

use super::decode::decode;
use super::mip::MipImage;
use super::{CoatMaterial, PlacedImage, TextureCoat};
use crate::coat::{USUAL, colors_of, texture_coordinates};
use crate::error::PictureError;
use crate::options::fault;
use rxmesh_host::io::base64;
use rxmesh_host::mesh::{
    COLOR, ColumnData, ElementKind, MaterialImage, SourceMaterials, TagKind, bytes_of_name,
};
use rxmesh_host::{TriMesh, files};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Most bytes of an image file.
const MOST_BYTES: u64 = 1 << 30;

/// Materials and images of one mesh.
#[derive(Debug, Clone)]
pub(crate) struct MeshTextures {
    /// Materials with the numbers of their texture coordinates, in the order of the file; the last one is for faces
    /// without a material.
    materials: Vec<CoatMaterial>,
    /// `true` if the colours of the materials are multiplied by those of the vertices.
    has_vertex_colors: bool,
}

/// Reads images, each one once.
#[derive(Debug, Default)]
pub(crate) struct TextureLoader<'a> {
    images: Vec<(MaterialImage<'a>, Option<Arc<MipImage>>)>,
    /// Images and libraries that cannot be read, and other reasons why textures are not drawn.
    pub(crate) warnings: Vec<String>,
}

impl<'a> TextureLoader<'a> {
    /// Reads an image that is to be drawn on every mesh.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, with its name.
    pub(crate) fn file(path: &Path) -> Result<MeshTextures, PictureError> {
        match read(path).and_then(decode) {
            Ok(image) => Ok(MeshTextures {
                materials: vec![CoatMaterial {
                    color: [1.0; 3],
                    image: Some(PlacedImage::repeated(Arc::new(image))),
                    set: 0,
                    is_two_sided: false,
                }],
                has_vertex_colors: false,
            }),
            Err(why) => fault(format!("{}: {why}", path.display())),
        }
    }

    /// Reads the images of a mesh; `None` if its materials have neither images nor colours.
    pub(crate) fn textures(&mut self, mesh: &'a TriMesh) -> Option<MeshTextures> {
        let libraries = mesh.extras.tags.iter().find(|t| t.kind == TagKind::Library);
        let Some(source) = mesh.extras.materials.as_deref() else {
            if let Some(library) = libraries {
                self.warn(format!(
                    "the material library '{}' is not there, or has no materials: colours and images of materials are \
                        not drawn",
                    shown(&library.text)
                ));
            }
            return None;
        };
        // Scans in OBJ files have the same colours as vertices and as an image.
        let has_vertex_colors =
            libraries.is_none() && mesh.extras.column(ElementKind::Vertex, COLOR).is_some();
        let count = source.names().len();
        let used = used_materials(mesh, source);
        let materials = (0..count).map(|index| match used[index] {
            true => self.material(mesh, source, index, has_vertex_colors),
            false => plain(None, has_vertex_colors),
        });
        let mut materials: Vec<CoatMaterial> = materials.collect();
        let usual = plain(None, has_vertex_colors);
        let shows = |m: &CoatMaterial| m.image.is_some() || m.color != usual.color;
        let any = materials.iter().any(shows);
        materials.push(usual);
        any.then_some(MeshTextures {
            materials,
            has_vertex_colors,
        })
    }

    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    fn material(
        &mut self,
        mesh: &TriMesh,
        source: &'a SourceMaterials,
        index: usize,
        has_vertex_colors: bool,
    ) -> CoatMaterial {
        let look = source.look(index);
        let color = look.color.map(|[r, g, b, _]| [r, g, b]);
        let mut material = CoatMaterial {
            is_two_sided: look.is_two_sided,
            ..plain(color, has_vertex_colors)
        };
        let Some(texture) = look.texture else {
            return material;
        };
        let name = shown(&source.names()[index]);
        if !has_set(mesh, texture.set) {
            self.warn(format!(
                "the mesh has no texture coordinates of number {}, so the image of material '{name}' is not drawn",
                texture.set
            ));
            return material;
        }
        match self.image(source, texture.image) {
            Ok(image) => {
                material.color = color.unwrap_or([1.0; 3]);
                material.set = texture.set;
                material.image = Some(PlacedImage::new(image, &texture));
            }
            Err(Some(why)) => self.warn(format!("{why}; material '{name}' is drawn in one colour")),
            Err(None) => {}
        }
        material
    }

    /// Returns an image; an error says why it cannot be read, if that has not been told.
    fn image(
        &mut self,
        source: &'a SourceMaterials,
        index: Option<usize>,
    ) -> Result<Arc<MipImage>, Option<String>> {
        let Some((index, content)) = index.and_then(|i| Some((i, source.image(i)?))) else {
            return Err(Some("a texture has no image that can be read".into()));
        };
        if let Some((_, known)) = self.images.iter().find(|(other, _)| *other == content) {
            return known.clone().ok_or(None);
        }
        let bytes = match content {
            MaterialImage::Bytes(bytes) => decode(bytes.to_vec()),
            MaterialImage::File(path) => read(path).and_then(decode),
            MaterialImage::Uri(uri) => data_of(uri).and_then(decode),
        };
        let (image, why) = match bytes {
            Ok(image) => (Some(Arc::new(image)), None),
            Err(why) => (None, Some(why)),
        };
        self.images.push((content, image.clone()));
        let told = |why| format!("{} cannot be drawn: {why}", source.image_name(index));
        image.ok_or_else(|| why.map(told))
    }
}

/// Returns the material of a colour, or of none.
fn plain(color: Option<[f32; 3]>, has_vertex_colors: bool) -> CoatMaterial {
    let usual = match has_vertex_colors {
        true => [1.0; 3],
        false => USUAL.linear(),
    };
    CoatMaterial {
        color: color.unwrap_or(usual),
        image: None,
        set: 0,
        is_two_sided: false,
    }
}

/// Returns the faces of each material, with its place.
fn material_ranges<'a>(
    mesh: &'a TriMesh,
    source: &SourceMaterials,
) -> Vec<(std::ops::Range<u32>, usize)> {
    let names = source.names().iter().map(String::as_str);
    let places: HashMap<&str, usize> = names.zip(0..).collect();
    let ranges = mesh
        .extras
        .face_ranges(TagKind::Material, mesh.face_count());
    let place = |(range, text): (_, &'a str)| Some((range, *places.get(text)?));
    ranges.into_iter().filter_map(place).collect()
}

/// Returns, for each material, `true` if a face has it.
fn used_materials(mesh: &TriMesh, source: &SourceMaterials) -> Vec<bool> {
    let mut used = vec![false; source.names().len()];
    for (_, place) in material_ranges(mesh, source) {
        used[place] = true;
    }
    used
}

fn has_set(mesh: &TriMesh, set: usize) -> bool {
    !coordinates(mesh, set).is_empty()
}

/// Returns the texture coordinates of a number, of all corners and counted from the lower edge; nothing if the mesh has
/// none.
fn coordinates(mesh: &TriMesh, set: usize) -> Vec<[f32; 2]> {
    if set == 0 {
        return texture_coordinates(mesh).unwrap_or_default();
    }
    let name = format!("TEXCOORD_{set}");
    let column = mesh.extras.column(ElementKind::Vertex, &name);
    let Some(column) = column.filter(|c| c.width == 2) else {
        return Vec::new();
    };
    // Whole numbers are fractions of their type's greatest.
    let most = match &column.data {
        ColumnData::U8(_) => f64::from(u8::MAX),
        ColumnData::U16(_) => f64::from(u16::MAX),
        _ => 1.0,
    };
    let number = |i: usize| (column.data.get(i) / most) as f32;
    let at = |&v: &u32| {
        let first = 2 * v as usize;
        [number(first), 1.0 - number(first + 1)]
    };
    mesh.faces.iter().flatten().map(at).collect()
}

impl TextureCoat {
    /// Returns the coat of a mesh, whose textures have been read.
    pub(crate) fn new(mesh: &TriMesh, textures: &MeshTextures) -> TextureCoat {
        let mut coat = TextureCoat {
            materials: textures.materials.clone(),
            of_faces: Vec::new(),
            sets: Vec::new(),
            colors: Vec::new(),
        };
        let mut numbers: Vec<usize> = Vec::new();
        for material in coat.materials.iter_mut().filter(|m| m.image.is_some()) {
            let place = numbers.iter().position(|n| *n == material.set);
            material.set = place.unwrap_or_else(|| {
                numbers.push(material.set);
                coat.sets.push(coordinates(mesh, material.set));
                numbers.len() - 1
            });
        }
        if let Some(source) = mesh
            .extras
            .materials
            .as_deref()
            .filter(|_| textures.materials.len() > 1)
        {
            let last = textures.materials.len() as u32 - 1;
            coat.of_faces = vec![last; mesh.face_count()];
            for (range, place) in material_ranges(mesh, source) {
                coat.of_faces[range.start as usize..range.end as usize].fill(place as u32);
            }
        }
        if textures.has_vertex_colors {
            let column = mesh.extras.column(ElementKind::Vertex, COLOR);
            coat.colors = column.and_then(colors_of).unwrap_or_default();
        }
        coat
    }
}

/// Reads a file of an image.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!(
            "it has {size} bytes, and at most {MOST_BYTES} are read"
        ));
    }
    files::read(path).map_err(|e| e.to_string())
}

/// Returns the content of a URI that has it in itself.
fn data_of(uri: &str) -> Result<Vec<u8>, String> {
    let Some(data) = uri.strip_prefix("data:") else {
        return Err("there is no such file beside the mesh".into());
    };
    match data.split_once(";base64,") {
        Some((_, text)) => match base64::decode(text.as_bytes(), MOST_BYTES as usize) {
            Ok((bytes, _)) => Ok(bytes),
            Err(at) => Err(format!("character {at} of its data is not base64")),
        },
        None => Err("its data are not base64".into()),
    }
}

/// Returns a name as messages show it.
fn shown(name: &str) -> String {
    let name = bytes_of_name(name);
    String::from_utf8_lossy(&name).escape_debug().to_string()
}
