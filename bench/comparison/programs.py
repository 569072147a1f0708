"""Builds the programs of a comparison and puts them where no other build changes them."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class NotBuilt(Exception):
    pass


def needed(workloads, settings, chosen):
    return sorted({process.program for workload in workloads
                   for contestant in chosen(workload, settings)
                   for process in contestant.processes if not os.path.isabs(process.program)})


def label_of(program):
    folder, _, name = program.rpartition("/")
    return f"//{folder}:{name}"


def built_labels(events):
    """Returns the labels that are built, according to Bazel's events. Each event is a line of JSON."""
    labels = set()
    for event in map(json.loads, events.splitlines()):
        label = event.get("id", {}).get("targetCompleted", {}).get("label")
        if label and event.get("completed", {}).get("success"):
            labels.add(label)
    return labels


def build(root, programs):
    """Builds the programs and returns those that succeeded. A program that cannot be built is left out, even if an
    older one exists, and the others are compared."""
    # Bazel asks for it, and a CI's user may have no name.
    environment = dict(os.environ, USER=os.environ.get("USER") or str(os.getuid()))
    with tempfile.NamedTemporaryFile("r", suffix=".json", encoding="utf-8") as events:
        command = ["bazel", "build", "-c", "opt", "--keep_going", "--ui_event_filters=-info",
                   f"--build_event_json_file={events.name}", *map(label_of, programs)]
        try:
            subprocess.run(command, cwd=root, env=environment, stdin=subprocess.DEVNULL,
                           check=False)
        except FileNotFoundError:
            raise NotBuilt("there is no bazel: run tools/setup, or give --programs") from None
        # By its name: Bazel may have put another file in its place.
        labels = built_labels(Path(events.name).read_text(encoding="utf-8"))
    return [program for program in programs if label_of(program) in labels]


def built_folder(root):
    """Where optimised programs are. bazel-bin would lead to whatever was built last."""
    folders = sorted((Path(root) / "bazel-out").glob("*-opt/bin"))
    if len(folders) != 1:
        raise NotBuilt(f"there are {len(folders)} folders bazel-out/*-opt/bin: run without "
                       "--no-build, or give --programs")
    return folders[0]


def copy_programs(programs, source, target):
    """Programs that are not there are left out, and their runs fail."""
    for program in programs:
        if (source / program).is_file():
            (target / program).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / program, target / program)
