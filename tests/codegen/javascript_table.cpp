// The table of ops in JavaScript: rows of each op and their gradients, in Node.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "codegen/web/write_javascript.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/codegen/check_models.hpp"
#include "tests/environment.hpp"
#include "tests/results.hpp"
#include "tests/skip.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/group_ops.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/row_graph.hpp"
#include "tests/table/sample_rows.hpp"

namespace mithril::tests {
namespace {

using Json = nlohmann::json;

// Elements as text where JSON has no number.
Json elements_of(const Tensor& tensor) {
  Json elements = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double element = tensor.at_as_double(i);
    if (std::isfinite(element)) {
      elements.push_back(element);
    } else {
      elements.push_back(std::isnan(element) ? "NaN" : element < 0 ? "-Infinity" : "Infinity");
    }
  }
  return elements;
}

// Returns whether doubles represent the 64-bit ints exactly.
bool is_exact(const std::vector<Tensor>& tensors) {
  constexpr double limit = 9007199254740992.0;  // 2^53
  for (const Tensor& tensor : tensors) {
    for (std::int64_t i = 0; i < tensor.size() && tensor.dtype() == DType::int64; ++i) {
      if (std::abs(tensor.at_as_double(i)) > limit) return false;
    }
  }
  return true;
}

class JavaScriptTable {
 public:
  void add_row(const OpDef& op, const OpCase& row) {
    if (makes_values(op, row)) return;
    const RowGraph built = build(op, row);
    if (!is_comparable(built.graph)) return;
    const ModelCheck check = model_check(op.name + ", " + row.name, built.graph,
                                         generate(built.tensors, 1), float_inputs(built, row.hold));
    if (!is_exact(check.forward.inputs) || !is_exact(check.forward.expected)) return;
    try {
      const std::string source = javascript_source(check.model, "row");
      write_text(folder_.path(std::to_string(cases_.size()) + ".mjs"), source);
      cases_.push_back(case_of(check));
    } catch (const Error& error) {
      const std::string text = error.what();
      if (text.find("E1032") != std::string::npos) return;  // JavaScript lacks a dtype of the row
      refused_.insert(op.name);
      CHECK(text.find("E1031") != std::string::npos);
    }
  }

  void run() const {
    write_text(folder_.path("cases.json"), cases_.dump());
    const Ended ended = run_command(
        fmt::format("node '{}' '{}'", std::filesystem::absolute("tests/web/run_table.mjs").string(),
                    folder_.path()));
    CHECK_MESSAGE(ended.well, ended.printed);
    table_results.passed += ended.well ? cases_.size() : 0;
  }

  const std::set<std::string>& refused() const { return refused_; }
  std::size_t size() const { return cases_.size(); }

 private:
  static Json case_of(const ModelCheck& check) {
    Json made{{"what", check.forward.what}, {"tolerance", check.forward.tolerance}};
    const ExportedModel& model = check.model;
    for (const char* key : {"data", "params", "outputs", "seeds", "gradients"})
      made[key] = Json::object();
    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
      const bool is_data = model.inputs[i].role == ExportedInput::Role::data;
      made[is_data ? "data" : "params"][model.inputs[i].key] = elements_of(check.forward.inputs[i]);
    }
    for (std::size_t i = 0; i < model.outputs.size(); ++i)
      made["outputs"][model.outputs[i].key] = elements_of(check.forward.expected[i]);
    if (!check.backward) return made;
    for (std::size_t i = 0; i < model.gradient_of.size(); ++i) {
      made["seeds"][model.outputs[model.gradient_of[i]].key] =
          elements_of(check.backward->inputs[model.inputs.size() + i]);
    }
    std::size_t next = model.outputs.size();
    for (const ExportedInput& input : model.inputs) {
      if (input.role == ExportedInput::Role::parameter)
        made["gradients"][input.key] = elements_of(check.backward->expected[next++]);
    }
    return made;
  }

  TemporaryFolder folder_{"mithril-javascript-"};
  Json cases_ = Json::array();
  std::set<std::string> refused_;
};

}  // namespace

TEST_CASE("two kernels of JavaScript, which a module joins, define no name twice") {
  std::map<std::string, std::string> files;  // by name
  const std::regex definition("^(?:export )?(?:function|class|const|let) (\\w+)");
  for (const auto& entry : std::filesystem::directory_iterator("codegen/javascript/kernels")) {
    const std::string file = entry.path().filename();
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);) {
      std::smatch found;
      if (!std::regex_search(line, found, definition)) continue;
      const auto placed = files.emplace(found[1], file);  // clang 14: no binding in a lambda
      CHECK_MESSAGE(placed.second, found[1] << " in " << file << ", " << placed.first->second);
    }
  }
  CHECK(files.size() > 100);
}

TEST_CASE("generated JavaScript gives the results of rows of each op") {
  if (!run_command("command -v node").well) return skip("node is not installed");
  JavaScriptTable table;
  for (const OpCases& cases : all_op_cases()) {
    if (is_op_of_groups(cases.op)) continue;
    const std::vector<OpCase> rows = cases.rows();
    for (const OpCase& row : sample_rows(rows, sampled((rows.size() + 5) / 6, rows.size()))) {
      if (row.error.empty()) table.add_row(find_op(cases.op), row);
    }
  }
  CHECK(fmt::format("{}", fmt::join(table.refused(), " ")) == "");
  CHECK(table.size() > sampled(350, 1000));
  table.run();
}

}  // namespace mithril::tests
