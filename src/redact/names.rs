//! Names whose values are secrets: of headers, of URL parameters, of members of JSON objects.

/// A name in lower case without `-` and `_`, when it is short enough to be one of ours.
fn plain(name: &str) -> Option<String> {
    (name.len() <= 64).then(|| {
        name.chars()
            .filter(|c| !matches!(c, '-' | '_' | '.'))
            .map(|c| c.to_ascii_lowercase())
            .collect()
    })
}

/// Names that are secrets wherever they stand.
const SECRETS: [&str; 25] = [
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "credential",
    "credentials",
    "authorization",
    "cookie",
    "cookies",
    "jwt",
    "jws",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "subscriptionkey",
    "accountkey",
    "sessionid",
    "sessionkey",
    "authkey",
    "signingkey",
    "xapikey",
    "bearer",
];

/// A longer name that ends so is one, too: `access_token`, `clientSecret`, `x-goog-api-key`.
const ENDINGS: [&str; 16] = [
    "token",
    "secret",
    "password",
    "passwd",
    "credential",
    "credentials",
    "authorization",
    "cookie",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "subscriptionkey",
    "functionskey",
    "sessionid",
    "sessid",
];

/// Names that end like secrets and are none.
const HARMLESS: [&str; 6] = [
    "pagetoken",
    "nextpagetoken",
    "continuationtoken",
    "canceltoken",
    "nexttoken",
    "idempotencytoken",
];

/// Parameters of URLs that are secrets beside those.
const PARAMETERS: [&str; 14] = [
    "sig",
    "signature",
    "xamzsignature",
    "xgoogsignature",
    "xamzcredential",
    "key",
    "auth",
    "code",
    "hmac",
    "pass",
    "session",
    "ticket",
    "samlresponse",
    "samlrequest",
];

fn is_secret(plain: &str) -> bool {
    SECRETS.contains(&plain)
        || (ENDINGS.iter().any(|ending| plain.ends_with(ending)) && !HARMLESS.contains(&plain))
}

/// Whether the value of this header is a secret.
pub fn is_secret_header(name: &str) -> bool {
    plain(name)
        .is_some_and(|name| is_secret(&name) || name.ends_with("signature") || name == "xapikey")
}

/// Whether the value of this URL parameter is a secret.
pub fn is_secret_parameter(name: &str) -> bool {
    plain(name).is_some_and(|name| is_secret(&name) || PARAMETERS.contains(&name.as_str()))
}

/// Whether a text after this name and `=` or `:` is a secret, and so is a string in a JSON object.
pub fn is_secret_member(name: &str) -> bool {
    plain(name).is_some_and(|name| is_secret(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_all_spellings() {
        for name in [
            "Authorization",
            "Proxy-Authorization",
            "Cookie",
            "Set-Cookie",
            "X-API-Key",
            "x-goog-api-key",
            "X-A2A-Notification-Token",
            "X-Amz-Security-Token",
            "X-Hub-Signature",
            "Ocp-Apim-Subscription-Key",
        ] {
            assert!(is_secret_header(name), "{name}");
        }
        for name in [
            "Content-Type",
            "ETag",
            "Date",
            "A2A-Version",
            "Idempotency-Key",
            "Host",
            "traceparent",
        ] {
            assert!(!is_secret_header(name), "{name}");
        }
        for name in
            ["token", "access_token", "api_key", "sig", "X-Amz-Signature", "key", "client_secret"]
        {
            assert!(is_secret_parameter(name), "{name}");
        }
        for name in ["version", "page", "pageToken", "format", "id"] {
            assert!(!is_secret_parameter(name), "{name}");
        }
        for name in ["token", "credentials", "clientSecret", "accessToken", "idToken"] {
            assert!(is_secret_member(name), "{name}");
        }
        for name in ["tokenUrl", "signature", "key", "tokens", "maxTokens", "schemes", "state"] {
            assert!(!is_secret_member(name), "{name}");
        }
    }
}
