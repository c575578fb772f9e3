//! Sharp and open edges.

use crate::faces::Extras;
use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use crate::scan::Scan;
use crate::{Mesh, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::sqrt3::{CodeTwins, MarkOpen};
use std::collections::HashMap;

/// Twins with marks of sharp and open edges, and scratch buffers for them.
#[derive(Debug)]
pub(super) struct CodedTwins {
    twins: GrowableBuffer<u32>,
    open: GrowableBuffer<u32>,
    before: GrowableBuffer<u32>,
    scan: Scan,
}

impl CodedTwins {
    pub(super) fn empty(engine: &Engine) -> Result<CodedTwins, Error> {
        let empty = || GrowableBuffer::empty(engine);
        Ok(CodedTwins {
            twins: empty()?,
            open: empty()?,
            before: empty()?,
            scan: Scan::empty(engine)?,
        })
    }

    pub(super) fn make(&mut self, mesh: &Mesh, sharpness: &Sharpness) -> Result<(), Error> {
        let (engine, topology, n) = (mesh.engine(), mesh.topology(), mesh.corner_count());
        for buffer in [&mut self.twins, &mut self.open, &mut self.before] {
            buffer.set_len(n as usize)?;
        }
        engine.launch_flat(
            n,
            MarkOpen {
                twins: topology.twins,
                marks: self.open.global_mut(),
            },
        )?;
        self.scan.exclusive(engine, &self.open, &self.before)?;
        engine.launch_flat(
            n,
            CodeTwins {
                twins: topology.twins,
                before: self.before.global(),
                edges: topology.edges,
                sharpness: sharpness.view().edges,
                out: self.twins.global_mut(),
            },
        )?;
        Ok(())
    }

    pub(super) fn view(&self) -> Global<u32> {
        self.twins.global()
    }

    pub(super) fn bytes(&self) -> u64 {
        let rooms = [&self.twins, &self.open, &self.before];
        rooms.iter().map(|r| r.bytes()).sum::<u64>() + self.scan.bytes()
    }
}

/// Refuses edges of finite sharpness.
pub(super) fn check_edges(extras: &Extras) -> Result<(), Error> {
    // The last value for an edge is used.
    let mut last = HashMap::new();
    for (i, e) in extras.sharp_edges.iter().enumerate() {
        let [a, b] = e.ends;
        last.insert([a.min(b), a.max(b)], i);
    }
    let wears_off = |i: &usize| (0.0..PolyMesh::SHARP).contains(&extras.sharp_edges[*i].sharpness);
    let smooth = |i: &usize| extras.sharp_edges[*i].sharpness <= 0.0;
    match last
        .into_values()
        .filter(|i| wears_off(i) && !smooth(i))
        .min()
    {
        None => Ok(()),
        Some(i) => {
            let e = extras.sharp_edges[i];
            Err(Error::Mesh(MeshError::Extras {
                what: format!(
                    "sharp edge {i}, between vertices {} and {} (counted from 0), has sharpness {}, but the sqrt(3) \
                        scheme knows edges only that are sharp for ever ({} or more)",
                    e.ends[0],
                    e.ends[1],
                    e.sharpness,
                    PolyMesh::SHARP
                ),
            }))
        }
    }
}
