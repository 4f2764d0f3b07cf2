"""The log of ml.TensorBoard."""

import importlib
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_fit import network, rows, step_of

import mithril as ml

Scalar = tuple[int, str, float]


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> int:
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data: bytes) -> Iterator[bytes]:
    """The records of a TFRecord file."""
    while data:
        length, crc = struct.unpack_from("<QI", data)
        assert crc == masked(data[:8])
        record = data[12 : 12 + length]
        assert struct.unpack_from("<I", data, 12 + length) == (masked(record),)
        yield record
        data = data[16 + length :]


def fields(data: bytes) -> dict[int, Any]:
    """The fields of a protocol buffer: numbers, and bytes of texts and messages."""
    found: dict[int, Any] = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while at < len(data):
        field, wire = divmod(varint(), 8)
        if wire == 0:
            found[field] = varint()
        elif wire == 2:
            length = varint()
            found[field] = data[at : at + length]
            at += length
        else:
            form = {1: "<d", 5: "<f"}[wire]
            (found[field],) = struct.unpack_from(form, data, at)
            at += struct.calcsize(form)
    return found


def scalars(folder: Path) -> list[Scalar]:
    """The scalars of the files of events of a folder."""
    found: list[Scalar] = []
    for path in sorted(folder.glob("*tfevents*")):
        version, *events = map(fields, records(path.read_bytes()))
        assert version[3] == b"brain.Event:2"
        for event in events:
            value = fields(fields(event[5])[1])
            found.append((event[2], value[1].decode(), value[2]))
    return found


def trained(folder: Path, epochs: int) -> ml.History:
    return ml.fit(
        step_of(network(ml.CpuBackend())),
        rows(32, 0),
        epochs=epochs,
        validation=rows(8, 1),
        callbacks=[ml.TensorBoard(folder / "logs")],
        checkpoint=folder / "run",
        progress=False,
    )


def expected(history: ml.History) -> list[Scalar]:
    return [
        (number + 1, name, float(np.float32(value)))
        for number, epoch in enumerate(history.epochs)
        for name, value in sorted(epoch.items())
    ]


def test_the_checksum_is_crc32c() -> None:
    assert crc32c(b"123456789") == 0xE3069283


def test_a_log_has_the_numbers_of_each_epoch(tmp_path: Path) -> None:
    trained(tmp_path, 2)
    history = trained(tmp_path, 3)  # it continues
    assert len(list((tmp_path / "logs").iterdir())) == 2
    assert scalars(tmp_path / "logs") == expected(history)


def test_tensorboard_reads_a_log(tmp_path: Path) -> None:
    name = "tensorboard.backend.event_processing.event_accumulator"
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    history = trained(tmp_path, 3)
    log = importlib.import_module(name).EventAccumulator(str(tmp_path / "logs"))
    log.Reload()
    found = [
        (event.step, tag, event.value)
        for tag in log.Tags()["scalars"]
        for event in log.Scalars(tag)
    ]
    assert sorted(found) == sorted(expected(history))


def test_a_hand_written_training_loop_logs_steps(tmp_path: Path) -> None:
    log = ml.TensorBoard(tmp_path)
    steps = [1, 200, 2**40]
    for step in steps:
        log.add(step, {"cost": 0.5})
    assert scalars(tmp_path) == [(step, "cost", 0.5) for step in steps]


def test_a_log_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ml.InputError, match="E0831"):
        ml.TensorBoard(tmp_path / "file" / "logs")
    with pytest.raises(ml.TypeError, match="a path"):
        ml.TensorBoard(3)  # type: ignore[arg-type]
    with pytest.raises(ml.TypeError):
        ml.TensorBoard(tmp_path).add("1", {})  # type: ignore[arg-type]
