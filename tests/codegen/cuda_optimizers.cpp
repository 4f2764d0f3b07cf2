// The steps of optimizers as CUDA kernels for many tensors: their text, and their results on the
// CPU against the loops of the optimizers.
//
// After an intended change, run MITHRIL_WRITE_KERNELS=1 mithril_tests -tc="the text of CUDA*"
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "codegen/cuda/batch.hpp"
#include "codegen/cuda/kernel.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/optim/update_rule.hpp"
#include "tests/codegen/kernel_files.hpp"
#include "tests/cuda_on_cpu.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

constexpr std::int64_t tensor_sizes[] = {1, 2, 31, 32, 33, 127, 1024, 1025, 8192, 20000};

struct OptimizerCase {
  std::string name;
  std::shared_ptr<Optimizer> optimizer;  // shared by copies of the list
  DType dtype;
};

std::vector<OptimizerCase> optimizer_cases() {
  const auto adam = [](AdamOptions options) { return std::make_shared<Adam>(options); };
  const auto adam_w = [](AdamWOptions options) { return std::make_shared<AdamW>(options); };
  const auto sgd = [](SGDOptions options) { return std::make_shared<SGD>(options); };
  const auto rmsprop = [](RMSpropOptions options) { return std::make_shared<RMSprop>(options); };
  return {
      {"adam", adam({.lr = 0.1}), DType::float32},
      {"adam_half", adam({.lr = 0.1, .weight_decay = 0.01}), DType::float16},
      {"adam_w", adam_w({.lr = 0.1}), DType::float32},
      {"adam_w_double", adam_w({.lr = 0.1}), DType::float64},
      {"adam_w_bfloat", adam_w({.lr = 0.1}), DType::bfloat16},
      {"sgd", sgd({.lr = 0.1, .weight_decay = 0.01}), DType::float32},
      {"sgd_momentum", sgd({.lr = 0.1, .momentum = 0.9}), DType::float32},
      {"sgd_nesterov", sgd({.lr = 0.1, .momentum = 0.9, .nesterov = true}), DType::float32},
      {"nadam", std::make_shared<NAdam>(), DType::float32},
      {"rmsprop", rmsprop({.momentum = 0.9, .centered = true}), DType::float32},
      {"adagrad", std::make_shared<Adagrad>(), DType::float32},
      {"lion", std::make_shared<Lion>(LionOptions{.weight_decay = 0.1}), DType::float32},
  };
}

// The step of a parameter, as mithril/compile/training_graph.cpp adds it.
struct StepGraph {
  Graph graph;
  CudaKernel kernel;
  std::vector<std::string> inputs;  // what those of the kernel are: "param", "slot 0"
};

StepGraph step_graph(const OptimizerCase& at) {
  StepGraph made;
  Graph& graph = made.graph;
  const std::string scope = "step";
  const DType state = opmath_dtype(at.dtype);
  std::map<ValueId, std::string> names;
  const auto input = [&](const std::string& name, std::vector<Dim> dims, DType dtype) {
    const ValueId id = graph.add_input({.name = name, .dims = std::move(dims), .dtype = dtype});
    names[id] = name;
    return Expression{&graph, id, &scope};
  };
  const auto cast = [](const Expression& value, DType dtype) {
    return value.dtype() == dtype ? value : call("cast", {value, Datum(dtype)});
  };
  const StepRates rates = at.optimizer->rates({});
  ParameterUpdate<Expression> update{.param = cast(input("param", {Dim(7)}, at.dtype), state),
                                     .gradient = cast(input("gradient", {Dim(7)}, at.dtype), state),
                                     .slots = {},
                                     .step_scalars = {},
                                     .weight_decay = rates.weight_decay};
  for (std::size_t i = 0; i < at.optimizer->step_scalars(1, rates).size(); ++i)
    update.step_scalars.push_back(input("number " + std::to_string(i), {}, state));
  for (std::size_t i = 0; i < at.optimizer->slots().size(); ++i)
    update.slots.push_back(input("slot " + std::to_string(i), {Dim(7)}, state));
  at.optimizer->add_to_graph(update);
  graph.add_output("param.next", cast(update.param, at.dtype).id);
  for (std::size_t i = 0; i < update.slots.size(); ++i)
    graph.add_output("slot " + std::to_string(i), update.slots[i].id);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    inputs.push_back(
        placeholder(graph.value(id).dtype, graph.value(id).dims.empty() ? Dims{} : Dims{7}));
  }
  const Plan plan = make_plan(graph, SizeSources(graph), inputs);
  std::vector<std::size_t> nodes(plan.nodes.size());
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  std::vector<ValueId> kept;
  for (const Output& output : graph.outputs()) kept.push_back(output.value);
  auto kernel = cuda_batch_kernel(graph, plan, nodes, kept, at.name);
  REQUIRE(kernel);
  made.kernel = *std::move(kernel);
  for (const ValueId id : made.kernel.inputs) made.inputs.push_back(names.at(id));
  return made;
}

