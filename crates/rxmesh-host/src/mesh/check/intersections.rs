//! Faces that cut through each other, found in a tree of boxes and distinguished by exact predicates.

use super::Findings;
use crate::mesh::{Column, ColumnData, ElementKind, Faces, MeshError, PolyMesh, TriMesh};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use robust::{Coord, Coord3D, orient2d};

/// Triangles in a leaf of the tree.
const LEAF: usize = 4;
/// Triangles whose partners one piece of work finds.
const PIECE: usize = 1024;
/// Limit of the counted partners after a triangle, along the curve that orders them.
const MOST_PARTNERS: usize = 1000;
/// Most pairs of triangles that exact predicates test in all, or more in a large mesh: those of a surface are few, and
/// those of a heap of triangles go with the square of their number.
const MOST_TESTS: usize = 1 << 23;
/// Pairs per triangle, on average over a piece of work, that are tested for a mesh of any size.
const TESTS_A_TRIANGLE: usize = 256;

/// Finds the pairs of faces that have a point in common other than the vertices and edges that they share.
///
/// Corners at one place count as shared, whatever their numbers. Faces that touch without passing through each other
/// are such pairs too, as are faces that lie upon each other in a plane, and equal faces. Faces without area have no
/// part in it. Signs are exact (Shewchuk 1997). A pair names the lower face first; pairs are in ascending order.
///
/// A tree of bounding boxes makes the time near n log n for surfaces. Heaps of faces end early, and then the number is
/// a lower bound ([`Findings::at_least`]): if a face meets more than 1,000 others that come after it along a
/// space-filling curve, the rest of these does not count; and of pairs whose boxes overlap, 2^23 or 256 a face are
/// tested, shared out evenly along the curve.
pub fn self_intersections(mesh: &TriMesh) -> Findings<[u32; 2]> {
    let Found { pairs, all } = find(&mesh.positions, &mesh.faces);
    findings(pairs, all)
}

/// Returns the pairs in ascending order.
fn findings(mut pairs: Vec<[u32; 2]>, all: bool) -> Findings<[u32; 2]> {
    pairs.par_sort_unstable();
    pairs.dedup();
    Findings {
        at_least: !all,
        ..pairs.into_iter().collect()
    }
}

/// Works like [`self_intersections`], for polygons: as they are cut into triangles. A polygon's own triangles are no
/// pair.
///
/// # Errors
///
/// More triangles than ids ([`PolyMesh::triangulate`]).
pub fn self_intersections_poly(mesh: &PolyMesh) -> Result<Findings<[u32; 2]>, MeshError> {
    const FACE: &str = "face";
    let mut plain = PolyMesh {
        positions: mesh.positions.clone(),
        faces: mesh.faces.clone(),
        corners: mesh.corners.clone(),
        ..PolyMesh::default()
    };
    if !matches!(mesh.faces, Faces::Same(3)) {
        plain.extras.columns.push(Column {
            name: FACE.into(),
            element: ElementKind::Face,
            width: 1,
            data: ColumnData::U32((0..mesh.face_count() as u32).collect()),
        });
    }
    let (cut, _) = plain.triangulate()?;
    let Found { mut pairs, all } = find(&cut.positions, &cut.faces);
    if let Some(source) = cut.extras.column(ElementKind::Face, FACE)
        && let ColumnData::U32(source) = &source.data
    {
        for pair in &mut pairs {
            let [f, g] = pair.map(|t| source[t as usize]);
            *pair = [f.min(g), f.max(g)];
        }
        pairs.retain(|[f, g]| f != g);
    }
    Ok(findings(pairs, all))
}

/// Pairs of triangles.
struct Found {
    /// Pairs in any order; the lower triangle of each comes first.
    pairs: Vec<[u32; 2]>,
    /// `true` if there are no others.
    all: bool,
}

