//! Comparison of other methods with this library: normals, mean curvature flow, bilateral filter.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::filter::{
    Closeness, FilterOptions, FilterScheme, Similarity, bilateral_filter,
};
use rxmesh_host::algo::geodesic::{GeodesicOptions, geodesic};
use rxmesh_host::algo::lengths::mean_edge_length;
use rxmesh_host::algo::mcf::{McfIterations, McfOptions};
use rxmesh_host::algo::normals::vertex_normals_unscaled;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::Vertex;

use super::DirectedEdges;
use super::flow::{DirectedFilter, DirectedFlow, NewDirection};
use super::fronts::DirectedFronts;
use super::layout::{HalfEdgeArrays, PairedArrays, TripleArrays};
use crate::rows::{GatheredNormals, IndexedNormals, MatrixNormals};

/// Largest difference of unit normals that rounding explains.
const NORMALS: f32 = 1e-3;
/// Iterations of conjugate gradients before residuals are compared, and their largest relative difference.
const ITERATIONS: u32 = 5;
const RESIDUALS: f64 = 1e-3;
/// Largest difference of filtered positions, over the longest move.
const MOVES: f32 = 1e-2;

/// Largest mean relative difference of distances: the text's method takes plane waves, this library circular ones.
const DISTANCES: f64 = 0.02;

/// Returns the largest distance of two lists of vectors, infinity if a number is none.
pub(super) fn largest(a: &[Vec3], b: &[Vec3]) -> f32 {
    let distances = a.iter().zip(b).map(|(a, b)| a.distance(*b));
    distances.fold(0.0, |most, d| {
        if d.is_nan() {
            f32::INFINITY
        } else {
            d.max(most)
        }
    })
}

/// Returns the methods that differ from this library, and the number that were compared.
pub(crate) fn applications(rx: &RxMesh, mesh: &TriMesh) -> Result<(Vec<String>, usize)> {
    let directed = DirectedEdges::new(mesh.vertex_count(), &mesh.faces)?;
    let own = OwnResults::new(rx, mesh)?;
    let mut faults = own.faults_of_normals(rx, mesh)?;
    faults.extend(own.faults::<PairedArrays>(rx, mesh, &directed)?);
    faults.extend(own.faults::<TripleArrays>(rx, mesh, &directed)?);
    Ok((faults, 3 + 2 * 5))
}

/// Results of this library.
struct OwnResults {
    normals: Vec<Vec3>,
    dt: f64,
    residual: f64,
    filtered: Vec<Vec3>,
    distances: Vec<f32>,
}

impl OwnResults {
    fn new(rx: &RxMesh, mesh: &TriMesh) -> Result<Self> {
        let mut x = rx.attribute_from(&mesh.positions)?;
        let mut n = rx.attribute::<Vertex, Vec3>()?;
        vertex_normals_unscaled(rx, &x, &mut n)?;
        let options = GeodesicOptions::default();
        let distances = geodesic(rx, &x, &[0], &options)?.0.to_input(rx)?;
        let mean = mean_edge_length(rx, &x)?;
        let dt = 10.0 * mean * mean;
        let options = McfOptions::default().with(|o| {
            o.tolerance = 1e-30;
            o.matrix_free = true;
            o.preconditioner = false;
        });
        let mut flow = McfIterations::new(rx, &x, dt, &options)?;
        for _ in 0..ITERATIONS {
            flow.iterate()?;
        }
        let (_, residual) = flow.progress()?;
        drop(flow);
        let options = FilterOptions::default().with(|o| {
            o.scheme = Some(FilterScheme::Vertices);
            o.iterations = Some(1);
            o.sigma_c = Some(Closeness::ShortestEdge);
            o.sigma_s = Some(Similarity::Ball);
        });
        bilateral_filter(rx, &mut x, &options)?;
        let filtered = x.to_input(rx)?;
        ensure!(
            largest(&mesh.positions, &filtered) > 0.0,
            "the filter moved nothing"
        );
        Ok(Self {
            normals: n.to_input(rx)?,
            dt,
            residual,
            filtered,
            distances,
        })
    }

