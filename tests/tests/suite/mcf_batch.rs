//! Mean curvature flow of several meshes joined in one, each against its own direct solve.

use crate::mcf::needle_grid;
use glam::{DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::algo::mcf::{
    McfBatchReport, McfOptions, TIME_STEP, When, mean_curvature_flow_batch,
};
use rxmesh_host::batch::Batch;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};
use rxmesh_tests::fixtures;
use rxmesh_tests::oracle::Oracle;
use rxmesh_tests::smooth::{self, Flow, box_diagonal};

conformance! {
    each_has_its_own_time_step, each_reaches_its_own_tolerance, needles_beside_a_sphere, those_that_are_done_rest,
    each_has_its_own_options, nothing_to_do, a_mesh_that_is_not_finite_is_named, wrong_labels_and_options
}

/// Modes of the solver: matrix-free or not, preconditioned or not, with multigrid or not.
const WAYS: [(bool, bool, When); 5] = [
    (false, true, When::Auto),
    (true, true, When::Never),
    (false, true, When::Always),
    (false, false, When::Never),
    (true, false, When::Never),
];

fn in_way((matrix_free, preconditioner, multigrid): (bool, bool, When)) -> McfOptions {
    McfOptions::default().with(|o| {
        o.matrix_free = matrix_free;
        o.preconditioner = preconditioner;
        o.multigrid = multigrid;
    })
}

/// Smooths meshes; time steps are in their own units. Returns the meshes, and the report in the joined mesh's units.
fn flow(
    engine: &Engine,
    meshes: &[TriMesh],
    each: &[McfOptions],
) -> Result<(Vec<TriMesh>, McfBatchReport), Error> {
    let (joined, batch) = Batch::join(meshes.to_vec()).unwrap();
    let options = PatchOptions::default().with(|o| o.patch_size = 64);
    let rx = RxMesh::new(engine, joined.vertex_count(), &joined.faces, &options).unwrap();
    let labels = rx.attribute_from::<Vertex, u32>(&batch.labels()).unwrap();
    let own = |(i, o): (usize, &McfOptions)| {
        let unit = batch.unit(i);
        o.with(|o| o.time_step = o.time_step.map(|dt| dt / (unit * unit)))
    };
    let each: Vec<McfOptions> = each.iter().enumerate().map(own).collect();
    let mut x = rx.attribute_from(&joined.positions).unwrap();
    let report = mean_curvature_flow_batch(&rx, &mut x, &labels, &each)?;
    let mut moved = joined;
    moved.positions = x.to_input(&rx).unwrap();
    Ok((batch.part(&moved, &batch.labels()), report))
}

/// Returns the direct solve, and the greatest displacement of a vertex.
fn direct(mesh: &TriMesh, time_step: f64) -> (Vec<DVec3>, f64) {
    let want = Flow::new(&mesh.positions, &mesh.faces).solve(&mesh.positions, time_step);
    let way = farthest(&mesh.positions, &want);
    (want, way)
}

fn farthest(at: &[Vec3], from: &[DVec3]) -> f64 {
    let far = |(a, b): (&Vec3, &DVec3)| a.as_dvec3().distance(*b);
    at.iter().zip(from).map(far).fold(0.0, f64::max)
}

fn mean_edge(mesh: &TriMesh) -> f64 {
    smooth::mean_edge_length(
        &mesh.positions,
        &Oracle::new(mesh.vertex_count(), &mesh.faces),
    )
}

