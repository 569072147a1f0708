"""The kinds of target of this project, so that a BUILD file says only what differs."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def _if_together(together, apart, for_tests):
    """What a target needs if its sources are one source in this configuration, or else."""
    choices = {"//tools/build:together": together, "//conditions:default": apart}
    if for_tests:
        choices["//tools/build:tests_together"] = together
    return select(choices)

# For our own code only: the libraries' headers are under /usr/include, the toolchain's own.
_WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
]

def _warnings(for_tests):
    # A local name may be that of another source.
    return _WARNINGS + _if_together(["-Wno-shadow"], [], for_tests)

# GCC 12 has false warnings about coroutines, which clang does not know.
_NO_FALSE_WARNINGS = [
    "-Wno-unknown-warning-option",
    "-Wno-mismatched-new-delete",
    "-Wno-maybe-uninitialized",
]

# A test is compiled more often than it runs, and so is what only tests use. With the sanitizers, to optimise a test
# takes as long as all the rest of its compilation.
_TEST_OPTIONS = _warnings(for_tests = True) + ["-O1"] + _NO_FALSE_WARNINGS + select({
    "//tools/build:together": ["-O0"],
    "//conditions:default": [],
})

def _is_for_tests():
    """Whether the BUILD file is below test/, where everything is for tests only."""
    return native.package_name().startswith("test/")

def _options(testonly):
    return _TEST_OPTIONS if _is_for_tests() else _warnings(for_tests = testonly)

_ONLY_IF_TOGETHER = _if_together([], ["//tools/build:never"], for_tests = True)
_ONLY_IF_APART = _if_together(["//tools/build:never"], [], for_tests = True)

def _together_impl(ctx):
    one = ctx.actions.declare_file(ctx.label.name + ".cc")
    ctx.actions.write(one, "".join(['#include "%s"\n' % source.path for source in ctx.files.srcs]))
    return [DefaultInfo(files = depset([one]))]

# A source that includes others.
_together = rule(
    implementation = _together_impl,
    attrs = {"srcs": attr.label_list(allow_files = [".cc"])},
)

def _sources(name, srcs, testonly):
    """The sources of a target, and what it needs to compile them.

    With --define=sources=together they are one source: to read the headers and to instantiate their templates takes
    most of the time of a compilation, and so happens once. --define=sources=tests_together does so for what only tests
    use. All other configurations compile each source alone, which shows that it includes what it uses."""
    units = [source for source in srcs if source.endswith(".cc")]
    if len(units) < 2:
        return srcs, []
    _together(name = name + "_together", srcs = units, testonly = testonly, tags = ["manual"])
    cc_library(name = name + "_parts", textual_hdrs = units, testonly = testonly, tags = ["manual"])
    headers = [source for source in srcs if source not in units]
    return (
        headers + _if_together([":" + name + "_together"], units, testonly),
        _if_together([":" + name + "_parts"], [], testonly),
    )

def zinc_library(name, units = [], hdrs = [], srcs = [], deps = [], visibility = None, testonly = None, **kwargs):
    """Files that are used together, what they need, and who may use them.

    A unit is a header and a source of the same name. Further headers and sources are in `hdrs` and `srcs`."""
    testonly = testonly or _is_for_tests()
    sources, parts = _sources(name, [unit + ".cc" for unit in units] + srcs, testonly)
    cc_library(
        name = name,
        hdrs = [unit + ".h" for unit in units] + hdrs,
        srcs = sources,
        deps = deps + parts,
        copts = _options(testonly),
        testonly = testonly,
        visibility = visibility,
        **kwargs
    )

def zinc_headers(headers, **kwargs):
    """Libraries of one header each, as a dictionary: their names, and what each needs."""
    for name, deps in headers.items():
        zinc_library(name = name, hdrs = [name + ".h"], deps = deps, **kwargs)

def zinc_units(units, **kwargs):
    """Libraries of one header and one source each, as a dictionary: their names, and what each needs."""
    for name, deps in units.items():
        zinc_library(name = name, units = [name], deps = deps, **kwargs)

def zinc_test(name, srcs, deps = [], size = "small", **kwargs):
    """A GoogleTest program with GoogleTest's main."""
    sources, parts = _sources(name, srcs, testonly = True)
    cc_test(
        name = name,
        srcs = sources,
        deps = deps + parts + ["//third_party:gtest_main"],
        copts = _TEST_OPTIONS,
        size = size,
        **kwargs
    )

