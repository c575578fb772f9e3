//! Limit positions of the vertices of a surface, and normals there, by eigen-analysis: the points around a vertex on
//! the next level are a matrix times those of this level. Its left eigenvector of eigenvalue 1 is the mask of the
//! limit; the next ones are masks of tangents (Halstead, Kass and DeRose 1993; Biermann et al. 2000).

use super::net::{Net, NetRule, SHARP};
use glam::{DVec2, DVec3};
use rxmesh_subdivision::Scheme;
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Limit of a vertex after all levels.
#[derive(Debug, Clone)]
pub struct LimitPoint {
    /// Limit position.
    pub position: DVec3,
    /// Counter-clockwise seen from outside: one on a smooth surface or at its boundary, two where an infinitely sharp
    /// crease runs through; none at darts, at sharp vertices of several faces, and of no face.
    pub normals: Vec<DVec3>,
}

/// Computes the limits of all vertices of a level of quads (Catmull-Clark) or triangles (Loop). Remaining sharpness
/// counts as infinite.
pub fn limits(net: &Net, scheme: Scheme) -> Vec<LimitPoint> {
    let mut masks = HashMap::new();
    (0..net.positions.len())
        .map(|v| limit(net, v, scheme, &mut masks))
        .collect()
}

/// Weights of the points around a vertex, in the order of [`OrderedRing::points`].
type Mask = Vec<f64>;

/// Masks of the limit and of the two tangents of a smooth vertex or of one side of a crease.
#[derive(Clone, Default)]
struct LimitMasks {
    position: Mask,
    tangents: Option<[Mask; 2]>,
}

/// Key of masks: the scheme, `true` if edges go all around, and the sharp ones.
type Key = (bool, bool, Vec<bool>);

fn limit(net: &Net, v: usize, scheme: Scheme, known: &mut HashMap<Key, LimitMasks>) -> LimitPoint {
    let p = net.positions[v];
    let rule = net.rule(v, net.vertex_sharpness[v], |e| net.edge_sharpness[e]);
    if rule == NetRule::Corner || net.vertex_faces[v].is_empty() {
        let mut normals = Vec::new();
        if net.vertex_faces[v].len() == 1 {
            let ring = OrderedRing::new(net, v);
            let [a, b] = [0, 1].map(|k| ring.edges[k] - p);
            normals.push(a.cross(b).normalize());
        }
        return LimitPoint {
            position: p,
            normals,
        };
    }
    let ring = OrderedRing::new(net, v);
    let mut masks = |ring: &OrderedRing| {
        let key = (scheme == Scheme::Loop, ring.closed, ring.sharp.clone());
        known
            .entry(key)
            .or_insert_with(|| LimitMasks::new(ring, scheme))
            .clone()
    };
    let whole = masks(&ring);
    let position = apply(&whole.position, &ring, scheme);
    let sides = match rule {
        NetRule::Crease(..) if ring.closed => ring.sides(),
        _ => vec![ring],
    };
    let normal = |ring: &OrderedRing| {
        let [a, b] = masks(ring).tangents?;
        Some(
            apply(&a, ring, scheme)
                .cross(apply(&b, ring, scheme))
                .normalize(),
        )
    };
    LimitPoint {
        position,
        normals: sides.iter().filter_map(normal).collect(),
    }
}

/// Points around a vertex, counter-clockwise.
struct OrderedRing {
    center: DVec3,
    edges: Vec<DVec3>,
    sharp: Vec<bool>,
    /// Opposite points in the faces; the one at k is behind edge k.
    faces: Vec<DVec3>,
    /// `true` if there is a face between the last edge and the first.
    closed: bool,
}

impl OrderedRing {
    /// Makes the ring of a vertex; it starts at the boundary where there is one.
    fn new(net: &Net, v: usize) -> OrderedRing {
        // The vertex after `v` in a face, with the one before `v`, and the one opposite.
        let mut faces = Vec::new();
        for &f in &net.vertex_faces[v] {
            let face = &net.faces[f];
            let n = face.len();
            let k = face
                .iter()
                .position(|&w| w as usize == v)
                .expect("a face of it");
            faces.push([1, n - 1, 2].map(|step| face[(k + step) % n]));
        }
        let firsts = || faces.iter().map(|f| f[0]);
        let open = firsts().filter(|w| faces.iter().all(|f| f[1] != *w)).min();
        let first = open.or(firsts().min()).expect("a face");
        let mut ring = OrderedRing {
            center: net.positions[v],
            edges: Vec::new(),
            sharp: Vec::new(),
            faces: Vec::new(),
            closed: open.is_none(),
        };
        let mut at = first;
        loop {
            ring.edges.push(net.positions[at as usize]);
            ring.sharp
                .push(net.edge_sharpness[net.edge(v as u32, at)] > 0.0);
            let Some(&[_, next, opposite]) = faces.iter().rfind(|f| f[0] == at) else {
                break;
            };
            ring.faces.push(net.positions[opposite as usize]);
            at = next;
            if at == first {
                break;
            }
        }
        ring
    }

