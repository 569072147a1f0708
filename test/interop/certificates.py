"""Certificates of TLS for tests, made by the program openssl."""

import subprocess
from pathlib import Path

from zinc_programs import PATIENCE


class Certificates:
    """The certificates of one authority, in a folder."""

    def __init__(self, folder, name):
        self.folder, self.name = Path(folder), name
        self.file = str(self.folder / f"{name}.pem")
        self._make(name, "/CN=" + name)

    def issue(self, name, alternative_names=None):
        """A certificate and its key, in one file."""
        words = ["-CA", self.file, "-CAkey", self.file]
        if alternative_names:
            words += ["-addext", "subjectAltName=" + alternative_names]
        return self._make(name, "/CN=" + name, "-addext", "basicConstraints=critical,CA:FALSE", *words)

    def own(self, certificate):
        """The options of a program with this certificate, which trusts the authority."""
        return "--tls-certificate", certificate, "--tls-trusted", self.file

    def _make(self, name, subject, *words):
        made, key = (str(self.folder / (name + ending)) for ending in (".pem", ".key"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "1", "-subj", subject, "-keyout", key, "-out", made, *words], check=True,
                       capture_output=True, timeout=PATIENCE)
        with open(made, "a", encoding="ascii") as file:
            file.write(Path(key).read_text(encoding="ascii"))
        Path(made).chmod(0o600)
        return made
