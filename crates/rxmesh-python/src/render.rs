//! `render`: pictures of meshes in memory.

use crate::forms::{Answer, CallMesh, CallSubject, Failure, Finished, Takes, usage};
use crate::functions::{OperationFunction, keyword_command};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use rxmesh::host::io::Model;
use rxmesh::on::AnyMesh;
use rxmesh::{Error, Group, Log, OutputKind, Stage, stage};
use rxmesh_picture::{Drawable, EncodedPicture, PictureArgs, PictureError};

/// The function, which is no operation: it gives a picture.
pub const RENDER: OperationFunction = OperationFunction {
    name: "render",
    group: Group::Files,
    summary: "Draw a mesh into a picture, or several beside each other",
    help: "

The picture is the same on every machine: no GPU or display is used. Polygons are drawn with their own
edges, a volume as its boundary, a mesh without faces as points. docs/use/pictures.md shows the options.",
    takes: Takes::Any,
    several: true,
    output: OutputKind::Mesh,
    command,
    call,
};

fn command() -> Command {
    PictureArgs::augment_args(keyword_command(RENDER.name)).about(RENDER.summary)
}

fn call(_: &ArgMatches, _: CallSubject, _: &mut dyn Log) -> Answer<Finished> {
    Err(usage("render gives a picture and no mesh"))
}

/// Draws meshes.
///
/// # Errors
///
/// Options out of range, and meshes that are not sound.
pub fn draw(
    matches: &ArgMatches,
    subject: CallSubject,
    log: &mut dyn Log,
) -> Answer<EncodedPicture> {
    let args = PictureArgs::from_arg_matches(matches)?;
    args.check().map_err(failure)?;
    let mut meshes = Vec::with_capacity(subject.meshes.len());
    for (number, mesh) in subject.meshes.iter().enumerate() {
        let name = format!("mesh {number}");
        let drawable = match mesh {
            CallMesh::Memory(mesh) => {
                check(mesh)?;
                Drawable::new(Model::from(mesh), args.cut(), name)
            }
            CallMesh::Resident(mesh) => {
                let host = mesh.to_host()?;
                host.validate()?;
                Drawable::new(host.into(), args.cut(), name)
            }
        };
        meshes.push(drawable.map_err(failure)?);
    }
    let drawn = stage(log, Stage::Work("drawing"), || Ok(args.draw(&meshes)))?;
    let picture = drawn.map_err(failure)?;
    picture.warnings.iter().for_each(|w| log.warn(w.clone()));
    Ok(picture)
}

fn check(mesh: &AnyMesh) -> Answer<()> {
    match mesh {
        AnyMesh::Surface(mesh) => mesh.validate()?,
        AnyMesh::Polygons(mesh) => mesh.validate()?,
        AnyMesh::Volume(mesh) => mesh.validate()?,
    }
    Ok(())
}

fn failure(e: PictureError) -> Failure {
    Failure::Work(match e {
        PictureError::Mesh(e) => e.into(),
        e => Error::Message(e.to_string()),
    })
}
