"""The zinc program in a test."""

import contextlib
import os
import subprocess

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 30


def run(*words, **more):
    """Runs it to its end, without input if none is given."""
    if not {"input", "stdin"} & more.keys():
        more["stdin"] = subprocess.DEVNULL
    return subprocess.run([ZINC, *words], capture_output=True, text=True, timeout=DEADLINE, check=False, **more)


@contextlib.contextmanager
def started(*words, stdin=None, stderr=subprocess.DEVNULL):
    process = subprocess.Popen([ZINC, *words], stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        if process.stderr:
            process.stderr.close()
