"""One run of a contestant: starts its processes in their order, reads the figure, ends them all."""

import selectors
import signal
import time
from typing import NamedTuple

from comparison import cores
from comparison.child import Child, RemoteChild
from comparison.meeting_point import meeting_point_of
from comparison.memory import PEAK_SECONDS
from comparison.output_lines import figure_in, says
from comparison.workload import Ending

# How often the table of sockets is read while a process is awaited to listen.
POLL_SECONDS = 0.002


class RunFailed(Exception):
    pass


class Run(NamedTuple):
    figure: float
    wall_seconds: float
    # By role, of which several processes may have the same.
    cpu_seconds: dict
    # The greatest resident memory of each role.
    peak_bytes: dict


class _Running:
    def __init__(self, workload, contestant, count, program_path, seconds, host):
        self._line = workload.line
        self._contestant = contestant
        self._count = count
        self._program_path = program_path
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._host = host
        self._meeting_point = meeting_point_of(workload, *([host.address] if host else []))
        self._cores_of_ends = None if host or len(contestant.processes) != 2 else cores.of_ends(workload)
        self._children = []
        self._next_peaks = time.monotonic()
        self._selector = selectors.DefaultSelector()

    def go(self):
        begin = time.monotonic()
        try:
            for process in self._contestant.processes:
                self._await_start_of(process)
                self._start(process)
            self._await(self._work_is_done, "its figure")
            for child in self._ending_by(Ending.CLOSED_INPUT):
                child.note_peak()
                child.close_input()
                self._await(lambda: not child.running, f"the end of {child.process.program}")
            for ending, number in ((Ending.SIGNAL, signal.SIGTERM), (Ending.INTERRUPT, signal.SIGINT)):
                for child in self._ending_by(ending):
                    child.note_peak()
                    child.end_by(number)
            self._await(lambda: not any(child.running for child in self._children),
                        "the end of its processes after a signal")
            self._check_exits()
            return Run(self._figure(), time.monotonic() - begin,
                       self._by_role(lambda child: child.cpu_seconds), self._by_role(lambda child: child.peak_bytes))
        except RunFailed as failure:
            raise RunFailed(f"{failure}{self._complaints()}") from None
        finally:
            for child in self._children:
                child.close()
            self._selector.close()
            self._meeting_point.close()

    def _start(self, process):
        values = {**self._meeting_point.endpoints, "count": self._count}
        arguments = [str(argument).format(**values) for argument in process.arguments]
        command = [self._program_path(process.program), *arguments]
        try:
            if self._host and process.when_listening:
                command = self._host.command(process.program, arguments, self._seconds)
                child = RemoteChild(process, command, self._host.name)
            else:
                child = Child(process, command, self._cores_of_ends and self._cores_of_ends[len(self._children)])
        except OSError as error:
            raise RunFailed(f"cannot start {command[0]}: {error.strerror}; is it built?") from None
        self._children.append(child)
        for descriptor in (*child.pipes, child.end):
            self._selector.register(descriptor, selectors.EVENT_READ, child)

    def _await_start_of(self, process):
        if process.when_listening:
            self._await(self._meeting_point.listens, "a listening socket", POLL_SECONDS)
        if process.when_connected:
            self._await(lambda: self._meeting_point.connections() >= process.when_connected,
                        f"{process.when_connected} connections", POLL_SECONDS)

    def _await(self, done, what, poll_seconds=PEAK_SECONDS):
        while not done():
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise RunFailed(f"{what} did not come within {self._seconds:.0f} s")
            for key, _ in self._selector.select(min(left, poll_seconds)):
                self._handle(key.fd, key.data)
            self._note_peaks()
            self._check_exits()

    def _note_peaks(self):
        now = time.monotonic()
        if now >= self._next_peaks:
            self._next_peaks = now + PEAK_SECONDS
            for child in self._children:
                if child.running:
                    child.note_peak()

    def _handle(self, descriptor, child):
        if not child.running:
            return  # its end was handled first, and took what the pipes had
        if descriptor != child.end:
            child.note_peak()  # with its figure the work is done
            if child.read(descriptor) == b"":
                self._selector.unregister(descriptor)
            return
        for each in (*child.pipes, child.end):
            if each in self._selector.get_map():
                self._selector.unregister(each)
        child.take_end()
        if child.process.ending is not Ending.ITSELF and not self._work_is_done():
            raise RunFailed(f"{child.process.program} ended early with {child.exit_code}")

    def _check_exits(self):
        for child in self._children:
            if child.exit_code not in (None, 0):
                raise RunFailed(f"{child.process.program} ended with {child.exit_code}")

    def _work_is_done(self):
        if len(self._children) < len(self._contestant.processes):
            return False
        for child in self._children:
            process = child.process
            if child.running and process.ending is Ending.ITSELF:
                return False
            if process.has_to_say and not says(child.output, process.has_to_say):
                return False
        counting = self._counting()
        if self._figure() is None and not counting.running:
            raise RunFailed(f"{counting.process.program} printed no `{self._line.name}: "
                            f"N [{self._line.unit}]`")
        return self._figure() is not None

    def _counting(self):
        return next(child for child in self._children
                    if child.process.role == self._contestant.figure_role)

    def _figure(self):
        return figure_in(self._counting().output, self._line)

    def _by_role(self, value):
        sums = {}
        for child in self._children:
            role = child.process.role
            sums[role] = sums.get(role, 0) + value(child)
        return sums

    def _ending_by(self, ending):
        return [child for child in self._children
                if child.process.ending is ending and child.running]

    def _complaints(self):
        """The last lines of what the processes said on stderr."""
        said = [(child.process.program, child.errors.strip().splitlines()[-3:])
                for child in self._children if child.errors.strip()]
        return "".join(f"\n      {program}: {line}" for program, lines in said for line in lines)


def run(workload, contestant, count, program_path, seconds, host=None):
    """Raises RunFailed. After `seconds` whatever still runs is killed. With a host, the processes that connect run
    there, and the others here."""
    return _Running(workload, contestant, count, program_path, seconds, host).go()
