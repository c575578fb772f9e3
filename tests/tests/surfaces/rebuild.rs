//! Surfaces that are rebuilt for other meshes, in existing memory.

use super::loop_surface::rows;
use super::topology::mesh_of;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{Faces, MeshError, PolyMesh};
use rxmesh_subdivision::{
    Boundary, Creasing, DeviceFaces, Extras, FaceSizes, HostMesh, Mesh, Options, Scheme,
    Subdivision,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::extent::extent;
use rxmesh_tests::surfaces::made::options;
use rxmesh_tests::surfaces::meshes;

conformance! {
    meshes_are_rebuilt, surfaces_are_rebuilt, what_fits_takes_no_memory, faces_of_an_engine_are_checked,
    failures_leave_nothing, closed_surfaces_wait_for_nobody, wrong_words_are_found_out
}

/// Faces of a mesh in an engine's memory, followed by other data.
struct GivenFaces {
    vertices: u32,
    faces: u32,
    size: u32,
    offsets: Buffer<u32>,
    corners: Buffer<u32>,
}

impl GivenFaces {
    fn new(engine: &Engine, mesh: &PolyMesh) -> GivenFaces {
        let behind = |list: &[u32]| engine.upload(&[list, &[u32::MAX; 7]].concat()).unwrap();
        let (size, offsets) = match &mesh.faces {
            Faces::Same(n) => (*n, &[][..]),
            Faces::Offsets(offsets) => (0, &offsets[..]),
        };
        GivenFaces {
            vertices: mesh.vertex_count() as u32,
            faces: mesh.face_count() as u32,
            size,
            offsets: behind(offsets),
            corners: behind(&mesh.corners),
        }
    }

    fn view(&self) -> DeviceFaces<'_> {
        DeviceFaces {
            vertices: self.vertices,
            faces: self.faces,
            sizes: match self.size {
                0 => FaceSizes::Offsets(&self.offsets),
                n => FaceSizes::Same(n),
            },
            corners: &self.corners,
        }
    }
}

/// Returns meshes that differ in size, boundaries, sizes of faces, sharpness and holes.
fn all(engine: &Engine) -> Vec<PolyMesh> {
    let n = if is_slow(engine) { 3 } else { 8 };
    let mut holed = meshes::grid(n, 9, 3);
    holed.holes = vec![0, 2, 3];
    let torus = meshes::torus(n + 2, n);
    let (a, b) = (torus.corners[0], torus.corners[1]);
    let creased = meshes::with_edges(torus.clone(), &[([a, b], 2.5)]);
    let cornered = meshes::with_vertices(creased, &[(3, 1.5), (5, PolyMesh::SHARP)]);
    vec![
        meshes::cube(),
        meshes::sphere(n),
        holed,
        cornered,
        meshes::polygons(n, 5),
        PolyMesh::default(),
        meshes::fans(),
        torus,
        meshes::trapezohedron(60),
        meshes::grid(2, 100, 1),
        meshes::irregular(2, 7),
        meshes::cube(),
    ]
}

/// Returns those of triangles, without semi-sharp edges.
fn all_triangles(engine: &Engine) -> Vec<PolyMesh> {
    let n = if is_slow(engine) { 3 } else { 6 };
    let mut holed = meshes::cut(&meshes::grid(n, 9, 3));
    holed.holes = vec![0, 2, 3];
    let sphere = meshes::triangles(n, 2);
    let ring: Vec<u32> = sphere.corners[..3].to_vec();
    let sides = [[0, 1], [1, 2], [2, 0]].map(|[a, b]| ([ring[a], ring[b]], PolyMesh::SHARP));
    vec![
        meshes::cut(&meshes::cube()),
        sphere.clone(),
        holed,
        meshes::with_edges(sphere, &sides),
        meshes::bipyramid(70),
        PolyMesh {
            faces: Faces::Same(3),
            ..PolyMesh::default()
        },
        meshes::cut(&meshes::grid(2, 100, 1)),
        meshes::triangles(2, 3),
    ]
}

fn host(mesh: &Mesh) -> (HostMesh, [u32; 4]) {
    let counts = [
        mesh.vertex_count(),
        mesh.edge_count(),
        mesh.face_count(),
        mesh.corner_count(),
    ];
    (mesh.to_host().unwrap(), counts)
}

