# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tables of bench_workloads.py, as Markdown on standard output, from the results it keeps.

A result is one workload: its sizes and its contestants, as bench_workloads.measure returns it. A
contestant's `speed` is {median, min, max} in GB/s, or None where there is none.
"""

import math

TARGET_MEAN = 4  # of the ratios of all rows, geometric
TARGET_AUTO = 0.9  # of the planner's choice to the best engine forced by name


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


def ratio_line(result):
    found = summarize(result)
    ours, peer, ratio = found["ours"], found["peer"], found["ratio"]
    density = ours["matches"] / result["bytes"] if ours else None
    cells = [
        result["name"], "{:,}".format(result["patterns"]),
        "-" if density is None else "%.2g" % density,
        "-" if ours is None else ours["chosen"] or ours["name"], speed_text(ours),
        "-" if peer is None else peer["name"], speed_text(peer),
        "-" if ratio is None else "%.2f (%.2f-%.2f)" % (ratio, *found["span"]),
        "%g" % result["target"],
        "-" if ratio is None else "yes" if ratio >= result["target"] else "**no**",
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


def print_ratios(results):
    print("## Ratios\n")
    print_table(["workload", "patterns", "matches a byte", "trawl's engine", "GB/s", "best peer",
                 "GB/s", "ratio (least-most)", "target", "met", "auto / best engine",
                 "best engine"], [ratio_line(result) for result in results])
    found = [(result, summarize(result)) for result in results]
    ratios = [(one["ratio"], result["target"]) for result, one in found if one["ratio"]]
    if ratios:
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        print("- Geometric mean of %d ratios: %.2f (target: %g, %s)."
              % (len(ratios), mean, TARGET_MEAN, "met" if mean >= TARGET_MEAN else "**not met**"))
        print("- Targets met: %d of %d." % (sum(a >= b for a, b in ratios), len(ratios)))
    autos = [(one["of_best"], result["name"]) for result, one in found if one["of_best"]]
    if autos:
        slow = ["%s (%.2f)" % (name, share) for share, name in sorted(autos) if share < TARGET_AUTO]
        print("- The planner's choice reaches %g of the best engine on %d of %d%s."
              % (TARGET_AUTO, len(autos) - len(slow), len(autos),
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
    print("- %s, checkout %s, kernel %s"
          % (machine["trawl"], machine["checkout"], machine["kernel"]))
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
    print_ratios(results)
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
