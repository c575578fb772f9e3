//! Surfaces for closest-point look-ups.

use crate::Error;
use crate::engine::{Buffer, Engine, EngineError};
use crate::par::IntoLean;
use crate::parallel::sort;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rxmesh_kernels::algo::distance::closest::{ClosestPoints, Forest, LEAF, TreeView};
use rxmesh_kernels::algo::distance::tree::{
    BOUNDS_CHUNK, CentreBounds, CheckCorners, MORTON_BITS, MORTON_CELLS, MortonCodes, TreeLeaves, TreeLevel,
    IndexedTriangles, centre, morton,
};
use rxmesh_kernels::edit::NONE;
use rxmesh_kernels::mem::{Global, GlobalMut};

/// A triangle soup on an engine, with a hierarchy of boxes: a complete binary tree over the triangles in Morton order.
#[derive(Debug)]
pub struct SurfaceTree {
    boxes: Buffer<Vec3>,
    corners: Buffer<Vec3>,
    /// Number of each triangle.
    numbers: Buffer<u32>,
    leaves: u32,
    /// Root of the tree of each of several meshes; empty for one mesh.
    trees: Buffer<u32>,
}

/// Places of a surface that are closest to points ([`SurfaceTree::closest`]), on the engine; a value for each point.
#[derive(Debug)]
pub struct ClosestPlaces {
    /// The places.
    pub places: Buffer<Vec3>,
    /// Triangle of each place, of several equally close ones that with the smallest number.
    pub triangles: Buffer<u32>,
    /// Parts of the three corners of the triangle at the place, which add up to 1.
    pub parts: Buffer<Vec3>,
}

type Box3 = [Vec3; 2];

const NOTHING: Box3 = [Vec3::INFINITY, Vec3::NEG_INFINITY];

impl SurfaceTree {
    /// Makes the tree of some triangles: by kernels on a GPU, else by the host. It is the same.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a triangle with a corner that does not exist, or no memory on the engine.
    pub fn new(engine: &Engine, x: &[Vec3], faces: &[[u32; 3]]) -> Result<SurfaceTree, Error> {
        let is_wrong = |f: &[u32; 3]| f.iter().any(|&v| v as usize >= x.len());
        if let Some(face) = faces.par_iter().lean().position_first(is_wrong) {
            return Err(no_corner(face, x.len()));
        }
        if engine.is_cuda() {
            let (x, faces) = (engine.upload(x)?, engine.upload(faces.as_flattened())?);
            let triangles = IndexedTriangles {
                x: x.global(),
                faces: faces.global(),
            };
            return SurfaceTree::by_kernels(engine, triangles, GlobalMut::empty());
        }
        let all = (0..faces.len() as u32).collect();
        Ok(SurfaceTree::of(engine, &[Built::new(x, faces, all)])?)
    }