fn find(positions: &[Vec3], faces: &[[u32; 3]]) -> Found {
    let tree = Tree::new(positions, faces);
    let count = tree.order.len().div_ceil(PIECE);
    let tests = (MOST_TESTS / count.max(1)).max(TESTS_A_TRIANGLE * PIECE);
    let pieces = (0..count).into_par_iter().lean();
    let found = pieces.map(|piece| {
        let first = piece * PIECE;
        let mut search = Search {
            pairs: Vec::new(),
            tests,
            all: true,
        };
        for i in first..(first + PIECE).min(tree.order.len()) {
            tree.partners(i, positions, faces, &mut search);
        }
        (search.pairs, search.all)
    });
    let (pairs, all): (Vec<_>, Vec<bool>) = found.collect::<Vec<_>>().into_iter().unzip();
    Found {
        pairs: pairs.concat(),
        all: all.into_iter().all(|all| all),
    }
}

/// Pairs of one piece of work.
struct Search {
    pairs: Vec<[u32; 2]>,
    /// Number of pairs that exact predicates may still test.
    tests: usize,
    /// Nothing was left out.
    all: bool,
}

/// Lowest and highest corner.
#[derive(Clone, Copy)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

const EMPTY: Bounds = Bounds {
    low: Vec3::INFINITY,
    high: Vec3::NEG_INFINITY,
};

impl Bounds {
    fn of_segment(a: Vec3, b: Vec3) -> Bounds {
        Bounds {
            low: a.min(b),
            high: a.max(b),
        }
    }

    fn of(points: [Vec3; 3]) -> Bounds {
        Bounds {
            low: points[0].min(points[1]).min(points[2]),
            high: points[0].max(points[1]).max(points[2]),
        }
    }

