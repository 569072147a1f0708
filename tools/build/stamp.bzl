"""Values of the tree in a program: see tools/build/status."""

def stamp_header(name, value):
    """NAME.h with the constant zinc::NAME: the value of a stamped build, or else an empty text.

    Only releases are stamped, because each commit would make all tests of the program run again."""
    native.genrule(
        name = name,
        outs = [name + ".h"],
        cmd = select({
            "//tools/build:stamped": "text=$$(sed -n 's/^%s //p' bazel-out/stable-status.txt); " % value,
            "//conditions:default": "text=; ",
        }) + "printf '#pragma once\\nnamespace zinc {\\ninline constexpr const char* %s = " % name +
              "\"%s\";\\n}\\n' \"$$text\" > $@",
        stamp = select({
            "//tools/build:stamped": 1,
            "//conditions:default": 0,
        }),
    )
