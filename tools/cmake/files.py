#!/usr/bin/python3
"""Lists the files of the CMake build, which are those of the Bazel build: the sources of each target, and the headers
that are installed.

    tools/cmake/files.py            fails where tools/cmake/files.cmake is not of today
    tools/cmake/files.py --write    writes it anew

A header is installed if its target is visible to all (//visibility:public), or if an installed header includes it.
"""

import ast
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402: found by the line above

LIST = "tools/cmake/files.cmake"
HEAD = """# Written by tools/cmake/files.py from the BUILD files; do not edit. tools/cmake/components.cmake uses it.
"""
# The component of a folder and of all below it: the longest name decides.
COMPONENTS = {
    "zmtp": "zmtp",
    "zmtp/storage": "storage",
    "mdp": "mdp",
    "mdp/titanic": "titanic",
    "bstar": "bstar",
    "chp": "chp",
    "tools/zinc": "program",
    "tools/guide": "guide",
}
PROGRAMS = {"program", "guide"}
LIBRARIES = {"zinc_library", "zinc_binary"}
PUBLIC = "//visibility:public"


def component_of(folder):
    while folder and folder not in COMPONENTS:
        folder = folder.rpartition("/")[0]
    return COMPONENTS.get(folder)


def targets_in(text):
    """The name, the sources, the headers and the visibility of each target of a BUILD file."""
    visible = []
    for statement in ast.parse(text).body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call):
            continue
        values = {argument.arg: argument.value for argument in call.keywords}
        own_visibility = words(values["visibility"]) if "visibility" in values else visible
        if call.func.id == "package":
            visible = words(values["default_visibility"])
        elif call.func.id == "zinc_units":
            for name in ast.literal_eval(call.args[0]):
                yield name, [name + ".cc"], [name + ".h"], own_visibility
        elif call.func.id in LIBRARIES:
            units, srcs, hdrs = (words(values.get(key)) for key in ("units", "srcs", "hdrs"))
            yield (ast.literal_eval(values["name"]), [unit + ".cc" for unit in units] + srcs,
                   [unit + ".h" for unit in units] + hdrs,
                   own_visibility)
        elif call.func.id == "zinc_programs":
            continue
        elif call.func.id not in ("load", "genrule", "stamp_header", "all_binaries", "package_group"):
            raise ValueError(f"{call.func.id} is not known to tools/cmake/files.py")


def programs_in(text):
    """The names of the programs of a BUILD file that are of one source each."""
    for statement in ast.parse(text).body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and call.func.id == "zinc_programs":
            yield from (ast.literal_eval(key) for key in call.args[0].keys)


def words(value):
    """The texts of a list. A list with a name is none of those that matter here."""
    return ast.literal_eval(value) if isinstance(value, ast.List) else []


def with_included(headers, tree):
    found, todo = set(headers), list(headers)
    while todo:
        for include in tree.includes[todo.pop()]:
            if include.ours and include.name not in found:
                found.add(include.name)
                todo.append(include.name)
    return found


def listed(tree):
    """The text of the list."""
    sources, headers, programs = [], set(), []
    for path, text in sorted(tree.builds.items()):
        folder = path.rpartition("/")[0]
        component = component_of(folder)
        if component is None:
            continue
        for name, files, public, visible in targets_in(text):
            # A file that is not in the tree is written by the build.
            own = [f"{folder}/{file}" for file in files if file.endswith(".cc") and f"{folder}/{file}" in tree.sources]
            if own:
                sources.append((component, f"{folder}/{name}".replace("/", "_"), sorted(own)))
            if PUBLIC in visible and component not in PROGRAMS:
                headers.update(f"{folder}/{file}" for file in public)
        programs += [f"{folder}/{name}.cc" for name in programs_in(text)]
    lines = [HEAD]
    for component, name, files in sources:
        lines += [f"zinc_sources({component} {name}", *(f"  {file}" for file in files), ")"]
    lines += ["zinc_programs(", *(f"  {file}" for file in sorted(programs)), ")"]
    for component in dict.fromkeys(COMPONENTS.values()):
        own = [h for h in sorted(with_included(headers, tree)) if component_of(h.rpartition("/")[0]) == component]
        if own:
            lines += [f"zinc_headers({component}", *(f"  {header}" for header in own), ")"]
    return "\n".join(lines) + "\n"


def main(arguments):
    if arguments not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    file = ROOT / LIST
    text = listed(check_layers.Tree(ROOT))
    if arguments:
        file.write_text(text, encoding="utf-8")
    elif not file.is_file() or file.read_text(encoding="utf-8") != text:
        print(f"{LIST} is not of today: tools/cmake/files.py --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
