"""From figures to places along an axis, and where the axis has its ticks."""

import math


class LogScale:
    """A logarithmic scale. Its ends are ticks of 1, 2 or 5 beyond the least and the greatest value."""

    def __init__(self, low, high, begin, end):
        self.ticks = _log_ticks(low, high)
        self._low, self._high = math.log(self.ticks[0]), math.log(self.ticks[-1])
        self._begin, self._end = begin, end

    def __call__(self, value):
        share = (math.log(value) - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)


def _log_ticks(low, high):
    decades = math.log10(high / low)
    # On many decades 2 and 5 would stand too close.
    steps = (1, 2, 5) if decades <= 3.2 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = [step * 10.0 ** power for power in range(first - 1, last + 2) for step in steps]
    # Room for the mark itself at both ends.
    below = max(tick for tick in every if tick <= low / 1.05)
    above = min(tick for tick in every if tick >= high * 1.05)
    return [tick for tick in every if below <= tick <= above]


class LinearScale:
    """From zero: a bar's length has to be its figure."""

    def __init__(self, high, begin, end):
        step = _step(high)
        count = math.floor(high / step) + 1
        self.ticks = [step * number for number in range(count + 1)]
        self._begin, self._end = begin, end

    def __call__(self, value):
        return self._begin + value / self.ticks[-1] * (self._end - self._begin)


def _step(high):
    rough = high / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough)
