//! Applications that inspect meshes or convert them from one file to another.

use super::Frame;
use crate::Outcome;
use crate::app::{Application, Message};
use crate::cli::CommonArgs;
use crate::run::Run;
use anyhow::Result;

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
        let Message { lines, outcome, .. } = self.run.tell::<A>(options, report);
        self.run.finish(&lines)?;
        Ok(outcome)
    }
}
