//! Operations on meshes as they are in files.

use super::{
    Answer, BothOptions, CallForm, CallMesh, CallSubject, EngineKeyword, Finished, Takes, names,
    usage,
};
use clap::{ArgMatches, Args, FromArgMatches};
use rxmesh::host::mesh::PolyMesh;
use rxmesh::on::{AnyGrid, AnyMesh, AnyTriangles, ArrayValues, Pair, Tool};
use rxmesh::{Engine, Log, Operation, TriMesh};

/// Runs an operation on its input, without a conversion of units.
fn run<O, I>(
    matches: &ArgMatches,
    (input, names): (I, Vec<String>),
    engine: Option<Engine>,
    home: Option<&Engine>,
    log: &mut dyn Log,
) -> Answer<Finished>
where
    O: Operation<On = Tool<I>, Options: Args>,
{
    let options = BothOptions::new::<O>(matches, 1)?.given;
    let mut on = Tool::new(input, names);
    if let Some(engine) = engine {
        on.set_engine(engine);
    }
    let report = O::run(&mut on, &options, log)?;
    let result = on.result.take().map(|mesh| CallMesh::settled(mesh, home));
    let resident = on.resident.take().map(CallMesh::Resident);
    let meshes = resident.or(result).into_iter().collect();
    let grid = on.grid.take();
    let finished = Finished::new::<O>(&report, &options, meshes);
    Ok(Finished { grid, ..finished })
}

impl CallForm for Tool<TriMesh> {
    type Shared = ();

    const TAKES: Takes = Takes::Surface;

    fn call<O>(
        matches: &ArgMatches,
        mut subject: CallSubject,
        log: &mut dyn Log,
    ) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let home = subject.home();
        let mesh = subject.one()?.into_surface(log)?;
        mesh.validate()?;
        run::<O, _>(matches, (mesh, names(0, 1)), None, home.as_ref(), log)
    }
}

impl CallForm for Tool<AnyTriangles> {
    type Shared = EngineKeyword;

    const TAKES: Takes = Takes::Surface;

    fn call<O>(
        matches: &ArgMatches,
        mut subject: CallSubject,
        log: &mut dyn Log,
    ) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let keyword = EngineKeyword::from_arg_matches(matches)?;
        let (engine, home) = (subject.engine(matches, &keyword)?, subject.home());
        let mesh = subject.one()?.into_surface(log)?;
        mesh.validate()?;
        run::<O, _>(
            matches,
            (AnyTriangles(mesh), names(0, 1)),
            Some(engine),
            home.as_ref(),
            log,
        )
    }
}

impl CallForm for Tool<PolyMesh> {
    type Shared = EngineKeyword;

    const TAKES: Takes = Takes::Polygons;

    fn call<O>(
        matches: &ArgMatches,
        mut subject: CallSubject,
        log: &mut dyn Log,
    ) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let keyword = EngineKeyword::from_arg_matches(matches)?;
        let (engine, home) = (subject.engine(matches, &keyword)?, subject.home());
        let mesh = subject.one()?.into_polygons()?;
        mesh.validate()?;
        run::<O, _>(
            matches,
            (mesh, names(0, 1)),
            Some(engine),
            home.as_ref(),
            log,
        )
    }
}

impl CallForm for Tool<AnyMesh> {
    type Shared = ();

    const TAKES: Takes = Takes::Any;

    fn call<O>(
        matches: &ArgMatches,
        mut subject: CallSubject,
        log: &mut dyn Log,
    ) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let mesh = match subject.one()? {
            CallMesh::Memory(AnyMesh::Volume(mesh)) => AnyMesh::Volume(mesh),
            surface => AnyMesh::Polygons(surface.into_polygons()?),
        };
        match &mesh {
            AnyMesh::Volume(mesh) => mesh.validate()?,
            AnyMesh::Polygons(mesh) => mesh.validate()?,
            AnyMesh::Surface(mesh) => mesh.validate()?,
        }
        run::<O, _>(matches, (mesh, names(0, 1)), None, None, log)
    }
}

impl CallForm for Tool<Pair> {
    type Shared = EngineKeyword;

    const TAKES: Takes = Takes::Pair;

    fn call<O>(
        matches: &ArgMatches,
        mut subject: CallSubject,
        log: &mut dyn Log,
    ) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let keyword = EngineKeyword::from_arg_matches(matches)?;
        let (engine, home) = (subject.engine(matches, &keyword)?, subject.home());
        let Some(reference) = subject.reference.take() else {
            return Err(usage("reference: the mesh to compare with is needed"));
        };
        let pair = Pair {
            mesh: subject.one()?.into_surface(log)?,
            reference: reference.into_surface(log)?,
        };
        pair.mesh.validate()?;
        let name = |e| rxmesh::Error::from(e).within("reference");
        pair.reference.validate().map_err(name)?;
        let names = vec!["mesh".into(), "reference".into()];
        run::<O, _>(matches, (pair, names), Some(engine), home.as_ref(), log)
    }
}

impl CallForm for Tool<Vec<TriMesh>> {
    type Shared = ();

    const TAKES: Takes = Takes::List;

    fn call<O>(matches: &ArgMatches, subject: CallSubject, log: &mut dyn Log) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let home = subject.home();
        let names = names(0, subject.meshes.len());
        let mut meshes = Vec::with_capacity(names.len());
        for (mesh, name) in subject.meshes.into_iter().zip(&names) {
            let mesh = mesh.into_surface(log)?;
            let at = |e| rxmesh::Error::from(e).within(name.clone());
            mesh.validate().map_err(at)?;
            meshes.push(mesh);
        }
        run::<O, _>(matches, (meshes, names), None, home.as_ref(), log)
    }
}

impl CallForm for Tool<AnyGrid> {
    type Shared = EngineKeyword;

    const TAKES: Takes = Takes::Grid;

    fn call<O>(
        matches: &ArgMatches,
        mut subject: CallSubject,
        log: &mut dyn Log,
    ) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let keyword = EngineKeyword::from_arg_matches(matches)?;
        let Some(array) = subject.grid.take() else {
            return Err(usage("values: the values of a grid are needed"));
        };
        let engine = match &array.values {
            ArrayValues::Engine(values) => values.engine().clone(),
            ArrayValues::Memory(_) => subject.engine(matches, &keyword)?,
        };
        let input = (AnyGrid::Array(array), vec!["grid".into()]);
        run::<O, _>(matches, input, Some(engine), None, log)
    }
}
