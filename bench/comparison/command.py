"""The command line of bench/compare."""

import argparse
import contextlib
import fnmatch
import resource
import shlex
import signal
import sys
import tempfile
import time
from pathlib import Path
from time import sleep

from comparison import machine, programs, tables
from comparison.catalogue import WORKLOADS, with_nats, with_nng, with_other_libzmq
from comparison.charts import charts
from comparison.contestants import NATS, NNG
from comparison.host import Host, HostFailed, can_be_divided
from comparison.judgement import falls
from comparison.measurement import Settings, chosen, measure
from comparison.published import publish
from comparison.results import failures, to_json
from comparison.run import run

ROOT = Path(__file__).resolve().parents[2]
MEASURED, RUN_FAILED, MISUSED, NOT_QUIET = 0, 1, 2, 3


def _positive(text, kind):
    number = kind(text)
    if not 0 < number < 3600:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 3600")
    return number


def _arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="bench/compare",
        description="Runs our programs, libzmq's, both mixed pairings and the machine's limits in "
                    "turn, and compares them round by round. A missed target is reported, and is "
                    "not a failure.",
        epilog="Exit code: 0 measured, 1 a run failed, 2 misused, 3 other programs kept the machine "
               "busy.")
    parser.add_argument("--quick", action="store_true",
                        help="short runs of some workloads, within a minute once all is built: shows "
                             "that everything runs, not how fast")
    parser.add_argument("--only", metavar="PATTERN", action="append", default=[],
                        help="only the workloads of that name, as in 'stream_*'; may be repeated")
    parser.add_argument("--rounds", metavar="N", type=lambda text: _positive(text, int),
                        help="after the warm-up (5; with --quick 3)")
    parser.add_argument("--seconds", metavar="S", type=lambda text: _positive(text, float),
                        help="how long each run lasts (1; with --quick 0.15)")
    parser.add_argument("--out", metavar="DIRECTORY", type=Path,
                        help="where results.json and the charts go (a new temporary folder)")
    parser.add_argument("--publish", metavar="DIRECTORY", type=Path,
                        help="measures nothing: takes results.json and the charts of an earlier --out "
                             "into docs/performance, and writes the tables of docs/performance.md and "
                             "README.md")
    parser.add_argument("--list", action="store_true", help="names the workloads and their targets")
    parser.add_argument("--no-build", action="store_true",
                        help="use the existing optimised programs")
    parser.add_argument("--programs", metavar="DIRECTORY", type=Path,
                        help="use the programs in this folder instead of Bazel's")
    parser.add_argument("--libzmq", metavar="DIRECTORY", type=Path,
                        help="also measures the libzmq.so.5 of this folder")
    parser.add_argument("--nng", action="store_true",
                        help="also measures nng (Debian's libnng-dev) where it has the same patterns")
    parser.add_argument("--nats", metavar="FILE", type=Path,
                        help="also measures NATS with this nats-server where it can do the same")
    parser.add_argument("--host", metavar="NAME",
                        help="runs the processes that connect on this host, which ssh reaches without a password; "
                             "leaves out the workloads that need one machine")
    parser.add_argument("--shell", metavar="COMMAND", type=shlex.split,
                        help="the command that runs its last argument in a shell of --host (ssh NAME)")
    parser.add_argument("--address", metavar="IPV4",
                        help="the address of this machine for --host (the one from which ssh comes)")
    parser.add_argument("--force", action="store_true",
                        help="measures a busy machine too; without this, and without --quick, waits "
                             f"up to {machine.PATIENCE // 60} minutes until it is quiet, then gives up")
    return parser, parser.parse_args(arguments)


def _divisible(parser, options, workloads):
    if options.libzmq or options.nats:
        parser.error("--libzmq and --nats measure within one machine, without --host")
    left_out = [each.name for each in workloads if not can_be_divided(each)]
    if len(left_out) == len(workloads):
        parser.error(f"these workloads need one machine: {', '.join(left_out)}")
    if left_out:
        print(f"left out, because they need one machine: {', '.join(left_out)}")
    return [each for each in workloads if each.name not in left_out]


def _selected(parser, options):
    selected = [workload for workload in WORKLOADS
                if (not options.only or any(fnmatch.fnmatchcase(workload.name, pattern)
                                            for pattern in options.only))
                and (not options.quick or workload.quick)]
    if not selected:
        parser.error("no workload has such a name"
                     + (" among those of --quick" if options.quick else "") + "; see --list")
    if options.host:
        selected = _divisible(parser, options, selected)
    elif options.shell or options.address:
        parser.error("--shell and --address belong to --host")
    if options.libzmq:
        file = options.libzmq.resolve() / "libzmq.so.5"
        version = machine.libzmq_version(str(file))
        if version == "unknown":
            parser.error(f"cannot load {file}: give the folder of a build of libzmq")
        selected = [with_other_libzmq(each, file.parent, f"libzmq {version}, given") for each in selected]
    if options.nng:
        if machine.nng_version() == "unknown":
            parser.error("cannot load libnng.so.1: install Debian's libnng-dev")
        selected = [with_nng(each) for each in selected]
    if options.nats:
        server = options.nats.resolve()
        version = machine.nats_version(server)
        if version == "unknown":
            parser.error(f"{server} does not say that it is a nats-server: give the file of Debian's nats-server")
        selected = [with_nats(each, server, version) for each in selected]
    return selected


