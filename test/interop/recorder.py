"""A TCP relay that records and replays."""

import socket
import threading


class Recorder:
    """A TCP relay that keeps the bytes of its first connection, in both directions: those of the side that connects are
    `sent`."""

    def __init__(self, test, target):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.target = target
        self.sent, self.received = bytearray(), bytearray()
        self.replay = b""  # a later connection gets this, and not the target
        self.ends = []
        threading.Thread(target=self._run, daemon=True).start()
        test.addCleanup(self.close)

    def _run(self):
        sent, received = self.sent, self.received
        try:
            while True:
                side, _ = self.listener.accept()
                self.ends.append(side)
                if self.replay:
                    side.sendall(self.replay)
                    continue
                target = socket.create_connection(("127.0.0.1", int(self.target.rsplit(":", 1)[1])))
                self.ends.append(target)
                for way in ((side, target, sent), (target, side, received)):
                    threading.Thread(target=self._copy, args=way, daemon=True).start()
                sent, received = bytearray(), bytearray()
        except OSError:
            pass  # closed

    @staticmethod
    def _copy(from_, to, kept):
        try:
            while data := from_.recv(4096):
                kept += data
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        """Ends the connections, so that the side that connects does so again."""
        while self.ends:
            with self.ends.pop() as end:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        self.cut()
