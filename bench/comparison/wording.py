"""Numbers as people read them: three digits and a unit."""


FACTORS = ((1e9, " G"), (1e6, " M"), (1e3, " k"))


def short(number):
    """7.10 M, 43.1 k, 812: the same width for all sizes."""
    for factor, letter in FACTORS:
        # A number that would be rounded up to 1000 gets the next letter.
        if number >= 0.9995 * factor:
            return digits(number / factor) + letter
    return digits(number)


def tick(number):
    """Returns the label of a tick of an axis, where all numbers are round."""
    factor, letter = next((each for each in FACTORS if number >= each[0]), (1, ""))
    return f"{number / factor:g}{letter}"


def digits(number):
    """Three significant digits."""
    if number == 0:
        return "0"
    if number >= 99.95:
        return f"{number:.0f}"
    return f"{number:.1f}" if number >= 9.995 else f"{number:.2f}"


def figure(number, unit):
    """As a cell of a table or a label."""
    if unit == "us":
        return digits(number) + " µs"
    if unit == "B":
        return digits(number / 1024) + " KiB"
    return short(number)


UNITS = {"us": "µs", "B": "KiB"}


def spread_of_figures(value, unit):
    low, high = figure(value.low, unit), figure(value.high, unit)
    return f"{figure(value.median, unit)} [{low.split()[0] if _same(low, high) else low}–{high}]"


def _same(low, high):
    return low.partition(" ")[2] == high.partition(" ")[2]


def spread_of_value(value, unit):
    """Writes what a target names, which is a ratio if it has no unit."""
    if not unit:
        return spread_of_ratios(value)
    if unit == "ns":  # may be negative
        return f"{value.median:,.0f} [{value.low:,.0f}–{value.high:,.0f}] ns"
    return spread_of_figures(value, unit) + ("" if unit in UNITS else f" {unit}")


def spread_of_ratios(value):
    return f"{value.median:.2f} [{value.low:.2f}–{value.high:.2f}]"
