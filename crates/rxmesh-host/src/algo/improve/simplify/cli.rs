//! The flags of a target.
#![cfg(feature = "cli")]

use super::Target;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Id};

#[derive(Args)]
#[group(multiple = false)]
struct TargetFlags {
    /// Stop at this number of faces.
    #[arg(long, value_name = "N")]
    faces: Option<u32>,
    /// Stop at this part of the faces, above 0 and at most 1.
    #[arg(long, value_name = "R")]
    ratio: Option<f64>,
}

impl Args for Target {
    fn augment_args(command: Command) -> Command {
        TargetFlags::augment_args(command)
    }

    fn group_id() -> Option<Id> {
        TargetFlags::group_id()
    }

    fn augment_args_for_update(command: Command) -> Command {
        TargetFlags::augment_args_for_update(command)
    }
}

impl FromArgMatches for Target {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Target, Error> {
        let flags = TargetFlags::from_arg_matches(matches)?;
        let ratio = flags.ratio.map(Target::Ratio);
        let target = flags.faces.map(Target::Faces).or(ratio);
        target.ok_or_else(|| Error::new(clap::error::ErrorKind::MissingRequiredArgument))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Target::from_arg_matches(matches)?;
        Ok(())
    }
}
