//! Surfaces for closest-point look-ups.

use super::bounds::{self, TriangleBox};
use super::tree::{Built, curve, leaves_of};
use super::wide::WideNodes;
use crate::Error;
use crate::engine::{Buffer, Engine, EngineError};
use crate::par::IntoLean;
use crate::parallel::sort;
use glam::Vec3;
use rayon::prelude::*;
use rxmesh_kernels::algo::distance::closest::{ClosestPoints, Forest, TREE_WORDS};
use rxmesh_kernels::algo::distance::curve::{CURVE_BITS, Curve};
use rxmesh_kernels::algo::distance::search::{LEAF, TRIANGLE_WORDS, TreeView, words_of};
use rxmesh_kernels::algo::distance::tree::{
    CurveCodes, IndexedTriangles, POINT_BITS, PointCodes, TreeLeaves, TreeLevel,
};
use rxmesh_kernels::mem::{Global, GlobalMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A triangle soup on an engine, with hierarchies of boxes over the triangles along a Hilbert curve: a complete binary
/// tree, and nodes of eight children that searches walk.
#[derive(Debug)]
pub struct SurfaceTree {
    boxes: Buffer<Vec3>,
    /// `true` once the inner nodes of the complete tree have their boxes, too.
    is_complete: Mutex<bool>,
    triangles: Buffer<u32>,
    /// Number of each triangle.
    numbers: Buffer<u32>,
    leaves: u32,
    wide: WideNodes,
    curve: Curve,
    /// Place along the curve of the first triangle of each leaf; empty for several meshes.
    firsts: Buffer<u32>,
    /// Root of the tree of each of several meshes; empty for one mesh.
    trees: Buffer<u32>,
}

/// Fewest points that are looked at along a Hilbert curve.
const MANY_POINTS: usize = 4096;

/// Places of a surface that are closest to points ([`SurfaceTree::closest`]), on the engine; a value for each point.
#[derive(Debug)]
pub struct ClosestPlaces {
    /// The places; the points themselves if there is no triangle, or none at a distance whose square is a number.
    pub places: Buffer<Vec3>,
    /// Triangle of each place, of several equally close ones that with the smallest number; `u32::MAX` for none.
    pub triangles: Buffer<u32>,
    /// Parts of the three corners of the triangle at the place, which add up to 1; zeroes for none.
    pub parts: Buffer<Vec3>,
}

impl SurfaceTree {
    /// Makes the tree of some triangles: by kernels on a GPU, else by the host. It is the same.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a triangle with a corner that does not exist or is not finite; no memory on the engine.
    pub fn new(engine: &Engine, x: &[Vec3], faces: &[[u32; 3]]) -> Result<SurfaceTree, Error> {
        let is_wrong = |f: &[u32; 3]| f.iter().any(|&v| v as usize >= x.len());
        if let Some(face) = faces.par_iter().lean().position_first(is_wrong) {
            return Err(bounds::no_corner(face, x.len()));
        }
        let is_wrong = |f: &[u32; 3]| f.iter().any(|&v| !x[v as usize].is_finite());
        if let Some(face) = faces.par_iter().lean().position_first(is_wrong) {
            return Err(bounds::not_finite(face));
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
        SurfaceTree::of(engine, &[Built::new(x, faces, all)])
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
        let triangles = IndexedTriangles {
            x: x.global(),
            faces: faces.global().cast(),
        };
        let within = bounds::checked(engine, triangles)?;
        SurfaceTree::within(engine, triangles, GlobalMut::empty(), &within)
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
        let within = bounds::of_triangles(engine, triangles)?;
        SurfaceTree::within(engine, triangles, near, &within)
    }

    /// Works like [`SurfaceTree::by_kernels`], with the box of the triangles.
    fn within(
        engine: &Engine,
        triangles: IndexedTriangles,
        near: GlobalMut<u32>,
        within: &TriangleBox,
    ) -> Result<SurfaceTree, Error> {
        let n = triangles.count();
        let leaves = leaves_of(n);
        let (codes, order) = (
            engine.uninit::<u32>(n as usize)?,
            engine.uninit::<u32>(n as usize)?,
        );
        let curve = curve(within.low, within.high);
        let kernel = CurveCodes {
            triangles,
            curve,
            codes: codes.global_mut(),
            order: order.global_mut(),
        };
        engine.launch_flat(n, kernel)?;
        let (codes, numbers) = sort::by_keys(engine, codes, order, CURVE_BITS)?;
        let tree = SurfaceTree {
            // Node 0, which is none, is read with its siblings.
            boxes: engine.zeroed(4 * leaves as usize)?,
            is_complete: Mutex::new(false),
            triangles: engine.uninit(TRIANGLE_WORDS as usize * n as usize)?,
            numbers,
            leaves,
            wide: WideNodes::new(engine, codes.global(), &[[0, n]])?,
            curve,
            firsts: engine.uninit(leaves as usize)?,
            trees: engine.zeroed(0)?,
        };
        let firsts = tree.firsts.global_mut();
        tree.fit_ordered(triangles, codes.global(), firsts, near)?;
        Ok(tree)
    }

    /// Writes triangles and the boxes of leaves and of nodes, in the order that there is. `near` as in
    /// [`SurfaceTree::by_kernels`].
    pub(crate) fn fit(
        &self,
        triangles: IndexedTriangles,
        near: GlobalMut<u32>,
    ) -> Result<(), Error> {
        self.fit_ordered(triangles, Global::empty(), GlobalMut::empty(), near)
    }

    /// Works like [`SurfaceTree::fit`], and writes the places along the curve where searches begin, of those of all
    /// triangles.
    fn fit_ordered(
        &self,
        triangles: IndexedTriangles,
        codes: Global<u32>,
        firsts: GlobalMut<u32>,
        near: GlobalMut<u32>,
    ) -> Result<(), Error> {
        let engine = self.boxes.engine();
        crate::parallel::fill(engine, near, 0)?;
        let kernel = TreeLeaves {
            triangles,
            order: self.numbers.global(),
            codes,
            words: self.triangles.global_mut(),
            boxes: self.boxes.global_mut(),
            firsts,
            near,
        };
        engine.launch_flat(self.leaves, kernel)?;
        *self.lock() = false;
        self.wide.fit(self.triangles.global())
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_complete
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the boxes of the complete tree's inner nodes, unless they are there.
    fn complete(&self) -> Result<(), EngineError> {
        let mut is_complete = self.lock();
        let mut first = if *is_complete { 0 } else { self.leaves / 2 };
        while first > 0 {
            let boxes = self.boxes.global_mut();
            let kernel = TreeLevel { boxes, first };
            self.engine().launch_flat(first, kernel)?;
            first /= 2;
        }
        *is_complete = true;
        Ok(())
    }

    /// Fits the tree of one mesh to new positions of its vertices: boxes change, and the order of the triangles stays.
    /// Results are those of a new tree; look-ups take longer the farther vertices have moved.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for another number of triangles than the tree has, a triangle with a corner that does not
    /// exist or is not finite, or a tree of several meshes; any error of the engine.
    pub fn refit(&mut self, x: &Buffer<Vec3>, faces: &Buffer<[u32; 3]>) -> Result<(), Error> {
        let (here, there) = (self.numbers.len(), faces.len());
        if here != there || !self.trees.is_empty() {
            return Err(Error::Options(format!(
                "the tree has {here} triangles of {} meshes, and cannot be fitted to {there} triangles of one",
                (self.trees.len() / TREE_WORDS as usize).max(1)
            )));
        }
        let triangles = IndexedTriangles {
            x: x.global(),
            faces: faces.global().cast(),
        };
        bounds::checked(self.boxes.engine(), triangles)?;
        self.fit(triangles, GlobalMut::empty())
    }

    /// Returns the engine that the tree is on.
    pub fn engine(&self) -> &Engine {
        self.boxes.engine()
    }

    /// Returns an order of points in which neighbours follow each other; nothing for few points.
    pub(super) fn order_of(&self, points: &Buffer<Vec3>) -> Result<Buffer<u32>, Error> {
        let (engine, n) = (self.boxes.engine(), points.len());
        if n < MANY_POINTS {
            return Ok(engine.zeroed(0)?);
        }
        let (codes, order) = (engine.uninit::<u32>(n)?, engine.uninit::<u32>(n)?);
        let kernel = PointCodes {
            points: points.global(),
            curve: self.curve,
            codes: codes.global_mut(),
            order: order.global_mut(),
        };
        engine.launch_flat(n as u32, kernel)?;
        Ok(sort::by_keys(engine, codes, order, POINT_BITS)?.1)
    }

    /// Finds the places that are closest to points. Many points are looked at in an order in which neighbours follow
    /// each other; results lie as the points do.
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
        let order = self.order_of(points)?;
        let kernel = ClosestPoints {
            surface: self.view(),
            points: points.global(),
            order: order.global(),
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
    ) -> Result<(SurfaceTree, Vec<u32>), Error> {
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

    fn of(engine: &Engine, built: &[Built]) -> Result<SurfaceTree, Error> {
        let (mut trees, mut roots) = (Vec::new(), Vec::new());
        let (mut boxes, mut triangles) = (0, 0);
        for tree in built {
            let nodes = tree.boxes.len() as u32;
            let own = tree.order.len() as u32;
            trees.extend([2 * boxes, triangles, own, nodes / 2]);
            roots.push([triangles, triangles + own]);
            boxes += nodes;
            triangles += own;
        }
        if built.len() == 1 {
            trees.clear();
        }
        let words = |tree: &Built| -> Vec<[[u32; 4]; 3]> {
            let triangles = tree.corners.par_chunks(3).zip(&tree.order).lean();
            let words = triangles.map(|(x, &number)| words_of([x[0], x[1], x[2]], number));
            words.collect()
        };
        let codes = joined(engine, built, |tree| &tree.codes)?;
        let tree = SurfaceTree {
            boxes: joined(engine, built, |tree| tree.boxes.as_flattened())?,
            is_complete: Mutex::new(true),
            triangles: engine
                .upload(&built.iter().flat_map(words).collect::<Vec<_>>())?
                .cast()?,
            wide: WideNodes::new(engine, codes.global(), &roots)?,
            numbers: joined(engine, built, |tree| &tree.order)?,
            leaves: built.first().map_or(0, |tree| tree.boxes.len() as u32 / 2),
            curve: built
                .first()
                .map_or(curve(Vec3::ZERO, Vec3::ZERO), |tree| tree.curve),
            firsts: match built {
                [only] => engine.upload(&only.firsts)?,
                _ => engine.zeroed(0)?,
            },
            trees: engine.upload(&trees)?,
        };
        tree.wide.fit(tree.triangles.global())?;
        Ok(tree)
    }

    /// Reads the corners of the boxes from node 1 on, the words of the triangles as they lie, and places along the
    /// curve: for comparisons.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn to_host(&self) -> Result<(Vec<Vec3>, [Vec<u32>; 2]), EngineError> {
        self.complete()?;
        Ok((
            self.boxes.read()?.split_off(2),
            [self.triangles.read()?, self.firsts.read()?],
        ))
    }

    /// Returns the surface as a kernel argument, for kernels that walk the complete tree.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn complete_view(&self) -> Result<TreeView, EngineError> {
        self.complete()?;
        Ok(self.view())
    }

    /// Returns the surface as a kernel argument. Inner nodes of the complete tree may have no boxes yet
    /// ([`SurfaceTree::complete_view`]): searches do not read them.
    pub fn view(&self) -> TreeView {
        TreeView {
            boxes: self.boxes.global(),
            triangles: self.triangles.global(),
            leaves: self.leaves,
            nodes: self.wide.nodes.global(),
            stretches: self.wide.stretches.global(),
            root: 0,
            first: 0,
            end: self.numbers.len() as u32,
            curve: self.curve,
            firsts: self.firsts.global(),
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

/// Puts a list of each tree on the engine, one after the other.
fn joined<T: bytemuck::Pod>(
    engine: &Engine,
    built: &[Built],
    of: impl Fn(&Built) -> &[T],
) -> Result<Buffer<T>, EngineError> {
    match built {
        [only] => engine.upload(of(only)),
        built => engine.upload(&built.iter().flat_map(of).copied().collect::<Vec<T>>()),
    }
}