fn meshes_are_rebuilt(engine: &Engine) {
    let meshes = all(engine);
    let mut mesh = Mesh::new(engine, &meshes[0]).unwrap();
    let mut given = Mesh::from_faces(engine, &GivenFaces::new(engine, &meshes[0]).view()).unwrap();
    for (i, poly) in meshes.iter().enumerate() {
        mesh.rebuild(poly).unwrap();
        given
            .rebuild_from(&GivenFaces::new(engine, poly).view())
            .unwrap();
        let want = host(&Mesh::new(engine, poly).unwrap());
        assert_eq!(host(&mesh), want, "mesh {i}");
        assert_eq!(host(&given), want, "mesh {i}, of an engine's faces");
    }
}

/// Returns the results of a surface: positions as bits, faces, and their parents.
fn given_by(surface: &Subdivision, mesh: &PolyMesh) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let engine = surface.mesh().engine();
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize).unwrap();
    let x = engine.upload(&rows(mesh)).unwrap();
    surface.values(3, &x, &mut y).unwrap();
    let mut faces = engine.zeroed(surface.index_count() as usize).unwrap();
    surface.faces(&mut faces).unwrap();
    let bits = y.read().unwrap().iter().map(|x| x.to_bits()).collect();
    let parents = (0..surface.face_count()).map(|f| surface.parent(f));
    (bits, faces.read().unwrap(), parents.collect())
}

fn check_rebuilt(engine: &Engine, meshes: &[PolyMesh], options: &Options) {
    let what = format!("{options:?}");
    let mut surface = Subdivision::new(engine, &meshes[0], options).unwrap();
    let first = GivenFaces::new(engine, &meshes[0]);
    let none = Extras::default();
    let mut given = Subdivision::from_faces(engine, &first.view(), &none, options).unwrap();
    // Forwards and backwards, so that all sizes follow larger and smaller ones.
    for poly in meshes.iter().chain(meshes.iter().rev()) {
        surface.rebuild(poly).unwrap();
        let faces = GivenFaces::new(engine, poly);
        given
            .rebuild_from(&faces.view(), &Extras::of(poly))
            .unwrap();
        let want = given_by(&Subdivision::new(engine, poly, options).unwrap(), poly);
        let n = poly.face_count();
        assert!(given_by(&surface, poly) == want, "{n} faces, {what}");
        assert!(
            given_by(&given, poly) == want,
            "{n} faces of an engine, {what}"
        );
    }
}

fn surfaces_are_rebuilt(engine: &Engine) {
    // A team makes each surface three times, forwards and backwards: at two levels.
    let (most, all_levels) = if is_slow(engine) {
        (2, extent(&[0, 2][..], &[0, 1, 2]))
    } else {
        (3, &[0, 1, 3][..])
    };
    let (polygons, triangles) = (all(engine), all_triangles(engine));
    for &levels in all_levels {
        check_rebuilt(engine, &polygons, &options(Scheme::CatmullClark, levels));
        check_rebuilt(engine, &triangles, &options(Scheme::Loop, levels));
    }
    check_rebuilt(engine, &triangles, &options(Scheme::Sqrt3, 1));
    check_rebuilt(engine, &triangles, &options(Scheme::Sqrt3, most + 1));
    let rules = Options {
        boundary: Boundary::None,
        creasing: Creasing::Chaikin,
        ..options(Scheme::CatmullClark, 2)
    };
    check_rebuilt(engine, &polygons, &rules);
    let scheme = Scheme::Loop;
    check_rebuilt(engine, &triangles, &Options { scheme, ..rules });
    if !is_slow(engine) {
        // More stages than one.
        let few = [meshes::cube(), meshes::grid(2, 100, 1), meshes::cube()];
        check_rebuilt(engine, &few, &options(Scheme::CatmullClark, 6));
    }
}

