#!/usr/bin/python3
"""The help texts of all subcommands of zinc: their parts, and one vocabulary of options."""

import collections
import os
import re
import subprocess
import unittest

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 30

# Options that several subcommands have, or that stand for a term: the kind of value and the start of the text.
# Each name has one meaning in all subcommands.
VOCABULARY = {
    "--heartbeat": ("DURATION", "time between heartbeats"),
    "--liveness": ("N", "missed heartbeats before "),
    "--expiry": ("DURATION", "time without a message before the peer is declared dead"),
    "--timeout": ("DURATION", "time to wait for "),
    "--unserved-timeout": ("DURATION", "time to wait for "),
    "--attempts": ("N", "attempts before a request fails"),
    "--in-flight": ("N", "requests in flight at once"),
    "--worker-in-flight": ("N", "requests in flight at once per worker"),
    "--service-in-flight": ("N", "requests in flight at once per service"),
    "--drain": ("DURATION", "time to finish requests in progress after a stop signal"),
    "--promote-alone": ("DURATION", "time without a p"),
    "--count": ("N", "stop after N "),
    "--connect": ("ENDPOINT", r"\w+ to connect to\b"),
    "--bstar-connect": ("ENDPOINT", "peer to connect to"),
    "--bind": ("ENDPOINT", "endpoint to bind"),
    "--bstar-bind": ("ENDPOINT", "endpoint to bind"),
    "--listen": ("ENDPOINT", "endpoint where programs connect"),
    "--rate": ("N", "messages that are due each second"),
    "--port": ("N", "only connections of FILE"),
    "--bodies": ("N", "bytes of each part to print"),
    "--peer": ("ENDPOINT", "the other server"),
    "--voter": ("ENDPOINT", "endpoint for requests"),
    "--control": ("ENDPOINT", "endpoint of "),
    "--frontend": ("[TYPE] ENDPOINT...", "endpoints "),
    "--backend": ("[TYPE] ENDPOINT...", "endpoints "),
    "--capture": ("[TYPE] ENDPOINT...", "endpoints "),
    "--connect-frontend": ("", "connect to the endpoints of --frontend"),
    "--connect-backend": ("", "connect to the endpoints of --backend"),
    "--connect-capture": ("", "connect to the endpoints of --capture"),
    "--primary": ("", r"primary \w+; active when both \w+ start"),
    "--backup": ("", r"backup \w+; passive when both \w+ start"),
    "--epoch-file": ("FILE", "file that stores the epoch"),
    "--store": ("FILE", "file of "),
    "--config": ("FILE", "file of options, one NAME = VALUE in each line"),
    "--check-config": ("", "check --config and all other options"),
    "--rules": ("FILE", "TOML file of rules"),
    "--file": ("FILE", "file to send"),
    "--import": ("DIR", "copy the requests "),
    "--theirs": ("DIR", "directory "),
    "--ours": ("DIR", "directory "),
    "--http": ("ADDRESS", "serve a page"),
    "--http-operator-file": ("FILE", "file with a token"),
    "--json": ("", "print JSON"),
    "--mdp": ("0.1|0.2", "version of the protocol"),
    "--frames": ("kvmsg|kvsimple8|kvsimple4", "frames of "),
    "--collector": ("sub|pull", "socket of the server for updates"),
    "--snapshots": ("subtree|whole|none", "snapshots of the server"),
    "--no-hugz": ("", "the servers send no HUGZ"),
    "--degraded": ("ack|block", "updates while "),
    "--lost-folder": ("DIR", "folder for the updates "),
    "--discard-data": ("", "let this server drop "),
    "--require": ("one|both", "servers that must have "),
    "--interval": ("DURATION", "time between messages"),
    "--delay": ("DURATION", "time to wait before each reply"),
    "--duration": ("DURATION", "time that "),
    "--grace": ("DURATION", "time between SIGTERM and SIGKILL"),
    "--ttl": ("DURATION", "time after which "),
    "--keep": ("DURATION|forever", "time after which "),
    "--older": ("DURATION", "only requests of at least this age"),
    "--size": ("SIZE", "size of "),
    "--max-bytes": ("SIZE", "size of "),
    "--max-value": ("SIZE", "size of "),
    "--subscriber-bytes": ("SIZE", "size of "),
    "--last-value-bytes": ("SIZE", "size of "),
    "--reserve": ("SIZE", "disk space "),
    "--max-keys": ("N", "keys that the map may have"),
    "--max-requests": ("N", "requests that the store may have"),
    "--last-value-topics": ("N", "topics that "),
    "--threads": ("N", "brokers, "),
    "--unknown-services": ("N", "services that may have requests"),
    "--client-requests": ("N", "unanswered requests of one client"),
    "--client-bytes": ("SIZE", "size of the unanswered requests of one client"),
    "--outcome-requests": ("N", "outcomes to remember"),
    "--outcome-bytes": ("SIZE", "size of the remembered outcomes"),
    "--outcome-time": ("DURATION", "time for which an outcome is remembered"),
    "--jobs": ("N", "drills that run in parallel"),
    "--last-value": ("", "forwarder: "),
    "--exec": ("COMMAND", "shell command "),
    "--idempotent": ("", "a request may be executed more than once"),
    "--durable": ("", "store the request with Titanic"),
    "--id": ("ID|new", "id of "),
    "--leave": ("", "with --durable: print the id"),
    "--fetch": ("ID", "id of a stored request"),
    "--wait": ("", "with --fetch: wait "),
    "--third-party-broker": ("", "register --in-flight workers"),
    "--unsafe-nosync": ("", "accept requests before they are on disk"),
    "--salvage": ("", "copy the intact requests "),
    "--multipart": ("SEPARATOR", "separator "),
    "--input": ("lines|json|hex", "form of an input line"),
    "--format": ("lines|json|hex|raw", "form of an output line"),
    "--subscribe": ("PREFIX", "SUB, XSUB: "),
    "--routing-id": ("ID", "REQ, DEALER, ROUTER: "),
    "--reply": ("TEXT", "REP: "),
    "--echo": ("", "REP: "),
    "--at-once": ("", "PUB, XPUB: "),
    "--pairs": ("NAME,...", "names of pairs"),
    "--python": ("PROGRAM", "interpreter "),
    "--no-control": ("", "leave out "),
    "--write": ("DIR", "write the pages of all subcommands"),
    "--remove": ("", "remove the user instead"),
    "--metadata": ("NAME=VALUE", "fact to add to both files"),
    "--curve-server-key": ("KEY|FILE", "connecting: use CURVE"),
    "--curve-secret-file": ("FILE", "own certificate for CURVE"),
    "--peer-key": ("KEY|FILE", "use CURVE, and connect only to the peer"),
    "--authorized-keys": ("DIR|FILE", "binding with CURVE: clients that may connect"),
    "--allow-any-client": ("", "binding with CURVE: let every client in"),
    "--plain-user": ("NAME", "connecting: use PLAIN with this name"),
    "--plain-password-file": ("FILE", "file whose first line is the password"),
    "--plain-users": ("FILE", "binding: use PLAIN"),
    "--websocket-origin": ("ORIGIN", "binding to ws://: origin of web pages"),
    "--tls-certificate": ("FILE", r"tls\+tcp:// and wss://: own certificate"),
    "--tls-key": ("FILE", "private key of --tls-certificate"),
    "--tls-trusted": ("FILE", "authorities, as PEM: connecting"),
    "--tls-server-name": ("NAME", "connecting with TLS: name in the certificate"),
    "--log-level": ("info|warning|error|off", "least level "),
    "--log-format": ("text|json", "form of a line of the log"),
    "--color": ("auto|always|never", "colors"),
    "--show": ("services|workers|clients", "the table"),
    "--sort": ("COLUMN", "column that orders the rows"),
    "--list": ("", "print the groups"),
    "--version": ("", "print the version and exit"),
    "--help": ("", "print this text and exit"),
}
# The same name with another kind of value, and its subcommand. A socket of `zinc cat` has its endpoints as arguments,
# and a worker or a client names a service that the broker and Titanic have settings for.
EXCEPTIONS = {
    ("cat", "--bind"): ("", "endpoints to bind"),
    ("top", "--interval"): ("DURATION", "time between two screens"),
    ("worker", "--service"): ("NAME", "service to offer"),
    ("request", "--service"): ("NAME", "service to call"),
    ("broker", "--service"): ("NAME:KEY=VALUE,...", "service and its settings"),
    ("titanic", "--service"): ("NAME:KEY=VALUE,...", "service and its settings"),
}
# Words that the glossary replaces.
OLD_WORDS = re.compile(r"octet|\bnobody|capacity|concurrency|deadline|in hand|for ever|\bso long\b|\bMS\b|\bMIB\b")
DURATION = re.compile(r"\d+(\.\d+)?(ms|s|m|h|d)")
SIZE = re.compile(r"\d+(\.\d+)?(B|KiB|MiB|GiB|TiB)")

