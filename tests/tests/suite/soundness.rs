//! Limits of safe calls: they cannot reach memory outside of a launch, freed memory, or memory that another thread is
//! using.

use glam::Vec3;
use rxmesh_host::algo::normals;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::kernel::FlatKernel;
use rxmesh_host::kernels::mem::GlobalMut;
use rxmesh_host::kernels::parallel::scan::ScanAdd;
use rxmesh_host::kernels::query::rows::CountRows;
use rxmesh_host::kernels::query::{CC, CE, EC, EE, VE};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::kernels::{entries, kernel};
use rxmesh_host::mesh::generate;
use rxmesh_host::patch::VolumeOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{self, Fixture};
use rxmesh_tests::launch::{Launch, LaunchPatches};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

conformance! {
    arguments_have_no_elements_on_the_host, memory_that_is_used_again, casts, long_buffers,
    threads_with_meshes_of_their_own,
    threads_on_one_mesh, kernels_need_what_a_mesh_keeps, corners_that_change_during_construction
}

/// Returns the message of a panic.
fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic
            .downcast_ref::<&str>()
            .copied()
            .unwrap_or_default()
            .into(),
    }
}

fn arguments_have_no_elements_on_the_host(engine: &Engine) {
    let buffer = engine.upload(&[1u32, 2, 3, 4]).unwrap();
    let (read, write) = (buffer.global(), buffer.global_mut());
    assert_eq!(
        (read.len(), read.from(1).len(), write.part(1, 2).len()),
        (4, 3, 2)
    );
    let told = |text: String| {
        assert!(text.contains("outside of a launch"), "{text}");
    };
    told(panic_of(|| read.get(0)));
    told(panic_of(|| read.from(1).get(2)));
    told(panic_of(|| read.get4(0)));
    told(panic_of(|| read.load(0)));
    told(panic_of(|| write.get(0)));
    told(panic_of(|| write.set(0, 7)));
    told(panic_of(|| write.fetch_add(3, 7)));
    told(panic_of(|| write.part(1, 2).store(0, 7)));
    told(panic_of(|| write.cast::<f32>().add(0, 7.0)));
    // Parts out of range are refused where they are made.
    assert!(panic_of(|| read.from(5)).contains("of 4"));
    assert!(panic_of(|| write.part(2, 3)).contains("of 4"));
    let rx = Fixture::new("grid", fixtures::with_boundary(4, 4)).on(engine, 8);
    let x = rx.attribute::<Vertex, f32>().unwrap();
    told(panic_of(|| x.global().unwrap().get(0)));
    assert_eq!(buffer.read().unwrap(), [1, 2, 3, 4]);
}

/// An argument that outlives its buffer never names the next one, which often has the same memory.
fn memory_that_is_used_again(engine: &Engine) {
    let starts = engine.zeroed::<u32>(1).unwrap();
    let old = engine.upload(&[1u32; 64]).unwrap();
    let data = old.global_mut();
    drop(old);
    let kernel = ScanAdd {
        data,
        starts: starts.global_mut(),
    };
    for _ in 0..8 {
        let new = engine.upload(&[1u32; 64]).unwrap();
        assert_eq!(
            engine.launch_flat(64, kernel),
            Err(EngineError::NotLive {
                kernel: "rx_scan_add"
            })
        );
        assert_eq!(new.read().unwrap(), [1; 64]);
    }
}

/// A cast to a type that cannot be at the address is refused, not launched.
fn casts(engine: &Engine) {
    let bytes = engine.zeroed::<u8>(64).unwrap();
    let starts = engine.zeroed::<u32>(1).unwrap();
    let launch = |from: u32| {
        let kernel = ScanAdd {
            data: bytes.global_mut().from(from).cast(),
            starts: starts.global_mut(),
        };
        engine.launch_flat(4, kernel)
    };
    assert_eq!(launch(4), Ok(()));
    if !cfg!(debug_assertions) {
        assert_eq!(
            launch(2),
            Err(EngineError::Misaligned {
                kernel: "rx_scan_add"
            })
        );
    }
}

/// Kernels count in 32 bits: a buffer that they could not address is refused when it is made, whatever memory there is.
fn long_buffers(engine: &Engine) {
    let refused = |result: Result<(), EngineError>| {
        assert!(
            matches!(result, Err(EngineError::TooLong { .. })),
            "{result:?}"
        );
    };
    refused(engine.zeroed::<u8>(1 << 32).map(drop));
    refused(engine.zeroed::<u64>((1 << 31) + 1).map(drop));
    refused(engine.zeroed::<Vec3>(0x5555_5556).map(drop));
    refused(engine.zeroed::<u64>(usize::MAX).map(drop));
}

/// A mesh without the parts that a kernel walks refuses it, whichever call launches it.
fn kernels_need_what_a_mesh_keeps(engine: &Engine) {
    let cells = generate::tet_box([3, 3, 3], [1.0; 3]).unwrap();
    let volume = RxMesh::from_cells(
        engine,
        cells.vertex_count(),
        &cells.cells,
        &VolumeOptions::default(),
    )
    .unwrap();
    let counts = engine.zeroed::<u32>(1 << 12).unwrap();
    let needs = |result: Result<(), EngineError>| {
        assert!(
            matches!(result, Err(EngineError::Needs { .. })),
            "{result:?}"
        );
    };
    macro_rules! count {
        ($relation:ty) => {
            volume.launch(CountRows::<$relation> {
                counts: counts.global_mut(),
                relation: PhantomData,
            })
        };
    }
    needs(count!(VE));
    needs(count!(CE));
    needs(count!(EC));
    needs(count!(CC));
    needs(count!(EE));
    assert_eq!(engine.synchronize(), Ok(()));
    assert!(counts.read().unwrap().iter().all(|&n| n == 0));
}

