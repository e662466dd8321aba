//! What is drawn: the worst agents, their registries as lanes, what lies in each.

use crate::report::findings::{Findings, Storm};
use crate::report::html::Caps;
use crate::report::html::charts::{Admission, Charts, Epoch, Sight, Step};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What is drawn, agent by agent, worst first.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    pub(super) agents: Vec<Agent<'a>>,
    pub(super) agents_left: usize,
}

#[derive(Debug, Default)]
pub(super) struct Agent<'a> {
    /// Empty: unknown.
    pub name: &'a str,
    pub epochs: Vec<&'a Epoch>,
    pub lanes: Vec<Lane<'a>>,
    pub lanes_left: usize,
    pub marks_left: usize,
    pub steps: Vec<&'a Step>,
    pub storms: Vec<&'a Storm>,
}

#[derive(Debug, Default)]
pub(super) struct Lane<'a> {
    /// `None`: admissions whose registry is unknown.
    pub registry: Option<&'a str>,
    pub is_authority: bool,
    pub sights: Vec<&'a Sight>,
    pub marks: Vec<&'a Admission>,
}

/// How bad a verdict is; the upper half of a lane has those below 3.
pub(super) fn rank(verdict: Option<&str>) -> u8 {
    match verdict {
        Some("split_brain") => 0,
        Some("corrupt") => 1,
        Some("mismatch_incomplete") => 2,
        Some("unverifiable") => 3,
        Some("no_digest") => 4,
        None => 5,
        _ => 6,
    }
}

impl<'a> Plan<'a> {
    /// The worst agents with their worst registries.
    pub fn of(findings: &'a Findings, charts: &'a Charts, caps: Caps) -> Self {
        let mut agents: BTreeMap<&str, Agent<'a>> = BTreeMap::new();
        let mut badness: BTreeMap<&str, (i64, i64, usize)> = BTreeMap::new();
        let mut marks: BTreeMap<(&str, Option<&str>), Vec<&Admission>> = BTreeMap::new();
        for e in &charts.epochs {
            agents.entry(&e.agent).or_default().epochs.push(e);
            badness.entry(&e.agent).or_default().2 += 1;
        }
        for s in &charts.steps {
            agents.entry(&s.agent).or_default().steps.push(s);
            badness.entry(&s.agent).or_default().1 += s.rejected;
        }
        for a in &charts.admissions {
            agents.entry(&a.agent_key).or_default();
            if a.verdict.as_deref() == Some("split_brain") {
                badness.entry(&a.agent_key).or_default().0 += a.n;
            }
            marks.entry((&a.agent_key, a.registry.as_deref())).or_default().push(a);
        }
        for s in &findings.storms {
            agents.entry(&s.agent).or_default().storms.push(s);
        }
        let mut sights: BTreeMap<(&str, &str), Vec<&Sight>> = BTreeMap::new();
        for s in &charts.sights {
            agents.entry(&s.agent).or_default();
            sights.entry((&s.agent, &s.registry)).or_default().push(s);
        }
        for (name, agent) in &mut agents {
            agent.name = name;
            agent.plan_lanes(&mut marks, &mut sights, caps);
        }
        let mut order: Vec<Agent<'a>> = agents.into_values().collect();
        order.sort_by_key(|a| (Reverse(badness.get(a.name).copied().unwrap_or_default()), a.name));
        let agents_left = order.len().saturating_sub(caps.agents);
        order.truncate(caps.agents);
        Self { agents: order, agents_left }
    }

    /// The admissions that are drawn, in the order of their numbers.
    pub fn marks(&self) -> impl Iterator<Item = &'a Admission> + '_ {
        self.agents.iter().flat_map(|a| &a.lanes).flat_map(|l| l.marks.iter().copied())
    }
}

impl<'a> Agent<'a> {
    fn plan_lanes(
        &mut self,
        marks: &mut BTreeMap<(&'a str, Option<&'a str>), Vec<&'a Admission>>,
        sights: &mut BTreeMap<(&'a str, &'a str), Vec<&'a Sight>>,
        caps: Caps,
    ) {
        let authority = self.epochs.first().map(|e| e.authority.as_str());
        let mut registries: BTreeSet<Option<&str>> = authority.into_iter().map(Some).collect();
        let range =
            marks.range((self.name, None)..).take_while(|((agent, _), _)| *agent == self.name);
        registries.extend(range.map(|((_, registry), _)| *registry));
        let range =
            sights.range((self.name, "")..).take_while(|((agent, _), _)| *agent == self.name);
        registries.extend(range.map(|((_, registry), _)| Some(*registry)));
        let mut lanes: Vec<Lane<'_>> = registries
            .into_iter()
            .map(|registry| Lane {
                registry,
                is_authority: registry.is_some() && registry == authority,
                sights: registry.and_then(|r| sights.remove(&(self.name, r))).unwrap_or_default(),
                marks: marks.remove(&(self.name, registry)).unwrap_or_default(),
            })
            .collect();
        let bad = |lane: &Lane<'_>| {
            let bad = lane.marks.iter().filter(|m| rank(m.verdict.as_deref()) < 3);
            bad.map(|m| m.n).sum::<i64>()
        };
        lanes.sort_by_key(|l| (!l.is_authority, l.registry.is_none(), Reverse(bad(l)), l.registry));
        self.lanes_left = lanes.len().saturating_sub(caps.lanes);
        lanes.truncate(caps.lanes);
        let share = (caps.marks / lanes.len().max(1)).max(1);
        for lane in &mut lanes {
            lane.sights.truncate(caps.marks / 8);
            if lane.marks.len() > share {
                lane.marks.sort_by_key(|m| (rank(m.verdict.as_deref()), m.first_at));
                let left: i64 = lane.marks.iter().skip(share).map(|m| m.n).sum();
                self.marks_left += usize::try_from(left).unwrap_or(usize::MAX);
                lane.marks.truncate(share);
            }
        }
        self.epochs.truncate(caps.marks / 8);
        self.steps.truncate(caps.marks / 4);
        self.lanes = lanes;
    }
}
