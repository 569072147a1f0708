"""Median, least and greatest of the rounds."""

from statistics import median
from typing import NamedTuple


class Spread(NamedTuple):
    median: float
    low: float
    high: float

    def scaled(self, factor):
        return Spread(self.median * factor, self.low * factor, self.high * factor)


def spread(values):
    """None where there are no values: of a contestant that failed at once."""
    values = list(values)
    return Spread(median(values), min(values), max(values)) if values else None


def differences(values, others):
    """Round by round, as the ratios."""
    return [value - other for value, other in zip(values, others)]


def ratios(dividends, divisors):
    """Round by round, because the machine drifts between rounds by more than what is compared. A
    contestant that failed has fewer rounds than the other."""
    return [dividend / divisor for dividend, divisor in zip(dividends, divisors) if divisor > 0]
