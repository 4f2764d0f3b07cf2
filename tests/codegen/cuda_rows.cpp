// CUDA kernels that reduce rows: their text, and their results on the CPU against the reference.
//
// After an intended change, run MITHRIL_WRITE_KERNELS=1 mithril_tests -tc="the text of CUDA*"
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "codegen/cuda/batch.hpp"
#include "codegen/cuda/kernel.hpp"
#include "codegen/cuda/layout.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/expression.hpp"
#include "mithril/op/registry.hpp"
#include "tests/codegen/kernel_files.hpp"
#include "tests/cuda_on_cpu.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

constexpr std::int64_t widths[] = {1, 2, 31, 32, 33, 127, 1024, 1025};

// A graph of nodes over rows, all of which are in one kernel.
class RowModel {
 public:
  explicit RowModel(DType dtype) : dtype(dtype) {}

  ValueId input(const char* name, const Dims& dims) {
    return graph.add_input({.name = name, .dims = {dims.begin(), dims.end()}, .dtype = dtype});
  }
  ValueId add(const char* op, std::vector<Argument> arguments) {
    return all(op, std::move(arguments)).front();
  }
  std::vector<ValueId> all(const char* op, std::vector<Argument> arguments) {
    return graph.add(find_op(op), std::move(arguments), op + std::to_string(graph.nodes().size()));
  }
  void output(ValueId id) { graph.add_output("y" + std::to_string(graph.outputs().size()), id); }

  Graph graph;
  const DType dtype;
};

using WriteModel = void (*)(RowModel& m, std::int64_t width);

void softmax_of_masked_scores(RowModel& m, std::int64_t width) {
  const ValueId scores = m.input("scores", {2, 2, 3, width}),
                mask = m.input("mask", {2, 1, 1, width});
  const ValueId scaled = m.add("multiply", {scores, Datum(0.125)});
  m.output(m.add("softmax", {m.add("add", {scaled, mask}), Datum(-1)}));
}

void layer_norm_of_residual(RowModel& m, std::int64_t width) {
  const ValueId x = m.input("x", {5, width}), residual = m.input("residual", {5, width});
  const ValueId weight = m.input("weight", {width}), bias = m.input("bias", {width});
  const ValueId sum = m.add("add", {x, residual});
  m.output(sum);
  for (const ValueId id : m.all("layer_norm", {sum, weight, bias, Datum(1e-5)})) m.output(id);
}

void plain_layer_norm(RowModel& m, std::int64_t width) {
  const ValueId x = m.input("x", {5, width});
  const ValueId normal =
      m.all("layer_norm", {x, Datum(None{}), Datum(None{}), Datum(1e-5)}).front();
  m.output(m.add("relu", {normal}));
}

void rms_norm(RowModel& m, std::int64_t width) {
  const ValueId x = m.input("x", {5, width}), weight = m.input("weight", {width});
  const ValueId square = m.add("multiply", {x, x});
  const ValueId mean = m.add("mean", {square, Datum(-1), Datum(true)});
  const ValueId root = m.add("sqrt", {m.add("add", {mean, Datum(1e-6)})});
  m.output(m.add("multiply", {m.add("divide", {x, root}), weight}));
}

void gradient_of_softmax(RowModel& m, std::int64_t width) {
  const ValueId grad = m.input("grad", {5, width}), result = m.input("result", {5, width});
  m.output(m.add("multiply", {m.add("softmax_grad", {grad, result, Datum(1)}), Datum(0.5)}));
}

void entropy(RowModel& m, std::int64_t width) {
  const ValueId x = m.input("x", {5, width});
  const ValueId log = m.add("log_softmax", {x, Datum(-1)});
  const ValueId product = m.add("multiply", {m.add("exp", {log}), log});
  m.output(m.add("sum", {product, Datum(-1), Datum(false)}));
}

// An elementwise node and a second reduction use a number of each row.
void standardised(RowModel& m, std::int64_t width) {
  const ValueId x = m.input("x", {5, width}), shift = m.input("shift", {5, 1});
  const ValueId variance = m.add("variance", {x, Datum(-1), Datum(true), Datum(0.0)});
  const ValueId spread = m.add("add", {variance, shift});
  const ValueId scaled = m.add("multiply", {x, spread});
  m.output(spread);
  m.output(m.add("subtract", {scaled, m.add("mean", {scaled, Datum(-1), Datum(true)})}));
}

