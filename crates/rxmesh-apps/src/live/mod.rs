//! `--live`: a page of a run under way, served to browsers on this machine.
//!
//! The run writes what it does into [`LiveState`]; threads of the server read it there, and make the page of a mesh
//! when a browser asks for it. The run never waits for them, but for a moment at its end, so that a page that is open
//! gets the last state.

mod http;
mod state;

use anyhow::{Context, Result};
use http::{LiveServer, LiveShared};
use rxmesh_host::engine::Engine;
use rxmesh_picture::Drawable;
use state::LiveState;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest time that the end of a run waits for a page that is open.
const LAST_LOOK: Duration = Duration::from_secs(3);

/// Page of a run.
#[derive(Debug)]
pub(crate) struct LivePage {
    shared: Arc<LiveShared>,
    server: LiveServer,
    address: SocketAddr,
}

impl LivePage {
    /// Starts the server on a port of the loopback device; 0 is any that is free.
    pub(crate) fn start(port: u16, command: &'static str) -> Result<LivePage> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("--live: port {port} of 127.0.0.1 cannot be opened"))?;
        let address = listener.local_addr().context("--live")?;
        let shared = Arc::new(LiveShared::new(address.port(), LiveState::new(command)));
        let server = LiveServer::start(listener, &shared).context("--live")?;
        Ok(LivePage {
            shared,
            server,
            address,
        })
    }

    /// Returns the address of the page.
    pub(crate) fn address(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Sets the engine whose progress is shown.
    pub(crate) fn watch(&self, engine: &Engine) {
        self.state().engine = Some(engine.clone());
    }

    /// Begins a stage, or ends the current one.
    pub(crate) fn stage(&self, name: Option<&'static str>) {
        self.state().stage(name);
    }

    /// Adds a warning.
    pub(crate) fn warn(&self, warning: &str) {
        self.state().warn(warning);
    }

    /// Returns `true` if it is time to show another mesh: a page is open, and meshes so far took a small part of the
    /// run's time.
    pub(crate) fn wants_mesh(&self) -> bool {
        self.state().wants_mesh()
    }

    /// Returns `true` if a mesh would be seen: a page is open, or no mesh is there for one that will be.
    pub(crate) fn can_show(&self) -> bool {
        self.state().can_show()
    }

    /// Shows meshes, which were copied since `since`. A mesh that cannot be drawn is left out.
    pub(crate) fn show(&self, name: String, meshes: Vec<Drawable<'static>>, since: Instant) {
        self.state().show(name, meshes, since);
    }

    /// Ends the page with a text: waits a moment for a browser that shows it to get the last state.
    pub(crate) fn end(&self, text: &str) {
        self.state().end(text);
        let start = Instant::now();
        while start.elapsed() < LAST_LOOK && self.state().is_awaited() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn state(&self) -> MutexGuard<'_, LiveState> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LivePage {
    fn drop(&mut self) {
        if !self.state().is_over() {
            self.end("ended with an error");
        }
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.server.stop(self.address);
    }
}
