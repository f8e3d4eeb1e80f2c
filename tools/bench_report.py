#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tables of bench_workloads.py and bench_device.py, as Markdown on standard output; and, as a
command, the pages of docs/results from recorded runs.

A result is one workload. On a CPU: its sizes and its contestants, as bench_workloads.measure returns
it; a contestant's `speed` is {median, min, max} in GB/s, or None where there is none. On a GPU: the
rows of one run of trawl bench, as bench_device.measure returns it.

A recorded run is a JSON file docs/results/data/DATE-MACHINE.json, written by either tool with
--record: what was measured, and in its head the machine, the commit, the command. From the newest
run of each machine the command below makes docs/results/MACHINE.md and MACHINE.svg, the list in
docs/results/README.md, and the table and the picture of README.md.

    tools/bench_report.py            writes them
    tools/bench_report.py --check    exit status 1 and a list if one of them is not what it writes
"""

import argparse
import contextlib
import glob
import io
import json
import math
import os
import re
import sys
import textwrap

sys.dont_write_bytecode = True  # leaves nothing in tools/
import bench_picture
import bench_targets


def fastest(contestants):
    return max(contestants, key=lambda one: one["speed"]["median"], default=None)


def summarize(result):
    """What the ratios need; None for what was not measured."""
    good = [one for one in result["contestants"] if one["speed"]]
    of = {kind: [one for one in good if one["kind"] == kind] for kind in ("auto", "engine", "peer")}
    auto = of["auto"][0] if of["auto"] else None
    # Without the planner's row (--engines), the best engine stands for trawl.
    ours = auto or fastest(of["engine"])
    peer = fastest([one for one in of["peer"] if ours and one["matches"] == ours["matches"]])
    best = fastest(of["engine"])
    ratio = span = None
    if ours and peer and ours["ratio"]:  # of runs in the same turn
        peer = next((one for one in of["peer"] if one["title"] == ours["best_peer"]), peer)
        ratio, span = ours["ratio"]["median"], (ours["ratio"]["min"], ours["ratio"]["max"])
    elif ours and peer:
        ratio = ours["speed"]["median"] / peer["speed"]["median"]
        span = (ours["speed"]["min"] / peer["speed"]["max"],
                ours["speed"]["max"] / peer["speed"]["min"])
    of_best = auto["speed"]["median"] / best["speed"]["median"] if auto and best else None
    return {"ours": ours, "peer": peer, "best": best, "ratio": ratio, "span": span,
            "of_best": of_best}


def speed_text(one):
    return "-" if one is None else "%.3g" % one["speed"]["median"]


def ratio_line(result, targets):
    found = summarize(result)
    ours, peer, ratio = found["ours"], found["peer"], found["ratio"]
    target = targets.get(result["name"])
    density = ours["matches"] / result["bytes"] if ours else None
    cells = [
        result["name"], "{:,}".format(result["patterns"]),
        "-" if density is None else "%.2g" % density,
        "-" if ours is None else ours["chosen"] or ours["name"], speed_text(ours),
        "-" if peer is None else peer["name"], speed_text(peer),
        "-" if ratio is None else "%.2f (%.2f-%.2f)" % (ratio, *found["span"]),
        "%g" % target if target else "-",
        "-" if ratio is None or not target else "yes" if ratio >= target else "**no**",
        "-" if found["of_best"] is None else "%.2f" % found["of_best"],
        "-" if found["best"] is None else found["best"]["name"],
    ]
    return "| " + " | ".join(cells) + " |"


def print_table(heading, lines):
    print("| " + " | ".join(heading) + " |")
    print("|---" * len(heading) + "|")
    for line in lines:
        print(line)
    print()


def print_ratios(machine, results):
    targets = bench_targets.ratios(machine["instruction sets"])
    print("## Ratios\n")
    print_table(["workload", "patterns", "matches a byte", "trawl's engine", "GB/s", "best peer",
                 "GB/s", "ratio (least-most)", "target", "met", "auto / best engine",
                 "best engine"], [ratio_line(result, targets) for result in results])
    found = [(result, summarize(result)) for result in results]
    ratios = [(one["ratio"], targets.get(result["name"]))
              for result, one in found if one["ratio"]]
    if ratios:
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        print("- Geometric mean of %d ratios: %.2f (target: %g, %s)."
              % (len(ratios), mean, bench_targets.RATIO_MEAN,
                 "met" if mean >= bench_targets.RATIO_MEAN else "**not met**"))
        asked = [ratio >= target for ratio, target in ratios if target]
        print("- Targets met: %d of %d." % (sum(asked), len(asked)))
    autos = [(one["of_best"], result["name"]) for result, one in found if one["of_best"]]
    if autos:
        slow = ["%s (%.2f)" % (name, share) for share, name in sorted(autos) if share < bench_targets.AUTO]
        print("- The planner's choice reaches %g of the best engine on %d of %d%s."
              % (bench_targets.AUTO, len(autos) - len(slow), len(autos),
                 "; not on " + ", ".join(slow) if slow else ""))
    print()


def print_medians(results, kinds):
    columns = {}  # names in the order of appearance, kind by kind
    for kind in kinds:
        for result in results:
            columns.update((one["name"], kind) for one in result["contestants"]
                           if one["kind"] == kind and one["speed"])
    lines = []
    for result in results:
        by_name = {one["name"]: one for one in result["contestants"]
                   if one["speed"] and one["kind"] in kinds}
        peer = summarize(result)["peer"]
        cells = [result["name"]]
        for name in columns:
            text = speed_text(by_name.get(name))
            cells.append("**%s**" % text if peer and peer is by_name.get(name) else text)
        lines.append("| " + " | ".join(cells) + " |")
    if columns:
        print_table(["workload", *columns], lines)


def print_speeds(results):
    print("## Speeds\n\nMedians in GB/s; the best peer of a row is bold, - was not measured.\n")
    print_medians(results, ("auto", "engine", "peer"))
    if any(one["kind"] == "program" for result in results for one in result["contestants"]):
        print("Whole programs that count lines with a match, from start to end:\n")
        print_medians(results, ("program",))


def print_builds(results):
    print("## Building\n\nSeconds, and MB of tables.\n")
    lines = []
    for result in results:
        found = summarize(result)
        cells = [result["name"]]
        for one in (found["ours"], found["peer"]):
            if one is None or one["build_seconds"] is None:
                cells += ["-", "-"]
            else:
                table = one["table_bytes"]
                cells += ["%.3f" % one["build_seconds"],
                          "-" if table is None else "%.3g" % (table / 1e6)]
        lines.append("| " + " | ".join(cells) + " |")
    print_table(["workload", "trawl, s", "trawl, MB", "best peer, s", "best peer, MB"], lines)


def print_machine(machine, results):
    versions = dict.fromkeys("%s %s" % (one["name"], one["version"]) for result in results
                             for one in result["contestants"] if one["version"])
    print("## Machine and method\n")
    print("- %s (family/model %s), %s CPUs, %s thread(s) a core, hypervisor: %s"
          % (machine["model"], machine["family and model"], machine["CPUs"],
             machine["threads per core"], machine["hypervisor"]))
    print("- caches: " + ", ".join("%s %s" % pair for pair in machine["caches"].items()))
    print("- instruction sets: %s; trawl: %s%s"
          % (" ".join(machine["instruction sets"]), " ".join(machine["trawl devices"]),
             "; TRAWL_CPU=" + machine["TRAWL_CPU"] if machine["TRAWL_CPU"] else ""))
    print("- %s, commit %s, kernel %s"
          % (machine["trawl"], machine["commit"], machine["kernel"]))
    print("- peers: " + (", ".join(versions) or "none"))
    threads = sorted({str(one["threads"]) for result in results for one in result["contestants"]
                      if one["threads"] and one["kind"] in ("auto", "engine")})
    flags = sorted({" ".join(result["flags"]) for result in results if result["flags"]})
    loads = [result["load_before"] for result in results]
    print("- threads: %s; %s timed runs of each%s; load average before the rows: %.1f to %.1f"
          % (", ".join(threads), "/".join(sorted({str(result["repeat"]) for result in results})),
             "; trawl bench " + ", ".join(flags) if flags else "", min(loads), max(loads)))
    texts = {result["text_file"]: "%s %.1f MB%s"
             % (result["text_file"], result["bytes"] / 1e6,
                " (%d times)" % result["copies"] if result["copies"] > 1 else "")
             for result in results}
    print("- texts: %s\n" % ", ".join(texts.values()))


def print_problems(results):
    for key in ("problems", "notes"):
        rows = {}  # sentence -> the workloads that it is about
        for result in results:
            for sentence in result[key]:
                rows.setdefault(sentence, []).append(result["name"])
        if rows:
            print("## %s\n" % key.capitalize())
            for sentence, names in rows.items():
                print("- %s (%s)" % (sentence, "all" if len(names) == len(results) > 1
                                     else ", ".join(names)))
            print()


def print_against(results, others, title):
    """trawl's own rows beside those of another run: other flags, or another version."""
    lines = []
    before = {result["name"]: summarize(result)["ours"] for result in others}
    for result in results:
        ours, other = summarize(result)["ours"], before.get(result["name"])
        if ours and other:
            speed, there = ours["speed"]["median"], other["speed"]["median"]
            lines.append("| %s | %.3g | %.3g | %.2f | %.3g |"
                         % (result["name"], speed, there, speed / there,
                            ours["matches"] / result["bytes"] * speed * 1e3))
    print("## Against %s\n" % title)
    print_table(["workload", "GB/s", "GB/s there", "ratio", "million matches a second"], lines)


