# SPDX-License-Identifier: MIT OR Apache-2.0
"""Random workloads for tools/bench_zoo.py: sets of patterns and texts of many kinds, from a seed.

A workload is a pattern source, a number of patterns (1 to 1,000,000, evenly by its logarithm), a
text of the same or of another kind, and a share of the text that is overwritten with patterns. The
corpora are files that a machine has (documents, C headers, programs), so that two machines with the
same files make the same workloads from the same seed.
"""

import collections
import glob
import gzip
import itertools
import lzma
import math
import os
import random
import re

MIB = 1 << 20
CORPUS_BYTES = 48 * MIB
KEPT_BYTES = 12 * MIB  # of a corpus that goes to other machines
PATTERN_BYTES = 32 * MIB  # of a set, at most: fewer patterns then
Workload = collections.namedtuple("Workload", "name patterns text")  # patterns: (flags, bytes)

LETTERS = b"abcdefghijklmnopqrstuvwxyz"
HEXADECIMAL = b"0123456789abcdef"
# Amino acids by how often proteins have them, in thousandths (UniProtKB/Swiss-Prot, release
# statistics).
PROTEIN = {"A": 83, "R": 55, "N": 41, "D": 55, "C": 14, "Q": 39, "E": 67, "G": 71, "H": 23,
           "I": 59, "L": 97, "K": 58, "M": 24, "F": 39, "P": 47, "S": 66, "T": 53, "W": 11,
           "Y": 29, "V": 69}
DOMAINS = [b"com", b"org", b"net", b"de", b"co.uk", b"ru", b"info", b"io", b"cn", b"xyz"]
PATHS = [b"index", b"login", b"api/v1", b"static", b"wp-content", b"img", b"search", b"admin"]


# ------------------------------------------------------------------ corpora


def read_file(path, most):
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            return file.read(most)
    except (OSError, EOFError):
        return b""


def readable_manual(page):
    """A manual page without the requests of its formatter."""
    page = re.sub(rb"(?m)^[.'].*\n", b"", page)
    return re.sub(rb"\\f.|\\&", b"", page).replace(b"\\-", b"-")


class Corpora:
    """What the machine's files give, each read once: English, code, binaries. With a folder: what it
    has, which is the same on all machines; what it lacks is put there."""

    SOURCES = {
        "english": ["/usr/share/man/man[1-8]/*.gz", "/usr/share/perl/*/pod/*.pod",
                    "/usr/share/doc/*/*.txt.gz", "/usr/share/doc/*/README*"],
        "code": ["/usr/include/**/*.h", "/usr/lib/python3/**/*.py", "/usr/lib/python3.*/**/*.py"],
        "binary": ["/usr/bin/*", "/usr/lib/*-linux-gnu/*.so*"],
    }

    def __init__(self, seed, folder=""):
        self.seed = seed
        self.folder = folder
        self.kept = {}

    def __getitem__(self, kind):
        if kind not in self.kept:
            self.kept[kind] = self.read_kept(kind) if self.folder else self.read(kind)
        return self.kept[kind]

    def read_kept(self, kind):
        path = os.path.join(self.folder, "%s-%s.xz" % (self.seed, kind))
        if not os.path.exists(path):
            os.makedirs(self.folder, exist_ok=True)
            making = "%s.%d" % (path, os.getpid())
            with lzma.open(making, "wb", preset=6) as file:
                file.write(self.read(kind)[:KEPT_BYTES])
            os.replace(making, path)
        with lzma.open(path) as file:
            return file.read()

    def read(self, kind):
        paths = sorted(path for pattern in self.SOURCES[kind]
                       for path in glob.glob(pattern, recursive=True)
                       if os.path.isfile(path) and not os.path.islink(path))
        random.Random("%s %s" % (self.seed, kind)).shuffle(paths)
        parts, left = [], CORPUS_BYTES
        for path in paths:
            part = read_file(path, min(left, 4 * MIB))
            part = readable_manual(part) if "/man/" in path else part
            parts.append(part)
            left -= len(part)
            if left <= 0:
                break
        whole = b"".join(parts)
        if len(whole) < MIB:
            raise OSError("%s: expected at least 1 MiB of %s" % (self.SOURCES[kind][0], kind))
        return whole

    def tokens(self, kind):
        """The distinct words of English, or identifiers of code, in order."""
        key = "tokens " + kind
        if key not in self.kept:
            form = rb"[A-Za-z]{3,20}" if kind == "english" else rb"[A-Za-z_][A-Za-z0-9_]{3,40}"
            self.kept[key] = sorted(set(re.findall(form, self[kind])))
        return self.kept[key]


