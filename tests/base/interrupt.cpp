// The callback that ends long work.
#include "mithril/base/interrupt.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace mithril {
namespace {

// Returns whether the work is interrupted. It runs on a new thread, which calls the callback
// immediately.
template <typename Work>
bool is_interrupted(Work work) {
  bool interrupted = false;
  std::thread([&] {
    try {
      work();
    } catch (const Interrupted&) {
      interrupted = true;
    }
  }).join();
  return interrupted;
}

struct InterruptsAll {
  InterruptsAll() {
    set_interrupt_callback([] { return true; });
  }
  ~InterruptsAll() { set_interrupt_callback(nullptr); }
};

Model chain(int length) {
  Model model;
  model |= Linear({.dimension = 3})({{"input", "x"}, {"output", "y0"}});
  for (int i = 0; i < length; ++i) {
    model |= Relu()({{"input", "y" + std::to_string(i)}, {"output", "y" + std::to_string(i + 1)}});
  }
  model.expose_keys({"y" + std::to_string(length)});
  return model;
}

}  // namespace

TEST_CASE("an interrupted call leaves its objects as they were, and the next call works") {
  Model model = chain(100);
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {2, 3}}}, .data_keys = {"x"}});
  const TensorMap params = compiled.get_parameters(),
                  data = {{"x", Tensor(DType::float32, {2, 3})}};
  const std::string before = model.summary();
  {
    const InterruptsAll all;
    CHECK(is_interrupted([] { chain(100).summary(); }));
    CHECK(is_interrupted([&] { compile(model, cpu()); }));
    CHECK(is_interrupted([&] { compiled.evaluate(params, data); }));
  }
  CHECK(model.summary() == before);
  CHECK(!is_interrupted([&] { compile(model, cpu(), {.shapes = {{"x", {2, 3}}}}); }));
  CHECK(!is_interrupted([&] { compiled.evaluate(params, data); }));
}

TEST_CASE("without a callback no work is interrupted") {
  CHECK(!is_interrupted([] { check_interrupt(); }));
  const InterruptsAll all;
  CHECK(is_interrupted([] { check_interrupt(); }));
}

TEST_CASE("a thread that holds interrupts is interrupted by a later call") {
  const InterruptsAll interrupts;
  CHECK_FALSE(is_interrupted([] {
    const InterruptsHeld held;
    check_interrupt();
  }));
  CHECK(is_interrupted([] {
    { const InterruptsHeld held; }
    check_interrupt();
  }));
}

}  // namespace mithril
