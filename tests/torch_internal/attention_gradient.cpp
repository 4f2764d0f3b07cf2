// The operators of torch that gradients of attention are spelled with, on any device.
#include "backends/torch/rewrite/attention_gradient.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <optional>

#include "backends/torch/program/program.hpp"
#include "mithril/eval/plan.hpp"
#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {
namespace {

using torch_backend::AttentionKernel;

// The names of the operators that a node runs, without copies to rows without gaps. They are found
// without a GPU.
std::vector<std::string> operators(AttentionKernel kernel, DType dtype, Dims query, Dims key,
                                   bool is_causal, const std::optional<Dims>& mask = {},
                                   DType mask_dtype = DType::boolean) {
  Graph graph;
  const auto input = [&](const char* name, const Dims& dims) {
    return graph.add_input({name, {dims.begin(), dims.end()}, true, dtype});
  };
  std::vector<Argument> arguments{input("q", query), input("k", key), input("v", key),
                                  input("g", query)};
  if (mask)
    arguments.emplace_back(graph.add_input({"m", {mask->begin(), mask->end()}, true, mask_dtype}));
  else
    arguments.emplace_back(Datum());
  arguments.emplace_back(Datum(is_causal));
  arguments.emplace_back(Datum(0.5));
  for (const ValueId id :
       graph.add(torch_backend::attention_gradient(kernel), arguments, "gradient"))
    graph.add_output(graph.value(id).name, id);
  std::vector<Tensor> given;
  for (const Dims& dims : {query, key, key, query}) given.emplace_back(dtype, dims);
  if (mask) given.emplace_back(mask_dtype, *mask);
  const torch_backend::Target target{
      c10::Device(kernel == AttentionKernel::cpu ? "cpu" : "cuda:0")};
  const auto program =
      torch_backend::lower(graph, make_plan(graph, SizeSources(graph), given), target);
  std::vector<std::string> names;
  for (const auto& operator_call : program.nodes.front().calls) {
    const std::string& name = operator_call.call.op.schema().name();
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

TEST_CASE("GPUs below compute capability 8 have no kernels of bfloat16 for gradients") {
  using namespace torch_backend;
  for (const DType dtype : {DType::float32, DType::float16})
    CHECK(attention_on_gpu(dtype) == AttentionKernel::memory_efficient);
  CHECK(!attention_on_gpu(DType::bfloat16));
  CHECK(!attention_on_gpu(DType::float64));
  for (const DType dtype : {DType::float16, DType::bfloat16})
    CHECK(attention_on_new_gpu(dtype) == AttentionKernel::flash);
  CHECK(attention_on_new_gpu(DType::float32) == AttentionKernel::memory_efficient);
  CHECK(!attention_on_new_gpu(DType::float64));
}

TEST_CASE("heads that the flash kernel refuses on some GPUs use the memory-efficient one") {
  const auto backward = [&](std::int64_t width, bool is_causal) {
    const Dims size{2, 3, 16, width};
    return operators(AttentionKernel::flash, DType::float16, size, size, is_causal).back();
  };
  for (const bool is_causal : {false, true}) {
    for (const std::int64_t width : {192, 232, 256})
      CHECK(backward(width, is_causal) == "aten::_scaled_dot_product_flash_attention_backward");
    for (const std::int64_t width : {200, 224})
      CHECK(backward(width, is_causal) == "aten::_scaled_dot_product_efficient_attention_backward");
  }
}

TEST_CASE("gradients of more heads or sequences than a grid has blocks are written out") {
  for (const auto kernel : {AttentionKernel::flash, AttentionKernel::memory_efficient}) {
    const auto is_written_out = [&](const Dims& size) {
      return contains(operators(kernel, DType::float16, size, size, false), "aten::softmax");
    };
    CHECK_FALSE(is_written_out({65535, 1, 8}));
    CHECK(is_written_out({65536, 1, 8}));
    CHECK(is_written_out({1, 65536, 1, 8}));
    CHECK_FALSE(is_written_out({65535, 1, 1, 8}));
    CHECK(is_written_out({65536, 1, 1, 8}));
  }
}

TEST_CASE("gradients of attention to one key are written out if there is a mask") {
  const Dims query{2, 3, 16, 64}, key{2, 3, 1, 64};
  for (const auto kernel : {AttentionKernel::flash, AttentionKernel::memory_efficient}) {
    for (const Dims& mask : {Dims{2, 3, 1, 1}, Dims{2, 1, 16, 1}, Dims{1}}) {
      const auto names = operators(kernel, DType::float16, query, key, false, mask);
      CHECK(contains(names, "aten::_safe_softmax"));
    }
    CHECK_FALSE(
        contains(operators(kernel, DType::float16, query, key, false, {}), "aten::softmax"));
  }
}

TEST_CASE("gradients of attention with a mask use kernels that take a bias") {
  const Dims size{2, 3, 256, 64}, three{6, 256, 64}, odd{2, 3, 256, 63};
  const std::string efficient = "aten::_scaled_dot_product_efficient_attention_backward",
                    cpu = "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
  const Dims masks[] = {{2, 1, 1, 256}, {256, 256}, {256}, {2, 3, 256, 1}, {1, 256, 256}};
  for (const Dims& mask : masks) {
    for (const bool is_causal : {false, true}) {
      CAPTURE(to_string(mask));
      CAPTURE(is_causal);
      const auto run = [&](AttentionKernel kernel, DType dtype, const Dims& dims) {
        const auto names = operators(kernel, dtype, dims, dims, is_causal, mask);
        CHECK(!contains(names, "aten::matmul"));
        return names.back() == "aten::squeeze" ? names[names.size() - 4] : names.back();
      };
      CHECK(run(AttentionKernel::flash, DType::float16, size) == efficient);
      CHECK(run(AttentionKernel::memory_efficient, DType::float32, size) == efficient);
      CHECK(run(AttentionKernel::cpu, DType::float32, size) == cpu);
    }
  }
  CHECK(contains(operators(AttentionKernel::flash, DType::bfloat16, three, three, false,
                           Dims{1, 256, 256}, DType::float32),
                 efficient));
  CHECK(contains(operators(AttentionKernel::flash, DType::float16, odd, odd, false, Dims{256, 256}),
                 "aten::_safe_softmax"));
}

TEST_CASE("torch's backward operator of attention takes the arguments that it is given") {
  const auto schema = [](const char* name) {
    std::string text;
    const auto& found = c10::Dispatcher::singleton().findSchemaOrThrow(name, "").schema();
    for (const auto& argument : found.arguments())
      text += argument.type()->str() + " " + argument.name() + ", ";
    return text;
  };
  const std::string common = "Tensor query, Tensor key, Tensor value, ";
  CHECK(schema("aten::_scaled_dot_product_efficient_attention") ==
        common +
            "Tensor? attn_bias, bool compute_log_sumexp, float dropout_p, bool is_causal, "
            "float? scale, ");
  CHECK(
      schema("aten::_scaled_dot_product_efficient_attention_backward") ==
      "Tensor grad_out_, " + common +
          "Tensor attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor "
          "philox_offset, float dropout_p, bool[] grad_input_mask, bool is_causal, float? scale, ");
}

}  // namespace mithril::tests
