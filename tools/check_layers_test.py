#!/usr/bin/env python3
"""Plants each kind of violation in a small tree and expects a report; then checks the real tree."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_layers  # noqa: E402: found by the line above

# A tree without violations. Each test changes one of its files.
TREE = {
    "WORKSPACE": "",
    "zmtp/message.h": '#include "zmtp/buffer/block.h"\n#include <vector>\n',
    "zmtp/options.h": "#include <chrono>\n",
    "zmtp/buffer/block.h": "#include <cstddef>\n",
    "zmtp/buffer/send_queue.h": '#include "zmtp/message.h"\n',
    "zmtp/mechanism/null.h": '#include "zmtp/message.h"\n#include <random>\n',
    "zmtp/conversation/conversation.h": '#include "zmtp/mechanism/null.h"\n',
    "zmtp/routing/fair_queue.h": '#include "zmtp/message.h"\n',
    "zmtp/transport/tcp.h": '#include "zmtp/options.h"\n#include <boost/asio/ip/tcp.hpp>\n',
    "zmtp/socket/request_sockets.h":
        '#include "zmtp/conversation/conversation.h"\n#include "zmtp/routing/fair_queue.h"\n'
        '#include "zmtp/transport/tcp.h"\n#include "zmtp/options.h"\n',
    "zmtp/pattern/liveness.h": "#include <chrono>\n",
    "bstar/state_machine.h": '#include "zmtp/pattern/liveness.h"\n',
    "chp/server.h": '#include "zmtp/socket/request_sockets.h"\n',
    "chp/replicated_server.h": '#include "chp/server.h"\n#include "bstar/state_machine.h"\n',
    "chp/BUILD":
        'rule(name = "server", visibility = ["//tools:__pkg__"], deps = ["//zmtp:options"])\n'
        'package_group(name = "users", packages = ["//bench/..."])\n'
        'rule(name = "replicated_server", deps = [":server", "//bstar"])\n',
    "mdp/options.h": "#include <chrono>\n",
    "mdp/broker_state.h": '#include "mdp/options.h"\n#include "zmtp/message.h"\n',
    "mdp/broker.h": '#include "mdp/broker_state.h"\n#include "zmtp/socket/request_sockets.h"\n',
    "mdp/broker.cc": "#include <boost/asio.hpp>\nawaitable run() { co_await wait(); }\n",
    "mdp/titanic/server.h": '#include "mdp/broker.h"\n',
    "test/interop/libzmq_test.cc": '#include "mdp/broker.h"\n#include <zmq.h>\n',
    "test/interop/BUILD": 'rule(name = "t", deps = ["//third_party:libzmq"])\n',
    "tools/zinc/main.cc": '#include "chp/replicated_server.h"\n#include "mdp/titanic/server.h"\n',
    "third_party/BUILD": 'rule(linkopts = ["-lzmq"])\n',
}


def found(changes):
    """Returns the violations in the tree with these changed files, by path."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in (TREE | changes).items():
            file = Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return check_layers.violations_in(check_layers.Tree(root))


