//! The fact tables of `spec`: one row for each event, and the cards.

use super::TableInfo;
use crate::table;

table! {
    /// Publishes and fetches of cards.
    "card_fetches", CardFetchRow, CardFetches {
        /// When the body had arrived; of a publish, when the registry began to serve it.
        time: Time,
        /// What `time` was taken from.
        time_from: Text,
        /// `publish`, `fetch`, or `get`: a GET without a card at a URL that is no well-known one,
        /// a fetch only if the same URL gave a card at another time.
        kind: Text,
        /// The delegating client; null: unknown.
        client: MaybeText,
        /// The agent as recorded or configured; null: by `card_agent` or `url`.
        agent: MaybeText,
        /// Who served it: as recorded, as configured, or told from the URL.
        registry: MaybeText,
        /// Where from, without user info, query and fragment.
        url: MaybeText,
        /// Scheme, host and port of `url`.
        url_origin: MaybeText,
        /// Whether the path is a well-known one of Agent Cards.
        well_known: Flag,
        /// When it was asked for.
        sent_at: Time,
        /// HTTP status; null: no answer.
        status: MaybeInt,
        /// As received.
        etag: MaybeText,
        /// The `ETag` for weak comparison: without the mark of weakness.
        etag_weak: MaybeText,
        /// As received.
        cache_control: MaybeText,
        /// As received.
        last_modified: MaybeText,
        /// The Age header in seconds.
        age_s: MaybeInt,
        /// The binding hash of the body, hex; null: neither body nor hash recorded.
        card: MaybeText,
        /// Identity of the recorded body: its preferred interface URL, through the aliases.
        card_agent: MaybeText,
        /// Whether the record says that this registry is the agent's authority.
        authority: MaybeFlag,
        /// Served by the client's own cache: no fetch.
        from_cache: Flag,
        /// An extended card: observes nothing.
        extended: Flag,
        /// The `A2A-Version` asked for, when the answer varies by it.
        variant: MaybeText,
        /// Why it failed.
        error: MaybeText,
        /// Trace id.
        trace_id: MaybeText,
        /// Span id.
        span_id: MaybeText,
        /// Other sources that saw the same exchange.
        seen_by: MaybeTexts,
        /// The source.
        source_file: Text,
        /// Line, from 1.
        source_line: Int,
        /// Byte, from 0.
        source_byte: Int,
    }
}

table! {
    /// One row for each binding hash whose bytes were seen.
    "cards", CardRow, Cards {
        /// SHA-256 of the exact bytes, hex.
        card: Text,
        /// Whether the bytes are an Agent Card.
        is_card: Flag,
        /// Hash of what a delegation depends on (model §2); null when it is no card.
        contract: MaybeText,
        /// Identity: its preferred interface URL, through the aliases.
        agent: MaybeText,
        /// As written.
        name: MaybeText,
        /// A label, never a key.
        version: MaybeText,
        /// Facet key: the skill ids.
        skills: MaybeText,
        /// Facet key: the default modes.
        default_modes: MaybeText,
        /// Facet key: the capabilities.
        capabilities: MaybeText,
        /// Facet key: security schemes and requirements.
        security: MaybeText,
        /// Facet key: protocol versions.
        protocol: MaybeText,
        /// Facet key: the schema versions stated, by the rules without the output modes.
        schema: MaybeText,
        /// The body, redacted; null for what is no card.
        body: MaybeText,
        /// Whether something was replaced in `body`.
        body_redacted: Flag,
        /// Length of the original bytes.
        size_bytes: Int,
        /// The first source that holds it.
        source_file: Text,
        /// Line, from 1.
        source_line: Int,
        /// Byte, from 0.
        source_byte: Int,
    }
}

table! {
    /// One row for each skill of a card.
    "card_skills", CardSkillRow, CardSkills {
        /// The card.
        card: Text,
        /// The skill.
        skill_id: Text,
        /// Facet key: its effective input and output modes.
        modes: Text,
        /// Facet key: security requirements of its own.
        security: Text,
    }
}

table! {
    /// One row for each output mode of a card, any skill's or the defaults, as written.
    "card_modes", CardModeRow, CardModes {
        /// The card.
        card: Text,
        /// As written.
        mode: Text,
    }
}

table! {
    /// One row for each version of the artifact schema that a card could state (model §8).
    "card_schemas", CardSchemaRow, CardSchemas {
        /// The card.
        card: Text,
        /// Number of the extraction rule, from 0; the lowest that hits counts.
        rule: Int,
        /// Of an output mode: the skill that states it; null: the defaults, or another rule.
        skill_id: MaybeText,
        /// Of an output mode: its base media type; null: another rule.
        media_base: MaybeText,
        /// As written.
        stated: Text,
        /// As compared.
        normalised: Text,
        /// Place among those of one rule, from 0.
        position: Int,
    }
}