void softmax_of_numbers(RowModel& m, std::int64_t width) {
  const Datum shape(std::vector<Datum>{Datum(5), Datum(width)});
  m.output(m.add("softmax", {m.add("full", {shape, Datum(0.5), Datum(m.dtype)}), Datum(-1)}));
}

const std::map<std::string, WriteModel>& row_models() {
  static const std::map<std::string, WriteModel> models = {
      {"softmax_of_masked_scores", softmax_of_masked_scores},
      {"layer_norm_of_residual", layer_norm_of_residual},
      {"plain_layer_norm", plain_layer_norm},
      {"rms_norm", rms_norm},
      {"gradient_of_softmax", gradient_of_softmax},
      {"entropy", entropy},
      {"softmax_of_numbers", softmax_of_numbers},
      {"standardised", standardised}};
  return models;
}

constexpr std::pair<DType, const char*> row_dtypes[] = {
    {DType::float32, ""}, {DType::float64, "_double"}, {DType::bfloat16, "_bfloat"}};

std::vector<Tensor> placeholders(const Graph& graph) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    Dims dims;
    for (const Dim& dim : graph.value(id).dims) dims.push_back(dim.constant());
    inputs.push_back(placeholder(graph.value(id).dtype, std::move(dims)));
  }
  return inputs;
}

CudaKernel row_kernel(const Graph& graph, const std::string& name) {
  const Plan plan = make_plan(graph, SizeSources(graph), placeholders(graph));
  std::vector<std::size_t> nodes(plan.nodes.size());
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  std::vector<ValueId> kept;
  for (const Output& output : graph.outputs()) kept.push_back(output.value);
  auto kernel = cuda_kernel(graph, plan, nodes, kept, name);
  REQUIRE(kernel);
  CHECK(kernel->reduces_rows);
  return *std::move(kernel);
}

struct RowCase {
  std::string name;  // of the kernel
  WriteModel write;
  DType dtype;
};

std::vector<RowCase> row_cases() {
  std::vector<RowCase> cases;
  for (const auto& [dtype, suffix] : row_dtypes) {
    for (const auto& [name, write] : row_models()) cases.push_back({name + suffix, write, dtype});
  }
  return cases;
}

// The kernels of all models, once for each dtype: widths do not change them, except that a number
// for each row is an element of rows of one.
std::map<std::string, std::string> texts_of_row_kernels() {
  std::map<std::string, std::string> texts;
  for (const RowCase& each : row_cases()) {
    std::string first;
    for (const std::int64_t width : widths) {
      RowModel model(each.dtype);
      each.write(model, width);
      const std::string kernel = row_kernel(model.graph, each.name).text;
      if (first.empty() && width > 1) first = kernel;
      if (width > 1) CHECK(kernel == first);
    }
    texts[each.name] = first;
  }
  return texts;
}

std::vector<std::int64_t> row_major_strides(const Dims& dims) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

// Returns nothing if `lanes` asks for four elements at a time, and the elements cannot be read so.
std::optional<std::vector<Tensor>> computed_rows(const CudaOnCpu& cpu, const std::string& name,
                                                 const Graph& graph,
                                                 const std::vector<Tensor>& given, CudaGrid grid,
                                                 bool lanes) {
  const CudaKernel kernel = row_kernel(graph, name);
  std::vector<std::vector<std::int64_t>> strides;
  std::vector<const Tensor*> read;
  for (const ValueId id : kernel.inputs) {
    const auto place = std::find(graph.inputs().begin(), graph.inputs().end(), id);
    read.push_back(&given[static_cast<std::size_t>(place - graph.inputs().begin())]);
    strides.push_back(row_major_strides(read.back()->dims()));
  }
  std::vector<CudaInput> inputs;
  std::vector<const void*> pointers;
  for (std::size_t i = 0; i < read.size(); ++i) {
    pointers.push_back(read[i]->raw_data());
    inputs.push_back({read[i]->dims(), strides[i], pointers.back(),
                      static_cast<std::int64_t>(size_of(read[i]->dtype()))});
  }
  CudaLayout layout = arrange_rows(kernel.dims, inputs).layout;
  if (lanes && !fits_lanes(layout, inputs)) return std::nullopt;
  std::vector<Tensor> outputs;
  for (const ValueId id : kernel.outputs) {
    Dims dims;
    for (const Dim& dim : graph.value(id).dims) dims.push_back(dim.constant());
    outputs.emplace_back(graph.value(id).dtype, dims);
  }
  for (Tensor& output : outputs) pointers.push_back(output.mutable_raw_data());
  std::vector<void*> arguments;
  for (const void*& pointer : pointers) arguments.push_back(&pointer);
  arguments.push_back(&layout);
  cpu.launch(name + (lanes ? "_lanes" : ""), grid, arguments.data());
  return outputs;
}