def _settings(options):
    rounds, seconds, calibrations = (3, 0.15, 1) if options.quick else (5, 1.0, 5)
    return Settings(options.rounds or rounds, options.seconds or seconds, calibrations,
                    options.quick, patience=35 if options.host else 30)


def _list(workloads):
    for workload in workloads:
        targets = "; ".join(map(workload.text_of, workload.targets)) or "no target"
        quick = " (--quick)" if workload.quick else ""
        print(f"{workload.name:30}{workload.title}: {targets}{quick}")


def _collect(options, names, folder):
    """The programs into `folder`, from where they are or are built."""
    if options.programs:
        source = options.programs
    else:
        if not options.no_build:
            built = programs.build(ROOT, names)
            missing = [name for name in names if name not in built]
            if missing:
                print(f"bench/compare: not built, so their runs fail: {', '.join(missing)}",
                      file=sys.stderr)
            names = built
        source = programs.built_folder(ROOT)
    programs.copy_programs(names, source, folder)


def _allow_many_connections():
    """For the programs, which inherit it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _measure_all(workloads, settings, folder, host):
    def run_one(workload, contestant, count, seconds):
        return run(workload, contestant, count, lambda program: str(folder / program), seconds, host)

    def say(text):
        print(text, flush=True)

    measurements = []
    for number, workload in enumerate(workloads, 1):
        begin = time.monotonic()
        say(f"[{number}/{len(workloads)}] {workload.name}: {workload.conditions}")
        measurements.append(measure(workload, settings, run_one, say))
        say(f"    {time.monotonic() - begin:.1f} s")
    return measurements


def _write(folder, description, settings, measurements):
    (folder / "results.json").write_text(to_json(description, settings, measurements),
                                         encoding="utf-8")
    for name, text in charts(measurements):
        (folder / name).write_text(text, encoding="utf-8")


def _publish(parser, folder):
    try:
        changed = publish(folder, ROOT)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"cannot publish the results of {folder}: {error!r}")
    print("\n".join(changed))
    return MEASURED


def _folder_of_results(options):
    if not options.out:
        return Path(tempfile.mkdtemp(prefix="zinc-comparison-"))
    options.out.mkdir(parents=True, exist_ok=True)
    return options.out


def _await_quiet():
    if machine.warning_of(machine.load_average()):
        print("waiting until the machine is quiet", flush=True)
    return machine.await_quiet(machine.load_average, sleep)


def _warning_of(description):
    other = description.get("other")
    if other and (warning := machine.warning_of(other["load_average"])):
        return f"{other['name']}: {warning}"
    return machine.warning_of(description["load_average"])


def _print_machine(description):
    changes = " with uncommitted changes" if description["uncommitted_changes"] else ""
    print(f"{description['cpu']}, {description['cores']} cores, Linux {description['kernel']}, "
          f"{description['compiler']}, libzmq {description['libzmq']}, nng {description['nng']}, commit "
          f"{description['commit'][:12]}{changes}, load average {description['load_average']}")
    if other := description.get("other"):
        print(f"the processes that connect run on {other['name']}: {other['cpu']}, {other['cores']} cores, Linux "
              f"{other['kernel']}, load average {other['load_average']}")


def _print_results(settings, measurements):
    print("\nEvery pairing\n\n" + tables.pairings(measurements))
    print("\nSummary\n\n" + tables.summary(measurements) + "\n")
    for key, name in ((NNG, "nng"), (NATS, "NATS")):
        if beside := tables.beside(key, name, measurements):
            print(f"Zinc beside {name}\n\n{beside}\n")
    if settings.quick:
        print("These runs are too short to be figures: --quick shows that everything runs.")
    for line in tables.findings(measurements, falls(measurements), failures(measurements)):
        print(line)


def _end_on(number, _frame):
    # As an exception, so that the programs that run are killed on the way out.
    raise SystemExit(128 + number)


def main(arguments=None):
    parser, options = _arguments(arguments)
    if options.publish:
        return _publish(parser, options.publish)
    workloads = _selected(parser, options)
    if options.list:
        _list(workloads)
        return MEASURED
    settings = _settings(options)
    # Before the runs, which would be lost if it could not be written.
    try:
        out = _folder_of_results(options)
    except OSError as error:
        parser.error(f"cannot write to {options.out}: {error.strerror}")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_on)
    _allow_many_connections()
    there = (contextlib.closing(Host(options.host, options.shell, options.address)) if options.host
             else contextlib.nullcontext())
    with tempfile.TemporaryDirectory(prefix="zinc-programs-") as folder, there as host:
        try:
            _collect(options, programs.needed(workloads, settings, chosen), Path(folder))
            if host:
                host.install(Path(folder), ("libzmq", "nng") if options.nng else ("libzmq",))
        except (programs.NotBuilt, HostFailed) as error:
            print(f"bench/compare: {error}", file=sys.stderr)
            return RUN_FAILED
        load = machine.load_average() if options.quick or options.force else _await_quiet()
        description = machine.describe(ROOT, load)
        if host:
            description["other"] = {"name": host.name, **host.machine}
        _print_machine(description)
        if warning := _warning_of(description):
            if not options.quick and not options.force:
                print(f"bench/compare: {warning} --force measures in spite of it.", file=sys.stderr)
                return NOT_QUIET
            print(f"WARNING: {warning}", flush=True)
        measurements = _measure_all(workloads, settings, Path(folder), host)
    _print_results(settings, measurements)
    _write(out, description, settings, measurements)
    print(f"results.json and charts: {out}")
    return RUN_FAILED if failures(measurements) else MEASURED
