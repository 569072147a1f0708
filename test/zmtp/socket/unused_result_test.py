#!/usr/bin/python3
"""An operation that is made and not started, because it has no completion token, is diagnosed by the compiler."""

import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
INCLUDES = """
#include "bstar/client.h"
#include "chp/client.h"
#include "chp/watcher.h"
#include "mdp/client.h"
#include "mdp/titanic/client.h"
#include "mdp/worker.h"
#include "zmtp/pattern/freelance_client.h"
#include "zmtp/pattern/lazy_pirate_client.h"
#include "zmtp/socket/request_sockets.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/detached.hpp>
"""
# Type of `x`, and calls. TOKEN is nothing, or a comma and a completion token; FIRST is nothing or a token.
CALLS = {
    "zmtp::dealer_socket": [
        "async_send(m TOKEN)", "async_send(m, until TOKEN)",
        "async_send(batch TOKEN)", "async_send(batch, until TOKEN)",
        "async_wait_writable(FIRST)", "async_wait_writable(until TOKEN)",
        "async_receive(FIRST)", "async_receive(until TOKEN)",
        "async_receive(batch TOKEN)", "async_receive(batch, until TOKEN)",
        "async_receive_from(FIRST)", "async_receive_from(until TOKEN)",
        "async_wait_readable(FIRST)", "async_wait_readable(until TOKEN)",
        "async_close(FIRST)", "async_close(until TOKEN)",
        "async_wait_peers(1 TOKEN)", "async_wait_peers(1, until TOKEN)",
        "async_wait_written(FIRST)", "async_wait_written(until TOKEN)",
    ],
    "zmtp::router_socket": [
        "async_send(to, m TOKEN)", "async_send(to, m, until TOKEN)",
        "async_send_to(batch TOKEN)", "async_send_to(batch, until TOKEN)",
        "async_send_enveloped(batch TOKEN)", "async_send_enveloped(batch, until TOKEN)",
        "async_receive(batch TOKEN)", "async_receive(batch, until TOKEN)",
        "async_wait_writable(to TOKEN)", "async_wait_writable(to, until TOKEN)",
    ],
    "zmtp::pub_socket": [
        "async_wait_subscribers(text, 1 TOKEN)", "async_wait_subscribers(text, 1, until TOKEN)",
    ],
    "zmtp::monitor": ["async_receive(FIRST)"],
    "zmtp::proxy": ["async_run(FIRST)"],
    "zmtp::lazy_pirate_client": ["async_request(m, until TOKEN)"],
    "zmtp::freelance_client": ["async_call(m, {} TOKEN)"],
    "mdp::client": [
        "async_request(text, m TOKEN)", "async_request(text, m, {} TOKEN)",
        "async_request(text, m, {}, nullptr TOKEN)",
    ],
    "mdp::worker": ["async_drain(FIRST)"],
    "mdp::titanic::client": [
        "async_request(text, m TOKEN)", "async_submit({}, text, m TOKEN)", "async_reply({} TOKEN)",
        "async_wait({} TOKEN)", "async_close({} TOKEN)",
    ],
    "bstar::client": ["async_request(m, until TOKEN)"],
    "chp::client": [
        "async_wait_ready(FIRST)", "async_wait_ready(until TOKEN)",
        "async_set(text, text TOKEN)", "async_set(text, text, {} TOKEN)",
        "async_erase(text TOKEN)", "async_erase(text, {} TOKEN)",
    ],
    "chp::watcher": ["async_receive(changes TOKEN)"],
}
PARAMETERS = (
    "zmtp::message m, zmtp::message_batch& batch, zmtp::deadline until, zmtp::peer_id to, "
    "std::string text, std::vector<chp::change>& changes"
)


def program(token):
    """Returns the text, and the lines of calls."""
    lines = INCLUDES.split("\n")
    calls = set()
    for number, (kind, all_of) in enumerate(CALLS.items()):
        lines.append(f"void use_{number}({kind}& x, {PARAMETERS}) {{")
        for call in all_of:
            text = call.replace(" TOKEN", ", " + token if token else "").replace("FIRST", token)
            lines.append(f"  x.{text};")
            calls.add(len(lines))
        lines.append("}")
    return "\n".join(lines) + "\n", calls


def compile_with(token):
    """Returns the lines of calls, the refused lines, and all errors."""
    text, calls = program(token)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "calls.cc")
        with open(source, "w", encoding="utf-8") as out:
            out.write(text)
        done = subprocess.run(
            ["g++", "-std=c++20", "-fsyntax-only", "-Werror=unused-result", "-fdiagnostics-color=never",
             "-DBOOST_ASIO_SEPARATE_COMPILATION", "-I", ROOT, source],
            capture_output=True, text=True, timeout=250, check=False,
        )
    refused = re.findall(re.escape(source) + r":(\d+):\d+: error: .*\[-Werror=unused-result\]", done.stderr)
    errors = re.findall(r": error: .*", done.stderr)
    return calls, {int(line) for line in refused}, errors


class UnusedResult(unittest.TestCase):
    def test_every_operation_without_a_token_is_refused(self):
        calls, refused, errors = compile_with("")
        self.assertEqual([e for e in errors if "unused-result" not in e], [])
        self.assertEqual(refused, calls)

    def test_every_operation_with_a_token_compiles(self):
        _, _, errors = compile_with("boost::asio::detached")
        self.assertEqual(errors, [])


if __name__ == "__main__":
    unittest.main()
