//! Rows other than operations over a relation: construction, bytes, ribbons, springs, and the effect of patch sizes.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::spring::{SpringForces, SpringOptions, Springs};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TetMesh;
use rxmesh_host::patch::{self, Ribbon, VolumeKinds, VolumeOptions};
use rxmesh_host::store::{RxMesh, Volume};
use rxmesh_kernels::query::{CC, EC, EF, FC, FV, VC, VE, VF, VV};
use rxmesh_kernels::topo::Vertex;
use serde_json::{Map, Value, json};

use crate::measure::{self, Effort, Times};

/// Patch sizes to try (MeshTaichi 2022, section 7.1).
pub(crate) const PATCH_SIZES: [u32; 7] = [64, 128, 256, 512, 1024, 2048, 4096];

/// Makes a volume on an engine.
pub(crate) fn volume(
    engine: &Engine,
    mesh: &TetMesh,
    patch_size: Option<u32>,
    (kinds, ribbon): (VolumeKinds, Ribbon),
) -> Result<RxMesh<Volume>> {
    let options = options(patch_size, (kinds, ribbon));
    Ok(RxMesh::from_cells(
        engine,
        mesh.positions.len(),
        &mesh.cells,
        &options,
    )?)
}

fn options(patch_size: Option<u32>, (kinds, ribbon): (VolumeKinds, Ribbon)) -> VolumeOptions {
    VolumeOptions {
        patch_size,
        kinds,
        ribbon,
        ..VolumeOptions::default()
    }
}

/// Measures cutting and packing, from cells in memory, without the upload.
pub(crate) fn build(
    engine: &Engine,
    mesh: &TetMesh,
    patch_size: Option<u32>,
    parts: (VolumeKinds, Ribbon),
    effort: Effort,
) -> Result<Times> {
    let options = options(patch_size, parts);
    let effort = Effort {
        repeat: effort.repeat.min(5),
        ..effort
    };
    measure::calls(engine, effort, || {
        let set = patch::build_volume(mesh.positions.len(), &mesh.cells, &options)?;
        ensure!(set.counts[3] as usize == mesh.cells.len(), "cells are lost");
        Ok(())
    })
}

/// Returns the bytes on the engine: with vertices and cells alone, or with every relation but EE and FF prepared.
pub(crate) fn bytes(rx: &RxMesh<Volume>, prepared: bool) -> Result<(u64, Map<String, Value>)> {
    let mut figures = Map::new();
    figures.insert("mesh".into(), rx.device_bytes().into());
    if !prepared {
        return Ok((rx.device_bytes() as u64, figures));
    }
    rx.prepare::<VV>()?;
    rx.prepare::<VE>()?;
    rx.prepare::<VF>()?;
    rx.prepare::<VC>()?;
    rx.prepare::<EF>()?;
    rx.prepare::<EC>()?;
    rx.prepare::<FV>()?;
    rx.prepare::<FC>()?;
    rx.prepare::<CC>()?;
    let mut all = rx.device_bytes() as u64;
    for table in rx.prepared_sizes() {
        all += table.bytes as u64;
        figures.insert(table.relation.into(), table.bytes.into());
    }
    Ok((all, figures))
}

/// Returns the ratio of local to owned elements of patches (gamma, section 7.1), and the figures of shell 0.
pub(crate) fn ribbons(mesh: &TetMesh, patch_size: u32) -> Result<(f64, Map<String, Value>)> {
    let options = options(Some(patch_size), (VolumeKinds::Faces, Ribbon::Usual));
    let set = patch::build_volume(mesh.positions.len(), &mesh.cells, &options)?;
    let stats = set.stats();
    let mut figures = Map::new();
    figures.insert("patches".into(), stats.patches.into());
    figures.insert("size_mean".into(), stats.size_mean.into());
    figures.insert("local".into(), json!(stats.local));
    figures.insert("near".into(), json!(stats.near));
    figures.insert("bytes_a_cell".into(), stats.bytes.into());
    let (mut local, mut owned) = (0.0, 0.0);
    for (&n, ratio) in set.counts.iter().zip(stats.local) {
        local += f64::from(n) * f64::from(ratio);
        owned += f64::from(n);
    }
    Ok((local / owned, figures))
}

/// Measures explicit steps of moving springs along the edges, forces and integration.
pub(crate) fn springs(
    engine: &Engine,
    rx: &RxMesh<Volume>,
    mesh: &TetMesh,
    forces: SpringForces,
    effort: Effort,
) -> Result<Times> {
    let rest = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    let mut pins = vec![0u32; mesh.positions.len()];
    pins[0] = 1;
    let fixed = rx.attribute_from::<Vertex, u32>(&pins)?;
    let options = SpringOptions::default().with(|o| o.damping = 0.0);
    let mut springs = Springs::new(rx, &rest, &fixed, &options)?;
    let longer: Vec<Vec3> = mesh.positions.iter().map(|&p| p * 1.02).collect();
    *springs.positions() = rx.attribute_from(&longer)?;
    let times = measure::launches(engine, effort, || Ok(springs.step_explicit(forces)?))?;
    // An error if a value is not finite.
    springs.energy()?;
    Ok(times)
}
