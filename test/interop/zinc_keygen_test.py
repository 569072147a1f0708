#!/usr/bin/python3
"""zinc keygen: its files with pyzmq and CZMQ, and their files with Zinc's programs."""

import ctypes
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from guide_peers import PATIENCE  # noqa: E402: behind the line above
from zinc_programs import Program, built, zinc_path  # noqa: E402
import zmq  # noqa: E402
import zmq.auth  # noqa: E402
import zmq.utils.monitor  # noqa: E402

ANY = "tcp://127.0.0.1:*"


class Czmq:
    """The certificates of CZMQ."""

    def __init__(self):
        self.library = ctypes.CDLL("libczmq.so.4")
        for name in ("zcert_new", "zcert_load"):
            getattr(self.library, name).restype = ctypes.c_void_p
        for name in ("zcert_public_txt", "zcert_secret_txt", "zcert_meta"):
            getattr(self.library, name).restype = ctypes.c_char_p

    def load(self, path):
        """Returns the keys, and the name in the metadata."""
        certificate = ctypes.c_void_p(self.library.zcert_load(path.encode()))
        if not certificate:
            raise ValueError(f"CZMQ does not read {path}")
        read = (self.library.zcert_public_txt(certificate), self.library.zcert_secret_txt(certificate),
                self.library.zcert_meta(certificate, b"name"))
        self.library.zcert_destroy(ctypes.byref(certificate))
        return read

    def create(self, path, name):
        certificate = ctypes.c_void_p(self.library.zcert_new())
        self.library.zcert_set_meta(certificate, b"name", b"%s", name)
        if self.library.zcert_save(certificate, path.encode()) != 0:
            raise ValueError(f"CZMQ does not write {path}")
        self.library.zcert_destroy(ctypes.byref(certificate))


class KeygenCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.context = zmq.Context()
        self.addCleanup(self.context.destroy, linger=0)

    def run_keygen(self, *words):
        done = subprocess.run([zinc_path(), "keygen", *words], capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def create(self, name, *words):
        """Returns the path of the public file and the printed key."""
        path = f"{self.folder}/{name}.cert"
        code, key, errors = self.run_keygen(path, *words)
        self.assertEqual((code, errors), (0, ""))
        return path, key.strip().encode()

    def socket(self, kind):
        made = self.context.socket(kind)
        made.rcvtimeo = made.sndtimeo = int(1000 * PATIENCE)
        return made


class Files(KeygenCase):
    def test_pyzmq_reads_both(self):
        path, key = self.create("alice", "--metadata", "name=Alice")
        self.assertEqual(zmq.auth.load_certificate(path), (key, None))
        public, secret = zmq.auth.load_certificate(path + "_secret")
        self.assertEqual(public, key)
        self.assertEqual(zmq.curve_public(secret), key)
        for file in (path, path + "_secret"):
            with open(file, encoding="ascii") as text:
                self.assertIn('name = "Alice"', text.read())
        self.assertEqual(stat.S_IMODE(os.stat(path + "_secret").st_mode), 0o600)

    def test_czmq_reads_both(self):
        path, key = self.create("alice", "--metadata", "name=Alice's # 1")
        # CZMQ looks for FILE_secret first, so the public file is read from another folder.
        alone = f"{self.folder}/public.cert"
        shutil.copy(path, alone)
        public, secret, name = Czmq().load(path)
        self.assertEqual((public, name), (key, b"Alice's # 1"))
        self.assertEqual(zmq.curve_public(secret), key)
        self.assertEqual(Czmq().load(alone)[::2], (key, b"Alice's # 1"))

    def test_each_pair_is_new(self):
        self.assertNotEqual(self.create("a")[1], self.create("b")[1])

    def test_no_file_is_replaced(self):
        path, key = self.create("alice")
        code, output, errors = self.run_keygen(path)
        self.assertEqual((code, output), (1, ""))
        self.assertIn(path, errors)
        self.assertIn("the file exists; choose another name", errors)
        self.assertEqual(zmq.auth.load_certificate(path)[0], key)

    def test_misuse_is_named(self):
        for words, fault in (((), "FILE"), (("x", "--metadata", "no equals sign"), "NAME=VALUE"),
                             (("x", "--metadata", 'a="'), "NAME=VALUE")):
            code, _, errors = self.run_keygen(*words)
            self.assertEqual(code, 2)
            self.assertIn(fault, errors)
        code, _, errors = self.run_keygen("/nowhere/x.cert")
        self.assertEqual(code, 1)
        self.assertIn("No such file or directory; check the folder", errors)


class Sockets(KeygenCase):
    def test_pyzmq_talks_with_the_keys(self):
        server_file, server_key = self.create("server")
        client_file, client_key = self.create("client")
        rep, req = self.socket(zmq.REP), self.socket(zmq.REQ)
        rep.curve_server = True
        rep.curve_secretkey = zmq.auth.load_certificate(server_file + "_secret")[1]
        req.curve_serverkey = server_key
        req.curve_publickey = client_key
        req.curve_secretkey = zmq.auth.load_certificate(client_file + "_secret")[1]
        rep.bind(ANY)
        req.connect(rep.last_endpoint)
        req.send(b"question")
        self.assertEqual(rep.recv(), b"question")

    def start_server(self, *words):
        server = Program(self, [built("test/examples/secure_server"), ANY, *words])
        return server.read_line().strip()

    def test_a_program_with_the_files_of_pyzmq_serves_pyzmq(self):
        files = [zmq.auth.create_certificates(self.folder, name, {"name": name})
                 for name in ("server", "alice", "mallory")]
        self.check_server(*files)

    def test_a_program_with_the_files_of_czmq_serves_pyzmq(self):
        files = []
        for name in ("server", "alice", "mallory"):
            path = f"{self.folder}/{name}.cert"
            Czmq().create(path, b'the "' + name.encode() + b'" # 1')
            files.append((path, path + "_secret"))
        self.check_server(*files)

    def check_server(self, server, alice, mallory):
        """Each of them is a public and a secret file."""
        server_file, server_secret = server
        alice_file, alice_secret = alice
        at = self.start_server(server_secret, alice_file)
        mallory_secret = mallory[1]
        for secret, known in ((alice_secret, True), (mallory_secret, False)):
            req = self.socket(zmq.REQ)
            req.curve_serverkey = zmq.auth.load_certificate(server_file)[0]
            req.curve_publickey, req.curve_secretkey = zmq.auth.load_certificate(secret)
            events = req.get_monitor_socket()
            req.connect(at)
            if known:
                req.send(b"hello")
                self.assertEqual(req.recv(), b"hello")
            else:
                wanted = zmq.EVENT_HANDSHAKE_FAILED_AUTH
                while zmq.utils.monitor.recv_monitor_message(events)["event"] != wanted:
                    pass
            req.disable_monitor()
            req.close(0)


if __name__ == "__main__":
    unittest.main()
