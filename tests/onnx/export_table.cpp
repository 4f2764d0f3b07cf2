// Each row of the op table that ONNX can express is written, read back, and has equal results.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mithril/base/error.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/environment.hpp"
#include "tests/onnx/exported.hpp"
#include "tests/serialization/files.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/group_ops.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/row_graph.hpp"
#include "tests/table/sample_rows.hpp"

namespace mithril::tests {
namespace {

// Files are read for a backend of float64, which rounds other floats differently.
bool is_of_doubles(const Graph& graph) {
  return std::all_of(graph.values().begin(), graph.values().end(), [](const Value& value) {
    return !is_floating(value.dtype) || value.dtype == DType::float64;
  });
}

class ExportTable {
 public:
  void add(const OpDef& op, const OpCase& row, check::Knowledge knowledge, std::int64_t opset) {
    const RowGraph built = build(op, row, knowledge);
    const std::vector<Tensor> inputs = generate(built.tensors, 1);
    std::vector<Tensor> expected;
    try {
      expected = interpret(built.graph, inputs);
    } catch (const Error&) {
      return;  // the reference refuses the elements
    }
    const Graph graph = run_passes(built.graph);
    OnnxExport made;
    try {
      made = exported_to_onnx(graph, opset);
    } catch (const std::exception& error) {
      FAIL_CHECK(op.name << ", " << row.name << ": " << std::string(error.what()));
      return;
    }
    if (!made.problems.empty() || !is_of_doubles(graph)) return;
    const std::string what =
        fmt::format("{}, {}, opset {}, {}", op.name, row.name, opset, check::name(knowledge));
    ops_.insert(op.name);
    ++rows_;
    constexpr double tolerance = 1e-11;  // floats of attributes have 32 bits
    try {
      const std::vector<Tensor> got =
          results_of_onnx(folder_.write("row.onnx", made.bytes), graph, inputs);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::string apart = difference(got[i], expected[i], tolerance);
        CHECK_MESSAGE(apart.empty(), what << ": " << apart);
      }
    } catch (const Error& error) {
      // The import needs numbers where ONNX reads sizes.
      if (knowledge != check::Knowledge::numbers && error.code() == "E1311") return;
      FAIL_CHECK(what << ": " << std::string(error.what()));
    }
  }

  const std::set<std::string>& ops() const { return ops_; }
  std::size_t rows() const { return rows_; }

 private:
  FileFolder folder_;
  std::set<std::string> ops_;
  std::size_t rows_ = 0;
};

// A share of the rows of each op, at least one of each of its dtypes; all in `make test-all`.
void add_rows(ExportTable& table, check::Knowledge knowledge, std::int64_t opset,
              std::size_t share) {
  for (const OpCases& cases : all_op_cases()) {
    const OpDef& op = find_op(cases.op);
    if (is_op_of_groups(op.name) || is_op_of_loops(op.name) || is_op_of_vmap(op.name)) continue;
    const std::vector<OpCase> rows = cases.rows();
    const std::size_t all = rows.size();
    for (const OpCase& row : sample_rows(rows, sampled((all + share - 1) / share, all))) {
      // ONNX does not say which place a window of padding has.
      if (op.name == "max_pool2d" && (row.name == "a window of padding alone" ||
                                      row.name == "planes without elements, padded"))
        continue;
      if (!row.error.empty() || makes_values(op, row)) continue;
      if (knowledge != check::Knowledge::numbers && !row.sizes_unknown.empty()) continue;
      table.add(op, row, knowledge, opset);
    }
  }
}

}  // namespace

TEST_CASE("onnx export: rows of the op table are read back with equal results") {
  ExportTable table;
  add_rows(table, check::Knowledge::numbers, 20, 3);
  CHECK(table.ops().size() > sampled(100, 130));
  CHECK(table.rows() > sampled(300, 800));
}

TEST_CASE("onnx export: rows of symbolic sizes are read back with equal results") {
  ExportTable table;
  add_rows(table, check::Knowledge::shared_symbols, 20, 5);
  CHECK(table.ops().size() > sampled(100, 130));
}

TEST_CASE("onnx export: rows are read back with equal results from the oldest opset") {
  ExportTable table;
  add_rows(table, check::Knowledge::numbers, 13, 5);
  CHECK(table.ops().size() > sampled(100, 120));
}

}  // namespace mithril::tests
