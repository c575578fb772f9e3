//! Times the packing of flat arrays on the CPU: the labels as they were, four times the faces, a quarter of them.
//!
//! `cargo run --release -p rxmesh-host --example repack_timing -- [faces in thousands]`

use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::kernels::query::{EF, EV, FE, FV};
use rxmesh_host::kernels::topo::Kind;
use rxmesh_host::mesh::generate;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::repack::{Labels, RepackOptions, RepackSource, repack};
use rxmesh_host::store::RxMesh;
use std::time::Instant;

const NONE: u32 = u32::MAX;

/// Flat arrays of a mesh, as an edit session has them.
struct Arrays {
    arrays: [Buffer<u32>; 5],
}

impl Arrays {
    /// Linear ids as session ids, the patches as labels.
    fn open(mesh: &RxMesh) -> Result<Arrays, Box<dyn std::error::Error>> {
        let engine = mesh.engine();
        let (fe_rows, ev_rows, fv_rows) = (
            mesh.query::<FE>()?.read()?,
            mesh.query::<EV>()?.read()?,
            mesh.query::<FV>()?.read()?,
        );
        let ef_rows = mesh.query::<EF>()?.read()?;
        let [vertices, edges, faces] =
            [Kind::Vertex, Kind::Edge, Kind::Face].map(|k| mesh.count(k) as usize);
        let (mut fe, mut ev, mut ef) = (Vec::new(), Vec::new(), Vec::new());
        let mut ve = vec![NONE; vertices];
        for e in 0..edges {
            let ends = ev_rows.row(e);
            ev.extend_from_slice(&ends[..2]);
            ve[ends[0] as usize] = e as u32;
            ve[ends[1] as usize] = e as u32;
            let of = ef_rows.row(e);
            ef.extend([0, 1].map(|k| of.get(k).copied().unwrap_or(NONE)));
        }
        for f in 0..faces {
            for k in 0..3 {
                let e = fe_rows.row(f)[k];
                fe.push(e << 1 | u32::from(ev[2 * e as usize] != fv_rows.row(f)[k]));
            }
        }
        let mut label = Vec::with_capacity(faces);
        for (patch, h) in mesh.headers().iter().enumerate() {
            label.extend(std::iter::repeat_n(patch as u32, h.owned[2].into()));
        }
        Ok(Arrays {
            arrays: [
                engine.upload(&fe)?,
                engine.upload(&ev)?,
                engine.upload(&ef)?,
                engine.upload(&ve)?,
                engine.upload(&label)?,
            ],
        })
    }

    fn mesh(&self) -> RepackSource<'_> {
        let [fe, ev, ef, ve, label] = &self.arrays;
        RepackSource {
            fe,
            ev,
            ef,
            ve,
            label,
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let thousands: f64 = match std::env::args().nth(1) {
        Some(argument) => argument.parse()?,
        None => 1280.0,
    };
    let (engine, _) = Engine::auto();
    let n = (thousands * 500.0).sqrt() as u32;
    let torus = generate::torus(n, n, 1.0, 0.4)?;
    for (what, patch_size, labels) in [
        ("patches as they are", 512, Labels::Keep),
        ("patches looked at", 512, Labels::Resize),
        ("all patches too small", 2048, Labels::Resize),
        ("all patches too large", 128, Labels::Resize),
    ] {
        let options = PatchOptions::default();
        let mesh = RxMesh::new(&engine, torus.positions.len(), &torus.faces, &options)?;
        let arrays = Arrays::open(&mesh)?;
        let options = RepackOptions::default().with(|o| {
            o.patch_size = patch_size;
            o.labels = labels;
        });
        let mut times = Vec::new();
        let mut patches = 0;
        for _ in 0..7 {
            let start = Instant::now();
            let labels = mesh.headers().len() as u32;
            // SAFETY: the arrays of an opened mesh.
            let packed = unsafe { repack(&engine, &arrays.mesh(), labels, options)? };
            engine.synchronize()?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            patches = packed.mesh.headers().len();
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{:>8} faces, {what} ({} -> {patches}): median {:.2} ms, fastest {:.2} ms",
            torus.faces.len(),
            mesh.headers().len(),
            times[times.len() / 2],
            times[0]
        );
    }
    Ok(())
}
