//! Which rotation windows a row belongs to, so that choosing a window on the timeline filters rows.

use crate::report::findings::{Findings, Window};
use std::collections::BTreeMap;

/// The rows of `split_brain_rate`, found by agent and registry.
#[derive(Debug)]
pub struct Windows<'a> {
    all: &'a [Window],
    by_registry: BTreeMap<&'a str, BTreeMap<&'a str, Vec<usize>>>,
    by_agent: BTreeMap<&'a str, Vec<usize>>,
    end: i64,
}

impl<'a> Windows<'a> {
    /// Those of the findings.
    pub fn of(findings: &'a Findings) -> Self {
        let mut by_registry: BTreeMap<_, BTreeMap<_, Vec<usize>>> = BTreeMap::new();
        let mut by_agent: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (i, window) in findings.windows.iter().enumerate() {
            let registries = by_registry.entry(&*window.agent).or_default();
            registries.entry(&*window.registry).or_default().push(i);
            by_agent.entry(&*window.agent).or_default().push(i);
        }
        let end = findings.last_time().unwrap_or(i64::MAX);
        Self { all: &findings.windows, by_registry, by_agent, end }
    }

    /// The windows of one agent and registry in which an instant lies.
    pub fn at(&self, agent: Option<&str>, registry: Option<&str>, ns: Option<i64>) -> Vec<usize> {
        let (Some(agent), Some(registry), Some(ns)) = (agent, registry, ns) else {
            return Vec::new();
        };
        let near = self.of_registry(agent, registry).iter();
        let inside = |i: &&usize| {
            self.all
                .get(**i)
                .is_some_and(|w| w.opened_at <= ns && w.closed_at.is_none_or(|end| ns < end))
        };
        near.filter(inside).copied().collect()
    }

    /// The windows of an agent that overlap a period.
    pub fn during(&self, agent: &str, from: i64, to: i64) -> Vec<usize> {
        let near = self.by_agent.get(agent);
        let overlaps = |i: &&usize| {
            self.all
                .get(**i)
                .is_some_and(|w| w.opened_at <= to && w.closed_at.unwrap_or(self.end) >= from)
        };
        near.into_iter().flatten().filter(overlaps).copied().collect()
    }

    /// The windows of an agent's registry.
    pub fn of_registry(&self, agent: &str, registry: &str) -> &[usize] {
        let registries = self.by_registry.get(agent);
        registries.and_then(|r| r.get(registry)).map_or(&[], Vec::as_slice)
    }

    /// The window of an agent's registry after a rotation.
    pub fn named(&self, agent: &str, registry: &str, rotation: i64) -> Option<usize> {
        self.of_registry(agent, registry)
            .iter()
            .copied()
            .find(|i| self.all.get(*i).is_some_and(|w| w.rotation == rotation))
    }

    /// All windows that a rotation of an agent opened.
    pub fn opened_by(&self, agent: &str, rotation: i64) -> Vec<usize> {
        let near = self.by_agent.get(agent);
        let of = |i: &&usize| self.all.get(**i).is_some_and(|w| w.rotation == rotation);
        near.into_iter().flatten().filter(of).copied().collect()
    }
}

/// Numbers of windows for the script: `0 3`.
pub fn listed(windows: &[usize]) -> String {
    let texts: Vec<String> = windows.iter().map(usize::to_string).collect();
    texts.join(" ")
}
