//! Several engines that share the work on several meshes.

use crate::{Error, Mesh, Operation, Result, run};
use rxmesh_host::engine::{Engine, EngineKind};
use rxmesh_host::mesh::TriMesh;
use std::sync::{Mutex, PoisonError};

/// Threads that give work to a GPU: while one waits for results or works on the host, the other one's kernels run.
const THREADS_OF_A_GPU: usize = 2;

/// Most threads for the loops of one such thread. More of them are in each other's way: the loops are short.
const MOST_LOOP_THREADS: usize = 8;

/// Engines that share several meshes, such as all GPUs of a machine. Each takes a mesh, the largest first, whenever it
/// has finished another one. A result does not depend on the engine that computes it, so it has the same bits with any
/// number of GPUs of one kind.
///
/// ```
/// use rxmesh::{Engines, McfOptions, generate, ops};
///
/// # fn main() -> Result<(), rxmesh::Error> {
/// let meshes = vec![generate::icosphere(2)?, generate::icosphere(3)?];
/// let results = Engines::all().run::<ops::Mcf>(meshes, &McfOptions::default());
/// for result in results {
///     let (smooth, report) = result?;
///     println!("{} vertices: {report:?}", smooth.vertex_count());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Engines(Vec<Engine>);

impl Engines {
    /// Returns all GPUs that work, or the CPU if there is none.
    pub fn all() -> Engines {
        let gpus: Vec<Engine> = Engine::gpus().into_iter().flatten().collect();
        match gpus.is_empty() {
            true => Engines(vec![Engine::cpu()]),
            false => Engines(gpus),
        }
    }

    /// Returns these engines.
    ///
    /// # Errors
    ///
    /// No engine.
    pub fn new(engines: impl IntoIterator<Item = Engine>) -> Result<Engines> {
        let engines: Vec<Engine> = engines.into_iter().collect();
        match engines.is_empty() {
            true => Err(Error::Message("no engine is given".into())),
            false => Ok(Engines(engines)),
        }
    }

    /// Returns the engines.
    pub fn engines(&self) -> &[Engine] {
        &self.0
    }

    /// Runs an operation on each of several meshes. Results come in the order of the meshes; a mesh that fails has its
    /// error there and does not stop others.
    pub fn run<O>(
        &self,
        meshes: Vec<TriMesh>,
        options: &O::Options,
    ) -> Vec<Result<(Mesh, O::Report)>>
    where
        O: Operation<On: crate::Opens, Options: Clone + Sync, Report: Send>,
    {
        let size = |mesh: &TriMesh| mesh.face_count();
        self.map(meshes, size, |engine, mesh| {
            run::<O>(&Mesh::on(mesh, engine.clone()), options)
        })
    }

    /// Does work on each of several items, the largest first. Results come in the order of the items.
    ///
    /// # Panics
    ///
    /// Panics if the work does.
    pub fn map<T: Send, R: Send>(
        &self,
        items: Vec<T>,
        size: impl Fn(&T) -> usize,
        work: impl Fn(&Engine, T) -> R + Sync,
    ) -> Vec<R> {
        let mut waiting: Vec<(usize, T)> = items.into_iter().enumerate().collect();
        // Taken from the end. Of the same size, the first comes first.
        waiting.sort_by_key(|(i, item)| (size(item), usize::MAX - i));
        let threads = self.0.iter().flat_map(|engine| {
            let gpu = engine.info().engine == EngineKind::Cuda.name();
            std::iter::repeat_n(engine, if gpu { THREADS_OF_A_GPU } else { 1 })
        });
        let threads: Vec<&Engine> = threads.take(waiting.len()).collect();
        let waiting = Mutex::new(waiting);
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let loops = rayon::current_num_threads() / threads.len().max(1);
        let loops = loops.clamp(1, MOST_LOOP_THREADS);
        let is_alone = threads.len() <= 1;
        let share = |engine: &Engine| {
            let share = || {
                let taken = std::iter::from_fn(next);
                let done = taken.map(|(i, item)| (i, work(engine, item)));
                done.collect::<Vec<_>>()
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(loops);
            match is_alone {
                false => pool
                    .build()
                    .map_or_else(|_| share(), |pool| pool.install(share)),
                true => share(),
            }
        };
        let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
            let share = &share;
            let threads: Vec<_> = (threads.into_iter())
                .map(|engine| scope.spawn(move || share(engine)))
                .collect();
            let parts = threads.into_iter().map(|thread| match thread.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            parts.flatten().collect()
        });
        done.sort_by_key(|&(i, _)| i);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// Parts items, in their order, into batches of at most `most` in size, and larger items alone.
pub fn batches<T>(
    items: impl IntoIterator<Item = T>,
    most: usize,
    size: impl Fn(&T) -> usize,
) -> Vec<Vec<T>> {
    let mut batches: Vec<Vec<T>> = Vec::new();
    let mut taken: usize = 0;
    for item in items {
        taken = taken.saturating_add(size(&item));
        match batches.last_mut() {
            Some(last) if taken <= most => last.push(item),
            _ => {
                taken = size(&item);
                batches.push(vec![item]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Engines {
        Engines::new([Engine::cpu(), Engine::cpu()]).unwrap()
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..50).map(|i| i * 37 % 50).collect();
        let doubled = two().map(items.clone(), |&i| i, |_, i| 2 * i);
        assert_eq!(doubled, items.iter().map(|i| 2 * i).collect::<Vec<_>>());
        assert!(two().map(Vec::<u8>::new(), |_| 0, |_, i| i).is_empty());
    }

    #[test]
    fn large_items_come_first() {
        let order = Mutex::new(Vec::new());
        let one = Engines::new([Engine::cpu()]).unwrap();
        one.map(
            vec![2, 9, 4, 9],
            |&i| i,
            |_, i| order.lock().unwrap().push(i),
        );
        assert_eq!(*order.lock().unwrap(), [9, 9, 4, 2]);
    }

    #[test]
    fn no_engine_is_refused() {
        assert!(Engines::new([]).is_err());
        assert!(!Engines::all().engines().is_empty());
    }

    #[test]
    fn batches_keep_the_order_and_the_limit() {
        let of = |sizes: &[usize], most| batches(sizes.to_vec(), most, |&n| n);
        let none: Vec<Vec<usize>> = Vec::new();
        assert_eq!(of(&[], 5), none);
        assert_eq!(of(&[2, 3, 1, 4], 5), [vec![2, 3], vec![1, 4]]);
        assert_eq!(
            of(&[9, 1, 9, 0, 9], 5),
            [vec![9], vec![1], vec![9], vec![0], vec![9]]
        );
        assert_eq!(of(&[1, 1, 1], 1), [[1], [1], [1]]);
        assert_eq!(of(&[5, 0, 0], 5), [[5, 0, 0]]);
    }
}
