// The operators of torch that gradients of attention are spelled with, on any device.
#include "backends/torch/attention_gradient.hpp"

#include <algorithm>

#include "backends/torch/program.hpp"
#include "mithril/eval/plan.hpp"
#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {
namespace {

using torch_backend::AttentionKernel;

// The names of the operators that a node runs, without copies to rows without gaps. They are found
// without a GPU.
std::vector<std::string> operators(AttentionKernel kernel, DType dtype, Dims query, Dims key,
                                   bool is_causal) {
  Graph graph;
  const auto input = [&](const char* name, const Dims& dims) {
    return graph.add_input({name, {dims.begin(), dims.end()}, true, dtype});
  };
  const std::vector<Argument> arguments{input("q", query), input("k", key),  input("v", key),
                                        input("g", query), Datum(is_causal), Datum(0.5)};
  for (const ValueId id :
       graph.add(torch_backend::attention_gradient(kernel), arguments, "gradient"))
    graph.add_output(graph.value(id).name, id);
  std::vector<Tensor> given;
  for (const Dims& dims : {query, key, key, query}) given.emplace_back(dtype, dims);
  const torch_backend::Target target{
      c10::Device(kernel == AttentionKernel::cpu ? "cpu" : "cuda:0")};
  const auto program =
      torch_backend::lower(graph, make_plan(graph, SizeSources(graph), given), target);
  std::vector<std::string> names;
  for (const auto& step : program.nodes.front().steps) {
    const std::string& name = step.call.op.schema().name();
    if (name != "aten::contiguous") names.push_back(name);
  }
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("gradients of attention are spelled with the kernels of each device") {
  const Dims four{2, 3, 256, 64}, three{6, 256, 64};
  const std::string base = "aten::_scaled_dot_product_";
  const auto check = [&](AttentionKernel kernel, DType dtype, const std::string& name) {
    CAPTURE(name);
    CHECK((operators(kernel, dtype, four, four, true) ==
           std::vector<std::string>{base + name, base + name + "_backward"}));
    CHECK(contains(operators(kernel, dtype, three, three, true), base + name + "_backward"));
  };
  check(AttentionKernel::cpu, DType::float32, "flash_attention_for_cpu");
  check(AttentionKernel::flash, DType::bfloat16, "flash_attention");
  check(AttentionKernel::memory_efficient, DType::float32, "efficient_attention");
}

TEST_CASE("gradients of attention are written out for sizes that a kernel refuses") {
  const auto is_written_out = [&](AttentionKernel kernel, Dims query, Dims key, bool is_causal) {
    return contains(operators(kernel, DType::float16, query, key, is_causal), "aten::softmax");
  };
  const Dims usual{2, 3, 16, 64}, odd{2, 3, 16, 63}, wide{2, 3, 16, 512}, longer{2, 3, 32, 64};
  CHECK_FALSE(is_written_out(AttentionKernel::flash, usual, longer, false));
  CHECK(is_written_out(AttentionKernel::flash, usual, longer, true));
  CHECK(is_written_out(AttentionKernel::flash, odd, odd, false));
  CHECK(is_written_out(AttentionKernel::flash, wide, wide, false));
  CHECK(is_written_out(AttentionKernel::memory_efficient, odd, odd, false));
  CHECK_FALSE(is_written_out(AttentionKernel::memory_efficient, usual, longer, true));
}

}  // namespace mithril::tests
