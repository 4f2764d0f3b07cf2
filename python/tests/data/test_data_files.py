"""Files of rows: exact numbers, and faults that are named."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from test_data import ARRAYS, idx, joined, refused, same

import mithril as ml

data = ml.data
CSV = 'n,f,name,gap\n1,0.1,"a, b",\n-9007199254740993,1e-300,"c\nd",2\n3,nan,,3.5\n'


@pytest.fixture(params=["csv", "pyarrow"])
def reader(request) -> str:
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return request.param


def test_csv_has_exact_numbers_and_texts(reader: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(CSV)
    read = joined(data.from_csv(tmp_path / "a.csv", reader=reader).read_batches(2))
    assert read["n"].dtype == np.int64 and read["n"].tolist() == [1, -9007199254740993, 3]
    np.testing.assert_array_equal(read["f"], [0.1, 1e-300, np.nan])
    assert read["name"].tolist() == ["a, b", "c\nd", ""]
    np.testing.assert_array_equal(read["gap"], [np.nan, 2, 3.5])
    some = data.from_csv(
        tmp_path / "a.csv", columns=["gap", "n"], dtypes={"gap": "float32", "n": "str"}
    )
    assert some.schema == {"gap": ("float32", ()), "n": (some.schema["n"].dtype, ())}
    assert joined(some.read_batches(3))["n"].tolist() == ["1", "-9007199254740993", "3"]


CELLS = "mithril.ParseError[E0770]: data.csv: line 3 has 2 cells, expected 3"


@pytest.mark.parametrize(
    "fault",
    [
        ("a,b,c\n1,2,3\n4,5\n", {}, CELLS),
        ("a,b\n1,2\n3,x\n", {"b": "int64"}, "line 3: column 'b' is 'x', expected int64"),
        (
            "a\n1\n3000000000\n",
            {"a": "int32"},
            "line 3: column 'a' is '3000000000', expected int32",
        ),
        ("a,b\n1,2\n,4\n", {"a": "int64"}, "line 3: column 'a' is '', expected int64"),
        ("a,b\n1,2\n3,0x4\n", {"b": "float64"}, "line 3: column 'b' is '0x4', expected float64"),
        ("a,a\n1,2\n", {}, "the first line has no names of columns, or a name twice"),
        ("", {}, "the first line has no names of columns, or a name twice"),
    ],
)
def test_a_fault_in_a_csv_file_is_named(
    reader: str, fault: tuple[str, dict[str, str], str], tmp_path: Path, monkeypatch
) -> None:
    text, dtypes, message = fault
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(text)
    with pytest.raises(ml.ParseError) as caught:
        list(data.from_csv("data.csv", dtypes=dtypes, reader=reader).read_batches(10))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"mithril.ParseError[{caught.value.code}]: data.csv: ")


@pytest.mark.parametrize("dtype", ["date", "bool", "uint64", "complex64"])
def test_dtypes_of_columns_are_checked_at_once(dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x\n1\n")
    with pytest.raises(ml.NameError, match=r"E0605.*there is no dtype of a column"):
        data.from_csv(path, dtypes={"x": dtype})


@pytest.mark.parametrize(
    ("dtype", "name"),
    [(np.uint8, "uint8"), (ml.float32, "float32"), (int, "int64"), ("f4", "float32")],
)
def test_dtypes_of_columns_are_those_of_numpy_python_and_mithril(
    dtype: object, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x\n1\n2\n")
    made = joined(data.from_csv(path, dtypes={"x": dtype}, reader="csv").read_batches(9))
    assert made["x"].dtype == name and made["x"].tolist() == [1, 2]


def test_the_readers_of_csv_agree(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    random = np.random.default_rng(0)
    numbers = random.standard_normal(5000) * 10.0 ** random.integers(-300, 300, 5000)
    lines = [f"{i},{number!r},{i % 7}" for i, number in enumerate(numbers.tolist())]
    (tmp_path / "a.csv").write_text("\n".join(["i,x,word", *lines]))
    path = tmp_path / "a.csv"
    made = [
        joined(data.from_csv(path, dtypes={"word": "str"}, reader=name).read_batches(999))
        for name in ("csv", "pyarrow")
    ]
    assert same(*made)
    np.testing.assert_array_equal(made[0]["x"], numbers)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    whole = idx(path, ARRAYS["x"], 13).read_bytes()
    for content in (b"", whole[:3], whole[:9], whole[:-1], whole + b"\0", b"\0\1" + whole[2:]):
        path.write_bytes(content)
        assert "ParseError[E0770]" in refused(lambda: data.from_idx({"x": path}))
    packed = tmp_path / "x.gz"
    for content in (b"text", gzip.compress(whole)[:-9]):
        packed.write_bytes(content)
        assert "ParseError[E0770]" in refused(lambda: data.from_idx({"x": packed}))
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    (tmp_path / "t.npy").write_bytes(b"text")
    for name in ("o.npy", "t.npy"):
        assert "ParseError[E0770]" in refused(
            lambda name=name: data.from_npy({"x": tmp_path / name})
        )
