//! Shared-memory plans: kernels carve the size that the host measures. The CPU engines assert `carved <= measured` for
//! every patch of every launch of this suite; these checks examine the plans themselves.

use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algebra::cg::{CgSums, CgVector, Scalars};
use rxmesh_host::kernels::algo::boundary::{BoundaryEdges, BoundaryFaces, BoundaryVertices};
use rxmesh_host::kernels::algo::lengths::EdgeLengths;
use rxmesh_host::kernels::algo::mcf::{McfAssembled, McfFans, McfProduct};
use rxmesh_host::kernels::algo::normals::{GatherNormals, VertexNormals};
use rxmesh_host::kernels::kernel::{OnPrepared, PatchKernel};
use rxmesh_host::kernels::mem::{Global, GlobalMut, Plan};
use rxmesh_host::kernels::parallel::reduce::ReducePatches;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{
    Diamond, EEThroughFaces, EF, EV, FE, FF, FV, OrientedVE, OrientedVF, OrientedVV, Relation, VE,
    VF, VV,
};
use rxmesh_host::kernels::topo::PatchHeader;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::each_mesh;
use std::marker::PhantomData;

conformance! { a_launch_gets_the_most_that_a_patch_carves }

/// Visitor of each patch kernel of the library.
trait Visit {
    fn kernel<K: PatchKernel>(&mut self, name: &str, kernel: K);
}

fn rows<R: Relation>(rx: &RxMesh, to: &mut impl Visit) {
    let data = rx.engine().zeroed::<u32>(4).unwrap();
    let (counts, relation) = (data.global_mut(), PhantomData::<R>);
    to.kernel(
        &format!("count {}", R::NAME),
        CountRows { counts, relation },
    );
    to.kernel(
        &format!("write {}", R::NAME),
        WriteRows {
            starts: counts,
            values: counts,
            relation,
        },
    );
}

fn each_kernel(rx: &RxMesh, to: &mut impl Visit) {
    rows::<VV>(rx, to);
    rows::<VE>(rx, to);
    rows::<VF>(rx, to);
    rows::<EV>(rx, to);
    rows::<EF>(rx, to);
    rows::<EEThroughFaces>(rx, to);
    rows::<FV>(rx, to);
    rows::<FE>(rx, to);
    rows::<FF>(rx, to);
    rows::<Diamond>(rx, to);
    rows::<OrientedVV>(rx, to);
    rows::<OrientedVE>(rx, to);
    rows::<OrientedVF>(rx, to);
    let f64s = rx.engine().zeroed::<f64>(16).unwrap();
    let mut x = rx.attribute().unwrap();
    let (mut ve, mut ee, mut fe) = (
        rx.attribute().unwrap(),
        rx.attribute().unwrap(),
        rx.attribute().unwrap(),
    );
    to.kernel(
        "boundary vertices",
        BoundaryVertices {
            flag: ve.write().unwrap(),
        },
    );
    to.kernel(
        "boundary edges",
        BoundaryEdges {
            flag: ee.write().unwrap(),
        },
    );
    to.kernel(
        "boundary faces",
        BoundaryFaces {
            flag: fe.write().unwrap(),
        },
    );
    let mut length = rx.attribute().unwrap();
    to.kernel(
        "edge lengths",
        EdgeLengths {
            x: x.read().unwrap(),
            length: length.write().unwrap(),
        },
    );
    to.kernel(
        "vertex normals",
        VertexNormals {
            x: x.staged().unwrap(),
            n: x.staged_sum().unwrap(),
        },
    );
    let floats = x.global().unwrap().cast();
    let partials = f64s.global_mut();
    to.kernel(
        "reduce",
        ReducePatches {
            x: floats,
            y: floats,
            partials,
            components: 3,
            kind: 0,
            reduction: 0,
            result: GlobalMut::empty(),
            arrived: GlobalMut::empty(),
        },
    );
    let words = rx.engine().zeroed::<u32>(4).unwrap();
    let (q, scalars) = (x.global_mut().unwrap(), Scalars(f64s.global_mut()));
    let sums = CgSums {
        partials,
        arrived: words.global_mut(),
        scalars,
    };
    let weights: Global<f32> = floats;
    let x0 = x.staged().unwrap();
    let (ve, vv) = (rx.prepare().unwrap(), rx.prepare().unwrap());
    for d in [
        CgVector::start(q.read(), weights, scalars),
        CgVector::direction(q.read(), weights, q.read(), q, scalars),
    ] {
        to.kernel(
            "mcf product",
            McfProduct {
                x0,
                d,
                ve,
                mass: weights,
                regular: words.global(),
                q,
                sums,
                dt: 1.0,
            },
        );
        to.kernel(
            "mcf fans",
            McfFans {
                x0,
                d,
                fans: rx.prepare().unwrap(),
                mass: weights,
                regular: words.global(),
                q,
                sums,
                dt: 1.0,
            },
        );
        to.kernel(
            "mcf assembled",
            McfAssembled {
                d,
                vv,
                weights,
                mass: weights,
                q,
                sums,
            },
        );
    }
    let normals = GatherNormals {
        x: x.staged().unwrap(),
        n: x.write().unwrap(),
    };
    to.kernel("gathered normals", normals);
    let relations = rx.prepare().unwrap();
    to.kernel(
        "gathered normals on prepared corners",
        OnPrepared {
            kernel: normals,
            relations,
        },
    );
}

