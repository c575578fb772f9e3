//! Many small runs of the speculative scheduler: tiny patches, small meshes, random operators and options.
//! `RXMESH_RUNS` sets their number, `RXMESH_SEED` the first seed. A run that hangs is identified by its seed, which is
//! printed before it (`--nocapture`).

use rxmesh_host::edit::Seeds;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TriMesh, generate};
use rxmesh_speculative::{Speculative, SpeculativeOptions};
use rxmesh_tests::conformance;
use rxmesh_tests::edits::Edit;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::fixtures;
use rxmesh_tests::marked::{Marked, kept};

conformance! { small_runs_end }

/// Returns the number in a variable.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|e| panic!("{name}={text}: {e}")),
    )
}

fn small_runs_end(engine: &Engine) {
    let runs = number("RXMESH_RUNS").unwrap_or(match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 2,
        (_, true) => 8,
        _ => 40,
    });
    let first = number("RXMESH_SEED").unwrap_or(0);
    for seed in first..first + runs {
        run(engine, seed);
    }
}

/// Makes meshes of different kinds, of 8 to 160 faces.
fn mesh(rng: &mut Rng) -> TriMesh {
    let between = |rng: &mut Rng, a: u64, b: u64| (a + rng.below(b - a)) as u32;
    let mut mesh = match rng.below(6) {
        0 => generate::icosphere(1).unwrap(),
        1 => fixtures::torus(between(rng, 4, 10), between(rng, 4, 9)),
        2 => generate::grid(between(rng, 3, 10), between(rng, 3, 9)).unwrap(),
        3 => fixtures::high_valence(between(rng, 10, 30)),
        4 => fixtures::components(between(rng, 4, 9)),
        _ => fixtures::mixed_orientation(between(rng, 4, 8), between(rng, 4, 8), 11),
    };
    generate::noise(&mut mesh, 0.02, rng.next_u64()).unwrap();
    mesh
}

fn run(engine: &Engine, seed: u64) {
    let rng = &mut Rng::new(seed);
    let mesh = mesh(rng);
    let patch_size = 4 + rng.below(13) as u32;
    let options = SpeculativeOptions {
        blocks: (rng.below(3) > 0).then(|| 1 + rng.below(64) as u32),
        lock_all: rng.below(3) == 0,
    };
    let edits: Vec<Edit> = (0..1 + rng.below(4))
        .map(|_| Edit::ALL[rng.below(5) as usize])
        .collect();
    let what = format!(
        "seed {seed}: {} faces in patches of {patch_size}, {options:?}, {edits:?}",
        mesh.face_count()
    );
    println!("{what}");
    let mut m = Marked::new(engine, &mesh, patch_size);
    Speculative::set_options(&mut m.session, options);
    for edit in edits {
        m.jitter(rng);
        let before = m.numbers();
        let part = 5 + rng.below(96);
        let priorities = 1 + rng.below(9);
        m.mark_some(edit, rng, part, priorities);
        m.run_checked(edit, Seeds::All, &what);
        if m.session.enqueue_refused().unwrap() > 0 && rng.below(2) == 0 {
            m.run_checked(edit, Seeds::Queued, &what);
        }
        // Edges and faces may return with the leftovers of their slots; vertices do not.
        let (_, lost) = kept(&before[0], &m.numbers()[0]);
        assert_eq!(lost, 0, "{what}, {edit:?}: values of vertices");
    }
}
