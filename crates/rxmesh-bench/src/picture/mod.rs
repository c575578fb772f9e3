//! Pictures of the documents, as SVG: meshes from `data`, along parallel lines.

mod bunny;
mod cube;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use glam::Vec3;

/// Name of a file and the function that draws it.
type Picture = (&'static str, fn() -> Result<String>);

const PICTURES: [Picture; 3] = [
    ("creased-cube.svg", cube::svg),
    ("simplify.svg", bunny::simplified),
    ("patches.svg", bunny::patches),
];

/// Direction of the light.
const LIGHT: Vec3 = Vec3::new(0.4, -0.3, 0.86);

/// Writes the picture that the name of the file selects.
pub(crate) fn write(path: &Path) -> Result<()> {
    let name = path.file_name().and_then(|name| name.to_str());
    let found = PICTURES.iter().find(|(known, _)| Some(*known) == name);
    let (_, draw) = found.with_context(|| {
        let names = PICTURES.map(|(name, _)| name).join(", ");
        format!(
            "{}: no picture of this name; there are {names}",
            path.display()
        )
    })?;
    Ok(rxmesh_host::files::write_bytes(path, draw()?.as_bytes())?)
}

/// View along parallel lines.
struct View {
    right: Vec3,
    up: Vec3,
    toward: Vec3,
    /// Point that is drawn at `middle`.
    centre: Vec3,
    middle: [f32; 2],
    /// Length of a unit in the picture.
    scale: f32,
    light: Vec3,
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
            centre: Vec3::ZERO,
            middle,
            scale,
            light: LIGHT,
        }
    }

    fn place(&self, p: Vec3) -> [f32; 2] {
        let p = p - self.centre;
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
        let light = 0.35 + 0.35 * normal.dot(self.toward) + 0.3 * normal.dot(self.light).max(0.0);
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

/// Draws the triangles that the viewer sees, the farthest first.
fn triangles(
    out: &mut String,
    positions: &[Vec3],
    faces: &[[u32; 3]],
    view: &View,
    color: impl Fn(usize) -> [f32; 3],
) {
    let corners = |f: usize| faces[f].map(|v| positions[v as usize]);
    let normal = |f: usize| {
        let [a, b, c] = corners(f);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let depth = |f: usize| corners(f).iter().map(|p| p.dot(view.toward)).sum::<f32>();
    let mut seen: Vec<usize> = (0..faces.len()).filter(|&f| view.sees(normal(f))).collect();
    seen.sort_by(|&a, &b| depth(a).total_cmp(&depth(b)));
    *out += "<g stroke=\"#39424e\" stroke-width=\"0.3\" stroke-linejoin=\"round\">\n";
    for f in seen {
        let [r, g, b] = view.shade(color(f), normal(f));
        let [[ax, ay], [bx, by], [cx, cy]] = corners(f).map(|p| view.place(p));
        let _ = writeln!(
            out,
            "<path fill=\"#{r:02x}{g:02x}{b:02x}\" d=\"M{ax:.1} {ay:.1}L{bx:.1} {by:.1} {cx:.1} {cy:.1}z\"/>"
        );
    }
    *out += "</g>\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most bytes of a picture.
    const MOST: usize = 200_000;

    #[test]
    fn the_documents_have_the_pictures() -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/use/pictures");
        for (name, draw) in PICTURES {
            let svg = draw()?;
            assert!(svg.len() < MOST, "{name} has {} bytes", svg.len());
            assert!(
                std::fs::read_to_string(folder.join(name))? == svg,
                "`rxmesh-bench picture docs/use/pictures/{name}` draws it"
            );
        }
        Ok(())
    }
}