/// Construction reads the corners several times: if another thread changes them meanwhile, the result is another mesh
/// or an error, or the thread gets the error that they are in use, and nothing is accessed beyond the arrays.
fn corners_that_change_during_construction(engine: &Engine) {
    if engine.name() != "cpu" {
        return;
    }
    let mesh = fixtures::with_boundary(20, 20);
    let faces = engine.upload(&mesh.faces).unwrap();
    let vertices = mesh.vertex_count() as u32;
    let ended = &AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let n = 3 * mesh.face_count() as u32;
            let to = faces.global_mut().cast();
            while ended.load(Ordering::SeqCst) == 0 {
                // Busy while the corners are copied.
                let _ = engine.launch_flat(n, Spoil { to });
            }
        });
        for _ in 0..200 {
            // No panic of an index out of range.
            if let Ok(rx) = RxMesh::from_engine_faces(vertices, &faces, 32) {
                assert!(rx.patch_set().unwrap().check().is_ok());
            }
        }
        ended.store(1, Ordering::SeqCst);
    });
}

/// Threads with their own data use one engine concurrently.
fn threads_with_meshes_of_their_own(engine: &Engine) {
    let f = Fixture::new("grid", fixtures::with_boundary(12, 12));
    let want = normals_of(engine, &f);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let got = normals_of(engine, &f);
                    for (a, b) in got.iter().zip(&want) {
                        assert!(a.distance(*b) < 1e-5, "{a} is not {b}");
                    }
                }
            });
        }
    });
}

fn normals_of(engine: &Engine, f: &Fixture) -> Vec<Vec3> {
    let rx = f.on(engine, 32);
    let x = rx
        .attribute_from::<Vertex, Vec3>(&f.mesh.positions)
        .unwrap();
    let mut n = rx.attribute::<Vertex, Vec3>().unwrap();
    normals::vertex_normals_unscaled(&rx, &x, &mut n).unwrap();
    n.to_input(&rx).unwrap()
}

/// Threads that read the same mesh and attribute, and write their own attributes.
fn threads_on_one_mesh(engine: &Engine) {
    let f = Fixture::new("grid", fixtures::with_boundary(12, 12));
    let rx = f.on(engine, 32);
    let x = rx
        .attribute_from::<Vertex, Vec3>(&f.mesh.positions)
        .unwrap();
    let want = normals_of(engine, &f);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut n = rx.attribute::<Vertex, Vec3>().unwrap();
                for _ in 0..5 {
                    normals::vertex_normals_unscaled(&rx, &x, &mut n).unwrap();
                    let got = n.to_input(&rx).unwrap();
                    for (a, b) in got.iter().zip(&want) {
                        assert!(a.distance(*b) < 1e-5, "{a} is not {b}");
                    }
                }
            });
        }
    });
}

/// Stage of the slow kernel: 0 not begun, 1 in the kernel, 2 released.
static STAGE: AtomicU32 = AtomicU32::new(0);

kernel! {
    /// Writes once it is released.
    struct Slow: Flat {
        to: GlobalMut<u32>,
    }
}

// SAFETY: one index, which writes its own element (contracts U3, U4).
unsafe impl FlatKernel for Slow {
    fn run(&self, i: u32) {
        STAGE.store(1, Ordering::SeqCst);
        while STAGE.load(Ordering::SeqCst) != 2 {
            std::thread::yield_now();
        }
        self.to.set(i, 7);
    }
}

kernel! {
    /// Sets corners beyond all vertices, and restores them.
    struct Spoil: Flat {
        to: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own element (contracts U3, U4).
unsafe impl FlatKernel for Spoil {
    fn run(&self, i: u32) {
        self.to.set(i, self.to.get(i) ^ 1 << 20);
    }
}

entries! {
    /// The suite's own kernels.
    pub SLOW;
    flat test_slow: Slow;
    flat test_spoil: Spoil;
}

/// While a launch runs, its memory stays and other threads cannot access it: their accesses and launches are refused,
/// and a buffer that is dropped meanwhile is freed afterwards.
#[test]
fn memory_of_a_running_launch() {
    let engine = Engine::cpu();
    let mut kept = engine.zeroed::<u32>(1).unwrap();
    for dropped in [false, true] {
        STAGE.store(0, Ordering::SeqCst);
        let buffer = engine.zeroed::<u32>(1).unwrap();
        let slow = Slow {
            to: buffer.global_mut(),
        };
        std::thread::scope(|scope| {
            let running = scope.spawn(|| engine.launch_flat(1, slow));
            while STAGE.load(Ordering::SeqCst) != 1 {
                std::thread::yield_now();
            }
            assert_eq!(buffer.read(), Err(EngineError::Busy));
            assert_eq!(kept.copy_from(&buffer), Err(EngineError::Busy));
            assert_eq!(engine.launch_flat(1, slow), Err(EngineError::Busy));
            assert_eq!(kept.read(), Ok(vec![if dropped { 7 } else { 0 }]));
            let buffer = if dropped {
                drop(buffer);
                // These would get the memory if it were free.
                let others: Vec<_> = (0..64).map(|_| engine.upload(&[3u32]).unwrap()).collect();
                STAGE.store(2, Ordering::SeqCst);
                assert_eq!(running.join().expect("no panic"), Ok(()));
                assert!(others.iter().all(|b| b.read() == Ok(vec![3])));
                return;
            } else {
                buffer
            };
            STAGE.store(2, Ordering::SeqCst);
            assert_eq!(running.join().expect("no panic"), Ok(()));
            kept.copy_from(&buffer).unwrap();
            assert_eq!(kept.read(), Ok(vec![7]));
        });
    }
}
