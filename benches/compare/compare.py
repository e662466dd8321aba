#!/usr/bin/env python3
"""compare.py BIN [--tasks N] [--runs N] [--folder DIR] [--without TOOL]...

Compares BIN (a release build of carddrift) with other tools doing the same work on the same journal, each as a whole
process, run in turns, and prints one table of medians, ratios, peak memory, and rows kept and lost of a damaged copy.
The tools come from their ordinary packages: `pip install duckdb chdb polars`. A tool that is not installed is left out by name."""
import argparse, importlib.util, json, os, random, re, shutil, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = {"duckdb": "duckdb", "clickhouse": "chdb", "polars": "polars"}


def run(argv, ok=(0,)):
    """Wall seconds, peak MiB and standard output of a process."""
    with tempfile.TemporaryFile() as out:
        began = time.perf_counter()
        process = subprocess.Popen(argv, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    if process.returncode not in ok:
        sys.exit(f"{' '.join(argv)} ended with {process.returncode}:\n{text[-2000:]}")
    return took, usage.ru_maxrss / 1024, text


def damaged(source, target):
    """A copy in which one line in 1,000 is cut in its middle. Returns how many lines are whole and how many are not."""
    whole = cut = 0
    pick = random.Random(1)
    with open(source, "rb") as lines, open(target, "wb") as copy:
        for line in lines:
            if pick.random() < 0.001:
                copy.write(line[: len(line) // 2] + b"\n")
                cut += 1
            else:
                copy.write(line)
                whole += 1
    return whole, cut


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--tasks", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", help="where the journal is kept between calls (default: a temporary folder)")
    parser.add_argument("--without", action="append", default=[], choices=list(TOOLS))
    options = parser.parse_args()
    binary = os.path.abspath(options.bin)
    folder = options.folder or tempfile.mkdtemp(prefix="carddrift-compare-")
    os.makedirs(folder, exist_ok=True)
    journal = os.path.join(folder, f"journal-{options.tasks}.ndjson")
    if not os.path.exists(journal):
        run([sys.executable, os.path.join(HERE, "gen_journal.py"), "--tasks", str(options.tasks), journal + ".part"])
        os.rename(journal + ".part", journal)
    tools = [t for t, module in TOOLS.items() if importlib.util.find_spec(module) and t not in options.without]
    for tool in sorted(set(TOOLS) - set(tools)):
        print(f"left out: {tool}", file=sys.stderr)

    out = os.path.join(folder, "out")
    peer = lambda tool, phase, source: [sys.executable, os.path.join(HERE, f"peer_{tool}.py"), phase, source, f"{out}-{tool}"]

    def steps(source):
        store = f"{out}-carddrift"
        yield "carddrift", "ingest", [binary, "ingest", source, "--store", store], store
        yield "carddrift", "all", [binary, "analyze", source], None
        for tool in tools:
            yield tool, "ingest", peer(tool, "ingest", source), f"{out}-{tool}"
            if tool == "duckdb":
                yield tool, "all", peer(tool, "all", source), f"{out}-{tool}"

    figures = {}
    for turn in range(options.runs):
        for tool, phase, argv, target in steps(journal):
            if target:
                shutil.rmtree(target, ignore_errors=True)
            took, peak, _ = run(argv)
            figures.setdefault((phase, tool), []).append((took, peak))
            print(f"run {turn + 1}: {tool} {phase}: {took:.2f} s, {peak:.0f} MiB", file=sys.stderr)

    broken = os.path.join(folder, "damaged.ndjson")
    whole, cut = damaged(journal, broken)
    shutil.rmtree(f"{out}-carddrift", ignore_errors=True)
    kept = {"carddrift": f"{carddrift_kept(binary, broken):,} kept; each cut line named"}
    for tool in tools:
        _, _, text = run(peer(tool, "kept", broken))
        kept[tool] = text.strip().splitlines()[-1]

    size = os.path.getsize(journal)
    print(f"\n{size / 1e6:,.0f} MB, {whole + cut:,} records, {options.tasks:,} tasks; {os.cpu_count()} cores; median of {options.runs}\n")
    print("| tool | work | seconds | times carddrift | MB/s | peak MiB |\n|---|---|---|---|---|---|")
    for phase, words in (("ingest", "journal to Parquet"), ("all", "the same, and the queries")):
        base = statistics.median(took for took, _ in figures[phase, "carddrift"])
        for tool in ["carddrift", *tools]:
            if (phase, tool) in figures:
                took = statistics.median(t for t, _ in figures[phase, tool])
                peak = max(p for _, p in figures[phase, tool])
                print(f"| {tool} | {words} | {took:.2f} | {took / base:.2f} | {size / took / 1e6:.0f} | {peak:.0f} |")
    print(f"\nOf a copy with {cut:,} lines cut in their middle ({whole:,} whole):\n\n| tool | rows |\n|---|---|")
    for tool, text in kept.items():
        print(f"| {tool} | {text} |")
    if not options.folder:
        shutil.rmtree(folder, ignore_errors=True)


def carddrift_kept(binary, source):
    _, _, text = run([binary, "query", "-e", "SELECT sum(accepted) + sum(repaired) AS kept FROM sources", "--input", source, "--format", "ndjson"])
    return json.loads(re.search(r"\{.*\}", text).group())["kept"]


if __name__ == "__main__":
    main()
