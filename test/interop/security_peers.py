"""The security of three peers: libzmq called from C, pyzmq and CZMQ. Each as client and as server of a mechanism."""

import ctypes
import os
import threading

os.environ["ZSYS_SIGHANDLER"] = "false"  # CZMQ leaves the signals of the test alone
import zmq  # noqa: E402: behind the line above
import zmq.auth  # noqa: E402
import zmq.auth.thread  # noqa: E402

PATIENCE_MS = 15_000
ANY = "tcp://127.0.0.1:*"


class Accounts:
    """The clients of a peer's server. `folder` has public certificates."""

    def __init__(self, passwords=None, folder=None, keys=()):
        self.passwords = dict(passwords or {})
        self.folder = folder
        self.keys = set(keys)


class Libzmq:
    """The C functions of libzmq."""

    name = "libzmq"
    library = ctypes.CDLL("libzmq.so.5")
    for function in ("zmq_ctx_new", "zmq_socket"):
        getattr(library, function).restype = ctypes.c_void_p

    def __init__(self):
        self.context = ctypes.c_void_p(self.library.zmq_ctx_new())
        self.socket = self._socket(zmq.DEALER)
        self._handler = None
        self._stopped = threading.Event()

    def _socket(self, kind):
        made = ctypes.c_void_p(self.library.zmq_socket(self.context, int(kind)))
        self._set(made, zmq.LINGER, 0)
        self._set(made, zmq.RCVTIMEO, PATIENCE_MS)
        return made

    def _set(self, socket, option, value):
        if isinstance(value, int):
            number = ctypes.c_int(value)
            done = self.library.zmq_setsockopt(socket, int(option), ctypes.byref(number), ctypes.sizeof(number))
        else:
            done = self.library.zmq_setsockopt(socket, int(option), value, len(value))
        assert done == 0, option

    def use(self, security):
        for option, value in options_of(security).items():
            self._set(self.socket, option, value)

    def bind(self):
        assert self.library.zmq_bind(self.socket, ANY.encode()) == 0
        text, size = ctypes.create_string_buffer(256), ctypes.c_size_t(256)
        self.library.zmq_getsockopt(self.socket, int(zmq.LAST_ENDPOINT), text, ctypes.byref(size))
        return text.value.decode()

    def connect(self, endpoint):
        assert self.library.zmq_connect(self.socket, endpoint.encode()) == 0

    def send(self, body):
        assert self.library.zmq_send(self.socket, body, len(body), 0) == len(body)

    def receive(self, flags=0):
        """The next message, or None."""
        text = ctypes.create_string_buffer(1024)
        size = self.library.zmq_recv(self.socket, text, 1024, int(flags))
        return text.raw[:size] if size >= 0 else None

    def decide(self, accounts):
        """Starts the handler of ZAP."""
        replies = self._socket(zmq.REP)
        self._set(replies, zmq.RCVTIMEO, 20)
        assert self.library.zmq_bind(replies, b"inproc://zeromq.zap.01") == 0

        def run():
            while not self._stopped.is_set():
                request = self._receive_parts(replies)
                if request:
                    status = b"200" if admits(accounts, request[5], request[6:]) else b"400"
                    self._send_parts(replies, [b"1.0", request[1], status, b"", b"", b""])
            self.library.zmq_close(replies)

        self._handler = threading.Thread(target=run)
        self._handler.start()

    def _receive_parts(self, socket):
        parts, more, size = [], ctypes.c_int(1), ctypes.c_size_t(4)
        while more.value:
            text = ctypes.create_string_buffer(1024)
            count = self.library.zmq_recv(socket, text, 1024, 0)
            if count < 0:
                return None
            parts.append(text.raw[:count])
            self.library.zmq_getsockopt(socket, int(zmq.RCVMORE), ctypes.byref(more), ctypes.byref(size))
        return parts

    def _send_parts(self, socket, parts):
        for at, part in enumerate(parts):
            self.library.zmq_send(socket, part, len(part), int(zmq.SNDMORE) if at + 1 < len(parts) else 0)

    def close(self):
        self.library.zmq_close(self.socket)
        self._stopped.set()
        if self._handler:
            self._handler.join()
        self.library.zmq_ctx_term(self.context)