    /// Makes the tree of triangles in the engine's memory by kernels. It is the same as that of [`SurfaceTree::new`].
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::new`].
    pub fn on_engine(
        engine: &Engine,
        x: &Buffer<Vec3>,
        faces: &Buffer<[u32; 3]>,
    ) -> Result<SurfaceTree, Error> {
        let wrong = engine.upload(&[NONE; 2])?;
        let kernel = CheckCorners {
            faces: faces.global().cast(),
            vertices: x.len() as u32,
            wrong: wrong.global_mut(),
        };
        engine.launch_flat(faces.len() as u32, kernel)?;
        let wrong = wrong.read()?[1];
        if wrong != NONE {
            return Err(no_corner(wrong as usize, x.len()));
        }
        let triangles = IndexedTriangles {
            x: x.global(),
            faces: faces.global().cast(),
        };
        SurfaceTree::by_kernels(engine, triangles, GlobalMut::empty())
    }

    /// Makes the tree of triangles in the engine's memory by kernels. `near`, if it is not empty, has a word per
    /// vertex, which becomes the last leaf that contains it, 0 for vertices of no triangle.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or any error of it.
    pub(crate) fn by_kernels(
        engine: &Engine,
        triangles: IndexedTriangles,
        near: GlobalMut<u32>,
    ) -> Result<SurfaceTree, Error> {
        let n = triangles.count();
        let leaves = n.div_ceil(LEAF).max(1).next_power_of_two();
        let chunks = n.div_ceil(BOUNDS_CHUNK);
        let bounds = engine.uninit::<f64>(6 * chunks as usize)?;
        let kernel = CentreBounds {
            triangles,
            bounds: bounds.global_mut(),
        };
        engine.launch_blocks(chunks, kernel)?;
        let bounds = bounds.read()?;
        let extreme = |from: usize, first: f64, of: fn(f64, f64) -> f64| {
            let axis = |k: usize| bounds.chunks(6).map(|c| c[from + k]).fold(first, of) as f32;
            Vec3::new(axis(0), axis(1), axis(2))
        };
        let low = extreme(0, f64::INFINITY, f64::min);
        let high = extreme(3, f64::NEG_INFINITY, f64::max);
        let (codes, order) = (
            engine.uninit::<u32>(n as usize)?,
            engine.uninit::<u32>(n as usize)?,
        );
        let kernel = MortonCodes {
            triangles,
            low,
            scale: scale(low, high),
            codes: codes.global_mut(),
            order: order.global_mut(),
        };
        engine.launch_flat(n, kernel)?;
        let (_, numbers) = sort::by_keys(engine, codes, order, MORTON_BITS)?;
        let tree = SurfaceTree {
            boxes: engine.uninit(4 * leaves as usize)?,
            corners: engine.uninit(3 * n as usize)?,
            numbers,
            leaves,
            trees: engine.zeroed(0)?,
        };
        crate::parallel::fill(engine, near, 0)?;
        let kernel = TreeLeaves {
            triangles,
            order: tree.numbers.global(),
            corners: tree.corners.global_mut(),
            boxes: tree.boxes.global_mut(),
            near,
        };
        engine.launch_flat(leaves, kernel)?;
        let mut first = leaves / 2;
        while first > 0 {
            let boxes = tree.boxes.global_mut();
            engine.launch_flat(first, TreeLevel { boxes, first })?;
            first /= 2;
        }
        Ok(tree)
    }

    /// Finds the places that are closest to points.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or any error of it.
    pub fn closest(&self, points: &Buffer<Vec3>) -> Result<ClosestPlaces, Error> {
        let (engine, n) = (self.boxes.engine(), points.len());
        let found = ClosestPlaces {
            places: engine.uninit(n)?,
            triangles: engine.uninit(n)?,
            parts: engine.uninit(n)?,
        };
        let kernel = ClosestPoints {
            surface: self.view(),
            points: points.global(),
            places: found.places.global_mut(),
            triangles: found.triangles.global_mut(),
            parts: found.parts.global_mut(),
        };
        engine.launch_flat(n as u32, kernel)?;
        Ok(found)
    }

    /// Works like [`SurfaceTree::new`], and returns a leaf that contains each vertex: 0 for vertices of no triangle.
    /// With labels, which give the mesh of each vertex and the number of meshes, each mesh gets a separate tree, and
    /// leaves are of that.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn with_leaves(
        engine: &Engine,
        x: &[Vec3],
        faces: &[[u32; 3]],
        labels: Option<(&[u32], usize)>,
    ) -> Result<(SurfaceTree, Vec<u32>), EngineError> {
        let meshes = match labels {
            None => vec![(0..faces.len() as u32).collect()],
            Some((labels, count)) => {
                let mut meshes: Vec<Vec<u32>> = vec![Vec::new(); count];
                for (i, f) in (0..).zip(faces) {
                    meshes[labels[f[0] as usize] as usize].push(i);
                }
                meshes
            }
        };
        let trees: Vec<Built> = meshes
            .into_par_iter()
            .lean()
            .map(|mesh| Built::new(x, faces, mesh))
            .collect();
        let mut of_vertices = vec![0; x.len()];
        for tree in &trees {
            let leaves = tree.boxes.len() / 2;
            for (node, triangles) in (leaves..).zip(tree.order.chunks(LEAF as usize)) {
                for v in triangles.iter().flat_map(|&i| faces[i as usize]) {
                    of_vertices[v as usize] = node as u32;
                }
            }
        }
        Ok((SurfaceTree::of(engine, &trees)?, of_vertices))
    }

    fn of(engine: &Engine, built: &[Built]) -> Result<SurfaceTree, EngineError> {
        let mut trees = Vec::new();
        let (mut boxes, mut triangles) = (0, 0);
        for tree in built {
            let nodes = tree.boxes.len() as u32;
            let own = tree.order.len() as u32;
            trees.extend([2 * boxes, triangles, own, nodes / 2]);
            boxes += nodes;
            triangles += own;
        }
        if built.len() == 1 {
            trees.clear();
        }
        let all = |of: &dyn Fn(&Built) -> &[Vec3]| match built {
            [only] => engine.upload(of(only)),
            built => engine.upload(&built.iter().flat_map(of).copied().collect::<Vec<Vec3>>()),
        };
        Ok(SurfaceTree {
            boxes: all(&|tree| tree.boxes.as_flattened())?,
            corners: all(&|tree| &tree.corners)?,
            numbers: match built {
                [only] => engine.upload(&only.order)?,
                built => {
                    let orders = built.iter().flat_map(|tree| &tree.order);
                    engine.upload(&orders.copied().collect::<Vec<u32>>())?
                }
            },
            leaves: built.first().map_or(0, |tree| tree.boxes.len() as u32 / 2),
            trees: engine.upload(&trees)?,
        })
    }

    /// Reads the corners of all boxes and the numbers of the triangles in the order of the leaves: for comparisons.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn to_host(&self) -> Result<(Vec<Vec3>, Vec<u32>), EngineError> {
        // Node 0 does not exist.
        Ok((self.boxes.read()?.split_off(2), self.numbers.read()?))
    }

    /// Returns the surface as a kernel argument.
    pub fn view(&self) -> TreeView {
        TreeView {
            boxes: self.boxes.global(),
            corners: self.corners.global(),
            numbers: self.numbers.global(),
            leaves: self.leaves,
        }
    }

    /// Returns the surface of each mesh as a kernel argument, for vertices with labels; these are not read for one
    /// mesh.
    pub fn forest(&self, labels: Global<u32>) -> Forest {
        Forest {
            all: self.view(),
            trees: self.trees.global(),
            labels,
        }
    }
}

/// Returns the error of a face with a corner that does not exist.
fn no_corner(face: usize, vertices: usize) -> Error {
    Error::Options(format!(
        "face {face} has a corner that is none of the {vertices} vertices"
    ))
}

/// A triangle soup with its hierarchy of boxes in the host's memory, for look-ups that choose among triangles.
#[derive(Debug)]
pub(crate) struct HostTree(Built);

/// A place on a triangle of a [`HostTree`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Id of the triangle.
    pub(crate) face: u32,
    /// Part of each corner, which add up to 1.
    pub(crate) parts: [f64; 3],
    /// Squared distance to the point.
    pub(crate) square: f64,
}

impl HostTree {
    /// Makes the tree of some of the faces, given by their numbers.
    pub(crate) fn of(x: &[Vec3], faces: &[[u32; 3]], some: Vec<u32>) -> HostTree {
        HostTree(Built::new(x, faces, some))
    }

    /// Returns the place closest to `p` on the triangles that `accepts` names; of equally close ones the triangle with
    /// the smallest number.
    pub(crate) fn nearest(&self, p: DVec3, accepts: impl Fn(u32) -> bool) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        self.visit(p, |at| {
            let closer = |b: Nearest| (at.square, at.face) < (b.square, b.face);
            if best.is_none_or(closer) && accepts(at.face) {
                best = Some(at);
            }
            best.map_or(f64::INFINITY, |b| b.square)
        });
        best
    }

    /// Calls `show` with the closest place on each triangle, up to the squared distance that `show` returned last.
    fn visit(&self, p: DVec3, mut show: impl FnMut(Nearest) -> f64) {
        let Built {
            boxes,
            corners,
            order,
        } = &self.0;
        let mut most = f64::INFINITY;
        let leaves = boxes.len() / 2;
        let distance = |node: usize| {
            let [low, high] = boxes[node].map(|b| b.as_dvec3());
            let d = (low - p).max(p - high).max(DVec3::ZERO);
            d.length_squared()
        };
        let mut stack = vec![(1, distance(1))];
        while let Some((node, near)) = stack.pop() {
            if near > most {
                continue;
            }
            if node < leaves {
                let [a, b] = [2 * node, 2 * node + 1].map(|n| (n, distance(n)));
                stack.extend(if a.1 <= b.1 { [b, a] } else { [a, b] });
                continue;
            }
            let first = (node - leaves) * LEAF as usize;
            for t in first..(first + LEAF as usize).min(order.len()) {
                let x = [0, 1, 2].map(|k| corners[3 * t + k].as_dvec3());
                let (parts, square) = closest_parts(p, x);
                if square <= most {
                    let face = order[t];
                    most = show(Nearest {
                        face,
                        parts,
                        square,
                    });
                }
            }
        }
    }
}

/// Returns the parts of the corners at the point of a triangle that is closest to `p`, and its squared distance
/// (Ericson, "Real-time collision detection", 2005, section 5.1.5).
pub(crate) fn closest_parts(p: DVec3, [a, b, c]: [DVec3; 3]) -> ([f64; 3], f64) {
    let measured = |parts: [f64; 3]| {
        let q = a * parts[0] + b * parts[1] + c * parts[2];
        (parts, q.distance_squared(p))
    };
    let normal = (b - a).cross(c - a);
    let whole = normal.length_squared();
    if whole > 0.0 {
        let part = |u: DVec3, v: DVec3| normal.dot((u - p).cross(v - p)) / whole;
        let parts = [part(b, c), part(c, a), part(a, b)];
        if parts.iter().all(|&x| (0.0..=1.0).contains(&x)) {
            return measured(parts);
        }
    }
    let on_side = |from: DVec3, to: DVec3| {
        let side = to - from;
        let square = side.length_squared();
        match square > 0.0 {
            true => (side.dot(p - from) / square).clamp(0.0, 1.0),
            false => 0.0,
        }
    };
    let (ab, bc, ca) = (on_side(a, b), on_side(b, c), on_side(c, a));
    let sides = [
        [1.0 - ab, ab, 0.0],
        [0.0, 1.0 - bc, bc],
        [ca, 0.0, 1.0 - ca],
    ]
    .map(measured);
    let nearer = |m: ([f64; 3], f64), n: ([f64; 3], f64)| if n.1 < m.1 { n } else { m };
    nearer(nearer(sides[0], sides[1]), sides[2])
}

/// A tree before it is on an engine.
#[derive(Debug)]
struct Built {
    boxes: Vec<Box3>,
    corners: Vec<Vec3>,
    /// Faces, as the triangles lie.
    order: Vec<u32>,
}

impl Built {
    /// Builds the tree of some of the faces.
    fn new(x: &[Vec3], faces: &[[u32; 3]], of: Vec<u32>) -> Built {
        let place = |i: u32| faces[i as usize].map(|v| x[v as usize]);
        let centre = |i: u32| {
            let [a, b, c] = place(i);
            centre(a, b, c)
        };
        let [low, high] = of
            .par_iter()
            .lean()
            .map(|&i| [centre(i); 2])
            .reduce(|| NOTHING, union);
        let scale = scale(low, high);
        let mut order: Vec<(u32, u32)> = of
            .into_par_iter()
            .lean()
            .map(|i| (morton((centre(i) - low) * scale), i))
            .collect();
        order.par_sort_unstable();
        let order: Vec<u32> = order.into_par_iter().lean().map(|(_, i)| i).collect();
        let corners: Vec<Vec3> = order
            .par_iter()
            .lean()
            .flat_map_iter(|&i| place(i))
            .collect();
        let leaves = order
            .len()
            .div_ceil(LEAF as usize)
            .max(1)
            .next_power_of_two();
        Built {
            boxes: boxes_of(&corners, leaves),
            corners,
            order,
        }
    }
}

fn union(a: Box3, b: Box3) -> Box3 {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// Returns the boxes of all nodes; node 0 does not exist.
fn boxes_of(corners: &[Vec3], leaves: usize) -> Vec<Box3> {
    let mut boxes = vec![NOTHING; 2 * leaves];
    let (inner, last) = boxes.split_at_mut(leaves);
    last.par_iter_mut()
        .zip(corners.par_chunks(3 * LEAF as usize))
        .lean()
        .for_each(|(b, c)| *b = c.iter().fold(NOTHING, |b, &p| union(b, [p, p])));
    let mut below: &[Box3] = last;
    let mut rest = inner;
    // Level by level: the nodes from n to 2 n are the parents of those from 2 n to 4 n.
    while rest.len() > 1 {
        let (upper, level) = rest.split_at_mut(rest.len() / 2);
        level
            .par_iter_mut()
            .zip(below.par_chunks(2))
            .lean()
            .for_each(|(b, children)| *b = union(children[0], children[1]));
        below = level;
        rest = upper;
    }
    boxes
}

/// Returns the cells of the Morton grid over the longest side of a box; 0 if it has none.
fn scale(low: Vec3, high: Vec3) -> f32 {
    let extent = (high - low).max_element();
    if extent > 0.0 {
        MORTON_CELLS / extent
    } else {
        0.0
    }
}