fn measured<K: PatchKernel>(mut kernel: K, header: &PatchHeader) -> u32 {
    // SAFETY: the pieces are not accessed.
    let mut plan = unsafe { Plan::measure() };
    kernel.carve(header, &mut plan);
    plan.peak()
}

/// Carves memory of exactly the measured size, at another address.
fn carved<K: PatchKernel>(mut kernel: K, header: &PatchHeader, memory: &mut [u128]) -> u32 {
    // SAFETY: aligned to 16 bytes; the pieces are not accessed.
    let mut plan = unsafe { Plan::carve(memory.as_mut_ptr().cast()) };
    kernel.carve(header, &mut plan);
    plan.peak()
}

struct Launches<'a>(&'a RxMesh, &'a str);

impl Visit for Launches<'_> {
    fn kernel<K: PatchKernel>(&mut self, name: &str, kernel: K) {
        let Launches(rx, what) = self;
        let headers = rx.headers();
        let most = headers
            .iter()
            .map(|h| measured(kernel, h))
            .max()
            .unwrap_or(0);
        assert_eq!(rx.patches().shared_bytes(&kernel), most, "{name} of {what}");
        let mut memory = vec![0u128; (most / 16) as usize];
        for h in headers {
            let (m, c) = (measured(kernel, h), carved(kernel, h, &mut memory));
            assert_eq!(m, c, "{name} of {what}");
            assert!(m <= most && m % 16 == 0, "{name} of {what}");
        }
    }
}

fn a_launch_gets_the_most_that_a_patch_carves(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        each_kernel(rx, &mut Launches(rx, what))
    });
}

/// A patch with more elements of any kind, in the ribbon or owned, never needs less.
struct Growth;

impl Visit for Growth {
    fn kernel<K: PatchKernel>(&mut self, name: &str, kernel: K) {
        let header = |owned: [u16; 3], total: [u16; 3]| PatchHeader {
            owned,
            total,
            capacity: total,
            ..Default::default()
        };
        let sizes = [0u16, 1, 7, 8, 100, 1000, 10_000];
        for (i, &small) in sizes.iter().enumerate() {
            for kind in 0..3 {
                let (mut last_ribbon, mut last_whole) = (0, 0);
                for &n in &sizes[i..] {
                    let (mut owned, mut total) = ([small; 3], [small; 3]);
                    total[kind] = n;
                    let ribbon = measured(kernel, &header(owned, total));
                    owned[kind] = n;
                    let whole = measured(kernel, &header(owned, total));
                    // Owning an element can need less than having it in the ribbon: its linear id need not be stored.
                    assert!(
                        last_ribbon <= ribbon && last_whole <= whole,
                        "{name} of {owned:?} {total:?}: {last_ribbon} {ribbon}, {last_whole} {whole}"
                    );
                    (last_ribbon, last_whole) = (ribbon, whole);
                }
            }
        }
    }
}

#[test]
fn plans_grow_with_patches() {
    let rx = RxMesh::new(&Engine::cpu(), 3, &[[0, 1, 2]], &Default::default()).unwrap();
    each_kernel(&rx, &mut Growth);
}

/// At the default patch size every kernel fits the 48 KiB that a block has without asking for more.
struct Default48(u32);

impl Visit for Default48 {
    fn kernel<K: PatchKernel>(&mut self, name: &str, kernel: K) {
        let header = PatchHeader {
            owned: [290, 800, 512],
            total: [340, 930, 610],
            ..Default::default()
        };
        let bytes = measured(kernel, &header);
        assert!(bytes <= 48 * 1024, "{name} needs {bytes} bytes");
        self.0 = self.0.max(bytes);
    }
}

#[test]
fn a_default_patch_fits() {
    let rx = RxMesh::new(&Engine::cpu(), 3, &[[0, 1, 2]], &Default::default()).unwrap();
    let mut most = Default48(0);
    each_kernel(&rx, &mut most);
    assert!(most.0 > 1024, "the kernels use shared memory");
}
