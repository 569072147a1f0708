#!/usr/bin/python3
"""Turns a header of Zinc into the form that Doxygen reads: an input filter, which prints the header in its argument.

Zinc's comments are plain `//` lines. The filter makes documentation of those at the scope of a file, a namespace or a
class. It leaves out comments in the bodies of functions. It escapes characters that Doxygen would take for commands or
HTML. It puts the declarations of a header into the module of its folder."""

import os
import re
import sys

SCOPE = re.compile(r"^(?:inline\s+|export\s+|typedef\s+)*(?:namespace|class|struct|enum|union|extern)\b")
MARKS = re.compile(r"^\s*(?:NOLINT|plain: |clang-format )")
# A text or a character in C++, or the begin of a comment.
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//')


def split_comment(line):
    """The code of a line, and its comment or None."""
    for token in TOKEN.finditer(line):
        if token[0] == "//":
            return line[:token.start()], line[token.end():]
    return line, None


def escaped(comment):
    """The comment without characters that have a meaning for Doxygen. Code font stays as it is."""
    parts = comment.split("`")
    for index in range(0, len(parts), 2):
        parts[index] = re.sub(r"([\\@<>#%&]|(?<!\w)::)", r"\\\1", parts[index])
    return "`".join(parts)


class Scopes:
    """Whether declarations, rather than statements, are at the current place."""

    def __init__(self):
        self.stack = []
        self.statement = ""

    def read(self, code):
        for token in re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[{};]|[^{};"\']+|.', code):
            if token[0] == "{":
                head = re.sub(r"^\s*template\s*<[^{}]*?>\s*(?=class|struct|union)", "", self.statement).strip()
                head = re.sub(r"^(?:public|private|protected)\s*:\s*", "", head)
                self.stack.append(bool(SCOPE.match(head)))
            elif token[0] == "}" and self.stack:
                self.stack.pop()
            if token[0] in "{};":
                self.statement = ""
            else:
                self.statement += token[0]
        self.statement += " "

    def declares(self):
        return all(self.stack)


def converted(text, folder):
    # A specialization for a class of Boost or the standard library tells a reader nothing.
    text = re.sub(r"^template <>\nstruct (?:boost|std)::[^{]*\{(?:\}|.*?^\});\n", "", text, flags=re.M | re.S)
    scopes = Scopes()
    lines = []
    trailing_column = None
    for line in text.splitlines():
        code, comment = split_comment(line)
        if code.lstrip().startswith("#"):
            lines.append(line)
            continue
        # A comment behind a closing brace names its scope.
        if comment is None or MARKS.match(comment) or code.startswith("}") or not scopes.declares():
            lines.append(code.rstrip())
            trailing_column = None
        elif code.strip():
            trailing_column = len(code)
            lines.append(f"{code}///<{escaped(comment)}")
        else:
            lines.append(f"{code}///{'<' if len(code) == trailing_column else ''}{escaped(comment)}")
        scopes.read(code)
    first = next((index for index, line in enumerate(lines) if line.startswith("///")), None)
    if first is not None:
        lines[first] = "/// @file\n" + lines[first]
    last_include = max(index for index, line in enumerate(lines) if re.match("#(include|pragma once)", line))
    module = re.sub(r"\W", "_", folder)
    lines[last_include] += f"\n/// @addtogroup {module} {folder}\n/// @{{"
    return "\n".join(lines) + "\n/// @}\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(converted(header.read(), os.path.relpath(os.path.dirname(sys.argv[1]))))
