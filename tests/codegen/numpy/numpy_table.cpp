// The target of docs/add-a-target.md: its text for a small model, and the table of ops.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/codegen/check_models.hpp"
#include "tests/codegen/numpy/numpy_target.hpp"
#include "tests/compile/cache_folder.hpp"
#include "tests/results.hpp"
#include "tests/skip.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

using Json = nlohmann::json;

// Elements as text, because JSON has no infinity.
Json tensor_json(const Tensor& tensor) {
  Json elements = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    elements.push_back(tensor.dtype() == DType::int64
                           ? fmt::format("{}", tensor.data<std::int64_t>()[i])
                           : fmt::format("{}", tensor.at_as_double(i)));
  }
  return {{"dtype", std::string(name(tensor.dtype()))},
          {"dims", tensor.dims()},
          {"elements", std::move(elements)}};
}

class NumpyTable {
 public:
  void add_row(const OpDef& op, const OpCase& row) {
    if (makes_values(op, row)) return;
    const RowGraph built = build(op, row);
    if (!is_comparable(built.graph)) return;
    const ModelCheck check =
        model_check(op.name + ", " + row.name, built.graph, generate(built.tensors, 1), {});
    try {
      const std::string source = numpy_source(check.model, "row");
      write_text(folder_.path(std::to_string(cases_.size()) + ".py"), source);
    } catch (const Error& error) {
      // E1032: a dtype of the row that the target lacks.
      const std::string text = error.what();
      CHECK((text.find("E1031") != std::string::npos || text.find("E1032") != std::string::npos));
      return;
    }
    ops_.insert(op.name);
    Json made{{"what", check.forward.what},
              {"tolerance", check.forward.tolerance},
              {"inputs", Json::object()},
              {"outputs", Json::object()}};
    for (std::size_t i = 0; i < check.model.inputs.size(); ++i)
      made["inputs"][check.model.inputs[i].key] = tensor_json(check.forward.inputs[i]);
    for (std::size_t i = 0; i < check.model.outputs.size(); ++i)
      made["outputs"][check.model.outputs[i].key] = tensor_json(check.forward.expected[i]);
    cases_.push_back(std::move(made));
  }

  void run(const std::string& python) const {
    write_text(folder_.path("cases.json"), cases_.dump());
    const Ended ended =
        run_command(python + " tests/codegen/numpy/run_table.py '" + folder_.path() + "'");
    CHECK_MESSAGE(ended.well, ended.printed);
    table_results.passed += ended.well ? cases_.size() : 0;
  }

  const std::set<std::string>& ops() const { return ops_; }
  std::size_t size() const { return cases_.size(); }

 private:
  TemporaryFolder folder_{"mithril-numpy-"};
  Json cases_ = Json::array();
  std::set<std::string> ops_;
};

// A Python with NumPy: that of the project, or the one of the system. Empty: none.
std::string python_with_numpy() {
  for (const char* python : {".venv/bin/python", "python3"}) {
    if (run_command(std::string(python) + " -c 'import numpy'").well) return python;
  }
  return {};
}

}  // namespace

TEST_CASE("the NumPy target gives the results of every row of the op table that it spells") {
  const std::string python = python_with_numpy();
  if (python.empty()) return skip("numpy is not installed");
  NumpyTable table;
  for (const OpCases& cases : all_op_cases()) {
    for (const OpCase& row : cases.rows()) {
      if (row.error.empty()) table.add_row(find_op(cases.op), row);
    }
  }
  for (const char* op : {"add", "concat", "linear", "matmul", "mean", "softmax", "where"})
    CHECK_MESSAGE(table.ops().contains(op), op);
  CHECK(table.ops().size() > 60);
  CHECK(table.size() > 400);
  table.run(python);
}

TEST_CASE("the NumPy target writes the module of docs/add-a-target.md") {
  Model model;
  model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "hidden"}});
  model |= Gelu()({{"input", "hidden"}, {"output", "active"}});
  model |= Linear({.dimension = 1})({{"input", "active"}, {"output", "y"}});
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {2, 3}}}, .discard_keys = {"hidden", "active"}});
  const std::string source = numpy_source(compiled.exported(), "network");
  CHECK_MESSAGE(source == contents("tests/codegen/numpy/network.py"), source);
}

}  // namespace mithril::tests
