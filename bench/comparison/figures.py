"""Common parts of the benches that have their own figures. They run programs and servers, and report lines for people
and an object for other programs."""

import contextlib
import json
import resource
import select
import subprocess
import sys
import tempfile
from pathlib import Path

from comparison.machine import describe, load_average, warning_of
from comparison.programs import NotBuilt, build, built_folder, copy_programs


class Failed(Exception):
    """A run that gave no figures: its text says which program, and why."""


def output_of(name, command, timeout):
    """Returns the output of a program that ends by itself."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"{name} did not end") from None
    if done.returncode:
        raise Failed(f"{name}: {done.stderr.strip()}")
    return done.stdout


@contextlib.contextmanager
def running(command, patience, log_path=None):
    """Yields a server's process and the words of its first line, once it has printed that. Without such a line, raises
    Failed with the server's log, which is at `log_path` or in a temporary file."""
    with (open(log_path, "w+", encoding="utf-8") if log_path else
          tempfile.TemporaryFile("w+", encoding="utf-8")) as log:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                              text=True) as process:
            try:
                ready, _, _ = select.select([process.stdout], [], [], patience)
                words = process.stdout.readline().split() if ready else []
                if not words:
                    process.kill()
                    log.seek(0)
                    raise Failed(f"{command[0]} did not start: {log.read()[-2000:]}")
                yield process, words
            finally:
                process.terminate()
                try:
                    process.wait(patience)
                except subprocess.TimeoutExpired:
                    process.kill()


def report(bench, settings, needed, results, root, say):
    """Prints each line that `results(programs)` yields, and writes the objects to the path settings.json. Takes the
    programs of settings.programs, or builds them. Returns the exit code."""
    load = load_average()
    if warning := warning_of(load):
        say(warning)
    # A crowd needs one descriptor for each connection.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    objects = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            programs = settings.programs
            if not programs:
                # Copied, so that another build does not change them meanwhile.
                programs = Path(folder)
                copy_programs(build(root, needed), built_folder(root), programs)
            for text, each in results(programs):
                say(text)
                objects.append(each)
    except (Failed, NotBuilt, OSError) as failure:
        print(f"{bench}: {failure}", file=sys.stderr)
        return 1
    if settings.json:
        settings.json.write_text(json.dumps({"machine": describe(root, load), "results": objects}, indent=1),
                                 encoding="utf-8")
    return 0
