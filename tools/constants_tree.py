# SPDX-License-Identifier: MIT OR Apache-2.0
"""A copy of the library whose constants are variables, for tools/bench_constants.py.

In the copy, each constant of src/constants/cpu.h and fallback.h or, for plans of GPUs, gpu.h is the
name of a variable, which tests/bench/constants.c changes. The compiler needs some constants while it
compiles, for the sizes of arrays: those that are `fixed` get a build of their own for each value.
"""

import collections
import os
import re
import shutil
import subprocess
import sys

# headers: where the constants are. elsewhere: constants of single files that can be varied in the same
# way. fixed: sizes of arrays. kept: what is not varied, since it counts the elements of an array
# that are varied instead, follows from another constant, describes a device, or is also in kernels.
Constants = collections.namedtuple("Constants", "headers elsewhere fixed kept")
OF = {
    "cpu": Constants(
        ["src/constants/cpu.h", "src/constants/fallback.h"],
        [("src/pattern/keys.c", "SMALL_GROUP"), ("src/base/allocate.c", "LARGE_ARRAY")],
        {"TRAWL_QGRAM_BLOCK", "TRAWL_FIELDS_SAMPLES_LOG", "TRAWL_FIELDS_NEAR_SHARE_TENTHS",
         "TRAWL_ANCHORS_RUNS", "TRAWL_TEDDY_PATTERNS", "TRAWL_TEDDY_PAIR_CHOICES",
         "TRAWL_WALK_DEPTH"},
        {"TRAWL_SURVEY_CLASSES"}),
    "cuda": Constants(
        ["src/constants/gpu.h"], [], {"TRAWL_GPU_MOST_TIERS"},
        {"TRAWL_GPU_USUAL_MULTIPROCESSORS", "TRAWL_GPU_USUAL_SHARED_BYTES",
         "TRAWL_GPU_USUAL_CACHE_BYTES", "TRAWL_GPU_USUAL_MEMORY_BYTES",
         "TRAWL_GPU_QGRAM_WORKING_BYTES", "TRAWL_GPU_CLASS_BYTES", "TRAWL_GPU_ANCHOR_TEXT_BYTES",
         "TRAWL_GPU_BATCH_BYTES", "TRAWL_GPU_BANKS", "TRAWL_GPU_HOT_THREADS",
         "TRAWL_GPU_HOT_MOST_RANK_BITS"}),
}
SCALAR = re.compile(r"^#define (TRAWL_\w+) (\S.*?)[ \t]*(/\*.*)?$", re.M)
ARRAY = re.compile(r"^static const (struct \{.*?\}|\w+) (\w+)\[(\w*)\]\s*=\s*(\{.*?\});$", re.M | re.S)
FIELDS = re.compile(r"^\s*(\w+) ([\w, ]+);$", re.M)

VARIED_H = """#ifndef TRAWL_COSTS_VARIED_H
#define TRAWL_COSTS_VARIED_H
#include <stddef.h>
#include <stdint.h>
typedef struct trawl_varied {
    const char *name;
    uint8_t *first;
    char kind; /* f: float; d: double; u: a whole number; s: a structure */
    uint32_t size, count, stride;
} trawl_varied;
extern trawl_varied trawl_varied_all[];
extern const size_t trawl_varied_count;
#endif
"""
KIND = """#define KIND(x) _Generic((x), float: 'f', double: 'd', default: 'u')
#define SINGLE(name) {#name, (uint8_t *)&trawl_varied_##name, KIND(trawl_varied_##name), \\
    sizeof trawl_varied_##name, 1, sizeof trawl_varied_##name}
#define LIST(name, member, given, kind) {given, (uint8_t *)&trawl_varied_##name[0] member, kind, \\
    sizeof(trawl_varied_##name[0] member), sizeof trawl_varied_##name / sizeof trawl_varied_##name[0], \\
    sizeof trawl_varied_##name[0]}
"""


def numbers(text):
    """The constants that are single numbers: names and values as written."""
    return [(name, value) for name, value, _ in SCALAR.findall(text)]


def arrays(text):
    return ARRAY.findall(text)


def vary_header(text, of):
    """The header with a variable in place of each constant that may be one."""
    def single(match):
        name, value = match.group(1), match.group(2)
        if name in of.fixed | of.kept:
            return match.group(0)
        return "extern __typeof__(%s) trawl_varied_%s;\n#define %s (trawl_varied_%s)" % (
            value, name, name, name)

    def array(match):
        kind, name, values = match.group(1), match.group(2), match.group(4)
        count = values.count("{") - 1 if kind.startswith("struct") else values.count(",") + 1
        return ("typedef %s %s_element;\nextern %s_element trawl_varied_%s[%d];\n#define %s trawl_varied_%s"
                % (kind, name, name, name, count, name, name))

    body = SCALAR.sub(single, text)
    return ARRAY.sub(array, body)