    /// Compares hardwired normals, and those of the mesh matrix with their definition.
    fn faults_of_normals(&self, rx: &RxMesh, mesh: &TriMesh) -> Result<Vec<String>> {
        let indexed = IndexedNormals::new(rx.engine(), mesh)?;
        // Twice: the sums start from zero each time.
        indexed.compute()?;
        indexed.compute()?;
        let gathered = GatheredNormals::new(rx.engine(), mesh)?;
        gathered.compute()?;
        let mut matrix = MatrixNormals::new(rx.engine(), mesh)?;
        matrix.compute()?;
        let by_area = normals_by_area(mesh);
        let mut faults = Vec::new();
        for (name, found, wanted) in [
            ("hardwired normals, indexed", indexed.read()?, &self.normals),
            (
                "hardwired normals, gathered",
                gathered.read()?,
                &self.normals,
            ),
            ("normals of the mesh matrix", matrix.read()?, &by_area),
        ] {
            let off = largest(&found, wanted);
            if off > NORMALS {
                faults.push(format!("{name}: {off:.1e}"));
            }
        }
        Ok(faults)
    }

    fn faults<L: HalfEdgeArrays>(
        &self,
        rx: &RxMesh,
        mesh: &TriMesh,
        directed: &DirectedEdges,
    ) -> Result<Vec<String>> {
        let (engine, layout) = (rx.engine(), L::upload(rx.engine(), directed)?);
        let mut faults = Vec::new();
        let mut fault = |what: &str, off: f64| {
            faults.push(format!(
                "{what} over directed edges, {}: {off:.1e}",
                L::NAME
            ));
        };
        for way in [NewDirection::Apart, NewDirection::InProduct] {
            let (positions, faces) = (&mesh.positions, &mesh.faces);
            let mut flow = DirectedFlow::new(engine, &layout, way, positions, faces, self.dt)?;
            for _ in 0..ITERATIONS {
                flow.iterate()?;
            }
            let (_, residual) = flow.progress()?;
            let off = (residual / self.residual - 1.0).abs();
            if off.is_nan() || off > RESIDUALS {
                fault("mean curvature flow", off);
            }
        }
        let mut filter = DirectedFilter::new(engine, &layout, &mesh.positions)?;
        filter.iterate()?;
        let off = largest(&filter.normals()?, &self.normals);
        if off > NORMALS {
            fault("normals", off.into());
        }
        let mut fronts = DirectedFronts::new(engine, &layout, directed, &mesh.positions, 0)?;
        fronts.propagate()?;
        let off = mean_difference(&fronts.read()?, &self.distances);
        if off > DISTANCES {
            fault("distances", off);
        }
        let moved = largest(&mesh.positions, &self.filtered);
        let off = largest(&filter.positions()?, &self.filtered) / moved;
        if off > MOVES {
            fault("bilateral filter", off.into());
        }
        Ok(faults)
    }
}

/// Returns the mean relative difference of distances; infinity if only one of two is known.
fn mean_difference(a: &[f32], b: &[f32]) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for (&a, &b) in a.iter().zip(b) {
        if a.is_finite() != b.is_finite() {
            return f64::INFINITY;
        }
        if b.is_finite() && b > 0.0 {
            sum += f64::from((a / b - 1.0).abs());
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

/// Returns normals of vertices weighted by the areas of faces.
fn normals_by_area(mesh: &TriMesh) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; mesh.vertex_count()];
    for face in &mesh.faces {
        let [x, y, z] = face.map(|v| mesh.positions[v as usize]);
        for &v in face {
            sums[v as usize] += (y - x).cross(z - x);
        }
    }
    sums.iter().map(|n| n.normalize_or_zero()).collect()
}
