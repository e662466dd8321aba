#!/usr/bin/env python3
"""carddrift oracle: a brute-force reading of the model for the journal format.

Clarity far above speed. Times are ints (ns). No configuration. `oracle.py FILE.ndjson` prints {query: [rows]}.
Section numbers in comments are those of model.md. Where the model leaves a choice see AMBIGUOUS.md; the
choices that a reader may want to flip are in CHOICES (override: ORACLE_CHOICES='{"name": false}').
"""
import base64, hashlib, json, math, os, re, sys
from datetime import datetime, timezone, timedelta

S = 10**9                       # one second in ns
FLAP, STORM_GAP, STORM_MIN, GRACE = 600 * S, 300 * S, 3, 3600 * S
Z = 1.959963984540054

CHOICES = {   # name: what True means; False is the other reading. The numbers are those of AMBIGUOUS.md.
    "recorded_registry_any_agent": True,        # A1  recorded hash: its registry may come from a fetch for another agent
    "only_one_of_range": True,                  # A2  whole payload: "the only one" of the range, not of the artifact
    "unknown_fetch_spoils_nonconforming": True, # A3  a successful fetch of an unknown card is a card whose content is not known
    "first_epoch_after_is_start": True,         # A4  the first epoch's `rotated_after` is its start; False: minus infinity
    "answered_failed_is_midstream": True,       # A5  an attempt answered with the state `failed` is midstream; False: accepted
    "published_before_arrival": True,           # A6  "had never published before": before the arrival; False: before the date less age
    "null_last_in_order": True,                 # A7  order of events: null last
    "client_of_refused_counts": True,           # A8  "first event that names one" includes refused attempts
    "push_config_makes_task": True,             # A9  an accepted push configuration makes its task exist
    "cache_registry_unseen": True,              # A10 "the only registry seen": cache records do not count
    "latest_200_may_be_unknown": True,          # A11 a 304 that meets a 200 of an unknown card stays unknown; False: looks further back
    "skill_of_the_attempt_only": True,          # A12 the task's skill is that of its attempt; False: else of any attempt of the task
    "broken_submission_is_last": True,          # A13 a midstream submission is a "last accepted submission" too
    "before_failed_by_order": True,             # A14 "before a task's failed status": in the order of events; False: strictly earlier
    "loop_run_per_card": True,                  # A15 incidents under other cards do not break a run
    "failed_fetch_declares": True,              # A16 a flagged fetch declares although it failed
    "age_of_any_answer": True,                  # A17 "any of whose answers carries an Age": failures and unresolved ones too
    "unknown_schema_is_no_other": True,         # A18 a mirror's card of unknown content does not show "another schema"
    "late_answer_not_of_epoch": True,           # A19 an old answer that arrives after the rotation bounds nothing
    "refused_state_counts": True,               # A20 the state a refused attempt was answered with is a state of the task
    "contract_schema_normalised": True,         # A21 "3" and "3.0" in two cards are one contract
    "unversioned_mode_falls_back": True,        # A22 the skill's mode of that base states no version: look at the defaults
    "media_type_first": True,                   # A23 the artifact's media type is the first stated; False: the last
    "answer_epoch_by_ask": True,                # A24 staleness (with publishes): the epoch in force when asked; False: at the date less age, if also asked for in it
    "order_by_derived_outcome": True,           # A25 order of events: `outcome` is the recorded or else the derived one; False: only a recorded one
    "order_state_of_statuses_only": True,       # A26 order of events: `state` is not an attempt's task_state
    "order_card_of_admitted_under": True,       # A27 order of events: `card` of attempts and statuses is their admitted_under; False: null
    "observed_epoch_is_earlier": True,          # A28 (with publishes) a contract of an earlier, observed epoch is stale, though never published
}
CHOICES.update(json.loads(os.environ.get("ORACLE_CHOICES", "{}")))

COLUMNS = {   # interface.md; the number is how many leading columns are marked with a dagger
    "bindings": (3, "task_id artifact_id agent client registry admitted_at admission_evidence card card_etag card_schema "
                    "artifact_at artifact_schema digest_status task_state verdict reason silent cause cause_certain action "
                    "source_file source_line disposition"),
    "rotations": (2, "agent rotation authority authority_source rotated_after rotated_at from_card to_card from_schema "
                     "to_schema changed skills_added skills_removed stale_at_source"),
    "registry_lag": (3, "agent registry rotation rotated_at last_old_at caught_up_at lag_s lag_min_s lag_max_s status "
                        "last_stale_at distinguishable"),
    "split_brain_rate": (3, "agent registry rotation opened_at closed_at status tasks completed verifiable split_brain rate "
                            "rate_low rate_high silent unverifiable after_tasks after_verifiable after_split_brain after_rate"),
    "replays": (3, "client agent first_failed_at last_failed_at card failed_attempts replays skills errors ended_by"),
    "retry_storms": (3, "agent started_at card ended_at clients failed_attempts replays peak_per_minute skills errors"),
    "drift_incidents": (3, "client agent rejected_at outcome skill_id card failed_attempts refetched_at refetched_card result "
                           "skill_still_advertised changed skills_added skills_removed loop mode_still_advertised"),
    "actions": (5, "action agent target card_etag reason tasks first_at last_at"),
    "summary": (0, "tasks completed verifiable split_brain rate rate_low rate_high silent corrupt no_digest consistent "
                   "unverifiable without_artifact no_admission_card card_not_in_archive card_declares_no_schema "
                   "artifact_declares_no_schema window_verifiable window_split_brain window_rate window_silent "
                   "after_verifiable after_split_brain after_rate attempts accepted transport rate_limited task_error "
                   "rejections replays replays_unknown_client storms loops card_fetches cards rotations windows_open "
                   "lag_p50_s lag_p95_s lag_longest_s"),
    "slo_daily": (3, "day agent registry verifiable split_brain corrupt digest_match digest_mismatch binding_sli integrity_sli"),
}
COLUMNS = {q: (n, c.split()) for q, (n, c) in COLUMNS.items()}
OUTCOMES = ["accepted", "transport", "rate_limited", "task_error", "auth", "capability", "midstream", "other"]
REJECTIONS = {"capability", "auth", "midstream", "other"}
TERMINAL = {"completed", "failed", "canceled", "rejected"}


# ---------------------------------------------------------------- JSON, RFC 8785, time
class Num:
    """A JSON number that remembers its text (model §8: 'a JSON number is its text')."""
    def __init__(self, text): self.text = text
    def value(self): return float(self.text)


def loads(text):
    def no(c): raise ValueError(c)
    return json.loads(text, parse_int=Num, parse_float=Num, parse_constant=no)


def es6_number(x):
    if x == 0: return "0"
    sign, x = ("-", -x) if x < 0 else ("", x)
    m = re.fullmatch(r"(\d)(?:\.(\d+))?e([+-]\d+)", format_shortest(x))
    digits, exp = m[1] + (m[2] or ""), int(m[3])
    n, k = exp + 1, len(digits)
    if k <= n <= 21: out = digits + "0" * (n - k)
    elif 0 < n <= 21: out = digits[:n] + "." + digits[n:]
    elif -6 < n <= 0: out = "0." + "0" * -n + digits
    else: out = digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + ("+" if n > 0 else "-") + str(abs(n - 1))
    return sign + out


def format_shortest(x):
    for p in range(0, 18):
        t = f"{x:.{p}e}"
        if float(t) == x: return t
    raise AssertionError


