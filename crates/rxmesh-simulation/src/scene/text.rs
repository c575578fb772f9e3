//! Scenes as text.

use super::{BodySpec, ColliderSpec, Pins, Scene, Time};
use serde::Serialize;
use toml::{Table, Value};

impl Scene {
    /// Returns the text of a scene's file: keys that have their default are left out. [`Scene::parse`] makes the same
    /// scene of it, but for meshes that were read already.
    ///
    /// # Errors
    ///
    /// A path that is no text.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        let mut scene = table(self)?;
        let mut usual = table(&Scene::new(Time {
            step: 0.0,
            steps: 0,
        }))?;
        usual.remove("time");
        let body = table(&BodySpec::new(""))?;
        let (collider, pins) = (table(&ColliderSpec::default())?, table(&Pins::default())?);
        for body_table in tables(&mut scene, "body") {
            tables(body_table, "pins").for_each(|t| prune(t, &pins));
            prune(body_table, &body);
        }
        tables(&mut scene, "collider").for_each(|t| prune(t, &collider));
        prune(&mut scene, &usual);
        toml::to_string(&scene)
    }
}

/// Returns the keys of a value. Numbers have the digits that tell them apart in their own type.
fn table(of: &impl Serialize) -> Result<Table, toml::ser::Error> {
    let text = toml::to_string(of)?;
    text.parse().map_err(serde::ser::Error::custom)
}

/// Returns the tables of an array.
fn tables<'a>(of: &'a mut Table, key: &str) -> impl Iterator<Item = &'a mut Table> {
    let all = of.get_mut(key).and_then(Value::as_array_mut);
    all.into_iter().flatten().filter_map(Value::as_table_mut)
}

/// Removes the keys that have the same value in `usual`.
fn prune(table: &mut Table, usual: &Table) {
    table.retain(|key, value| usual.get(key) != Some(value));
    for (key, value) in table {
        if let (Value::Table(inner), Some(Value::Table(usual))) = (value, usual.get(key)) {
            prune(inner, usual);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SolverSpec;
    use crate::solve::ImplicitOptions;
    use std::path::Path;

    #[test]
    fn text_is_the_scene() {
        let mut body = BodySpec::new("a");
        body.mesh = Some("a \"file\".msh".into());
        body.material.young = 2.5e5;
        body.solver = SolverSpec::Implicit(ImplicitOptions {
            newton: 3,
            ..ImplicitOptions::default()
        });
        body.pins = vec![Pins {
            within: Some([[0.1; 3], [0.3; 3]]),
            ..Pins::default()
        }];
        let mut scene = Scene::new(Time {
            step: 0.004,
            steps: 7,
        });
        scene.path = "scene.toml".into();
        scene.bodies = vec![body, BodySpec::new("b")];
        scene.bodies[1].mesh = Some("b.obj".into());
        let text = scene.to_text().unwrap();
        assert!(text.contains("step = 0.004\n"), "{text}");
        assert!(
            !text.contains("velocity") && !text.contains("poisson"),
            "{text}"
        );
        assert_eq!(Scene::parse(&text, Path::new("scene.toml")).unwrap(), scene);
    }
}
