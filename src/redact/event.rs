//! Every text of an event, before it becomes a row.

use super::{CleanTexts, Redactor};
use crate::event::{Artifact, Attempt, CardFetch, Common, Event, TaskStatus, Text};
use std::borrow::Cow;

impl Redactor {
    /// Replaces the secrets in all texts of an event. Bodies of cards and payloads stay: hashes and
    /// digests are taken from them first, and what is stored of them passes [`Redactor::card_body`]
    /// or [`Redactor::json`] on its own. True: something was replaced. `clean` is what the thread
    /// remembers.
    pub fn event(&self, event: &mut Event<'_>, clean: &mut CleanTexts) -> bool {
        let mut pass = Pass { redactor: self, clean, changed: false };
        match event {
            Event::Card(event) => pass.card(event),
            Event::Attempt(event) => pass.attempt(event),
            Event::Status(event) => pass.status(event),
            Event::Artifact(event) => pass.artifact(event),
        }
        pass.changed
    }
}

struct Pass<'k> {
    redactor: &'k Redactor,
    clean: &'k mut CleanTexts,
    changed: bool,
}

impl Pass<'_> {
    fn text(&mut self, text: &mut Text<'_>) {
        self.replace(text, false, Redactor::text);
    }

    fn url(&mut self, url: &mut Text<'_>) {
        self.replace(url, true, Redactor::url);
    }

    fn replace(
        &mut self,
        text: &mut Text<'_>,
        is_url: bool,
        redact: impl for<'t> Fn(&Redactor, &'t str) -> Cow<'t, str>,
    ) {
        let Err(place) = self.clean.knows(text, is_url) else { return };
        match redact(self.redactor, text) {
            Cow::Borrowed(_) => place.remember(),
            Cow::Owned(clean) => {
                *text = Cow::Owned(clean);
                self.changed = true;
            }
        }
    }

    fn all<'e, 't: 'e>(&mut self, texts: impl IntoIterator<Item = &'e mut Option<Text<'t>>>) {
        for text in texts.into_iter().flatten() {
            self.text(text);
        }
    }

    fn common(&mut self, common: &mut Common<'_>) {
        self.all([&mut common.client, &mut common.trace_id, &mut common.span_id]);
        // An agent may be known by its URL.
        for url in [&mut common.agent, &mut common.url].into_iter().flatten() {
            self.url(url);
        }
    }

    fn card(&mut self, event: &mut CardFetch<'_>) {
        self.common(&mut event.common);
        if let Some(registry) = &mut event.registry {
            self.url(registry);
        }
        self.all([
            &mut event.etag,
            &mut event.cache_control,
            &mut event.last_modified,
            &mut event.variant,
            &mut event.error,
        ]);
    }

    fn attempt(&mut self, event: &mut Attempt<'_>) {
        self.common(&mut event.common);
        self.all([
            &mut event.method,
            &mut event.protocol_version,
            &mut event.task_id,
            &mut event.context_id,
            &mut event.skill_id,
            &mut event.admitted_under,
            &mut event.outcome,
            &mut event.task_state,
            &mut event.grpc_status,
            &mut event.error_reason,
            &mut event.transport_error,
            &mut event.error,
        ]);
        for texts in [&mut event.accepted_output_modes, &mut event.reference_task_ids] {
            texts.iter_mut().flatten().for_each(|text| self.text(text));
        }
    }

    fn status(&mut self, event: &mut TaskStatus<'_>) {
        self.common(&mut event.common);
        self.text(&mut event.task_id);
        self.text(&mut event.state);
        self.all([&mut event.context_id, &mut event.admitted_under]);
    }

    fn artifact(&mut self, event: &mut Artifact<'_>) {
        self.common(&mut event.common);
        self.text(&mut event.task_id);
        self.text(&mut event.artifact_id);
        if let Some((_, schema)) = &mut event.schema {
            self.text(schema);
        }
        self.all([
            &mut event.context_id,
            &mut event.media_type,
            &mut event.digest,
            &mut event.disposition,
        ]);
    }
}
