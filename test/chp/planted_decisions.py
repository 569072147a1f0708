#!/usr/bin/env python3
"""Plants a fault inside a decision of the servers or clients, and shows which seed finds it.

The planted_*_test programs plant faults from outside. These here change the source, in a copy of the last commit, which
is built for each of them. Each must be found within 10,000 seeds: of the simulation, or else of the model with servers
of production code.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
SEEDS = 10_000
SEEDS_AT_ONCE = 250
PATIENCE = 1_800  # seconds for SEEDS_AT_ONCE


class Checker(NamedTuple):
    program: str
    names: str  # the file with the names of what it can find
    name: str  # the form of a name in this file
    arguments: object  # a function of the first seed
    finding: str  # the form of what it prints: the seed, and lines of name and text


SIMULATION = Checker(
    "test/chp/simulation/map_scenarios_test", "test/chp/simulation/violation.h", r'return "([^"]+)";',
    lambda first: ["--first-seed", first, "--seeds", SEEDS_AT_ONCE, "--gtest_filter=*keep_the_promises"],
    r"^seed (\d+): .*\n((?:  .+\n)+)")
MODEL = Checker(
    "test/chp/model/explore", "test/chp/model/trace.cc", r'"([a-z]+_[a-z_]+)"',
    lambda first: [first, SEEDS_AT_ONCE, 0, "production"],
    r"^seed (\d+) breaks (.+\n)")


class Plant(NamedTuple):
    name: str
    fault: int  # its number in docs/chp-log.md, section 7
    file: str
    text: str  # once in the file
    becomes: str
    finds: tuple  # names of violations: one of these
    by: Checker = SIMULATION


PLANTS = (
    Plant("commits_before_its_own_disk", 1, "chp/commit_tracker.h",
          "std::max(commit, std::min(own, *confirmed_))", "std::max(commit, *confirmed_)",
          ("not on both servers", "stopped")),
    Plant("cuts_what_both_had", 1, "chp/passive_role.cc",
          "std::min(state.both(), state.end()) > message.common && !discard_", "stopped_",
          ("cut_is_one_servers",), MODEL),
    Plant("serves_without_what_both_had", 1, "chp/passive_role.cc",
          "state.raise_needed(message.needed);", "(void)message.needed;",
          ("lost", "cut of both", "stopped")),
    Plant("answers_inherited_updates_at_once", 2, "chp/active_role.cc",
          "known.number <= answered_up_to()", "known.number <= parts_.state.end()",
          ("one server in block",)),
    Plant("commits_alone_in_block", 2, "chp/active_role.cc",
          "parts_.options.policy == degraded_policy::ack) &&", "true) &&",
          ("one server in block",)),
    Plant("names_both_for_what_it_committed", 2, "chp/active_role.cc",
          "if (number <= state.both()) {", "if (number <= state.commit()) {",
          ("not on both servers", "lost")),
    Plant("offers_lost_updates_again", 3, "chp/passive_role.cc",
          "lost_->lines += append_lost(lines, next);",
          "lost_->lines += append_lost(lines, next);"
          "if (next.kind == entry_kind::set) {"
          "  next.id = update_id::of_random(next.number, next.number);"
          "  parts_.waiting.add(next);"
          "}",
          ("came back", "an older update wins")),
    Plant("follows_any_history", 4, "chp/client_state_snapshot.cc",
          "round_.decide(!ready_ || seen_.is_in(notice(), end.number))", "round_.decide(true)",
          ("unreported history", "unreported loss")),
    Plant("forgets_ids_of_other_programs", 5, "chp/active_role.cc",
          "!p.id.empty() && state.past().ids().contains(p.id)", "false",
          ("made twice",)),
    Plant("ignores_low", 6, "chp/sessions.cc",
          "r.outcomes.size() - dropped >= limits_.max_outcomes", "r.outcomes.size() >= limits_.max_outcomes",
          ("unended",)),
    Plant("executes_for_forgotten_sessions", 6, "chp/sessions.cc",
          "since < forgotten_ ?", "false ?",
          ("made twice", "came back")),
    Plant("keeps_a_failed_store", 7, "chp/active_backup.cc",
          "out.step_down = out.step_down || tracker_.confirmed() == parts_.state.end();", "",
          ("not handed over",)),
    Plant("takes_any_epoch", 7, "bstar/state_machine.cc",
          "peer.more->of - known > max_epoch_step", "false",
          ("a forged epoch was taken",)),
    Plant("never_says_degraded", 7, "chp/subscriber_notices.cc",
          "std::uint64_t{degraded ? 1U : 0U}", "std::uint64_t{degraded ? 0U : 0U}",
          ("degraded and not told",)),
    Plant("publishes_nothing_again", 7, "chp/active_role.cc",
          "told_ = was->told.number;", "told_ = inherited_;",
          ("subscribers_miss_nothing",), MODEL),
)


def planted(plant, root):
    """The file with the fault. Raises if the text is not there exactly once."""
    source = (Path(root) / plant.file).read_text(encoding="utf-8")
    count = source.count(plant.text)
    if count != 1:
        raise ValueError(f"{plant.name}: {plant.file} has this text {count} times, not once: {plant.text}")
    return source.replace(plant.text, plant.becomes)


def names_of(checker):
    return set(re.findall(checker.name, (ROOT / checker.names).read_text(encoding="utf-8")))


def findings(checker, tree, first):
    """The seeds that found something, each with its violations."""
    command = [tree / "bazel-bin" / checker.program, *map(str, checker.arguments(first))]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
    found = re.findall(checker.finding, ended.stdout, re.MULTILINE)
    if ended.returncode != 0 and not found:
        raise RuntimeError(f"the program ended with {ended.returncode}: {ended.stderr.strip()[-300:]}")
    return [(seed, line.strip()) for seed, lines in found for line in lines.splitlines()]


def find(plant, tree):
    """Returns whether the fault is found, and what to say of it."""
    others = set()
    for first in range(1, SEEDS + 1, SEEDS_AT_ONCE):
        for seed, line in findings(plant.by, tree, first):
            what = line.partition(":")[0]
            if what in plant.finds:
                return True, f"seed {seed} of {plant.by.program}: {line}"
            others.add(what)
    return False, f"not found by {SEEDS:,} seeds, which find: {', '.join(sorted(others)) or 'nothing'}"


def build(plant, tree):
    target = "//" + ":".join(plant.by.program.rsplit("/", 1))
    subprocess.run(["bazel", "build", "--ui_event_filters=-info", target], cwd=tree, check=True)


def run(plants):
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, "HEAD"], cwd=ROOT, check=True)
        try:
            subprocess.run(["tools/setup"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
            for plant in plants:
                path = tree / plant.file
                sound = path.read_text(encoding="utf-8")
                path.write_text(planted(plant, tree), encoding="utf-8")
                try:
                    build(plant, tree)
                    is_found, text = find(plant, tree)
                except (RuntimeError, subprocess.SubprocessError) as fault:
                    is_found, text = False, str(fault)
                path.write_text(sound, encoding="utf-8")
                missed += not is_found
                print(f"{plant.fault}. {plant.name}: {'' if is_found else 'MISSED, '}{text}", flush=True)
        finally:
            subprocess.run(["bazel", "clean", "--expunge"], cwd=tree, check=False)
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = [plant.name for plant in PLANTS]
    parser.add_argument("name", nargs="*", help=f"a fault to plant, or all: {', '.join(names)}")
    wanted = parser.parse_args().name
    unknown = set(wanted) - set(names)
    if unknown:
        parser.error(f"there is no fault {', '.join(sorted(unknown))}")
    missed = run([plant for plant in PLANTS if not wanted or plant.name in wanted])
    if missed:
        print(f"{missed} not found", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
