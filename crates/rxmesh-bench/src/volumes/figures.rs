//! Rows other than operations over a relation: construction, bytes, ribbons, springs, and the effect of patch sizes.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::spring::{SpringForces, SpringOptions, Springs};
use rxmesh_host::patch::{self, Ribbon, VolumeKinds};
use rxmesh_kernels::query::{CC, CV, EC, EF, EV, FC, FV, VC, VE, VF, VV};
use rxmesh_kernels::topo::Vertex;
use serde_json::{Map, Value, json};

use super::operations::gathered;
use super::{PatchSettings, Row, TetBench, TetMeshes};
use crate::measure::{self, Effort};
use crate::record::Unit;
use crate::reference::{Against, Goal};
use crate::subject::{Measured, Work};

const CELLS: PatchSettings = own(VolumeKinds::Cells, Ribbon::Usual);
/// All kinds, as far as relations but EE and FF need.
const ALL: PatchSettings = own(VolumeKinds::Faces, Ribbon::Usual);
const RING: PatchSettings = own(VolumeKinds::Faces, Ribbon::Ring);

const fn own(kinds: VolumeKinds, ribbon: Ribbon) -> PatchSettings {
    PatchSettings {
        kinds,
        ribbon,
        patch_size: None,
    }
}

pub(super) const BUILDS: &[Row] = &[
    Row::new("build, V and C", "", CELLS, build)
        .against(&[Against::taichi_tets(&["patching"])])
        .goals(&[Goal::gpu(2_044_416, 400.0)]),
    Row::new("build, V, E, F and C", "", ALL, build),
    Row::new("build, with the ring", "", RING, build),
];

pub(super) const ROWS: &[Row] = &[
    Row::new("springs, gather", "", ALL, |b| {
        springs(b, SpringForces::Gather)
    })
    .against(&[
        Against::taichi_tets(&[
            "spring gather VV (ms.py), staged",
            "spring gather VV (ms.py), direct",
        ]),
        Against::taichi_tets(&["spring gather VV (ms.py), two threads"]),
    ])
    .goals(&[Goal::gpu(2_044_416, 0.018)]),
    Row::new("springs, scatter", "", ALL, |b| {
        springs(b, SpringForces::Scatter)
    })
    .against(&[
        Against::taichi_tets(&["spring scatter EV, staged", "spring scatter EV, direct"]),
        Against::taichi_tets(&["spring scatter EV, two threads"]),
    ])
    .goals(&[Goal::gpu(2_044_416, 0.030)]),
    // MeshTaichi has EE and FF prepared too.
    bytes_row("bytes, all prepared but EE and FF", ALL, 160.0, |b| {
        bytes(b, true)
    })
    .with_rival(377.0, "MeshTaichi"),
    bytes_row("bytes, V and C", CELLS, 25.0, |b| bytes(b, false)),
];

/// Makes a row of bytes a cell, with its goal on every engine and mesh.
const fn bytes_row(
    name: &'static str,
    own: PatchSettings,
    goal: f64,
    work: Work<TetMeshes>,
) -> Row {
    let mut row = Row::new(name, "", own, work).no_time();
    row.known[0].goal = Some(goal);
    row
}

impl Row {
    const fn with_rival(mut self, value: f64, system: &'static str) -> Self {
        self.known[0].rival = Some((value, system));
        self
    }
}

/// Makes the rows of patch sizes (MeshTaichi 2022, sections 7.1 and 7.2): ribbons, and the relations that finite
/// elements, springs and smoothing need.
macro_rules! sweep {
    ($($size:literal)*) => {
        &[$(&[
            swept(concat!("ribbons, patches of ", $size), $size, ribbons).no_time(),
            swept(concat!("patches of ", $size, ", VV, gather"), $size, gathered::<VV>),
            swept(concat!("patches of ", $size, ", VC, gather"), $size, gathered::<VC>),
            swept(concat!("patches of ", $size, ", EV, gather"), $size, gathered::<EV>),
            swept(concat!("patches of ", $size, ", CV, gather"), $size, gathered::<CV>),
        ]),*]
    };
}

pub(super) const SWEEP: &[&[Row]] = sweep!(64 128 256 512 1024 2048 4096);

const fn swept(name: &'static str, patch_size: u32, work: Work<TetMeshes>) -> Row {
    let own = PatchSettings {
        patch_size: Some(patch_size),
        ..ALL
    };
    Row::new(name, "", own, work).of_mesh("cube:44", 511_104)
}

/// Measures cutting and packing, from cells in memory, without the upload: it needs no engine.
fn build(b: &TetBench<'_>) -> Result<Measured> {
    let effort = Effort {
        repeat: b.effort.repeat.min(5),
        ..b.effort
    };
    let (vertices, cells) = (b.mesh.positions.len(), &b.mesh.cells);
    let times = measure::calls(b.engine, effort, || {
        let set = patch::build_volume(vertices, cells, &b.options)?;
        ensure!(set.counts[3] as usize == cells.len(), "cells are lost");
        Ok(())
    })?;
    Ok(b.measured(times))
}

/// Returns the bytes on the engine: with vertices and cells alone, or with every relation but EE and FF prepared.
fn bytes(b: &TetBench<'_>, prepared: bool) -> Result<Measured> {
    let rx = b.rx()?;
    let mut figures = Map::new();
    figures.insert("mesh".into(), rx.device_bytes().into());
    let mut all = rx.device_bytes() as u64;
    if prepared {
        rx.prepare::<VV>()?;
        rx.prepare::<VE>()?;
        rx.prepare::<VF>()?;
        rx.prepare::<VC>()?;
        rx.prepare::<EF>()?;
        rx.prepare::<EC>()?;
        rx.prepare::<FV>()?;
        rx.prepare::<FC>()?;
        rx.prepare::<CC>()?;
        for table in rx.prepared_sizes() {
            all += table.bytes as u64;
            figures.insert(table.relation.into(), table.bytes.into());
        }
    }
    let bytes = all as f64 / b.mesh.cells.len() as f64;
    Ok(amount(b, Unit::BytesACell, bytes, figures))
}

fn amount(b: &TetBench<'_>, unit: Unit, value: f64, figures: Map<String, Value>) -> Measured {
    Measured {
        per: "cell",
        elements: b.mesh.cells.len() as u64,
        ..Measured::amount(unit, vec![value], figures)
    }
}

/// Returns the ratio of local to owned elements of patches (gamma, section 7.1), and the figures of shell 0.
fn ribbons(b: &TetBench<'_>) -> Result<Measured> {
    let set = patch::build_volume(b.mesh.positions.len(), &b.mesh.cells, &b.options)?;
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
    Ok(amount(b, Unit::Times, local / owned, figures))
}

/// Measures explicit steps of moving springs along the edges, forces and integration.
fn springs(b: &TetBench<'_>, forces: SpringForces) -> Result<Measured> {
    let (rx, mesh) = (b.rx()?, b.mesh);
    let rest = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    let mut pins = vec![0u32; mesh.positions.len()];
    pins[0] = 1;
    let fixed = rx.attribute_from::<Vertex, u32>(&pins)?;
    let options = SpringOptions::default().with(|o| o.damping = 0.0);
    let mut springs = Springs::new(rx, &rest, &fixed, &options)?;
    let longer: Vec<Vec3> = mesh.positions.iter().map(|&p| p * 1.02).collect();
    *springs.positions() = rx.attribute_from(&longer)?;
    let times = measure::launches(b.engine, b.effort, || Ok(springs.step_explicit(forces)?))?;
    // An error if a value is not finite.
    springs.energy()?;
    Ok(b.measured(times))
}
