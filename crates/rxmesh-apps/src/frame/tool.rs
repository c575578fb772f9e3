//! Commands that look at meshes or bring them from one file to another: operations on meshes as they are in files, and
//! commands on files.

use super::Frame;
use crate::Outcome;
use crate::app::{Application, Message};
use crate::cli::{CommonArgs, EncodingArgs, EngineArgs, InputArgs, OUTPUT, TriangulateArgs};
use crate::grids::{GRID_OUTPUT, GridTarget};
use crate::input::{self, Input};
use crate::output::{OutputKind, OutputTarget};
use crate::record::{Record, keys, shown};
use crate::run::Run;
use crate::text;
use anyhow::Result;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint, value_parser};
use rxmesh::on::{self, AnyMesh, AnyTriangles, Pair};
use rxmesh::{Operation, WritesFile};
use rxmesh_host::algo::Options;
use rxmesh_host::io::Format;
use rxmesh_host::mesh::{PolyMesh, TriMesh};
use rxmesh_host::units::{FieldUnit, InUnits};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// The frame of these applications: only a run.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) run: Run,
}

impl Frame for Tool {
    #[cfg(test)]
    const KIND: &'static str = "tools";

    type Flags = CommonArgs;

    fn open<A: Application<Frame = Tool>>(
        flags: CommonArgs,
        _options: &A::Options,
    ) -> Result<Tool> {
        Ok(Tool {
            run: Run::new(A::NAME, &flags)?,
        })
    }

    fn close<A: Application<Frame = Tool>>(
        mut self,
        options: &A::Options,
        report: &A::Report,
    ) -> Result<Outcome> {
        self.run.record.put(options, report)?;
        let Message { lines, outcome, .. } = self.run.describe::<A>(options, report);
        self.run.finish(&lines)?;
        Ok(outcome)
    }
}

/// Operation on meshes as they are in files, as a command.
pub(crate) struct OnTool<O>(PhantomData<O>);

impl<O, I> Application for OnTool<O>
where
    O: Operation<On = on::Tool<I>, Options: Args>,
    I: Reads,
{
    const NAME: &'static str = O::NAME;
    const GROUP: Option<&'static str> = Some(O::GROUP.name());
    const SUMMARY: &'static str = O::SUMMARY;
    const HELP: &'static str = O::HELP;
    const OUTPUT: OutputKind = O::OUTPUT;
    type Options = ToolArgs<O, I>;
    type Report = O::Report;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &ToolArgs<O, I>) -> Result<O::Report> {
        let target = args.target(run)?;
        if let Some(target) = &target {
            run.leads_to(target);
        }
        let grid_target = args.grid_target(run)?;
        let (input, names) = I::read(&args.input, run)?;
        let mut on = on::Tool::new(input, names);
        if let Some(engine) = &args.engine {
            on.set_engine(run.engine(engine.engine)?);
        }
        let report = O::run(&mut on, &args.options, run)?;
        if let Some(record) = &mut run.record.input {
            let [edges, faces] = on.counted;
            record.edges = edges.or(record.edges);
            record.faces = faces.or(record.faces);
        }
        if let (Some(target), Some(result)) = (target, &on.result) {
            run.write(&target, result)?;
            if on.copies > 0 && Format::of_name(&target.path) == Some(Format::Stl) {
                run.warn(format!(
                    "{}: STL names no vertices, so whoever reads it unites the copies again that were made of vertices",
                    target.path.display()
                ));
            }
        }
        if let (Some(target), Some(grid)) = (grid_target, &on.grid) {
            run.write_grid(&target, grid)?;
        }
        Ok(report)
    }

    fn describe(report: &O::Report, args: &ToolArgs<O, I>, record: &Record) -> Message {
        let mut message = O::describe(report, &args.options);
        let engine = text::engine(record);
        let mut lines = I::heading(record) + &message.head + &engine + &message.lines;
        if message.timed {
            let ms = record.timings_ms.run.unwrap_or(0.0);
            lines += &format!(", {}\n", text::duration(ms));
        }
        message.lines = lines + &text::output(record);
        if let (Outcome::Refused(why), Some(input)) = (&mut message.outcome, &record.input) {
            *why = format!("{}: {why}", text::named(&input.path, "stdin"));
        }
        message
    }
}

/// Flags of an operation on meshes as they are in files.
pub(crate) struct ToolArgs<O: Operation, I: Reads> {
    input: I::Args,
    output: Option<PathBuf>,
    options: O::Options,
    encoding: EncodingArgs,
    engine: Option<EngineArgs>,
}

