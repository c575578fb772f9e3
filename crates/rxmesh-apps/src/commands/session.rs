//! What the applications share: from the file to a patched mesh on an engine, and back to a file.

use crate::cli::{ComputeArgs, PatchArgs};
use crate::output::{Gives, Target};
use crate::run::Run;
use anyhow::{Result, anyhow};
use rxmesh_host::algo::normals;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{ElementKind, NORMAL, TriMesh};
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_host::{Error, Vec3};

/// A mesh on an engine, with the run that it belongs to.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) run: Run,
    pub(super) mesh: TriMesh,
    pub(super) rx: RxMesh,
    /// The positions.
    pub(super) x: Attribute<Vertex, Vec3>,
    target: Target,
    engine: Engine,
}

impl Session {
    /// Reads the mesh, starts the engine, cuts the mesh into patches and moves it over. Refuses an output that could not
    /// be written before any of it.
    pub(super) fn open(command: &'static str, args: &ComputeArgs, gives: Gives) -> Result<Session> {
        let (mut run, target) = Run::with_target(command, args, gives)?;
        let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
        let mesh = input.loaded.mesh;
        let engine = run.engine(args.engine.engine)?;
        let set = run.patch(&mesh, &input.path, &args.patch, PatchArgs::DEFAULT_SIZE)?;
        let (rx, x) = run.upload(&engine, set, |rx| {
            rx.attribute_from::<Vertex, Vec3>(&mesh.positions)
        })?;
        Ok(Session {
            run,
            mesh,
            rx,
            x,
            target,
            engine,
        })
    }

    /// Name of the file that is written.
    pub(super) fn output(&self) -> String {
        self.target.path.display().to_string()
    }

    /// Does the application's work and waits for it. Errors begin with the mesh's name.
    pub(super) fn compute<T>(
        &mut self,
        stage: &'static str,
        work: impl FnOnce(&RxMesh, &mut Attribute<Vertex, Vec3>) -> Result<T>,
    ) -> Result<T> {
        let (rx, x, engine) = (&self.rx, &mut self.x, &self.engine);
        let (result, ms) = self.run.mesh_stage(stage, || {
            let result = work(rx, x)?;
            engine.synchronize()?;
            Ok(result)
        })?;
        self.run.record.timings_ms.run = ms;
        Ok(result)
    }

    /// As [`Session::compute`], for work that moves vertices: positions come back into the mesh, and normals that it
    /// had are computed anew.
    pub(super) fn move_vertices<T>(
        &mut self,
        stage: &'static str,
        work: impl FnOnce(&RxMesh, &mut Attribute<Vertex, Vec3>) -> Result<T>,
    ) -> Result<T> {
        let had_normals = self.drop_normals();
        if self.mesh.faces.is_empty() {
            let input = self.run.record.input.as_ref();
            let path = input.map_or(String::new(), |i| format!("{}: ", i.path));
            self.run.warn(format!(
                "{path}there are no faces, so nothing holds the vertices together"
            ));
        }
        let (result, n) = self.compute(stage, |rx, x| {
            let result = work(rx, x)?;
            let n = had_normals.then(|| normals_of(rx, x)).transpose()?;
            Ok((result, n))
        })?;
        let (positions, ms) = self.run.mesh_stage("downloading", || {
            let positions = self.x.to_input(&self.rx)?;
            let normals = n.map(|mut n| n.to_input(&self.rx)).transpose()?;
            Ok((positions, normals))
        })?;
        self.run.record.timings_ms.download = ms;
        self.mesh.positions = positions.0;
        if let Some(normals) = positions.1 {
            self.mesh.set_vertex_normals(normals)?;
        }
        Ok(result)
    }

    /// Brings values of vertices into the mesh as columns; says which columns of the input they take the place of.
    pub(super) fn add_columns<const N: usize>(
        &mut self,
        columns: [(&str, &mut Attribute<Vertex, f32>); N],
    ) -> Result<()> {
        let mut values = Vec::with_capacity(N);
        let ((), ms) = self.run.mesh_stage("downloading", || {
            for (name, a) in columns {
                values.push((name, a.to_input(&self.rx)?));
            }
            Ok(())
        })?;
        self.run.record.timings_ms.download = ms;
        for (name, values) in values {
            if self.mesh.extras.column(ElementKind::Vertex, name).is_some() {
                self.run
                    .warn(format!("the input's column '{name}' is replaced"));
            }
            self.mesh.add_vertex_column(name, values)?;
        }
        Ok(())
    }

    /// Writes the mesh.
    pub(super) fn write(&mut self) -> Result<()> {
        self.run.write(&self.target, &self.mesh)
    }

    /// Normals of the input do not belong to the new positions. True when vertices had some, to be computed anew.
    fn drop_normals(&mut self) -> bool {
        let extras = &mut self.mesh.extras;
        let corners = extras.corner_normals.take().is_some();
        let vertices = extras.column(ElementKind::Vertex, NORMAL).is_some();
        let faces = extras.column(ElementKind::Face, NORMAL).is_some();
        extras.columns.retain(|c| c.name != NORMAL);
        if corners {
            self.run.warn(
                "the input's normals of corners no longer fit; normals of vertices take their place, without creases".into(),
            );
        }
        if faces {
            self.run
                .warn("the input's normals of faces no longer fit and are left out".into());
        }
        vertices || corners
    }
}

fn normals_of(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<Attribute<Vertex, Vec3>, Error> {
    let mut n = rx.attribute()?;
    normals::vertex_normals(rx, x, &mut n)?;
    Ok(n)
}

/// Numbers that overflow have a reason that the user can see: `why`.
pub(super) fn explained(why: &'static str) -> impl Fn(Error) -> anyhow::Error {
    move |e| {
        let overflow = matches!(e, Error::NotFinite { .. });
        let e = anyhow!(e);
        if overflow { e.context(why) } else { e }
    }
}