table! {
    /// One row for each interface of a card.
    "card_interfaces", CardInterfaceRow, CardInterfaces {
        /// The card.
        card: Text,
        /// Identity of the card.
        agent: Text,
        /// Place, from 0; the first is preferred.
        position: Int,
        /// Without user info, query, fragment and a trailing slash.
        url: Text,
        /// Scheme, host and port.
        url_origin: MaybeText,
    }
}

table! {
    /// What clients tried.
    "attempts", AttemptRow, Attempts {
        /// When it was sent.
        time: Time,
        /// What `time` was taken from.
        time_from: Text,
        /// When the answer was complete.
        end_time: MaybeTime,
        /// The delegating client; null: unknown.
        client: MaybeText,
        /// The agent as recorded or configured; null: by `url`.
        agent: MaybeText,
        /// The agent's base URL.
        url: MaybeText,
        /// As on the wire.
        method: MaybeText,
        /// Whether it sets a push-notification configuration; else it submits a task.
        push_config: Flag,
        /// The protocol era that decides what a code means: `0.1`, `0.3` or `1.0`.
        era: Text,
        /// The task.
        task_id: MaybeText,
        /// The conversation.
        context_id: MaybeText,
        /// The skill asked for.
        skill_id: MaybeText,
        /// Binding hash of the card it was built from, as recorded.
        admitted_under: MaybeText,
        /// As written.
        accepted_output_modes: MaybeTexts,
        /// Streaming was asked for.
        stream: MaybeFlag,
        /// Push notifications were asked for.
        push: MaybeFlag,
        /// As the client recorded it, a value of the model's table; null: to be derived.
        outcome_recorded: MaybeText,
        /// JSON-RPC or A2A error code.
        rpc_code: MaybeInt,
        /// `ErrorInfo.reason`.
        error_reason: MaybeText,
        /// HTTP status.
        http_status: MaybeInt,
        /// gRPC status by its name, upper case.
        grpc_status: MaybeText,
        /// No answer came, or it broke off.
        transport_error: Flag,
        /// A stream had opened with a 2xx.
        opened: Flag,
        /// Derived as accepted, but its stream broke.
        broke: Flag,
        /// State of the task in the answer, in the model's spelling.
        task_state: MaybeText,
        /// Message, for people; redacted.
        error: MaybeText,
        /// Tasks that the message refers to.
        reference_task_ids: MaybeTexts,
        /// Trace id.
        trace_id: MaybeText,
        /// Span id.
        span_id: MaybeText,
        /// Other sources that saw the same exchange.
        seen_by: MaybeTexts,
        /// The source.
        source_file: Text,
        /// Line, from 1.
        source_line: Int,
        /// Byte, from 0.
        source_byte: Int,
    }
}

table! {
    /// What tasks went through.
    "task_events", TaskEventRow, TaskEvents {
        /// When the state changed.
        time: Time,
        /// What `time` was taken from.
        time_from: Text,
        /// The delegating client; null: unknown.
        client: MaybeText,
        /// The agent as recorded or configured; null: by `url`.
        agent: MaybeText,
        /// The agent's base URL.
        url: MaybeText,
        /// The task.
        task_id: Text,
        /// The conversation.
        context_id: MaybeText,
        /// In the model's spelling.
        state: Text,
        /// Binding hash of the card in force, as recorded.
        admitted_under: MaybeText,
        /// Trace id.
        trace_id: MaybeText,
        /// Span id.
        span_id: MaybeText,
        /// Other sources that saw the same exchange.
        seen_by: MaybeTexts,
        /// The source.
        source_file: Text,
        /// Line, from 1.
        source_line: Int,
        /// Byte, from 0.
        source_byte: Int,
    }
}

table! {
    /// Artifacts and chunks of artifacts.
    "artifacts", ArtifactRow, Artifacts {
        /// When it was received.
        time: Time,
        /// What `time` was taken from.
        time_from: Text,
        /// The delegating client; null: unknown.
        client: MaybeText,
        /// The agent as recorded or configured; null: by `url`.
        agent: MaybeText,
        /// The agent's base URL.
        url: MaybeText,
        /// The task.
        task_id: Text,
        /// The artifact.
        artifact_id: Text,
        /// The conversation.
        context_id: MaybeText,
        /// As written.
        media_type: MaybeText,
        /// Base media type: lower case, without parameters and `.vN`.
        media_base: MaybeText,
        /// Schema version as stated by the first extraction rule that hit.
        schema_stated: MaybeText,
        /// As compared.
        schema_normalised: MaybeText,
        /// Number of that rule, from 0.
        schema_rule: MaybeInt,
        /// As stated.
        digest: MaybeText,
        /// The digest as lower-case hex, when it is a SHA-256; empty when it claims to be one but
        /// has no such value, so that nothing matches it.
        digest_sha256: MaybeText,
        /// The recorder's own check: true is `pass`.
        digest_check: MaybeFlag,
        /// The record appends to the one before.
        append: Flag,
        /// The artifact is complete.
        last_chunk: Flag,
        /// A payload was recorded with this record.
        has_payload: Flag,
        /// SHA-256 of this record's text; null: none, or unknown.
        text_sha256: MaybeText,
        /// SHA-256 of this record's JSON in RFC 8785 form (a text that is JSON has both).
        json_sha256: MaybeText,
        /// SHA-256 of this record's file.
        bytes_sha256: MaybeText,
        /// Of a record that appends: `text_sha256` of the run that it ends, which begins with the
        /// last record that does not append; null when a record of the run has no payload.
        run_text_sha256: MaybeText,
        /// `json_sha256` of the run.
        run_json_sha256: MaybeText,
        /// `bytes_sha256` of the run.
        run_bytes_sha256: MaybeText,
        /// Length of the payload in bytes.
        payload_size_bytes: MaybeInt,
        /// The payload, redacted, when `--keep-payloads` was given.
        payload: MaybeText,
        /// What the client did with it.
        disposition: MaybeText,
        /// Trace id.
        trace_id: MaybeText,
        /// Span id.
        span_id: MaybeText,
        /// Number of the ingest into the store that read it, from 1; 0: without a store. Chunks of one
        /// artifact from several ingests are unchecked.
        ingest: Int,
        /// Other sources that saw the same exchange.
        seen_by: MaybeTexts,
        /// The source.
        source_file: Text,
        /// Line, from 1.
        source_line: Int,
        /// Byte, from 0.
        source_byte: Int,
        /// Place of the event among those of its record, from 0: chunks of a stream that was recorded
        /// whole may have one time.
        source_event: Int,
    }
}

