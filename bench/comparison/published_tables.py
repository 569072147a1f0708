"""The tables of docs/performance.md and README.md, as lines of Markdown, by the names of the comments around them."""

import re

from comparison import wording
from comparison.contestants import (NATS, NNG, OUR_BROKER_THEIR_PEERS, OURS_TO_THEIRS, THEIR_BROKER_OUR_PEERS,
                                    THEIRS_TO_OURS)
from comparison.service_workloads import OUR_SERVER, THEIR_SERVER
from comparison.spread import Spread, spread
from comparison.tables import MET, NOTHING

MIXTURES = (OURS_TO_THEIRS, THEIRS_TO_OURS)


def _spread(value):
    return value and Spread(**value)


def _median(value, text):
    return NOTHING if value is None else text(value["median"])


def _contestant(workload, key):
    return workload["contestants"].get(key) or {}


def _figure(workload, key):
    return _median(_contestant(workload, key).get("figure"), lambda value: wording.figure(value, workload["unit"]))


def _ratio(workload, key, to="libzmq"):
    value = _contestant(workload, key).get(f"ratio_to_{to}")
    return wording.spread_of_ratios(_spread(value)) if value else NOTHING


def _cpu(workload, key, role="all"):
    return _median(_contestant(workload, key).get("cpu_nanoseconds", {}).get(role), lambda value: f"{value:,.0f}")


def _peaks(workload, key):
    """Returns the greatest memory of each process."""
    peaks = _contestant(workload, key).get("peak_bytes") or {}
    return ", ".join(f"{role} {wording.digits(value['median'] / 2 ** 20)}"
                     for role, value in peaks.items() if role != "all" and value) or NOTHING


def _work(workload):
    """Returns the title, with the unit if the figures do not have it."""
    unit = workload["unit"]
    return workload["title"] + ("" if unit in wording.UNITS else f" ({unit})")


def _measured(target):
    if not target["value"]:
        return NOTHING
    return wording.spread_of_value(_spread(target["value"]), target.get("unit", ""))


def _targets(workload, *keys):
    return [target for target in workload["targets"] if target.get("of", "ours") in keys]


def _met(target):
    return {"NO": "**no**", "not measured": NOTHING}.get(MET[target["met"]], MET[target["met"]])


def _table(header, rows):
    """Returns the lines of a table, or nothing without a row."""
    return [_row(header), "|" + "---|" * len(header), *map(_row, rows)] if rows else []


def _row(cells):
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def _machine(document):
    machine = document.machine
    changes = " with uncommitted changes" if machine["uncommitted_changes"] else ""
    nng = f", nng {machine['nng']}" if any(NNG in each["contestants"] for each in document.workloads) else ""
    return [f"- **Machine.** {machine['cpu']}, {machine['cores']} cores, Linux {machine['kernel'].partition('-')[0]}, "
            f"load average {machine['load_average']} at the start, {machine['date'].partition('T')[0]}.",
            f"- **Software.** {machine['compiler'].partition(' (')[0]} {machine['compiler'].rpartition(' ')[2]} "
            f"`-c opt`, libzmq {machine['libzmq']}{nng}, commit {machine['commit'][:8]}{changes}."]


def _all(document):
    rows = []
    for workload in document.workloads:
        targets = _targets(workload, "ours") or [None]
        for number, target in enumerate(targets):
            judged = (target["text"], _measured(target), _met(target)) if target else (NOTHING,) * 3
            head = (_work(workload), *(_figure(workload, key) for key in ("ours", "theirs", "limit")),
                    _ratio(workload, "ours"))
            cpu = f"{_cpu(workload, 'ours')} / {_cpu(workload, 'theirs')}"
            rows.append((*head, *judged, cpu) if number == 0 else ("",) * 5 + (*judged, ""))
    return _table(("work", "ours", "libzmq", "limit", "ours / libzmq", "target", "measured", "met",
                   "CPU ns, ours / libzmq"), rows)


def _mixed(document):
    rows = []
    for workload in document.workloads:
        if not any(key in workload["contestants"] for key in MIXTURES):
            continue
        less = ", less is better" if workload["lower_is_better"] else ""
        verdicts = [next(iter(_targets(workload, key)), None) for key in MIXTURES]
        rows.append((workload["title"] + less, *(_ratio(workload, key) for key in MIXTURES),
                     *(" / ".join(text(verdict) if verdict else NOTHING for verdict in verdicts)
                       for text in (lambda target: target["text"].removesuffix(" × libzmq"), _met))))
    return _table(("work", "Zinc to libzmq", "libzmq to Zinc", "targets", "met"), rows)