def print_report(machine, results):
    print_machine(machine, results)
    print_ratios(machine, results)
    print_speeds(results)
    print_builds(results)
    print_problems(results)


def speeds_tsv(results):
    """For plotting programs: a line for each contestant of each row."""
    lines = ["workload\tpatterns\tname\tkind\tmedian\tmin\tmax\tmatches\tbuild_seconds"
             "\ttable_bytes"]
    for result in results:
        for one in result["contestants"]:
            if one["speed"]:
                speed = one["speed"]
                lines.append("\t".join(str(value) for value in (
                    result["name"], result["patterns"], one["name"], one["kind"], speed["median"],
                    speed["min"], speed["max"], one["matches"], one["build_seconds"],
                    one["table_bytes"])))
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------ a GPU's tables


def device_rows(result):
    """The measured ones, the fastest of each engine and kernel first."""
    rows = [row for row in result["rows"] if row.get("device", "cpu") != "cpu" and
            row.get("gb_per_second")]
    return sorted(rows, key=lambda row: -row["gb_per_second"]["median"])


def planned_row(result):
    """The planner's choice where engine auto was measured, else the fastest; None without any."""
    rows = device_rows(result)
    return next((row for row in rows if row.get("reason")), rows[0] if rows else None)


def title(row):
    return ":".join(part for part in (row["engine"], row.get("variant"), row.get("kernel")) if part)