/// A smooth mesh with a long time step beside a very noisy one with a short one: it has a hundredth of the first
/// residual of both, and takes several times the iterations. With a common stopping criterion it would stop far from
/// its own.
fn each_reaches_its_own_tolerance(engine: &Engine) {
    let level = suited(engine, [4, 3, 2]);
    let mut noisy = generate::icosphere(level).unwrap();
    generate::noise(&mut noisy, 0.6, 3).unwrap();
    let [nu, nv] = suited(engine, [[80, 32], [32, 12], [20, 8]]);
    let smooth = generate::torus(nu, nv, 1.0, 0.4).unwrap();
    let mean = mean_edge(&smooth);
    let step = 20.0 * mean * mean;
    let (want, way) = direct(&smooth, step);
    let meshes = [noisy.clone(), smooth, noisy];
    let ways = if is_slow(engine) { 3 } else { 5 };
    for way_to_solve in &WAYS[..ways] {
        let options = in_way(*way_to_solve).with(|o| o.tolerance = 1e-3);
        let each = [options, options.with(|o| o.time_step = Some(step)), options];
        let (parts, report) = flow(engine, &meshes, &each).unwrap();
        let what = format!("{way_to_solve:?}: {report:?}");
        assert!(report.total.converged, "{what}");
        for r in &report.meshes {
            assert!(r.converged && r.residual < 1e-3, "{what}");
        }
        let [first, second, third] = [0, 1, 2].map(|i| report.meshes[i].iterations);
        assert!(first.max(third) <= second, "{what}");
        assert_eq!(report.total.iterations, second, "{what}");
        let off = farthest(&parts[1].positions, &want);
        assert!(off <= 5e-3 * way, "off by {off} of {way}, {what}");
        // When the noisy ones had converged, it had not.
        if first < second && !options.matrix_free {
            let cut = each[1].with(|o| o.max_iterations = first);
            let (parts, early) = flow(engine, &meshes, &[options, cut, options]).unwrap();
            let off = farthest(&parts[1].positions, &want);
            assert!(!early.meshes[1].converged, "{early:?}");
            println!("{way_to_solve:?}: {first}, {second}, then off by {off} of {way}");
            // The smooth one of a slow engine is small, and nearly converged.
            assert!(
                is_slow(engine) || off > 5e-3 * way,
                "off by {off} of {way}, {early:?}"
            );
        }
    }
}

/// Multigrid is used, and both converge.
fn needles_beside_a_sphere(engine: &Engine) {
    let meshes = [generate::icosphere(2).unwrap(), needle_grid(engine)];
    let options = McfOptions::default().with(|o| o.tolerance = 1e-8);
    let (parts, report) = flow(engine, &meshes, &[options; 2]).unwrap();
    let [sphere, needles] = [0, 1].map(|i| report.meshes[i]);
    assert!(sphere.converged && sphere.residual < 1e-8, "{report:?}");
    assert!(needles.converged && needles.residual < 1e-8, "{report:?}");
    if !is_slow(engine) {
        assert!(needles.cycles > 0 && needles.iterations < 300, "{report:?}");
    }
    for (part, mesh) in parts.iter().zip(&meshes) {
        let mean = mean_edge(mesh);
        let (want, _) = direct(mesh, TIME_STEP * mean * mean);
        let off = farthest(&part.positions, &want);
        let most = 1e-4 * box_diagonal(&mesh.positions);
        assert!(off <= most, "off by {off}, {report:?}");
    }
}

/// A converged mesh has the bits that it had when the others converged with it.
fn those_that_are_done_rest(engine: &Engine) {
    // The last bits of areas depend on the order of atomic additions where blocks have several threads.
    if engine.name() != "cpu" && engine.name() != "shuffled" {
        return;
    }
    let mut noisy = generate::icosphere(suited(engine, [3, 2, 2])).unwrap();
    generate::noise(&mut noisy, 0.6, 3).unwrap();
    let smooth = generate::torus(32, 12, 1.0, 0.4).unwrap();
    let mean = mean_edge(&smooth);
    let meshes = [noisy, smooth];
    for way in WAYS {
        let options = in_way(way);
        let long = options.with(|o| o.time_step = Some(400.0 * mean * mean));
        // Checked only now and then: one that converges early is found early.
        let options = match options.matrix_free {
            true => options.with(|o| o.tolerance = 0.5),
            false => options,
        };
        let (parts, report) = flow(engine, &meshes, &[options, long]).unwrap();
        let done = report.meshes[0];
        let what = format!("{way:?}: {report:?}");
        assert!(report.total.converged, "{what}");
        if way.2 != When::Always {
            assert!(done.iterations < report.meshes[1].iterations, "{what}");
        }
        let long = long.with(|o| o.max_iterations = done.iterations);
        let (ended, other) = flow(engine, &meshes, &[options, long]).unwrap();
        assert_eq!(other.meshes[0], done, "{what}");
        assert_eq!(other.total.iterations, done.iterations, "{what}");
        assert!(parts[0] == ended[0], "{what}");
        assert!(parts[0] != meshes[0], "{what}");
    }
}