def jcs(v):
    if isinstance(v, Num): return es6_number(v.value())
    if isinstance(v, (dict,)):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + jcs(v[k])
                              for k in sorted(v, key=lambda s: s.encode("utf-16-be", "surrogatepass"))) + "}"
    if isinstance(v, list): return "[" + ",".join(map(jcs, v)) + "]"
    return json.dumps(v, ensure_ascii=False)        # str, True, False, None


def parse_time(v):
    """RFC 3339 or unix ns (integer or decimal string) to ns; None when it does not fit."""
    if isinstance(v, Num): v = v.text
    if not isinstance(v, str): return None
    if re.fullmatch(r"-?\d+", v):
        ns = int(v)
    else:
        m = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:?\d\d)?", v)
        if not m: return None
        try: d = datetime(*map(int, m.groups()[:6]), tzinfo=timezone.utc)
        except ValueError: return None
        ns = ((d - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(seconds=1)) * S
        ns += int((m[7] or "0")[:9].ljust(9, "0"))
        z = m[8]
        if z and z not in "Zz":
            off = (int(z[1:3]) * 60 + int(z[-2:])) * 60 * S
            ns += -off if z[0] == "+" else off
    return ns if -2**63 <= ns < 2**63 else None


def show_time(ns):
    if ns is None: return None
    s, f = divmod(ns, S)
    t = (datetime(1970, 1, 1) + timedelta(seconds=s)).strftime("%Y-%m-%dT%H:%M:%S")
    return t + (f".{f:09d}".rstrip("0") if f else "") + "Z"


def seconds(ns): return None if ns is None else ns / S
def text_or_none(v): return v if isinstance(v, str) and v != "" else None
def int_or_none(v): return int(v.text) if isinstance(v, Num) and re.fullmatch(r"-?\d+", v.text) else None
def scalar(v):
    """Text of a version as stated, or None ('an empty string is absent; a JSON number is its text')."""
    t = v.text if isinstance(v, Num) else v if isinstance(v, str) else None
    return t if t is not None and norm(t) is not None else None


# ---------------------------------------------------------------- versions and media types (§6, §8)
def norm(v):
    """§6: trim, drop surrounding quotes (repeatedly), drop v before a digit, drop trailing .0 groups; empty is absent."""
    if v is None: return None
    v = v.strip()
    while len(v) >= 2 and v[0] == v[-1] and v[0] in "\"'": v = v[1:-1].strip()
    if re.match(r"[vV]\d", v): v = v[1:]
    while v.endswith(".0"): v = v[:-2]
    return v or None


def media(m):
    """(base, version as stated or None) of a media type."""
    head, *params = m.split(";")
    base = head.strip().lower()
    version = None
    for p in params:
        k, _, val = p.partition("=")
        if k.strip().lower() == "version" and version is None: version = scalar(val.strip().strip('"'))
    x = re.fullmatch(r"(.*)\.v(\d+)(\+[^+]*)?", base)
    if x:
        base = x[1] + (x[3] or "")
        if version is None: version = x[2]
    return base, version


# ---------------------------------------------------------------- cards (§2, §8)
def get(v, *path):
    for p in path:
        if not isinstance(v, dict): return None
        v = v.get(p)
    return v


def lst(v): return v if isinstance(v, list) else []
def strs(v): return [x for x in lst(v) if isinstance(x, str)]


class Card:
    """The content of one body that is an Agent Card."""
    def __init__(self, j):
        self.j = j
        self.skills = {}
        dflt_in, dflt_out = strs(get(j, "defaultInputModes")), strs(get(j, "defaultOutputModes"))
        self.default_out = dflt_out
        self.all_out = list(dflt_out)
        self.own_out = {}
        for s in lst(get(j, "skills")):
            i = text_or_none(get(s, "id"))
            if i is None: continue
            own_in, own_out = strs(get(s, "inputModes")), strs(get(s, "outputModes"))
            self.own_out[i] = own_out
            self.all_out += own_out
            self.skills[i] = (frozenset(own_in or dflt_in), frozenset(own_out or dflt_out))
        cap = get(j, "capabilities")
        exts = [x for x in lst(get(cap, "extensions")) if isinstance(x, dict)]
        ext_versions = [v for v in (scalar(get(x, "params", "schemaVersion")) or scalar(get(x, "params", "artifactSchema", "version"))
                                    for x in exts) if v]
        self.rule1 = scalar(get(j, "artifactSchema", "version"))
        self.rule2 = ext_versions[0] if len({norm(v) for v in ext_versions}) == 1 else None
        mime = get(j, "artifact", "mimeType")
        self.rule4 = media(mime)[1] if isinstance(mime, str) else None
        mode_versions = [v for v in (media(m)[1] for m in self.all_out) if v]
        self.rule5 = mode_versions[0] if len({norm(v) for v in mode_versions}) == 1 else None
        # §2 "the artifact schema version (§8, without the third rule)"
        self.plain_schema = self.rule1 or self.rule2 or self.rule4 or self.rule5
        self.facets = {
            "skills": frozenset(self.skills),
            "modes": (frozenset(dflt_in), frozenset(dflt_out), frozenset(self.skills.items())),
            "capabilities": (get(cap, "streaming") is True, get(cap, "pushNotifications") is True,
                             frozenset((x.get("uri"), x.get("required") is True,
                                        jcs(x["params"]) if x.get("params") is not None else None) for x in exts)),
            "security": self.security(),
            "protocol": self.protocol(),
            "schema": norm(self.plain_schema) if CHOICES["contract_schema_normalised"] else self.plain_schema,
        }
        self.contract = "contract:" + hashlib.sha256(repr(deep(self.facets)).encode()).hexdigest()

    def security(self):
        wrap = {"apiKeySecurityScheme": "apiKey", "httpAuthSecurityScheme": "http", "oauth2SecurityScheme": "oauth2",
                "openIdConnectSecurityScheme": "openIdConnect", "mtlsSecurityScheme": "mutualTLS"}
        def strip(v, key=None):
            if isinstance(v, dict):
                if key == "scopes": return {k: "" for k in v}           # the values are descriptions
                return {k: strip(x, k) for k, x in v.items() if k != "description"}
            return [strip(x) for x in v] if isinstance(v, list) else v
        schemes = set()
        for name, s in (get(self.j, "securitySchemes") or {}).items():
            if isinstance(s, dict) and "type" not in s:
                for w, t in wrap.items():
                    if isinstance(s.get(w), dict): s = {"type": t, **s[w]}; break
            schemes.add((name, jcs(strip(s))))
        reqs = set()
        for r in lst(get(self.j, "security")):
            reqs.add(frozenset((n, frozenset(strs(sc))) for n, sc in r.items()))
        for r in lst(get(self.j, "securityRequirements")):
            reqs.add(frozenset((n, frozenset(strs(get(sc, "list")))) for n, sc in (get(r, "schemes") or {}).items()))
        return frozenset(schemes), frozenset(reqs)

    def protocol(self):
        ifs = lst(get(self.j, "supportedInterfaces"))
        if ifs: return frozenset(text_or_none(get(i, "protocolVersion")) for i in ifs)
        return frozenset([text_or_none(get(self.j, "protocolVersion"))])

    def interface_urls(self):
        ifs = [get(i, "url") for i in lst(get(self.j, "supportedInterfaces"))]
        return [u for u in ifs + [get(self.j, "url")] + [get(i, "url") for i in lst(get(self.j, "additionalInterfaces"))]
                if isinstance(u, str)]

    def preferred_url(self):
        ifs = lst(get(self.j, "supportedInterfaces"))
        return text_or_none(get(ifs[0], "url")) if ifs else text_or_none(get(self.j, "url"))

    def schemas(self, media_type, skill):
        """§8 card schema for one artifact's media type and one task's skill: the list of versions as stated, in order."""
        if self.rule1: return [self.rule1]
        if self.rule2: return [self.rule2]
        if media_type is not None:
            base = media(media_type)[0]
            for modes in (self.own_out.get(skill, []), self.default_out):
                found = [media(m)[1] for m in modes if media(m)[0] == base and media(m)[1]]
                if found: return found
                if not CHOICES["unversioned_mode_falls_back"] and any(media(m)[0] == base for m in modes): break
        if self.rule4: return [self.rule4]
        if self.rule5: return [self.rule5]
        return []


def deep(v):
    """A canonical, printable form of nested frozensets."""
    if isinstance(v, frozenset): return ("set", sorted((deep(x) for x in v), key=repr))
    if isinstance(v, dict): return {k: deep(x) for k, x in sorted(v.items())}
    if isinstance(v, tuple): return tuple(deep(x) for x in v)
    return v


def differences(a, b):
    """Facets in which two cards differ, skills added and removed (§2)."""
    changed = []
    for f in ("skills", "modes", "capabilities", "security", "protocol", "schema"):
        if f == "modes":
            both = set(a.skills) & set(b.skills)
            if a.facets["modes"][:2] != b.facets["modes"][:2] or any(a.skills[s] != b.skills[s] for s in both): changed.append(f)
        elif a.facets[f] != b.facets[f]: changed.append(f)
    return sorted(changed), sorted(set(b.skills) - set(a.skills)), sorted(set(a.skills) - set(b.skills))


# ---------------------------------------------------------------- events (§1)
class Event: pass


def state_of(s):
    t = s.strip().lower()
    if t.startswith("task_state_"): t = t[len("task_state_"):]
    t = t.replace("_", "-")
    t = {"cancelled": "canceled", "unspecified": "unknown"}.get(t, t)
    return t if t in TERMINAL | {"submitted", "working", "input-required", "auth-required"} else "unknown"


def read(path):
    """The records of a journal as events; those that lack what their event needs (before identity) are left out."""
    events = []
    for number, line in enumerate(open(path, "rb").read().split(b"\n"), 1):
        if not line.strip(): continue
        try: j = loads(line.decode("utf-8"))
        except ValueError: continue
        if not isinstance(j, dict): continue
        e = Event()
        e.line, e.kind, e.time = number, j.get("event"), parse_time(j.get("time"))
        if e.time is None: continue
        for f in ("client", "agent", "trace_id", "span_id", "registry", "url", "etag", "cache_control", "last_modified", "error",
                  "method", "protocol_version", "task_id", "context_id", "skill_id", "outcome", "grpc_status", "error_reason",
                  "transport_error", "artifact_id", "media_type", "digest", "digest_check", "disposition"):
            setattr(e, f, text_or_none(j.get(f)))
        for f in ("authority", "from_cache", "stream", "push", "append", "last_chunk"):
            setattr(e, f, j.get(f) if isinstance(j.get(f), bool) else None)
        for f in ("age_s", "http_status", "rpc_code"): setattr(e, f, int_or_none(j.get(f)))
        under = text_or_none(j.get("admitted_under"))
        e.admitted_under = under.lower() if under else None
        e.sent_at = parse_time(j.get("sent_at")) if j.get("sent_at") is not None else None
        e.end_time = parse_time(j.get("end_time")) if j.get("end_time") is not None else None
        e.status = int_or_none(j.get("status")) if j.get("status") is not None else 200
        e.accepted_output_modes = strs(j.get("accepted_output_modes"))
        e.task_state = state_of(j["task_state"]) if text_or_none(j.get("task_state")) else None
        e.state = state_of(j["state"]) if text_or_none(j.get("state")) else None
        e.schema_version = scalar(j.get("schema_version"))
        e.payload = j.get("payload")
        if e.payload is None and text_or_none(j.get("payload_base64")): e.payload = base64.b64decode(j["payload_base64"])
        e.body = None                                    # exact bytes of a card
        c = j.get("card")
        if isinstance(c, str): e.body = c.encode()
        elif isinstance(c, dict): e.body = jcs(c).encode()
        elif text_or_none(j.get("card_base64")): e.body = base64.b64decode(j["card_base64"])
        e.hash = hashlib.sha256(e.body).hexdigest() if e.body is not None else \
            j["card_sha256"].lower() if text_or_none(j.get("card_sha256")) else None
        need = {"card_publish": e.hash, "card_fetch": True, "attempt": True, "task_status": e.task_id and e.state,
                "artifact": e.task_id and e.artifact_id}.get(e.kind)
        if not need: continue
        if e.kind == "attempt": e.base_outcome = e.outcome or derive(e)
        if e.kind.startswith("card_"):
            if e.registry is None and e.url: e.registry = registry_of(e.url)
            if e.registry is None: continue
            if e.sent_at is None: e.sent_at = e.time
        events.append(e)
    # Duplicates: equal in all fields of the model; the first stands.
    seen, out = set(), []
    for e in events:
        d = {k: v for k, v in vars(e).items() if k != "line"}
        d["payload"] = None if e.payload is None else repr(e.payload) if isinstance(e.payload, bytes) else jcs(e.payload)
        key = repr(sorted(d.items()))
        if key not in seen: seen.add(key); out.append(e)
    return out


def split_url(u):
    m = re.match(r"([a-zA-Z][\w+.-]*://[^/?#]*)([^?#]*)", u)
    return (m[1].lower(), m[2]) if m else (None, None)


def well_known(u):
    return bool(u) and (split_url(u)[1] or "").endswith(("/.well-known/agent-card.json", "/.well-known/agent.json"))


def registry_of(u):
    origin, path = split_url(u)
    if origin is None: return None
    seg = [s for s in path.split("/") if s]
    return origin if well_known(u) or not seg else origin + "/" + seg[0]


def derive(a):
    """§7: the outcome of an attempt from what was recorded, in the model's order."""
    code = a.rpc_code
    if code is None and a.error_reason in REASONS: code = REASONS[a.error_reason]
    if code is not None:
        v01 = protocol(a) == "0.1"
        if code in (-32001, -32002) or v01 and code == -32009: return "task_error"
        if v01 and code == -32010: return "rate_limited"
        if v01 and code in (-32007, -32008): return "auth"
        if code in (-32600, -32601, -32602, -32003, -32004, -32005): return "capability"
        if v01 and code == -32006 or not v01 and code in (-32007, -32008, -32009): return "capability"
        return "other"
    if a.transport_error:
        opened = a.http_status is not None and 200 <= a.http_status < 300
        return "midstream" if opened and streaming(a) else "transport"
    if a.task_state:
        if a.task_state == "failed" and CHOICES["answered_failed_is_midstream"]: return "midstream"
        return {"rejected": "capability", "auth-required": "auth"}.get(a.task_state, "accepted")
    if a.grpc_status:
        g = a.grpc_status
        if g == "OK": return "accepted"
        if g in ("UNAVAILABLE", "DEADLINE_EXCEEDED"): return "transport"
        if g == "RESOURCE_EXHAUSTED": return "rate_limited"
        if g in ("UNAUTHENTICATED", "PERMISSION_DENIED"): return "auth"
        if g in ("UNIMPLEMENTED", "INVALID_ARGUMENT", "FAILED_PRECONDITION"): return "capability"
        return "other"
    if a.http_status is not None:
        h = a.http_status
        if 200 <= h < 300: return "accepted"
        if h == 408 or 500 <= h < 600 and h != 501: return "transport"
        if h == 429: return "rate_limited"
        if h in (401, 403): return "auth"
        if h in (404, 405, 406, 415, 501): return "capability"
        return "other"
    return "other" if a.error else "accepted"


REASONS = {"TASK_NOT_FOUND": -32001, "TASK_NOT_CANCELABLE": -32002, "PUSH_NOTIFICATION_NOT_SUPPORTED": -32003,
           "UNSUPPORTED_OPERATION": -32004, "CONTENT_TYPE_NOT_SUPPORTED": -32005, "INVALID_AGENT_RESPONSE": -32006,
           "EXTENDED_AGENT_CARD_NOT_CONFIGURED": -32007, "EXTENSION_SUPPORT_REQUIRED": -32008, "VERSION_NOT_SUPPORTED": -32009}


def protocol(a):
    if a.protocol_version:
        m = re.match(r"v?(\d+)\.(\d+)", a.protocol_version)
        return "0.1" if m and (int(m[1]), int(m[2])) == (0, 1) else "later"
    m = a.method or ""
    if m in ("tasks/send", "tasks/sendSubscribe") or m.startswith("tasks/pushNotification/"): return "0.1"
    return "later"                                       # v0.3 and the newest agree on every code of the table


def streaming(a):
    return a.stream is True or (a.method or "") in ("tasks/sendSubscribe", "tasks/resubscribe", "message/stream",
                                                    "SendStreamingMessage", "SubscribeToTask")


def is_push_config(a): return "pushnotification" in (a.method or "").lower()
def nl(v): return (v is None, v or "") if CHOICES["null_last_in_order"] else (v is not None, v or "")


def order(e, time=None):
    """§1 Order. `card` is the hash that the record itself states; `outcome` the recorded or derived one."""
    rank = {"card_publish": 0, "card_fetch": 1}.get(e.kind, 2)
    card = e.hash if rank < 2 else e.admitted_under if CHOICES["order_card_of_admitted_under"] else None
    outcome = (e.base_outcome if CHOICES["order_by_derived_outcome"] else e.outcome) if e.kind == "attempt" else None
    state = e.state if e.kind == "task_status" else None if CHOICES["order_state_of_statuses_only"] else e.task_state
    return (e.time if time is None else time, rank, nl(e.agent), nl(getattr(e, "registry", None) if rank < 2 else None), nl(e.client),
            nl(e.task_id if rank == 2 else None), nl(e.artifact_id if e.kind == "artifact" else None), nl(card), nl(outcome), nl(state), e.line)


# ---------------------------------------------------------------- the archive
class Archive:
    def __init__(self, path):
        self.path = path
        events = read(path)
        # Contents: 'A hash whose bytes occur anywhere in the archive has that content.'
        self.bodies = {e.hash: e.body for e in events if e.body is not None}
        self.cards = {}
        for h, b in self.bodies.items():
            try: j = loads(b.decode("utf-8"))
            except (ValueError, RecursionError): j = None
            if isinstance(j, dict) and any(k in j for k in ("name", "skills", "url", "supportedInterfaces", "capabilities")):
                self.cards[h] = Card(j)
        events = self.identify(events)
        events.sort(key=order)
        for i, e in enumerate(events): e.pos = i
        self.events = events
        self.end = max((e.time for e in events), default=None)
        self.card_events = [e for e in events if e.kind in ("card_publish", "card_fetch")]
        self.attempts = [e for e in events if e.kind == "attempt"]
        self.resolve()
        self.agents = sorted({e.agent for e in self.card_events})
        self.final_outcomes()
        self.authority = {a: self.find_authority(a) for a in self.agents}
        self.epochs = {a: self.find_epochs(a) for a in self.agents}
        self.tasks = self.find_tasks()
        self.groups, self.incidents = self.find_groups()

    # -- identity (§1)
    def identify(self, events):
        cards = [e for e in events if e.kind.startswith("card_")]
        known = lambda e: e.hash is not None and e.hash in self.cards
        for e in cards:
            e.named = e.agent
            if e.agent is None and known(e): e.agent = self.cards[e.hash].preferred_url() or (split_url(e.url)[0] if e.url else None)
        source = sorted((x for x in cards if x.kind == "card_fetch" and known(x) and successful(x) and x.url and x.agent), key=order)
        for e in cards:
            if e.agent is None and e.url:
                same = [x for x in source if x.url == e.url]
                before = [x for x in same if order(x) < order(e)]
                after = [x for x in same if order(x) > order(e)]
                e.agent = before[-1].agent if before else after[0].agent if after else split_url(e.url)[0]
        # 'An event without an agent belongs to the only task with that id, if there is one'
        tasks = {(e.agent, e.task_id) for e in events if not e.kind.startswith("card_") and e.agent and e.task_id and makes_task(e)}
        out = []
        for e in events:
            if e.agent is None and not e.kind.startswith("card_"):
                of = {a for a, t in tasks if t == e.task_id}
                if len(of) == 1: e.agent = of.pop()
                elif e.kind == "attempt": continue                  # a problem
            if e.agent is None and e.kind.startswith("card_"): continue
            out.append(e)
        return out

    # -- §2: the card of each fetch and publish
    def resolve(self):
        for e in self.card_events:
            e.ok = successful(e)
            e.card, e.etag_shown = e.hash, e.etag
            if e.kind == "card_fetch" and e.status == 304:
                e.card = None
                earlier = [x for x in self.card_events if x.pos < e.pos and x.registry == e.registry and x.agent == e.agent]
                if e.etag is not None:
                    hits = [x for x in earlier if x.etag is not None and weak(x.etag) == weak(e.etag)
                            and (x.kind == "card_publish" or x.ok and x.status == 200)]
                else:
                    hits = [x for x in earlier if x.kind == "card_fetch" and x.ok and x.status == 200 and x.client == e.client]
                if not CHOICES["latest_200_may_be_unknown"]: hits = [x for x in hits if x.card is not None]
                if hits:
                    e.card = hits[-1].card
                    if e.etag is None: e.etag_shown = hits[-1].etag
            # 'Observations of a registry: its publishes and its resolved successful fetches by anyone.'
            e.observes = (e.kind == "card_publish" or e.ok) and e.card is not None and not self.not_a_card(e.card)
            e.contract = self.contract(e.card)

    def not_a_card(self, h): return h in self.bodies and h not in self.cards
    def contract(self, h): return None if h is None else self.cards[h].contract if h in self.cards else h
    def fetches(self, **kw):
        """Successful fetches, in order."""
        return [e for e in self.card_events if e.kind == "card_fetch" and e.ok and all(getattr(e, k) == v for k, v in kw.items())]
    def observations(self, agent, registry):
        return [e for e in self.card_events if e.observes and e.agent == agent and e.registry == registry]
    def asked(self, agent):
        """Registries asked for the agent: any fetch or publish but from_cache."""
        return sorted({e.registry for e in self.card_events if e.agent == agent and not e.from_cache})

    # -- §7: outcomes that depend on other events
    def final_outcomes(self):
        for a in self.attempts:
            a.final, a.answered = a.base_outcome, a.time if a.end_time is None else a.end_time
        for s in self.events:                                        # in order: the first failure decides the answer's time
            if s.kind != "task_status" or s.state != "failed": continue
            counts = ("accepted", "midstream") if CHOICES["broken_submission_is_last"] else ("accepted",)
            before = [a for a in self.attempts if a.agent == s.agent and a.task_id == s.task_id
                      and (a.pos < s.pos if CHOICES["before_failed_by_order"] else a.time < s.time)
                      and not is_push_config(a) and a.base_outcome in counts]
            if before:
                last = before[-1]
                if last.outcome is None and last.final == "accepted":
                    last.final, last.answered = "midstream", s.time

    # -- §3
    def find_authority(self, agent):
        """(registry, rule)"""
        mine = [e for e in self.card_events if e.agent == agent and not e.from_cache]
        if not mine: return None, None
        declared = [e for e in mine if e.kind == "card_publish" and e.authority is not False
                    or e.kind == "card_fetch" and e.authority and (e.ok or CHOICES["failed_fetch_declares"])]
        if declared:
            count = {r: [e for e in declared if e.registry == r] for r in {e.registry for e in declared}}
            most = max(len(v) for v in count.values())
            return min((v[0].pos, r) for r, v in count.items() if len(v) == most)[1], "declared"
        wk = [e for e in mine if well_known(e.url)]
        origins = {split_url(u)[0] for e in mine if e.card in self.cards for u in self.cards[e.card].interface_urls()}
        at_interface = [e for e in wk if split_url(e.url)[0] in origins]
        if at_interface: return at_interface[0].registry, "origin"
        if len({e.registry for e in wk}) == 1: return wk[0].registry, "origin"
        registries = sorted({e.registry for e in mine})
        seen = {e.registry for e in self.card_events if e.agent == agent and not (e.from_cache and CHOICES["cache_registry_unseen"])}
        if len(seen) == 1: return registries[0], "only"
        firsts = {}
        for e in mine:
            if e.observes: firsts.setdefault(e.contract, e.registry)
        won = list(firsts.values())
        return min(registries, key=lambda r: (-won.count(r), r)), "inferred"

    def find_epochs(self, agent):
        authority = self.authority[agent][0]
        obs = self.observations(agent, authority)
        for o in obs: o.date = o.time - (o.age_s or 0) * S if o.kind == "card_fetch" else o.time
        publishes = [o for o in obs if o.kind == "card_publish"]
        seq = sorted(obs, key=lambda o: (o.date, o.kind != "card_publish", o.pos))
        epochs = []

        def open_epoch(o):
            ep = Event()
            ep.contract, ep.obs, ep.stale, ep.number, ep.published = o.contract, [o], 0, len(epochs), o.kind == "card_publish"
            epochs.append(ep)

        if publishes:
            for o in seq:
                if epochs and epochs[-1].contract == o.contract: epochs[-1].obs.append(o)
                elif o.kind == "card_publish": open_epoch(o)
                else:
                    limit = o.time if CHOICES["published_before_arrival"] else o.date
                    had_published = any(p.contract == o.contract and p.time <= limit for p in publishes)
                    shown_before = any(ep.contract == o.contract for ep in epochs)
                    if not had_published and not (shown_before and CHOICES["observed_epoch_is_earlier"]): open_epoch(o)
            for o in obs:                       # stale at the source, by when it was asked for
                if o.kind == "card_publish": continue
                at = o.sent_at if CHOICES["answer_epoch_by_ask"] else min(o.sent_at, o.date)
                began = [ep for ep in epochs if ep.obs[0].date <= at]
                if began and o.contract != began[-1].contract and any(ep.contract == o.contract for ep in began[:-1]):
                    began[-1].stale += 1
        else:
            runs = []
            for o in seq:
                if runs and runs[-1][0].contract == o.contract: runs[-1].append(o)
                else: runs.append([o])
            i = 0
            while i < len(runs):
                run = runs[i]
                if epochs and run[0].contract == epochs[-1].contract: epochs[-1].obs += run      # follows again
                elif len(epochs) >= 2 and run[0].contract == epochs[-2].contract and i + 1 < len(runs) \
                        and runs[i + 1][0].contract == epochs[-1].contract and runs[i + 1][0].date - run[0].date <= FLAP:
                    epochs[-1].stale += len(run)                                                   # a flap
                else:
                    open_epoch(run[0]); epochs[-1].obs += run[1:]
                i += 1
        has_age = any(e.age_s is not None for e in self.card_events if e.kind == "card_fetch" and not e.from_cache
                      and e.agent == agent and e.registry == authority and (e.observes or CHOICES["age_of_any_answer"]))
        unsure = has_age or any(ep.stale for ep in epochs)

        def proof(o):                                       # the date of an observation for `rotated_after`
            if o.kind == "card_publish": return o.time
            if o.age_s is not None: return o.sent_at - o.age_s * S - S
            return o.sent_at - (FLAP if unsure else 0)
        for ep in epochs:
            ep.rotated_at, ep.first_card = ep.obs[0].date, ep.obs[0].card
            if ep.number == 0: ep.rotated_after = None
            elif ep.published: ep.rotated_after = ep.rotated_at
            else:
                prev = epochs[ep.number - 1]
                proofs = [proof(o) for o in prev.obs]
                if not CHOICES["late_answer_not_of_epoch"]:
                    proofs += [proof(o) for o in obs if o.contract == prev.contract and o.date >= ep.rotated_at and o.sent_at < ep.rotated_at]
                ep.rotated_after = min(ep.rotated_at, max(proofs))
        for ep, nxt in zip(epochs, epochs[1:] + [None]): ep.next_at = nxt.rotated_at if nxt else None
        return epochs

    # -- §4
    def lag(self, agent, m, ep):
        obs, epochs = self.observations(agent, m), self.epochs[agent]
        earlier = {x.contract for x in epochs[:ep.number]} - {ep.contract}
        ever = {x.contract for x in epochs}
        before_next = lambda t: ep.next_at is None or t < ep.next_at
        r = Event()
        hits = [o for o in obs if o.contract == ep.contract and o.time >= ep.rotated_after and before_next(o.time)]
        r.caught = hits[0].time if hits else None
        old = [o.sent_at for o in obs if (o.contract in earlier or o.contract not in ever)
               and (o.sent_at < r.caught if hits else before_next(o.sent_at))]
        r.last_old = max(old, default=None)
        seen = [o for o in obs if o.time >= ep.rotated_after and before_next(o.time)]
        r.status = "closed" if hits else "unobserved" if not seen else "superseded" if ep.next_at is not None else "open"
        r.never_away = False
        if hits:
            between = [o for o in obs if o.time >= ep.rotated_after and o.pos < hits[0].pos]
            previous = [o for o in obs if o.time < ep.rotated_after]
            r.never_away = all(o.contract == ep.contract for o in between) and bool(previous) and previous[-1].contract == ep.contract
        r.lag = None if not hits else 0 if r.never_away else max(0, r.caught - ep.rotated_at)
        r.lag_min = None if r.status == "unobserved" else 0 if r.last_old is None or r.never_away else max(0, r.last_old - ep.rotated_at)
        r.lag_max = r.caught - ep.rotated_after if hits else None
        late = [o.time for o in obs if hits and o.contract in earlier and o.sent_at > r.caught and before_next(o.time)]
        r.last_stale = max(late, default=None)
        r.window_end = (ep.rotated_at if r.never_away else max(r.caught, ep.rotated_at)) if hits else ep.next_at   # None: the archive's end
        return r

    # -- §5 and §6
    def find_tasks(self):
        tasks = {}
        for e in self.events:
            if e.kind in ("attempt", "task_status", "artifact") and e.task_id: tasks.setdefault((e.agent, e.task_id), []).append(e)
        return [self.task(a, i, ev) for (a, i), ev in tasks.items() if any(makes_task(e) for e in ev)]

    def task(self, agent, task_id, events):
        t = Event()
        t.agent, t.task_id, t.events = agent, task_id, events
        attempts = [e for e in events if e.kind == "attempt"]
        submissions = [a for a in attempts if not is_push_config(a) and a.final in ("accepted", "midstream")]
        t.attempt = submissions[0] if submissions else None
        submitted = [e for e in events if e.kind == "task_status" and e.state == "submitted"]
        unrefused = [e for e in events if e.kind != "attempt" or e.final in ("accepted", "midstream")]
        gave = submitted[0] if submitted else t.attempt or unrefused[0]
        t.admitted_at = gave.time
        t.client = (submitted[0].client if submitted else None) or (t.attempt.client if t.attempt else None) \
            or next((e.client for e in (events if CHOICES["client_of_refused_counts"] else unrefused) if e.client), None)
        t.skill = t.attempt.skill_id if t.attempt else None
        if t.skill is None and not CHOICES["skill_of_the_attempt_only"]: t.skill = next((a.skill_id for a in attempts if a.skill_id), None)
        # the card in force
        t.card, t.evidence, t.registry, t.etag = None, "none", None, None
        recorded = gave.admitted_under or (t.attempt.admitted_under if t.attempt else None)
        if recorded:
            t.card, t.evidence = recorded, "recorded"
            any_agent = CHOICES["recorded_registry_any_agent"]
            looks = [e for e in self.card_events if e.card == recorded and e.time <= t.admitted_at and (any_agent or e.agent == agent)
                     and (e.kind == "card_publish" or e.ok)]
            own = [e for e in looks if e.kind == "card_fetch" and e.client == t.client]
            best = own[-1] if own else looks[-1] if looks else None
            if best: t.registry, t.etag = best.registry, best.etag_shown
        else:
            at = t.attempt.time if t.attempt else t.admitted_at
            looks = [e for e in self.fetches(agent=agent, client=t.client) if e.time <= at]
            if looks and looks[-1].card is not None:
                t.card, t.evidence, t.registry, t.etag = looks[-1].card, "client_fetch", looks[-1].registry, looks[-1].etag_shown
        # state: the first terminal one, else the latest; the state an attempt was answered with counts, at its end
        states = [(order(e), e.state) for e in events if e.kind == "task_status"]
        states += [(order(a, a.time if a.end_time is None else a.end_time), a.task_state) for a in attempts if a.task_state
                   and (a.final in ("accepted", "midstream") or CHOICES["refused_state_counts"])]
        states = [s for _, s in sorted(states)]
        t.state = next((s for s in states if s in TERMINAL), states[-1] if states else None)
        # artifacts
        ids = sorted({e.artifact_id for e in events if e.kind == "artifact"})
        t.artifacts = [self.artifact(t, i, [e for e in events if e.kind == "artifact" and e.artifact_id == i]) for i in ids]
        t.verdict = next((v for v in ("split_brain", "corrupt", "mismatch_incomplete", "no_digest", "unverifiable", "consistent")
                          if any(b.verdict == v for b in t.artifacts)), None)
        t.completed = t.state == "completed"
        t.verifiable = t.completed and t.verdict in ("split_brain", "corrupt", "no_digest", "consistent")
        t.split = t.verdict == "split_brain"
        t.silent = t.split and all(b.silent for b in t.artifacts if b.verdict == "split_brain")
        t.latest = max((b.time for b in t.artifacts), default=None)
        return t

    def artifact(self, t, artifact_id, records):
        b = Event()
        b.id = artifact_id
        b.schema = next((v for v in [r.schema_version for r in records]
                         + [scalar(get(r.payload, "schemaVersion")) for r in records]
                         + [media(r.media_type)[1] if r.media_type else None for r in records] if v), None)
        b.media_type = next((r.media_type for r in (records if CHOICES["media_type_first"] else records[::-1]) if r.media_type), None)
        flagged = [i for i, r in enumerate(records) if r.last_chunk]
        if flagged: f = flagged[0]
        else:
            f = 0
            while f + 1 < len(records) and records[f + 1].append: f += 1
        b.time, b.line = records[f].time, records[f].line
        upto, later = records[:f + 1], records[f + 1:]
        last_or_later = lambda field: next((getattr(r, field) for r in upto[::-1] + later if getattr(r, field)), None)
        b.digest, check = last_or_later("digest"), last_or_later("digest_check")
        b.disposition = next((r.disposition for r in reversed(records) if r.disposition), None)
        # the whole payload
        starts = [i for i in range(f + 1) if not records[i].append]
        run = records[starts[-1]:f + 1] if starts else []
        only = len(run) == 1 if CHOICES["only_one_of_range"] else len(records) == 1
        if run and all(r.payload is not None for r in run) and (records[f].last_chunk or only): payload = [r.payload for r in run]
        else: payload = next(([r.payload] for r in later if r.payload is not None), None)
        b.digest_status = digest_status(b.digest, check, payload)
        # the verdict
        card = self.cards.get(t.card)
        b.allowed = card.schemas(b.media_type, t.skill) if card else []
        fits = [v for v in b.allowed if norm(v) == norm(b.schema)] if b.schema else []
        b.card_schema = fits[0] if fits else b.allowed[0] if b.allowed else None
        b.reason = b.silent = b.cause = b.certain = b.action = None
        b.verdict = "unverifiable"
        if t.card is None: b.reason = "no_admission_card"
        elif t.card not in self.bodies: b.reason = "card_not_in_archive"
        elif not b.allowed: b.reason = "card_declares_no_schema"
        elif not b.schema: b.reason = "artifact_declares_no_schema"
        elif not fits: b.verdict = "split_brain" if t.state == "completed" else "mismatch_incomplete"
        elif b.digest_status == "mismatch": b.verdict = "corrupt"
        elif b.digest_status == "absent": b.verdict = "no_digest"
        else: b.verdict = "consistent"
        if b.verdict == "split_brain":
            b.silent = b.digest_status == "match"
            b.cause, b.certain, b.action = self.cause(t, b)
        return b

    def cause(self, t, b):
        schema = lambda h: frozenset(norm(v) for v in self.cards[h].schemas(b.media_type, t.skill)) if h in self.cards \
            else frozenset() if h in self.bodies else None                                     # None: not known
        s, t0, t1, m = norm(b.schema), t.admitted_at, b.time, t.registry
        epochs = self.epochs.get(t.agent, [])
        authority = self.authority.get(t.agent, (None, None))[0]
        ep_schema = lambda ep: schema(ep.first_card)
        has = lambda ep: ep_schema(ep) is not None and s in ep_schema(ep)

        def decide():
            E0 = next((ep for ep in reversed(epochs) if ep.rotated_at <= t0), None)
            if E0 is None or not ep_schema(E0) or m is None: return "unknown"
            hashes = {e.card for e in self.card_events if e.agent == t.agent and e.card is not None}
            hashes |= {e.admitted_under for e in self.events if e.agent == t.agent and e.admitted_under}
            if not any(schema(h) and s in schema(h) for h in hashes):
                known = all(h in self.bodies for h in hashes)
                if CHOICES["unknown_fetch_spoils_nonconforming"]: known = known and all(f.card for f in self.fetches(agent=t.agent))
                if known and any(o.date >= t1 + GRACE for o in self.observations(t.agent, authority)): return "nonconforming_agent"
                return "unknown"
            if ep_schema(E0) != schema(t.card):
                obs = self.observations(t.agent, m)
                low = E0.rotated_after
                if low is None: low = E0.rotated_at if CHOICES["first_epoch_after_is_start"] else -2**63
                if m == authority or any(low <= o.time <= t0 and schema(o.card) == ep_schema(E0) for o in obs): return "client_cache"
                since = [o for o in obs if E0.rotated_at <= o.time <= t0]
                shown = schema(since[-1].card) if since else None
                if since and shown != ep_schema(E0) and (shown is not None or not CHOICES["unknown_schema_is_no_other"]): return "registry_lag"
                return "stale_card"
            if any(has(ep) and ep.number > 0 and t0 < ep.rotated_at <= t1 for ep in epochs): return "mid_flight"
            if any(has(ep) and ep.rotated_at > t1 for ep in epochs) and not any(has(ep) and ep.rotated_at <= t1 for ep in epochs):
                return "publish_lag"
            if any(has(ep) and ep.next_at is not None and ep.next_at <= t0 for ep in epochs): return "emitter_behind"
            return "unknown"

        cause = decide()
        action = {"nonconforming_agent": "quarantine_agent", "registry_lag": "re_resolve_and_escalate_registry",
                  "publish_lag": "escalate_agent", "emitter_behind": "escalate_agent"}.get(cause, "re_resolve")
        if cause == "unknown": return cause, None, action
        certain = not any(ep_schema(epochs[ep.number - 1]) != ep_schema(ep)
                          and any(ep.rotated_after < x < ep.rotated_at for x in (t0, t1)) for ep in epochs[1:])
        return cause, certain, action if certain else "re_resolve"

    # -- §7
    def find_groups(self):
        groups, incidents = [], []
        for client, agent in sorted({(a.client, a.agent) for a in self.attempts}, key=lambda k: (nl(k[0]), nl(k[1]))):
            fetches = self.fetches(client=client, agent=agent)
            own = [a for a in self.attempts if a.client == client and a.agent == agent]
            byk = {}
            for a in own:
                before = [f for f in fetches if f.pos < a.pos]
                a.held = a.admitted_under or (before[-1].card if before else None)
                byk.setdefault((len(before), a.held), []).append(a)
            for (_, held), attempts in byk.items():
                g = Event()
                g.client, g.agent, g.held = client, agent, held
                g.rejections = [a for a in attempts if a.final in REJECTIONS]
                if not g.rejections: continue
                for i, a in enumerate(g.rejections):
                    a.replay = any(a.time >= r.answered for r in g.rejections[:i])
                g.replays = sum(a.replay for a in g.rejections)
                groups.append(g)
                nxt = next((f for f in fetches if f.pos > g.rejections[0].pos), None)
                incidents.append(self.incident(g, nxt))
            # loops: per card, a run of consecutive identical ones; an accepted attempt under that card ends it
            mine = sorted((x for x in incidents if x.group.client == client and x.group.agent == agent), key=lambda x: x.first.pos)
            for card in {x.group.held for x in mine}:
                run, last = 0, None
                for x in mine:
                    if x.group.held != card:
                        if not CHOICES["loop_run_per_card"]: run = 0
                        continue
                    if last is not None and any(a.final == "accepted" and a.held == card and last < a.pos < x.first.pos for a in own): run = 0
                    run = run + 1 if x.result == "identical" else 0
                    x.loop = run or None
                    last = x.first.pos
        return groups, incidents

    def incident(self, g, fetch):
        x = Event()
        x.group, x.first, x.fetch = g, g.rejections[0], fetch
        x.changed = x.added = x.removed = x.skill = x.mode = None
        if fetch is None: x.result = "never_refetched"; return x
        old, new = self.cards.get(g.held), self.cards.get(fetch.card)
        if g.held is None or fetch.card is None: x.result = "unknown"
        elif g.held == fetch.card: x.result = "identical"
        elif old is None or new is None: x.result = "unknown"
        elif old.contract == new.contract: x.result = "cosmetic"
        else: x.result = "changed"
        if x.result == "identical": x.changed, x.added, x.removed = [], [], []
        elif old and new: x.changed, x.added, x.removed = differences(old, new)
        if new:
            if x.first.skill_id: x.skill = x.first.skill_id in new.skills
            if x.first.accepted_output_modes: x.mode = all(m in new.all_out for m in x.first.accepted_output_modes)
        return x


def successful(e):
    return e.kind == "card_fetch" and not e.from_cache and e.status in (200, 304) and not e.error


def weak(etag): return etag[2:] if etag.startswith("W/") else etag
def makes_task(e):
    return e.kind in ("task_status", "artifact") or e.kind == "attempt" and e.base_outcome in ("accepted", "midstream") \
        and (CHOICES["push_config_makes_task"] or not is_push_config(e))


def digest_status(digest, check, payload):
    if digest is None: return "absent"
    want = None
    m = re.fullmatch(r"(?:sha256:)?([0-9a-fA-F]{64})", digest)
    if m: want = m[1].lower()
    m = re.fullmatch(r"sha-256=:?([A-Za-z0-9+/]{43}=):?", digest)
    if m: want = base64.b64decode(m[1]).hex()
    forms = []
    if payload is not None:
        if all(isinstance(p, str) for p in payload):
            text = "".join(payload)
            forms.append(text.encode())
            try: forms.append(jcs(loads(text)).encode())
            except ValueError: pass
        elif all(isinstance(p, bytes) for p in payload): forms.append(b"".join(payload))
        elif len(payload) == 1: forms.append(jcs(payload[0]).encode())
    if want and forms: return "match" if want in [hashlib.sha256(f).hexdigest() for f in forms] else "mismatch"
    return {"pass": "match", "fail": "mismatch"}.get(check, "unchecked")


# ---------------------------------------------------------------- the queries (interface.md)
def rate(k, n): return k / n if n else None


def wilson(k, n):
    if n == 0: return None, None
    p = k / n
    d = 1 + Z * Z / n
    c, h = (p + Z * Z / (2 * n)) / d, Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / d
    return (0.0 if k == 0 else c - h), (1.0 if k == n else c + h)


def nearest_rank(values, percent):
    v = sorted(values)
    return v[-(-percent * len(v) // 100) - 1] if v else None


def rows_of(arc, source_file=None):
    q = {name: [] for name in COLUMNS}
    def add(name, *values): q[name].append(dict(zip(COLUMNS[name][1], values, strict=True)))
    T = show_time
    tasks = arc.tasks
    # bindings
    for t in tasks:
        for b in t.artifacts:
            add("bindings", t.task_id, b.id, t.agent, t.client, t.registry, T(t.admitted_at), t.evidence, t.card, t.etag, b.card_schema,
                T(b.time), b.schema, b.digest_status, t.state, b.verdict, b.reason, b.silent, b.cause, b.certain, b.action,
                source_file or arc.path, b.line, b.disposition)
    # rotations, lags, windows
    lags = []
    for agent in arc.agents:
        authority, rule = arc.authority[agent]
        for prev, ep in zip(arc.epochs[agent], arc.epochs[agent][1:]):
            a, b = arc.cards.get(prev.first_card), arc.cards.get(ep.first_card)
            changed, added, removed = differences(a, b) if a and b else (None, None, None)
            add("rotations", agent, ep.number, authority, rule, T(ep.rotated_after), T(ep.rotated_at), prev.first_card, ep.first_card,
                a.plain_schema if a else None, b.plain_schema if b else None, changed, added, removed, ep.stale)
            for m in arc.asked(agent):
                if m != authority:
                    r = arc.lag(agent, m, ep)
                    lags.append((agent, m, ep, r))
                    add("registry_lag", agent, m, ep.number, T(ep.rotated_at), T(r.last_old), T(r.caught), seconds(r.lag), seconds(r.lag_min),
                        seconds(r.lag_max), r.status, T(r.last_stale), None)
            r = Event(); r.status, r.window_end = "authority", ep.rotated_at
            lags.append((agent, authority, ep, r))
    in_window, after_window = [], []
    for agent, m, ep, r in lags:
        mine = [t for t in tasks if t.agent == agent and t.registry == m]
        win = [t for t in mine if ep.rotated_at <= t.admitted_at and (r.window_end is None or t.admitted_at < r.window_end)]
        has_after = r.status in ("closed", "authority")
        aft = [t for t in mine if has_after and r.window_end <= t.admitted_at and (ep.next_at is None or t.admitted_at < ep.next_at)]
        ver, split = [t for t in win if t.verifiable], [t for t in win if t.verifiable and t.split]
        aver, asplit = [t for t in aft if t.verifiable], [t for t in aft if t.verifiable and t.split]
        lo, hi = wilson(len(split), len(ver))
        add("split_brain_rate", agent, m, ep.number, T(ep.rotated_at), T(r.window_end), r.status, len(win), sum(t.completed for t in win),
            len(ver), len(split), rate(len(split), len(ver)), lo, hi, sum(t.silent for t in split),
            sum(t.completed and t.verdict == "unverifiable" for t in win),
            *((len(aft), len(aver), len(asplit), rate(len(asplit), len(aver))) if has_after else (None,) * 4))
        if r.status != "authority":
            in_window += [t for t in win if t not in in_window]
            after_window += [t for t in aft if t not in after_window]
    # replays, storms, incidents
    for x in arc.incidents:
        g = x.group
        add("drift_incidents", g.client, g.agent, T(x.first.time), x.first.final, x.first.skill_id, g.held, len(g.rejections),
            T(x.fetch.time) if x.fetch else None, x.fetch.card if x.fetch else None, x.result, x.skill, x.changed, x.added, x.removed, x.loop, x.mode)
        if g.replays:
            add("replays", g.client, g.agent, T(g.rejections[0].time), T(g.rejections[-1].time), g.held, len(g.rejections), g.replays,
                skills_of(g.rejections), errors_of(g.rejections), x.result)
    pool = {}
    for g in arc.groups:
        if g.replays: pool.setdefault((g.agent, arc.contract(g.held)), []).extend(g.rejections)
    for (agent, _), rej in pool.items():
        rej.sort(key=lambda a: a.pos)
        clusters = []
        for a in rej:
            if clusters and a.time - clusters[-1][-1].time <= STORM_GAP: clusters[-1].append(a)
            else: clusters.append([a])
        for c in clusters:
            n = sum(a.replay for a in c)
            if n < STORM_MIN: continue
            minutes = [a.time // (60 * S) for a in c]
            add("retry_storms", agent, T(c[0].time), c[0].held, T(c[-1].time), len({a.client for a in c}), len(c), n,
                max(minutes.count(x) for x in minutes), skills_of(c), errors_of(c))
    # actions
    acts = {}
    for t in tasks:
        for b in t.artifacts:
            if b.verdict != "split_brain": continue
            acts.setdefault(("quarantine_artifact", t.agent, t.task_id + "/" + b.id, None, b.cause), []).append(t)
            if b.action.startswith("re_resolve"): acts.setdefault((b.action, t.agent, t.registry, t.etag, b.cause), []).append(t)
            else: acts.setdefault((b.action, t.agent, t.agent, None, b.cause), []).append(t)
    for key, ts in acts.items():
        add("actions", *key, len({id(t) for t in ts}), T(min(t.admitted_at for t in ts)), T(max(t.admitted_at for t in ts)))
    # slo_daily
    days = {}
    for t in tasks:
        if t.verifiable: days.setdefault((show_time(t.latest)[:10], t.agent, t.registry), []).append(t)
    for key, ts in days.items():
        mis = [t for t in ts if any(b.digest_status == "mismatch" for b in t.artifacts)]
        mat = [t for t in ts if t not in mis and any(b.digest_status == "match" for b in t.artifacts)]
        split = sum(t.split for t in ts)
        add("slo_daily", *key, len(ts), split, sum(t.verdict == "corrupt" for t in ts), len(mat), len(mis), 1 - split / len(ts),
            1 - len(mis) / (len(mat) + len(mis)) if mat or mis else None)
    # summary
    done = [t for t in tasks if t.completed]
    ver = [t for t in done if t.verifiable]
    split = [t for t in ver if t.split]
    unver = [t for t in done if t.verdict == "unverifiable"]
    reasons = [next(b.reason for b in t.artifacts if b.reason) for t in unver]
    wver, aver = [t for t in in_window if t.verifiable], [t for t in after_window if t.verifiable]
    wsplit, asplit = [t for t in wver if t.split], [t for t in aver if t.split]
    outs = [a.final for a in arc.attempts]
    lag_values = [r.lag for _, _, _, r in lags if r.status == "closed" and not r.never_away]
    lo, hi = wilson(len(split), len(ver))
    by = lambda v: sum(t.verdict == v for t in done)
    add("summary", len(tasks), len(done), len(ver), len(split), rate(len(split), len(ver)), lo, hi, sum(t.silent for t in split),
        by("corrupt"), by("no_digest"), by("consistent"), len(unver), sum(not t.artifacts for t in done),
        *(reasons.count(r) for r in ("no_admission_card", "card_not_in_archive", "card_declares_no_schema", "artifact_declares_no_schema")),
        len(wver), len(wsplit), rate(len(wsplit), len(wver)), sum(t.silent for t in wsplit),
        len(aver), len(asplit), rate(len(asplit), len(aver)),
        len(outs), *(outs.count(o) for o in ("accepted", "transport", "rate_limited", "task_error")), sum(o in REJECTIONS for o in outs),
        sum(g.replays for g in arc.groups), sum(g.replays for g in arc.groups if g.client is None), len(q["retry_storms"]),
        sum((x.loop or 0) >= 2 for x in arc.incidents),
        sum(e.kind == "card_fetch" and not e.from_cache for e in arc.card_events), len({e.hash for e in arc.card_events if e.hash}),
        len(q["rotations"]), sum(r.status == "open" for _, _, _, r in lags),
        *(seconds(nearest_rank(lag_values, p)) for p in (50, 95)), seconds(max(lag_values, default=None)))
    for name, (n, cols) in COLUMNS.items(): q[name].sort(key=lambda row: [sort_key(c, row[c]) for c in cols])
    return q


def sort_key(col, v):
    """Times sort as instants, text bytewise, null last."""
    if v is None: return (1,)
    if isinstance(v, str): return (0, parse_time(v)) if col.endswith("_at") or col in ("rotated_after",) else (0, v.encode())
    if isinstance(v, list): return (0, [x.encode() for x in v])
    return (0, v)


def skills_of(attempts): return sorted({a.skill_id for a in attempts if a.skill_id})
def errors_of(attempts): return sorted({a.final for a in attempts})


def run(path, source_file=None): return rows_of(Archive(path), source_file)


if __name__ == "__main__":
    if len(sys.argv) != 2: sys.exit("usage: oracle.py FILE.ndjson")
    print(json.dumps(run(sys.argv[1]), indent=1, ensure_ascii=False))
