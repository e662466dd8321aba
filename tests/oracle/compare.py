#!/usr/bin/env python3
"""compare.py BIN SEED_FROM SEED_TO [options]   compares BIN with the oracle over random journals (SEED_TO included)

  --report       one run per journal: `BIN analyze FILE --format json` (split_brains in place of bindings); the default is
                 `BIN query NAME --input FILE --format ndjson` for every query
  --query NAME   only this query (repeatable)
  --files F...   these journals in place of seeds (all that follow)
  --events N     journals of about N events
  --shrink       make the journal of each first difference as small as possible and print it
  --pairs        look for pairs of CHOICES too, where no single one explains a difference (slow)
  --max N        stop after N differing journals (default 20)

A difference that vanishes when one of the oracle's CHOICES (AMBIGUOUS.md) is flipped is marked `= A7 null_last_in_order`:
then it is a question of reading, not necessarily a bug."""
import itertools, json, math, os, re, subprocess, sys, tempfile
from collections import Counter
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen, oracle

NUMBERS = {m[1]: m[2] for m in re.finditer(r'^    "(\w+)": True, +# (A\d+)', open(oracle.__file__).read(), re.M)}


def label(flip): return " + ".join(f"{NUMBERS.get(c, '?')} {c}" for c in flip)


def run_query(bin_, path, queries):
    out = {}
    for q in queries:
        p = subprocess.run([bin_, "query", q, "--input", path, "--format", "ndjson"], capture_output=True, text=True)
        if p.returncode: out[q] = f"exit {p.returncode}: {(p.stderr or p.stdout).strip()[:300]}"
        else:
            try: out[q] = [json.loads(l) for l in p.stdout.splitlines() if l.strip()]
            except ValueError as e: out[q] = f"not NDJSON: {e}"
    return out


def run_report(bin_, path, queries):
    p = subprocess.run([bin_, "analyze", path, "--format", "json"], capture_output=True, text=True)
    if p.returncode: return {q: f"exit {p.returncode}: {(p.stderr or p.stdout).strip()[:300]}" for q in queries}
    try: j = json.loads(p.stdout)
    except ValueError as e: return {q: f"not JSON: {e}" for q in queries}
    out = {}
    for q in queries:
        v = j.get("split_brains" if q == "bindings" else q, "the report has no such key")
        out[q] = [v] if isinstance(v, dict) else v
    return out


def same(a, b):
    """None, or how the values differ."""
    if isinstance(a, bool) or isinstance(b, bool): return None if a is b else "value"
    if isinstance(a, (int, float)) and isinstance(b, (int, float)): return None if math.isclose(a, b, rel_tol=1e-9) else "value"
    if a == b and type(a) == type(b): return None
    if isinstance(a, str) and isinstance(b, str) and "T" in a and oracle.parse_time(a) is not None and oracle.parse_time(a) == oracle.parse_time(b):
        return "spelling of a time"
    return "value"


def difference(query, want, got):
    """The first difference as text, or None."""
    if isinstance(got, str): return got
    cols = oracle.COLUMNS[query][1]
    key = lambda r: {c: r.get(c) for c in cols[:max(3, oracle.COLUMNS[query][0])]}
    fmt = lambda r: json.dumps({c: r.get(c) for c in cols}, ensure_ascii=False)
    if [c for c in (list(got[0]) if got else [])][:len(cols)] != (cols if got else []):
        if got and set(cols) - set(got[0]): return f"columns missing: {sorted(set(cols) - set(got[0]))}"
        return f"columns in another order: {list(got[0])}"
    if len(want) != len(got):
        g, w = [fmt(r) for r in got], [fmt(r) for r in want]
        extra, lacking = [r for r in g if r not in w], [r for r in w if r not in g]
        return f"{len(want)} rows by the oracle, {len(got)} by BIN" + (f"\n      oracle: {lacking[0]}" if lacking else "") + (f"\n      BIN:    {extra[0]}" if extra else "")
    for i, (w, g) in enumerate(zip(want, got)):
        for c in cols:
            how = same(w[c], g.get(c))
            if how is None: continue
            if len(want) > 1 and sorted(map(fmt, want)) == sorted(map(fmt, got)): return f"row {i}: same rows, other order; oracle {key(w)}, BIN {key(g)}"
            others = [x for x in cols if x != c and same(w[x], g.get(x))]
            return f"row {i} {key(w)}: {c}: oracle {w[c]!r}, BIN {g.get(c)!r} ({how})" + (f"; also {', '.join(others)}" if others else "")
    return None


