// Models of many levels and many parts, on a thread whose stack holds no frame for each of them.
#include <doctest/doctest.h>
#include <pthread.h>

#include <functional>
#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/passes/pipeline.hpp"

namespace ml = mithril;

namespace {

constexpr int levels = 20000;
constexpr int compiled_levels = 5000;  // more than 256 KiB / 52 bytes

// 256 KiB: less than 14 bytes a level.
void on_small_stack(const std::function<void()>& action) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, size_t{1} << 18) == 0);
  const auto run = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  pthread_t thread;
  void* argument = const_cast<std::function<void()>*>(&action);
  REQUIRE(pthread_create(&thread, &attributes, run, argument) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

ml::Model nested() {
  ml::Model inner = ml::Linear({.dimension = 2});
  for (int i = 0; i < levels; ++i) {
    ml::Model outer;
    outer |= inner({{"input", "input"}, {"output", "output"}});
    inner = outer;
  }
  return inner;
}

}  // namespace

TEST_CASE("models nest without recursion") {
  on_small_stack([] {
    const ml::Model model = nested();
    ml::Model net;
    net |= model({{"input", "x"}, {"output", "y"}});
    net.set_shapes({{"x", {"N", 3}}});
    CHECK(to_string(net.shape("y")) == "[N, 2]");
    CHECK(ml::flatten(net, ml::DType::float32).graph.nodes().size() == 1);
  });
}

TEST_CASE("an error in a deep model says where, without recursion") {
  on_small_stack([] {
    ml::Model model = nested();
    CHECK_THROWS_AS(model.set_shapes({{"input", {1, 2}}, {"output", {2, 2}}}), ml::Error);
    CHECK(model.input_keys().back().size() > size_t{levels});  // its path
  });
}

TEST_CASE("unnamed models nest without recursion") {
  on_small_stack([] {
    ml::Model inner = ml::Relu();
    for (int i = 0; i < levels; ++i) {
      ml::Model outer;
      outer += inner;
      inner = outer;
    }
    CHECK(ml::flatten(inner, ml::DType::float32).graph.nodes().size() == 1);
  });
}

TEST_CASE("long chains compose, differentiate and run without recursion") {
  on_small_stack([] {
    ml::Model net;
    net |= ml::Relu()({{"input", "x"}});
    for (int i = 1; i < compiled_levels; ++i) net += ml::Relu();
    const ml::CompiledModel compiled =
        ml::compile(net, ml::cpu(), {.shapes = {{"x", {2}}}, .trainable_keys = {"x"}});
    const ml::Tensor x = ml::Tensor::full(ml::DType::float32, {2}, 1.0);
    const auto [outputs, gradients] = compiled.evaluate({{"x", x}}, {}, {{"output", x}});
    CHECK(gradients.at("x").at_as_double(0) == 1);
  });
}

TEST_CASE("long expressions compose without recursion") {
  on_small_stack([] {
    ml::Connection h("x");
    for (int i = 0; i < levels; ++i) h = h + 1.0;
    const ml::Model net = ml::Model::create({{"output", h}});
    CHECK(ml::flatten(net, ml::DType::float32).graph.nodes().size() == size_t{levels});
  });
}
