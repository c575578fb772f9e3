//! `components`: connected components.

use crate::error::ensure;
use crate::on::Vertices;
use crate::{Group, Log, Message, Operation, OutputKind, Result, text};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::components::{ComponentSize, ComponentsOptions, components, sizes};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind};
use rxmesh_host::units;
use rxmesh_host::units::InUnits;
use serde::Serialize;

/// Most components of a list.
const LISTED: usize = 10;

/// Finds connected components, and keeps the large ones.
#[derive(Clone, Copy, Debug)]
pub struct Components;

/// Options of [`Components`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ComponentsArgs {
    /// Components to keep.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub which: ComponentsOptions,
    /// Write each face's component as the column 'component' (in PLY, for example)
    #[cfg_attr(feature = "cli", arg(long))]
    pub labels: bool,
}

units!(ComponentsArgs {});

impl Options for ComponentsArgs {
    fn check(&self) -> std::result::Result<(), Error> {
        self.which.check()
    }
}

/// Report of [`Components`].
#[derive(Debug, Serialize)]
pub struct ComponentsOpReport {
    /// Components of the input.
    pub components: u32,
    /// Components that are kept.
    pub kept: u32,
    /// The components with the most faces.
    pub listed: Vec<ComponentSize>,
    /// Faces of the input that are not in the result.
    pub faces_left_out: u64,
    /// Vertices of the input that are not in the result.
    pub vertices_left_out: u64,
}

units!(ComponentsOpReport { listed });

impl Operation for Components {
    const NAME: &'static str = "components";
    const GROUP: Group = Group::Measure;
    const SUMMARY: &'static str = "Find connected components, and keep the large ones";
    const HELP: &'static str = "Examples: rxmesh components ant.ply --largest -o body.ply
          rxmesh components teapot.obj --min-faces 20 --labels -o parts.ply

Components are numbered from 0 in the order of their first faces in the file. Kept components keep
all their data and their order. Isolated vertices are in no component, and are removed when any
component is.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("components", "number of components of the input"),
        ("kept", "number of kept components"),
        (
            "listed",
            "the ten components with the most faces, as `label`, `faces`, `vertices`, `area`",
        ),
        ("faces_left_out", "faces of the input that are not written"),
        (
            "vertices_left_out",
            "vertices of the input that are not written",
        ),
    ];

    type Options = ComponentsArgs;
    type Report = ComponentsOpReport;
    type On = Vertices;

    fn output(args: &ComponentsArgs) -> OutputKind {
        match args.labels {
            true => OutputKind::Columns("labels of faces"),
            false => OutputKind::Mesh,
        }
    }

    fn run(
        on: &mut Vertices,
        args: &ComponentsArgs,
        log: &mut dyn Log,
    ) -> Result<ComponentsOpReport> {
        let mut found = on.compute(log, "finding components", |rx, _| {
            Ok(components(rx, args.which.through)?)
        })?;
        let labels = on.download(log, &mut found.label)?;
        let unit = on.unit();
        let mesh = on.mesh_mut(log)?;
        let mut sizes = sizes(&mesh.faces, &mesh.positions, &labels, found.count);
        if args.labels {
            mesh.add_column(Column {
                name: "component".into(),
                element: ElementKind::Face,
                width: 1,
                data: ColumnData::U32(labels.clone()),
            })?;
        }
        let (faces, vertices) = (mesh.face_count(), mesh.vertex_count());
        let kept = args.which.kept(&sizes);
        if kept.contains(&false) {
            ensure!(
                kept.contains(&true),
                "no component has {} faces, so that nothing would be left",
                args.which.min_faces
            );
            let keep: Vec<bool> = labels.iter().map(|&label| kept[label as usize]).collect();
            *mesh = mesh.with_faces(&keep);
        }
        sizes.scale(mesh.placement.scale / unit);
        sizes.sort_by_key(|size| std::cmp::Reverse(size.faces));
        sizes.truncate(LISTED);
        Ok(ComponentsOpReport {
            components: found.count,
            kept: kept.iter().filter(|&&kept| kept).count() as u32,
            listed: sizes,
            faces_left_out: (faces - mesh.face_count()) as u64,
            vertices_left_out: (vertices - mesh.vertex_count()) as u64,
        })
    }

    fn describe(report: &ComponentsOpReport, _args: &ComponentsArgs) -> Message {
        let mut lines = format!(
            "components: {} found, {} kept",
            report.components, report.kept
        );
        for size in &report.listed {
            lines += &format!(
                "\ncomponent {}: {} faces, {} vertices, area {}",
                size.label,
                size.faces,
                size.vertices,
                text::number(size.area)
            );
        }
        let rest = report.components as usize - report.listed.len();
        if rest > 0 {
            lines += &format!("\nand {rest} more");
        }
        if report.faces_left_out > 0 {
            lines += &format!(
                "\nleft out: {} faces, {} vertices",
                report.faces_left_out, report.vertices_left_out
            );
        }
        Message::new(lines)
    }
}
