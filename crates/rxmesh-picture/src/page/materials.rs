//! Materials, images and checkers of a page.

use super::columns::DescribedColumn;
use super::pack::{ArrayPlace, PackedArrays};
use super::{PageMesh, text_of};
use crate::coat::{CHECKERS, CHECKERS_A_UNIT, texture_coordinates};
use crate::color::{Encoder, LinearColor};
use crate::error::PictureError;
use crate::options::{Paint, PictureOptions};
use crate::texture::{CoatMaterial, MeshTextures, MipImage, TextureCoat, TextureLoader};
use rxmesh_host::TriMesh;
use rxmesh_host::mesh::TextureWrap;
use serde::Serialize;
use std::sync::Arc;

/// Name that materials have in the list of columns, also in place of a map.
pub(super) const MATERIALS: &str = "materials";

/// Name of checkers.
pub(super) const CHECKER: &str = "checker";

/// Steps of a unit of texture coordinates.
const STEPS: f32 = 65_536.0;

/// Draws of a page's materials: the rest of the description of a column.
#[derive(Serialize)]
pub(super) struct DescribedMaterials {
    /// Faces in the order of their materials, if it is not their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<ArrayPlace>,
    /// Colours of the vertices, which those of the materials are multiplied by.
    #[serde(skip_serializing_if = "Option::is_none")]
    colors: Option<ArrayPlace>,
    draws: Vec<DescribedDraw>,
}

/// Faces of one material, which follow each other.
#[derive(Serialize)]
struct DescribedDraw {
    faces: usize,
    tone: [f32; 3],
    /// Place among the images of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<usize>,
    /// Rules for coordinates outside of the image, as OpenGL names them.
    wrap: [&'static str; 2],
    nearest: bool,
    checker: bool,
    /// `true` if both sides look alike.
    both: bool,
}

/// Images of a page, each once.
#[derive(Default)]
pub(super) struct PageImages(Vec<Arc<MipImage>>);

impl PageImages {
    /// Returns the place of an image.
    fn place(&mut self, image: &Arc<MipImage>) -> usize {
        let found = self.0.iter().position(|own| Arc::ptr_eq(own, image));
        found.unwrap_or_else(|| {
            self.0.push(image.clone());
            self.0.len() - 1
        })
    }

