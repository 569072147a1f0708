"""Bytes of ZMTP (RFC 37), for tests of programs that read them."""


def frame(body, flags=0):
    return bytes([flags, len(body)]) + body


def command(name, data=b""):
    return frame(bytes([len(name)]) + name + data, 4)


def greeting(mechanism=b"NULL"):
    return b"\xff" + bytes(7) + b"\x01\x7f\x03\x01" + mechanism.ljust(20, b"\0") + bytes(32)


def ready(socket_type):
    return command(b"READY", b"\x0bSocket-Type" + len(socket_type).to_bytes(4, "big") + socket_type)