def size_text(size):
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return "%d %s" % (size >> shift, unit)
    return "%d bytes" % size


def print_plans(results):
    """What the planner took where engine auto was measured, against the best of the others."""
    lines = []
    for result in results:
        rows = device_rows(result)
        planned = [row for row in rows if row.get("reason")]
        forced = [row for row in rows if not row.get("reason")]
        if planned and forced:
            speed = planned[0]["gb_per_second"]["median"]
            lines.append("| %s | %s | %s | %s | %.4g | %.4g | %.2f | %s |" % (
                result["name"], size_text(result["bytes"]), result["form"], title(planned[0]),
                planned[0].get("expected_gb_per_second", 0), speed,
                speed / forced[0]["gb_per_second"]["median"], title(forced[0])))
    if lines:
        print("\n| workload | text | form | auto | GB/s expected | GB/s | auto / best | best |\n"
              "|---|---|---|---|---|---|---|---|")
        print("\n".join(lines))


def bandwidth(results):
    """The rate at which the runs read the card's memory, in GB/s; or None."""
    return max((row["bandwidth_gb_per_second"] for result in results for row in device_rows(result)
                if row.get("bandwidth_gb_per_second")), default=None)


def device_target(result, card, memory_rate):
    """In GB/s; None if there is none: the targets are for counting in 1 GiB of an H200."""
    asked = bench_targets.H200.get(result["name"])
    if not asked or result["form"] != "count" or "H200" not in card or result["bytes"] != 1 << 30:
        return None
    return asked if asked > 1 else memory_rate and asked * memory_rate


