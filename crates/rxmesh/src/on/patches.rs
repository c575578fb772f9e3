//! Cutting meshes into patches, on the host or on the engine.

use crate::{Log, Result, Stage, stage};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::{PatchOptions, PatchSet, PatchStats, build};
use rxmesh_host::store::RxMesh;

/// Place where a mesh is cut into patches. The two places give other patches, and results of edits depend on them: for
/// the same result on a GPU and on the CPU choose one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum PatchesOn {
    /// The engine if it is a GPU, else the host
    #[default]
    Auto,
    /// The host, from any number of threads: the same patches for every engine
    Host,
    /// The engine, by kernels: the same patches on every engine, fast on a GPU only
    Engine,
}

/// Patches of a mesh, as they came from where it was cut.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum MeshPatches {
    /// On the host.
    Host(PatchSet),
    /// On the engine.
    Engine(RxMesh),
}

impl MeshPatches {
    /// Cuts a mesh into patches. On the engine the seed and the growth of the options have no effect.
    ///
    /// # Errors
    ///
    /// A mesh that cannot be cut, and those of the engine.
    pub fn cut(
        engine: &Engine,
        mesh: &TriMesh,
        options: &PatchOptions,
        on: PatchesOn,
    ) -> Result<MeshPatches> {
        let on_engine = match on {
            PatchesOn::Auto => engine.is_cuda(),
            PatchesOn::Host => false,
            PatchesOn::Engine => true,
        };
        Ok(match on_engine {
            true => {
                let rx = RxMesh::cut_on_engine(engine, mesh, options.patch_size)?;
                engine.synchronize()?;
                MeshPatches::Engine(rx)
            }
            false => MeshPatches::Host(build(mesh.vertex_count(), &mesh.faces, options)?),
        })
    }

    /// Cuts a mesh into patches of the usual size, where that is fastest.
    ///
    /// # Errors
    ///
    /// As [`MeshPatches::cut`].
    pub(crate) fn usual(engine: &Engine, mesh: &TriMesh, log: &mut dyn Log) -> Result<MeshPatches> {
        let options = PatchOptions::default().with(|o| o.patch_size = super::PATCH_SIZE);
        stage(log, Stage::Patches, || {
            MeshPatches::cut(engine, mesh, &options, PatchesOn::Auto)
        })
    }

    /// Returns the patches on the engine. Those of the host are moved there.
    ///
    /// # Errors
    ///
    /// Patches that do not hold together, and those of the engine.
    pub fn into_mesh(self, engine: &Engine) -> Result<RxMesh> {
        Ok(match self {
            MeshPatches::Host(set) => RxMesh::from_patches(engine, set)?,
            MeshPatches::Engine(rx) => rx,
        })
    }

    /// Returns the statistics of the patches. Of patches that were cut on the engine, rounds and times are zero.
    pub fn stats(&self) -> PatchStats {
        match self {
            MeshPatches::Host(set) => set.stats.clone(),
            MeshPatches::Engine(rx) => rx.patch_stats(),
        }
    }

    /// Returns the name of the place where the mesh was cut: `host` or `engine`.
    pub fn cut_on(&self) -> &'static str {
        match self {
            MeshPatches::Host(_) => "host",
            MeshPatches::Engine(_) => "engine",
        }
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> u32 {
        match self {
            MeshPatches::Host(set) => set.counts[1],
            MeshPatches::Engine(rx) => rx.count(rxmesh_host::kernels::topo::Kind::Edge),
        }
    }
}
