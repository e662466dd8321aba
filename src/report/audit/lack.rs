//! What a measure lacks, and the one change of a recorder that would give it.
//!
//! *A lack*: one line in the table, with words for people and a change for every recorder; where a format
//! knows a better way, a case in [`Lack::change`].

macro_rules! lacks {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal, $why:literal, $change:literal;)*) => {
        /// What is missing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Lack {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Lack {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in tables and in JSON.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// What cannot be told for want of it.
            pub fn why(self) -> &'static str {
                match self { $(Self::$name => $why,)* }
            }

            /// What any recorder can do.
            fn plain_change(self) -> &'static str {
                match self { $(Self::$name => $change,)* }
            }
        }
    };
}

lacks! {
    /// No artifact.
    Artifacts = "artifacts",
        "what the agent delivered is not on record",
        "record the bodies of answers and streams, or one `artifact` event of the journal for each artifact (samples/incident-2-schema-rotation)";
    /// No task that completed.
    States = "task states",
        "whether tasks completed is not on record",
        "record the answers and the status updates of streams, or one `task_status` event of the journal for each state";
    /// Tasks of clients whose fetches are not on record.
    OwnFetches = "fetches by the clients themselves",
        "some clients' own card fetches before their tasks are not on record",
        "begin the recording before clients fetch cards, name clients alike in all of it, or record `admitted_under` (the card's SHA-256) with each attempt";
    /// No card fetch.
    Fetches = "card fetches",
        "which card clients held, and whether they fetched it again, is not on record",
        "record the GETs of Agent Cards too: time, URL, status, ETag and SHA-256 of the body";
    /// Fetches without body or hash.
    CardBodies = "card bodies",
        "fetches are seen, but not what they showed, so admissions cannot be anchored",
        "log the ETag and the SHA-256 of the body at each card fetch, or the body itself (samples/har, samples/mapped)";
    /// Hashes whose bytes are nowhere.
    CardContent = "card contents",
        "only hashes of cards are known",
        "add each card's bytes once: the body of one fetch, or a folder of card files (samples/card)";
    /// Cards without a version.
    CardSchema = "schema in cards",
        "cards state no schema version",
        "let cards state it (an output mode like `application/json;version=3`, or `artifactSchema.version`), or name its place under [extract] card_schema";
    /// Artifacts without a version.
    ArtifactSchema = "schema in artifacts",
        "artifacts state no schema version",
        "let artifacts state it (`metadata.schemaVersion`, or the media type), or name its place under [extract] artifact_schema";
    /// Nobody knows who acted.
    Clients = "client names",
        "who acted is not on record, and unknown clients are taken as one",
        "name the client: a request header, told under [client] header";
    /// No attempt.
    Attempts = "attempts",
        "what clients sent is not on record",
        "record the requests to agents with method, status and error code";
    /// No skill.
    Skill = "skills",
        "whether a rejected skill is still offered cannot be told",
        "put `skillId` into the message's metadata, which A2A has no field for, or name its place under [extract] skill";
    /// No digest.
    Digest = "digests",
        "nothing says what the payload should be",
        "let the agent state `digest` in the artifact's metadata, or name its place under [extract] digest";
    /// Digests that cannot be computed.
    CheckableDigest = "digests that can be checked",
        "some digests cannot be computed from what is on record",
        "state SHA-256, over the RFC 8785 form of a JSON payload or the bytes of another, and record the payload whole, or the client's own check as `digest_check`";
    /// Nothing to check a digest with.
    Payload = "payloads",
        "digests cannot be checked",
        "record the payload of artifacts (it is hashed, not kept), or the client's own check as `digest_check`";
    /// Only one registry.
    Registries = "a second registry",
        "no mirror was asked, so there is no lag",
        "record what the mirrors show too; a folder of card files with times in their names will do (samples/card)";
    /// Nobody tells what became of artifacts.
    Disposition = "dispositions",
        "whether clients used an artifact is not on record",
        "let clients log `disposition` (accepted, rejected, quarantined) with the artifact";
}

impl Lack {
    /// Whether a source has a part in what only shows when all sources are taken together.
    pub fn is_of_all(self, holds: &super::Holds) -> bool {
        match self {
            Self::OwnFetches => holds.submissions > 0,
            Self::CheckableDigest => holds.digests > 0,
            _ => false,
        }
    }

    /// The one change in the recorder of a format.
    pub fn change(self, format: &str) -> &'static str {
        let bodies = matches!(self, Self::Artifacts | Self::CardBodies | Self::Payload);
        match (self, format) {
            (_, "card" | "ai-catalog" | "git-history") if self != Self::Registries => {
                "a snapshot shows cards only: give it together with a recording of traffic"
            }
            (
                Self::Clients,
                "otlp-json" | "otlp-proto" | "otlp-frames" | "jaeger" | "otel-console",
            ) => "set `service.instance.id` in the resource of each client",
            (Self::Clients, "journal") => "fill `client` in every event",
            (Self::Clients, "mapped") => {
                "map `client`, or name a request header under [client] header"
            }
            (_, "otlp-json" | "otlp-proto" | "otlp-frames") if bodies => {
                "spans carry no bodies: log request and answer as OTLP log records and tell under [[mapping]] where they stand (samples/otlp), or add a HAR"
            }
            (_, "jaeger" | "otel-console") if bodies => {
                "spans carry no bodies: add the caller's HAR or log; a trace id joins them"
            }
            (_, "agentgateway" | "agentgateway-json" | "envoy" | "envoy-json") if bodies => {
                "an access log carries no bodies: add the caller's HAR or log; a trace id joins them"
            }
            (Self::States | Self::Attempts, "envoy" | "envoy-json") => {
                "an access log of Envoy knows nothing of A2A: add the caller's HAR or log"
            }
            (_, "har") if bodies => {
                "export the HAR with its contents; mitmproxy's `hardump` keeps the bodies of streams too"
            }
            (_, "mapped") if bodies => {
                "map the bodies (`request_body`, `response_body`, `sse_events`); where they are not logged, log them, or at least `response_sha256`"
            }
            (_, "python-log") if bodies || self == Self::States => {
                "the log of the A2A SDK for Python shows little but cards: add the caller's HAR"
            }
            (Self::Fetches | Self::Attempts, "sse") => {
                "a dump of a stream is an answer alone: add the caller's HAR or log"
            }
            _ => self.plain_change(),
        }
    }
}
