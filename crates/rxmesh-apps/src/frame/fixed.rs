//! Applications on a mesh whose connectivity stays: from the file to a patched mesh on an engine, and back to a file.

use super::{Frame, Several, left_to_the_system};
use crate::Outcome;
use crate::app::{Application, Told};
use crate::cli::{ComputeArgs, PatchArgs};
use crate::output::{Gives, Target};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, anyhow};
use clap::Command;
use rxmesh_host::algo::normals;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::attr::Value;
use rxmesh_host::kernels::topo::{Element, Vertex};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, NORMAL, Placement, SplitSeams, TriMesh};
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_host::{Error, Vec3};

const VALUES_OUTPUT: &str = "Where to write, or '-' for stdout; a format that holds columns (PLY) [default: \
    <input>_<command>.ply in the current folder; stdout for a mesh from stdin]";

/// The column that MeshLab, PyVista and others map to colours.
const QUALITY: &str = "quality";

/// A mesh on an engine, with the run that it belongs to.
#[derive(Debug)]
pub(crate) struct Fixed {
    pub(crate) run: Run,
    /// As it was read; [`Fixed::move_vertices`] changes its positions.
    pub(crate) mesh: TriMesh,
    pub(crate) rx: RxMesh,
    /// The positions in a frame in which the mesh is normalised.
    pub(crate) x: Attribute<Vertex, Vec3>,
    /// That frame.
    placement: Placement,
    target: Target,
    /// Several meshes, if it is not one.
    pub(crate) several: Option<Several>,
    /// Vertices that the file has split, which are joined on the engine.
    seams: Option<SplitSeams>,
    engine: Engine,
}

impl Frame for Fixed {
    #[cfg(test)]
    const KIND: &'static str = "computations";

    type Flags = ComputeArgs;

    fn adapt(command: Command, gives: Gives) -> Command {
        match gives {
            Gives::Mesh | Gives::Normals => command,
            Gives::Columns(_) => command.mut_arg("output", |arg| arg.help(VALUES_OUTPUT)),
        }
    }

    /// Reads the mesh, starts the engine, cuts the mesh into patches and moves it over. Refuses an output that could
    /// not
    /// be written before any of it.
    fn open<A: Application<Frame = Fixed>>(
        args: ComputeArgs,
        options: &A::Options,
    ) -> Result<Fixed> {
        let gives = A::gives(options);
        let (mut run, mut mesh, path, target, mut several) = if args.more.is_empty() {
            let (mut run, target) = Run::with_target(A::NAME, &args, gives)?;
            let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
            (run, input.loaded.mesh, input.path, target, None)
        } else {
            let (run, mesh, several) = Several::read::<A>(&args, gives)?;
            let (path, target) = (several.path(), several.target());
            (run, mesh, path, target, Some(several))
        };
        let labels = several.as_ref().map(Several::labels);
        let mut seams = None;
        if A::JOINS_SEAMS {
            mesh.validate()
                .with_context(|| path.display().to_string())?;
            seams = SplitSeams::find(&mesh, labels.as_deref());
        }
        if let Some(seams) = &seams {
            run.warn(seams.message());
            if let Some(several) = &mut several {
                several.join(seams);
            }
        }
        let shape = seams.as_ref().map(|seams| seams.shape(&mesh));
        let worked_on = shape.as_ref().unwrap_or(&mesh);
        // The engine starts meanwhile.
        let set = run.patch(worked_on, &path, &args.patch, PatchArgs::DEFAULT_SIZE)?;
        let engine = run.engine(args.engine.engine)?;
        let read = mesh.positions.clone();
        let home = mesh.normalise();
        let normalised = std::mem::replace(&mut mesh.positions, read);
        let placement = std::mem::replace(&mut mesh.placement, home);
        let normalised = match &seams {
            Some(seams) => seams.collect(&normalised),
            None => normalised,
        };
        let (rx, x) = run.upload(&engine, set, |rx| {
            rx.attribute_from::<Vertex, Vec3>(&normalised)
        })?;
        Ok(Fixed {
            run,
            mesh,
            rx,
            x,
            placement,
            target,
            several,
            seams,
            engine,
        })
    }

    fn unit(&self) -> f64 {
        match &self.several {
            // Each came in the world's unit, and all are in one of their own.
            Some(_) => self.placement.scale,
            None => self.placement.scale / self.mesh.placement.scale,
        }
    }

    fn close<A: Application<Frame = Fixed>>(
        mut self,
        options: &A::Options,
        report: &A::Report,
    ) -> Result<Outcome> {
        match self.several {
            Some(several) => {
                let parts = several.part_unchanged(&self.mesh);
                several.write(&mut self.run, &parts)?;
            }
            None => self.run.write(&self.target, &self.mesh)?,
        }
        let mut run = self.run;
        run.record.put(options, report)?;
        let Told { lines, outcome, .. } = run.tell::<A>(options, report);
        let r = &run.record;
        let out = text::input(r) + &text::engine(r) + &run.timed(&lines) + &text::output(r);
        run.finish(&out)?;
        left_to_the_system((self.rx, self.x, self.mesh, self.engine));
        Ok(outcome)
    }
}