/// Tolerances and numbers of iterations differ; the options of one mesh do not affect the others.
fn each_has_its_own_options(engine: &Engine) {
    let sphere = || fixtures::closed(suited(engine, [3, 2, 1]));
    let meshes = [sphere(), sphere(), sphere(), sphere()];
    for way in &WAYS[..3] {
        let options = in_way(*way).with(|o| o.time_step = Some(0.5));
        let each = [
            options.with(|o| o.tolerance = 1e-1),
            options.with(|o| o.tolerance = 1e-5),
            options.with(|o| (o.tolerance, o.max_iterations) = (1e-12, 3)),
            options.with(|o| o.max_iterations = 0),
        ];
        let (parts, report) = flow(engine, &meshes, &each).unwrap();
        let what = format!("{way:?}: {report:?}");
        let [rough, fine, cut, none] = [0, 1, 2, 3].map(|i| report.meshes[i]);
        assert!(rough.converged && rough.residual < 1e-1, "{what}");
        assert!(fine.converged && fine.residual < 1e-5, "{what}");
        assert!(!cut.converged && cut.iterations == 3, "{what}");
        assert!(!none.converged && none.iterations == 0, "{what}");
        assert!(!report.total.converged, "{what}");
        assert_eq!(none.residual, 1.0, "{what}");
        let moved = |i: usize| {
            let before: Vec<DVec3> = meshes[i].positions.iter().map(|p| p.as_dvec3()).collect();
            farthest(&parts[i].positions, &before)
        };
        assert!(moved(3) < 1e-6, "{what}: {} without an iteration", moved(3));
        assert!([0, 1, 2].iter().all(|&i| moved(i) > 0.05), "{what}");
    }
}

/// Meshes without faces, in one point, in a plane that does not move, beside one that does.
fn nothing_to_do(engine: &Engine) {
    let mut point = fixtures::closed(1);
    point.positions.fill(Vec3::new(0.25, -0.5, 2.0));
    let mut partly = fixtures::closed(1);
    let [a, b, _] = partly.faces[7];
    partly.positions[a as usize] = partly.positions[b as usize];
    let meshes = [
        TriMesh::default(),
        point.clone(),
        fixtures::no_faces(3),
        partly.clone(),
        fixtures::closed(1),
    ];
    for way in WAYS {
        let options = in_way(way);
        let (parts, report) = flow(engine, &meshes, &[options; 5]).unwrap();
        let what = format!("{way:?}: {report:?}");
        for i in [0, 1, 2] {
            let r = report.meshes[i];
            let still = (r.iterations, r.residual, r.converged);
            assert_eq!(still, (0, 0.0, true), "{what}");
            let far = parts[i].positions.iter().zip(&meshes[i].positions);
            let far = far.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(far <= 1e-6, "mesh {i} moved by {far}, {what}");
        }
        for i in [3, 4] {
            let mean = mean_edge(&meshes[i]);
            let (want, way) = direct(&meshes[i], TIME_STEP * mean * mean);
            let off = farthest(&parts[i].positions, &want);
            assert!(report.meshes[i].converged, "{what}");
            assert!(off <= 1e-4 * way, "mesh {i}: off by {off} of {way}, {what}");
        }
        // All at rest from the beginning, and no vertex at all.
        let (parts, report) = flow(engine, &meshes[..3], &[options; 3]).unwrap();
        assert!(
            report.total.converged && report.total.iterations == 0,
            "{report:?}"
        );
        assert_eq!(parts.len(), 3);
        let (_, report) = flow(engine, &meshes[..1], &[options]).unwrap();
        assert!(
            report.total.converged && report.meshes.len() == 1,
            "{report:?}"
        );
        let (_, report) = flow(engine, &[], &[]).unwrap();
        assert!(
            report.total.converged && report.meshes.is_empty(),
            "{report:?}"
        );
    }
}

fn a_mesh_that_is_not_finite_is_named(engine: &Engine) {
    let (joined, batch) = Batch::join(vec![fixtures::closed(1); 3]).unwrap();
    let options = PatchOptions::default();
    let rx = RxMesh::new(engine, joined.vertex_count(), &joined.faces, &options).unwrap();
    let labels = rx.attribute_from::<Vertex, u32>(&batch.labels()).unwrap();
    let vertices = joined.vertex_count() / 3;
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for time_step in [None, Some(0.1)] {
            let mut positions = joined.positions.clone();
            positions[2 * vertices - 1].y = bad;
            let mut x = rx.attribute_from(&positions).unwrap();
            let each = [McfOptions::default().with(|o| o.time_step = time_step); 3];
            let e = mean_curvature_flow_batch(&rx, &mut x, &labels, &each).unwrap_err();
            let named = matches!(e, Error::OfMesh { mesh: 1, .. });
            assert!(named && e.to_string().contains("mesh 1: "), "{e}");
        }
    }
}

