"""The greatest resident memory of a process."""

import re

# How often it is read. The system tells it at the end of a process, too, but not without that of the program that
# started the process, of which it was a copy before.
PEAK_SECONDS = 0.1

_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


def peak_of(pid):
    """Returns the greatest memory so far, in bytes, or 0 for a process that has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            found = _PEAK.search(status.read())
    except OSError:
        return 0
    return 1024 * int(found[1]) if found else 0
