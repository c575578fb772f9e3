//! `convert`: from one format to another.

use super::text;
use crate::cli::ConvertArgs;
use crate::output::Target;
use crate::run::Run;
use anyhow::Result;

pub(super) fn run(args: &ConvertArgs) -> Result<()> {
    let mut run = Run::new("convert", &args.common)?;
    let target = Target::new(&args.output.output, &args.encoding, run.console.json_file())?;
    let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
    run.write(&target, &input.loaded.mesh)?;
    let out = text::input(&run.record) + &text::output(&run.record);
    run.finish(&out)
}
