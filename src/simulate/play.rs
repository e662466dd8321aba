//! The world played from its first task to its last.
//!
//! What a client does at one agent is one after another, so that which card it holds, and which
//! rejections lie between two fetches, is known at once. Why a task is split-brain is told at the end,
//! when it is known who looked at which mirror when.

use super::journal::{Journal, Line, rfc3339};
use super::random::Random;
use super::truth::{Lag, Split, Truth};
use super::world::{Agent, STORM_EACH, World, registry};
use super::{Options, SimulateError};
use crate::a2a::digest;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

const MS: i64 = 1_000_000;
const SECOND: i64 = 1000 * MS;
/// A gap of more than this parts storms (model §7).
const STORM_GAP: i64 = 300 * SECOND;
/// So many replays are a storm.
const STORM_REPLAYS: usize = 3;

/// What a client knows of an agent.
#[derive(Debug, Clone, Copy)]
struct Held {
    card: usize,
    registry: usize,
    fetched_at: i64,
    /// Before this it is busy.
    free_at: i64,
    /// Rejections since the last fetch.
    rejections: u64,
}

/// A split-brain task, before its cause is told.
struct Contradiction {
    agent: usize,
    task_id: String,
    /// The card of its admission, and where it came from.
    card: usize,
    registry: usize,
    admitted_at: i64,
}

/// A rejection of a group that may become one with replays.
struct Rejection {
    agent: usize,
    card: usize,
    at: i64,
    is_replay: bool,
    /// The client's group: rejections between two fetches.
    group: (usize, u64),
}

/// The world in play.
pub(super) struct Play<'a> {
    options: &'a Options,
    world: &'a World,
    random: Random,
    journal: Journal<'a>,
    held: BTreeMap<(usize, usize), Held>,
    /// Of each agent and registry when someone looked, or it published.
    seen: BTreeMap<(usize, usize), Vec<i64>>,
    contradictions: Vec<Contradiction>,
    rejections: Vec<Rejection>,
    /// Fetches made so far: the number of a group.
    fetches: u64,
    last_at: i64,
    truth: Truth,
}

impl<'a> Play<'a> {
    pub(super) fn new(
        options: &'a Options,
        world: &'a World,
        mut random: Random,
        out: &'a mut dyn Write,
    ) -> Self {
        let noise = Random::new(random.bits());
        Self {
            options,
            world,
            random,
            journal: Journal::new(out, noise, options.damaged, options.duplicated),
            held: BTreeMap::new(),
            seen: BTreeMap::new(),
            contradictions: Vec::new(),
            rejections: Vec::new(),
            fetches: 0,
            last_at: world.start,
            truth: Truth::default(),
        }
    }

    pub(super) fn run(mut self) -> Result<Truth, SimulateError> {
        self.publish()?;
        let step = (self.world.tasks_end - self.world.start)
            / i64::try_from(self.options.tasks.max(1)).unwrap_or(i64::MAX);
        for number in 0..self.options.tasks {
            let offset = i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(step);
            let at = self.world.start + SECOND + offset;
            let agent = self.pick(self.options.agents);
            let client = self.pick(self.options.clients);
            let at = self.meet(client, agent, at)?;
            if self.random.chance(self.options.replayed) {
                let times = self.random.between(2, 5);
                self.burst(client, agent, at, times)?;
            } else {
                self.delegate(client, agent, at)?;
            }
        }
        self.storms()?;
        Ok(self.tell())
    }

    fn pick(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        usize::try_from(self.random.below(count)).unwrap_or(0)
    }

