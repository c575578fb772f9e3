//! New vertices inside of a patch, as dense as around the hole (Liepa 2003, after Pfeifle and Seidel 1996).

use super::flip::Flips;
use super::patch::{HoleContext, HolePatch};
use glam::DVec3;

/// Liepa's factor: a face is divided when its centroid is farther from each corner than the sizes there, over this.
const DENSITY: f64 = std::f64::consts::SQRT_2;

/// Patches that would get more faces than this are made coarser inside.
const MOST_EVEN: f64 = 20_000.0;

/// Growth of edges with the distance from the boundary, where they grow: length for each unit of distance.
const GROWTH: f64 = 0.25;

/// Rings of more vertices than this have edges grow faster, up to 1 for each unit of length.
const LONG: f64 = 50_000.0 * GROWTH;

/// Most new vertices of one hole.
const MOST_VERTICES: usize = 400_000;

/// Divides faces until edges are about as long as around the hole, longer towards the middle of very large holes.
pub(super) fn refine(
    patch: &mut HolePatch,
    around: &HoleContext,
    is_there: &dyn Fn(u32, u32) -> bool,
) {
    let growth = growth(patch, around);
    let mut sizes = around.sizes.clone();
    let mut flips = Flips::new(patch, is_there);
    flips.relax_all();
    loop {
        let mut touched = Vec::new();
        for f in 0..flips.patch.faces.len() as u32 {
            if sizes.len() >= MOST_VERTICES + around.sizes.len() {
                break;
            }
            let corners = flips.patch.faces[f as usize];
            let x = corners.map(|v| flips.patch.points[v as usize]);
            let own = corners.map(|v| sizes[v as usize]);
            if let Some(size) = size_inside(x, own, growth) {
                sizes.push(size);
                touched.extend(flips.divide(f));
            }
        }
        if touched.is_empty() {
            return;
        }
        flips.relax(Flips::edges_of(&touched));
    }
}

/// Returns the size at a face's centroid if the face is to be divided.
fn size_inside(x: [DVec3; 3], sizes: [f64; 3], growth: f64) -> Option<f64> {
    let middle = (x[0] + x[1] + x[2]) / 3.0;
    let distances = x.map(|p| p.distance(middle));
    let size = (0..3)
        .map(|k| sizes[k] + growth * distances[k])
        .sum::<f64>()
        / 3.0;
    let far = |k: usize| DENSITY * distances[k] > size.max(sizes[k]);
    (far(0) && far(1) && far(2)).then_some(size)
}

/// Returns the growth of edges: zero unless there would be too many faces.
fn growth(patch: &HolePatch, around: &HoleContext) -> f64 {
    let double_area = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| patch.points[v as usize]);
        (b - a).cross(c - a).length()
    };
    let area = 0.5 * patch.faces.iter().map(double_area).sum::<f64>();
    let n = around.sizes.len() as f64;
    let size = around.sizes.iter().sum::<f64>() / n;
    let faces = area / (0.25 * 3f64.sqrt() * size * size);
    if faces <= MOST_EVEN {
        0.0
    } else {
        GROWTH * (n / LONG).clamp(1.0, 1.0 / GROWTH)
    }
}
