//! Values at corners, which may differ on the two sides of an edge.

use super::meshes;
use super::naive::refine;
use super::net::{Net, SHARP, pair};
use glam::DVec2;
use rxmesh_host::mesh::{PolyMesh, Rng, SharpEdge, SharpVertex};
use rxmesh_subdivision::{Boundary, Creasing, Options, Scheme};
use std::collections::{BTreeMap, BTreeSet};

/// Linear interpolation of such values (names and order as in OpenSubdiv's `FVarLinearInterpolation`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UvInterpolation {
    /// Nothing.
    None,
    /// Corners.
    CornersOnly,
    /// Also where more than two regions meet, and where an infinitely sharp crease meets a seam.
    CornersPlus1,
    /// Also both regions at a vertex where one has a corner, and where a seam ends.
    CornersPlus2,
    /// All boundaries of regions.
    Boundaries,
    /// All.
    All,
}

impl UvInterpolation {
    /// All modes.
    pub const ALL: [UvInterpolation; 6] = [
        UvInterpolation::None,
        UvInterpolation::CornersOnly,
        UvInterpolation::CornersPlus1,
        UvInterpolation::CornersPlus2,
        UvInterpolation::Boundaries,
        UvInterpolation::All,
    ];
}

/// Values, and the index of each corner's value.
#[derive(Clone, Debug)]
pub struct Uv {
    /// Values.
    pub values: Vec<DVec2>,
    /// Index of the value, by corner.
    pub corners: Vec<u32>,
}

impl Uv {
    /// Makes values for a mesh of which `share` percent of the edges are seams: corners at a vertex have one value
    /// where a walk around the vertex connects them without crossing a seam. So some seams end within the surface.
    pub fn with_seams(mesh: &PolyMesh, share: u64, seed: u64) -> Uv {
        let mut rng = Rng::new(seed);
        let faces = meshes::faces(mesh);
        let side = |f: usize, k: usize| pair(faces[f][k], faces[f][(k + 1) % faces[f].len()]);
        let mut edges = BTreeSet::new();
        for (f, face) in faces.iter().enumerate() {
            edges.extend((0..face.len()).map(|k| side(f, k)));
        }
        let seams: BTreeSet<_> = edges
            .into_iter()
            .filter(|_| rng.below(100) < share)
            .collect();
        let mut uv = Uv {
            values: Vec::new(),
            corners: vec![u32::MAX; mesh.corners.len()],
        };
        for v in 0..mesh.vertex_count() as u32 {
            // Corners at the vertex, with the edges on both sides.
            let mut left: Vec<(usize, [[u32; 2]; 2])> = Vec::new();
            for (f, face) in faces.iter().enumerate() {
                if let Some(k) = face.iter().position(|&w| w == v) {
                    let before = side(f, (k + face.len() - 1) % face.len());
                    left.push((mesh.range(f).start + k, [side(f, k), before]));
                }
            }
            while let Some(first) = left.pop() {
                let id = uv.values.len() as u32;
                let p = mesh.positions[v as usize].as_dvec3();
                let noise = DVec2::new(rng.signed_unit(), rng.signed_unit());
                // A value that a float can hold, as in files.
                let value = DVec2::new(p.x + 0.3 * p.z, p.y) + 0.2 * noise;
                uv.values.push(value.as_vec2().as_dvec2());
                let mut reached = vec![first];
                while let Some((corner, sides)) = reached.pop() {
                    uv.corners[corner] = id;
                    let joined = |other: &(usize, [[u32; 2]; 2])| {
                        let open = sides.iter().filter(|s| !seams.contains(*s));
                        open.into_iter().any(|s| other.1.contains(s))
                    };
                    reached.extend(left.iter().filter(|o| joined(o)).copied());
                    left.retain(|o| !joined(o));
                }
            }
        }
        uv
    }
}

impl Uv {
    /// Makes the four corners of a square, or as many of a polygon, for every face: values that do not belong to one
    /// vertex.
    pub fn square(mesh: &PolyMesh) -> Uv {
        let most = meshes::faces(mesh).iter().map(Vec::len).max().unwrap_or(0);
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / 4.0 + 0.3;
        let corners = meshes::faces(mesh)
            .into_iter()
            .flat_map(|f| 0..f.len() as u32)
            .collect();
        Uv {
            values: (0..most)
                .map(|k| DVec2::from_angle(angle(k)) * (1.0 + k as f64 / 8.0))
                .map(|p| p.as_vec2().as_dvec2())
                .collect(),
            corners,
        }
    }