impl Fixed {
    /// Longest side of the box around the mesh's faces, in the world; 0 without vertices.
    pub(crate) fn size(&self) -> f64 {
        let used = self.mesh.used_vertices();
        let counted = (0..).zip(&self.mesh.positions);
        let counted = counted.filter(|(v, _)| used.contains(*v));
        let nothing = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let [low, high] = counted.fold(nothing, |[a, b], (_, p)| [a.min(*p), b.max(*p)]);
        let size = f64::from((high - low).max_element().max(0.0));
        size * self.mesh.placement.scale
    }

    /// Scale from the engine's units of length to those of the file's coordinates (a power of two).
    pub(crate) fn world_unit(&self) -> f64 {
        self.placement.scale
    }

    /// Does the application's work and waits for it. Errors begin with the mesh's name.
    pub(crate) fn compute<T>(
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

    /// As [`Fixed::compute`], for work that moves vertices: positions come back into the mesh, and normals that it
    /// had are computed anew.
    pub(crate) fn move_vertices<T>(
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
        let home = std::mem::replace(&mut self.mesh.placement, self.placement);
        let (positions, mut normals) = positions;
        self.mesh.positions = match &self.seams {
            Some(seams) => seams.spread(&positions),
            None => positions,
        };
        if let (Some(seams), Some(normals)) = (&self.seams, &mut normals) {
            *normals = seams.normals(&self.mesh, normals);
        }
        self.mesh.return_to(home);
        if let Some(normals) = normals {
            self.mesh.set_vertex_normals(normals)?;
        }
        Ok(result)
    }

    /// Brings values of elements back, in the order of the file.
    pub(crate) fn download<E: Element, T: Value>(
        &mut self,
        values: &mut Attribute<E, T>,
    ) -> Result<Vec<T>> {
        let rx = &self.rx;
        let (values, ms) = self
            .run
            .mesh_stage("downloading", || Ok(values.to_input(rx)?))?;
        self.run.record.timings_ms.download = ms;
        Ok(values)
    }

    /// Brings values of vertices into the mesh as columns; says which columns of the input they take the place of. The
    /// number beside each name is the power of a length that its unit has.
    pub(crate) fn add_columns<const N: usize>(
        &mut self,
        columns: [(&str, i32, &mut Attribute<Vertex, f32>); N],
    ) -> Result<()> {
        let mut values = Vec::with_capacity(N);
        let unit = self.unit();
        let ((), ms) = self.run.mesh_stage("downloading", || {
            for (name, power, a) in columns {
                let data = in_units(a.to_input(&self.rx)?, unit.powi(power));
                values.push((name, data));
            }
            Ok(())
        })?;
        self.run.record.timings_ms.download = ms;
        for (name, data) in values {
            self.put_column(name, data)?;
        }
        Ok(())
    }

    /// Writes a column once more under the name by which other programs show values of vertices: as floats, and where
    /// values are infinite as the largest of the others.
    pub(crate) fn show(&mut self, name: &str) -> Result<()> {
        let Some(column) = self.mesh.extras.column(ElementKind::Vertex, name) else {
            return Ok(());
        };
        let values = (0..column.data.len()).map(|i| column.data.get(i) as f32);
        let finite = values.clone().filter(|x| x.is_finite());
        let largest = finite.fold(f32::NEG_INFINITY, f32::max);
        let data = ColumnData::F32(values.map(|x| x.min(largest)).collect());
        self.put_column(QUALITY, data)
    }

    /// Adds a column to the vertices; says so when it takes the place of one of the input.
    pub(crate) fn put_column(&mut self, name: &str, data: ColumnData) -> Result<()> {
        let extras = &self.mesh.extras;
        if extras.column(ElementKind::Vertex, name).is_some() {
            self.run
                .warn(format!("the input's column '{name}' is replaced"));
        }
        Ok(self.mesh.add_column(Column {
            name: name.into(),
            element: ElementKind::Vertex,
            width: 1,
            data,
        })?)
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
                "the input's normals of corners no longer fit; normals of vertices take their place, without \
                creases".into(),
            );
        }
        if faces {
            self.run
                .warn("the input's normals of faces no longer fit and are left out".into());
        }
        vertices || corners
    }
}

/// Values times a power of two; with 64 bits where 32 would lose some of them.
fn in_units(mut values: Vec<f32>, factor: f64) -> ColumnData {
    let scaled = |x: f32| f64::from(x) * factor;
    let fits = |x: &f32| {
        let (wide, narrow) = (scaled(*x), scaled(*x) as f32);
        !x.is_finite() || f64::from(narrow) == wide
    };
    if values.iter().all(fits) {
        values.iter_mut().for_each(|x| *x = scaled(*x) as f32);
        return ColumnData::F32(values);
    }
    ColumnData::F64(values.into_iter().map(scaled).collect())
}

fn normals_of(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<Attribute<Vertex, Vec3>, Error> {
    let mut n = rx.attribute()?;
    normals::vertex_normals(rx, x, &mut n)?;
    Ok(n)
}

/// Numbers that overflow have a reason that the user can see: `why`.
pub(crate) fn explained(why: &'static str) -> impl Fn(Error) -> anyhow::Error {
    move |e| {
        let of_one = match &e {
            Error::OfMesh { error, .. } => &**error,
            all => all,
        };
        let overflow = matches!(of_one, Error::NotFinite { .. });
        let e = anyhow!(e);
        if overflow { e.context(why) } else { e }
    }
}
