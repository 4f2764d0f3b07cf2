"""No public name vanishes: tests/api has the names of Python, C++ and C, and tools/make_api writes
it. That it is up to date is a test of test_documents.py."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).parents[3] / "tools"
HEADER = """
// class Comment {};
#define MACRO { (
namespace mithril {
class Later;
enum class Mode { fast = 1, exact };
template <class T, class = std::enable_if_t<(sizeof(T) > 1)>>
class Box : public Base<T> {
 public:
  explicit Box(int a) : a_(a), b_{2} {}
  int size() const { return a_; }
  bool operator==(const Box& other) const;
  using Value = T;
  int count = 0;
  std::vector<std::pair<int, int>> pairs{{1, 2}};
  struct Options {
    float lr = 0.1f;
  };

 protected:
  void hidden();

 private:
  int a_ = 0;
};
void free_function(const Box<int>& box, Mode mode = Mode::fast);
inline constexpr double pi = 3.14;
namespace detail {
int helper();
}
}  // namespace mithril
"""
NAMES = """Mode Mode::fast Mode::exact Box Box::Box Box::size Box::operator== Box::Value Box::count
Box::pairs Box::Options Box::Options::lr free_function pi"""


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = SourceFileLoader("make_api", str(TOOLS / "make_api"))
    spec = spec_from_loader("make_api", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_public_names_of_a_header(tool: ModuleType) -> None:
    assert tool.names_of(HEADER) == {f"mithril::{name}" for name in NAMES.split()}


def test_names_and_parameters_that_vanish_are_reported(tool: ModuleType) -> None:
    old = {"m.fit(step, data, *, epochs=)", "m.save(path)", "m.Old", "m.Kept"}
    new = {"m.fit(step, data, *, epochs=, seed=)", "m.save(file)", "m.Kept", "m.New"}
    assert list(tool.vanished(old, new)) == ["m.Old", "the parameter path of m.save"]


def test_a_check_says_how_to_deprecate(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(tool, "FOLDER", tmp_path)
    monkeypatch.setattr(tool, "cpp_names", lambda: {"mithril::relu"})
    monkeypatch.setattr(tool, "c_names", lambda: {"mithril_run"})
    monkeypatch.setattr(tool, "python_names", lambda: {"mithril.fit(step)"})
    monkeypatch.setattr(sys, "argv", ["make_api"])
    assert tool.main() == 0
    monkeypatch.setattr(sys, "argv", ["make_api", "--check"])
    assert tool.main() == 0
    monkeypatch.setattr(tool, "python_names", lambda: {"mithril.train(step)"})
    assert tool.main() == 1
    printed = capsys.readouterr().out
    assert "python.txt: mithril.fit is gone" in printed
    assert "docs/versions.md" in printed
    monkeypatch.setattr(tool, "python_names", lambda: {"mithril.fit(step)", "mithril.train(step)"})
    assert tool.main() == 1
    assert "run tools/make_api. New or changed: ['mithril.train(step)']" in capsys.readouterr().out
