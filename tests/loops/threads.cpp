// Loops on several threads: the same bits, and the same errors, as on one.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/executable.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/models/recurrent_layers.hpp"
#include "mithril/passes/roll_loops.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

// Values from -1 to 1 that differ.
Tensor drawn(const Dims& dims) {
  Tensor tensor(DType::float32, dims);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.mutable_data<float>()[i] = static_cast<float>(i * 37 % 101) / 50.5F - 1;
  return tensor;
}

// The bytes of all outputs and of all gradients.
std::vector<std::byte> results(const Model& model, const Tensor& input, int threads) {
  const CompiledModel compiled =
      compile(model, cpu({.threads = threads}),
              {.shapes = {{"input", {input.dims()[0], input.dims()[1], input.dims()[2]}}}});
  TensorMap data, seeds;
  data["input"] = input;
  const TensorMap params = compiled.get_parameters(), outputs = compiled.evaluate(params, data);
  for (const auto& [key, value] : outputs) seeds[key] = drawn(value.dims());
  const auto [again, gradients] = compiled.evaluate(params, data, seeds);
  std::vector<std::byte> bytes;
  for (const TensorMap* map : {&outputs, &again, &gradients}) {
    for (const auto& [key, value] : *map) {
      const auto* const begin = static_cast<const std::byte*>(value.raw_data());
      bytes.insert(bytes.end(), begin, begin + value.size() * int64_t{sizeof(float)});
    }
  }
  return bytes;
}

// A graph of two loops over int64 numbers. A step of the first one picks the class of its number
// among 3, and a step of the second one among 2.
Graph two_loops(int64_t length) {
  std::string text = fmt::format("graph {{\n  input x: int64[{}, 1]\n", length);
  for (const int classes : {2, 3}) {
    text += fmt::format(
        "  input h{0}: float32[1]\n"
        "  input table{0}: float32[1, {0}]\n"
        "  steps{0}: int64[{1}] = scan_steps(length: {1})\n"
        "  carry{0}: float32[1] = scan_carry(initial: h{0}, steps: steps{0})\n"
        "  item{0}: int64[1] = scan_item(sequence: x, steps: steps{0})\n"
        "  picked{0}: float32[1] = pick_class(input: table{0}, index: item{0})\n"
        "  next{0}: float32[1] = add(left: picked{0}, right: carry{0})\n"
        "  last{0}: float32[1] = scan_last(carry: carry{0}, next: next{0}, steps: steps{0}, "
        "carried: [carry{0}, next{0}])\n"
        "  output last{0} = last{0}\n",
        classes, length);
  }
  return roll_loops(parse_graph(text + "}\n"));
}

std::vector<Tensor> inputs_of(const std::vector<int64_t>& x) {
  return {Tensor::of<int64_t>({static_cast<int64_t>(x.size()), 1}, x), drawn({1}), drawn({1, 2}),
          drawn({1}), drawn({1, 3})};
}

std::string text_with(int threads, const std::vector<int64_t>& x) {
  const auto executable =
      cpu_backend::make_executable(two_loops(static_cast<int64_t>(x.size())), {.threads = threads});
  return text_of_error([&] { executable->run(inputs_of(x)); });
}

std::atomic<int> calls_of_callback = 0;

}  // namespace

TEST_CASE("recurrent layers have the same bits on any number of threads") {
  for (const bool bidirectional : {false, true}) {
    for (const int64_t batch : {1, 13, 31}) {
      CAPTURE(bidirectional);
      CAPTURE(batch);
      const Model model =
          LSTM({.hidden_size = 19, .num_layers = 2, .bidirectional = bidirectional});
      const Tensor input = drawn({5, batch, 7});
      const std::vector<std::byte> expected = results(model, input, 1);
      for (const int threads : {2, 4}) CHECK(results(model, input, threads) == expected);
    }
  }
}

TEST_CASE("loops that do not depend on each other run at the same time") {
  std::string loops;
  const auto sink = [&](std::string_view pass, const std::string& text) {
    if (pass == "loops") loops = text;
  };
  const std::vector<Tensor> inputs = inputs_of({1, 0, 1});
  const auto both = cpu_backend::make_executable(two_loops(3), {.threads = 2, .dump = sink});
  const auto alone = cpu_backend::make_executable(two_loops(3), {.threads = 1});
  const std::vector<Tensor> actual = both->run(inputs), expected = alone->run(inputs);
  CHECK(loops.starts_with("step 0: scan+scan: "));
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(actual[i].at_as_double(0) == expected[i].at_as_double(0));
}

TEST_CASE("if several loops fail, the error is that of the first one") {
  std::vector<int64_t> both(300, 1);
  both[1] = 2;      // the second loop fails
  both.back() = 3;  // the first loop fails
  const std::string first = text_with(1, both), second = text_with(1, {0, 0, 2, 1});
  CHECK(first.find("class 3 is out of range for 3 classes") != std::string::npos);
  CHECK(second.find("class 2 is out of range for 2 classes") != std::string::npos);
  for (int round = 0; round < 50; ++round) {
    REQUIRE(text_with(2, both) == first);
    REQUIRE(text_with(2, {0, 0, 2, 1}) == second);
  }
}

TEST_CASE("an interrupt ends loops that run at the same time") {
  constexpr int64_t steps = 3'000'000;  // more than run before the second check, after 50 ms
  const auto executable = cpu_backend::make_executable(two_loops(steps), {.threads = 2});
  const std::vector<Tensor> inputs = inputs_of(std::vector<int64_t>(static_cast<size_t>(steps), 0));
  calls_of_callback = 0;
  bool interrupted = false;
  std::thread([&] {
    set_interrupt_callback([] { return ++calls_of_callback > 1; });
    try {
      executable->run(inputs);
    } catch (const Interrupted&) {
      interrupted = true;
    }
    set_interrupt_callback(nullptr);
  }).join();
  CHECK(interrupted);
  CHECK(calls_of_callback == 2);  // helpers do not call it
}

}  // namespace mithril::tests