    /// Returns the two sides of a crease through the vertex, as if it were a boundary.
    fn sides(&self) -> Vec<OrderedRing> {
        let n = self.edges.len();
        let ends: Vec<usize> = (0..n).filter(|&k| self.sharp[k]).collect();
        let side = |(from, to): (usize, usize)| {
            let places = from..=to;
            OrderedRing {
                center: self.center,
                edges: places.clone().map(|k| self.edges[k % n]).collect(),
                sharp: places.map(|k| k == from || k == to).collect(),
                faces: (from..to).map(|k| self.faces[k % n]).collect(),
                closed: false,
            }
        };
        [(ends[0], ends[1]), (ends[1], ends[0] + n)]
            .map(side)
            .into()
    }

    fn points(&self, scheme: Scheme) -> Vec<DVec3> {
        let mut points = vec![self.center];
        points.extend(&self.edges);
        if scheme == Scheme::CatmullClark {
            points.extend(&self.faces);
        }
        points
    }

    /// Returns the matrix that maps the points to those of the next level.
    fn matrix(&self, scheme: Scheme) -> Vec<Mask> {
        let (n, faces) = (self.edges.len(), self.faces.len());
        let size = self.points(scheme).len();
        let edge = |k: usize| 1 + k % n;
        let row = |terms: &[(usize, f64)]| {
            let mut row = vec![0.0; size];
            terms.iter().for_each(|&(at, weight)| row[at] += weight);
            row
        };
        let quad = scheme == Scheme::CatmullClark;
        let face = |k: usize| row(&[0, edge(k), edge(k + 1), 1 + n + k].map(|at| (at, 0.25)));
        let sum = |rows: &[(Mask, f64)]| {
            let mut sum = vec![0.0; size];
            for (row, weight) in rows {
                sum.iter_mut().zip(row).for_each(|(s, r)| *s += r * weight);
            }
            sum
        };

        let lines: Vec<usize> = (0..n).filter(|&k| self.sharp[k]).collect();
        let mut rows = vec![match lines[..] {
            [a, b] => row(&[(0, 0.75), (edge(a), 0.125), (edge(b), 0.125)]),
            _ => {
                let m = n as f64;
                let beta = (0.625 - (0.375 + (TAU / m).cos() / 4.0).powi(2)) / m;
                let each = if quad { 1.0 / (m * m) } else { beta };
                let own = if quad { (m - 2.0) / m } else { 1.0 - m * beta };
                let mut parts = vec![(row(&[(0, own)]), 1.0)];
                parts.extend((0..n).map(|k| (row(&[(edge(k), 1.0)]), each)));
                if quad {
                    parts.extend((0..faces).map(|k| (face(k), each)));
                }
                sum(&parts)
            }
        }];
        for k in 0..n {
            let before = (k + n - 1) % n;
            rows.push(if self.sharp[k] {
                row(&[(0, 0.5), (edge(k), 0.5)])
            } else if quad {
                let ends = row(&[(0, 0.25), (edge(k), 0.25)]);
                sum(&[(ends, 1.0), (face(before), 0.25), (face(k), 0.25)])
            } else {
                let near = [(0, 0.375), (edge(k), 0.375)];
                row(&[
                    near[0],
                    near[1],
                    (edge(before), 0.125),
                    (edge(k + 1), 0.125),
                ])
            });
        }
        if quad {
            rows.extend((0..faces).map(face));
        }
        rows
    }
}

fn apply(mask: &Mask, ring: &OrderedRing, scheme: Scheme) -> DVec3 {
    let points = ring.points(scheme);
    mask.iter().zip(points).map(|(w, p)| p * *w).sum()
}

impl LimitMasks {
    fn new(ring: &OrderedRing, scheme: Scheme) -> LimitMasks {
        let matrix = ring.matrix(scheme);
        let size = matrix.len();
        let position = dominant(&matrix, vec![1.0 / size as f64; size], |w| {
            let sum: f64 = w.iter().sum();
            w.iter_mut().for_each(|x| *x /= sum);
        });
        let lines = ring.sharp.iter().filter(|s| **s).count();
        let tangents = match lines {
            0 => Some(all_around(ring, &matrix, scheme)),
            2 if !ring.closed => Some([along(ring, size), across(ring, &matrix, scheme)]),
            _ => None,
        };
        LimitMasks { position, tangents }
    }
}

