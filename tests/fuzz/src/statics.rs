//! Algorithms that do not change the connectivity: a typed error, or finite numbers.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::curvature::curvature;
use rxmesh_host::algo::filter::{Closeness, FilterOptions, Similarity, bilateral_filter};
use rxmesh_host::algo::geodesic::{GeodesicOptions, geodesic};
use rxmesh_host::algo::kring::k_ring;
use rxmesh_host::algo::laplacian::{SmoothOptions, SmoothWeights, smooth};
use rxmesh_host::algo::mcf::{McfOptions, mean_curvature_flow};
use rxmesh_host::algo::normals::vertex_normals;
use rxmesh_host::algo::spring::{SpringForces, SpringOptions, Springs};
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{Rng, TriMesh};
use rxmesh_host::store::{Attribute, RxMesh};

use crate::Outcome;
use crate::options::factor;
use crate::random::Choose;

type Positions = Attribute<Vertex, Vec3>;

/// Runs one of the algorithms with random options. Invalid options and overflows of `f32` are errors that say so.
pub(crate) fn run(rng: &mut Rng, rx: &RxMesh, mesh: &TriMesh) -> Outcome {
    let which = rng.below(8);
    match algorithm(rng, rx, mesh, which) {
        Ok(outcome) => outcome.map_err(|e| format!("algorithm {which}: {e}")),
        Err(Error::Options(_) | Error::NotFinite { .. }) => Ok(()),
        Err(e) => Err(format!("algorithm {which}: {e}")),
    }
}

fn algorithm(rng: &mut Rng, rx: &RxMesh, mesh: &TriMesh, which: u64) -> Result<Outcome, Error> {
    let mut x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    match which {
        0 => {
            let mut n = rx.attribute()?;
            vertex_normals(rx, &x, &mut n)?;
            points(rx, n)
        }
        1 => {
            let options = McfOptions::default().with(|o| {
                o.time_step = rng.percent(50).then(|| f64::from(factor(rng)));
                o.max_iterations = rng.below(100) as u32;
            });
            mean_curvature_flow(rx, &mut x, &options)?;
            points(rx, x)
        }
        2 => {
            let options = SmoothOptions::default().with(|o| {
                o.lambda = 0.4 * f64::from(factor(rng));
                o.mu = rng.percent(30).then(|| -0.5 * f64::from(factor(rng)));
                o.iterations = rng.below(5) as u32;
                o.weights = *rng.one_of(&[SmoothWeights::Uniform, SmoothWeights::Cotangent]);
                o.move_boundary = rng.percent(50);
            });
            smooth(rx, &mut x, &options)?;
            // With a repeated negative step longer than the mean, any mesh overflows in time, but not in five steps.
            points(rx, x)
        }
        3 => {
            let length = Closeness::Given(f64::from(factor(rng)));
            let options = FilterOptions::default().with(|o| {
                o.iterations = Some(rng.below(3) as u32);
                o.noise = rng.percent(30).then(|| f64::from(factor(rng)));
                if rng.percent(50) {
                    return;
                }
                o.sigma_c = Some(*rng.one_of(&[
                    Closeness::MeanEdge,
                    Closeness::ShortestEdge,
                    Closeness::MeshMeanEdge,
                    length,
                ]));
                let length = Similarity::Given(f64::from(factor(rng)));
                o.sigma_s = Some(*rng.one_of(&[Similarity::Noise, Similarity::Ball, length]));
            });
            bilateral_filter(rx, &mut x, &options)?;
            points(rx, x)
        }
        4 => {
            let (mut c, report) = curvature(rx, &x)?;
            let all = [&mut c.defect, &mut c.gaussian, &mut c.mean, &mut c.area];
            for values in all {
                let values = values.to_input(rx)?;
                if let Some(v) = values.iter().find(|v| !v.is_finite()) {
                    return Ok(Err(format!("a curvature of {v}: {report:?}")));
                }
            }
            Ok(Ok(()))
        }
        5 => {
            let n = mesh.vertex_count() as u64;
            let sources: Vec<u32> = (0..rng.below(4)).map(|_| rng.below(n + 1) as u32).collect();
            let options = GeodesicOptions::default().with(|o| {
                o.threshold = 1e-3 * f64::from(factor(rng));
            });
            let (mut d, _) = geodesic(rx, &x, &sources, &options)?;
            let wrong = d.to_input(rx)?.into_iter().find(|d| d.is_nan() || *d < 0.0);
            Ok(wrong.map_or(Ok(()), |d| Err(format!("a distance of {d}"))))
        }
        6 => {
            let rows = k_ring(rx, rng.below(4) as u32)?.read()?;
            let n = rx.count(Kind::Vertex);
            let outside = rows.values.iter().find(|&&v| v >= n);
            Ok(outside.map_or(Ok(()), |v| Err(format!("a ring with {v} of {n}"))))
        }
        _ => springs(rng, rx, &x),
    }
}

fn points(rx: &RxMesh, mut x: Positions) -> Result<Outcome, Error> {
    let wrong = x.to_input(rx)?.into_iter().find(|p| !p.is_finite());
    Ok(wrong.map_or(Ok(()), |p| Err(format!("a vertex at {p}"))))
}

/// Runs springs; the energy reveals explosions.
fn springs(rng: &mut Rng, rx: &RxMesh, x: &Positions) -> Result<Outcome, Error> {
    let options = SpringOptions::default().with(|o| {
        o.time_step = 1e-2 * f64::from(factor(rng));
        o.mass = f64::from(factor(rng));
        o.stiffness = f64::from(factor(rng));
        o.damping = f64::from(factor(rng));
    });
    let fixed = rx.attribute()?;
    let mut springs = Springs::new(rx, x, &fixed, &options)?;
    for _ in 0..rng.below(4) {
        match rng.below(3) {
            0 => springs.step_explicit(SpringForces::Gather)?,
            1 => springs.step_explicit(SpringForces::Scatter)?,
            _ => springs.step_implicit(rng.below(20) as u32, 1e-6)?,
        }
    }
    let energy = springs.energy()?;
    if energy.total.is_finite() {
        Ok(Ok(()))
    } else {
        Ok(Err(format!("{energy:?}")))
    }
}
