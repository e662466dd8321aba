//! Who an agent and a registry are: configured names, URL prefixes, and URLs without what is no
//! part of an identity (model §1 *Identity*).

use crate::a2a::rest::well_known_base;
use crate::config::Config;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use url::Url;

/// The configured identities.
#[derive(Debug, Default)]
pub struct Identities {
    names: HashMap<String, String>,
    agent_prefixes: Vec<(String, String)>,
    registry_prefixes: Vec<(String, String)>,
}

/// What a URL tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlFacts {
    /// Without user info, query and fragment.
    pub url: String,
    /// Scheme, host and port; `None` when the text is no URL with a host.
    pub origin: Option<String>,
    /// The path is a well-known one of Agent Cards.
    pub well_known: bool,
    /// The registry that serves it, were it a card's URL.
    pub registry: Option<String>,
    /// The configured agent whose prefix it begins with.
    pub agent: Option<String>,
}

impl UrlFacts {
    /// The URL as an agent's base: without a trailing slash.
    pub fn base(&self) -> &str {
        self.url.trim_end_matches('/')
    }
}

impl Identities {
    /// Of `[agents]` and `[registries]`.
    pub fn new(config: &Config) -> Self {
        let mut identities = Self::default();
        for (identity, names) in &config.agents {
            for name in names {
                if name.contains("://") {
                    identities.agent_prefixes.push((cleaned(name).0, identity.clone()));
                }
                identities.names.insert(name.clone(), identity.clone());
            }
        }
        for (name, prefixes) in &config.registries {
            for prefix in prefixes {
                identities.registry_prefixes.push((cleaned(prefix).0, name.clone()));
            }
        }
        // The longest prefix first; of equal ones the first name.
        let order = |a: &(String, String), b: &(String, String)| {
            b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b))
        };
        identities.agent_prefixes.sort_by(order);
        identities.registry_prefixes.sort_by(order);
        identities
    }

    /// The identity that a recorded name of an agent stands for: a configured one, else itself.
    pub fn agent<'n>(&'n self, name: &'n str) -> Cow<'n, str> {
        self.agent_in(name, &mut UrlMemory::default())
    }

    /// The same, with what a thread remembers of URLs.
    pub fn agent_in<'n>(&'n self, name: &'n str, urls: &mut UrlMemory) -> Cow<'n, str> {
        if let Some(identity) = self.names.get(name) {
            return Cow::Borrowed(identity);
        }
        let url = holds_scheme(name);
        if url
            && !self.agent_prefixes.is_empty()
            && let Some(identity) = &urls.facts(self, name).agent
        {
            return Cow::Owned(identity.clone());
        }
        if url && name.contains('@') {
            return Cow::Owned(without_user_info(name));
        }
        Cow::Borrowed(name)
    }

    /// What a URL tells.
    pub fn url(&self, text: &str) -> UrlFacts {
        let (url, parsed) = cleaned(text);
        let agent = longest(&self.agent_prefixes, &url).map(str::to_owned);
        let configured = longest(&self.registry_prefixes, &url).map(str::to_owned);
        let Some(parsed) = parsed else {
            return UrlFacts {
                well_known: well_known_base(&url).is_some(),
                url,
                origin: None,
                registry: configured,
                agent,
            };
        };
        let origin = origin(&parsed);
        let path = parsed.path();
        let well_known = well_known_base(path).is_some();
        let registry = configured.or_else(|| {
            let origin = origin.as_deref()?;
            let first = path.split('/').find(|segment| !segment.is_empty());
            Some(match first {
                Some(first) if !well_known => format!("{origin}/{first}"),
                _ => origin.to_owned(),
            })
        });
        UrlFacts { url, origin, well_known, registry, agent }
    }
}

/// Whether `://` is in it. (The search of the standard library takes longer to begin than this to end.)
fn holds_scheme(name: &str) -> bool {
    memchr::memchr_iter(b':', name.as_bytes())
        .any(|at| name.get(at..).is_some_and(|rest| rest.starts_with("://")))
}

