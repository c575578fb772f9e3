//! Cuts one polygon into triangles: ear clipping by quality, then Delaunay flips of the polygon's own diagonals.
//!
//! Signs are exact: corners are sheared along the polygon's normal onto a coordinate plane ([`plane`]), without
//! rounding for ordinary coordinates, and orientations are those of Shewchuk's adaptive predicates (1997). Quality is
//! measured in space.

mod best;
mod ears;
mod flips;
mod obstacles;
mod plane;
#[cfg(test)]
mod tests;

use glam::{DVec3, Vec3};
use plane::Plane;

/// "No half-edge", "no corner".
const NONE: u32 = u32::MAX;

/// Two qualities closer than this factor count as equal, so that rounding does not choose the diagonals of rectangles
/// and regular polygons.
const TIE: f64 = 1.0 + 1.0 / 512.0;

/// Up to this many corners all triangulations are compared where clipping and flipping leaves a triangle without area,
/// a fold, or an edge that is taken.
const ALL_COMPARED: usize = 32;

/// Cost of a diagonal that must not be used if another one does.
pub(super) const TAKEN: u32 = 1 << 16;

/// Cost of a diagonal: [`TAKEN`] or more, or less, where the sum over a polygon decides between those that take no more
/// than others. Its ends are vertices, the smaller one first.
pub(super) type CostOf<'a> = &'a dyn Fn([u32; 2]) -> u32;

/// Cuts polygons; keeps its buffers from one to the next.
#[derive(Default)]
pub(super) struct Cutter {
    /// Corners of the face that count, in the order that does not depend on which one the file names first.
    corners: Vec<u32>,
    /// Vertices of these corners.
    ids: Vec<u32>,
    plane: Plane,
    ears: ears::Ears,
    /// Triangles as places in `corners`, and the half-edge beside each of theirs.
    triangles: Vec<[u32; 3]>,
    twins: Vec<u32>,
    diagonals: Vec<[u32; 2]>,
}

impl Cutter {
    /// Cuts a face of four corners or more. The triangles are in [`Cutter::triangles`]; the outcome is the same
    /// whichever corner comes first.
    ///
    /// A corner that repeats the one before it (or the last, the first) counts once. A triangle that names a vertex
    /// twice is left out where others are left. A face of fewer than three different corners in a row stays one
    /// triangle without area.
    pub(super) fn cut(&mut self, face: &[u32], positions: &[Vec3], cost: Option<CostOf>) {
        self.triangles.clear();
        self.diagonals.clear();
        self.take_corners(face);
        let n = self.corners.len();
        if n < 3 {
            self.corners.clear();
            self.corners.extend([0, 1, 2]);
            self.triangles.push([0, 1, 2]);
            return;
        }
        if n == 3 {
            self.triangles.push([0, 1, 2]);
            return;
        }
        if n == 4 && cost.is_none() {
            let at = |k: usize| positions[self.ids[k] as usize].as_dvec3();
            if let Some(from) = convex_quad([at(0), at(1), at(2), at(3)]) {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| (from + k) % 4);
                self.triangles.extend([[a, b, c], [a, c, d]]);
                self.diagonals.push([a.min(c), a.max(c)]);
                return;
            }
        }
        self.plane
            .set(self.ids.iter().map(|&v| positions[v as usize]));
        if !self.plane.has_normal() {
            let fan = (1..n as u32 - 1).map(|k| [0, k, k + 1]);
            self.triangles.extend(fan);
        } else {
            self.cut_in_plane(cost);
        }
        let last = n as u32 - 1;
        let sides = self
            .triangles
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let inner = sides.filter(|&[a, b]| a + 1 < b && (a, b) != (0, last));
        self.diagonals.extend(inner);
        let ids = &self.ids;
        let is_proper = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| ids[k as usize]);
            a != b && b != c && c != a
        };
        if self.triangles.iter().any(is_proper) {
            self.triangles.retain(is_proper);
        }
    }

    /// Returns the triangles of the last face, as places in it.
    pub(super) fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> {
        let corner = |k: u32| self.corners[k as usize];
        self.triangles.iter().map(move |t| t.map(corner))
    }

    /// Returns the vertices of each diagonal of the last face, the smaller one first.
    pub(super) fn diagonals(&self) -> impl ExactSizeIterator<Item = [u32; 2]> {
        self.diagonals
            .iter()
            .map(|d| sorted(d.map(|k| self.ids[k as usize])))
    }

    /// Leaves out repeated corners, and begins with the lowest vertex: with the lowest row of vertices, if that one
    /// comes several times.
    fn take_corners(&mut self, face: &[u32]) {
        let n = face.len();
        self.corners.clear();
        self.corners
            .extend((0..n as u32).filter(|&k| face[k as usize] != face[(k as usize + n - 1) % n]));
        let n = self.corners.len();
        let id = |k: usize| face[self.corners[k % n] as usize];
        // Two candidates and the length of the rows in which they agree: linear time, repeated vertices or not.
        let (mut first, mut other, mut same) = (0, 1, 0);
        while first < n && other < n && same < n {
            let (a, b) = (id(first + same), id(other + same));
            if a == b {
                same += 1;
                continue;
            }
            if a > b {
                first += same + 1;
            } else {
                other += same + 1;
            }
            other += usize::from(first == other);
            same = 0;
        }
        self.corners.rotate_left(first.min(other));
        self.ids.clear();
        self.ids
            .extend(self.corners.iter().map(|&k| face[k as usize]));
    }

    fn cut_in_plane(&mut self, cost: Option<CostOf>) {
        let n = self.ids.len();
        self.ears
            .clip(&self.plane, &self.ids, &mut self.triangles, &mut self.twins);
        let polygon = Polygon {
            plane: &self.plane,
            ids: &self.ids,
            cost,
        };
        flips::improve(&polygon, &mut self.triangles, &mut self.twins);
        let is_good = |t: &[u32; 3]| polygon.grade(*t) > 0.0;
        let is_free = |t: &[u32; 3]| (0..3).all(|k| !polygon.is_taken([t[k], t[(k + 1) % 3]]));
        if n <= ALL_COMPARED && !self.triangles.iter().all(|t| is_good(t) && is_free(t)) {
            best::best(&polygon, &mut self.triangles);
        }
    }
}

