"""A folder of programs for a comparison, all of which are stand_in.py."""

import shutil
import tempfile
from pathlib import Path

import from_bench  # noqa: F401: comparison is found by it
from comparison.catalogue import WORKLOADS, with_nats, with_nng

STAND_IN = Path(__file__).resolve().parent / "stand_in.py"


def make_stand_ins(test, **faulty):
    """`faulty` names programs by their fault: broken, silent, endless, other. The last one fails without the library
    of another folder."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    root = Path(folder.name).resolve()
    for program in {process.program for workload in WORKLOADS
                    for contestant in with_nats(with_nng(workload), "/nats-server", "?").contestants
                    for process in contestant.processes if not process.program.startswith("/")}:
        (root / program).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(STAND_IN, root / program)
    for fault, program in faulty.items():
        text = (root / program).read_text(encoding="utf-8")
        (root / program).write_text(text.replace('FAULT = ""', f'FAULT = "{fault}"'),
                                    encoding="utf-8")
    return root
