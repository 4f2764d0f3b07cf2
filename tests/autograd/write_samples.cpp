// Writes what tests/autograd/compare gives to torch's own autograd: the rows of the table as
// TorchScript, and samples of them with the gradients that Mithril's graph gives on torch.
//
// Usage: mithril_autograd_samples DIRECTORY SEEDS VARIANTS: SEEDS samples of each row, and one of
// the row in each of VARIANTS other sizes; makes DIRECTORY/samples.json and the scripts beside it.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "backends/torch/torch.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/table/derivative.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/resized.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

using Json = nlohmann::json;

Json json_of(const Tensor& tensor) {
  Json elements = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) elements.push_back(tensor.at_as_double(i));
  return {{"dtype", std::string(name(tensor.dtype()))},
          {"dims", tensor.dims()},
          {"elements", std::move(elements)}};
}

Json json_of(const std::vector<Tensor>& tensors) {
  Json list = Json::array();
  for (const Tensor& tensor : tensors) list.push_back(json_of(tensor.host()));
  return list;
}

void save_script(Backend& backend, const RowGraph& built, const std::string& path) {
  const Graph& graph = built.graph;
  std::vector<SavedInput> inputs;
  for (std::size_t i = 0; i < built.tensors.size(); ++i) {
    inputs.push_back({.key = graph.value(graph.inputs()[i]).name, .dims = built.tensors[i].dims});
  }
  std::vector<SavedOutput> outputs;
  for (const Output& output : graph.outputs()) outputs.push_back({output.name, outputs.size()});
  backend.load(graph, {})->save_torchscript(path, inputs, outputs);
}

class Writer {
 public:
  // `seeds` of the row as it stands; `variants` of the row in other sizes, one seed each.
  Writer(std::filesystem::path directory, std::uint64_t seeds, std::uint64_t variants)
      : directory_(std::move(directory)), seeds_(seeds), variants_(variants) {}

  void write_op(const OpDef& op, const std::vector<OpCase>& rows) {
    if (!op.grad && !op.expand) return;
    const std::size_t before = rows_.size();
    for (const OpCase& row : rows) {
      if (!row.error.empty() || makes_values(op, row)) continue;
      write_row(op, row, row.name, 1, seeds_);
      for (std::uint64_t variant = 1; variant <= variants_; ++variant) {
        const std::optional<OpCase> other = resized(row, variant);
        if (!other || !is_accepted(op, *other)) continue;
        const std::string what = fmt::format("{}, in sizes {}", row.name, sizes_text(*other));
        write_row(op, *other, what, seeds_ + variant, 1);
      }
    }
    if (op.grad || rows_.size() > before) ops_.push_back(op.name);
  }

  void finish() const {
    std::ofstream(directory_ / "samples.json") << Json{{"ops", ops_}, {"rows", rows_}};
  }

 private:
  void write_row(const OpDef& op, const OpCase& row, const std::string& what,
                 std::uint64_t first_seed, std::uint64_t count) {
    const RowGraph built = build(op, row);
    const std::vector<std::string> outputs = float_outputs(built.graph);
    const std::vector<std::string> wanted = float_inputs(built, row.hold);
    if (outputs.empty() || wanted.empty()) return;
    const Derivative derivative(built.graph, outputs, wanted);
    Json written = {
        {"op", op.name},      {"row", what},      {"inputs", names_of_inputs(built.graph)},
        {"outputs", outputs}, {"wanted", wanted}, {"script", fmt::format("{}.pt", rows_.size())}};
    try {
      save_script(*backend_, built, directory_ / written["script"].get<std::string>());
      written["samples"] = samples(derivative, built, first_seed, count);
    } catch (const Error& error) {
      const bool refused = error.code() == "E1012";  // zeros, which scripts are written with
      if (!refused && error.code() != "E1023") throw;
      written["lacking"] = error.what();
    }
    rows_.push_back(std::move(written));
  }

  static Json names_of_inputs(const Graph& graph) {
    Json names = Json::array();
    for (const ValueId id : graph.inputs()) names.push_back(graph.value(id).name);
    return names;
  }

  Json samples(const Derivative& derivative, const RowGraph& built, std::uint64_t first_seed,
               std::uint64_t count) {
    const auto executable = backend_->load(run_passes(derivative.backward()), {});
    Json list = Json::array();
    for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
      const Derivative::Sample sample = derivative.sample(generate(built.tensors, seed), seed);
      if (!sample.finite) continue;
      std::vector<Tensor> gradients = executable->run(sample.all_inputs());
      const std::size_t others = gradients.size() - derivative.wanted().size();
      gradients.erase(gradients.begin(), gradients.begin() + static_cast<std::ptrdiff_t>(others));
      list.push_back({{"seed", seed},
                      {"inputs", json_of(sample.inputs)},
                      {"incoming", json_of(sample.incoming)},
                      {"gradients", json_of(gradients)}});
    }
    return list;
  }

  const std::filesystem::path directory_;
  const std::uint64_t seeds_, variants_;
  const std::shared_ptr<Backend> backend_ = torch({.dtype = DType::float64});
  Json ops_ = Json::array();  // the differentiable ones, whether or not a row has gradients
  Json rows_ = Json::array();
};

}  // namespace
}  // namespace mithril::tests

int main(int argument_count, char** arguments) {
  using namespace mithril;
  if (argument_count != 4)
    throw std::invalid_argument("usage: mithril_autograd_samples DIRECTORY SEEDS VARIANTS");
  tests::Writer writer(arguments[1], std::stoull(arguments[2]), std::stoull(arguments[3]));
  for (const tests::OpCases& cases : tests::all_op_cases()) {
    writer.write_op(find_op(cases.op), cases.rows());
  }
  writer.finish();
}
