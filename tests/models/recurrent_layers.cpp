// Recurrent layers from C++: a step worked out by hand, ports, initial parameters and errors.
// tests/layer_cases and python/tests/loops compare with PyTorch.
#include "mithril/models/recurrent_layers.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compile.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("a recurrent layer of one state, worked out by hand") {
  const Model model = RNN({.hidden_size = 1, .nonlinearity = Nonlinearity::relu});
  const CompiledModel compiled =
      compile(model, cpu({.dtype = DType::float64}), {.shapes = {{"input", {any, 1, 1}}}});
  TensorMap params;
  params["weight_ih_l0"] = Tensor::of<double>({1, 1}, {2});
  params["weight_hh_l0"] = Tensor::of<double>({1, 1}, {3});
  params["bias_ih_l0"] = Tensor::of<double>({1}, {1});
  params["bias_hh_l0"] = Tensor::of<double>({1}, {-2});
  TensorMap data;
  data["input"] = Tensor::of<double>({3, 1, 1}, {1, -4, 5});
  const TensorMap out = compiled.evaluate(params, data);
  CHECK(out.at("output").dims() == Dims{3, 1, 1});
  CHECK(out.at("output").at_as_double(0) == 1);  // 2 * 1 - 1
  CHECK(out.at("output").at_as_double(1) == 0);  // 2 * -4 + 3 * 1 - 1 < 0
  CHECK(out.at("output").at_as_double(2) == 9);
  CHECK(out.at("h_n").dims() == Dims{1, 1, 1});
  CHECK(out.at("h_n").at_as_double(0) == 9);
}

TEST_CASE("recurrent layers have PyTorch's parameters and shapes") {
  const Model model = LSTM({.hidden_size = 5,
                            .num_layers = 2,
                            .bidirectional = true,
                            .proj_size = 2,
                            .use_initial_state = true});
  CHECK(model.input_keys() == Keys{"input",
                                   "h_0",
                                   "c_0",
                                   "weight_ih_l0",
                                   "weight_hh_l0",
                                   "bias_ih_l0",
                                   "bias_hh_l0",
                                   "weight_hr_l0",
                                   "weight_ih_l0_reverse",
                                   "weight_hh_l0_reverse",
                                   "bias_ih_l0_reverse",
                                   "bias_hh_l0_reverse",
                                   "weight_hr_l0_reverse",
                                   "weight_ih_l1",
                                   "weight_hh_l1",
                                   "bias_ih_l1",
                                   "bias_hh_l1",
                                   "weight_hr_l1",
                                   "weight_ih_l1_reverse",
                                   "weight_hh_l1_reverse",
                                   "bias_ih_l1_reverse",
                                   "bias_hh_l1_reverse",
                                   "weight_hr_l1_reverse"});
  CHECK(model.output_keys() == Keys{"output", "h_n", "c_n"});
  CHECK(model.shape("weight_ih_l0") == KnownShape{20, "I"});
  CHECK(model.shape("weight_ih_l1") == KnownShape{20, 4});
  CHECK(model.shape("output") == KnownShape{"T", "N", 4});
  CHECK(model.shape("h_n") == KnownShape{4, "N", 2});
  CHECK(model.shape("c_n") == KnownShape{4, "N", 5});
}

TEST_CASE("parameters of recurrent layers begin in the range of PyTorch's") {
  const CompiledModel compiled =
      compile(GRU({.hidden_size = 16}), cpu(), {.shapes = {{"input", {any, 1, 300}}}});
  double largest = 0;
  const TensorMap params = compiled.get_parameters();
  for (const auto& [key, tensor] : params)
    for (int64_t i = 0; i < tensor.size(); ++i)
      largest = std::max(largest, std::abs(tensor.at_as_double(i)));
  CHECK(params.at("weight_ih_l0").dims() == Dims{48, 300});
  CHECK(largest < 0.25);
  CHECK(largest > 0.24);
}

TEST_CASE("errors of recurrent layers") {
  CHECK(text_of_error([] { LSTM({}); }) ==
        "mithril.ValueError[E0402]: LSTM: argument 'hidden_size' is out of range\n"
        "  expected : at least 1\n"
        "  got      : 0");
  CHECK(text_of_error([] { GRU({.hidden_size = 2, .num_layers = 0}); }) ==
        "mithril.ValueError[E0402]: GRU: argument 'num_layers' is out of range\n"
        "  expected : at least 1\n"
        "  got      : 0");
  CHECK(text_of_error([] { RNN({.hidden_size = 2, .dropout = 1}); }) ==
        "mithril.ValueError[E0402]: RNN: argument 'dropout' is out of range\n"
        "  expected : at least 0 and below 1\n"
        "  got      : 1.0");
  CHECK(text_of_error([] { LSTM({.hidden_size = 2, .proj_size = 2}); }) ==
        "mithril.ValueError[E0402]: LSTM: argument 'proj_size' is out of range\n"
        "  expected : 0, or at least 1 and below hidden_size\n"
        "  got      : 2");
  CHECK(text_of_error([] {
          compile(LSTM({.hidden_size = 2, .use_initial_state = true}), cpu(),
                  {.shapes = {{"input", {any, 3, 4}}, {"h_0", {1, 3, 5}}}});
        }) ==
        "mithril.ShapeError[E0202]: h_0: two dims differ\n"
        "  one side   : 2           from LSTM.h_0\n"
        "  other side : 5           given by shapes={\"h_0\": [1, 3, 5]}\n"
        "  known      : [1, 3, 2]   from LSTM.h_0\n"
        "  stated     : [1, 3, 5]   given by shapes={\"h_0\": [1, 3, 5]}");
}

}  // namespace mithril::tests
