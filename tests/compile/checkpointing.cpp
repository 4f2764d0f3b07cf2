// use_checkpointing of compile on the CPU: the same numbers, to the bit.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/shapes.hpp"

namespace mithril {
namespace {

// The network is deep enough for checkpoints, and has random numbers and a state.
Model deep_network() {
  Model net;
  net |= Conv2d({.filters = 4, .kernel_size = 3})({{"input", "image"}});
  for (int i = 0; i < 3; ++i) {
    net += Conv2d({.filters = 4, .kernel_size = 3, .padding = 1});
    net += BatchNorm2D({.inference = false});
    net += Gelu();
    net += Dropout({.p = 0.25, .seed = i});
  }
  net += Flatten({.start_dim = 1});
  net += Linear({.dimension = 3})({{"output", "logits"}});
  return net;
}

}  // namespace

TEST_CASE("checkpointing gives the same outputs, gradients and states, to the bit") {
  const CompileOptions options{.shapes = {{"image", {any, 1, 8, 8}}}, .debug = true};
  CompileOptions with = options;
  with.use_checkpointing = true;
  const CompiledModel plain = compile(deep_network(), cpu(), options);
  const CompiledModel again = compile(deep_network(), cpu(), with);
  const TensorMap params = plain.get_parameters();
  Tensor image(DType::float32, {2, 1, 8, 8});
  float next = -1;
  for (float& element : image.mutable_values<float>()) element = next += 0.0173f;
  const TensorMap gradients = {{"logits", Tensor::of<float>({2, 3}, {1, -2, 0.5, 3, 0, -1})}};
  State first = plain.initial_state_dict(), second = first;
  for (int i = 0; i < 2; ++i) {
    const auto [out, grad, state] = plain.evaluate(params, {{"image", image}}, gradients, first);
    const auto [out_again, grad_again, state_again] =
        again.evaluate(params, {{"image", image}}, gradients, second);
    CHECK(identical(out.at("logits"), out_again.at("logits")));
    for (const auto& [key, tensor] : grad) CHECK(identical(tensor, grad_again.at(key)));
    for (const auto& [key, tensor] : state) CHECK(identical(tensor, state_again.at(key)));
    first = state;
    second = state_again;
  }
}

}  // namespace mithril