    /// Returns the values at the corners of the surface's faces, face after face.
    pub fn refine(
        &self,
        mesh: &PolyMesh,
        options: &Options,
        linear: UvInterpolation,
    ) -> Vec<DVec2> {
        if linear == UvInterpolation::All {
            let bases = refine(
                mesh,
                &Options {
                    levels: 0,
                    ..*options
                },
            )
            .parents;
            let of_base = |&f: &u32| {
                let values = self.corners[mesh.range(f as usize)].iter();
                bilinear(values.map(|&v| self.values[v as usize]).collect(), options)
            };
            return bases.iter().flat_map(of_base).collect();
        }
        let mut own = self.apart(mesh).mesh(mesh, options, linear);
        let kept = refine(
            mesh,
            &Options {
                levels: 0,
                ..*options
            },
        )
        .parents;
        own.holes = (0..mesh.face_count() as u32)
            .filter(|f| !kept.contains(f))
            .collect();
        let edge_only = Options {
            boundary: Boundary::EdgeOnly,
            ..*options
        };
        let surface = refine(&own, &edge_only);
        let value = |&v: &u32| surface.positions[v as usize].truncate();
        surface.faces.iter().flatten().map(value).collect()
    }

    /// Makes the mesh whose vertices are the values and whose surface is that of the values: the faces of `mesh` in
    /// their order. Seams are boundaries, and corners there are sharp vertices, as OpenSubdiv's `Vtr::FVarLevel`
    /// decides; so it is to be refined with [`Boundary::EdgeOnly`].
    fn mesh(&self, mesh: &PolyMesh, options: &Options, linear: UvInterpolation) -> PolyMesh {
        let mut own = mesh.clone();
        let flat = self.values.iter().map(|p| p.extend(0.0).as_vec3());
        own.positions = flat.collect();
        own.corners = self.corners.clone();
        own.sharp_edges.clear();
        own.sharp_vertices.clear();

        let base = Net::base(mesh, options);
        for f in 0..mesh.face_count() {
            let range = mesh.range(f);
            for here in range.clone() {
                let next = if here + 1 == range.end {
                    range.start
                } else {
                    here + 1
                };
                let e = base.edge(mesh.corners[here], mesh.corners[next]);
                let sharpness = base.edge_sharpness[e] as f32;
                let ends = [own.corners[here], own.corners[next]];
                own.sharp_edges.push(SharpEdge { ends, sharpness });
                let sharpness = base.vertex_sharpness[mesh.corners[here] as usize] as f32;
                let vertex = own.corners[here];
                own.sharp_vertices.push(SharpVertex { vertex, sharpness });
            }
        }
        let (corners, mut depending) = self.corners_of(mesh, &base, &own, options, linear);
        let sharp = |(vertex, is_corner): (usize, bool)| {
            is_corner.then_some(SharpVertex {
                vertex: vertex as u32,
                sharpness: PolyMesh::SHARP,
            })
        };
        depending.extend(corners.into_iter().enumerate().filter_map(sharp));
        own.sharp_vertices.extend(depending);
        own
    }

    /// Makes the same with a separate value for each vertex that uses it.
    fn apart(&self, mesh: &PolyMesh) -> Uv {
        let mut ids = BTreeMap::new();
        let mut values = Vec::new();
        let corners = mesh.corners.iter().zip(&self.corners).map(|pair| {
            *ids.entry(pair).or_insert_with(|| {
                values.push(self.values[*pair.1 as usize]);
                values.len() as u32 - 1
            })
        });
        let corners = corners.collect();
        Uv { values, corners }
    }