    fn agent(&self, place: usize) -> Option<&'a Agent> {
        self.world.agents.get(place)
    }

    fn write(&mut self, at: i64, line: Line) -> Result<(), SimulateError> {
        self.last_at = self.last_at.max(at);
        Ok(self.journal.write(line)?)
    }

    /// Every registry publishes what it begins to serve.
    fn publish(&mut self) -> Result<(), SimulateError> {
        let mut moments = Vec::new();
        for agent in &self.world.agents {
            for place in 0..self.options.registries {
                let times = match place.checked_sub(1) {
                    None => Some(&agent.rotated_at),
                    Some(mirror) => agent.caught_up_at.get(mirror),
                };
                moments.push((self.world.start, agent.place, place, 0));
                for (k, at) in times.into_iter().flatten().enumerate() {
                    moments.push((*at, agent.place, place, k + 1));
                }
            }
        }
        moments.retain(|(at, ..)| *at <= self.world.end);
        moments.sort_unstable();
        for (at, agent, place, card) in moments {
            let Some(agent) = self.agent(agent) else { continue };
            let Some(card) = agent.cards.get(card) else { continue };
            let line = Line::new(at, "card_publish")
                .text("registry", &registry(place))
                .text("agent", &agent.name)
                .json("authority", place == 0)
                .text("etag", &card.etag)
                .text("card", &card.body);
            self.write(at, line)?;
            self.seen.entry((agent.place, place)).or_default().push(at);
        }
        Ok(())
    }

    /// The client turns to the agent, at `at` or when it is free, with a card that is fresh enough.
    fn meet(&mut self, client: usize, agent: usize, at: i64) -> Result<i64, SimulateError> {
        let held = self.held.get(&(client, agent)).copied();
        let at = held.map_or(at, |h| at.max(h.free_at));
        let ttl = self.options.cache_ttl_s.saturating_mul(SECOND);
        if held.is_none_or(|h| at - h.fetched_at > ttl) {
            self.fetch(client, agent, at)?;
        }
        Ok(at)
    }

    fn fetch(&mut self, client: usize, agent: usize, at: i64) -> Result<(), SimulateError> {
        let Some(of) = self.agent(agent) else { return Ok(()) };
        let before = self.held.get(&(client, agent)).copied();
        let place = match before {
            Some(held) => held.registry,
            None if self.options.registries > 1 && self.random.chance(self.options.mirrored) => {
                1 + self.pick(self.options.registries - 1)
            }
            None => 0,
        };
        let number = of.served(place, at);
        let Some(card) = of.cards.get(number) else { return Ok(()) };
        let same = before.is_some_and(|held| held.card == number);
        let mut line = Line::new(at, "card_fetch")
            .text("client", &format!("client-{client:04}"))
            .text("agent", &of.name)
            .text("registry", &registry(place))
            .text("url", &format!("https://{}.example/agents/{agent}/card", registry(place)))
            .json("status", if same { 304 } else { 200 })
            .text("etag", &card.etag)
            .text("cache_control", &format!("max-age={}", self.options.cache_ttl_s));
        if !same {
            line = line.text("card", &card.body);
        }
        self.write(at, line)?;
        self.truth.card_fetches += 1;
        self.fetches += 1;
        self.seen.entry((agent, place)).or_default().push(at);
        let held =
            Held { card: number, registry: place, fetched_at: at, free_at: at, rejections: 0 };
        self.held.insert((client, agent), held);
        Ok(())
    }

    /// A task from its attempt to its end.
    fn delegate(&mut self, client: usize, agent: usize, at: i64) -> Result<(), SimulateError> {
        let (Some(of), Some(held)) = (self.agent(agent), self.held.get(&(client, agent)).copied())
        else {
            return Ok(());
        };
        let task_id = format!("{:016x}{:016x}", self.random.bits(), self.random.bits());
        let about = |at: i64, event: &str| {
            Line::new(at, event)
                .text("client", &format!("client-{client:04}"))
                .text("agent", &of.name)
                .text("task_id", &task_id)
        };
        let (sent_at, admitted_at) = (at + MS, at + 10 * MS);
        let skill = of.cards.get(held.card).map_or(0, |card| card.version);
        let line = about(sent_at, "attempt")
            .text("method", "SendStreamingMessage")
            .text("protocol_version", "1.0")
            .text("skill_id", &format!("summarize-v{skill}"))
            .json("http_status", 200)
            .json("stream", true)
            .text("outcome", "accepted");
        self.write(sent_at, line)?;
        let status = |at: i64, state: &str| about(at, "task_status").text("state", state);
        self.write(admitted_at, status(admitted_at, "submitted"))?;
        self.write(at + 20 * MS, status(at + 20 * MS, "working"))?;
        let artifact_at = at + self.random.between(SECOND, 60 * SECOND);
        let worked_by = of.epoch(artifact_at);
        let version = of.cards.get(worked_by).map_or(0, |card| card.version);
        let words = "lorem ipsum dolor sit amet ".repeat(self.options.payload_bytes / 27 + 1);
        let words = words.get(..self.options.payload_bytes).unwrap_or(&words);
        let payload = format!("{{\"number\":{},\"text\":\"{words}\"}}", self.random.below(1 << 40));
        let corrupt = self.random.chance(self.options.corrupt);
        let hash = if corrupt {
            digest::sha256_hex(b"other")
        } else {
            digest::sha256_hex(payload.as_bytes())
        };
        let line = about(artifact_at, "artifact")
            .text("artifact_id", "summary")
            .text("media_type", &format!("application/vnd.summarize+json;version={version}"))
            .text("schema_version", &version.to_string())
            .text("digest", &format!("sha256:{hash}"))
            .json("payload", &payload)
            .json("last_chunk", true);
        self.write(artifact_at, line)?;
        let failed = self.random.chance(self.options.failed);
        let ends_at = artifact_at + MS;
        self.write(ends_at, status(ends_at, if failed { "failed" } else { "completed" }))?;
        self.truth.tasks += 1;
        self.truth.attempts += 1;
        self.truth.accepted += 1;
        if !failed {
            self.truth.completed += 1;
            match (worked_by == held.card, corrupt) {
                (true, false) => self.truth.consistent += 1,
                (true, true) => self.truth.corrupt += 1,
                (false, _) => {
                    self.truth.split_brain += 1;
                    self.truth.silent += u64::from(!corrupt);
                    let (card, registry) = (held.card, held.registry);
                    let of = Contradiction { agent, task_id, card, registry, admitted_at };
                    self.contradictions.push(of);
                }
            }
        }
        if let Some(held) = self.held.get_mut(&(client, agent)) {
            held.free_at = at + 30 * MS;
        }
        Ok(())
    }

    /// The client is rejected so many times, each time after the last answer, and then fetches.
    fn burst(
        &mut self,
        client: usize,
        agent: usize,
        at: i64,
        times: i64,
    ) -> Result<(), SimulateError> {
        for time in 0..times {
            self.reject(client, agent, at + (1 + time * 200) * MS)?;
        }
        let after = at + (times + 1) * 200 * MS;
        self.fetch(client, agent, after)?;
        if let Some(held) = self.held.get_mut(&(client, agent)) {
            held.free_at = after + MS;
        }
        Ok(())
    }

    fn reject(&mut self, client: usize, agent: usize, at: i64) -> Result<(), SimulateError> {
        let (Some(of), Some(held)) = (self.agent(agent), self.held.get_mut(&(client, agent)))
        else {
            return Ok(());
        };
        let answered_at = at + 50 * MS;
        let version = of.cards.get(held.card).map_or(0, |card| card.version);
        let line = Line::new(at, "attempt")
            .text("client", &format!("client-{client:04}"))
            .text("agent", &of.name)
            .text("end_time", &rfc3339(answered_at))
            .text("method", "SendMessage")
            .text("protocol_version", "1.0")
            .text("skill_id", &format!("summarize-v{version}"))
            .json("http_status", 200)
            .json("rpc_code", -32602)
            .text("error", "Unknown skill");
        let is_replay = held.rejections > 0;
        held.rejections += 1;
        // Of one client and agent no two fetches have one instant.
        let group = (client, u64::try_from(held.fetched_at).unwrap_or(0));
        self.rejections.push(Rejection { agent, card: held.card, at, is_replay, group });
        self.truth.attempts += 1;
        self.truth.rejections += 1;
        self.truth.replays += u64::from(is_replay);
        self.write(at, line)
    }

    /// Storms, after everything else, an hour apart.
    fn storms(&mut self) -> Result<(), SimulateError> {
        for number in 0..self.options.storms {
            // Half an hour after the last task has long ended.
            let after = i64::try_from(number).unwrap_or(0).saturating_mul(STORM_EACH);
            let at = self.world.tasks_end + STORM_EACH / 2 + after;
            let agent = self.pick(self.options.agents);
            let clients = self.options.clients.min(20);
            for client in 0..clients {
                let begin = at + i64::try_from(client).unwrap_or(0) * SECOND;
                self.fetch(client, agent, begin)?;
                self.burst(client, agent, begin + MS, 4)?;
            }
        }
        Ok(())
    }

    fn tell(mut self) -> Truth {
        for times in self.seen.values_mut() {
            times.sort_unstable();
        }
        let mut truth = std::mem::take(&mut self.truth);
        truth.lines = self.journal.lines;
        truth.damaged = self.journal.cut;
        truth.duplicates = self.journal.twice;
        truth.last_at = rfc3339(self.last_at);
        truth.storms = self.count_storms();
        for agent in &self.world.agents {
            let begun = agent.rotated_at.iter().filter(|at| **at <= self.world.end).count();
            truth.rotations += u64::try_from(begun).unwrap_or(0);
            truth.cards += 1 + u64::try_from(begun).unwrap_or(0);
            for (mirror, times) in agent.caught_up_at.iter().enumerate() {
                for (k, (at, caught_up)) in
                    agent.rotated_at.iter().zip(times).enumerate().take(begun)
                {
                    truth.lags.push(self.lag(agent, mirror + 1, k + 1, *at, *caught_up));
                }
            }
        }
        truth.lags.sort();
        for of in &self.contradictions {
            let Some(agent) = self.agent(of.agent) else { continue };
            let cause = self.cause(agent, of);
            *truth.causes.entry(cause).or_default() += 1;
            let split = Split { agent: agent.name.clone(), task_id: of.task_id.clone(), cause };
            truth.splits.push(split);
        }
        truth.splits.sort();
        truth
    }

    fn lag(&self, agent: &Agent, mirror: usize, rotation: usize, at: i64, caught_up: i64) -> Lag {
        let closed = caught_up <= self.world.end;
        let looked = self.looked(agent.place, mirror, at, i64::MAX).is_some();
        Lag {
            agent: agent.name.clone(),
            registry: registry(mirror),
            rotation,
            status: match (closed, looked) {
                (true, _) => "closed",
                (false, true) => "open",
                (false, false) => "unobserved",
            },
            lag_s: closed.then(|| (caught_up - at) / SECOND),
        }
    }

    /// The last look at a registry from one instant to another, both included.
    fn looked(&self, agent: usize, registry: usize, from: i64, to: i64) -> Option<i64> {
        let times = self.seen.get(&(agent, registry))?;
        let last = times.partition_point(|at| *at <= to).checked_sub(1)?;
        times.get(last).copied().filter(|at| *at >= from)
    }

    /// Why (model §6): every card is seen, every rotation is published, and agents work by the
    /// authority's card, so that only these causes can be.
    fn cause(&self, agent: &Agent, of: &Contradiction) -> &'static str {
        let in_force = agent.epoch(of.admitted_at);
        if in_force == of.card {
            return "mid_flight";
        }
        let begun = in_force.checked_sub(1).and_then(|k| agent.rotated_at.get(k)).copied();
        let begun = begun.unwrap_or(self.world.start);
        if of.registry == 0 || agent.served(of.registry, of.admitted_at) >= in_force {
            return "client_cache";
        }
        match self.looked(agent.place, of.registry, begun, of.admitted_at) {
            Some(_) => "registry_lag",
            None => "stale_card",
        }
    }

    /// Clusters of rejections of groups with a replay, by agent and card, parted by gaps.
    fn count_storms(&self) -> u64 {
        let replayed: BTreeSet<(usize, (usize, u64))> =
            self.rejections.iter().filter(|r| r.is_replay).map(|r| (r.agent, r.group)).collect();
        let mut clusters: BTreeMap<(usize, usize), Vec<(i64, bool)>> = BTreeMap::new();
        for rejection in &self.rejections {
            if replayed.contains(&(rejection.agent, rejection.group)) {
                let of = clusters.entry((rejection.agent, rejection.card)).or_default();
                of.push((rejection.at, rejection.is_replay));
            }
        }
        let mut storms = 0;
        for rejections in clusters.values_mut() {
            rejections.sort_unstable();
            for cluster in rejections.chunk_by(|a, b| b.0 - a.0 <= STORM_GAP) {
                let replays = cluster.iter().filter(|(_, is_replay)| *is_replay).count();
                storms += u64::from(replays >= STORM_REPLAYS);
            }
        }
        storms
    }
}