table! {
    /// One row for each input.
    "sources", SourceRow, Sources {
        /// As given, joined with `/` below a directory.
        source_file: Text,
        /// Number of the ingest into the store that read it, from 1; 0: without a store.
        ingest: Int,
        /// SHA-256 of its decompressed content, hex.
        sha256: Text,
        /// Bytes on disk.
        size_bytes: Int,
        /// Bytes after decompression.
        content_bytes: Int,
        /// The reader's name.
        format: Text,
        /// `none`, `gzip`, `zstd`, and so on.
        compression: Text,
        /// Records read.
        records: Int,
        /// Records kept as they were.
        accepted: Int,
        /// Records kept after a repair.
        repaired: Int,
        /// Records left out.
        rejected: Int,
        /// Records all of whose events were known already.
        duplicate: Int,
        /// Blank records.
        blank: Int,
        /// Events.
        events: Int,
        /// Events that were known already.
        duplicate_events: Int,
        /// Accepted records that hold nothing of A2A.
        without_events: Int,
        /// Time of the first event.
        first_time: MaybeTime,
        /// Time of the last event.
        last_time: MaybeTime,
        /// The source ended early.
        truncated: Flag,
        /// Spans read, whatever they tell of.
        spans: Int,
        /// Spans that say their trace was kept by chance (head sampling).
        spans_by_chance: Int,
        /// The lowest probability that these tell.
        lowest_chance: MaybeRatio,
        /// Spans that say their trace was kept by what came of it (tail sampling).
        spans_by_outcome: Int,
        /// Spans of the same process that others name as their parent; of many traces a sample.
        parents: Int,
        /// Those of them that no source of that ingest holds.
        parents_missing: Int,
    }
}

table! {
    /// One row for each recorder (a client in a source) and each server that it told of: how far the
    /// server's clock may be ahead of the recorder's.
    "clocks", ClockRow, Clocks {
        /// The source.
        source_file: Text,
        /// The client; null: unknown.
        client: MaybeText,
        /// Scheme, host and port.
        server: Text,
        /// What the server's time was taken from: `date` (the header) or `span` (its own).
        evidence: Text,
        /// How many exchanges tell of it.
        exchanges: Int,
        /// The server is ahead by at least this: the largest that an exchange tells; nanoseconds.
        ahead_min_ns: Int,
        /// The server is ahead by at most this: the smallest that an exchange tells; nanoseconds.
        ahead_max_ns: Int,
    }
}

table! {
    /// One row for each record left out or repaired, and each assumption made for one.
    "problems", ProblemRow, Problems {
        /// The source.
        source_file: Text,
        /// Line, from 1.
        source_line: Int,
        /// Byte, from 0.
        source_byte: Int,
        /// Code, for example `CD101`.
        code: Text,
        /// `note`, `repaired`, `data_loss` or `error`.
        severity: Text,
        /// What is wrong.
        kind: Text,
        /// RFC 6901 pointer within the record; empty: the record itself.
        pointer: Text,
        /// What was expected and found.
        detail: Text,
    }
}

/// All tables.
pub fn all() -> Vec<TableInfo> {
    macro_rules! infos {
        ($($builder:ident),* $(,)?) => {
            vec![$(TableInfo { name: $builder::NAME, columns: $builder::columns(), schema: $builder::schema() }),*]
        };
    }
    infos![
        CardFetches,
        Cards,
        CardSkills,
        CardModes,
        CardSchemas,
        CardInterfaces,
        Attempts,
        TaskEvents,
        Artifacts,
        Sources,
        Clocks,
        Problems,
    ]
}