    fn with(self, other: Bounds) -> Bounds {
        Bounds {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    fn meets(&self, other: &Bounds) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// A binary tree of boxes over the triangles with an area.
struct Tree {
    /// Triangles along a curve that visits near ones together.
    order: Vec<u32>,
    /// Boxes of the triangles, in that order.
    boxes: Vec<Bounds>,
    /// Node 1 is the root, `2 i` and `2 i + 1` lie in node `i`, leaf `k` is node `leaves + k`.
    nodes: Vec<Bounds>,
    leaves: usize,
}

impl Tree {
    fn new(positions: &[Vec3], faces: &[[u32; 3]]) -> Tree {
        let points = |f: usize| faces[f].map(|v| positions[v as usize]);
        let all = positions
            .par_iter()
            .lean()
            .map(|&p| Bounds { low: p, high: p });
        let all = all.reduce(|| EMPTY, Bounds::with);
        let low = all.low.as_dvec3();
        let size = (all.high.as_dvec3() - low)
            .max_element()
            .max(f64::MIN_POSITIVE);
        let key = |f: usize| {
            let [a, b, c] = points(f).map(|p| p.as_dvec3());
            // Twenty-one bits per axis.
            let at = (((a + b + c) / 3.0 - low) / size * 2_097_151.0).to_array();
            has_area([a, b, c]).then(|| {
                let [x, y, z] = at.map(|x| spread(x as u64));
                (x | y << 1 | z << 2, f as u32)
            })
        };
        let keys = (0..faces.len()).into_par_iter().lean().map(key);
        let mut keys: Vec<(u64, u32)> = keys.collect::<Vec<_>>().into_iter().flatten().collect();
        keys.par_sort_unstable();
        let order: Vec<u32> = keys.into_iter().map(|k| k.1).collect();
        let of = |&f: &u32| Bounds::of(points(f as usize));
        let boxes: Vec<Bounds> = order.par_iter().lean().map(of).collect();
        let leaves = order.len().div_ceil(LEAF).next_power_of_two();
        let mut nodes = vec![EMPTY; 2 * leaves];
        for (node, boxes) in nodes[leaves..].iter_mut().zip(boxes.chunks(LEAF)) {
            *node = boxes.iter().copied().fold(EMPTY, Bounds::with);
        }
        for i in (1..leaves).rev() {
            nodes[i] = nodes[2 * i].with(nodes[2 * i + 1]);
        }
        Tree {
            order,
            boxes,
            nodes,
            leaves,
        }
    }

    /// Adds the pairs of the triangle at a place in the order with those after it.
    fn partners(&self, place: usize, positions: &[Vec3], faces: &[[u32; 3]], search: &mut Search) {
        let own = &self.boxes[place];
        let f = self.order[place];
        let corners = |f: u32| faces[f as usize].map(|v| positions[v as usize]);
        let points = corners(f);
        let triangle = Triangle::new(points);
        let mut left = MOST_PARTNERS;
        // Nodes with their number of leaves. Twice the depth of a tree that memory can hold.
        let mut stack = [(0usize, 0usize); 128];
        stack[0] = (1, self.leaves);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (i, leaves) = stack[count];
            let first = i * leaves - self.leaves;
            if (first + leaves) * LEAF <= place + 1 || !self.nodes[i].meets(own) {
                continue;
            }
            if leaves > 1 {
                stack[count] = (2 * i + 1, leaves / 2);
                stack[count + 1] = (2 * i, leaves / 2);
                count += 2;
                continue;
            }
            let last = ((first + 1) * LEAF).min(self.order.len());
            for other in (first * LEAF).max(place + 1)..last {
                if !self.boxes[other].meets(own) {
                    continue;
                }
                let g = self.order[other];
                let others = corners(g);
                if are_apart((&points, own), (&others, &self.boxes[other])) {
                    continue;
                }
                if search.tests == 0 {
                    search.all = false;
                    return;
                }
                search.tests -= 1;
                if triangle.meets(&Triangle::new(others)) {
                    search.pairs.push([f.min(g), f.max(g)]);
                    left -= 1;
                    if left == 0 {
                        search.all = false;
                        return;
                    }
                }
            }
        }
    }
}

/// Returns `true` for two triangles that certainly have nothing in common beside the corner or the side that they
/// share, each given with its box. It is cheap, as around one vertex or edge there may be thousands of triangles, whose
/// boxes all overlap.
fn are_apart((t, own): (&[Vec3; 3], &Bounds), (s, other): (&[Vec3; 3], &Bounds)) -> bool {
    let (mut shared, mut k, mut l) = (0, 0, 0);
    for (i, p) in t.iter().enumerate() {
        for (j, q) in s.iter().enumerate() {
            if p == q {
                (shared, k, l) = (shared + 1, k + i, l + j);
            }
        }
    }
    match shared {
        // Their intersection reaches from the corner to the opposite side of one of them.
        1 => {
            let [a, b] = [t[(k + 1) % 3], t[(k + 2) % 3]];
            let [c, d] = [s[(l + 1) % 3], s[(l + 2) % 3]];
            !Bounds::of_segment(a, b).meets(other) && !Bounds::of_segment(c, d).meets(own)
        }
        // The corners that are not shared are the third ones, of numbers that add up to 3. They lie in one plane.
        2 => {
            let corners = t.map(|p| p.as_dvec3());
            let [a, b, c] = corners;
            let (det, size) = determinant(a, b, c, s[3 - l].as_dvec3());
            det.abs() > SLACK * size
        }
        _ => false,
    }
}

/// Spreads the lowest 21 bits, two places apart.
fn spread(x: u64) -> u64 {
    let x = x & 0x1f_ffff;
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Returns `true` unless the corners lie on a line, exactly.
fn has_area([a, b, c]: [DVec3; 3]) -> bool {
    // The cross product is exact but where products round: then it is larger than what rounding makes of 0.
    let (u, v) = (b - a, c - a);
    let cross = u.cross(v).abs().max_element();
    cross > 1e-14 * u.length() * v.length()
        || (0..3).any(|axis| orient2d(flat(a, axis), flat(b, axis), flat(c, axis)) != 0.0)
}

/// Returns a point without one of its coordinates.
fn flat(p: DVec3, axis: usize) -> Coord<f64> {
    Coord {
        x: p[(axis + 1) % 3],
        y: p[(axis + 2) % 3],
    }
}

/// Bound of the rounding of [`determinant`] for its terms' sizes (Shewchuk's `o3derrboundA`, with a margin).
const SLACK: f64 = 1e-15;

/// Returns six times the volume of a tetrahedron, and the sum of its terms' sizes.
fn determinant(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (f64, f64) {
    let (u, v, w) = (a - d, b - d, c - d);
    let terms = [
        (v.x * w.y, w.x * v.y, u.z),
        (w.x * u.y, u.x * w.y, v.z),
        (u.x * v.y, v.x * u.y, w.z),
    ];
    let det: f64 = terms.iter().map(|(p, q, z)| z * (p - q)).sum();
    let size: f64 = terms
        .iter()
        .map(|(p, q, z)| z.abs() * (p.abs() + q.abs()))
        .sum();
    (det, size)
}

/// Returns a positive number, a negative one or 0 as `d` lies on one side of the plane through the others, on the
/// other, or in it; exactly.
fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let (det, size) = determinant(a, b, c, d);
    // Also where all points have the same z, so that planes along the axes cost nothing.
    if det.abs() > SLACK * size || size == 0.0 {
        return det;
    }
    let coord = |p: DVec3| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// A triangle with an area.
struct Triangle {
    corners: [DVec3; 3],
}

impl Triangle {
    fn new(corners: [Vec3; 3]) -> Triangle {
        Triangle {
            corners: corners.map(|p| p.as_dvec3()),
        }
    }

    /// Returns `true` if the two have a point in common beside corners and sides that they share.
    fn meets(&self, other: &Triangle) -> bool {
        let (t, s) = (self.corners, other.corners);
        let mut shared: [Option<usize>; 3] = [None; 3];
        for (k, own) in shared.iter_mut().enumerate() {
            *own = (0..3).find(|&l| s[l] == t[k]);
        }
        let rotated = |p: [DVec3; 3], k: usize| [p[k], p[(k + 1) % 3], p[(k + 2) % 3]];
        match shared.iter().flatten().count() {
            0 => {
                !separates(t, s)
                    && !separates(s, t)
                    && ((0..3).any(|k| segment_meets(t[k], t[(k + 1) % 3], s))
                        || (0..3).any(|k| segment_meets(s[k], s[(k + 1) % 3], t)))
            }
            1 => {
                let (k, l) = (0..3)
                    .find_map(|k| shared[k].map(|l| (k, l)))
                    .unwrap_or_default();
                let ([_, a, b], [_, c, d]) = (rotated(t, k), rotated(s, l));
                // The other corners of one, on one side of the plane of the other.
                let apart = |t: [DVec3; 3], p: DVec3, q: DVec3| {
                    let [p, q] = [p, q].map(|x| side(t[0], t[1], t[2], x));
                    p > 0.0 && q > 0.0 || p < 0.0 && q < 0.0
                };
                // Their intersection reaches from the corner to the opposite side of one of them.
                !apart(t, c, d)
                    && !apart(s, a, b)
                    && (segment_meets(a, b, s) || segment_meets(c, d, t))
            }
            2 => {
                let k = (0..3).find(|&k| shared[k].is_none()).unwrap_or(0);
                let l = (0..3).find(|l| !shared.contains(&Some(*l))).unwrap_or(0);
                let [a, b, c] = rotated(t, k);
                let d = s[l];
                if side(a, b, c, d) != 0.0 {
                    return false;
                }
                let axis = axis_of(t);
                let [a, b, c, d] = [a, b, c, d].map(|p| flat(p, axis));
                (orient2d(b, c, a) > 0.0) == (orient2d(b, c, d) > 0.0)
            }
            _ => true,
        }
    }
}

/// Returns `true` if all corners of `s` lie on one side of the plane of `t`.
fn separates(t: [DVec3; 3], s: [DVec3; 3]) -> bool {
    let sides = s.map(|p| side(t[0], t[1], t[2], p));
    sides.iter().all(|&x| x > 0.0) || sides.iter().all(|&x| x < 0.0)
}

/// Returns the axis along which a triangle with an area is seen as one with an area.
fn axis_of(t: [DVec3; 3]) -> usize {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]).abs();
    let mut axes = [0, 1, 2];
    axes.sort_by(|&i, &j| normal[j].total_cmp(&normal[i]));
    let seen = |&axis: &usize| {
        let [a, b, c] = t.map(|p| flat(p, axis));
        orient2d(a, b, c) != 0.0
    };
    axes.into_iter().find(seen).unwrap_or(axes[0])
}

/// Returns `true` if a segment and a triangle have a point in common.
fn segment_meets(p: DVec3, q: DVec3, t: [DVec3; 3]) -> bool {
    let [a, b, c] = t;
    let (sp, sq) = (side(a, b, c, p), side(a, b, c, q));
    if sp > 0.0 && sq > 0.0 || sp < 0.0 && sq < 0.0 {
        return false;
    }
    if sp == 0.0 || sq == 0.0 {
        let axis = axis_of(t);
        let t = t.map(|p| flat(p, axis));
        let (fp, fq) = (flat(p, axis), flat(q, axis));
        return sp == 0.0 && holds(t, fp)
            || sq == 0.0 && holds(t, fq)
            || sp == 0.0 && sq == 0.0 && (0..3).any(|k| crosses(fp, fq, t[k], t[(k + 1) % 3]));
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    around.iter().all(|&x| x >= 0.0) || around.iter().all(|&x| x <= 0.0)
}

/// Returns `true` if a point lies in a triangle or on its border.
fn holds([a, b, c]: [Coord<f64>; 3], p: Coord<f64>) -> bool {
    let around = [orient2d(a, b, p), orient2d(b, c, p), orient2d(c, a, p)];
    around.iter().all(|&x| x >= 0.0) || around.iter().all(|&x| x <= 0.0)
}

/// Returns `true` if two segments pass through each other; ends that lie on the other one are tested elsewhere.
fn crosses(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>, d: Coord<f64>) -> bool {
    let opposite = |x: f64, y: f64| x > 0.0 && y < 0.0 || x < 0.0 && y > 0.0;
    opposite(orient2d(a, b, c), orient2d(a, b, d)) && opposite(orient2d(c, d, a), orient2d(c, d, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;
    use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};

    type Point = [i64; 3];

    fn minus(a: Point, b: Point) -> Point {
        [0, 1, 2].map(|k| a[k] - b[k])
    }

    fn cross(a: Point, b: Point) -> Point {
        [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            a[i] * b[j] - a[j] * b[i]
        })
    }

    fn dot(a: Point, b: Point) -> i64 {
        (0..3).map(|k| a[k] * b[k]).sum()
    }

    /// Returns `true` if two convex sets, each a triangle or a segment, have a point in common: no axis separates them.
    /// All axes that can are normals of triangles, products of sides, and normals of sides in a triangle's plane or in
    /// any plane.
    fn meet(a: &[Point], b: &[Point]) -> bool {
        let sides = |p: &[Point]| -> Vec<Point> {
            (0..p.len())
                .map(|k| minus(p[(k + 1) % p.len()], p[k]))
                .collect()
        };
        let (ea, eb) = (sides(a), sides(b));
        let mut normals = Vec::new();
        for p in [a, b].into_iter().filter(|p| p.len() == 3) {
            normals.push(cross(minus(p[1], p[0]), minus(p[2], p[0])));
        }
        let mut axes = normals.clone();
        axes.extend(
            ea.iter()
                .flat_map(|&x| eb.iter().map(move |&y| cross(x, y))),
        );
        for &e in ea.iter().chain(&eb) {
            axes.extend(normals.iter().map(|&n| cross(n, e)));
            axes.push(e);
        }
        let range = |p: &[Point], axis: Point| {
            let along = p.iter().map(|&q| dot(q, axis));
            (along.clone().min().unwrap(), along.max().unwrap())
        };
        !axes.into_iter().any(|axis| {
            let ((l, h), (m, i)) = (range(a, axis), range(b, axis));
            h < m || i < l
        })
    }

    /// Returns the pairs by whole numbers, pair by pair.
    fn expected(points: &[Point], faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
        let at = |f: usize| faces[f].map(|v| points[v as usize]);
        let area = |f: usize| {
            let [a, b, c] = at(f);
            cross(minus(b, a), minus(c, a)) != [0; 3]
        };
        let mut pairs = Vec::new();
        for f in (0..faces.len()).filter(|&f| area(f)) {
            for g in (f + 1..faces.len()).filter(|&g| area(g)) {
                let (t, s) = (at(f), at(g));
                let own = |p: [Point; 3], q: [Point; 3]| -> Vec<Point> {
                    p.into_iter().filter(|x| !q.contains(x)).collect()
                };
                let (a, b) = (own(t, s), own(s, t));
                let found = match a.len() {
                    3 => meet(&t, &s),
                    2 => meet(&a, &s) || meet(&b, &t),
                    1 => {
                        let [p, q] = t
                            .iter()
                            .filter(|x| s.contains(x))
                            .copied()
                            .collect::<Vec<_>>()[..]
                        else {
                            unreachable!()
                        };
                        let side = minus(q, p);
                        let (n, m) = (cross(side, minus(a[0], p)), cross(side, minus(b[0], p)));
                        cross(n, m) == [0; 3] && dot(n, m) > 0
                    }
                    _ => true,
                };
                if found {
                    pairs.push([f as u32, g as u32]);
                }
            }
        }
        pairs
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn soups_of_whole_numbers(
            points in prop::collection::vec(prop::array::uniform3(-4i64..5), 3..20),
            corners in prop::collection::vec(prop::array::uniform3(0usize..1000), 1..25),
            flat in 0..4,
        ) {
            let mut points = points;
            if flat == 0 {
                points.iter_mut().for_each(|p| p[2] = p[0] - 2 * p[1]);
            }
            let n = points.len();
            let faces: Vec<[u32; 3]> = corners.iter().map(|c| c.map(|v| (v % n) as u32)).collect();
            let places: Vec<Vec3> = points.iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
            let Found { mut pairs, all } = find(&places, &faces);
            pairs.sort_unstable();
            prop_assert!(all);
            prop_assert_eq!(pairs, expected(&points, &faces));
        }
    }

    #[test]
    fn surfaces_without_and_with() {
        for mesh in [
            generate::grid(20, 20).unwrap(),
            generate::torus(30, 20, 1.0, 0.3).unwrap(),
            generate::icosphere(3).unwrap(),
        ] {
            assert_eq!(self_intersections(&mesh), Findings::default());
            // Separate corners at the same places.
            let soup = TriMesh::new(
                mesh.faces
                    .iter()
                    .flatten()
                    .map(|&v| mesh.positions[v as usize])
                    .collect(),
                (0..mesh.face_count() as u32)
                    .map(|f| [3 * f, 3 * f + 1, 3 * f + 2])
                    .collect(),
            );
            assert_eq!(self_intersections(&soup.unwrap()), Findings::default());
        }
        // A torus whose tube is wider than its ring passes through itself.
        assert!(self_intersections(&generate::torus(30, 20, 0.5, 0.7).unwrap()).count > 0);
        // Twice the same sphere: each face meets its copy.
        let mut twice = generate::icosphere(1).unwrap();
        let again = twice.faces.clone();
        twice.faces.extend(again);
        let found = self_intersections(&twice);
        assert_eq!(found.count, 80);
        assert_eq!(found.first[0], [0, 80]);
    }

    #[test]
    fn polygons_are_named() {
        let mut mesh = generate::cube(1).unwrap();
        assert_eq!(self_intersections_poly(&mesh).unwrap().count, 0);
        let second: Vec<u32> = mesh.corners.iter().map(|v| v + 8).collect();
        let moved: Vec<Vec3> = mesh
            .positions
            .iter()
            .map(|&p| p + Vec3::new(0.5, 0.4, 0.3))
            .collect();
        mesh.positions.extend(moved);
        mesh.corners.extend(second);
        let found = self_intersections_poly(&mesh).unwrap();
        // Three sides of each cube pass through three of the other, where they are not parallel.
        assert_eq!(found.count, 6);
        assert!(found.first.iter().all(|[f, g]| *f < 6 && *g >= 6));
    }
}
