#!/usr/bin/env python3
"""gen.py SEED [N_EVENTS] > file.ndjson: a random small adversarial journal. The same seed gives the same bytes.
gen.py --stats [SEEDS]: how often each value of the model's tables occurs over that many seeds, by the oracle."""
import base64, hashlib, json, os, random, sys
from datetime import datetime, timezone, timedelta

S = 10**9
OUTCOMES = ["accepted", "transport", "rate_limited", "task_error", "auth", "capability", "midstream", "other"]


def sha(b): return hashlib.sha256(b if isinstance(b, bytes) else b.encode()).hexdigest()


class World:
    def __init__(self, seed, n):
        self.r = r = random.Random(seed)
        self.n = n or r.choice([r.randint(10, 60), r.randint(40, 60)])
        self.events = []
        self.step = r.choice([30, 60, 60, 100, 150, 300, 300, 600, 1200, 1800]) * S
        self.t0 = 1794639600 * S if r.random() < .8 else (1794639600 + 15 * 3600 + 1800) * S     # 2026-11-14 07:00 (or near midnight)
        self.steps = r.choice([8, 12, 20, 40])
        on = lambda p: r.random() < p
        # what this journal is allowed to contain
        self.f = {k: on(p) for k, p in dict(hash_only=.25, noncard=.2, unresolved=.25, ages=.25, agentless=.2, nameless=.35, sent=.4, odd=.35,
                                            errors=.35, cache=.25, unknown_hash=.2, admitted=.5, mirror_publish=.25, bodies_gone=.15,
                                            shared=.08, dup=.3, urls=.2, push=.3, derived=.6, states=.3, chunks=.5, wild_time=.3,
                                            long_watch=.5, cross=.4, no_etag=.4).items()}
        self.agents = ["agent://v/s", "agent://w/s"][:1 if on(.7) else 2]
        self.registries = ["r1", "r2", "r3"][:r.choice([2, 2, 3, 3, 1] if on(.5) else [2, 3])]
        self.clients = ["a", "b", "c"][:r.choice([1, 2, 2, 3])]
        self.style = r.choice(["publish", "publish", "flag", "flag", "undeclared", "well_known", "mixed"])
        self.authority = {a: r.choice(self.registries) for a in self.agents}
        self.skills = ["sum", "tr"]
        self.cards = {a: self.variants(a if not self.f["shared"] else "S") for a in self.agents}
        self.plan = {}
        for a in self.agents:                                   # which variant the authority serves from which step on
            cuts = sorted(r.sample(range(1, self.steps), min(self.steps - 1, r.choice([0, 1, 1, 2, 2, 3, 4]))))
            plan, v = [(0, 0)], 0
            for c in cuts:
                v = r.choice([x for x in range(len(self.cards[a])) if x != v]) if on(.75) else r.choice([0, v])
                plan.append((c, v))
            for m in self.registries:
                lag = 0 if m == self.authority[a] else r.choice([0, 1, 1, 2, 3, 5, 99, -1])
                self.plan[a, m] = [(0, plan[0][1])] + [(max(0, c + lag), v) for c, v in plan[1:]]
        self.cuts = {a: [c for c, _ in self.plan[a, self.authority[a]][1:]] for a in self.agents}
        self.task_no = 0
        self.scenes = r.choice([.5, .75, .75, .9])

    # -- cards
    def variants(self, name):
        r = self.r
        how = r.choice(["schema", "schema", "schema", "ext", "mode", "mode", "mime", "only", "modes2"])
        base = {"name": "S " + name, "skills": [{"id": "sum"}, {"id": "tr", "outputModes": ["text/plain"]}][:r.choice([1, 2])],
                "defaultOutputModes": ["text/plain"], "capabilities": {"streaming": True}}
        if r.random() < .5: base["url"] = "https://s.example/a2a"
        else: base["supportedInterfaces"] = [{"url": "https://s.example/a2a", "protocolVersion": "1.0", "protocolBinding": "JSONRPC"}]
        out = [self.with_schema(base, how, "3")]
        for i in range(r.choice([1, 2, 2, 3])):
            c = json.loads(json.dumps(r.choice(out)))
            kind = "schema" if r.random() < .35 else r.choice(["schema", "schema", "cosmetic", "skill", "caps", "modes", "security", "protocol", "how", "none", "spelling"])
            if kind == "schema": c = self.with_schema(c, how, r.choice(["4", "4", "5", "3"]))
            elif kind == "cosmetic": c["description"] = "d%d" % i
            elif kind == "skill": c["skills"] = [{**c["skills"][0], "id": r.choice(["sum2", "tr"])}] + c["skills"][1:2]
            elif kind == "caps": c["capabilities"] = r.choice([{}, {"streaming": True, "pushNotifications": True}, {"streaming": False}])
            elif kind == "modes": c["skills"][0]["outputModes"] = r.choice([["text/markdown"], ["text/plain"], ["x/y;version=4", "text/plain"], ["x/y"]])
            elif kind == "security": c["securitySchemes"] = {"k": {"type": "apiKey", "in": "header", "name": "x%d" % i, "description": "k"}}
            elif kind == "protocol":
                if "supportedInterfaces" in c: c["supportedInterfaces"][0]["protocolVersion"] = "1.1"
                else: c["protocolVersion"] = "0.3.0"
            elif kind == "how": c = self.with_schema(base, r.choice(["schema", "ext", "mode", "mime", "only", "nothing"]), r.choice(["3", "4"]))
            elif kind == "none": c = self.with_schema(base, "nothing", "")
            elif kind == "spelling": c = self.with_schema(c, how, r.choice(["v3", "3.0", "4.0"]))
            if r.random() < .3: c["version"] = "1.%d" % i
            out.append(c)
        return [(json.dumps(c) if r.random() < .7 else json.dumps(c, indent=1)) for c in out]

    def with_schema(self, c, how, v):
        r = self.r
        c = json.loads(json.dumps(c))
        for k in ("artifactSchema", "artifact"): c.pop(k, None)
        c["capabilities"].pop("extensions", None)
        c["defaultOutputModes"] = ["text/plain"]
        if how == "schema": c["artifactSchema"] = {"version": int(v) if v.isdigit() and r.random() < .2 else v}
        if how == "ext":
            c["capabilities"]["extensions"] = [{"uri": "urn:x", "required": False, "params": {"schemaVersion": v}}]
            if r.random() < .3: c["capabilities"]["extensions"].append({"uri": "urn:y", "params": {"artifactSchema": {"version": r.choice([v, "8"])}}})
        if how == "mode": c["defaultOutputModes"] += [r.choice(["x/y;version=%s", 'x/Y; version="%s"']) % v, "application/vnd.q.v%s+json" % v.strip("v").split(".")[0]]
        if how == "modes2": c["defaultOutputModes"] += ["x/y;version=" + v, "x/y;version=" + str(int(float(v.strip("v"))) + 1), "x/z;version=7"]
        if how == "mime": c["artifact"] = {"mimeType": "x/y;version=" + v}
        if how == "only": c["defaultOutputModes"] += ["q/only;version=" + v]
        return c

    # -- time and output
    def at(self, step):
        """A step (may be fractional) as ns, sometimes a little off."""
        t = self.t0 + int(step * self.step) // S * S
        if self.f["odd"] and self.r.random() < .3: t += self.r.choice([1, -1, 123456789, 500000000, 999999999])
        return t

    def stamp(self, t):
        r = self.r
        if self.f["wild_time"] and r.random() < .4:
            if r.random() < .3: return t
            if r.random() < .4: return str(t)
            return self.rfc(t + 3600 * S)[:-1] + "+01:00"
        return self.rfc(t)

    def rfc(self, t):
        s, f = divmod(t, S)
        return (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=s)).strftime("%Y-%m-%dT%H:%M:%S") + (f".{f:09d}".rstrip("0") if f else "") + "Z"

    def emit(self, t, event, **kw):
        e = {"time": self.stamp(t), "event": event}
        for k, v in kw.items():
            if v is None: continue
            e[k] = self.stamp(v) if k in ("sent_at", "end_time") else v
        if e.get("agent") and event in ("task_status", "artifact", "attempt") and e.get("task_id") and self.f["agentless"] and self.r.random() < .25:
            del e["agent"]
        self.events.append((t, e))

    def client(self):
        return None if self.f["nameless"] and self.r.random() < .35 else self.r.choice(self.clients)

    # -- card events
    def variant(self, agent, registry, step):
        p = [v for c, v in self.plan[agent, registry] if c <= step]
        v = p[-1] if p else 0
        if self.r.random() < .08: v = self.r.randrange(len(self.cards[agent]))
        return v

    def url(self, agent, registry):
        if self.style == "well_known":
            if registry == self.authority[agent]:
                return "https://%s.example/.well-known/agent-card.json" % ("s" if agent == self.agents[0] else "t")
            return "https://m.example/%s/s%d" % (registry, self.agents.index(agent))
        return None

    def fetch(self, step, agent, registry=None, client=False, plain=False):
        r, f = self.r, self.f
        registry = registry or (self.authority[agent] if r.random() < .35 else r.choice(self.registries))
        client = self.client() if client is False else client
        v = self.variant(agent, registry, step)
        body = self.cards[agent][v]
        t = self.at(step)
        kw = dict(client=client, registry=registry, agent=agent, url=self.url(agent, registry))
        etag = None if f["no_etag"] and r.random() < .5 else r.choice(['"%d"', 'W/"%d"']) % v
        if self.style == "well_known" and r.random() < .7: kw["registry"] = None
        if f["urls"] and kw["url"] is None:
            kw["url"] = "https://cards.example/%s%d.json" % (registry, self.agents.index(agent))
            if r.random() < .1: kw["agent"] = None
        if registry == self.authority[agent] and self.style in ("flag", "mixed") and r.random() < .8: kw["authority"] = True
        if f["sent"] and r.random() < .6: kw["sent_at"] = t - r.choice([0, 1, 2 * S, 30 * S, self.step, 2 * self.step])
        if f["ages"] and r.random() < .5: kw["age_s"] = r.choice([0, 30, 60, 300, 600, 900, 3600])
        x = r.random()
        if plain: return self.emit(t, "card_fetch", etag=etag, card=body, **kw)
        if f["errors"] and x < .12:
            if r.random() < .6: kw.pop("authority", None)
            bad = r.choice([dict(status=503), dict(error="timeout"), dict(status=404), dict(error="reset", card=body), dict(status=500, card="<html>")])
            return self.emit(t, "card_fetch", **kw, **bad)
        if f["cache"] and x < .15 and "url" in kw and kw["url"] is None: kw["registry"] = "r9"
        if f["cache"] and x < .22: return self.emit(t, "card_fetch", etag=etag, card=body, from_cache=True, **kw)
        if f["noncard"] and x < .32: return self.emit(t, "card_fetch", etag=etag, card=r.choice(["<html>busy</html>", '{"detail":"busy"}']), **kw)
        if x < .47: return self.emit(t, "card_fetch", status=304, etag=etag if r.random() < .8 else None, **kw)
        if f["unresolved"] and x < .55:
            return self.emit(t, "card_fetch", status=304, etag='"99"', **kw) if r.random() < .5 else self.emit(t, "card_fetch", etag=etag, **kw)
        if f["hash_only"] and x < .68:
            h = sha(body) if r.random() < .7 else sha("lost%d" % r.randrange(2))
            return self.emit(t, "card_fetch", etag=etag, card_sha256=h if r.random() < .9 else h.upper(), **kw)
        if r.random() < .08: return self.emit(t, "card_fetch", etag=etag, card=json.loads(body), **kw)
        if r.random() < .05: return self.emit(t, "card_fetch", etag=etag, card_base64=base64.b64encode(body.encode()).decode(), **kw)
        self.emit(t, "card_fetch", etag=etag, card=body, **kw)

    def publish(self, step, agent, registry):
        v = self.variant(agent, registry, step)
        own = registry == self.authority[agent]
        kw = dict(registry=registry, agent=agent, etag=None if self.r.random() < .3 else '"%d"' % v)
        if not own: kw["authority"] = False if self.r.random() < .8 else None
        elif self.r.random() < .2: kw["authority"] = True
        if self.f["hash_only"] and self.r.random() < .15: kw["card_sha256"] = sha("lost%d" % self.r.randrange(2))
        else: kw["card"] = self.cards[agent][v]
        self.emit(self.at(step), "card_publish", **kw)

    # -- tasks
    def schema_of(self, agent, step):
        """A version that some card states (now, then, or later), or one of nobody; in a random spelling."""
        r = self.r
        x = r.random()
        if x < .08: v = "9"
        elif x < .55: v = self.stated(agent, self.variant(agent, self.authority[agent], step))
        elif x < .85: v = self.stated(agent, r.randrange(len(self.cards[agent])))
        else: v = r.choice(["3", "4", "5"])
        v = v or r.choice(["3", "4"])
        n = v.strip("v")
        n = n[:-2] if n.endswith(".0") else n
        return n, r.choice([n, n, n, int(n), "v" + n, n + ".0", n + ".0.0", '"%s"' % n, " %s " % n, "V" + n])

    def stated(self, agent, v):
        c = json.loads(self.cards[agent][v])
        x = c.get("artifactSchema", {}).get("version")
        if x is not None: return str(x)
        for e in c["capabilities"].get("extensions", []): return e["params"].get("schemaVersion")
        for m in c["defaultOutputModes"] + ([c["artifact"]["mimeType"]] if "artifact" in c else []):
            if "version=" in m: return m.split("version=")[1].strip('"')
        return None

    def under(self, agent):
        r, f = self.r, self.f
        if not f["admitted"] or r.random() < .55: return None
        if f["unknown_hash"] and r.random() < .25: return sha("lost%d" % r.randrange(3))
        h = sha(r.choice(self.cards[agent]))
        return h.upper() if r.random() < .1 else h

    def answer(self, good):
        """How an attempt's outcome is recorded: named, or to be derived."""
        r = self.r
        if not self.f["derived"] or r.random() < .4:
            return dict(outcome="accepted" if r.random() < .9 else "midstream") if good else dict(outcome=r.choice(["capability"] * 4 + OUTCOMES[1:]))
        if good: return r.choice([dict(http_status=200), dict(grpc_status="OK"), dict(task_state="submitted"), dict(task_state="working", http_status=200),
                                  dict(task_state="completed"), dict(http_status=200, method="message/stream", stream=True),
                                  dict(http_status=200, stream=True, method="message/stream", transport_error="reset")])
        return r.choice([dict(rpc_code=c, method=m) for c in (-32001, -32002, -32003, -32004, -32005, -32006, -32007, -32008, -32009, -32010, -32011, -32600,
                                                              -32601, -32602, -32603) for m in ("tasks/send", "message/send", "SendMessage")]
                        + [dict(rpc_code=-32007, protocol_version=v) for v in ("0.1", "0.1.0", "0.2.6", "0.3.0", "1.0")] + [dict(rpc_code=-32601, http_status=503)] * 6
                        + [dict(http_status=h) for h in (400, 401, 403, 404, 405, 406, 408, 409, 415, 429, 500, 501, 503)]
                        + [dict(grpc_status=g) for g in ("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "UNAUTHENTICATED", "PERMISSION_DENIED",
                                                         "UNIMPLEMENTED", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_FOUND", "INTERNAL")]
                        + [dict(transport_error="reset"), dict(transport_error="reset", http_status=502), dict(transport_error="x", http_status=200)]
                        + [dict(task_state="rejected", http_status=200), dict(task_state="TASK_STATE_REJECTED"), dict(task_state="auth-required"),
                           dict(task_state="failed", http_status=200)] * 3)

    def spell(self, s):
        r = self.r
        x = r.random()
        return s if x < .7 else "TASK_STATE_" + s.upper().replace("-", "_") if x < .9 or s != "canceled" else "TASK_STATE_CANCELLED"

    def new_id(self):
        self.task_no += 1
        return "t-%d" % (self.task_no if self.r.random() < .9 else self.r.randint(1, self.task_no))

    def attempt(self, t, agent, client, good, task=None, skill=True, **kw):
        r = self.r
        a = dict(client=client, agent=agent, task_id=task, **self.answer(good))
        a.setdefault("method", r.choice(["message/send", "SendMessage", "tasks/send", None]))
        if skill and r.random() < .6: a["skill_id"] = r.choice(self.skills)
        if r.random() < .2: a["accepted_output_modes"] = r.choice([["text/plain"], ["text/plain", "x/y;version=4"], []])
        if r.random() < .35: a["end_time"] = t + r.choice([0, 1, S, 20 * S, self.step, 2 * self.step])
        a["admitted_under"] = self.under(agent)
        if r.random() < .1: a["span_id"] = "%016x" % r.randrange(3)
        a.update(kw)
        self.emit(t, "attempt", **a)

    def push(self, t, agent, client, task):
        r = self.r
        self.emit(t, "attempt", client=client, agent=agent, task_id=task, admitted_under=self.under(agent),
                  skill_id=r.choice([None] + self.skills),
                  method=r.choice(["tasks/pushNotification/set", "tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig"]),
                  push=True, **r.choice([dict(outcome="accepted"), dict(http_status=200), dict(rpc_code=-32003), dict(rpc_code=-32007)]))

    def task(self, step):
        r, f = self.r, self.f
        agent, client, tid = r.choice(self.agents), self.client(), self.new_id()
        if r.random() < .45: self.fetch(step - r.choice([0, 0, 1, 2]), agent, client=client)
        t = self.at(step)
        who = lambda: client if r.random() < .9 else self.client()
        if r.random() < .12: self.attempt(t - r.choice([0, S, self.step]), agent, client, False, tid)
        if f["push"] and r.random() < .15:                      # a task of which only the configuration was seen
            return self.push(t, agent, client, tid), self.artifact(step, 1, agent, client, tid)
        if r.random() < .6: self.attempt(t - r.choice([0, 0, 1, S, self.step]), agent, who(), True, tid)
        if r.random() < .15: self.attempt(t + r.choice([0, S, self.step]), agent, who(), True, tid)
        if f["push"] and r.random() < .3: self.push(t + r.choice([0, S, self.step]), agent, who(), tid)
        if r.random() < .75: self.emit(t, "task_status", client=who(), agent=agent, task_id=tid, state=self.spell("submitted"), admitted_under=self.under(agent))
        if r.random() < .1: self.emit(t + r.choice([0, S]), "task_status", client=who(), agent=agent, task_id=tid, state="submitted")
        took = r.choice([0, 0, .5, 1, 1, 2, 4])
        for _ in range(r.choice([0, 1, 1, 1, 1, 1, 2])): self.artifact(step, took, agent, who(), tid)
        states = r.choice([["completed"]] * 14 + [["working"], ["failed"], ["failed"], ["working", "completed"], ["input-required", "working", "completed"], ["canceled"], ["rejected"],
                          ["completed", "failed"], ["failed", "completed"], ["auth-required"], ["input-required"], ["input-required"], [], ["unknown"], ["completed", "working"]])
        for s in states:
            self.emit(t + r.choice([int(took * self.step), self.step, 0, 2 * self.step]) + r.choice([0, S]), "task_status", client=who(), agent=agent, task_id=tid, state=self.spell(s),
                      admitted_under=self.under(agent) if r.random() < .1 else None)
        if states and states[-1] == "failed" and r.random() < .6: self.attempt(t + 2 * self.step, agent, client, r.random() < .6, tid)

    def scene(self):
        """A task around a rotation of the authority, built for one cause of a split-brain; the rest of the journal may turn it into another."""
        r = self.r
        agent = r.choice(self.agents)
        plan = self.plan[agent, self.authority[agent]]
        if len(plan) < 2: return self.task(r.randrange(self.steps))
        i = r.randrange(1, len(plan))
        cut, (old, new) = plan[i][0], (plan[i - 1][1], plan[i][1])
        vo, vn = self.stated(agent, old), self.stated(agent, new)
        auth, client, other = self.authority[agent], self.client(), self.r.choice(self.clients + ["p"])
        mirror = r.choice([m for m in self.registries if m != auth] or [auth])
        early, late = cut - r.choice([.5, 1, 1, 2]), cut + r.choice([0, .5, 1, 1, 2])
        def get(step, reg, v, who):
            kw = dict(authority=True) if reg == auth and self.style in ("flag", "mixed") and r.random() < .8 else {}
            if r.random() < .15: kw["sent_at"] = self.at(step) - r.choice([S, self.step])
            self.emit(self.at(step), "card_fetch", client=who, registry=reg, agent=agent, etag='"%d"' % v, card=self.cards[agent][v], **kw)
        kind = r.choice(["cache", "cache_mirror", "lag", "lag", "stale", "stale", "mid", "mid", "publish", "publish", "behind", "nonconf", "fine_in_window", "fine_in_window"])
        reg = r.choice([auth, mirror]) if kind in ("mid", "publish", "nonconf", "behind") else auth if kind == "cache" else mirror
        v, schema = (new, vo) if kind == "behind" else (old, "9" if kind == "nonconf" else vo if kind == "fine_in_window" else vn)
        get(late if kind == "behind" else early, reg, v, client)
        if kind == "cache_mirror": get(late, mirror, new, other)
        if kind == "lag": get(late, mirror, old, other)
        t = self.at(early + r.choice([0, .25]) if kind in ("mid", "publish") else late + r.choice([0, 0, .5]))
        t1 = self.at(late if kind == "mid" else cut - r.choice([.1, .25]) if kind == "publish" else late + 1)
        if t1 < t: t1 = t
        tid = self.new_id()
        if r.random() < .5: self.attempt(t, agent, client, True, tid, outcome="accepted", admitted_under=None)
        if r.random() < .8: self.emit(t, "task_status", client=client, agent=agent, task_id=tid, state="submitted")
        self.artifact(0, 0, agent, client, tid, t1, schema)
        self.emit(t1 + r.choice([0, S, self.step]), "task_status", client=client, agent=agent, task_id=tid, state="completed" if r.random() < .9 else "failed")
        if r.random() < .4: get(late + r.choice([1, 2, 3]), mirror, new, other)

    def artifact(self, step, took, agent, client, tid, when=None, version=None):
        r, f = self.r, self.f
        aid = r.choice(["x", "x", "y"])
        n, v = self.schema_of(agent, int(step + took))
        if version: n, v = version.strip("v"), version
        t = when if when is not None else self.at(step) + int(took * self.step)
        mt = r.choice([None, None, "x/y", "X/Y; q=1", "x/y;version=" + n, 'x/y; Version="%s"' % n, "application/vnd.q.v%s+json" % n, "application/vnd.q+json", "q/only"])
        base = dict(client=client, agent=agent, task_id=tid, artifact_id=aid)
        if r.random() < .5 or when is not None: base["media_type"] = mt if when is None or r.random() < .4 else "x/y"
        say = {} if mt and "ersion" in mt and r.random() < .7 else dict(schema_version=v) if r.random() < .95 else {}
        if r.random() < .03: say["schema_version"] = r.choice(["", '""'])
        kind = r.choice(["none"] * 5 + ["text", "json", "textjson", "bytes"])
        payload = {"none": None, "text": "hello %d" % r.randrange(3), "json": {"b": [1.0, 1e2, "é"], "a": r.randrange(2)}, "textjson": '{"b": 1.50, "a":null}', "bytes": None}[kind]
        if kind == "json" and not say and r.random() < .4: payload["schemaVersion"] = v
        if kind == "json": data = [self.jcs(payload)]
        elif kind == "textjson": data = [payload, '{"a":null,"b":1.5}']
        elif kind == "text": data = [payload]
        else: data = ["raw"]
        h = sha(r.choice(data)) if r.random() < .7 else sha("other")
        dig = None if r.random() < .15 else r.choice(["sha256:" + h, "sha256:" + h.upper(), h, "sha-256=" + base64.b64encode(bytes.fromhex(h)).decode(),
                                                      "sha-256=:%s:" % base64.b64encode(bytes.fromhex(h)).decode(), "md5:0123"] if r.random() < .5 else ["sha256:" + h])
        check = None if r.random() < .3 else "pass" if r.random() < .8 else "fail"
        disp = r.choice([None, None, "accepted", "rejected", "quarantined"])
        pay = dict(payload=payload) if payload is not None else dict(payload_base64=base64.b64encode(b"raw").decode()) if kind == "bytes" else {}
        if f["chunks"] and r.random() < .35:
            parts = r.choice([2, 3])
            text = kind in ("text", "textjson")
            k = len(payload) // parts if text else 0
            for i in range(parts):
                p = dict(payload=payload[i * k:(i + 1) * k] if i < parts - 1 else payload[i * k:]) if text and r.random() < .93 else {}
                last = i == parts - 1
                self.emit(t - (parts - 1 - i) * r.choice([0, S, 0, 1]), "artifact", **base, append=i > 0 if r.random() < .9 else None, last_chunk=True if last and r.random() < .75 else None,
                          **(say if i == r.choice([0, 0, 1]) else {}), digest=dig if last or r.random() < .2 else None, digest_check=check if last else None, **p)
        else:
            self.emit(t, "artifact", **base, **say, digest=dig, digest_check=check, disposition=disp, last_chunk=r.choice([True, True, None, False]), **pay)
        if r.random() < .2:                                     # a later sighting
            self.emit(t + r.choice([S, self.step, 25 * 60 * S]), "artifact", **base, **(say if r.random() < .5 else {}), **(pay if r.random() < .6 else {}),
                      digest=dig if r.random() < .4 else None, digest_check=r.choice([None, "fail", "pass"]), disposition=r.choice([None, "rejected"]),
                      last_chunk=r.choice([None, True]))

    @staticmethod
    def jcs(p):
        q = dict(p)
        q["b"] = [1, 100, "é"]
        return json.dumps(q, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    # -- refusals: replays, storms, drift, loops
    def refusals(self, step):
        r = self.r
        agent, client = r.choice(self.agents), self.client()
        t = self.at(step)
        if r.random() < .5: self.fetch(step - 1, agent, client=client)
        held = self.under(agent)
        for _ in range(r.choice([1, 1, 2, 2, 3, 4, 5])):
            kw = dict(outcome=r.choice(["capability", "capability", "auth", "other", "midstream"])) if r.random() < .7 else {}
            if r.random() < .8: kw["admitted_under"] = held
            self.attempt(t, agent, client if r.random() < .85 else self.client(), False, **kw)
            t += r.choice([0, 1, S, 20 * S, 60 * S, 150 * S, 300 * S, 300 * S + 1, min(self.step, 600 * S)])
        if r.random() < .12: self.attempt(t, agent, client, True)
        if r.random() < .6: self.fetch((t - self.t0) / self.step + r.choice([0, 1, 1]), agent, client=client)

    def loop(self, step):
        """Refused, the same bytes, refused again, ..."""
        r = self.r
        agent, client, reg = r.choice(self.agents), self.client(), r.choice(self.registries)
        for i in range(r.choice([2, 3, 3])):
            self.fetch(step, agent, reg, client, plain=r.random() < .7)
            for _ in range(r.choice([1, 1, 2])): self.attempt(self.at(step + .5), agent, client, False, outcome="capability", admitted_under=None)
            if r.random() < .12: self.attempt(self.at(step + .6), agent, client, True, admitted_under=None)
            step += 1
        self.fetch(step, agent, reg, client, plain=True)

    def make(self):
        r, f = self.r, self.f
        for a in self.agents:                                   # the authority speaks
            reg = self.authority[a]
            for c, _ in self.plan[a, reg]:
                if self.style in ("publish", "mixed"):
                    if r.random() < .9: self.publish(c, a, reg)
                elif r.random() < .9: self.fetch(c, a, reg, plain=r.random() < .6)
            if f["mirror_publish"]:
                for m in self.registries:
                    if m != reg:
                        for c, _ in self.plan[a, m][:2]: self.publish(c, a, m)
            if f["long_watch"]: self.fetch(self.steps + -(-3600 * S // self.step) + r.choice([0, 2]), a, reg, plain=True)
        while len(self.events) < self.n:
            a = r.choice(self.agents)
            near = r.choice(self.cuts[a]) + r.choice([-1, 0, 0, 0, .5, 1, 2]) if self.cuts[a] and r.random() < .6 else r.randrange(self.steps)
            x = r.random()
            if x < .3: self.fetch(max(near, 0), a)
            elif x < .5: self.task(max(near, 0) + r.choice([0, 0, 1]))
            elif x < self.scenes: self.scene()
            elif x < .95: self.refusals(max(near, 0))
            elif x < .97: self.loop(max(near, 0))
            else: self.fetch(near, a, self.authority[a])
        self.events = self.events[:max(self.n, 10)] if r.random() < .3 else self.events
        if f["dup"] and self.events:
            for _ in range(2): self.events.append(r.choice(self.events))
        if f["cross"] and r.random() < .5:                      # one instant for many
            t = r.choice(self.events)[0]
            for i in r.sample(range(len(self.events)), min(4, len(self.events))):
                e = dict(self.events[i][1]); e["time"] = self.stamp(t); self.events[i] = (t, e)
        self.events.sort(key=lambda x: x[0])
        if r.random() < .35: r.shuffle(self.events)
        lines = [json.dumps(e, ensure_ascii=r.random() < .5) for _, e in self.events]
        if r.random() < .1: lines.insert(r.randrange(len(lines)), r.choice(["", "not json", '{"time":"2026-11-14T07:00:00Z","event":"attempt"}', '{"hello":1}']))
        return "\n".join(lines) + "\n"


def journal(seed, n=None): return World(seed, n).make()


def stats(seeds):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import oracle, tempfile
    from collections import Counter
    count, events = Counter(), 0
    path = tempfile.mktemp(suffix=".ndjson")
    for seed in range(seeds):
        text = journal(seed)
        open(path, "w").write(text)
        events += text.count("\n")
        arc = oracle.Archive(path)
        q = oracle.rows_of(arc)
        for a in arc.attempts: count["outcome " + a.final] += 1
        for a in arc.agents: count["authority_source %s" % arc.authority[a][1]] += 1
        for r in q["bindings"]:
            for c in ("verdict", "reason", "cause", "action", "silent", "cause_certain", "digest_status", "task_state", "admission_evidence", "disposition"):
                count["%s %s" % (c, r[c])] += 1
        for r in q["registry_lag"]:
            count["status " + r["status"]] += 1
            count["last_stale_at set"] += r["last_stale_at"] is not None
            count["last_old_at set"] += r["last_old_at"] is not None
            count["lag > 0"] += (r["lag_s"] or 0) > 0
        count["status authority"] += sum(r["status"] == "authority" for r in q["split_brain_rate"])
        count["never away"] += sum(arc.lag(r["agent"], r["registry"], arc.epochs[r["agent"]][r["rotation"]]).never_away for r in q["registry_lag"])
        for r in q["rotations"]:
            for x in r["changed"] or ["unknown"]: count["rotation changed " + x] += 1
            count["rotations stale at source"] += r["stale_at_source"] > 0
            count["rotations exact"] += r["rotated_after"] == r["rotated_at"]
        for r in q["drift_incidents"]:
            count["result " + r["result"]] += 1
            count["loop %s" % r["loop"]] += 1
            for c in ("skill_still_advertised", "mode_still_advertised"): count["%s %s" % (c, r[c])] += 1
        for r in q["actions"]: count["action " + r["action"]] += 1
        for k in ("replays", "retry_storms", "slo_daily", "rotations"): count["rows " + k] += len(q[k])
        s = q["summary"][0]
        for k in ("window_verifiable", "window_split_brain", "after_verifiable", "after_split_brain", "replays_unknown_client", "without_artifact"): count["summary " + k] += s[k]
    os.unlink(path)
    print(f"{seeds} seeds, {events} lines")
    for k in sorted(count): print(f"{count[k]:7} {k}")
    must = ["verdict " + v for v in "unverifiable split_brain mismatch_incomplete corrupt no_digest consistent".split()] \
        + ["reason " + v for v in "no_admission_card card_not_in_archive card_declares_no_schema artifact_declares_no_schema".split()] \
        + ["cause " + v for v in "unknown nonconforming_agent client_cache registry_lag stale_card mid_flight publish_lag emitter_behind".split()] \
        + ["action " + v for v in "re_resolve quarantine_agent re_resolve_and_escalate_registry escalate_agent quarantine_artifact".split()] \
        + ["status " + v for v in "closed unobserved superseded open authority".split()] + ["result " + v for v in "identical cosmetic changed unknown never_refetched".split()] \
        + ["outcome " + v for v in OUTCOMES] + ["digest_status " + v for v in "absent match mismatch unchecked".split()] \
        + ["authority_source " + v for v in "declared origin only inferred".split()] + ["rotation changed " + v for v in "skills modes capabilities security protocol schema unknown".split()] \
        + ["task_state " + v for v in "submitted working input-required auth-required completed failed canceled rejected unknown".split()] \
        + ["cause_certain True", "cause_certain False", "silent True", "silent False", "loop 2", "rows retry_storms", "never away", "last_stale_at set"]
    missing = [m for m in must if not count[m]]
    print("missing:", missing or "nothing")
    return bool(missing)


if __name__ == "__main__":
    a = sys.argv[1:]
    if not a: sys.exit(__doc__)
    if a[0] == "--stats": sys.exit(stats(int(a[1]) if a[1:] else 500))
    sys.stdout.write(journal(int(a[0]), int(a[1]) if a[1:] else None))
