"""Finds how many messages a run needs to last long enough. A short run measures only the ramp of TCP."""

# The most by which a count grows from one run to the next, because the rate of a very short run is rough.
MOST_GROWTH = 50
# The programs read counts as 32-bit numbers.
MOST_COUNT = 2_000_000_000


def round_up(count):
    """To two digits, so that the counts are readable."""
    count = int(count)
    step = 10 ** max(0, len(str(count)) - 2)
    return -(-count // step) * step


def scaled(count, lasted, wanted):
    """The count with which a run will last a little longer than wanted."""
    growth = min(MOST_GROWTH, 1.1 * wanted / max(lasted, 1e-9))
    return max(1, min(MOST_COUNT, round_up(count * growth)))


def calibrate(run_for, first_count, wanted, attempts):
    """run_for(count) makes a run and returns how many seconds it lasted. Returns the count for the
    rounds. The last of these runs is the warm-up."""
    count = first_count
    for _ in range(attempts):
        lasted = run_for(count)
        if wanted * 0.9 <= lasted <= wanted * 1.5:
            return count
        next_count = scaled(count, lasted, wanted)
        if lasted > wanted or next_count == count:
            return next_count
        count = next_count
    return count
