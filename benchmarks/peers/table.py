"""The tables of docs/benchmarks.md, from the records of a run."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.variants import ON_REQUEST, OURS, USUAL, Variant
from benchmarks.peers.workloads import WORKLOADS, Workload

Record = Mapping[str, Any]
ByPeer = dict[str, Record]

BEGIN = "<!-- drawn by python -m benchmarks.peers -->"
END = "<!-- until here -->"
# A relative error above these is more than rounding, of float32 and of bfloat16.
WRONG, WRONG_IN_BFLOAT16 = 1e-3, 5e-2
NOTHING = "-"


def latest(records: Iterable[Record]) -> dict[str, ByPeer]:
    """Groups the records by workload and peer. A workload keeps only its last run, because rounds
    of different runs are not comparable."""
    found: dict[str, ByPeer] = {}
    for record in records:
        peers = found.setdefault(record["workload"], {})
        if any(other["run"] != record["run"] for other in peers.values()):
            peers.clear()
        peers[record["peer"]] = record
    return {name: found[name] for name in WORKLOADS if name in found}


def is_wrong(record: Record) -> bool:
    is_bfloat16 = Variant(record["peer"]).has("bfloat16")
    return not record.get("rel_err", 0) <= (WRONG_IN_BFLOAT16 if is_bfloat16 else WRONG)


def best_peer(peers: ByPeer) -> Record | None:
    """Returns the fastest peer that computes in float32 and gives the right results."""
    candidates = [
        record
        for name, record in peers.items()
        if name != OURS
        and "ms" in record
        and not Variant(name).has("bfloat16")
        and not is_wrong(record)
    ]
    return min(candidates, key=lambda record: record["ms"], default=None)


def ratio(ours: Record, peer: Record) -> float:
    """The median of the ratios of rounds, which were measured one after the other."""
    pairs = zip(ours["rounds"], peer["rounds"], strict=False)
    return float(statistics.median(mine / its for mine, its in pairs))


def shares_of_peak(workload: Workload, record: Record) -> tuple[float, float]:
    """The part of the machine's multiply-adds that a call did, and of its memory bandwidth."""
    gigas_a_second = 1 / record["ms"]  # a million a millisecond is 10^9 a second
    machine = record["machine"]
    return (
        workload.megaflops * gigas_a_second / machine["gflops"],
        workload.megabytes * gigas_a_second / machine["gbytes_per_s"],
    )


def duration(milliseconds: float) -> str:
    if milliseconds < 1:
        return f"{milliseconds * 1e3:.3g} µs"
    return f"{milliseconds:.3g} ms" if milliseconds < 100 else f"{milliseconds:.0f} ms"


def timed(record: Record | None) -> str:
    if record is None:
        return NOTHING
    if "ms" not in record:
        return "error"
    mark = "!" if 4 * record["disturbed"] > len(record["rounds"]) else ""
    return duration(record["ms"]) + mark + (" (wrong)" if is_wrong(record) else "")


def both(ours: Record, peer: Record | None, key: str, form: str) -> str:
    values = [record[key] if record and key in record else None for record in (ours, peer)]
    return " / ".join(NOTHING if value is None else format(value, form) for value in values)


def row(workload: Workload, peers: ByPeer) -> list[str]:
    ours, best = peers.get(OURS, {}), best_peer(peers)
    cells = [workload.title, timed(ours or None)]
    cells.append(f"{best['peer']} {timed(best)}" if best else NOTHING)
    has_both = best is not None and "ms" in ours
    cells.append(f"{ratio(ours, best):.2f}" if best is not None and has_both else NOTHING)
    cells.append(f"{workload.bound:.2f}")
    cells.append(both(ours, best, "cold_s", ".2g"))
    cells.append(f"{ours['rel_err']:.1e}" if "rel_err" in ours else NOTHING)
    shares = shares_of_peak(workload, ours) if "ms" in ours else ()
    cells.append(" / ".join(f"{share:.0%}" for share in shares) or NOTHING)
    cells.append(both(ours, best, "peak_mb", ".0f"))
    return cells


def drawn(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def conditions(workloads: dict[str, ByPeer]) -> str:
    records = [record for peers in workloads.values() for record in peers.values()]
    threads = sorted({record["threads"] for record in records})
    rounds = sorted({len(record["rounds"]) for record in records if "ms" in record})
    dates = sorted({record["date"] for record in records})
    gflops = statistics.median(record["machine"]["gflops"] for record in records)
    gbytes = statistics.median(record["machine"]["gbytes_per_s"] for record in records)
    versions = {
        Variant(record["peer"]).runtime: record["version"]
        for record in records
        if "version" in record
    }
    facts = [
        records[0]["processor"],
        f"{joined(threads)} threads",
        f"medians of {joined(rounds)} rounds",
        f"at most {gflops:.0f} GFLOP/s of multiply-adds and {gbytes:.0f} GB/s",
        ", ".join(f"{name} {version}" for name, version in sorted(versions.items())),
        joined(dates),
    ]
    return "; ".join(fact for fact in facts if fact) + "."


def joined(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def tables(records: Iterable[Record]) -> str:
    workloads = latest(records)
    heads = [
        "workload",
        "ours",
        "best peer",
        "ratio",
        "bound",
        "cold s, ours / its",
        "our error",
        "of peak, multiply-adds / memory",
        "peak MB, ours / its",
    ]
    main = drawn(heads, [row(WORKLOADS[name], peers) for name, peers in workloads.items()])
    present = {peer for peers in workloads.values() for peer in peers}
    order = [name for name in (*USUAL, *ON_REQUEST) if name in present]
    every = drawn(
        ["workload", *order],
        [
            [WORKLOADS[name].title, *(timed(peers.get(peer)) for peer in order)]
            for name, peers in workloads.items()
        ],
    )
    return "\n\n".join([conditions(workloads), main, "Every peer:", every])


def with_tables(document: str, text: str) -> str:
    """The document with the text between its marks replaced."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"expected the marks {BEGIN} and {END} in the document, got none")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def read_records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
