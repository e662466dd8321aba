//! Who there is and when they rotate: fixed before the first task.

use super::random::Random;
use super::{Options, SimulateError};

/// A card as served.
#[derive(Debug, Clone)]
pub(super) struct Card {
    /// The artifact schema that it states.
    pub(super) version: usize,
    /// Its bytes.
    pub(super) body: String,
    /// Its `ETag`.
    pub(super) etag: String,
}

/// An agent with the cards that it has, one after another.
#[derive(Debug, Clone)]
pub(super) struct Agent {
    pub(super) name: String,
    /// Where its cards are.
    pub(super) place: usize,
    pub(super) cards: Vec<Card>,
    /// When the authority began to serve `cards[k + 1]`, ascending.
    pub(super) rotated_at: Vec<i64>,
    /// Of each mirror when it began to serve `cards[k + 1]`.
    pub(super) caught_up_at: Vec<Vec<i64>>,
}

/// Everything that does not depend on tasks.
#[derive(Debug, Clone)]
pub(super) struct World {
    /// When the recording begins.
    pub(super) start: i64,
    /// When the last task begins at the latest; storms follow.
    pub(super) tasks_end: i64,
    /// When it ends: what happens later is not in it.
    pub(super) end: i64,
    pub(super) agents: Vec<Agent>,
}

/// The name of a registry; the first one is every agent's authority.
pub(super) fn registry(place: usize) -> String {
    match place {
        0 => "authority".to_owned(),
        _ => format!("mirror-{place}"),
    }
}

const SECOND: i64 = 1_000_000_000;
/// From one storm to the next: more than any gap within one.
pub(super) const STORM_EACH: i64 = 3600 * SECOND;

impl World {
    pub(super) fn new(options: &Options, random: &mut Random) -> Result<Self, SimulateError> {
        let tasks_end = options.start.checked_add(options.length());
        let storms = i64::try_from(options.storms).unwrap_or(i64::MAX).checked_add(1);
        let storms = storms.and_then(|n| n.checked_mul(STORM_EACH));
        let end = tasks_end.zip(storms).and_then(|(end, storms)| end.checked_add(storms));
        let (tasks_end, end) = tasks_end.zip(end).ok_or(SimulateError::TimeEnds)?;
        let agents = (0..options.agents).map(|place| agent(options, place, random)).collect();
        Ok(Self { start: options.start, tasks_end, end, agents })
    }
}

fn agent(options: &Options, place: usize, random: &mut Random) -> Agent {
    let name = format!("agent://vendor-{}/agent-{place:03}", place % 7);
    let rotations = i64::try_from(options.rotations).unwrap_or(0);
    // One rotation in each part of the time, so that a mirror can follow before the next one.
    let part = options.length() / (rotations + 1);
    let rotated_at: Vec<i64> = (1..=rotations)
        .map(|k| options.start + k * part + random.between(-part / 4, part / 4) / SECOND * SECOND)
        .collect();
    let caught_up_at = (1..options.registries)
        .map(|_| {
            rotated_at
                .iter()
                .enumerate()
                .map(|(k, at)| {
                    let lag = random.between(options.lag_min_s, options.lag_max_s) * SECOND;
                    // In time for the next rotation; after the last one as late as it may be.
                    let room = rotated_at
                        .get(k + 1)
                        .map_or(i64::MAX, |next| (next - at) / SECOND / 10 * 9 * SECOND);
                    at.saturating_add(lag.clamp(SECOND, room.max(SECOND)))
                })
                .collect()
        })
        .collect();
    let cards = (0..=options.rotations).map(|k| card(options, &name, place, 3 + k)).collect();
    Agent { name, place, cards, rotated_at, caught_up_at }
}

fn card(options: &Options, agent: &str, place: usize, version: usize) -> Card {
    let padding = "x".repeat(options.card_bytes);
    let streams = version.is_multiple_of(2);
    let body = format!(
        "{{\"name\":\"{agent}\",\"description\":\"{padding}\",\"version\":\"1.0.0\",\
         \"artifactSchema\":{{\"version\":\"{version}\"}},\
         \"supportedInterfaces\":[{{\"url\":\"https://agent-{place}.example/rpc\",\
         \"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"}}],\
         \"capabilities\":{{\"streaming\":true,\"pushNotifications\":{streams}}},\
         \"defaultInputModes\":[\"text/plain\"],\
         \"defaultOutputModes\":[\"application/vnd.summarize+json;version={version}\"],\
         \"skills\":[{{\"id\":\"summarize-v{version}\",\"name\":\"Summarize\",\
         \"description\":\"Summarizes a text\",\"tags\":[\"nlp\"]}}]}}"
    );
    Card { version, body, etag: format!("\"{place}-{version}\"") }
}

impl Agent {
    /// Number of the card that the agent works by at `at`: its authority's.
    pub(super) fn epoch(&self, at: i64) -> usize {
        self.rotated_at.iter().take_while(|rotated| **rotated <= at).count()
    }

    /// Number of the card that a registry serves at `at`.
    pub(super) fn served(&self, registry: usize, at: i64) -> usize {
        match registry.checked_sub(1).and_then(|mirror| self.caught_up_at.get(mirror)) {
            Some(times) => times.iter().take_while(|caught_up| **caught_up <= at).count(),
            None => self.epoch(at),
        }
    }
}