def _brokers(document):
    rows = []
    for workload in document.workloads:
        if OUR_BROKER_THEIR_PEERS not in workload["contestants"]:
            continue
        target = next((each for each in _targets(workload, OUR_BROKER_THEIR_PEERS) if "CPU" in each["text"]), None)
        rows.append((workload["title"].removeprefix("Majordomo, "), _figure(workload, "theirs"),
                     _figure(workload, OUR_BROKER_THEIR_PEERS), _ratio(workload, OUR_BROKER_THEIR_PEERS),
                     _ratio(workload, THEIR_BROKER_OUR_PEERS),
                     *(_cpu(workload, key, "broker") for key in ("theirs", OUR_BROKER_THEIR_PEERS, "limit")),
                     *((_measured(target), _met(target)) if target else (NOTHING, NOTHING))))
    return _table(("workers", "libzmq's broker (request/s)", "Zinc's broker", "ratio",
                   "libzmq's broker with Zinc's peers, ratio", "CPU ns of libzmq's broker",
                   "CPU ns of Zinc's broker", "CPU ns of the relay", "Zinc's / relay, target ≤ 1.5", "met"), rows)


def _memory(document):
    rows = [(workload["title"], *(_peaks(workload, key) for key in ("ours", "theirs")))
            for workload in document.workloads]
    return _table(("work", "ours", "libzmq"), [row for row in rows if row[1:] != (NOTHING, NOTHING)])


def _beside(document, key, name):
    return _table(("work", "ours", name, f"ours / {name}", f"CPU ns, ours / {name}"), [
        (_work(each), _figure(each, "ours"), _figure(each, key), _ratio(each, "ours", key),
         f"{_cpu(each, 'ours')} / {_cpu(each, key)}") for each in document.workloads if key in each["contestants"]])


def _nng(document):
    return _beside(document, NNG, "nng")


def _nats(document):
    return _beside(document, NATS, "NATS")


def _layers(document):
    return _table(("work", "Zinc", "limit", "Zinc / limit"), [
        (_work(each), _figure(each, "ours"), _figure(each, "limit"), _ratio(each, "ours", "limit"))
        for name, each in document.by_name.items() if re.fullmatch("stream_(tls|websocket)_.*", name)])


def _curve(document):
    rows = [(_work(each), *(_figure(each, key) for key in ("ours", "theirs", "limit")), _ratio(each, "ours"),
             *(_ratio(each, key) for key in MIXTURES),
             f"{_cpu(each, 'ours', 'server')} / {_cpu(each, 'theirs', 'server')}")
            for name, each in document.by_name.items() if re.fullmatch("stream_curve_.*|curve_handshakes", name)]
    return _table(("work", "ours", "libzmq", "limit", "ours / libzmq", "ours to libzmq, ratio", "libzmq to ours, ratio",
                   "CPU ns of the server, ours / libzmq"), rows)


def _services(document):
    rows = []
    for name, key, title in (("clone", "ours", None), ("clone", OUR_SERVER, "the same, only Zinc's server"),
                             ("clone", THEIR_SERVER, "the same, only Zinc's clients"),
                             ("black_box", "ours", None)):
        workload = document.by_name.get(name)
        if workload:
            targets = _targets(workload, key)
            rows.append((title or _work(workload), _figure(workload, key), _figure(workload, "theirs"),
                         _ratio(workload, key), ", ".join(each["text"] for each in targets) or NOTHING,
                         ", ".join(map(_met, targets)) or NOTHING))
    return _table(("work", "ours", "libzmq", "ours / libzmq", "target", "met"), rows)


def _missed(document):
    rows = []
    for workload in document.workloads:
        for target in workload["targets"]:
            if target["met"] is False:
                of = target.get("of", "ours")
                label = "" if of == "ours" else f", {_contestant(workload, of)['label']}"
                rows.append((workload["title"] + label, target["text"], _measured(target)))
    for fall in document.falls:
        before, after = (wording.spread_of_ratios(_spread(fall[each])) for each in ("before", "after"))
        titles = (document.by_name[fall[each]]["title"] for each in ("from", "to"))
        rows.append(("; then ".join(titles), "the ratio to libzmq does not fall", f"{before} to {after}"))
    return _table(("work", "target", "measured"), rows)


def _open_loop(document):
    rows = []
    for load in document.open_loop:
        rounds = load["rounds"]
        latencies = (spread(each[name] for each in rounds) for name in ("p50", "p99", "p999"))
        rows.append((f"{load['library']} at {load['load']}", wording.short(load["rate"]),
                     *(f"{value.median:,.0f} [{value.low:,.0f}–{value.high:,.0f}]" for value in latencies)))
    return _table(("sender", "msg/s", "p50, µs", "p99, µs", "p99.9, µs"), rows) if rows else []