fn what_fits_takes_no_memory(engine: &Engine) {
    for (scheme, meshes) in [
        (Scheme::CatmullClark, all(engine)),
        (Scheme::Loop, all_triangles(engine)),
        (Scheme::Sqrt3, all_triangles(engine)),
    ] {
        let options = options(scheme, 3);
        let mut surface = Subdivision::new(engine, &meshes[0], &options).unwrap();
        let given: Vec<GivenFaces> = meshes.iter().map(|m| GivenFaces::new(engine, m)).collect();
        for (poly, given) in meshes.iter().zip(&given) {
            let extras = Extras::of(poly);
            surface.rebuild_from(&given.view(), &extras).unwrap();
        }
        let bytes = surface.bytes();
        engine.set_allocations_left(Some(0));
        for (poly, given) in meshes.iter().zip(&given) {
            surface
                .rebuild_from(&given.view(), &Extras::of(poly))
                .unwrap();
            surface.rebuild(poly).unwrap();
        }
        engine.set_allocations_left(None);
        assert_eq!(surface.bytes(), bytes);
    }
}

fn faces_of_an_engine_are_checked(engine: &Engine) {
    let quad = |a, b, c, d| vec![a, b, c, d];
    let refused = |faces: &[Vec<u32>]| {
        let mut given = GivenFaces::new(engine, &mesh_of(10, faces));
        // Too few vertices.
        given.vertices = 8;
        match Mesh::from_faces(engine, &given.view()) {
            Err(Error::Mesh(e)) => e,
            other => panic!("{other:?}"),
        }
    };
    let three = [quad(0, 1, 2, 3), quad(1, 0, 4, 5), quad(0, 1, 6, 7)];
    assert_eq!(refused(&three), MeshError::NoSurface { face: 0, vertex: 0 });
    let twice = [vec![4, 5, 6], vec![0, 1, 2, 0, 3, 7]];
    assert_eq!(
        refused(&twice),
        MeshError::RepeatedVertex { face: 1, vertex: 0 }
    );
    let (face, index, vertices) = (1, 9, 8);
    let outside = MeshError::IndexOutOfRange {
        face,
        index,
        vertices,
    };
    assert_eq!(refused(&[quad(0, 1, 2, 3), quad(4, 9, 8, 5)]), outside);
    // A long row, and a long face, that are duplicated.
    let fan = |again: u32| {
        let mut faces: Vec<Vec<u32>> = (1..60).map(|v| vec![0, v, v + 1]).collect();
        let mut face: Vec<u32> = (60..100).collect();
        face.extend([0, 100, 101, again]);
        faces.push(face);
        Mesh::from_faces(
            engine,
            &GivenFaces::new(engine, &mesh_of(102, &faces)).view(),
        )
    };
    assert!(fan(1).is_ok());
    match fan(0).unwrap_err() {
        Error::Mesh(e) => assert_eq!(
            e,
            MeshError::RepeatedVertex {
                face: 59,
                vertex: 0
            }
        ),
        e => panic!("{e}"),
    }
    let cube = GivenFaces::new(engine, &meshes::cube());
    let too_many = DeviceFaces {
        faces: 9,
        ..cube.view()
    };
    let short = Mesh::from_faces(engine, &too_many).unwrap_err();
    assert!(short.to_string().contains("the buffer has"), "{short}");
    let none = DeviceFaces {
        vertices: 0,
        ..cube.view()
    };
    assert!(Mesh::from_faces(engine, &none).is_err());
    for offsets in [[1, 4, 8], [0, 2, 8], [0, 4, 3], [0, 4, u32::MAX]] {
        let offsets = engine.upload(&offsets).unwrap();
        let sizes = FaceSizes::Offsets(&offsets);
        let faces = DeviceFaces {
            faces: 2,
            sizes,
            ..cube.view()
        };
        assert!(matches!(
            Mesh::from_faces(engine, &faces),
            Err(Error::Mesh(_))
        ));
    }
}

fn failures_leave_nothing(engine: &Engine) {
    let bad = mesh_of(4, &[vec![0, 1, 2], vec![0, 1, 3]]);
    for scheme in [Scheme::CatmullClark, Scheme::Loop, Scheme::Sqrt3] {
        let good = meshes::triangles(2, 1);
        let options = options(scheme, 2);
        let mut surface = Subdivision::new(engine, &good, &options).unwrap();
        let want = given_by(&surface, &good);
        let missing = meshes::with_edges(good.clone(), &[([0, 0], PolyMesh::SHARP)]);
        for bad in [&bad, &missing] {
            let error = surface.rebuild(bad).unwrap_err();
            assert!(matches!(error, Error::Mesh(_)), "{error}");
            let counts = [
                surface.vertex_count(),
                surface.face_count(),
                surface.index_count(),
            ];
            assert_eq!(counts, [0; 3], "{scheme:?}");
            let x = engine.upload(&rows(&good)).unwrap();
            let mut y = engine.zeroed(want.0.len()).unwrap();
            assert!(surface.values(3, &x, &mut y).is_err());
            surface.rebuild(&good).unwrap();
            assert!(given_by(&surface, &good) == want, "{scheme:?}");
        }
    }
}

