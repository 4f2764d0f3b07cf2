"""The tables of the peer benchmarks, and disturbed measurements."""

import pytest

import mithril as ml
from benchmarks.peers.architectures import ARCHITECTURES
from benchmarks.peers.load import ProcessorTimes, is_disturbed, parsed_times
from benchmarks.peers.mithril_peer import compile_for, published_config
from benchmarks.peers.table import (
    BEGIN,
    END,
    best_peer,
    duration,
    latest,
    ratio,
    shares_of_peak,
    tables,
    timed,
    with_tables,
)
from benchmarks.peers.variants import Variant
from benchmarks.peers.workloads import WORKLOADS, Workload


def record(peer, rounds, **others):
    return {
        "run": "first",
        "date": "2026-01-02",
        "workload": "mlp_b1",
        "peer": peer,
        "threads": 2,
        "processor": "a processor",
        "machine": {"gflops": 100.0, "gbytes_per_s": 20.0},
        "cold_s": 0.5,
        "rel_err": 1e-7,
        "ms": sorted(rounds)[len(rounds) // 2],
        "rounds": rounds,
        "disturbed": 0,
        "repeated": 0,
        "peak_mb": 30.4,
    } | others


def by_peer(*records):
    return {one["peer"]: one for one in records}


def test_the_best_peer_is_the_fastest_in_float32_that_is_right():
    peers = by_peer(
        record("mithril", [0.1]),
        record("eager", [0.2], rel_err=0.5),
        record("jax", [0.3], rel_err=float("nan")),
        record("openvino+bfloat16", [0.4], rel_err=1e-4),
        record("openvino", [0.6]),
        record("onnxruntime", [0.5]),
    )
    peers["torchscript"] = {"peer": "torchscript", "error": "it ended with 1"}
    best = best_peer(peers)
    assert best is not None
    assert best["peer"] == "onnxruntime"


def test_there_is_no_best_peer_without_peers():
    assert best_peer(by_peer(record("mithril", [0.1]))) is None


def test_the_ratio_is_the_median_of_the_ratios_of_rounds():
    # The medians alone would give 1.
    assert ratio(record("mithril", [1.0, 2.0, 8.0]), record("jax", [2.0, 1.0, 16.0])) == 0.5


def test_shares_of_the_peak_are_operations_and_bytes_a_second():
    workload = Workload("", megaflops=50, megabytes=5, bound=1)
    assert shares_of_peak(workload, record("mithril", [2.0])) == (0.25, 0.125)


@pytest.mark.parametrize(
    ("milliseconds", "text"), [(0.00921, "9.21 µs"), (1.954, "1.95 ms"), (131.4, "131 ms")]
)
def test_durations_have_three_digits(milliseconds, text):
    assert duration(milliseconds) == text


def test_a_time_of_which_more_than_a_quarter_was_disturbed_is_marked():
    assert timed(record("jax", [1.0] * 4, disturbed=1)) == "1 ms"
    assert timed(record("jax", [1.0] * 4, disturbed=2)) == "1 ms!"


def test_a_time_of_a_wrong_result_is_marked():
    assert timed(record("jax", [1.0], rel_err=1e-2)) == "1 ms (wrong)"
    assert timed(record("openvino+bfloat16", [1.0], rel_err=1e-2)) == "1 ms"
    assert timed(record("mithril", [1.0], rel_err=float("nan"))) == "1 ms (wrong)"


def test_the_last_run_of_a_workload_counts_alone():
    again = record("mithril", [2.0], run="second")
    found = latest([record("mithril", [1.0]), record("jax", [1.0]), again])
    assert found == {"mlp_b1": {"mithril": again}}


def test_a_run_is_shown_as_tables():
    records = [
        record("mithril", [0.01, 0.012], ms=0.011, cold_s=0.02),
        record("openvino", [0.02, 0.024], ms=0.022, version="7", peak_mb=99.9),
        {"run": "first", "workload": "mlp_b1", "peer": "jax", "error": "no", "threads": 2}
        | {"date": "2026-01-02", "machine": {"gflops": 100.0, "gbytes_per_s": 20.0}},
    ]
    lines = tables(records).splitlines()
    assert lines[0] == (
        "a processor; 2 threads; medians of 2 rounds; at most 100 GFLOP/s of multiply-adds and"
        " 20 GB/s; openvino 7; 2026-01-02."
    )
    assert lines[4] == (
        "| MLP 784-512-256-10 | 11 µs | openvino 22 µs | 0.50 | 0.75 | 0.02 / 0.5 | 1.0e-07 |"
        " 97% / 975% | 30 / 100 |"
    )
    assert lines[-3:] == [
        "| workload | openvino | jax |",
        "| --- | --- | --- |",
        "| MLP 784-512-256-10 | 22 µs | error |",
    ]


def test_tables_take_the_place_of_those_between_the_marks():
    document = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert with_tables(document, "new") == f"before\n{BEGIN}\nnew\n{END}\nafter\n"


def test_a_document_without_marks_is_an_error():
    with pytest.raises(ValueError, match=r"expected the marks .* in the document, got none"):
        with_tables("before", "new")


def test_times_of_processors_leave_out_idling_and_waiting():
    line = "cpu  100 10 50 1000 200 5 5 30 0 0"
    assert parsed_times(line, ticks_a_second=100) == ProcessorTimes(busy=2.0, stolen=0.3)


@pytest.mark.parametrize(
    ("busy", "stolen", "disturbed"),
    # Of 2 processors in half a second, 4 percent are 0.04 seconds.
    [(0.93, 0.0, False), (0.95, 0.0, True), (0.9, 0.03, False), (0.9, 0.05, True)],
)
def test_a_run_is_discarded_above_4_percent_of_other_load(busy, stolen, disturbed):
    before, after = ProcessorTimes(10, 1), ProcessorTimes(10 + busy, 1 + stolen)
    assert is_disturbed(before, after, own=0.9, elapsed=0.5, processors=2) is disturbed


def test_a_short_run_tolerates_the_resolution_of_the_kernel_clock():
    before, after = ProcessorTimes(0, 0), ProcessorTimes(0.13, 0)
    assert not is_disturbed(before, after, own=0.1, elapsed=0.05, processors=2)


def test_variants_apply_where_they_make_a_difference():
    gelu, bert, training = (
        WORKLOADS[name] for name in ("gelu_chain_1m", "bertmini_s128", "train_bertmini")
    )
    assert not Variant("eager+shim").applies_to(gelu)
    assert not Variant("eager+sdpa").applies_to(WORKLOADS["mlp_b1"])
    assert Variant("eager+sdpa+shim").applies_to(bert)
    assert Variant("eager+sdpa+shim").applies_to(training)
    assert not Variant("onnxruntime").applies_to(training)
    assert not Variant("eager+bfloat16").applies_to(training)
    assert not Variant("jax").applies_to(WORKLOADS["swin_t"])


def test_each_architecture_is_a_workload():
    assert list(ARCHITECTURES) == [name for name, one in WORKLOADS.items() if one.is_architecture]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_an_architecture_compiles_with_its_inputs_and_output(name):
    asked = ARCHITECTURES[name]
    compiled = compile_for(name, published_config(name), ml.CpuBackend())
    assert set(asked.inputs) == set(compiled.input_keys) - set(compiled.parameter_keys)
    assert set(compiled.output_keys) == {asked.output}
