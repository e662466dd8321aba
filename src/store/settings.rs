//! The settings that act at ingest, as one hash.

use crate::a2a::digest::sha256_hex;
use crate::config::Config;
use serde_json::json;

/// SHA-256 over `[client]`, `[agents]`, `[registries]`, `[extract]` and `[[mapping]]`, hex.
pub fn fingerprint(config: &Config) -> String {
    let extract = &config.extract;
    let acting = json!({
        "client": { "header": config.client.header },
        "agents": config.agents,
        "registries": config.registries,
        "extract": {
            "artifact_schema": extract.artifact_schema,
            "card_schema": extract.card_schema,
            "skill": extract.skill,
            "digest": extract.digest,
        },
        "mapping": config.mapping,
    });
    sha256_hex(acting.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_when_querying_changes_nothing() {
        let of = |text: &str| fingerprint(&toml::from_str(text).unwrap());
        let plain = of("");
        assert_eq!(of("[thresholds]\nflap_s = 1"), plain);
        assert_eq!(of("[authorities]\n\"a\" = \"r\""), plain);
        for other in
            ["[agents]\na = [\"b\"]", "[client]\nheader = \"x\"", "[extract]\nskill = [\"/a\"]"]
        {
            assert_ne!(of(other), plain, "{other}");
        }
    }
}
