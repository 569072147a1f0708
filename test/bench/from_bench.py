"""Importing this module makes `comparison` available, and leaves no compiled files in the tree."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
