#!/usr/bin/env python3
"""Each fault of planted_decisions.py can still be planted. That program shows which seed finds it."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from planted_decisions import PLANTS, ROOT, names_of, planted  # noqa: E402: found by the line above


class PlantedDecisionsTest(unittest.TestCase):
    def test_each_text_is_once_in_its_file(self):
        for plant in PLANTS:
            with self.subTest(plant.name):
                self.assertNotEqual(plant.text, plant.becomes)
                self.assertIn(plant.becomes, planted(plant, ROOT))

    def test_a_text_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "0 times, not once"):
            planted(PLANTS[0]._replace(text="no such text"), ROOT)

    def test_the_checkers_know_the_violations(self):
        for plant in PLANTS:
            self.assertEqual(set(plant.finds) - names_of(plant.by), set(), plant.name)
            self.assertTrue(plant.finds, plant.name)

    def test_each_fault_of_the_first_implementation_has_a_plant(self):
        self.assertEqual({plant.fault for plant in PLANTS}, set(range(1, 8)))


if __name__ == "__main__":
    unittest.main()
