//! The causes of a split-brain and the actions of the model (§6), in words.

/// A cause in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// The value in the column `cause`.
    pub name: &'static str,
    /// On whose side it is.
    pub side: &'static str,
    /// What happened, in one sentence without a full stop.
    pub meaning: &'static str,
    /// The rule of the model (§6) that decides it, as a condition.
    pub rule: &'static str,
}

/// The causes, in the model's order.
pub const CAUSES: &[Cause] = &[
    Cause {
        name: "nonconforming_agent",
        side: "the agent",
        meaning: "the agent emits a schema that none of its cards ever stated",
        rule: "no card of the agent states the artifact's schema, all its cards are known, and the authority was seen long enough after the artifact",
    },
    Cause {
        name: "client_cache",
        side: "the client",
        meaning: "the client held an old card although the registry already had the new contract",
        rule: "the authority's epoch at the admission states another schema than the card of the admission, and the registry of the admission is the authority, or had shown that epoch's schema before the admission",
    },
    Cause {
        name: "registry_lag",
        side: "the registry",
        meaning: "the registry still served the old card after the authority had rotated",
        rule: "the authority's epoch at the admission states another schema than the card of the admission, and the registry's latest observation between the rotation and the admission still shows another schema than that epoch's",
    },
    Cause {
        name: "stale_card",
        side: "the client or the registry",
        meaning: "the card was old, and nobody looked at the registry after the rotation",
        rule: "the authority's epoch at the admission states another schema than the card of the admission, and nobody looked at the registry between the rotation and the admission",
    },
    Cause {
        name: "mid_flight",
        side: "nobody",
        meaning: "the authority rotated between the task's admission and its artifact",
        rule: "the authority rotated to the artifact's schema after the admission, and before or with the artifact",
    },
    Cause {
        name: "publish_lag",
        side: "the agent",
        meaning: "the agent emitted the new schema before its authority published the card",
        rule: "the first epoch of the authority with the artifact's schema begins after the artifact",
    },
    Cause {
        name: "emitter_behind",
        side: "the agent",
        meaning: "the agent still emits an old schema after its card has moved on",
        rule: "an epoch of the authority that had ended before the admission states the artifact's schema",
    },
    Cause {
        name: "unknown",
        side: "unknown",
        meaning: "the recording does not show why",
        rule: "no other rule holds, or what they ask for is not on record",
    },
];

/// A cause by its name.
pub fn cause(name: &str) -> Option<&'static Cause> {
    CAUSES.iter().find(|c| c.name == name)
}

/// What an action asks for, in a few words.
pub fn action(name: &str) -> &'static str {
    match name {
        "quarantine_artifact" => "quarantine the artifact; do not fail or retry its task",
        "re_resolve" => "resolve the card again, past every cache",
        "re_resolve_and_escalate_registry" => {
            "resolve the card again past the cache, and tell the registry that it lags its source"
        }
        "escalate_agent" => "tell the agent's operator: card and emitter are out of step",
        "quarantine_agent" => "stop delegating to the agent until its operator explains the schema",
        _ => "",
    }
}