double row_tolerance(DType dtype) {
  if (dtype == DType::float64) return 1e-11;
  return dtype == DType::float32 ? 2e-5 : 2e-2;
}

// Returns how many launches read four elements at a time.
int check_rows(const CudaOnCpu& cpu, const RowCase& at, std::int64_t width) {
  CAPTURE(at.name);
  CAPTURE(width);
  RowModel model(at.dtype);
  at.write(model, width);
  std::vector<Tensor> inputs;
  Random random(1);
  for (const Tensor& each : placeholders(model.graph))
    inputs.push_back(random_direction(each.dims(), random).to(at.dtype));
  const std::vector<Tensor> expected = interpret(model.graph, inputs);
  int of_lanes = 0;
  // A warp for each of two rows, and a block of three warps for each row.
  for (const CudaGrid grid : {CudaGrid{2, 32, 2}, CudaGrid{2, 96, 1}}) {
    for (const bool lanes : {false, true}) {
      const auto made = computed_rows(cpu, at.name, model.graph, inputs, grid, lanes);
      of_lanes += lanes && made;
      for (std::size_t i = 0; made && i < made->size(); ++i)
        CHECK(difference((*made)[i], expected[i], row_tolerance(at.dtype)) == "");
    }
  }
  return of_lanes;
}

// The threads for which the compiler limits the registers of a kernel.
std::string bound_of(const std::string& text) {
  const std::string start = "void __launch_bounds__(";
  const std::size_t at = text.find(start);
  return at == std::string::npos
             ? ""
             : text.substr(at + start.size(), text.find(')', at) - at - start.size());
}

}  // namespace

TEST_CASE("CUDA kernels have registers for the largest blocks that they are launched with") {
  constexpr std::int64_t many = std::int64_t{1} << 20;
  RowModel rows(DType::float64), items(DType::float64);
  softmax_of_masked_scores(rows, 32);
  CHECK(bound_of(row_kernel(rows.graph, "rows").text) ==
        std::to_string(cuda_row_grid(1, many, 1).threads));
  const ValueId x = items.input("x", {8});
  items.output(items.add("exp", {x}));
  const Plan plan = make_plan(items.graph, SizeSources(items.graph), placeholders(items.graph));
  const std::vector<std::size_t> nodes{0};
  const std::vector<ValueId> kept{items.graph.outputs().front().value};
  const std::string threads = std::to_string(cuda_grid(many, 1).threads);
  CHECK(bound_of(cuda_kernel(items.graph, plan, nodes, kept, "items")->text) == threads);
  CHECK(bound_of(cuda_batch_kernel(items.graph, plan, nodes, kept, "batch")->text) == threads);
  CHECK(std::to_string(CudaBatch().grid().threads) == threads);
}

TEST_CASE("the text of CUDA kernels for rows is the one of their files") {
  check_kernel_files("tests/codegen/cuda_row_kernels", texts_of_row_kernels(),
                     {"layer_norm_of_residual", "softmax_of_masked_scores"});
}

TEST_CASE("CUDA kernels for rows, run on the CPU, give the results of the reference") {
  std::vector<std::string> names;
  for (const RowCase& each : row_cases()) {
    names.push_back(each.name);
    names.push_back(each.name + "_lanes");
  }
  std::string text;
  for (const auto& [name, kernel] : texts_of_row_kernels()) text += kernel + "\n";
  const CudaOnCpu cpu(text, names);
  int of_lanes = 0;
  for (const RowCase& each : row_cases()) {
    for (const std::int64_t width : widths) of_lanes += check_rows(cpu, each, width);
  }
  CHECK(of_lanes > 50);
}

}  // namespace mithril::tests