/// Meshes of all sizes and densities joined in one, each against the direct solve with its own time step.
fn each_has_its_own_time_step(engine: &Engine) {
    let [nu, nv] = suited(engine, [[40, 24], [12, 8], [8, 6]]);
    let sized = |mut mesh: TriMesh, size: f32| {
        mesh.positions.iter_mut().for_each(|p| *p *= size);
        mesh
    };
    let torus = |nu, nv| generate::torus(nu, nv, 1.0, 0.4).unwrap();
    let meshes = vec![
        sized(torus(nu, nv), 1.0),
        sized(torus(nv, nv / 2), 1e-3),
        TriMesh::default(),
        fixtures::with_boundary(9, 7),
        sized(fixtures::closed(1), 40.0),
    ];
    let steps = [None, None, None, Some(0.02), None];
    let (joined, batch) = Batch::join(meshes.clone()).unwrap();
    let options = PatchOptions::default().with(|o| o.patch_size = 64);
    let rx = RxMesh::new(engine, joined.vertex_count(), &joined.faces, &options).unwrap();
    let labels = rx.attribute_from::<Vertex, u32>(&batch.labels()).unwrap();
    let unit = batch.unit(0);
    for (matrix_free, multigrid) in [
        (false, When::Auto),
        (true, When::Never),
        (false, When::Always),
    ] {
        let options = McfOptions::default().with(|o| {
            o.matrix_free = matrix_free;
            o.multigrid = multigrid;
            o.tolerance = 1e-7;
        });
        // The joined mesh is in the batch's unit of length.
        let each = steps.map(|dt| options.with(|o| o.time_step = dt.map(|dt| dt / (unit * unit))));
        let mut x = rx.attribute_from(&joined.positions).unwrap();
        let report = mean_curvature_flow_batch(&rx, &mut x, &labels, &each).unwrap();
        assert!(report.total.converged, "{report:?}");
        let mut moved = joined.clone();
        moved.positions = x.to_input(&rx).unwrap();
        let parts = batch.part(&moved, &batch.labels());
        for (i, (part, mesh)) in parts.iter().zip(&meshes).enumerate() {
            if mesh.face_count() == 0 {
                assert_eq!(part.face_count(), 0);
                continue;
            }
            let oracle = Oracle::new(mesh.vertex_count(), &mesh.faces);
            let mean = smooth::mean_edge_length(&mesh.positions, &oracle);
            let dt = steps[i].unwrap_or(TIME_STEP * mean * mean);
            let r = &report.meshes[i];
            assert!(r.converged && r.residual < 1e-7, "mesh {i}: {r:?}");
            let got = r.time_step * unit * unit;
            assert!(
                (got - dt).abs() < 1e-4 * dt,
                "mesh {i}: {got}, {dt} is expected"
            );
            let want = Flow::new(&mesh.positions, &mesh.faces).solve(&mesh.positions, dt);
            let most = 1e-4 * box_diagonal(&mesh.positions);
            for (v, (got, want)) in part.positions.iter().zip(&want).enumerate() {
                let off = (got.as_dvec3() - *want).length();
                assert!(
                    off <= most,
                    "mesh {i}, vertex {v}: off by {off}, {most} at most"
                );
            }
        }
    }
}

fn wrong_labels_and_options(engine: &Engine) {
    let (joined, batch) = Batch::join(vec![fixtures::closed(1); 2]).unwrap();
    let rx = RxMesh::new(
        engine,
        joined.vertex_count(),
        &joined.faces,
        &PatchOptions::default(),
    );
    let rx = rx.unwrap();
    let labels = rx.attribute_from::<Vertex, u32>(&batch.labels()).unwrap();
    let mut x = rx.attribute_from(&joined.positions).unwrap();
    let one = McfOptions::default();
    let mut refused = |each: &[McfOptions], word: &str| {
        let e = mean_curvature_flow_batch(&rx, &mut x, &labels, each).unwrap_err();
        let named = matches!(e, Error::Options(_)) && e.to_string().contains(word);
        assert!(named, "{e}");
        assert!(x.to_input(&rx).unwrap() == joined.positions);
    };
    refused(&[one], "there is a label 1");
    refused(&[], "label 1");
    refused(
        &[one, one.with(|o| o.preconditioner = false)],
        "mesh 1: all meshes share",
    );
    refused(
        &[one, one.with(|o| o.tolerance = 0.0)],
        "mesh 1: the tolerance",
    );
    refused(
        &[one, one.with(|o| o.time_step = Some(-1.0))],
        "mesh 1: the time step",
    );
    refused(
        &[one, one.with(|o| o.time_step = Some(1e300))],
        "mesh 1: the time step",
    );
}
