"""Fuzz targets, which are ordinary tests too."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//tools/build:cc.bzl", "zinc_library")

def fuzz_tests(tests):
    """Tests that replay the files below corpus/ and mutations of them, as a dictionary: names, and what each needs.

    NAME_fuzz has LLVMFuzzerTestOneInput in NAME_fuzz.cc and its files in corpus/NAME. With
    --config=fuzz the same target is the libFuzzer binary. As a test it fuzzes for a minute; for
    longer, and to keep what it finds in the corpus:

        bazel build --config=fuzz //test/fuzz:NAME_fuzz
        bazel-bin/test/fuzz/NAME_fuzz -max_total_time=3600 test/fuzz/corpus/NAME
    """
    for name, deps in tests.items():
        _fuzz_test(name, deps)

def _fuzz_test(name, deps):
    folder = "corpus/" + name[:-len("_fuzz")]
    zinc_library(
        name = name + "_target",
        srcs = [name + ".cc"],
        # Only libFuzzer's main or the replay's refers to the target.
        alwayslink = True,
        visibility = ["//visibility:private"],
        deps = deps + ["//test/fuzz:oracle"],
    )
    cc_test(
        name = name,
        size = "small",
        # A minute of fuzzing is more than a small test may take.
        timeout = "moderate",
        args = select({
            "//test/fuzz:fuzzer": ["-max_total_time=60"],
            "//conditions:default": [],
        }) + [native.package_name() + "/" + folder],
        # Not listed one by one: the file of a crash must not be forgotten here.
        data = native.glob([folder + "/*"]),
        linkopts = select({
            "//test/fuzz:fuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        linkstatic = True,
        tags = [
            "fuzz",
            "pure",
        ],
        deps = [":" + name + "_target"] + select({
            "//test/fuzz:fuzzer": [],
            "//conditions:default": ["//test/fuzz:replay_main"],
        }),
    )
