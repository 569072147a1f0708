#!/usr/bin/python3
"""/proc/net/tcp as Linux writes it."""

import socket
import tempfile
import unittest

import from_bench  # noqa: F401: comparison is found by it
from comparison.sockets_table import (ESTABLISHED, LISTENING, connections, count_in, file_connections,
                                      file_listens, free_port, listens)

TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:15B3 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 566 1 0
   1: 0100007F:15B3 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 567 1 0
   2: 0100007F:15B3 0100007F:C002 01 00000000:00000000 00:00000000 00000000     0        0 568 1 0
   3: 0100007F:C001 0100007F:15B3 01 00000000:00000000 00:00000000 00000000     0        0 569 1 0
   4: 0100007F:15B3 0100007F:C003 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0
"""


class SocketsTable(unittest.TestCase):
    def test_a_listening_socket_is_one_of_the_local_port(self):
        self.assertEqual(count_in(TABLE, 0x15B3, LISTENING), 1)
        self.assertEqual(count_in(TABLE, 0xC001, LISTENING), 0)

    def test_connections_count_on_the_side_that_listens(self):
        self.assertEqual(count_in(TABLE, 0x15B3, ESTABLISHED), 2)
        self.assertEqual(count_in(TABLE, 0xC002, ESTABLISHED), 0)

    def test_an_empty_table_has_none(self):
        self.assertEqual(count_in("  sl  local_address rem_address   st\n", 1, LISTENING), 0)

    def test_the_systems_own_table_shows_a_socket_of_ours(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            self.assertFalse(listens(port))
            listener.listen()
            self.assertTrue(listens(port))
            with socket.create_connection(("127.0.0.1", port), timeout=10):
                self.assertEqual(connections(port), 1)

    def test_the_systems_own_table_shows_a_socket_file_of_ours(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            path = f"{folder}/socket"
            listener.bind(path)
            self.assertFalse(file_listens(path))
            listener.listen()
            self.assertTrue(file_listens(path))
            self.assertFalse(file_listens(f"{folder}/other"))
            self.assertEqual(file_connections(path), 0)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                accepted, _ = listener.accept()
                with accepted:
                    self.assertEqual(file_connections(path), 1)

    def test_free_ports_have_free_neighbours(self):
        port = free_port(2)
        for number in (port, port + 1):
            with socket.socket() as probe:
                probe.bind(("", number))


if __name__ == "__main__":
    unittest.main()
