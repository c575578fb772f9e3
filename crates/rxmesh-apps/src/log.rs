//! The log that operations write to: stages and warnings of a run.

use crate::run::Run;
use rxmesh::{Log, Stage};

impl Log for Run {
    fn begin(&mut self, stage: Stage) {
        self.progress.stage(Some(stage.name()));
        crate::ending::stage(stage.name());
    }

    fn end(&mut self, stage: Stage, milliseconds: f64) {
        self.progress.stage(None);
        let timings = &mut self.record.timings_ms;
        let of = match stage {
            Stage::Patches | Stage::Prepare => &mut timings.patch,
            Stage::Upload => &mut timings.upload,
            Stage::Work(_) => &mut timings.run,
            Stage::Download => &mut timings.download,
            Stage::Aside(_) => return,
        };
        *of = Some(milliseconds);
    }

    fn failed(&mut self, _stage: Stage) {
        self.progress.stage(None);
    }

    fn warn(&mut self, warning: String) {
        Run::warn(self, warning);
    }

    fn mesh_name(&self) -> Option<String> {
        self.record.input.as_ref().map(|input| input.path.clone())
    }
}