def print_device_report(results, all_rows, card):
    memory_rate = bandwidth(results)
    print("| workload | text | form | matches | kernel | GB/s | slowest-fastest | share of memory's "
          "rate | target | met |\n|---|---|---|---|---|---|---|---|---|---|")
    for result in results:
        rows = device_rows(result)
        for row in rows if all_rows else rows[:1]:
            speed, share = row["gb_per_second"], row.get("share_of_bandwidth")
            asked = device_target(result, card, memory_rate)
            print("| %s | %s | %s | %s | %s | %.4g | %.4g-%.4g | %s | %s | %s |" % (
                result["name"], size_text(result["bytes"]), result["form"],
                format(row["matches"], ",") if row.get("matches") is not None else "-", title(row),
                speed["median"], speed["min"], speed["max"],
                "-" if share is None else "%.0f %%" % (100 * share),
                "%.0f" % asked if asked else "-",
                "-" if not asked else "yes" if speed["median"] >= asked else "**no**"))
        if not rows:
            asked = device_target(result, card, memory_rate)
            print("| %s | %s | %s | - | - | - | - | - | %s | **no** |" % (
                result["name"], size_text(result["bytes"]), result["form"],
                "%.0f" % asked if asked else "-"))
    print_plans(results)
    print()
    for result in results:
        for problem in result["problems"]:
            print("- %s, %s, %s: %s" % (result["name"], size_text(result["bytes"]), result["form"],
                                        problem))


# ------------------------------------------------------------------ recorded runs


def record(path, kind, machine, command, results, secrets=()):
    """Writes a recorded run. `secrets`: (path of this machine, what to write in its place)."""
    kept = [{key: value for key, value in result.items() if key != "bench_output"}
            for result in results]
    head = {"kind": kind, "commit": machine["commit"], "command": command, "machine": machine}
    lines = ['{"head": %s,' % json.dumps(head, indent=1), '"results": [']
    for number, result in enumerate(kept):
        inner = "contestants" if kind == "cpu" else "rows"
        rest = json.dumps({key: value for key, value in result.items() if key != inner})
        rows = ",\n  ".join(json.dumps(row) for row in result[inner])
        lines.append('%s{%s, "%s": [\n  %s]}' % (",\n" if number else "", rest[1:-1], inner, rows))
    text = "\n".join(lines) + "\n]}\n"
    for place, word in secrets:
        text = text.replace(place.rstrip("/"), word)
    json.loads(text)  # what was replaced has left it whole
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Run:
    """A recorded run. Its file's name says the date and the machine."""

    def __init__(self, path):
        match = re.fullmatch(r"(\d{4}-\d\d-\d\d)-([a-z0-9.-]+)\.json", os.path.basename(path))
        if match is None:
            raise SystemExit("%s: expected a name like 2026-11-22-xeon.json" % path)
        self.path, self.date, self.name = path, match.group(1), match.group(2)
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        self.head, self.results = data["head"], data["results"]
        self.kind, self.machine = self.head["kind"], self.head["machine"]

    def model(self):
        """For titles. Makers give several processors the same name: the file's name tells them apart."""
        maker = self.machine["GPU"] if self.kind == "gpu" else self.machine["model"]
        return "%s (%s)" % (maker, self.name)

    def ratios(self):
        """To the fastest peer, of the workloads that have one."""
        found = map(summarize, self.results) if self.kind == "cpu" else []
        return [one["ratio"] for one in found if one["ratio"]]

    def counts(self):
        """Of a GPU: counting the largest text."""
        most = max(result["bytes"] for result in self.results)
        return [result for result in self.results
                if result["form"] == "count" and result["bytes"] == most]


def peers(run):
    """Names and versions of the programs and libraries that were measured beside trawl."""
    found = {}
    for result in run.results if run.kind == "cpu" else []:
        for one in result["contestants"]:
            name = one["name"].partition(" ")[0]  # without flags: grep -F -c
            if one["kind"] in ("peer", "program") and one["speed"] and name != "trawl":
                found["%s %s" % (name, one["version"])] = one["kind"]
    return sorted(found, key=lambda title: found[title])  # libraries first


def cache_bytes(machine):
    """Of one third-level cache; 0 if the run has not recorded it, as "32 MiB (1 instance)"."""
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    match = re.fullmatch(r"([0-9.]+) (\w+) \((\d+) instances?\)", machine["caches"].get("L3", ""))
    if match is None or match.group(2) not in units:
        return 0
    return float(match.group(1)) * units[match.group(2)] / int(match.group(3))


def newest(directory):
    """The last run of each machine, in the order of their names."""
    runs = [Run(path) for path in sorted(glob.glob(os.path.join(directory, "data", "*.json")))]
    return sorted({run.name: run for run in runs}.values(), key=lambda run: run.name)