/// Returns the edge with the smaller end first.
fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// A polygon that is being cut; corners are numbered in its own order.
struct Polygon<'a> {
    plane: &'a Plane,
    ids: &'a [u32],
    cost: Option<CostOf<'a>>,
}

impl Polygon<'_> {
    /// Returns the quality of a triangle: the tangent of its least angle; almost 0 if it has an area in space but none
    /// in the plane, or names a vertex twice (it is left out then); 0 without area, and less if it is turned over.
    fn grade(&self, t: [u32; 3]) -> f64 {
        let [a, b, c] = t.map(|k| self.ids[k as usize]);
        if a == b || b == c || c == a {
            return 1e-9;
        }
        let turn = self.plane.turn(t);
        let quality = self.plane.quality(t);
        if turn > 0.0 {
            quality
        } else if turn == 0.0 {
            1e-6 * quality
        } else {
            -1.0 - quality
        }
    }

    /// Returns the cost of an edge; sides have none.
    fn cost(&self, [a, b]: [u32; 2]) -> u32 {
        let n = self.ids.len() as u32;
        let is_side = (a + 1) % n == b || (b + 1) % n == a;
        let of = self.cost.filter(|_| !is_side);
        of.map_or(0, |cost| cost(sorted([a, b].map(|k| self.ids[k as usize]))))
    }

    /// Returns `true` if the edge is a diagonal that is taken.
    fn is_taken(&self, edge: [u32; 2]) -> bool {
        self.cost(edge) >= TAKEN
    }
}

/// Returns the corner at which the better diagonal of a quad begins (0 or 1), if both cut it into two triangles of
/// positive area; the first of equal ones.
fn convex_quad([a, b, c, d]: [DVec3; 4]) -> Option<u32> {
    /// Least part of the quad's area that a triangle must have.
    const LEAST: f64 = 1e-6;
    let (ac, bd) = (c - a, d - b);
    let normal = ac.cross(bd);
    let least = LEAST * normal.length_squared();
    let halves = [
        (b - a).cross(ac),
        ac.cross(d - a),
        (c - b).cross(bd),
        bd.cross(a - b),
    ];
    // Also false for NaN.
    if least.is_nan() || !halves.iter().all(|h| h.dot(normal) > least) {
        return None;
    }
    let [ab, bc, cd, da] = [b - a, c - b, d - c, a - d].map(|s| s.length_squared());
    let (ac, bd) = (ac.length_squared(), bd.length_squared());
    let squared = |half: DVec3, sides: [f64; 3]| {
        let below =
            sides.iter().sum::<f64>() - 2.0 * sides.iter().copied().fold(f64::INFINITY, f64::min);
        half.length_squared() / (below * below)
    };
    let first = squared(halves[0], [ab, bc, ac]).min(squared(halves[1], [ac, cd, da]));
    let second = squared(halves[2], [bc, cd, bd]).min(squared(halves[3], [bd, da, ab]));
    Some(u32::from(second > first * TIE * TIE))
}