class Planted(unittest.TestCase):
    def expect_one(self, file, line, words, text, others={}):
        violations = found({file: text} | others)
        self.assertEqual(len(violations), 1, [str(v) for v in violations])
        violation = violations[0]
        self.assertEqual((violation.file, violation.line), (file, line), str(violation))
        self.assertIn(words, str(violation))
        self.assertTrue(violation.why and violation.remedy)

    def expect_none(self, changes):
        self.assertEqual([str(v) for v in found(changes)], [])

    def test_a_correct_tree_has_no_violation(self):
        self.expect_none({})

    # Layers.

    def test_an_include_of_a_higher_layer(self):
        self.expect_one("zmtp/message.h", 2, "zmtp includes zmtp/routing/fair_queue.h",
                        '\n#include "zmtp/routing/fair_queue.h"\n')

    def test_transport_uses_neither_conversation_nor_routing_nor_mechanism(self):
        for seen in ("conversation/conversation", "routing/fair_queue", "mechanism/null"):
            with self.subTest(seen):
                folder = seen.split("/")[0]
                self.expect_one("zmtp/transport/tcp.h", 1, f"zmtp/{folder} is not among them",
                                f'#include "zmtp/{seen}.h"\n')

    def test_routing_and_conversation_do_not_use_each_other(self):
        self.expect_one("zmtp/routing/fan_out.h", 1, "zmtp/conversation/conversation.h",
                        '#include "zmtp/conversation/conversation.h"\n')
        self.expect_one("zmtp/conversation/heartbeat.h", 1, "zmtp/routing/fair_queue.h",
                        '#include "zmtp/routing/fair_queue.h"\n')

    def test_a_socket_does_not_use_a_pattern(self):
        self.expect_one("zmtp/socket/request_sockets.h", 1, "zmtp/pattern/liveness.h",
                        '#include "zmtp/pattern/liveness.h"\n')

    def test_mdp_uses_neither_chp_nor_bstar(self):
        self.expect_one("mdp/worker.h", 1, "mdp includes chp/server.h",
                        '#include "chp/server.h"\n')
        self.expect_one("mdp/titanic/client.cc", 1, "mdp/titanic includes bstar/state_machine.h",
                        '#include "bstar/state_machine.h"\n')

    def test_mdp_does_not_use_titanic(self):
        self.expect_one("mdp/worker.h", 1, "mdp includes mdp/titanic/server.h",
                        '#include "mdp/titanic/server.h"\n')

    def test_only_the_replicated_server_in_chp_uses_bstar(self):
        self.expect_one("chp/client.cc", 1, "chp includes bstar/state_machine.h",
                        '#include "bstar/state_machine.h"\n')
        self.expect_none({"chp/replicated_server.cc": '#include "bstar/state_machine.h"\n'})
        self.expect_one("chp/client.cc", 1, "chp includes chp/replicated_server.h",
                        '#include "chp/replicated_server.h"\n')

    def test_nothing_uses_tools_test_and_bench(self):
        for user in ("bstar/node.cc", "zmtp/message.cc"):
            with self.subTest(user):
                self.expect_one(user, 1, "test/support/clock.h",
                                '#include "test/support/clock.h"\n')

    def test_an_angle_include_of_the_project_counts(self):
        self.expect_one("mdp/worker.h", 1, "mdp includes chp/server.h",
                        "#include <chp/server.h>\n")

    def test_an_include_is_written_from_the_root(self):
        self.expect_one("mdp/worker.h", 1, "not found from the root", '#include "broker.h"\n')

    def test_a_new_folder_needs_a_layer(self):
        self.expect_one("zmtp/util/strings.h", 1, "is not in a layer", "\n")
        self.expect_one("mdp/worker.h", 1, "is not in a layer", '#include "mdp/util/x.h"\n')
        self.expect_none({"test/support/deep/clock.h": '#include "mdp/broker.h"\n'})

    def test_an_include_in_a_comment_does_not_count(self):
        include = '#include "mdp/broker.h"\n'
        self.expect_none({"zmtp/message.h": f"// {include}/*\n{include}*/\n"})

    def test_a_target_links_only_lower_layers(self):
        self.expect_one("chp/BUILD", 2, 'chp:client links "//bstar"',
                        'rule(name = "client",\n  deps = ["//bstar"])\n')
        self.expect_none({"chp/BUILD": 'rule(name = "client")  # not "//bstar"\n'})

    # Purity.

    def test_a_pure_file_includes_no_io(self):
        for name in ("boost/asio/any_io_executor.hpp", "boost/beast/core.hpp", "fstream", "iostream",
                     "thread", "mutex", "filesystem", "unistd.h", "sys/socket.h", "ctime",
                     "spdlog/spdlog.h"):
            for file in ("zmtp/frame.h", "zmtp/buffer/block.cc", "zmtp/mechanism/zap.h",
                         "zmtp/conversation/heartbeat.cc", "zmtp/routing/fan_out.cc",
                         "chp/store.cc", "chp/sequence.h", "chp/update_id.cc", "chp/properties.h",
                         "chp/update_register.cc", "chp/subtree.h", "mdp/worker_state.h",
                         "zmtp/engine/turn_policy.h", "bstar/state_machine.cc", "mdp/command.h"):
                with self.subTest(name=name, file=file):
                    self.expect_one(file, 1, f"includes <{name}>", f"#include <{name}>\n")

    def test_an_impure_file_includes_io(self):
        text = "#include <boost/asio/ip/tcp.hpp>\n#include <thread>\nauto t = runtime.now();\n"
        for file in ("zmtp/transport/tcp.cc", "zmtp/socket/core.cc", "mdp/broker.cc",
                     "test/mdp/some_state.cc"):
            with self.subTest(file):
                self.expect_none({file: text})

    def test_a_pure_file_reaches_no_io_through_a_header(self):
        self.expect_one("mdp/broker_state.h", 1, "through mdp/options.h",
                        TREE["mdp/broker_state.h"],
                        {"mdp/options.h": "#include <boost/asio/ip/tcp.hpp>\n"})

    def test_a_pure_file_reaches_no_call_through_a_header(self):
        self.expect_one("mdp/broker_state.h", 1, "mdp/options.h:2 opens a file",
                        TREE["mdp/broker_state.h"],
                        {"mdp/options.h": "\nauto* file = fopen(name, mode);\n"})

    def test_a_pure_file_calls_no_clock_and_no_randomness(self):
        for call in ("std::chrono::steady_clock::now()", "clock :: now ()", "time(nullptr)",
                     "std::time(0)", "clock_gettime(CLOCK_REALTIME, &t)", "rand()", "std::rand()",
                     "std::random_device{}()", "randombytes_buf(k, 32)", "getrandom(p, 4, 0)"):
            with self.subTest(call):
                self.expect_one("mdp/worker_state.cc", 2, "is pure, but",
                                f"\nauto x = {call};\n")

    def test_words_that_look_like_a_clock(self):
        self.expect_none({"mdp/worker_state.cc": """
            // only the shell calls steady_clock::now()
            const char* text = "std::rand() // \\" ::now(";
            const char quote = '"';
            auto size = 65'535 + input.rand(3) + peer->time(0) + last_time(0) + operand(now);
            auto raw = R"x(::now( " )x";
            void on_tick(time_point now, std::mt19937& random);
            """})

    # The runtime.

    def test_only_the_runtime_has_clocks_random_numbers_and_timers(self):
        planted = {
            "reads a clock": ("std::chrono::steady_clock::now()", "clock::now()",
                              "std::chrono::system_clock::now()", "std::time(nullptr)"),
            "draws a random number": ("std::random_device{}()", "getrandom(p, 4, 0)"),
            "makes a timer": ("asio::steady_timer{executor}", "boost::asio::system_timer{executor}"),
            "sleeps": ("std::this_thread::sleep_for(1s)",),
        }
        for what, calls in planted.items():
            for call in calls:
                for file in ("zmtp/engine/dialer.cc", "zmtp/pattern/pirate_queue.cc",
                             "mdp/broker.cc", "bstar/node.cc", "chp/client.cc"):
                    with self.subTest(call=call, file=file):
                        self.expect_one(file, 2, what, f"\nauto x = {call};\n")
                with self.subTest(call):
                    text = f"auto x = {call};\n"
                    self.expect_none({file: text for file in (
                        "zmtp/runtime/runtime.cc", "tools/zinc/cat_command.cc", "bench/feed.cc",
                        "test/zmtp/runtime/runtime_test.cc")})

    def test_an_exception_is_for_one_file_and_one_kind(self):
        self.expect_none({"zmtp/transport/ipc.cc": "sleep_for(1ms);\n"})
        self.expect_one("zmtp/transport/tcp.cc", 1, "sleeps", "sleep_for(1ms);\n")
        self.expect_one("zmtp/transport/ipc.cc", 1, "reads a clock", "clock::now();\n")

    def test_every_exception_is_still_needed(self):
        for (path, what), reason in check_layers.RUNTIME_EXCEPTIONS.items():
            with self.subTest(path):
                root = Path(check_layers.__file__).resolve().parent.parent
                text = (root / path).read_text(encoding="utf-8")
                calls = check_layers.calls_in(text, check_layers.RUNTIME_CALLS)
                self.assertIn(what, {found for _, found in calls})
                self.assertTrue(reason)

    # Headers.

    def test_no_header_includes_all_of_asio(self):
        self.expect_one("mdp/broker.h", 1, "<boost/asio.hpp>", "#include <boost/asio.hpp>\n")
        self.expect_one("test/support/clock.h", 1, "<boost/asio.hpp>",
                        "#include <boost/asio.hpp>\n")

    def test_no_header_holds_a_coroutine(self):
        for word in ("co_await", "co_return", "co_yield"):
            with self.subTest(word):
                self.expect_one("mdp/broker.h", 2, f"{word} in a header",
                                f"\nawaitable run() {{ {word} 1; }}\n")
        self.expect_none({"mdp/broker.h": "// co_await s.async_receive(batch)\n"})

    def test_no_public_header_includes_the_parts_of_a_socket(self):
        for part in ("engine/socket_core", "routing/pub_state", "routing/pipe",
                     "buffer/send_queue"):
            with self.subTest(part):
                text = f'#include "zmtp/{part}.h"\n'
                self.expect_one("zmtp/blocking/socket.h", 1, f"includes zmtp/{part}.h", text)
                self.expect_none({"zmtp/blocking/socket.cc": text})
        self.expect_one("mdp/options.h", 1, "send_queue.h through zmtp/conversation/carrier.h",
                        '#include "zmtp/conversation/carrier.h"\n',
                        {"zmtp/conversation/carrier.h": '#include "zmtp/buffer/send_queue.h"\n'})

    # Peers.

    def test_the_product_does_not_include_libzmq(self):
        for include in ("<zmq.h>", '"zmq.h"', "<zmq.hpp>", "<czmq.h>"):
            with self.subTest(include):
                self.expect_one("mdp/broker.cc", 1, "a peer to test against",
                                f"#include {include}\n")
        self.expect_one("test/mdp/x_test.cc", 1, "a peer to test against", "#include <zmq.h>\n")
        self.expect_none({"bench/local_thr.cc": "#include <zmq.h>\n"})

    def test_the_product_does_not_link_libzmq(self):
        self.expect_one("mdp/BUILD", 1, "//third_party:libzmq",
                        'rule(name = "b", deps = ["//third_party:libzmq"])\n')
        self.expect_one("tools/BUILD", 1, "-lzmq", 'rule(linkopts = ["-lzmq"])\n')


class Program(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = check_layers.main(list(arguments))
        return code, out.getvalue() + err.getvalue()

    def test_the_real_tree_has_no_violation(self):
        code, text = self.run_main()
        self.assertEqual(code, 0, text)
        # The root is the source tree, not an empty folder of links.
        root = Path(check_layers.__file__).resolve().parent.parent
        self.assertIn("zmtp/message.h", check_layers.Tree(root).sources)

    def test_a_folder_without_a_workspace_is_an_invalid_argument(self):
        with tempfile.TemporaryDirectory() as folder:
            code, text = self.run_main(folder)
        self.assertEqual(code, 2)
        self.assertIn("no WORKSPACE", text)

    def test_an_unknown_option_is_an_invalid_argument(self):
        code, text = self.run_main("--fix")
        self.assertEqual(code, 2)
        self.assertIn("Usage", text)


if __name__ == "__main__":
    unittest.main()