impl<O: Operation, I: Reads> ToolArgs<O, I> {
    /// Returns the file of the result, if there is one. Refuses one that could not be written.
    fn target(&self, run: &Run) -> Result<Option<OutputTarget>> {
        if O::OUTPUT == OutputKind::Grid {
            return Ok(None);
        }
        let (record, output) = (run.console.json_file(), self.output.as_deref());
        let target = match (O::WRITES, output) {
            (WritesFile::Never, _) | (WritesFile::IfAsked(_) | WritesFile::Named, None) => {
                return Ok(None);
            }
            (WritesFile::Default, output) => {
                let files = (I::first(&self.input), output);
                OutputTarget::for_input(O::NAME, files, &self.encoding, O::OUTPUT, record)?
            }
            (WritesFile::IfAsked(_) | WritesFile::Named, Some(output)) => {
                if O::OUTPUT != OutputKind::Mesh {
                    let format = self.encoding.format.or_else(|| Format::of_name(output));
                    crate::output::fits(O::NAME, O::OUTPUT, format, Some(output))?;
                }
                OutputTarget::new(output, &self.encoding, record)?
            }
        };
        Ok(Some(target))
    }

    /// Returns the file of a result that is a grid.
    fn grid_target(&self, run: &Run) -> Result<Option<GridTarget>> {
        if O::OUTPUT != OutputKind::Grid {
            return Ok(None);
        }
        let files = (I::first(&self.input), self.output.as_deref());
        let record = run.console.json_file();
        GridTarget::for_input(O::NAME, files, self.encoding.ascii, record).map(Some)
    }
}

impl<O: Operation, I: Reads> Clone for ToolArgs<O, I> {
    fn clone(&self) -> Self {
        ToolArgs {
            input: self.input.clone(),
            output: self.output.clone(),
            options: self.options.clone(),
            encoding: self.encoding.clone(),
            engine: self.engine.clone(),
        }
    }
}

impl<O: Operation, I: Reads> InUnits for ToolArgs<O, I> {
    const UNITS: &'static [FieldUnit] = O::Options::UNITS;

    fn scale(&mut self, factor: f64) {
        self.options.scale(factor);
    }
}

impl<O: Operation, I: Reads> Options for ToolArgs<O, I> {
    fn check(&self) -> Result<(), rxmesh_host::Error> {
        self.options.check()
    }
}

impl<O: Operation, I: Reads> Serialize for ToolArgs<O, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = I::keys(&self.input);
        all.extend(keys(&self.options).map_err(S::Error::custom)?);
        all.serialize(serializer)
    }
}

