// Recurrent networks: steps that share their parameters, and batches that become smaller.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/recurrent.hpp"
#include "mithril/models/recurrent_cells.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/json/check_round_trip.hpp"

namespace mithril::tests {
namespace {

using Keys = std::vector<std::string>;

Tensor filled(Dims dims, double value) {
  return Tensor::full(DType::float64, std::move(dims), value);
}

// With width 1 and these weights: hidden = tanh(0.5 input + 2 prev_hidden + 0.1), output = 3
// hidden.
TensorMap parameters(const std::string& prefix = "") {
  return {{prefix + "w_ih", filled({1, 1}, 0.5)},
          {prefix + "w_hh", filled({1, 1}, 2)},
          {prefix + "w_ho", filled({1, 1}, 3)},
          {prefix + "bias_h", filled({1}, 0.1)},
          {prefix + "bias_o", filled({1}, 0)}};
}
double next(double input, double hidden) { return std::tanh(0.5 * input + 2 * hidden + 0.1); }

TensorMap both(const TensorMap& a, const TensorMap& b) {
  TensorMap all = a.share();
  all.merge(b);
  return all;
}

TensorMap run(const Model& model, const TensorMap& params, const TensorMap& data) {
  CompileOptions options;
  for (const auto& [key, tensor] : data) {
    const Dims& dims = tensor.dims();
    options.shapes.emplace_back(key, ShapeSpec(std::vector<DimSpec>(dims.begin(), dims.end())));
  }
  return compile(model, cpu({.dtype = DType::float64}), options).evaluate(params, data);
}

Tensor column(const std::vector<double>& values) {
  Tensor tensor(DType::float64, {static_cast<int64_t>(values.size()), 1, 1});
  std::copy(values.begin(), values.end(), tensor.mutable_values<double>().begin());
  return tensor;
}

}  // namespace

TEST_CASE("many to one: each sequence leaves its last hidden state, the longest first") {
  const Model model = ManyToOne({.cell_type = "RNNCell", .max_sequence_length = 2});
  CHECK(model.output_keys() == Keys{"output0", "output1", "hidden_concat"});
  const TensorMap outputs = run(
      model, parameters(),
      {{"input0", column({1, -1})}, {"initial_hidden", column({0, 0})}, {"input1", column({2})}});
  const double first = next(1, 0), other = next(-1, 0), second = next(2, first);
  const Tensor& states = outputs.at("hidden_concat");
  REQUIRE(states.dims() == Dims{2, 1, 1});
  CHECK(states.at_as_double(0) == doctest::Approx(second).epsilon(1e-14));
  CHECK(states.at_as_double(1) == doctest::Approx(other).epsilon(1e-14));
  CHECK(outputs.at("output1").item() == doctest::Approx(3 * second).epsilon(1e-14));
}

TEST_CASE("one to many reads its own outputs, or with teacher forcing the targets") {
  const TensorMap data{
      {"input", column({1, 2})}, {"initial_hidden", column({0.5, 0.5})}, {"target1", column({7})}};
  const double hidden = next(1, 0.5);
  const Model free = OneToMany({.cell_type = RNNCell(), .max_sequence_length = 2});
  CHECK(run(free, parameters(), data).at("output1").item() ==
        doctest::Approx(3 * next(3 * hidden, hidden)).epsilon(1e-14));
  const Model forced =
      OneToMany({.cell_type = RNNCell(), .max_sequence_length = 2, .teacher_forcing = true});
  const TensorMap targets = both(data, {{"target0", column({-4, 9})}});
  CHECK(run(forced, parameters(), targets).at("output1").item() ==
        doctest::Approx(3 * next(-4, hidden)).epsilon(1e-14));
}

TEST_CASE("inference goes on for all sequences, without targets") {
  const Model model = OneToManyInference({.cell_type = "RNNCell", .max_sequence_length = 3});
  const TensorMap outputs =
      run(model, parameters(), {{"input", column({1})}, {"initial_hidden", column({0})}});
  const double one = next(1, 0), two = next(3 * one, one), three = next(3 * two, two);
  CHECK(outputs.at("output2").item() == doctest::Approx(3 * three).epsilon(1e-14));
}

TEST_CASE("an encoder's states begin its decoder, in the order of the indices") {
  const Model model = EncoderDecoder(
      {.cell_type = "RNNCell", .max_input_sequence_length = 2, .max_target_sequence_length = 1});
  Tensor indices(DType::int64, {2});
  indices.mutable_values<int64_t>()[0] = 1;
  indices.mutable_values<int64_t>()[1] = 0;
  const TensorMap outputs = run(model, both(parameters(), parameters("decoder_")),
                                {{"input0", column({1, -1})},
                                 {"initial_hidden", column({0, 0})},
                                 {"input1", column({2})},
                                 {"indices", indices},
                                 {"decoder_input", column({0, 0})}});
  const double longest = next(2, next(1, 0)), other = next(-1, 0);
  CHECK(outputs.at("output0").at_as_double(0) ==
        doctest::Approx(3 * next(0, other)).epsilon(1e-14));
  CHECK(outputs.at("output0").at_as_double(1) ==
        doctest::Approx(3 * next(0, longest)).epsilon(1e-14));
}

TEST_CASE("cells with a cell state pass it on, and begin with one") {
  const Model model = ManyToOne({.cell_type = LSTMCell(), .max_sequence_length = 2});
  const Keys keys = model.input_keys();
  CHECK(std::count(keys.begin(), keys.end(), "initial_cell") == 1);
  CHECK(std::count(keys.begin(), keys.end(), "w_f") == 1);
  const Model inference = EncoderDecoderInference(
      {.cell_type = "GRUCell", .max_input_sequence_length = 2, .max_target_sequence_length = 2});
  CHECK(inference.output_keys() == Keys{"output0", "output1"});
}

TEST_CASE("recurrent networks are written and read with their cells") {
  check_round_trip(OneToMany({.cell_type = RNNCell(), .max_sequence_length = 2}));
  check_round_trip(EncoderDecoder({.cell_type = "LSTMCell",
                                   .max_input_sequence_length = 2,
                                   .max_target_sequence_length = 3,
                                   .teacher_forcing = true}));
}

TEST_CASE("a recurrent network is refused without steps, or with a model that is not a cell") {
  CHECK(text_of_error([] { ManyToOne({.cell_type = "Relu", .max_sequence_length = 2}); }) ==
        "mithril.ValueError[E0402]: ManyToOne: argument 'cell_type' is out of range\n"
        "  expected : a cell: RNNCell, LSTMCell or GRUCell\n"
        "  got      : \"Relu\"");
  CHECK(text_of_error([] { OneToMany({.cell_type = "RNNCell", .max_sequence_length = 0}); }) ==
        "mithril.ValueError[E0402]: OneToMany: argument 'max_sequence_length' is out of range\n"
        "  expected : at least 1\n"
        "  got      : 0");
}

}  // namespace mithril::tests