def picture(run):
    if run.kind == "gpu":
        rate, rows = bandwidth(run.results), []
        for result in run.counts():
            row = planned_row(result)
            if row:
                speed = row["gb_per_second"]["median"]
                rows.append((result["name"], (speed,), "%.4g" % speed))
        line = (rate, "memory is read at %.4g GB/s" % rate) if rate else None
        return bench_picture.bars("%s, counting all matches in its memory" % run.model(),
                                  ("trawl",), rows, line)
    rows = []
    for result in run.results:
        found = summarize(result)
        values = [one["speed"]["median"] if one else None for one in (found["ours"], found["peer"])]
        if values[0]:
            rows.append((result["name"], values,
                         "%.3g times" % found["ratio"] if found["ratio"] else ""))
    return bench_picture.bars("One thread of %s, counting all matches" % run.model(),
                              ("trawl", "the fastest peer"), rows)


def page(run):
    """docs/results/MACHINE.md."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print("# %s\n" % run.model())
        print("Generated by `tools/bench_report.py` from [data/%s](data/%s): do not edit. How it was\n"
              "measured, and what the workloads are: [benchmarks](../guide/benchmarks.md).\n"
              % ((os.path.basename(run.path),) * 2))
        print("Date %s, commit %s. Command:\n\n```sh\n%s\n```\n"
              % (run.date, run.head["commit"], run.head["command"]))
        print("![Speeds](%s.svg)\n" % run.name)
        if run.kind == "gpu":
            print("## Machine\n")
            for key in ("GPU", "driver", "model", "CPUs", "trawl"):
                if run.machine.get(key):
                    print("- %s: %s" % (key, run.machine[key]))
            if bandwidth(run.results):
                print("- its memory is read at %.4g GB/s, measured in the same run"
                      % bandwidth(run.results))
            print("\n## Speeds\n")
            print_device_report(run.results, True, run.machine["GPU"])
        else:
            print_report(run.machine, run.results)
    return out.getvalue().rstrip("\n") + "\n"


def index(runs):
    """docs/results/README.md."""
    lines = ["# Results", "",
             "Generated by `tools/bench_report.py` from recorded runs: do not "
             "edit.", "How to measure, and what the workloads are: [benchmarks](../guide/benchmarks.md). "
             "Older figures, and", "what was tried: [notebook](../notebook/README.md). The five papers' "
             "tables beside what is measured", "today: [papers](papers/README.md).", ""]
    if not runs:
        return "\n".join(lines + ["No run of this version has been recorded."]) + "\n"
    lines += ["| machine | date | commit | workloads | peers |", "|---|---|---|---|---|"]
    for run in runs:
        lines.append("| [%s](%s.md) | %s | %s | %d | %s |" % (
            run.model(), run.name, run.date, run.head["commit"],
            len({result["name"] for result in run.results}), ", ".join(peers(run)) or "none"))
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------ README.md

BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"
SHOWN = (("rare-10", "10 rare strings", "English"), ("rare-1000", "1,000 rare strings", "English"),
         ("english-100", "100 words", "English"), ("english-5000", "5,000 words", "English"),
         ("code-1000", "1,000 identifiers", "C source"),
         ("gitleaks-code", "244 keywords of secrets", "C source"),
         ("gitleaks-programs", "244 keywords of secrets", "programs"),
         ("yara-programs", "35,526 malware strings", "programs"),
         ("yara-traffic", "35,526 malware strings", "traffic"),
         ("snort-traffic", "4,781 intrusion rules", "traffic"),
         ("dna8-16000", "16,000 pieces of 8 letters", "DNA"),
         ("13grams-dickens", "45,164 sentences", "Dickens"))


def speed_table(run, gpu):
    """Of README.md: one machine's CPU, and beside it a GPU if there is one."""
    by_name = {result["name"]: summarize(result) for result in run.results}
    device = {result["name"]: planned_row(result) for result in gpu.counts()} if gpu else {}
    lines = ["| patterns | text | trawl, GB/s | fastest peer, GB/s | ratio |%s"
             % (" one GPU, GB/s |" if gpu else ""), "|---|---|---|---|---|" + ("---|" if gpu else "")]
    for name, patterns, text in SHOWN:
        found = by_name.get(name)
        if found is None or not found["ratio"]:
            continue
        line = "| %s | %s | %s | %s (%s) | %.3g |" % (
            patterns, text, speed_text(found["ours"]), speed_text(found["peer"]),
            found["peer"]["name"], found["ratio"])
        if gpu:
            row = device.get(name)
            line += " %s |" % ("%.4g" % row["gb_per_second"]["median"] if row else "-")
        lines.append(line)
    return lines