/// The URL without user info, query and fragment, and what it was parsed into.
fn cleaned(text: &str) -> (String, Option<Url>) {
    if let Ok(mut url) = Url::parse(text)
        && url.has_host()
    {
        url.set_query(None);
        url.set_fragment(None);
        // Neither can fail for a URL with a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        return (url.as_str().to_owned(), Some(url));
    }
    let end = text.find(['?', '#']).unwrap_or(text.len());
    (without_user_info(text.get(..end).unwrap_or_default()), None)
}

/// What no URL parser takes, without what looks like user info.
fn without_user_info(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

fn origin(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    })
}

/// The name of the first prefix that ends within `url` at a segment's end.
fn longest<'p>(prefixes: &'p [(String, String)], url: &str) -> Option<&'p str> {
    let found = prefixes.iter().find(|(prefix, _)| {
        let prefix = prefix.trim_end_matches('/');
        url.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    found.map(|(_, name)| name.as_str())
}

/// How many URLs are remembered.
const REMEMBERED_URLS: usize = 4096;

/// Remembers what URLs told: recordings repeat a few.
#[derive(Debug, Default)]
pub struct UrlMemory {
    known: HashMap<String, Arc<UrlFacts>>,
}

impl UrlMemory {
    /// What a URL tells.
    pub fn facts(&mut self, identities: &Identities, text: &str) -> Arc<UrlFacts> {
        if let Some(facts) = self.known.get(text) {
            return Arc::clone(facts);
        }
        if self.known.len() >= REMEMBERED_URLS {
            self.known.clear();
        }
        let facts = Arc::new(identities.url(text));
        self.known.insert(text.to_owned(), Arc::clone(&facts));
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identities() -> Identities {
        let config = r#"
            [agents]
            "agent://b/s" = ["https://s.b.example/rpc", "https://proxy.example/b", "old name"]
            "agent://b/t" = ["https://s.b.example/rpc/t"]
            [registries]
            r1 = ["https://r1.example/"]
            eu = ["https://r1.example/eu"]
        "#;
        Identities::new(&toml::from_str(config).unwrap())
    }

    #[test]
    fn agents_by_name_and_by_prefix() {
        let known = identities();
        assert_eq!(known.agent("old name"), "agent://b/s");
        assert_eq!(known.agent("https://proxy.example/b/x?q=1"), "agent://b/s");
        assert_eq!(known.agent("https://s.b.example/rpc/t/"), "agent://b/t");
        assert_eq!(known.agent("https://s.b.example/rpcs"), "https://s.b.example/rpcs");
        assert_eq!(known.agent("https://u:p@s.c.example/"), "https://s.c.example/");
        assert_eq!(known.url("https://s.b.example/rpc").agent.as_deref(), Some("agent://b/s"));
        assert_eq!(known.url("https://s.b.example/").agent, None);
    }

    #[test]
    fn registries_of_urls() {
        let known = identities();
        let registry = |url: &str| known.url(url).registry.unwrap();
        assert_eq!(registry("https://r1.example/agents/7"), "r1");
        assert_eq!(registry("https://r1.example/eu/card"), "eu");
        assert_eq!(registry("https://R2.example:443/us/card?v=1"), "https://r2.example/us");
        assert_eq!(
            registry("https://r2.example:8443/us/.well-known/agent.json"),
            "https://r2.example:8443"
        );
        assert_eq!(registry("http://r2.example"), "http://r2.example");
        assert_eq!(known.url("no url").registry, None);
    }

    #[test]
    fn what_is_no_part_of_an_identity() {
        let facts = identities().url("https://user:secret@H.example/a/b/?token=x#y");
        assert_eq!(facts.url, "https://h.example/a/b/");
        assert_eq!(facts.base(), "https://h.example/a/b");
        assert_eq!(facts.origin.as_deref(), Some("https://h.example"));
        assert_eq!(identities().url("h:80 x://u:p@k/a?b").url, "h:80 x://k/a");
        assert!(identities().url("http://h/x/.well-known/agent-card.json").well_known);
    }
}