def _tests_of_no_rule(ending):
    """The tests in the folder that no rule above has as a source."""
    taken = []
    for rule in native.existing_rules().values():
        # Sources that depend on the configuration are listed a second time, in the rule that puts them together.
        sources = rule.get("srcs", ())
        if type(sources) == "tuple":
            taken += list(sources)
    return [source[:-len(ending)] for source in native.glob(["*_test" + ending]) if ":" + source not in taken]

def zinc_tests(name, names = None, size = "small", **kwargs):
    """Test programs that need the same, each from the source of its name.

    Without `names`: all tests in the folder that no rule above has.
    If sources are put together they are one program, `name`: many programs take long to link."""
    names = names or _tests_of_no_rule(".cc")
    for test in names:
        zinc_test(
            name = test,
            srcs = [test + ".cc"],
            size = size,
            target_compatible_with = _ONLY_IF_APART,
            **kwargs
        )
    zinc_test(
        name = name,
        srcs = [test + ".cc" for test in names],
        size = "large",
        target_compatible_with = _ONLY_IF_TOGETHER,
        **kwargs
    )

def zinc_binary(name, srcs, deps = [], testonly = None, **kwargs):
    testonly = testonly or _is_for_tests()
    sources, parts = _sources(name, srcs, testonly)
    cc_binary(
        name = name,
        srcs = sources,
        deps = deps + parts,
        copts = _options(testonly) + _NO_FALSE_WARNINGS,
        testonly = testonly,
        **kwargs
    )

def zinc_programs(programs, deps = [], **kwargs):
    """Programs of one source each: a list of their names, or a dictionary with what each needs besides `deps`."""
    further_deps = programs if type(programs) == "dict" else {name: [] for name in programs}
    for name, further in further_deps.items():
        zinc_binary(name = name, srcs = [name + ".cc"], deps = deps + further, **kwargs)

def python_tests(names = None, size = "medium", **kwargs):
    """Tests that are Python programs, each of its name; without `names` all in the folder that no rule above has."""
    for name in names or _tests_of_no_rule(".py"):
        native.sh_test(name = name, srcs = [name + ".py"], size = size, **kwargs)

def _headers_impl(ctx):
    headers = depset(transitive = [dep[CcInfo].compilation_context.headers for dep in ctx.attr.deps])
    return [DefaultInfo(files = headers, runfiles = ctx.runfiles(transitive_files = headers))]

# The headers of libraries, and of all that they need: for a test that runs the compiler.
headers = rule(
    implementation = _headers_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)

def all_binaries(name, **kwargs):
    """The programs of a BUILD file, of which this is the last line."""
    native.filegroup(
        name = name,
        srcs = [rule["name"] for rule in native.existing_rules().values() if rule["kind"] == "cc_binary"],
        **kwargs
    )

# Tags of tests that look at the whole source tree, which Bazel does not know to be their input: not from the cache.
WHOLE_TREE = [
    "external",
    "local",
    "no-cache",
]

def zinc_single_tests(tests, deps = [], **kwargs):
    """Tests of one source each that are always programs of their own.

    A list of their names, or a dictionary with what each needs besides `deps`."""
    further_deps = tests if type(tests) == "dict" else {name: [] for name in tests}
    for name, further in further_deps.items():
        zinc_test(name = name, srcs = [name + ".cc"], deps = deps + further, **kwargs)