impl<O: Operation<Options: Args>, I: Reads> Args for ToolArgs<O, I> {
    fn augment_args(command: Command) -> Command {
        let command = I::Args::augment_args(command);
        let output = Arg::new("output")
            .short('o')
            .long("output")
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf));
        let command = match O::WRITES {
            WritesFile::Never => command,
            WritesFile::IfAsked(help) => command.arg(output.help(help)),
            WritesFile::Named => {
                let help = "Output file, or '-' for stdout; the extension gives the format";
                command.arg(output.required(true).help(help))
            }
            WritesFile::Default if O::OUTPUT == OutputKind::Grid => {
                command.arg(output.help(GRID_OUTPUT))
            }
            WritesFile::Default => command.arg(output.help(OUTPUT)),
        };
        let command = O::Options::augment_args(command);
        let command = match O::WRITES {
            WritesFile::Never => command,
            _ if O::OUTPUT == OutputKind::Grid => {
                let ascii = Arg::new("ascii").long("ascii").action(ArgAction::SetTrue);
                command.arg(ascii.help("Write vti and nrrd as text instead of binary"))
            }
            _ => EncodingArgs::augment_args(command),
        };
        if I::ENGINE {
            EngineArgs::augment_args(command)
        } else {
            command
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<O: Operation<Options: Args>, I: Reads> FromArgMatches for ToolArgs<O, I> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let engine = I::ENGINE.then(|| EngineArgs::from_arg_matches(matches));
        let (output, encoding) = match O::WRITES {
            WritesFile::Never => (None, EncodingArgs::default()),
            _ if O::OUTPUT == OutputKind::Grid => (
                matches.get_one::<PathBuf>("output").cloned(),
                EncodingArgs {
                    ascii: matches.get_flag("ascii"),
                    ..EncodingArgs::default()
                },
            ),
            _ => (
                matches.get_one::<PathBuf>("output").cloned(),
                EncodingArgs::from_arg_matches(matches)?,
            ),
        };
        Ok(ToolArgs {
            input: I::Args::from_arg_matches(matches)?,
            output,
            options: O::Options::from_arg_matches(matches)?,
            encoding,
            engine: engine.transpose()?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Input of an operation that is read from files.
pub(crate) trait Reads: Sized {
    /// Flags of the files.
    type Args: Args + Clone;

    /// `true` if operations on it need an engine.
    const ENGINE: bool = false;

    /// Returns the file after which a result is named.
    fn first(args: &Self::Args) -> &Path;

    /// Reads the input. Returns it with the names of its meshes.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    fn read(args: &Self::Args, run: &mut Run) -> Result<(Self, Vec<String>)>;

    /// Returns the flags that are keys of the record.
    fn keys(_args: &Self::Args) -> Map<String, Value> {
        Map::new()
    }

    /// Describes the input in lines.
    fn heading(record: &Record) -> String {
        text::input(record)
    }
}

/// Returns the name of a mesh that was read, for messages.
fn name_of<M>(input: &Input<M>) -> String {
    text::named(&shown(&input.path), "stdin").to_owned()
}

impl Reads for TriMesh {
    type Args = InputArgs;

    fn first(args: &InputArgs) -> &Path {
        &args.mesh
    }

    fn read(args: &InputArgs, run: &mut Run) -> Result<(TriMesh, Vec<String>)> {
        let input = run.read(&args.mesh, args.triangulate.triangulate)?;
        let name = name_of(&input);
        Ok((input.loaded.mesh, vec![name]))
    }
}

impl Reads for AnyTriangles {
    type Args = InputArgs;

    const ENGINE: bool = true;

    fn first(args: &InputArgs) -> &Path {
        &args.mesh
    }

    fn read(args: &InputArgs, run: &mut Run) -> Result<(AnyTriangles, Vec<String>)> {
        let (mesh, names) = TriMesh::read(args, run)?;
        Ok((AnyTriangles(mesh), names))
    }
}

impl Reads for PolyMesh {
    type Args = InputArgs;

    const ENGINE: bool = true;

    fn first(args: &InputArgs) -> &Path {
        &args.mesh
    }

    fn read(args: &InputArgs, run: &mut Run) -> Result<(PolyMesh, Vec<String>)> {
        let input = run.read_poly(&args.mesh, !args.triangulate.triangulate)?;
        let name = name_of(&input);
        Ok((input.loaded.mesh, vec![name]))
    }
}

/// Flags of a mesh of any kind.
#[derive(Clone, Debug, Args)]
pub(crate) struct AnyArgs {
    /// The mesh, or '-' for stdin
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath)]
    mesh: PathBuf,
    /// Cut polygons into triangles, and check these
    #[arg(long, alias = "triangulate")]
    triangles: bool,
}

impl Reads for AnyMesh {
    type Args = AnyArgs;

    fn first(args: &AnyArgs) -> &Path {
        &args.mesh
    }

    fn read(args: &AnyArgs, run: &mut Run) -> Result<(AnyMesh, Vec<String>)> {
        let mesh = if input::is_volume(&args.mesh) {
            AnyMesh::Volume(run.read_tets(&args.mesh)?.loaded.mesh)
        } else if args.triangles {
            AnyMesh::Surface(run.read(&args.mesh, true)?.loaded.mesh)
        } else {
            AnyMesh::Polygons(run.read_poly(&args.mesh, false)?.loaded.mesh)
        };
        let record = run.record.input.as_ref();
        let name = record.map_or(String::new(), |i| i.path.clone());
        Ok((mesh, vec![name]))
    }

    fn keys(args: &AnyArgs) -> Map<String, Value> {
        Map::from_iter([("triangles".to_owned(), Value::from(args.triangles))])
    }

    fn heading(record: &Record) -> String {
        text::input_name(record)
    }
}

/// Flags of a mesh and the one that it is compared with.
#[derive(Clone, Debug, Args)]
pub(crate) struct PairArgs {
    /// The measured mesh
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath)]
    mesh: PathBuf,
    /// The reference mesh; percentages refer to the diagonal of its bounding box
    #[arg(value_name = "REFERENCE", value_hint = ValueHint::FilePath)]
    reference: PathBuf,
    #[command(flatten)]
    triangulate: TriangulateArgs,
}

impl Reads for Pair {
    type Args = PairArgs;

    const ENGINE: bool = true;

    fn first(args: &PairArgs) -> &Path {
        &args.mesh
    }

    fn read(args: &PairArgs, run: &mut Run) -> Result<(Pair, Vec<String>)> {
        // The mesh is read last: it is the record's input.
        let reference = run.read(&args.reference, args.triangulate.triangulate)?;
        let mesh = run.read(&args.mesh, args.triangulate.triangulate)?;
        let names = vec![shown(&mesh.path), shown(&reference.path)];
        let pair = Pair {
            mesh: mesh.loaded.mesh,
            reference: reference.loaded.mesh,
        };
        Ok((pair, names))
    }
}

/// Flags of two meshes or more.
#[derive(Clone, Debug, Args)]
pub(crate) struct ManyArgs {
    /// The meshes, in the order in which they come
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath, required = true, num_args = 2..)]
    meshes: Vec<PathBuf>,
    #[command(flatten)]
    triangulate: TriangulateArgs,
}

impl Reads for Vec<TriMesh> {
    type Args = ManyArgs;

    fn first(args: &ManyArgs) -> &Path {
        args.meshes.first().map_or(Path::new(""), |mesh| mesh)
    }

    fn read(args: &ManyArgs, run: &mut Run) -> Result<(Vec<TriMesh>, Vec<String>)> {
        let (mut meshes, mut names) = (Vec::new(), Vec::new());
        for name in &args.meshes {
            let input = run.read(name, args.triangulate.triangulate)?;
            names.push(shown(&input.path));
            meshes.push(input.loaded.mesh);
        }
        Ok((meshes, names))
    }

    fn heading(_record: &Record) -> String {
        String::new()
    }
}