# The rows of README.md: the work, the workloads, the contestant, and remarks on libzmq's figure. Those of older results
# or without a figure are left out.
README_ROWS = (
    ("stream of 16, 64, 256, 1024 bytes, messages/s", ("stream_16", "stream_64", "stream_256", "stream_1024"), "ours"),
    ("stream of 32 KiB, 1 MiB, messages/s", ("stream_32768", "stream_1048576"), "ours"),
    ("the same of 64 bytes over 1,000 and 10,000 connections", ("connections_1000", "connections_10000"), "ours"),
    ("**one `co_await` for each received message**, 64 bytes, messages/s", ("stream_single_64",), "ours"),
    ("**one `co_await` for each message at both ends**", ("single_await_64",), "ours"),
    ("**the same from Zinc to libzmq**", ("single_await_64",), OURS_TO_THEIRS),
    ("one `co_await` only when nothing is ready, at both ends", ("single_if_needed_64",), "ours"),
    ("`try_send` and `try_receive` in a loop", ("single_attempt_64",), "ours"),
    ("**one blocking call for each message**", ("single_block_64",), "ours"),
    ("**a stream from Zinc to libzmq**, 64 bytes, messages/s", ("stream_64",), OURS_TO_THEIRS),
    ("**a stream from libzmq to Zinc**, 64 bytes, messages/s", ("stream_64",), THEIRS_TO_OURS),
    ("publishing to 1, 10, 100, 1,000 subscribers, deliveries/s",
     ("fan_out_1", "fan_out_10", "fan_out_100", "fan_out_1000"), "ours"),
    ("**publishing to 1,000 libzmq subscribers**, deliveries/s", ("fan_out_1000",), OURS_TO_THEIRS),
    ("**one `co_await` for each published message**, to 1 and 10 subscribers, deliveries/s",
     ("single_publish_1", "single_publish_10"), "ours"),
    ("a proxy from PULL to PUSH, 64 bytes, messages/s", ("proxy_64",), "ours"),
    ("within one process, between two threads, 64 bytes, messages/s", ("inproc_stream_64",), "ours"),
    ("round trip of 64 bytes, one way", ("round_trip_64",), "ours"),
    ("the same with `spin`, which costs a core", ("round_trip_spinning_64",), "ours"),
    ("an idle connection of a ROUTER", ("idle_memory",), "ours"),
    ("Majordomo, ten lock-step workers, requests/s", ("majordomo_10",), "ours", "stand-in for the Guide's broker"),
    ("**the same, only the broker differs**: libzmq's workers and clients", ("majordomo_10",), OUR_BROKER_THEIR_PEERS),
    ("clustered hashmap, updates accepted and published again/s", ("clone",), "ours",
     "stand-in for the Guide's server"),
)


def _listed(texts):
    """Joins figures, with their unit once if it is the same."""
    units = {text.partition(" ")[2] for text in texts}
    if len(units) == 1 and len(texts) > 1:
        return ", ".join(text.partition(" ")[0] for text in texts) + f" {units.pop()}".rstrip()
    return ", ".join(texts)


def _readme(document):
    rows = []
    for work, names, key, *remark in README_ROWS:
        measured = [document.by_name[name] for name in names if name in document.by_name]
        if len(measured) < len(names) or not all(_contestant(each, key).get("figure") for each in measured):
            continue
        ratio = ", ".join(_median(_contestant(each, key)["ratio_to_libzmq"], wording.digits) for each in measured)
        bare = _contestant(measured[0], "limit").get("ratio_to_libzmq") if names == ("round_trip_64",) else None
        rows.append((work, _listed([_figure(each, key) for each in measured]),
                     _listed([_figure(each, "theirs") for each in measured]) + "".join(f" ({each})" for each in remark),
                     ratio + (f" (bare sockets: {wording.digits(bare['median'])})" if bare else "")))
    return _table(("work", "Zinc", "libzmq", "ratio"), rows)


# By the name in the comments around it.
BLOCKS = {
    "machine": _machine,
    "all figures": _all,
    "missed targets": _missed,
    "mixed pairs": _mixed,
    "brokers": _brokers,
    "memory": _memory,
    "nng": _nng,
    "NATS": _nats,
    "curve": _curve,
    "layers": _layers,
    "services": _services,
    "open loop": _open_loop,
    "figures": _readme,
}