def wrapped(text):
    """Lines of a paragraph; names with hyphens and links stay whole."""
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def texts_sentence(run):
    """How long the texts were; and whether a cache held them, which makes fast rows faster."""
    sizes = sorted({result["bytes"] for result in run.results})
    sizes = [sizes[0]] if len(sizes) == 1 else [sizes[0], sizes[-1]]
    text = "Texts of %s" % " to ".join(map(size_text, sizes))
    if sizes[-1] <= cache_bytes(run.machine):
        text += (", which fit in this processor's third-level cache; longer texts are slower where a "
                 "row is faster than memory")
    return text + "."


def named_ratio(pair):
    """A ratio and its workload, as README.md names it."""
    titles = {name: "%s, %s" % (patterns, text) for name, patterns, text in SHOWN}
    return "%.3g (%s)" % (pair[0], titles.get(pair[1], pair[1]))


def speed_section(run, gpu):
    pairs = [(found["ratio"], result["name"]) for result in run.results
             for found in [summarize(result)] if found["ratio"]]
    mean = math.exp(sum(math.log(ratio) for ratio, _ in pairs) / len(pairs))
    text = ("One thread of %s, counting all matches, beside the fastest peer in the same run; "
            "geometric mean of the ratio over %d workloads: %.2g, lowest %s, highest %s. "
            "[All of them](docs/results/%s.md)."
            % (run.model(), len(pairs), mean, named_ratio(min(pairs)), named_ratio(max(pairs)),
               run.name))
    if gpu:
        text += (" GPU column: one %s, text of %s already in GPU memory "
                 "([all GPU results](docs/results/%s.md)); a file reaches about 50 GB/s, through the "
                 "link." % (gpu.model().partition(" (")[0], size_text(gpu.counts()[0]["bytes"]),
                            gpu.name))
    below = "%s Peers in this run: %s, as `trawl bench --peers` measures them." % (
        texts_sentence(run), ", ".join(peers(run)))
    return "\n".join([BEGIN, *wrapped(text), "", *speed_table(run, gpu), "", *wrapped(below), "",
                      "![Speeds of trawl and of the fastest peer](docs/results/%s.svg)" % run.name, END])


def with_section(readme, runs):
    """README.md with its part between the two marks made new, if a run on a CPU with peers is
    recorded."""
    cpu = [run for run in runs if run.ratios()]
    gpu = [run for run in runs if run.kind == "gpu"]
    if not cpu:
        return readme
    last = max(cpu, key=lambda run: run.date)
    # Of two cards measured on the same day, the one that is last by name.
    section = speed_section(last, max(gpu, key=lambda run: (run.date, run.name)) if gpu else None)
    before, mark, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit("README.md: expected the marks %s and %s" % (BEGIN, END))
    return before + section + after


def generate(root):
    """path -> contents, of all that is generated."""
    results = os.path.join(root, "docs", "results")
    runs = newest(results)
    files = {os.path.join(results, "README.md"): index(runs)}
    for run in runs:
        files[os.path.join(results, run.name + ".md")] = page(run)
        files[os.path.join(results, run.name + ".svg")] = picture(run)
    readme = os.path.join(root, "README.md")
    with open(readme, encoding="utf-8") as file:
        files[readme] = with_section(file.read(), runs)
    return files


def main(arguments):
    parser = argparse.ArgumentParser(prog="bench_report.py",
                                     description="Makes docs/results from its recorded runs.")
    parser.add_argument("--check", action="store_true", help="only compare; exit status 1 if stale")
    parser.add_argument("root", nargs="?", help="of the repository",
                        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    options = parser.parse_args(arguments)
    root, stale = os.path.normpath(options.root), []
    files = generate(root)
    folder = os.path.join(root, "docs", "results")
    known = {os.path.basename(path) for path in files}
    stale += [os.path.join(folder, name) + ": no recorded run makes it" for name in
              sorted(os.listdir(folder)) if name.endswith((".md", ".svg")) and name not in known]
    for path, contents in files.items():
        there = None
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                there = file.read()
        if there == contents:
            continue
        if options.check:
            stale.append(path + ": differs from what tools/bench_report.py writes")
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(contents)
            print(path)
    for line in stale:
        print(line)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