fn closed_surfaces_wait_for_nobody(engine: &Engine) {
    let n = if is_slow(engine) { 3 } else { 8 };
    let quads = [meshes::sphere(n), meshes::cube(), meshes::irregular(2, 7)];
    let polygons = [meshes::polygons(3, 5), meshes::trapezohedron(60)];
    let triangles = [meshes::triangles(n, 2), meshes::bipyramid(70)];
    for (scheme, list) in [
        (Scheme::CatmullClark, [&quads[..], &triangles[..]].concat()),
        (Scheme::CatmullClark, polygons.to_vec()),
        (Scheme::Loop, triangles.to_vec()),
        (Scheme::Sqrt3, triangles.to_vec()),
    ] {
        let options = options(scheme, 3);
        let mut surface = Subdivision::new(engine, &list[0], &options).unwrap();
        for poly in &list {
            let given = GivenFaces::new(engine, poly);
            surface.rebuild_ahead(&given.view()).unwrap();
            let got = given_by(&surface, poly);
            surface.check().unwrap();
            let want = given_by(&Subdivision::new(engine, poly, &options).unwrap(), poly);
            assert!(got == want, "{} faces, {scheme:?}", poly.face_count());
        }
    }
}

/// Returns meshes that are not closed surfaces, of quads or of triangles.
fn unsound(triangles: bool) -> Vec<(&'static str, PolyMesh)> {
    let made = |quads: PolyMesh| match triangles {
        true => meshes::cut(&quads),
        false => quads,
    };
    let cube = made(meshes::cube());
    let mut outside = made(meshes::sphere(2));
    outside.corners[9] = 1000;
    let mut again = made(meshes::sphere(2));
    again.corners[10] = again.corners[9];
    // Two cubes that share a vertex.
    let mut fans = cube.clone();
    let second = cube.corners.iter().map(|&v| if v == 0 { 0 } else { v + 7 });
    fans.corners.extend(second);
    fans.positions.extend_from_slice(&cube.positions[1..]);
    let open = made(meshes::grid(4, 100, 1));
    vec![
        ("outside", outside),
        ("again", again),
        ("fans", fans),
        ("open", open),
    ]
}

/// Faces that are wrongly declared closed: nothing is written out of bounds, and the check reports it.
fn wrong_words_are_found_out(engine: &Engine) {
    let cube = meshes::cube();
    for (scheme, triangles) in [
        (Scheme::CatmullClark, false),
        (Scheme::CatmullClark, true),
        (Scheme::Sqrt3, true),
    ] {
        let start = match triangles {
            true => meshes::cut(&cube),
            false => cube.clone(),
        };
        for (name, poly) in unsound(triangles) {
            let what = format!("{name}, {scheme:?}, {triangles}");
            let mut surface = Subdivision::new(engine, &start, &options(scheme, 3)).unwrap();
            let want = given_by(&surface, &start);
            let given = GivenFaces::new(engine, &poly);
            for _ in 0..2 {
                surface.rebuild_ahead(&given.view()).unwrap();
                given_by(&surface, &poly);
            }
            let error = surface.check().unwrap_err();
            assert!(matches!(error, Error::Mesh(_)), "{what}: {error}");
            assert_eq!(surface.vertex_count(), 0, "{what}");
            // A surface that was not checked does not affect the next one.
            surface.rebuild_ahead(&given.view()).unwrap();
            surface.rebuild(&start).unwrap();
            assert!(given_by(&surface, &start) == want, "{what}");
            surface.check().unwrap();
        }
    }
    let odd = GivenFaces::new(engine, &mesh_of(3, &[vec![0, 1, 2]]));
    let mut mesh = Mesh::new(engine, &cube).unwrap();
    assert!(mesh.rebuild_ahead(&odd.view()).is_err());
}