// A parameter, its gradient, and the state of its optimizer, which a kernel changes.
struct Updated {
  Tensor param, gradient;
  std::vector<Tensor> slots, numbers;

  const Tensor& input(const std::string& name) const {
    if (name == "param") return param;
    if (name == "gradient") return gradient;
    const auto at = static_cast<std::size_t>(name.back() - '0');
    return name.starts_with("slot") ? slots[at] : numbers[at];
  }
};

void step_by_kernel(const CudaOnCpu& cpu, const OptimizerCase& at, const StepGraph& step,
                    std::vector<Updated>& all) {
  std::vector<std::int64_t> steps;
  for (const std::string& name : step.inputs) steps.push_back(!name.starts_with("number"));
  std::vector<std::vector<Tensor>> results;
  std::vector<std::vector<const void*>> pointers;
  for (const Updated& each : all) {
    std::vector<const void*>& own = pointers.emplace_back();
    for (const std::string& name : step.inputs) own.push_back(each.input(name).raw_data());
    std::vector<Tensor>& made = results.emplace_back();
    made.emplace_back(each.param.dtype(), each.param.dims());
    for (const Tensor& slot : each.slots) made.emplace_back(slot.dtype(), slot.dims());
    for (Tensor& result : made) own.push_back(result.mutable_raw_data());
  }
  for (const bool lanes : {false, true}) {
    std::vector<CudaBatchItem> items;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t count = all[i].param.size();
      if ((count % cuda_lanes == 0) == lanes) items.push_back({count, pointers[i]});
    }
    for (CudaBatch& batch : cuda_batches(items, steps)) {
      void* argument = &batch;
      const CudaGrid grid{.blocks = batch.grid().blocks, .threads = 3};
      cpu.launch(at.name + (lanes ? "_lanes" : ""), grid, &argument);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].param = results[i][0];
    for (std::size_t k = 0; k < all[i].slots.size(); ++k) all[i].slots[k] = results[i][k + 1];
  }
}

std::map<std::string, std::string> texts_of_optimizers() {
  std::map<std::string, std::string> texts;
  for (const OptimizerCase& at : optimizer_cases()) texts[at.name] = step_graph(at).kernel.text;
  return texts;
}

double step_tolerance(DType dtype) {
  if (dtype == DType::float64) return 1e-13;
  if (dtype == DType::float32) return 1e-6;
  return dtype == DType::float16 ? 1e-3 : 8e-3;
}

}  // namespace

TEST_CASE("the text of CUDA kernels for optimizers is the one of their files") {
  check_kernel_files("tests/codegen/cuda_optimizer_kernels", texts_of_optimizers(), {"adam"});
}

TEST_CASE("CUDA kernels of optimizers, run on the CPU, move parameters as their loops do") {
  std::vector<std::string> names;
  for (const OptimizerCase& at : optimizer_cases()) {
    names.push_back(at.name);
    names.push_back(at.name + "_lanes");
  }
  std::string text;
  for (const auto& [name, kernel] : texts_of_optimizers()) text += kernel + "\n";
  const CudaOnCpu cpu(text, names);
  for (const OptimizerCase& at : optimizer_cases()) {
    CAPTURE(at.name);
    const StepGraph step = step_graph(at);
    Random random(1);
    std::vector<Updated> all;
    std::vector<TensorMap::Item> params;
    for (const std::int64_t size : tensor_sizes) {
      Updated& each = all.emplace_back();
      each.param = random_direction({size}, random).to(at.dtype);
      params.emplace_back(std::to_string(size), each.param.copy());
      for (std::size_t i = 0; i < at.optimizer->slots().size(); ++i)
        each.slots.push_back(
            Tensor::full(opmath_dtype(at.dtype), {size}, at.optimizer->slots()[i].start));
    }
    TensorMap expected(std::move(params));
    for (int taken = 1; taken <= 3; ++taken) {
      std::vector<TensorMap::Item> gradients;
      for (Updated& each : all) {
        each.gradient = random_direction(each.param.dims(), random).to(at.dtype);
        gradients.emplace_back(std::to_string(each.param.size()), each.gradient);
        each.numbers.clear();
        for (const double number : at.optimizer->step_scalars(taken, at.optimizer->rates({})))
          each.numbers.push_back(Tensor::full(opmath_dtype(at.dtype), {}, number));
      }
      step_by_kernel(cpu, at, step, all);
      at.optimizer->step(expected, TensorMap(std::move(gradients)));
    }
    for (const Updated& each : all) {
      const Tensor& param = *expected.find(std::to_string(each.param.size()));
      CHECK(difference(each.param, param, step_tolerance(at.dtype)) == "");
    }
  }
}

}  // namespace mithril::tests