def definitions(text, of):
    """What goes into a source file: all variables, and the table of them."""
    lines = ['#include "costs/varied.h"', '#include "costs/given_constants.h"', KIND]
    table = []
    for name, _ in numbers(text):
        if name not in of.fixed | of.kept:
            lines.append("__typeof__(%s) trawl_varied_%s = %s;" % (name, name, name))
            table.append("SINGLE(%s)" % name)
    for kind, name, _, values in arrays(text):
        lines.append("%s trawl_varied_%s[] = %s;" % (kind, name, values))
        if kind.startswith("struct"):
            table.append('LIST(%s, , "%s", \'s\')' % (name, name))
            for one in re.findall(r"\{[^{}]*?(\w+) ([\w, ]+);", kind):
                table += ['LIST(%s, .%s, "%s.%s", KIND(trawl_varied_%s[0].%s))'
                          % (name, member, name, member, name, member)
                          for member in one[1].split(", ")]
        else:
            table.append('LIST(%s, , "%s", KIND(trawl_varied_%s[0]))' % (name, name, name))
    for _, name in of.elsewhere:
        lines.append("extern size_t trawl_varied_%s;" % name)
        table.append("SINGLE(%s)" % name)
    lines.append("trawl_varied trawl_varied_all[] = {\n%s};" % ",\n".join(table))
    lines.append("const size_t trawl_varied_count = sizeof trawl_varied_all / sizeof *trawl_varied_all;")
    return "\n".join(lines) + "\n"


def write(path, text):
    """Writes a file unless it has that text already, so that it is not compiled again."""
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except OSError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def vary_elsewhere(text, name):
    def single(match):
        return ("#include <stddef.h>\nsize_t trawl_varied_%s = %s;\n#define %s (trawl_varied_%s)"
                % (name, match.group(1), name, name))
    made, count = re.subn(r"^#define %s (\S.*?)[ \t]*(?:/\*.*\*/)?$" % name, single, text, flags=re.M)
    if count != 1:
        raise OSError("expected one #define %s" % name)
    return made


def given_constants(root, of):
    """The headers, one behind the other."""
    return "".join(read(os.path.join(root, header)) for header in of.headers)


def replace(given, name, value):
    """Gives a constant another value, in that one of the headers that has it."""
    pattern = re.compile(r"^#define %s \S.*?$" % name, re.M)
    found = [header for header, text in given.items() for _ in pattern.findall(text)]
    if len(found) != 1:
        raise OSError("expected one #define %s in %s" % (name, ", ".join(given)))
    given[found[0]] = pattern.sub("#define %s %s" % (name, value), given[found[0]])


def fixed_values(root, of):
    """(name, value) of the constants that need a build of their own."""
    made = []
    for name, value in numbers(given_constants(root, of)):
        if name in of.fixed:
            made.append((name, int(re.search(r"\d+", value.replace("(size_t)", "")).group(0))))
    return made


def generate(root, tree, of, values):
    """Writes the copy. `values`: names of fixed ones with the text that replaces theirs."""
    for folder, _, files in os.walk(os.path.join(root, "src")):
        for file in files:
            source = os.path.join(folder, file)
            relative = os.path.relpath(source, root)
            if relative not in of.headers and relative not in dict(of.elsewhere):
                write(os.path.join(tree, relative), read(source))
    for folder in ("cmake", "include"):
        shutil.copytree(os.path.join(root, folder), os.path.join(tree, folder), dirs_exist_ok=True)
    given = {header: read(os.path.join(root, header)) for header in of.headers}
    for name, value in values.items():
        replace(given, name, value)
    for header, text in given.items():
        write(os.path.join(tree, header), vary_header(text, of))
    given = "".join(given.values())
    write(os.path.join(tree, "src/costs/given_constants.h"), given)
    write(os.path.join(tree, "src/costs/varied.h"), VARIED_H)
    write(os.path.join(tree, "src/costs/varied.c"), definitions(given, of))
    for path, name in of.elsewhere:
        write(os.path.join(tree, path), vary_elsewhere(read(os.path.join(root, path)), name))


CMAKE = """cmake_minimum_required(VERSION 3.21)
project(trawl-constants LANGUAGES C)
set(TRAWL_WERROR OFF)
include(cmake/compiler.cmake)
include(cmake/dependencies.cmake)
file(GLOB_RECURSE sources "src/*.c")
list(FILTER sources EXCLUDE REGEX "/src/io/")
if(NOT "%(module)s" STREQUAL "")
    list(FILTER sources EXCLUDE REGEX "/gpu/absent.c")
endif()
add_executable(bench_constants ${sources} "%(root)s/tests/bench/constants.c"
               "%(root)s/tests/bench/constants_device.c")
target_compile_definitions(bench_constants PRIVATE TRAWL_BUILDING_LIBRARY)
target_include_directories(bench_constants PRIVATE src "%(root)s/tests/bench")
target_link_libraries(bench_constants PRIVATE trawl-flags PkgConfig::XXHASH Threads::Threads m)
if(NOT "%(module)s" STREQUAL "")
    file(GLOB_RECURSE module "%(module)s/*.o")
    find_package(CUDAToolkit REQUIRED)
    target_sources(bench_constants PRIVATE ${module})
    target_link_libraries(bench_constants PRIVATE CUDA::cudart_static
                          -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic)
endif()
"""


def build(root, place, of, values=None, module=""):
    """Makes the program of a set of values in `place`; returns its path. `module`: the folder with
    the CUDA module's object files, if it shall scan on GPUs."""
    tree, made = os.path.join(place, "tree"), os.path.join(place, "made")
    generate(root, tree, of, values or {})
    write(os.path.join(tree, "CMakeLists.txt"), CMAKE % {"root": root, "module": module})
    for command in (["cmake", "-S", tree, "-B", made, "-DCMAKE_BUILD_TYPE=Release"],
                    ["cmake", "--build", made, "-j", str(os.cpu_count())]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.stderr.write(done.stdout[-6000:] + done.stderr[-6000:])
            raise OSError("%s failed; a constant that is needed while compiling belongs to the fixed "
                          "ones of tools/constants_tree.py" % command[0])
    return os.path.join(made, "bench_constants")