class Pyzmq:
    """pyzmq, with its ThreadAuthenticator."""

    name = "pyzmq"

    def __init__(self):
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.rcvtimeo = PATIENCE_MS
        self.authenticator = None

    def use(self, security):
        for option, value in options_of(security).items():
            self.socket.setsockopt(option, value)

    def bind(self):
        self.socket.bind(ANY)
        return self.socket.last_endpoint.decode()

    def connect(self, endpoint):
        self.socket.connect(endpoint)

    def send(self, body):
        self.socket.send(body)

    def receive(self, flags=0):
        try:
            return self.socket.recv(flags)
        except zmq.Again:
            return None

    def decide(self, accounts):
        if not self.authenticator:
            self.authenticator = zmq.auth.thread.ThreadAuthenticator(self.context)
            self.authenticator.start()
        self.authenticator.configure_plain("global", accounts.passwords)
        if accounts.folder:
            self.authenticator.configure_curve("global", accounts.folder)

    def close(self):
        if self.authenticator:
            self.authenticator.stop()
        self.context.destroy(linger=0)


class Czmq:
    """CZMQ, with its zauth."""

    name = "CZMQ"
    library = ctypes.CDLL("libczmq.so.4")
    for function in ("zsock_new", "zactor_new", "zsock_endpoint", "zstr_recv", "zsock_resolve"):
        getattr(library, function).restype = ctypes.c_void_p

    def __init__(self):
        self.socket = ctypes.c_void_p(self.library.zsock_new(int(zmq.DEALER)))
        self.library.zsock_set_linger(self.socket, 0)
        self.library.zsock_set_rcvtimeo(self.socket, PATIENCE_MS)
        self.actor = None

    def use(self, security):
        setters = {zmq.PLAIN_SERVER: "plain_server", zmq.PLAIN_USERNAME: "plain_username",
                   zmq.PLAIN_PASSWORD: "plain_password", zmq.CURVE_SERVER: "curve_server",
                   zmq.CURVE_SERVERKEY: "curve_serverkey", zmq.CURVE_PUBLICKEY: "curve_publickey",
                   zmq.CURVE_SECRETKEY: "curve_secretkey", zmq.ZAP_DOMAIN: "zap_domain"}
        for option, value in options_of(security).items():
            getattr(self.library, f"zsock_set_{setters[option]}")(self.socket, value)

    def bind(self):
        port = self.library.zsock_bind(self.socket, b"tcp://127.0.0.1:*")
        assert port > 0
        return f"tcp://127.0.0.1:{port}"

    def connect(self, endpoint):
        assert self.library.zsock_connect(self.socket, b"%s", endpoint.encode()) == 0

    def send(self, body):
        assert self.library.zstr_send(self.socket, body) == 0

    def receive(self, flags=0):
        if flags:
            self.library.zsock_set_rcvtimeo(self.socket, 0)
        text = self.library.zstr_recv(self.socket)
        if flags:
            self.library.zsock_set_rcvtimeo(self.socket, PATIENCE_MS)
        if not text:
            return None
        body = ctypes.string_at(text)
        self.library.zstr_free(ctypes.byref(ctypes.c_void_p(text)))
        return body

    def decide(self, accounts):
        self.stop_deciding()  # zauth reads its file of passwords when it starts
        self.actor = ctypes.c_void_p(self.library.zactor_new(ctypes.cast(self.library.zauth, ctypes.c_void_p), None))
        if accounts.folder:
            self.order(b"CURVE", accounts.folder.encode())
            passwords = f"{accounts.folder}/../passwords"
            with open(passwords, "w", encoding="ascii") as file:
                file.writelines(f"{user}={password}\n" for user, password in accounts.passwords.items())
            self.order(b"PLAIN", passwords.encode())

    def order(self, *words):
        self.library.zstr_sendx(self.actor, *words, None)
        self.library.zsock_wait(self.actor)

    def stop_deciding(self):
        if self.actor:
            self.library.zactor_destroy(ctypes.byref(self.actor))
            self.actor = None

    def close(self):
        self.library.zsock_destroy(ctypes.byref(self.socket))
        self.stop_deciding()


PEERS = (Libzmq, Pyzmq, Czmq)


def options_of(security):
    """The socket options of a mechanism: ("plain client", user, password) and so on."""
    kind, *values = security
    return {
        "null client": {},
        "null server": {},
        "plain client": dict(zip((zmq.PLAIN_USERNAME, zmq.PLAIN_PASSWORD), values)),
        "plain server": {zmq.PLAIN_SERVER: 1, zmq.ZAP_DOMAIN: b"global"},
        "curve client": dict(zip((zmq.CURVE_SERVERKEY, zmq.CURVE_PUBLICKEY, zmq.CURVE_SECRETKEY), values)),
        "curve server": {zmq.CURVE_SERVER: 1, **dict(zip((zmq.CURVE_PUBLICKEY, zmq.CURVE_SECRETKEY), values)),
                         zmq.ZAP_DOMAIN: b"global"},
    }[kind]


def admits(accounts, mechanism, shown):
    if mechanism == b"PLAIN":
        user, password = (part.decode() for part in shown)
        return accounts.passwords.get(user) == password
    return mechanism == b"CURVE" and shown[0] in accounts.keys
