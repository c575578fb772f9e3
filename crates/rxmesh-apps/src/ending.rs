//! Abnormal ends of the program: a signal, no memory left, a bug. None leaves an unfinished file.

use crate::error;
use rxmesh_host::files;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code when the system gives no more memory.
pub(crate) const OUT_OF_MEMORY: i32 = 4;

/// Name of the current stage, for the message.
static STAGE: Mutex<&'static str> = Mutex::new("starting");

/// Sets the name of the current stage.
pub(crate) fn stage(name: &'static str) {
    *STAGE.lock().unwrap_or_else(|e| e.into_inner()) = name;
}

/// A bug of the program ends it with 1 and one message in the same form as every other, without a backtrace. Nothing is
/// unwound: release builds have no code for it.
pub(crate) fn on_bugs() {
    std::panic::set_hook(Box::new(|info| {
        let what = info.to_string().replace('\n', " ");
        error::print(&format!(
            "this is a bug in rxmesh, please report it: {what}"
        ));
        files::abandon();
        exit(1);
    }));
}

/// Interrupts, a terminal that closes and limits of the system end the program with 128 and the signal's number (130,
/// 143), as in shells, and leave no partial file. A signal that the program inherits as ignored (`nohup`) stays
/// ignored.
#[cfg(unix)]
pub(crate) fn on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    let ignored = ignored_signals();
    let mut taken = vec![SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ];
    taken.retain(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = signal_hook::iterator::Signals::new(&taken) else {
        return;
    };
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            files::abandon();
            exit(128 + signal);
        }
    };
    // Without a thread for it the signals' usual action would be lost, so it is given back.
    if std::thread::Builder::new().spawn(wait).is_err() {
        for signal in taken {
            let _ = signal_hook::flag::register_conditional_default(
                signal,
                std::sync::Arc::new(AtomicBool::new(true)),
            );
        }
    }
}

/// Returns the signals that are ignored, a bit for each from signal 1 on; none where the system does not tell.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    let bits = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    bits.unwrap_or(0)
}

#[cfg(not(unix))]
pub(crate) fn on_signals() {}

/// The system's allocator; a request that it refuses ends the program with a message and [`OUT_OF_MEMORY`].
pub(crate) struct OrEnd;

// SAFETY: U7 of docs/inside/unsafe.md: every call goes to `System` as it is, and what comes back is passed on.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: U7: the caller's promises are those that `System` requires.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: U7: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: U7: as above.
        unsafe { System.dealloc(p, layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: U7: as above.
        given(unsafe { System.realloc(p, layout, size) }, size)
    }
}

#[inline]
fn given(p: *mut u8, bytes: usize) -> *mut u8 {
    if p.is_null() && bytes > 0 {
        out_of_memory(bytes);
    }
    p
}

/// Prints the message and ends the process, without allocating.
#[cold]
fn out_of_memory(bytes: usize) {
    thread_local! {
        static HERE: Cell<bool> = const { Cell::new(false) };
    }
    static ENDING: AtomicBool = AtomicBool::new(false);
    if HERE.replace(true) {
        // The calls below allocate, and an allocation has failed again.
        exit(OUT_OF_MEMORY);
    }
    if ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is ending the process, and this one with it.
        std::thread::sleep(Duration::from_secs(10));
        exit(OUT_OF_MEMORY);
    }
    let stage = STAGE.try_lock().map_or("working", |s| *s);
    // In one piece: stderr is unbuffered.
    let mut line = [0u8; 200];
    let room = line.len();
    let mut rest = &mut line[..];
    let _ = writeln!(
        rest,
        "error: out of memory while {stage}: the system refused {bytes} bytes more"
    );
    let written = room - rest.len();
    let _ = std::io::stderr().write_all(&line[..written]);
    files::abandon();
    exit(OUT_OF_MEMORY);
}

/// Ends at once: other threads may hold locks that an orderly end would wait for.
#[cfg(unix)]
fn exit(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

#[cfg(not(unix))]
fn exit(code: i32) -> ! {
    std::process::exit(code)
}