    /// Returns the values that are corners because of the seams, and the sharpness of those that are corners only while
    /// another is.
    fn corners_of(
        &self,
        mesh: &PolyMesh,
        base: &Net,
        own: &PolyMesh,
        options: &Options,
        linear: UvInterpolation,
    ) -> (Vec<bool>, Vec<SharpVertex>) {
        let edge_only = Options {
            boundary: Boundary::EdgeOnly,
            ..Options::default()
        };
        let net = Net::base(own, &edge_only);
        let faces = |v: usize| net.vertex_faces[v].len();
        let at_seam = |v: usize| net.vertex_edges[v].iter().any(|&e| !net.is_inner(e));
        let mut values_of = vec![BTreeSet::new(); mesh.vertex_count()];
        for (corner, &v) in own.corners.iter().enumerate() {
            values_of[mesh.corners[corner] as usize].insert(v as usize);
        }
        let mut is_corner = vec![false; own.positions.len()];
        let mut depending = Vec::new();
        for (vertex, values) in values_of.iter().enumerate() {
            // Faces are all around the vertex, so that a boundary at its only value is a seam that ends there.
            let open = mesh_is_open_at(mesh, vertex as u32);
            let dart = |v: usize| values.len() == 1 && !open && at_seam(v);
            let held = |v: usize| {
                let edges = net.vertex_edges[v].iter();
                let lines = edges.filter(|&&e| net.is_inner(e) && net.edge_sharpness[e] >= SHARP);
                lines.count() > 0 || net.vertex_sharpness[v] >= SHARP
            };
            let dependent =
                values.len() > 2 || values.len() == 2 && values.iter().any(|&v| held(v));
            let one_corner = values.len() == 2 && values.iter().any(|&v| faces(v) == 1);
            let ends = |s: f64| 0.0 < s && s < SHARP;
            let lines = |v: usize| -> Vec<f64> {
                let inner = net.vertex_edges[v].iter().filter(|&&e| net.is_inner(e));
                let all = inner.map(|&e| net.edge_sharpness[e]);
                all.filter(|&s| ends(s)).collect()
            };
            let sides: Vec<usize> = values.iter().copied().collect();
            if let [a, b] = sides[..]
                && [UvInterpolation::CornersPlus1, UvInterpolation::CornersPlus2].contains(&linear)
                && !ends(base.vertex_sharpness[vertex])
                && lines(a).is_empty() != lines(b).is_empty()
            {
                let (from, to) = if lines(a).is_empty() { (b, a) } else { (a, b) };
                let around = base.vertex_edges[vertex].iter();
                let all = around.map(|&e| base.edge_sharpness[e]).filter(|&s| ends(s));
                depending.push(SharpVertex {
                    vertex: to as u32,
                    sharpness: lasting(lines(from), all.collect(), options.creasing) as f32,
                });
            }
            for &v in values {
                is_corner[v] = match linear {
                    UvInterpolation::None => false,
                    UvInterpolation::CornersOnly => faces(v) == 1,
                    UvInterpolation::CornersPlus1 => faces(v) == 1 || dependent,
                    UvInterpolation::CornersPlus2 => {
                        faces(v) == 1 || dependent || one_corner || dart(v)
                    }
                    UvInterpolation::Boundaries => at_seam(v),
                    UvInterpolation::All => unreachable!("all of it is linear"),
                };
            }
        }
        (is_corner, depending)
    }
}

/// Returns the time for which the other side of a seam is a corner while `lines` end at one side, as sharpness of a
/// vertex; `all` are those that end at the vertex, `lines` among them. OpenSubdiv notices one level late when others
/// continue.
fn lasting(mut lines: Vec<f64>, mut all: Vec<f64>, creasing: Creasing) -> f64 {
    for level in 0.. {
        let others = |s: f64| match creasing {
            Creasing::Chaikin if all.len() > 1 => {
                let mean = (all.iter().sum::<f64>() - s) / (all.len() - 1) as f64;
                0.75 * s + 0.25 * mean
            }
            _ => s,
        };
        let later = |list: &[f64]| -> Vec<f64> {
            let rests = list.iter().map(|&s| others(s) - 1.0);
            rests.filter(|&s| s > 1e-5).collect()
        };
        let (lines_later, all_later) = (later(&lines), later(&all));
        if lines_later.is_empty() {
            let mean = lines.iter().sum::<f64>() / lines.len() as f64;
            let weight = if all_later.is_empty() {
                mean.min(1.0)
            } else {
                1.0
            };
            return f64::from(level) + weight;
        }
        (lines, all) = (lines_later, all_later);
    }
    unreachable!("all of them end")
}

/// Returns the corners of the parts of a face whose values are linear along its edges, and between them and its centre.
fn bilinear(face: Vec<DVec2>, options: &Options) -> Vec<DVec2> {
    if options.levels == 0 {
        return face;
    }
    let n = face.len();
    let center = face.iter().sum::<DVec2>() / n as f64;
    let sides: Vec<DVec2> = (0..n)
        .map(|k| (face[k] + face[(k + 1) % n]) / 2.0)
        .collect();
    let part = |k: usize| match options.scheme {
        Scheme::CatmullClark => vec![face[k], sides[k], center, sides[(k + n - 1) % n]],
        _ => vec![face[k], sides[k], sides[(k + n - 1) % n]],
    };
    let mut parts: Vec<_> = (0..n).map(part).collect();
    if options.scheme != Scheme::CatmullClark {
        parts.push(sides.clone());
    }
    let next = Options {
        levels: options.levels - 1,
        ..*options
    };
    parts.into_iter().flat_map(|p| bilinear(p, &next)).collect()
}

/// Returns `true` if a vertex is at a boundary of the mesh.
fn mesh_is_open_at(mesh: &PolyMesh, v: u32) -> bool {
    let mut sides = BTreeMap::new();
    for face in meshes::faces(mesh).iter().filter(|f| f.contains(&v)) {
        for k in 0..face.len() {
            let side = pair(face[k], face[(k + 1) % face.len()]);
            if side.contains(&v) {
                *sides.entry(side).or_insert(0) += 1;
            }
        }
    }
    sides.values().any(|&n| n == 1)
}
