//! Pictures of the documents, of meshes from `data`: PNG files of the renderer, and the control mesh of a surface as
//! SVG, along parallel lines.

mod bunny;
mod cube;
mod gallery;
mod sections;
mod wrapped;

use std::path::Path;

use anyhow::{Context as _, Result};
use glam::Vec3;
use rxmesh_host::TriMesh;
use rxmesh_host::io::{self, ReadOptions};
use rxmesh_picture::PictureOptions;

/// Name of a file and the function that draws it.
type Figure = (&'static str, fn() -> Result<Vec<u8>>);

const FIGURES: [Figure; 11] = [
    ("creased-cube.svg", || Ok(cube::svg()?.into_bytes())),
    ("simplify.png", bunny::simplified),
    ("patches.png", bunny::patches),
    ("wrap.png", wrapped::parts),
    ("signed-distance.png", sections::signed_distances),
    ("plain.png", gallery::plain),
    ("edges.png", gallery::edges),
    ("creases.png", gallery::creases),
    ("parts.png", gallery::parts),
    ("distance.png", gallery::distance),
    ("mean-curvature.png", gallery::mean_curvature),
];

/// Reads a mesh of `data`.
fn read(name: &str) -> Result<TriMesh> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name);
    let options = ReadOptions::default().with(|o| o.triangulate = true);
    Ok(io::read(&path, &options)?.mesh)
}

/// Returns the options of a picture of a size, with a shadow.
fn size(size: [u32; 2]) -> PictureOptions {
    PictureOptions::default().with(|o| (o.size, o.shadow) = (size, true))
}

/// Direction of the light.
const LIGHT: Vec3 = Vec3::new(0.4, -0.3, 0.86);

/// Writes the picture that the name of the file selects.
pub(crate) fn write(path: &Path) -> Result<()> {
    let name = path.file_name().and_then(|name| name.to_str());
    let found = FIGURES.iter().find(|(known, _)| Some(*known) == name);
    let (_, draw) = found.with_context(|| {
        let names = FIGURES.map(|(name, _)| name).join(", ");
        format!(
            "{}: no picture of this name; there are {names}",
            path.display()
        )
    })?;
    Ok(rxmesh_host::files::write_bytes(path, &draw()?)?)
}

/// View along parallel lines.
struct View {
    right: Vec3,
    up: Vec3,
    toward: Vec3,
    middle: [f32; 2],
    /// Length of a unit in the picture.
    scale: f32,
}

impl View {
    /// Returns the view from a direction, with `up` as the vertical.
    fn new(viewer: Vec3, up: Vec3, middle: [f32; 2], scale: f32) -> View {
        let toward = viewer.normalize();
        let right = up.cross(toward).normalize();
        View {
            right,
            up: toward.cross(right),
            toward,
            middle,
            scale,
        }
    }

    fn place(&self, p: Vec3) -> [f32; 2] {
        [
            self.middle[0] + self.scale * p.dot(self.right),
            self.middle[1] - self.scale * p.dot(self.up),
        ]
    }

    fn sees(&self, normal: Vec3) -> bool {
        normal.dot(self.toward) > 0.0
    }

    /// Returns a colour in the light that falls on a face: some of it comes from the viewer, so that nothing is black.
    fn shade(&self, color: [f32; 3], normal: Vec3) -> [u32; 3] {
        let light = 0.35 + 0.35 * normal.dot(self.toward) + 0.3 * normal.dot(LIGHT).max(0.0);
        color.map(|c| (c * light.clamp(0.0, 1.0)) as u32)
    }
}

/// Begins a picture of a size, on white.
fn begin(width: f32, height: f32) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" stroke-linecap=\"round\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most bytes of a picture.
    const MOST: usize = 200_000;

    #[test]
    fn the_documents_have_the_pictures() -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/use/pictures");
        for (name, draw) in FIGURES {
            let bytes = draw()?;
            assert!(bytes.len() < MOST, "{name} has {} bytes", bytes.len());
            assert!(
                std::fs::read(folder.join(name))? == bytes,
                "`rxmesh-bench picture docs/use/pictures/{name}` draws it"
            );
        }
        Ok(())
    }
}