    /// Returns the files of the images in base 64.
    pub(super) fn texts(&self) -> Vec<String> {
        self.0.iter().map(|image| text_of(&image.file)).collect()
    }
}

/// Materials of the meshes of a page.
pub(super) struct PageMaterials {
    /// Those of each mesh.
    textures: Vec<Option<MeshTextures>>,
    /// Images and libraries that cannot be read.
    pub(super) warnings: Vec<String>,
}

impl PageMaterials {
    /// Reads the images of all meshes, if they are to be shown.
    pub(super) fn load(
        meshes: &[PageMesh<'_>],
        options: &PictureOptions,
    ) -> Result<PageMaterials, PictureError> {
        let mut loader = TextureLoader::default();
        let with_faces = |one: &&PageMesh<'_>| !one.mesh.faces.is_empty();
        if matches!(options.paint, Paint::Texture(_) | Paint::Checker) {
            for one in meshes.iter().filter(with_faces) {
                texture_coordinates(one.mesh)?;
            }
        }
        let one_image = match &options.paint {
            Paint::Texture(path) => Some(TextureLoader::file(path)?),
            _ => None,
        };
        let mut textures = Vec::with_capacity(meshes.len());
        for one in meshes {
            textures.push(match &options.paint {
                Paint::Usual => loader.textures(one.mesh),
                _ => one_image.clone().filter(|_| with_faces(&one)),
            });
        }
        Ok(PageMaterials {
            textures,
            warnings: loader.warnings,
        })
    }

    /// Describes the materials of a mesh, or checkers on it, and adds its arrays.
    pub(super) fn describe(
        &self,
        (place, mesh): (usize, &TriMesh),
        paint: &Paint,
        arrays: &mut PackedArrays,
        images: &mut PageImages,
    ) -> Option<DescribedColumn<'static>> {
        if *paint == Paint::Checker {
            return checkers(mesh, arrays);
        }
        let textures = self.textures.get(place)?.as_ref()?;
        let coat = TextureCoat::new(mesh, textures);
        let count = coat.materials.len();
        // Faces of a material with an image, but without coordinates, have its colour: they come as of a second one.
        let draw_of = |face: usize| {
            let material = coat.of_faces.get(face).map_or(0, |&m| m as usize);
            match coat.coordinates(face) {
                Some(_) => material,
                None => material + count,
            }
        };
        let draws: Vec<usize> = (0..mesh.face_count()).map(draw_of).collect();
        let mut order: Vec<u32> = (0..mesh.face_count() as u32).collect();
        order.sort_by_key(|&face| draws[face as usize]);
        let corners =
            (0..mesh.face_count()).flat_map(|face| coat.coordinates(face).unwrap_or_default());
        let values = pack_coordinates(corners, arrays);
        let colors = colors_of_vertices(&coat.colors, arrays);
        let runs = order.chunk_by(|&a, &b| draws[a as usize] == draws[b as usize]);
        let draws = runs.map(|run| {
            let draw = draws[run[0] as usize];
            let material = &coat.materials[draw % count];
            describe_draw(run.len(), material, draw < count, images)
        });
        let materials = DescribedMaterials {
            order: (!order.is_sorted()).then(|| arrays.add_32(&order, 1)),
            colors,
            draws: draws.collect(),
        };
        Some(column(MATERIALS, values, materials))
    }
}

fn describe_draw(
    faces: usize,
    material: &CoatMaterial,
    has_image: bool,
    images: &mut PageImages,
) -> DescribedDraw {
    let placed = material.image.as_ref().filter(|_| has_image);
    let wrap = |axis: usize| match placed.map_or(TextureWrap::Repeat, |placed| placed.wrap[axis]) {
        TextureWrap::Repeat => "REPEAT",
        TextureWrap::Clamp => "CLAMP_TO_EDGE",
        TextureWrap::Mirror => "MIRRORED_REPEAT",
    };
    DescribedDraw {
        faces,
        tone: tone(material.color),
        image: placed.map(|placed| images.place(&placed.image)),
        wrap: [0, 1].map(wrap),
        nearest: placed.is_some_and(|placed| placed.is_nearest),
        checker: false,
        both: material.is_two_sided,
    }
}

/// Describes checkers, and adds their coordinates.
fn checkers(mesh: &TriMesh, arrays: &mut PackedArrays) -> Option<DescribedColumn<'static>> {
    let corners = texture_coordinates(mesh).ok()?;
    let corners = corners
        .iter()
        .map(|at| at.map(|x| if x.is_finite() { x } else { 0.0 } * CHECKERS_A_UNIT));
    let values = pack_coordinates(corners, arrays);
    let draw = DescribedDraw {
        faces: mesh.face_count(),
        tone: CHECKERS[1].0.map(|c| f32::from(c) / 255.0),
        image: None,
        wrap: ["REPEAT"; 2],
        nearest: false,
        checker: true,
        both: false,
    };
    let materials = DescribedMaterials {
        order: None,
        colors: None,
        draws: vec![draw],
    };
    Some(column(CHECKER, values, materials))
}

fn column(
    name: &'static str,
    values: ArrayPlace,
    materials: DescribedMaterials,
) -> DescribedColumn<'static> {
    DescribedColumn {
        name,
        of: "face",
        low: 0.0,
        high: 0.0,
        map: MATERIALS,
        values,
        materials: Some(materials),
    }
}

/// Adds coordinates of corners as signed numbers of 16 bits before the point and as many behind it.
fn pack_coordinates(
    corners: impl Iterator<Item = [f32; 2]>,
    arrays: &mut PackedArrays,
) -> ArrayPlace {
    let whole = |x: f32| (x * STEPS).round_ties_even() as i32 as u32;
    let numbers: Vec<u32> = corners.flatten().map(whole).collect();
    arrays.add_32(&numbers, 2)
}

fn colors_of_vertices(colors: &[LinearColor], arrays: &mut PackedArrays) -> Option<ArrayPlace> {
    if colors.is_empty() {
        return None;
    }
    let encoder = Encoder::new();
    let bytes = colors
        .iter()
        .flatten()
        .map(|l| u16::from(encoder.encode(*l)));
    Some(arrays.add_16(&bytes.collect::<Vec<u16>>(), 3))
}

/// Returns a colour as the viewer takes it.
fn tone(color: LinearColor) -> [f32; 3] {
    let encoder = Encoder::new();
    color.map(|light| f32::from(encoder.encode(light)) / 255.0)
}