/// Computes a left eigenvector by power iteration; `fix` projects the iterate back to its subspace.
fn dominant(matrix: &[Mask], mut mask: Mask, fix: impl Fn(&mut Mask)) -> Mask {
    for _ in 0..100_000 {
        let mut next = vec![0.0; mask.len()];
        for (row, w) in matrix.iter().zip(&mask) {
            next.iter_mut().zip(row).for_each(|(x, r)| *x += w * r);
        }
        fix(&mut next);
        let change: f64 = next.iter().zip(&mask).map(|(a, b)| (a - b).abs()).sum();
        mask = next;
        if change < 1e-15 * mask.len() as f64 {
            break;
        }
    }
    mask
}

/// Returns the points around a vertex when they lie evenly in a plane: the directions of the tangents.
fn plane(ring: &OrderedRing, scheme: Scheme) -> Vec<DVec2> {
    let step = if ring.closed { TAU } else { PI } / ring.faces.len() as f64;
    let mut points = vec![DVec2::ZERO];
    points.extend((0..ring.edges.len()).map(|k| DVec2::from_angle(step * k as f64)));
    if scheme == Scheme::CatmullClark {
        points.extend((0..ring.faces.len()).map(|k| DVec2::from_angle(step * (k as f64 + 0.5))));
    }
    points
}

/// Computes the tangent masks around a smooth vertex, where the next eigenvalue has two eigenvectors, which turn once
/// around. One of them is even in the first edge, and the other is the same one rotated by an angle: a sine where the
/// first is a cosine.
fn all_around(ring: &OrderedRing, matrix: &[Mask], scheme: Scheme) -> [Mask; 2] {
    let plane = plane(ring, scheme);
    [0, 1].map(|axis| {
        let start: Mask = plane.iter().map(|p| p[axis]).collect();
        // Rounding would bring in constants, or components that turn the other way.
        let n = ring.edges.len();
        let mirror = |at: usize| match at {
            0 => 0,
            at if at <= n => 1 + (n - (at - 1)) % n,
            at => 1 + n + (n - 1 - (at - 1 - n)),
        };
        let sign = if axis == 0 { 1.0 } else { -1.0 };
        dominant(matrix, start, |w| {
            *w = (0..w.len())
                .map(|at| (w[at] + sign * w[mirror(at)]) / 2.0)
                .collect();
            center(w);
            normalize(w);
        })
    })
}

/// Returns the mask along a boundary or crease: eigenvalue 1/2.
fn along(ring: &OrderedRing, size: usize) -> Mask {
    let mut mask = vec![0.0; size];
    mask[1] = 1.0;
    mask[ring.edges.len()] = -1.0;
    mask
}

/// Computes the mask across a boundary, which is even: the same from both ends. A single face has a second difference
/// there.
fn across(ring: &OrderedRing, matrix: &[Mask], scheme: Scheme) -> Mask {
    let n = ring.edges.len();
    let start: Mask = match ring.faces.len() {
        1 => {
            let mut mask = vec![0.0; matrix.len()];
            mask[..3].copy_from_slice(&[-2.0, 1.0, 1.0]);
            return mask;
        }
        _ => plane(ring, scheme).iter().map(|p| p.y).collect(),
    };
    let mirror = |at: usize| match at {
        0 => 0,
        at if at <= n => n + 1 - at,
        at => 1 + n + (n - 2 - (at - 1 - n)),
    };
    dominant(matrix, start, |w| {
        *w = (0..w.len())
            .map(|at| (w[at] + w[mirror(at)]) / 2.0)
            .collect();
        center(w);
        normalize(w);
    })
}

/// Removes the constant, which has eigenvalue 1.
fn center(mask: &mut Mask) {
    mask[0] -= mask.iter().sum::<f64>();
}

fn normalize(mask: &mut Mask) {
    let length = mask.iter().map(|x| x * x).sum::<f64>().sqrt();
    mask.iter_mut().for_each(|x| *x /= length);
}

/// Returns `true` if all sharpness is zero or infinite: only then is the limit that of [`limits`].
pub fn has_settled(net: &Net) -> bool {
    let mut all = net.edge_sharpness.iter().chain(&net.vertex_sharpness);
    all.all(|&s| s == 0.0 || s >= SHARP)
}
