// The test that `mithril verify --reduce` writes.
#pragma once

#include <cstddef>
#include <string>

namespace mithril {

struct ReducedTest {
  std::string backend, reference;  // names
  std::string path, op;            // of the value that differs
  std::size_t nodes = 0;           // of model.json
  std::string backends;            // in Python: "ml.CpuBackend(reference=True), ml.CpuBackend()"
  std::string tolerance;           // in Python
};

// A name as a part of a string between double quotes.
inline std::string quoted_part(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

// A test for pytest, which lies beside model.json and data.safetensors.
inline std::string text_of(const ReducedTest& test) {
  return R"(""")" + test.backend + " differs from " + test.reference + " at " +
         quoted_part(test.path) + ", the result of " + quoted_part(test.op) + "; " +
         std::to_string(test.nodes) + R"( of its nodes.

Written by `mithril verify --reduce`: model.json is the smallest model that failed, and
data.safetensors has its inputs.
"""

from pathlib import Path

import mithril as ml

HERE = Path(__file__).parent


def test_backends_agree() -> None:
    model = ml.Model.from_json((HERE / "model.json").read_text(encoding="utf-8"))
    data = ml.load_safetensors(HERE / "data.safetensors")
    backends = [)" +
         test.backends + R"(]
    found = ml.compare(model, backends, {}, data, tolerance=)" +
         test.tolerance + R"(, data_keys=list(data))
    assert found.agrees, found
)";
}

}  // namespace mithril
