//! Bodies: masses, state, pins, materials, and refused arguments.

use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TetMesh, generate};
use rxmesh_host::patch::VolumeOptions;
use rxmesh_simulation::{Body, Material, Materials};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{same_rounding, suited};

conformance! { masses_and_kinetic_energy, state_goes_in_and_out }

fn mesh(engine: &Engine) -> TetMesh {
    let n = suited(engine, [8, 3, 2]);
    generate::tet_box([n, n + 1, n], [1.0, 2.0, 0.5]).unwrap()
}

fn random(n: usize, seed: u64) -> Vec<Vec3> {
    let mut rng = Rng::new(seed);
    let mut number = || rng.signed_unit() as f32;
    (0..n)
        .map(|_| Vec3::new(number(), number(), number()))
        .collect()
}

fn masses_and_kinetic_energy(engine: &Engine) {
    let mesh = mesh(engine);
    let soft = Material {
        density: 500.0,
        ..Material::default()
    };
    let cells: Vec<Material> = (0..mesh.cell_count())
        .map(|c| {
            if c % 3 == 0 {
                soft
            } else {
                Material::default()
            }
        })
        .collect();
    let materials = Materials::of_cells(&cells).unwrap();
    assert_eq!(materials.table().len(), 2);
    let options = VolumeOptions {
        patch_size: Some(64),
        ..VolumeOptions::default()
    };
    let mut body = Body::with(engine, &mesh, materials, &options).unwrap();
    let masses = body.masses().unwrap();
    let mut want = vec![0.0; mesh.vertex_count()];
    for (c, cell) in mesh.cells.iter().enumerate() {
        for &v in cell {
            want[v as usize] += cells[c].density * mesh.cell_volume(c) / 4.0;
        }
    }
    for (v, (&got, want)) in masses.iter().zip(&want).enumerate() {
        assert!(
            (f64::from(got) - want).abs() < 1e-6 * want,
            "vertex {v}: {got} for {want}"
        );
    }
    let velocities = random(mesh.vertex_count(), 3);
    body.set_velocities(&velocities).unwrap();
    let want: f64 = (velocities.iter().zip(&want))
        .map(|(v, m)| 0.5 * m * v.as_dvec3().length_squared())
        .sum();
    let got = body.kinetic_energy().unwrap();
    assert!((got - want).abs() < 1e-6 * want, "{got} for {want}");
    let mut again = Body::with(
        &same_rounding(engine),
        &mesh,
        body.materials().clone(),
        &options,
    )
    .unwrap();
    again.set_velocities(&velocities).unwrap();
    if engine.name() == again.engine().name() {
        assert_eq!(again.kinetic_energy().unwrap(), got, "the same bits");
    }
}

fn state_goes_in_and_out(engine: &Engine) {
    let mesh = mesh(engine);
    let mut body = Body::new(engine, &mesh, Material::default()).unwrap();
    assert_eq!(body.rest_positions().unwrap(), mesh.positions);
    assert_eq!(body.positions().unwrap(), mesh.positions);
    let (x, v) = (
        random(mesh.vertex_count(), 1),
        random(mesh.vertex_count(), 2),
    );
    body.set_positions(&x).unwrap();
    body.set_velocities(&v).unwrap();
    assert_eq!(body.positions().unwrap(), x);
    assert_eq!(body.velocities().unwrap(), v);
    body.pin(&[0, 5]).unwrap();
    let pinned = body.pinned().unwrap();
    assert_eq!(pinned.iter().filter(|p| **p).count(), 2);
    assert!(pinned[0] && pinned[5]);
    assert_eq!(body.velocities().unwrap()[5], Vec3::ZERO);
    let target = x[5] + Vec3::X;
    body.move_pins(&[(5, target)], 0.5).unwrap();
    assert_eq!(body.velocities().unwrap()[5], (target - x[5]) / 0.5);
    body.pin(&[]).unwrap();
    assert!(!body.pinned().unwrap().contains(&true));
}

#[test]
fn bad_bodies_are_refused() {
    let engine = Engine::cpu();
    let mesh = generate::tet_box([1; 3], [1.0; 3]).unwrap();
    let new = |m: Material| {
        Body::new(&engine, &mesh, m)
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let good = Material::default();
    for (material, says) in [
        (
            Material {
                young: f64::NAN,
                ..good
            },
            "Young's modulus",
        ),
        (
            Material {
                young: -1.0,
                ..good
            },
            "Young's modulus",
        ),
        (
            Material {
                poisson: 0.5,
                ..good
            },
            "Poisson's ratio",
        ),
        (
            Material {
                density: 0.0,
                ..good
            },
            "density",
        ),
    ] {
        let why = new(material);
        assert!(why.contains(says), "{why}");
    }
    let mut inverted = mesh.clone();
    inverted.cells[4].swap(0, 1);
    let why = Body::new(&engine, &inverted, good)
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(why.contains("cell 4 is inverted"), "{why}");
    let few = Materials::of_cells(&[good; 5]).unwrap();
    let why = Body::with(&engine, &mesh, few, &VolumeOptions::default());
    assert!(
        why.map(drop)
            .unwrap_err()
            .to_string()
            .contains("for 6 cells")
    );
    let mut body = Body::new(&engine, &mesh, good).unwrap();
    for why in [
        body.pin(&[8]).unwrap_err(),
        body.move_pins(&[(9, Vec3::ZERO)], 0.1).unwrap_err(),
    ] {
        assert!(why.to_string().contains("there is no vertex"), "{why}");
    }
    let why = body.move_pins(&[(1, Vec3::ZERO)], 0.1).unwrap_err();
    assert!(why.to_string().contains("vertex 1 is not pinned"));
    let why = body.set_positions(&[Vec3::NAN; 8]).unwrap_err();
    assert!(why.to_string().contains("position of vertex 0"));
    assert!(body.set_velocities(&[Vec3::ZERO; 3]).is_err());
    assert!(!body.pinned().unwrap().contains(&true));
}