def expected(path, report, flip=()):
    for c in flip: oracle.CHOICES[c] = not oracle.CHOICES[c]
    try: rows = oracle.run(path)
    finally:
        for c in flip: oracle.CHOICES[c] = not oracle.CHOICES[c]
    if report: rows["bindings"] = [r for r in rows["bindings"] if r["verdict"] == "split_brain"]
    return rows


def shrink(bin_, path, query, report):
    run = run_report if report else run_query
    def differs(lines):
        with open(path, "w") as f: f.write("".join(lines))
        got = run(bin_, path, [query])[query]
        return difference(query, expected(path, report)[query], got)
    lines = open(path).read().splitlines(True)
    size = max(1, len(lines) // 4)
    while True:
        i, less = 0, False
        while i < len(lines):
            rest = lines[:i] + lines[i + size:]
            if rest and differs(rest): lines, less = rest, True
            else: i += size
        if size == 1 and not less: break
        size = max(1, size // 2)
    d = differs(lines)
    return lines, d


def main(argv):
    report = "--report" in argv; shrinking = "--shrink" in argv; pairs = "--pairs" in argv
    argv = [a for a in argv if a not in ("--report", "--shrink", "--pairs")]
    files, queries, limit, n = None, [], 20, None
    if "--files" in argv: i = argv.index("--files"); files, argv = argv[i + 1:], argv[:i]
    while "--query" in argv: i = argv.index("--query"); queries.append(argv[i + 1]); del argv[i:i + 2]
    if "--max" in argv: i = argv.index("--max"); limit = int(argv[i + 1]); del argv[i:i + 2]
    if "--events" in argv: i = argv.index("--events"); n = int(argv[i + 1]); del argv[i:i + 2]
    if len(argv) != (1 if files else 3): sys.exit(__doc__)
    bin_, queries = argv[0], queries or list(oracle.COLUMNS)
    run = run_report if report else run_query
    counts, readings, bad, done = Counter(), Counter(), 0, 0
    with tempfile.TemporaryDirectory(prefix="carddrift-oracle-") as folder:
        for item in files or range(int(argv[1]), int(argv[2]) + 1):
            path = item if files else os.path.join(folder, f"seed{item}.ndjson")
            if not files:
                with open(path, "w") as f: f.write(gen.journal(item, n))
            want, got = expected(path, report), run(bin_, path, queries)
            done += 1
            diffs = {q: d for q in queries if (d := difference(q, want[q], got[q]))}
            if not diffs: continue
            bad += 1
            flipped = {(c,): expected(path, report, (c,)) for c in oracle.CHOICES}
            print(f"{'seed ' if not files else ''}{item}:")
            for q, d in diffs.items():
                by = [c for c in flipped if not difference(q, flipped[c][q], got[q])]
                if not by and pairs:
                    if len(flipped) == len(oracle.CHOICES):
                        flipped |= {p: expected(path, report, p) for p in itertools.combinations(oracle.CHOICES, 2)}
                    by = [c for c in flipped if not difference(q, flipped[c][q], got[q])]
                counts[q] += 1
                for c in by: readings[c] += 1
                print(f"  {q}: {d}" + (f"   = {', '.join(map(label, by[:6]))}" if by else ""))
            if shrinking:
                q = next(iter(diffs))
                small = os.path.join(folder, "small.ndjson")
                with open(small, "w") as f: f.write(open(path).read())
                lines, d = shrink(bin_, small, q, report)
                print(f"  smallest journal for {q} ({len(lines)} lines): {d}\n" + "".join("    " + l for l in lines))
            sys.stdout.flush()
            if bad >= limit: print(f"stopped after {bad} differing journals"); break
    print(f"{done} journals compared, {bad} differ" + (": " + ", ".join(f"{q} {c}" for q, c in counts.most_common()) if counts else ""))
    if readings: print("explained by another reading: " + ", ".join(f"{label(c)} {k}" for c, k in readings.most_common(12)))
    return 1 if bad else 0


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
