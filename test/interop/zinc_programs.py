"""The zinc program as child processes of a test: started, awaited, stopped, each with a time limit."""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

# Timeout for events that should come at once, on a busy machine.
PATIENCE = 15.0


def built(program):
    """As Bazel built it: among the runfiles of a test, or for a run by hand in bazel-bin."""
    for path in (Path(program), Path(__file__).resolve().parents[2] / "bazel-bin" / program):
        if path.is_file():
            return str(path.resolve())
    sys.exit(f"{program} is not built: bazel build //{os.path.dirname(program)}:{os.path.basename(program)}")


def zinc_path():
    return built("tools/zinc/zinc")


class Program:
    """One child process, which ends with the test at the latest: `test` is whatever has an addCleanup."""

    def __init__(self, test, arguments, stdin=None, environment=None, stderr=None):
        self.process = subprocess.Popen(arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, bufsize=0,
                                        env=environment and {**os.environ, **environment})
        self._output = b""
        self._discarding = None
        test.addCleanup(self.kill)

    @property
    def pid(self):
        return self.process.pid

    def has_line(self):
        """Whether one has been read, and need not be waited for."""
        return b"\n" in self._output

    def read_line(self, patience=PATIENCE):
        end = time.monotonic() + patience
        while not self.has_line():
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"no line from {self.process.args} in time")
        line, self._output = self._output.split(b"\n", 1)
        return line.decode()

    def discard_output(self):
        """From now on nothing of it is read, and a full pipe does not hold it up."""
        def discard():
            while os.read(self.process.stdout.fileno(), 65536):
                pass
        self._discarding = threading.Thread(target=discard, daemon=True)
        self._discarding.start()

    def skip_lines(self):
        """Discards the output until now: later reads return later output."""
        while self._read(0):
            pass
        self._output = self._output[self._output.rfind(b"\n") + 1:]

    def _read(self, patience):
        """Whether something came in time."""
        if patience < 0 or not select.select([self.process.stdout], [], [], patience)[0]:
            return False
        data = os.read(self.process.stdout.fileno(), 4096)
        if not data:
            raise AssertionError(f"{self.process.args} has ended: {self.wait()}")
        self._output += data
        return True

    def running(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def suspend(self):
        """Stops the process. The process is paused when this returns."""
        self.signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED)

    def resume(self):
        self.signal(signal.SIGCONT)

    def wait(self, patience=PATIENCE):
        """The exit code."""
        return self.process.wait(patience)

    def takes_signals(self):
        """Returns whether the program has started so far that it can end gracefully."""
        caught = int(self._status("SigCgt"), 16)
        return all(caught >> (number - 1) & 1 for number in (signal.SIGINT, signal.SIGTERM))

    def stop(self):
        """Stops the program as an operator does after its start, and returns the exit code."""
        end = time.monotonic() + PATIENCE
        while self.running() and not self.takes_signals() and time.monotonic() < end:
            time.sleep(0.005)  # there is no event to wait for
        if self.running():
            self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        if self.running():
            self.process.kill()
        self.process.wait()
        if self._discarding:
            self._discarding.join()
        self.process.stdout.close()

    def _status(self, name):
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return line.split()[1]
        raise AssertionError(f"no {name} of {self.process.args}")

    def resident_bytes(self):
        return int(self._status("VmRSS")) * 1024

    def peak_bytes(self):
        """The most that were ever resident."""
        return int(self._status("VmHWM")) * 1024

    def open_files(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))


class Server(Program):
    """A program that first prints its endpoint."""

    def __init__(self, test, arguments, stdin=None):
        super().__init__(test, arguments, stdin)
        bound, self.endpoint = self.read_line().split()
        assert bound == "bound", bound

    @property
    def port(self):
        return int(self.endpoint.rsplit(":", 1)[1])


class Broker(Server):
    def __init__(self, test, *options, at="tcp://127.0.0.1:*"):
        super().__init__(test, [zinc_path(), "broker", "--bind", at, *options])


class LoggedBroker(Program):
    """A broker whose log is part of its output."""

    def __init__(self, test, *options):
        super().__init__(test, [zinc_path(), "broker", "--bind", "tcp://127.0.0.1:*", *options],
                         stderr=subprocess.STDOUT)
        self.endpoint = self.line_with("bound ").split()[1]

    def line_with(self, text):
        """The next line with it."""
        while text not in (line := self.read_line()):
            pass
        return line

    def stop_and_read(self):
        """The output that has not been read."""
        assert self.stop() == 0
        return (self._output + self.process.stdout.read()).decode()


class SocketHost(Server):
    """A socket of Zinc, which may connect too."""

    def __init__(self, test, socket_type, *peer):
        super().__init__(test, [built("test/interop/socket_host"), socket_type, *peer], subprocess.PIPE)

    def say(self, text):
        """Writes this to the input of the process, if it can at once."""
        self.process.stdin.write(text + b"\n")

    def expect_heard(self, text):
        """The socket has received this, which begins with b"good ", after others like it at most."""
        while (line := self.read_line()) != text.decode():
            assert line.startswith("good "), line

    def heard_since(self):
        """The number of parts and the CRC of each other message that it has received since it was asked last."""
        self.process.stdin.write(b"mark\n")
        heard = []
        while (line := self.read_line()) != "marked":
            if not line.startswith("good "):
                word, parts, crc = line.split()
                assert word == "heard", line
                heard.append((int(parts), int(crc)))
        return heard

    def stop(self):
        """Ends its input, and returns the exit code."""
        self.process.stdin.close()
        return self.wait()


def reserve_ports(test, count):
    """Returns the first of `count` consecutive ports at which only servers of this test will listen. The ports
    are taken, but open to servers, which set SO_REUSEADDR."""
    for _ in range(100):
        holders = []
        try:
            for further in range(count):
                holder = socket.socket()
                holders.append(holder)
                holder.bind(("127.0.0.1", holders[0].getsockname()[1] + further if further else 0))
                # Only now, because with SO_REUSEADDR the test could get a port that another test has reserved.
                holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        except (OSError, OverflowError):
            for holder in holders:
                holder.close()
            continue
        for holder in holders:
            test.addCleanup(holder.close)
        return holders[0].getsockname()[1]
    raise AssertionError(f"no {count} ports in a row are free")


def reserve_endpoint(test):
    """An endpoint with such a port."""
    return f"tcp://127.0.0.1:{reserve_ports(test, 1)}"


def start_worker(test, endpoint, service, version, *options):
    return Program(test, [zinc_path(), "worker", "--connect", endpoint, "--service", service,
                          "--mdp", version, *options])


def request_arguments(endpoint, service, version, *arguments):
    # A request is sent once: a busy machine must not use its time up.
    time_out = [] if "--timeout" in arguments else ["--timeout", f"{int(PATIENCE * 1000)}ms"]
    return [zinc_path(), "request", "--connect", endpoint, "--service", service, "--mdp", version,
            *time_out, *arguments]


def start_request(test, endpoint, service, version, *arguments):
    return Program(test, request_arguments(endpoint, service, version, *arguments))


def run_request(endpoint, service, version, *arguments, patience=PATIENCE):
    """Runs it to its end: exit code, lines of output, errors."""
    done = subprocess.run(request_arguments(endpoint, service, version, *arguments), text=True,
                          capture_output=True, timeout=patience, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr
