#!/usr/bin/env python3
"""Finds violations of the layers in the source tree.

- An include or a dependency points to a higher layer, or to a layer that the table below does not allow.
- A pure file does I/O.
- A file outside zmtp/runtime reads a clock, draws a random number, makes a timer or sleeps.
- A header includes all of Asio, or contains a coroutine.
- A public header includes a part of a socket.
- Code outside test/interop and bench uses libzmq.

Usage: check_layers.py [ROOT]

Prints each violation with its reason and its remedy. Exit codes: 0 no violation, 1 violations, 2 invalid arguments
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

# The layers, top first. A layer is a folder, or a file that is a Bazel target of its own. A layer may use itself, the
# layers at its right, and all layers that those may use. ANY: every layer.
ANY = ["*"]
LAYERS = [
    # layer                    may use
    ("tools",                  ANY),
    ("test",                   ANY),
    ("bench",                  ANY),

    # One target in two files: the interface and its shell.
    ("chp/replicated_server",  ["chp", "bstar", "chp/pair_core"]),
    ("chp/pair_core",          ["chp/replicated_server"]),
    ("chp/pair_roles",         ["chp/pair_core"]),
    ("chp/pair_source",        ["chp/pair_core"]),
    ("chp/blocking",           ["chp", "zmtp/blocking"]),
    ("chp",                    ["zmtp/pattern", "zmtp/storage"]),
    ("bstar",                  ["zmtp/pattern"]),
    ("mdp/titanic",            ["mdp", "zmtp/storage"]),
    ("mdp/blocking",           ["mdp", "zmtp/blocking"]),
    ("mdp",                    ["zmtp/pattern"]),

    ("zmtp/pattern",           ["zmtp/socket"]),
    ("zmtp/blocking",          ["zmtp/socket"]),
    # Durable files. They do not need a socket.
    ("zmtp/storage",           []),

    # Authenticators that many programs need. One of them uses a socket.
    ("zmtp/authenticators",    ["zmtp/socket"]),

    # For tests: production sockets on a virtual clock and network.
    ("zmtp/simulation",        ["zmtp/engine"]),

    # The header that includes all sockets.
    ("zmtp/zmtp",              ["zmtp/socket"]),
    ("zmtp/socket",            ["zmtp/engine"]),
    # The Asio code behind every socket.
    ("zmtp/engine",            ["zmtp/transport", "zmtp/routing", "zmtp/conversation", "zmtp/authenticator"]),
    # An interface for users, with the handler of an asynchronous operation.
    ("zmtp/authenticator",     ["zmtp"]),
    ("zmtp/transport",         ["zmtp/runtime", "zmtp/framing"]),
    # Time, executors and completion.
    ("zmtp/runtime",           ["zmtp"]),
    ("zmtp/routing",           ["zmtp"]),
    ("zmtp/conversation",      ["zmtp/mechanism"]),

    ("zmtp/mechanism",         ["zmtp/framing"]),
    ("zmtp/framing",           ["zmtp/curve"]),
    # The keys and boxes of CURVE.
    ("zmtp/curve",             ["zmtp"]),
    # Names and bytes: one layer in two folders.
    ("zmtp",                   ["zmtp/buffer"]),
    ("zmtp/buffer",            ["zmtp"]),
]
# No other layer uses these. A new folder below one of them belongs to it. Any other new folder needs a line in the
# table.
OPEN_LAYERS = {"tools", "test", "bench"}
# Files that are a layer of their own.
FILE_LAYERS = {"chp/replicated_server", "chp/pair_core", "chp/pair_roles", "chp/pair_source",
               "zmtp/authenticator", "zmtp/zmtp"}

# Pure files get bytes, time and random numbers as arguments.
PURE_FOLDERS = {"zmtp", "zmtp/buffer", "zmtp/framing", "zmtp/mechanism", "zmtp/conversation", "zmtp/routing"}
PURE_FILES = re.compile(
    r"(?:^zmtp/curve/(?!(?:certificate|private)_file\.)\w+"
    # All files of chp except its shells and the code of its files on disk.
    r"|^chp/(?!(?:log_file|log_file_load|loaded_log|lost_file|map_file_conversion|publisher_port|record_table|snapshot_port|sqlite_log_store|server|server_core|server_core_access|client|client_core|client_connections|client_senders|waiting_handlers|watch_queue|watcher"
    r"|pair_core|pair_roles|pair_source|replicated_server)\.)\w+"
    r"|(?:^|/)\w+_(?:state|policy)|(?:^|/)state_(?:machine|message)|(?:^|/)(?:command(?:_bytes|_builder|_parser)?|liveness))\.(?:h|cc)$")

# Headers that a pure file must not include, directly or through a header of the project.
IMPURE_INCLUDES = [
    (r"boost/(asio|beast)(/|\.hpp$)", "it does I/O"),
    (r"(iostream|fstream|filesystem)$", "it opens files"),
    (r"(thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier)$",
     "it starts threads or waits for them"),
    (r"(ctime|time\.h)$", "it reads a clock"),
    (r"(unistd\.h|fcntl\.h|poll\.h|netdb\.h|pthread\.h|(sys|netinet|arpa|net|linux)/.*)$",
     "it asks the operating system"),
    (r"(spdlog/.*|sqlite3\.h)$", "it writes files"),
]
# Calls that a pure file must not contain.
IMPURE_CALLS = [
    (r"::\s*now\s*\(", "reads a clock"),
    (r"\bstd\s*::\s*time\s*\(|(?<![\w.>])time\s*\(\s*(?:nullptr|NULL|0|&)", "reads a clock"),
    (r"\b(?:gettimeofday|clock_gettime)\s*\(", "reads a clock"),
    (r"\brandom_device\b|(?<![\w.>])s?rand\s*\(", "draws a random number"),
    (r"\b(?:getrandom|arc4random\w*|randombytes\w*)\b", "draws a random number"),
    (r"(?<![\w.>])fopen\s*\(", "opens a file"),
]

# The parts of a socket. A public header must not include them, directly or through another header, because a change of
# one of them would recompile every program.
SOCKET_PARTS = re.compile(r"zmtp/(?:engine/|routing/(?:\w+_state|pipe|socket_pipes)\.|buffer/\w+_queue\.)")

# Only this layer reads clocks, draws random numbers and makes timers. All others use its runtime, which a simulation
# replaces.
RUNTIME_LAYER = "zmtp/runtime"
RUNTIME_CALLS = [
    *(call for call in IMPURE_CALLS if not call[1].startswith("opens")),
    (r"\b(?:steady|system|high_resolution|deadline|waitable)_timer\b", "makes a timer"),
    (r"\bsleep_(?:for|until)\s*\(", "sleeps"),
]
# (file, what it does) -> the reason for the exception.
RUNTIME_EXCEPTIONS = {
    ("zmtp/transport/ipc.cc", "sleeps"): "flock() has no timeout; the folder's lock is the kernel's",
}

ASIO_WHOLE = "boost/asio.hpp"
COROUTINE = re.compile(r"\bco_(?:await|return|yield)\b")
PEER_HEADERS = re.compile(r"(?:.*/)?(?:c?zmq\.h|zmq\.hpp|zmq_addon\.hpp|zmq_utils\.h)$")
PEER_LIBRARIES = re.compile(r"//third_party:libzmq\b|-lc?zmq\b")
PEER_FOLDERS = ("test/interop/", "bench/")

HEADERS = {".h", ".hh", ".hpp"}
SOURCES = HEADERS | {".c", ".cc", ".cpp", ".cxx"}
NOT_OURS = {"third_party"}
# Folders whose labels are not dependencies on a layer: the root package, visibility, libraries, build rules.
NOT_LAYERS = {"", "visibility", "third_party", "tools/build"}

LAYER_NAMES = {layer for layer, _ in LAYERS}
TOPS = {layer.partition("/")[0] for layer in LAYER_NAMES}


class Violation(NamedTuple):
    file: str
    line: int
    what: str
    why: str
    remedy: str

    def __str__(self):
        return (f"{self.file}:{self.line}: {self.what}\n"
                f"    why: {self.why}\n    remedy: {self.remedy}")


def layer_of(path):
    """Returns the layer of a file, or None if the table does not have it. The path starts at the root."""
    stem = re.sub(r"\.\w+$", "", path)
    folder = path.rpartition("/")[0]
    if stem in FILE_LAYERS:
        return stem
    if folder in LAYER_NAMES:
        return folder
    top = folder.partition("/")[0]
    return top if top in OPEN_LAYERS else None


def reachable_layers():
    """Returns a map from each layer to the layers that it may use, including itself."""
    direct = dict(LAYERS)
    reach = {}
    for layer in direct:
        seen, todo = set(), [layer]
        while todo:
            here = todo.pop()
            if here not in seen:
                seen.add(here)
                todo += direct.get(here, [])
        reach[layer] = seen
    return reach


REACH = reachable_layers()


def may_use(user, used):
    if used in OPEN_LAYERS:
        return user in OPEN_LAYERS
    return used in REACH[user] or "*" in REACH[user]


def layers_below(layer):
    return ", ".join(sorted(REACH[layer] - {layer})) or "nothing else of the project"


def is_pure(path):
    folder = path.rpartition("/")[0]
    if folder.partition("/")[0] in OPEN_LAYERS:
        return False
    return layer_of(path) in PURE_FOLDERS or PURE_FILES.search(path) is not None


# Matches from left to right. This distinguishes a // in a string from a comment, and a quote in a comment from a
# string. A quote after a digit separates digits.
COMMENT_OR_LITERAL = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|R"(?P<mark>\w*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
LABEL = re.compile(r'"//([\w/.-]*)(?::([\w/.-]+))?"')
TARGET_NAME = re.compile(r'\bname\s*=\s*"([^"]+)"')


def blank(match):
    """Returns spaces instead of the text, so that all text after it stays in its line."""
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments(text):
    return COMMENT_OR_LITERAL.sub(lambda m: blank(m) if m.group("comment") else m.group(0), text)


def code_only(text):
    return COMMENT_OR_LITERAL.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class Include(NamedTuple):
    line: int
    name: str
    ours: bool
    quoted: bool


class Tree:
    """The sources and build files below a root, read once. Paths start at the root."""

    def __init__(self, root):
        self.sources, self.builds = {}, {}
        todo = [Path(root)]
        while todo:
            for entry in todo.pop().iterdir():
                path = entry.relative_to(root).as_posix()
                # Bazel's links are named bazel-*.
                if entry.name.startswith(".") or entry.is_symlink() or path in NOT_OURS:
                    continue
                if entry.is_dir():
                    todo.append(entry)
                elif entry.suffix in SOURCES:
                    self.sources[path] = entry.read_text(encoding="utf-8", errors="replace")
                elif entry.name in ("BUILD", "BUILD.bazel"):
                    text = entry.read_text(encoding="utf-8", errors="replace")
                    self.builds[path] = re.sub(r"#[^\n]*", blank, text)
        self.includes = {path: self.includes_of(text) for path, text in self.sources.items()}

    def includes_of(self, text):
        text = without_comments(text)
        found = []
        for match in INCLUDE.finditer(text):
            name = match.group(1) or match.group(2)
            ours = name in self.sources or ("/" in name and name.partition("/")[0] in TOPS)
            found.append(Include(line_of(text, match.start()), name, ours, bool(match.group(1))))
        return found


def no_layer(path, line, what):
    return Violation(path, line, f"{what} is not in a layer",
                     "every folder of sources has a line in the table of tools/check_layers.py",
                     "use a folder that is in the table, or add a line for the new folder")


def check_includes(tree):
    for path, includes in tree.includes.items():
        user = layer_of(path)
        if user is None:
            yield no_layer(path, 1, f"the folder {path.rpartition('/')[0] or 'of the root'}")
            continue
        for include in includes:
            used = layer_of(include.name)
            if PEER_HEADERS.match(include.name):
                pass  # check_peers reports this include
            elif not include.ours:
                if include.quoted:
                    yield Violation(path, include.line, f'"{include.name}" is not found from the root',
                                    "a full path shows the layer of a header",
                                    'write "folder/file.h" from the root, <name> for other libraries')
            elif used is None:
                yield no_layer(path, include.line, include.name)
            elif not may_use(user, used):
                yield Violation(path, include.line, f"{user} includes {include.name}",
                                f"{user} may use {layers_below(user)}; {used} is not among them",
                                "move the common code to a lower layer, or pass it as an argument")


def check_purity(tree):
    for path, text in tree.sources.items():
        if is_pure(path):
            for line, what in impure_calls(text):
                yield Violation(path, line, f"{path} is pure, but {what}",
                                "a pure file gets bytes, time and random numbers as arguments",
                                "take it as an argument from the shell that uses this file")
            yield from check_reached_headers(tree, path)


def check_reached_headers(tree, pure):
    """Follows the includes of a pure file, except those of other pure headers, which have their own check."""
    seen, todo = set(), [(pure, 0, [])]
    while todo:
        here, first_line, way = todo.pop()
        for include in tree.includes.get(here, []):
            line = first_line or include.line
            if include.ours and include.name not in seen and not is_pure(include.name):
                seen.add(include.name)
                todo.append((include.name, line, way + [include.name]))
                for at, what in impure_calls(tree.sources.get(include.name, "")):
                    yield Violation(pure, line, f"{pure} is pure, but {include.name}:{at} {what}",
                                    "a pure file gets bytes, time and random numbers as arguments",
                                    f"take it as an argument in {include.name}")
            if include.ours:
                continue
            for pattern, why in IMPURE_INCLUDES:
                if re.match(pattern, include.name):
                    through = f" through {', '.join(way)}" if way else ""
                    yield Violation(pure, line,
                                    f"{pure} is pure, but includes <{include.name}>{through}",
                                    f"{why}, and a pure file does not",
                                    f"include less in {way[-1]}, or split it" if way else
                                    "move this work into the shell that uses this file")


def impure_calls(text):
    return calls_in(text, IMPURE_CALLS)


def calls_in(text, calls):
    text = code_only(text)
    for pattern, what in calls:
        for match in re.finditer(pattern, text):
            yield line_of(text, match.start()), what


def check_runtime(tree):
    for path, text in tree.sources.items():
        if path.partition("/")[0] in OPEN_LAYERS or layer_of(path) == RUNTIME_LAYER or is_pure(path):
            continue  # check_purity is stricter
        for line, what in calls_in(text, RUNTIME_CALLS):
            if (path, what) not in RUNTIME_EXCEPTIONS:
                yield Violation(path, line, f"{path} {what}",
                                f"only {RUNTIME_LAYER} asks the operating system for time and random numbers",
                                "use zmtp::runtime::of(executor), zmtp::timer or zmtp::alarm")


def check_headers(tree):
    for path, text in tree.sources.items():
        if Path(path).suffix not in HEADERS:
            continue
        for include in tree.includes[path]:
            if include.name == ASIO_WHOLE:
                yield Violation(path, include.line, f"a header includes <{ASIO_WHOLE}>",
                                "each file that includes the header compiles all of Asio",
                                "include the parts that are used, as <boost/asio/any_io_executor.hpp>")
        code = code_only(text)
        coroutine = COROUTINE.search(code)
        if coroutine:
            yield Violation(path, line_of(code, coroutine.start()), f"{coroutine.group()} in a header",
                            "each file that includes the header compiles the coroutine, which takes seconds",
                            "declare the function here and write the coroutine in the .cc file")


def is_public_header(path):
    layer = layer_of(path)
    return Path(path).suffix in HEADERS and (layer == "zmtp" or (
        layer in LAYER_NAMES - OPEN_LAYERS and "zmtp/engine" in REACH[layer] - {layer}))


def check_public_headers(tree):
    """Follows the includes of the headers above the engine, except those of other public headers, which have their own
    check."""
    for path in filter(is_public_header, tree.sources):
        seen, todo = set(), [(path, 0)]
        while todo:
            here, first_line = todo.pop()
            for include in tree.includes.get(here, []):
                line = first_line or include.line
                if SOCKET_PARTS.match(include.name):
                    through = f" through {here}" if here != path else ""
                    yield Violation(path, line, f"{path} includes {include.name}{through}",
                                    "a change of a socket's parts would recompile every program",
                                    "declare the class, or move what users need to zmtp/counters.h")
                elif include.ours and include.name not in seen and not is_public_header(
                        include.name):
                    seen.add(include.name)
                    todo.append((include.name, line))


def check_peers(tree):
    why = "libzmq is a peer to test against; the product does not use it"
    remedy = f"use zmtp/, or move this below {' or '.join(PEER_FOLDERS)}"
    for path, includes in tree.includes.items():
        for include in includes:
            if PEER_HEADERS.match(include.name) and not path.startswith(PEER_FOLDERS):
                yield Violation(path, include.line, f"includes {include.name}", why, remedy)
    for path, text in tree.builds.items():
        for match in PEER_LIBRARIES.finditer(text):
            if not path.startswith(PEER_FOLDERS):
                line = line_of(text, match.start())
                yield Violation(path, line, f"links {match.group()}", why, remedy)


def check_targets(tree):
    """Checks dependencies in BUILD files like includes: //chp must not link //bstar."""
    for path, text in tree.builds.items():
        package = path.rpartition("/")[0]
        names = [(match.start(), match.group(1)) for match in TARGET_NAME.finditer(text)]
        for match in LABEL.finditer(text):
            folder, name = match.group(1), match.group(2) or match.group(1).rpartition("/")[2]
            # __pkg__, __subpackages__ and "..." are visibility.
            if folder in NOT_LAYERS or name.startswith("__") or folder.endswith("..."):
                continue
            target = next((name for at, name in reversed(names) if at < match.start()), "")
            user, used = layer_of(f"{package}/{target}.cc"), layer_of(f"{folder}/{name}.cc")
            line = line_of(text, match.start())
            if used is None:
                yield no_layer(path, line, f"//{folder}")
            elif user is not None and not may_use(user, used):
                yield Violation(path, line, f"{package}:{target} links {match.group()}",
                                f"{user} may use {layers_below(user)}; {used} is not among them",
                                "remove it, or move the code that needs it to a target in a higher layer")


CHECKS = (check_includes, check_purity, check_runtime, check_headers, check_public_headers, check_peers,
          check_targets)


def violations_in(tree):
    return sorted({violation for check in CHECKS for violation in check(tree)})


def main(arguments):
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print(__doc__, file=sys.stderr)
        return 2
    # Resolve the path, because Bazel runs a link to this file, in a folder of links.
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    if not (root / "WORKSPACE").is_file():
        print(f"check_layers: no WORKSPACE in {root}; name the project's root as the argument",
              file=sys.stderr)
        return 2
    tree = Tree(root)
    violations = violations_in(tree)
    for violation in violations:
        print(violation)
    print(f"check_layers: {len(tree.sources)} sources, {len(tree.builds)} build files, "
          f"{len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
