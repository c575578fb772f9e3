//! The list of functions: one for each operation of the one list.

use crate::forms::{Answer, CallForm, CallSubject, Finished, Takes};
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use rxmesh::on::MakesScene;
use rxmesh::{Group, Log, Operation, OutputKind, ops};
use std::collections::BTreeSet;

/// Operation as a function.
#[derive(Clone, Copy, Debug)]
pub struct OperationFunction {
    /// Name.
    pub name: &'static str,
    /// Group of the operation.
    pub group: Group,
    /// Line that begins with a verb.
    pub summary: &'static str,
    /// Help of the command: examples, then text.
    pub help: &'static str,
    /// Positional arguments.
    pub takes: Takes,
    /// `true` if it takes a list of meshes.
    pub several: bool,
    /// Place of the result.
    pub output: OutputKind,
    /// Keyword arguments, as a command line.
    pub command: fn() -> Command,
    /// Runs the operation.
    pub call: fn(&ArgMatches, CallSubject, &mut dyn Log) -> Answer<Finished>,
}

impl OperationFunction {
    const fn of<O>() -> OperationFunction
    where
        O: Operation<On: CallForm, Options: Args>,
    {
        OperationFunction {
            name: O::NAME,
            group: O::GROUP,
            summary: O::SUMMARY,
            help: O::HELP,
            takes: <O::On as CallForm>::TAKES,
            several: O::SEVERAL,
            output: O::OUTPUT,
            command: command::<O>,
            call: <O::On as CallForm>::call::<O>,
        }
    }

    const fn of_body<O>() -> OperationFunction
    where
        O: MakesScene<Options: Args>,
    {
        OperationFunction {
            takes: if O::VOLUME {
                Takes::Volume
            } else {
                Takes::Surface
            },
            ..OperationFunction::of::<O>()
        }
    }
}

/// Returns a command line without keyword arguments.
pub fn keyword_command(name: &'static str) -> Command {
    // Options that go with a file of the result always have one here.
    let output = Arg::new("output").long("output").hide(true);
    Command::new(name)
        .no_binary_name(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(output.action(ArgAction::Set))
}

/// Returns the keyword arguments of an operation as a command line.
fn command<O>() -> Command
where
    O: Operation<On: CallForm, Options: Args>,
{
    let own = O::Options::augment_args(keyword_command(O::NAME));
    let hidden = own.get_arguments().map(|a| a.get_id().to_string());
    let own_ids: BTreeSet<String> = hidden.collect();
    let command = <<O::On as CallForm>::Shared as Args>::augment_args(own);
    let command = command.about(O::SUMMARY).long_about(None);
    command.mut_args(|arg| {
        let takes_a_value = arg.get_action().takes_values();
        let arg = arg.allow_negative_numbers(takes_a_value);
        match arg.get_id().as_str() {
            // A scheduler without a choice is no argument, and borders that stay as they are need no weight.
            "conflicts" if O::CLAIMS_ONLY.is_some() => arg.hide(true),
            "group_weight" if own_ids.contains("group_weight") => arg.conflicts_with("keep_groups"),
            _ => arg,
        }
    })
}

macro_rules! functions {
    (
        Vertices { $($vertices:ident in $v:ident),* $(,)? }
        Connectivity { $($connectivity:ident in $c:ident),* $(,)? }
        Scene { $($scene:ident in $s:ident),* $(,)? }
        Body { $($body:ident in $b:ident),* $(,)? }
        Tool { $($tool:ident in $t:ident),* $(,)? }
    ) => {
        /// Every function, in the order of the list of operations.
        pub const ALL: &[OperationFunction] = &[
            $(OperationFunction::of::<ops::$vertices>(),)*
            $(OperationFunction::of::<ops::$connectivity>(),)*
            $(OperationFunction::of::<ops::$scene>(),)*
            $(OperationFunction::of_body::<ops::$body>(),)*
            $(OperationFunction::of::<ops::$tool>(),)*
        ];
    };
}
rxmesh::for_each_operation!(functions);