def cut(random_source, corpus, size):
    """A piece of a corpus, begun at a random place and repeated if it is short."""
    begin = random_source.randrange(len(corpus))
    piece = corpus[begin:begin + size]
    while len(piece) < size:
        piece += corpus[:size - len(piece)]
    return piece


# ------------------------------------------------------------------ texts


def translate(random_source, size, alphabet):
    """`size` letters of an alphabet, drawn independently."""
    table = bytes(alphabet[i * len(alphabet) // 256] for i in range(256))
    return random_source.randbytes(size).translate(table)


def protein_alphabet():
    total, last = sum(PROTEIN.values()), 0
    letters = b""
    for name, share in PROTEIN.items():
        last += share
        letters += name.encode() * (256 * last // total - len(letters))
    return letters


def host(random_source, words):
    names = random_source.choices(words, k=random_source.choice((1, 1, 2, 2, 3)))
    return b".".join(names).lower() + b"." + random_source.choice(DOMAINS)


def log_lines(random_source, corpora, size):
    words = corpora.tokens("english")
    hosts = [host(random_source, words) for _ in range(500)]
    lines, length = [], 0
    while length < size:
        line = b"%d.%d.%d.%d - - [%02d/Nov/2026:%02d:%02d:%02d +0000] \"GET /%s/%s HTTP/1.1\" %d %d %s\n" % (
            *random_source.choices(range(256), k=4), random_source.randrange(1, 31),
            *random_source.choices(range(24), k=1), *random_source.choices(range(60), k=2),
            random_source.choice(PATHS), random_source.choice(words),
            random_source.choice((200, 200, 200, 304, 404, 500)), random_source.randrange(1 << 20),
            random_source.choice(hosts))
        lines.append(line)
        length += len(line)
    return b"".join(lines)[:size]


def digest_lines(random_source, corpora, size):
    words = corpora.tokens("code")
    lines = (b"%s  %s.tar.gz\n" % (random_source.randbytes(32).hex().encode(),
                                   random_source.choice(words)) for _ in range(max(1, size // 64)))
    return cut(random_source, b"".join(lines), size)


def captures(random_source, corpora, size):
    """Packets: headers of 54 bytes of binary numbers, then lines of a protocol or parts of files."""
    parts, length = [], 0
    while length < size:
        kind = random_source.random()
        if kind < 0.4:
            payload = b"GET /%s HTTP/1.1\r\nHost: %s\r\nAccept: */*\r\n\r\n" % (
                random_source.choice(PATHS), host(random_source, corpora.tokens("english")))
        elif kind < 0.7:
            payload = cut(random_source, corpora["binary"], random_source.randrange(40, 1400))
        elif kind < 0.9:
            payload = cut(random_source, corpora["code"], random_source.randrange(40, 1400))
        else:
            payload = random_source.randbytes(random_source.randrange(40, 1400))
        header = b"\0\0" + random_source.randbytes(12) + b"\x08\0\x45\0" + random_source.randbytes(36)
        parts += [header, payload]
        length += len(header) + len(payload)
    return b"".join(parts)[:size]


def nearly_periodic(random_source, size):
    period = random_source.randbytes(random_source.choice((1, 2, 3, 5, 16)))
    text = bytearray(period * (size // len(period) + 1))[:size]
    for _ in range(size // random_source.choice((50, 1000, 20000))):
        text[random_source.randrange(size)] = random_source.randrange(256)
    return bytes(text)


TEXTS = {
    "english": lambda r, c, size: cut(r, c["english"], size),
    "utf-16": lambda r, c, size: cut(r, c["english"], size // 2 + 1).decode("latin-1").encode("utf-16-le")[:size],
    "code": lambda r, c, size: cut(r, c["code"], size),
    "binary": lambda r, c, size: cut(r, c["binary"], size),
    "captures": captures,
    "log": log_lines,
    "digests": digest_lines,
    "dna": lambda r, c, size: translate(r, size, b"acgt"),
    "protein": lambda r, c, size: translate(r, size, protein_alphabet()),
    "random": lambda r, c, size: r.randbytes(size),
    "periodic": lambda r, c, size: nearly_periodic(r, size),
}


# ------------------------------------------------------------------ patterns


def sampled(random_source, items, count, join):
    """`count` of the items; where there are fewer, two and more of them joined."""
    if count <= len(items):
        return random_source.sample(items, count)
    made = list(items)
    while len(made) < count:
        made.append(join.join(random_source.choices(items, k=random_source.choice((2, 2, 3)))))
    return made


def length_range(random_source, least, most):
    """Lengths from a to b, with a and b drawn evenly by their logarithm; half of all sets have one
    length."""
    drawn = sorted(round(math.exp(random_source.uniform(math.log(least), math.log(most))))
                   for _ in range(2))
    return (drawn[0], drawn[0]) if random_source.random() < 0.5 else tuple(drawn)


def cuts(random_source, corpus, count, least, most):
    low, high = length_range(random_source, least, most)
    count = min(count, 2 * PATTERN_BYTES // (low + high))
    return [cut(random_source, corpus, random_source.randint(low, high)) for _ in range(count)]


def letters(random_source, count, alphabet, least, most):
    low, high = length_range(random_source, least, most)
    count = min(count, 2 * PATTERN_BYTES // (low + high))
    whole = translate(random_source, count * high, alphabet)
    return [whole[i * high:i * high + random_source.randint(low, high)] for i in range(count)]


def repeated_tokens(random_source, corpora, count, text):
    found = re.findall(rb"[^\s\0]{2,32}", text[:2 * MIB]) or [b"token"]
    return random_source.choices(found, k=count)  # with repetition, as texts have them


def phrases(random_source, corpora, count, text):
    words = corpora["english"].split()
    number = random_source.choice((2, 3, 5, 8))
    return [b" ".join(words[at:at + number]) for at in
            (random_source.randrange(len(words) - number) for _ in range(count))]


def urls(random_source, corpora, count, text):
    words, paths = corpora.tokens("english"), random_source.random() < 0.5
    return [host(random_source, words) + (b"/" + random_source.choice(PATHS) if paths else b"")
            for _ in range(count)]


def rules(random_source, corpora, count, text):
    """As intrusion rules have them: words of protocols, bytes of machine code, very short strings."""
    made = []
    for _ in range(count):
        kind = random_source.random()
        if kind < 0.04:
            made.append(random_source.randbytes(random_source.randint(1, 3)))
        elif kind < 0.3:
            made.append(cut(random_source, corpora["binary"], random_source.randint(4, 40)))
        elif kind < 0.6:
            made.append(random_source.choice(corpora.tokens("code")))
        elif kind < 0.8:
            made.append(b"/" + b"/".join(random_source.choices(corpora.tokens("english"), k=2)) + b".php")
        else:
            made.append(b"|%d|" % random_source.randrange(65536)
                        + random_source.choice(corpora.tokens("english")) + b"=")
    return made


def periodic_patterns(random_source, corpora, count, text):
    made = []
    for _ in range(count):
        period = random_source.choice((b"a", b"ab", b"abc", b"\0", b" ", b"\0\x01"))
        pattern = bytearray(period * random_source.randint(1, 40))
        if random_source.random() < 0.5:
            pattern[random_source.randrange(len(pattern))] = random_source.randrange(256)
        made.append(bytes(pattern))
    return made


# name: the function, and the kinds of texts in which its patterns are at home
PATTERNS = {
    "words": (lambda r, c, n, t: sampled(r, c.tokens("english"), n, b" "), ["english", "log"]),
    "tokens": (repeated_tokens, ["english", "code", "log", "captures"]),
    "identifiers": (lambda r, c, n, t: sampled(r, c.tokens("code"), n, b"_"), ["code", "binary"]),
    "urls": (urls, ["log", "captures"]),
    "digests": (lambda r, c, n, t: letters(r, n, HEXADECIMAL, 8, 64), ["digests"]),
    "random": (lambda r, c, n, t: letters(r, n, bytes(range(256)), 3, 300), ["random", "binary"]),
    "names": (lambda r, c, n, t: letters(r, n, LETTERS, 4, 32), ["english", "code"]),
    "binary": (lambda r, c, n, t: cuts(r, c["binary"], n, 2, 200), ["binary", "captures"]),
    "captures": (lambda r, c, n, t: cuts(r, captures(r, c, MIB), n, 3, 60), ["captures"]),
    "dna": (lambda r, c, n, t: letters(r, n, b"acgt", 6, 150), ["dna"]),
    "protein": (lambda r, c, n, t: letters(r, n, protein_alphabet(), 3, 60), ["protein"]),
    "phrases": (phrases, ["english"]),
    "passages": (lambda r, c, n, t: cuts(r, c["english"], n, 40, 1000), ["english"]),
    "rules": (rules, ["captures", "binary", "log"]),
    "periodic": (periodic_patterns, ["periodic", "binary", "english"]),
}
# Sources whose users match in any case.
CASELESS = ["words", "tokens", "identifiers", "urls", "names", "phrases", "rules"]


# ------------------------------------------------------------------ workloads


def plant(random_source, text, patterns, share):
    """The text with patterns written over `share` of its bytes."""
    left, made = int(len(text) * share), bytearray(text)
    while left > 0:
        pattern = random_source.choice(patterns)
        if len(pattern) > len(made):
            break
        at = random_source.randrange(len(made) - len(pattern) + 1)
        made[at:at + len(pattern)] = pattern
        left -= len(pattern)
    return bytes(made)


def flags_of(random_source, source, count):
    share = random_source.choice((0, 0, 0, 0.3, 1)) if source in CASELESS else 0
    return share, ["i" if share > random_source.random() else "-" for _ in range(count)]


def within(patterns, most):
    """The first patterns that have at most so many bytes together."""
    for number, total in enumerate(itertools.accumulate(map(len, patterns))):
        if total > most:
            return patterns[:max(1, number)]
    return patterns


def make(corpora, seed, number, text_bytes):
    """Workload `number` of a seed."""
    random_source = random.Random("%s %d" % (seed, number))
    source = random_source.choice(sorted(PATTERNS))
    count = round(10 ** random_source.uniform(0, 6))
    at_home = random_source.random() < 0.7
    kind = random_source.choice(PATTERNS[source][1] if at_home else sorted(TEXTS))
    text = TEXTS[kind](random_source, corpora, text_bytes)
    patterns = [pattern for pattern in
                PATTERNS[source][0](random_source, corpora, count, text) if pattern]
    patterns = within(patterns, PATTERN_BYTES)
    share = random_source.choice((0, 0, 0, 0.0001, 0.01, 0.2))
    text = plant(random_source, text, patterns, share)
    caseless, flags = flags_of(random_source, source, len(patterns))
    name = "%s-%d on %s" % (source, len(patterns), kind)
    name += ", %g %% planted" % (100 * share) if share else ""
    name += ", any case" if caseless == 1 else ", some in any case" if caseless else ""
    return Workload(name, list(zip(flags, patterns)), text)


ESCAPES = [b"%c" % byte if 0x20 < byte < 0x7F and byte != 0x5C else b"\\x%02x" % byte
           for byte in range(256)]


def write(workload, patterns_path, text_path):
    """As trawl reads them: a pattern file of format tsv, and the text."""
    with open(patterns_path, "wb") as file:
        file.writelines(b"%d\t%s\t%s\n" % (number, flags.encode(),
                                         b"".join(map(ESCAPES.__getitem__, pattern)))
                        for number, (flags, pattern) in enumerate(workload.patterns))
    with open(text_path, "wb") as file:
        file.write(workload.text)
