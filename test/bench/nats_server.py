#!/usr/bin/python3 -IS
"""Stands in for a nats-server: with its arguments and its protocol, and without its speed."""

import os
import selectors
import signal
import socket
import sys

# The fault of this server, set by the test that copies the program: loses, reports or splits.
FAULT = ""


class Client:
    def __init__(self, connection):
        self.connection = connection
        self.received = b""
        self.subject = None

    def send(self, data):
        if FAULT == "splits":
            for place in range(len(data)):
                self.connection.sendall(data[place:place + 1])
        else:
            self.connection.sendall(data)


class Server:
    def __init__(self, host, port):
        self._clients = []
        self._published = 0
        self._selector = selectors.DefaultSelector()
        self._listener = socket.create_server((host, port), backlog=1000)
        self._selector.register(self._listener, selectors.EVENT_READ)

    def run(self):
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._listener:
                    self._accept()
                else:
                    self._read(key.data)

    def _accept(self):
        client = Client(self._listener.accept()[0])
        client.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.send(b'INFO {"server_name":"stand-in","max_payload":1048576}\r\n')
        self._clients.append(client)
        self._selector.register(client.connection, selectors.EVENT_READ, client)

    def _read(self, client):
        try:
            data = client.connection.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            self._selector.unregister(client.connection)
            client.connection.close()
            self._clients.remove(client)
            return
        client.received += data
        while self._take_one(client):
            pass

    def _take_one(self, client):
        """Whether there was a whole command."""
        line, end, rest = client.received.partition(b"\r\n")
        if not end:
            return False
        command, *fields = line.split()
        if command == b"PUB":
            size = int(fields[-1])
            if len(rest) < size + 2:
                return False
            self._publish(fields[0], fields[1:-1], rest[:size])
            rest = rest[size + 2:]
        elif command == b"PING":
            # As a server sometimes does, it asks too.
            client.send(b"PING\r\nPONG\r\n")
        elif command == b"SUB":
            client.subject = fields[0]
        elif command not in (b"CONNECT", b"PONG"):
            sys.exit(f"unknown command {line}")
        client.received = rest
        return True

    def _publish(self, subject, reply_to, payload):
        if payload.startswith(b".") and len(payload) > 1:
            self._published += 1
            if self._published == 100 and FAULT == "loses":
                return
        fields = b" ".join((b"MSG", subject, b"1", *reply_to, str(len(payload)).encode()))
        for client in list(self._clients):
            if client.subject == subject:
                if self._published == 100 and FAULT == "reports":
                    client.send(b"-ERR 'Slow Consumer'\r\n")
                try:
                    client.send(fields + b"\r\n" + payload + b"\r\n")
                except (BrokenPipeError, ConnectionResetError):
                    pass  # it has ended, which its socket says next


def main():
    if "--version" in sys.argv:
        print("nats-server: v0.0.1")
        return
    # Both signals end a nats-server, and only this one with the exit code 0.
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    Server(sys.argv[sys.argv.index("-a") + 1], int(sys.argv[sys.argv.index("-p") + 1])).run()


if __name__ == "__main__":
    main()