Option = collections.namedtuple("Option", "name value text default")


def zinc(*words):
    return subprocess.run([ZINC, *words], capture_output=True, text=True, timeout=DEADLINE, check=False,
                          stdin=subprocess.DEVNULL)


def read_help(*words):
    result = zinc(*words, "--help")
    assert (result.returncode, result.stderr) == (0, ""), (words, result)
    return result.stdout


def rows_of(text):
    """The left sides of a help text with their texts, without the examples and exit codes."""
    rows = []
    for line in text.partition("EXAMPLES\n")[0].splitlines():
        row = re.fullmatch(r"  (\S.*?)(?:  +(.*))?", line)
        if line.startswith(" " * 28):
            rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
        elif row:
            rows.append([row[1], row[2] or ""])
    return rows


def options_of(text):
    for left, right in rows_of(text):
        match = re.fullmatch(r"(?:-h, )?(--[\w-]+) ?(.*)", left)
        if match:
            default = re.search(r" \[([^\]]*)\]", right)
            yield Option(match[1], match[2], right, default[1] if default else None)


def all_commands():
    """The words of every subcommand, and its help."""
    waiting = [()]
    while waiting:
        words = waiting.pop()
        text = read_help(*words)
        yield words, text
        commands = re.search(r"^SUBCOMMANDS\n(.*?)\n\n", text, re.S | re.M)
        if commands:
            waiting += [(*words, left) for left, _ in rows_of(commands[1])]


class HelpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = dict(all_commands())

    def for_each_option(self, check):
        for words, text in self.commands.items():
            for option in options_of(text):
                with self.subTest(" ".join((*words, option.name))):
                    check(words, option)

    def test_every_subcommand_is_found(self):
        for words in (("broker",), ("worker",), ("request",), ("titanic", "purge"), ("bstar",), ("cat",), ("proxy",),
                      ("dump",), ("bench",), ("chp", "server"), ("chp", "watch"), ("status",), ("top",), ("passwd",),
                      ("demo",), ("interop",), ("help",), ("man",), ("completion",)):
            self.assertIn(words, self.commands)
        self.assertEqual(len(self.commands), 33)

    def test_zinc_help_prints_the_same(self):
        for words, text in self.commands.items():
            with self.subTest(words):
                result = zinc("help", *words)
                self.assertEqual((result.returncode, result.stderr, result.stdout), (0, "", text))

    def test_every_text_has_its_parts_in_order(self):
        for words, text in self.commands.items():
            with self.subTest(words):
                name = " ".join(("zinc", *words))
                self.assertRegex(text, r"\A[A-Z][^\n]*\.\n")
                usage = text.index(f"\nUsage: {name} [OPTIONS]")
                examples = text.index("\nEXAMPLES\n  ")
                codes = text.index("\nEXIT CODES\n  0 ")
                self.assertTrue(usage < examples < codes)
                for line in text[examples:codes].splitlines()[2:]:
                    self.assertIn("zinc", line)
                for code in (r"^  0 \S", r"(  |^  )1 \S", r"(  |^  )2 invalid arguments$"):
                    self.assertRegex(text[codes:].replace("\nEXIT CODES\n", ""), re.compile(code, re.M))

    def test_every_example_of_a_subcommand_names_it(self):
        for words, text in self.commands.items():
            examples = text.partition("\nEXAMPLES\n")[2].partition("\nEXIT CODES\n")[0]
            with self.subTest(words):
                for line in examples.splitlines():
                    self.assertIn(" ".join(("zinc", *words)), line)

    def test_every_example_has_known_options(self):
        for words, text in self.commands.items():
            examples = text.partition("\nEXAMPLES\n")[2].partition("\nEXIT CODES\n")[0]
            for line in examples.splitlines():
                used = max((w for w in self.commands if re.search(" ".join(("zinc", *w)) + r"\b", line)), key=len)
                known = {option.name for w in (used, used[:1]) for option in options_of(self.commands[w])}
                for name in re.findall(r"(?<= )--[\w-]+", line):
                    with self.subTest(line):
                        self.assertIn(name, known)

    def test_every_option_has_one_meaning(self):
        def check(words, option):
            value, meaning = EXCEPTIONS.get((words[0] if words else "", option.name)) or VOCABULARY[option.name]
            self.assertEqual(option.value, value)
            self.assertRegex(option.text, "^" + meaning)
        self.for_each_option(check)

    def test_every_word_of_the_vocabulary_is_used(self):
        used = {option.name for text in self.commands.values() for option in options_of(text)}
        self.assertEqual(set(VOCABULARY) - used, set())

    def test_every_subcommand_with_sockets_has_the_same_options_for_security(self):
        names = {"--curve-server-key", "--curve-secret-file", "--authorized-keys", "--allow-any-client",
                 "--plain-user", "--plain-password-file", "--plain-users", "--websocket-origin",
                 "--tls-certificate", "--tls-key", "--tls-trusted", "--tls-server-name"}
        texts = set()
        for words in (("broker",), ("worker",), ("request",), ("titanic",), ("bstar",), ("cat",), ("proxy",),
                      ("bench",),
                      ("status",), ("services",), ("workers",), ("clients",), ("top",),
                      *(("chp", name) for name in ("server", "get", "set", "delete", "dump", "watch"))):
            options = [option for option in options_of(self.commands[words]) if option.name in names]
            self.assertEqual({option.name for option in options}, names, words)
            texts.add(tuple(options))
        self.assertEqual(len(texts), 1)

    def test_no_text_has_an_old_word(self):
        for words, text in self.commands.items():
            with self.subTest(words):
                self.assertNotRegex(text, OLD_WORDS)

    def test_defaults_have_the_form_that_options_take(self):
        def check(_, option):
            if option.default is None or option.default in ("never", "none", "no limit", "2 × --heartbeat"):
                return
            if option.value.startswith("DURATION"):
                self.assertRegex(option.default, f"^{DURATION.pattern}$")
            if option.value == "SIZE":
                self.assertRegex(option.default, f"^{SIZE.pattern}$")
            if option.value == "ENDPOINT":
                self.assertRegex(option.default, r"^tcp://[^ ]+:\d+$")
        self.for_each_option(check)

    def test_defaults_are_those_of_the_documentation(self):
        defaults = {(*words, option.name): option.default
                    for words, text in self.commands.items() for option in options_of(text)}
        for name, value in ((("broker", "--heartbeat"), "2.5s"), (("broker", "--drain"), "30s"),
                            (("broker", "--unserved-timeout"), "1m"), (("request", "--timeout"), "2.5s"),
                            (("titanic", "--timeout"), "1m"), (("titanic", "--keep"), "7d"),
                            (("titanic", "--reserve"), "16MiB"), (("chp", "server", "--max-bytes"), "1GiB"),
                            (("chp", "get", "--timeout"), "15s"), (("chp", "server", "--expiry"), "2 × --heartbeat"),
                            (("proxy", "--last-value-bytes"), "64MiB"), (("demo", "--duration"), "5s")):
            self.assertEqual(defaults[name], value, name)

    def test_every_duration_and_size_needs_a_unit(self):
        def check(words, option):
            hint = ("needs a unit: 250ms, 5s, 1m" if option.value.startswith("DURATION") else
                    "needs a unit: 512B, 64KiB, 1MiB" if option.value == "SIZE" else None)
            if hint is not None:
                self.expect_refusal(f"{option.name}: '5' {hint}", *words, option.name, "5")
        self.for_each_option(check)

    def test_durations_and_sizes_are_not_negative(self):
        def check(words, option):
            if option.value.startswith("DURATION") or option.value == "SIZE":
                self.expect_refusal(f"{option.name}: '-5s' is negative", *words, f"{option.name}=-5s")
        self.for_each_option(check)

    def test_every_endpoint_has_a_transport(self):
        def check(words, option):
            if option.value == "ENDPOINT":
                error = self.expect_refusal(f"{option.name}: 'localhost:5555' is not ", *words, option.name,
                                            "localhost:5555")
                self.assertIn("tcp://", error)
        self.for_each_option(check)

    def test_numbers_name_their_range(self):
        def check(words, option):
            if option.value == "N":
                error = self.expect_refusal(f"{option.name}: 'many' is not valid; ", *words, option.name, "many")
                self.assertRegex(error, "give a number from \\d+ to \\d+")
        self.for_each_option(check)

    def test_settings_of_services_have_one_form(self):
        self.expect_refusal("give NAME:KEY=VALUE,KEY=VALUE", "titanic", "--service", "echo")
        for command in ("broker", "titanic"):
            for text in ("echo attempts=2", "echo:attempts", "echo:attempts=2,"):
                with self.subTest((command, text)):
                    self.expect_refusal("give NAME:KEY=VALUE,KEY=VALUE", command, "--service", text)
            for text, fault in (("echo:size=2", "echo:size: unknown setting; give one of "),
                                ("echo:attempts=x", "echo:attempts: 'x' is not valid; give a number from 1 to ")):
                with self.subTest((command, text)):
                    self.expect_refusal(fault, command, "--service", text)
        for command, text in (("broker", "echo:busy_timeout=5"), ("titanic", "echo:timeout=5")):
            self.expect_refusal("'5' needs a unit: 250ms, 5s, 1m", command, "--service", text)

    def test_errors_are_one_line_that_names_the_subcommand(self):
        for words in self.commands:
            with self.subTest(words):
                name = " ".join(("zinc", *words))
                result = zinc(*words, "--no-such-option")
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertTrue(result.stderr.startswith(f"{name}: "), result.stderr)
                self.assertTrue(result.stderr.endswith(f"; {name} --help lists the options\n"), result.stderr)

    def expect_refusal(self, text, *words):
        result = zinc(*words)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn(text, result.stderr)
        return result.stderr


if __name__ == "__main__":
    unittest.main()
