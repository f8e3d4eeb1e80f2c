# SPDX-License-Identifier: MIT OR Apache-2.0
"""Peers of `trawl bench --peers` that come as Python wheels; cli/bench/peers/process.h describes the protocol.

usage: python_peer.py MODULE KIND PATTERNS TEXT LENGTH MATCHES
  MODULE KIND  daachorse -, ahocorasick_rs dfa, ahocorasick_rs contiguous-nfa

These wheels return matches as lists of tuples, so that what counts them pays for the lists; a note
says so. Short pieces of the text keep the lists small.
"""
import gc
import importlib
import importlib.metadata
import json
import struct
import sys
import time

PIECE_BYTES = 1 << 20


def stop(word, sentence):
    print(word, " ".join(str(sentence).split()))
    sys.exit(0)


def read_patterns(path):
    patterns, insensitive = [], 0
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        length, flags = struct.unpack_from("<II", data, at)
        patterns.append(data[at + 8 : at + 8 + length])
        insensitive += flags & 1
        at += 8 + length
    if insensitive:
        stop("unable", "it does not know patterns that match any case")
    return patterns


def crate_version(module, crate):
    """The version of the Rust crate in a wheel, which has a list of its parts; else the wheel's."""
    for file in importlib.metadata.files(module) or []:
        if "/sboms/" in str(file):
            for part in json.loads(file.read_text())["components"]:
                if part["name"] == crate:
                    return part["version"]
    return "wheel-" + importlib.metadata.version(module)


def build_daachorse(module, _kind, patterns, matches):
    kinds = {
        "all": module.MATCH_KIND_STANDARD,
        "leftmost-first": module.MATCH_KIND_LEFTMOST_FIRST,
        "leftmost-longest": module.MATCH_KIND_LEFTMOST_LONGEST,
    }
    automaton = module.DoubleArrayAhoCorasick(patterns, kinds[matches])
    return automaton.find_overlapping if matches == "all" else automaton.find


def build_ahocorasick_rs(module, kind, patterns, matches):
    kinds = {
        "all": module.MatchKind.Standard,
        "leftmost-first": module.MatchKind.LeftmostFirst,
        "leftmost-longest": module.MatchKind.LeftmostLongest,
    }
    automata = {
        "dfa": module.Implementation.DFA,
        "contiguous-nfa": module.Implementation.ContiguousNFA,
    }
    automaton = module.BytesAhoCorasick(patterns, kinds[matches], automata[kind])
    return lambda text: automaton.find_matches_as_indexes(text, overlapping=matches == "all")


MODULES = {
    "daachorse": ("daachorse", build_daachorse),
    "ahocorasick_rs": ("aho-corasick", build_ahocorasick_rs),
}


def count_all(find, text, overlap):
    """Matches that end in each piece: those of it and what is before it, less those before it."""
    total = 0
    step = max(PIECE_BYTES, 64 * overlap)
    for begin in range(0, len(text), step):
        before = max(0, begin - overlap)
        total += len(find(text[before : begin + step]))
        if before != begin:
            total -= len(find(text[before:begin]))
    return total


def main():
    module_name, kind, patterns_path, text_path, length, matches = sys.argv[1:]
    crate, build = MODULES[module_name]
    module = importlib.import_module(module_name)
    patterns = read_patterns(patterns_path)
    with open(text_path, "rb") as file:
        text = file.read(int(length))
    overlap = max(map(len, patterns)) - 1
    gc.disable()
    begin = time.perf_counter()
    try:
        find = build(module, kind, patterns, matches)
    except Exception as error:  # whatever the wheel raises is its reason
        stop("refused", error)
    seconds = time.perf_counter() - begin
    version = crate_version(module_name, crate)
    name = version if kind == "-" else version + "-" + kind
    print("note its time includes making a Python list of the matches")
    print(f"built {seconds:.9f} 0 {crate} {name}-python", flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        count = count_all(find, text, overlap) if matches == "all" else len(find(text))
        print(f"run {time.perf_counter() - begin:.9f} {count}", flush=True)


main()
