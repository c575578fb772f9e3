//! State of a run for its page.

use crate::progress::done;
use rxmesh_host::engine::Engine;
use rxmesh_picture::{Drawable, PictureOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time after its last question in which a page counts as open.
const OPEN: Duration = Duration::from_secs(3);
/// Least time between two meshes.
const APART: Duration = Duration::from_millis(200);
/// Largest share of the run's time that copies of meshes for the page take is one in so many.
const SHARE: u32 = 20;
/// Most warnings on the page.
const MOST_WARNINGS: usize = 50;

/// Meshes that a page shows.
#[derive(Debug)]
pub(super) struct LiveFrame {
    /// Counts the meshes that were shown, from 1.
    pub(super) number: u64,
    pub(super) name: String,
    pub(super) meshes: Vec<Drawable<'static>>,
}

/// State of a run.
#[derive(Debug)]
pub(super) struct LiveState {
    command: &'static str,
    start: Instant,
    stage: Option<(&'static str, Instant)>,
    /// Stages that have ended, with their seconds.
    past: Vec<(&'static str, f64)>,
    warnings: Vec<String>,
    pub(super) engine: Option<Engine>,
    frame: Option<Arc<LiveFrame>>,
    /// Page of the last mesh that a browser asked for.
    page: Option<(u64, Arc<str>)>,
    /// Earliest time of the next mesh.
    next: Instant,
    /// Time of the last question.
    asked: Option<Instant>,
    /// Text and seconds of the end.
    end: Option<(String, f64)>,
    /// `true` if the end was told, and the number of the mesh that was fetched last.
    is_end_told: bool,
    fetched: u64,
}

impl LiveState {
    pub(super) fn new(command: &'static str) -> LiveState {
        LiveState {
            command,
            start: Instant::now(),
            stage: None,
            past: Vec::new(),
            warnings: Vec::new(),
            engine: None,
            frame: None,
            page: None,
            next: Instant::now(),
            asked: None,
            end: None,
            is_end_told: false,
            fetched: 0,
        }
    }

    pub(super) fn stage(&mut self, name: Option<&'static str>) {
        if let Some((name, since)) = self.stage.take() {
            let seconds = since.elapsed().as_secs_f64();
            match self.past.iter_mut().find(|(other, _)| *other == name) {
                Some((_, sum)) => *sum += seconds,
                None => self.past.push((name, seconds)),
            }
        }
        self.stage = name.map(|name| (name, Instant::now()));
    }

    pub(super) fn warn(&mut self, warning: &str) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(warning.to_owned());
        }
    }

    fn is_open(&self) -> bool {
        self.asked.is_some_and(|at| at.elapsed() < OPEN)
    }

    pub(super) fn can_show(&self) -> bool {
        self.frame.is_none() || self.is_open()
    }

    pub(super) fn wants_mesh(&self) -> bool {
        self.frame.is_none() || (self.is_open() && Instant::now() >= self.next)
    }

    pub(super) fn show(&mut self, name: String, meshes: Vec<Drawable<'static>>, since: Instant) {
        let number = self.frame.as_ref().map_or(0, |frame| frame.number) + 1;
        self.frame = Some(Arc::new(LiveFrame {
            number,
            name,
            meshes,
        }));
        self.next = Instant::now() + (since.elapsed() * SHARE).max(APART);
    }

    pub(super) fn end(&mut self, text: &str) {
        self.stage(None);
        self.end = Some((
            text.trim_end().to_owned(),
            self.start.elapsed().as_secs_f64(),
        ));
    }

    pub(super) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Returns `true` if a page is open that has not got the last state.
    pub(super) fn is_awaited(&self) -> bool {
        let last = self.frame.as_ref().map_or(0, |frame| frame.number);
        self.is_open() && !(self.is_end_told && self.fetched == last)
    }

    /// Returns the state for the page, which has asked for it.
    pub(super) fn told(&mut self) -> Value {
        self.asked = Some(Instant::now());
        self.is_end_told |= self.end.is_some();
        let seconds = match &self.end {
            Some((_, seconds)) => *seconds,
            None => self.start.elapsed().as_secs_f64(),
        };
        let stage = self.stage.map(|(name, since)| {
            let progress = done(self.engine.as_ref());
            json!({
                "name": name,
                "seconds": since.elapsed().as_secs_f64(),
                "progress": progress.trim_start_matches(", "),
            })
        });
        json!({
            "command": self.command,
            "seconds": seconds,
            "stage": stage,
            "past": self.past,
            "warnings": self.warnings,
            "frame": self.frame.as_ref().map(|f| json!({ "number": f.number, "name": f.name })),
            "end": self.end.as_ref().map(|(text, _)| text),
        })
    }

    /// Returns the newest meshes and their page, if that has been made.
    pub(super) fn newest(&mut self) -> Option<(Arc<LiveFrame>, Option<Arc<str>>)> {
        self.asked = Some(Instant::now());
        let frame = self.frame.clone()?;
        let made = self
            .page
            .as_ref()
            .filter(|(number, _)| *number == frame.number);
        Some((frame.clone(), made.map(|(_, page)| page.clone())))
    }

    /// Keeps the page of a mesh.
    pub(super) fn keep(&mut self, number: u64, page: &Arc<str>) {
        self.page = Some((number, page.clone()));
    }

    /// Notes that a mesh has been fetched.
    pub(super) fn fetched(&mut self, number: u64) {
        self.asked = Some(Instant::now());
        self.fetched = self.fetched.max(number);
    }
}

impl LiveFrame {
    /// Returns the page of the meshes; of those that cannot be drawn, the reason.
    pub(super) fn page(&self) -> Result<String, String> {
        rxmesh_picture::page(&self.meshes, &[], &PictureOptions::default())
            .map(|page| page.html)
            .map_err(|e| e.to_string())
    }
}
