// The memory of evaluations, step by step.
#include "mithril/backend/memory_timeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

Model timeline_chain() {
  Model net;
  net |= Linear({.dimension = 64}).named("wide")({{"input", "x"}});
  net += Softmax();
  net += Linear({.dimension = 2}).named("narrow")({{"output", "y"}});
  return net;
}

}  // namespace

TEST_CASE("a timeline of memory names what is alive at the peak") {
  const CompiledModel compiled = compile(timeline_chain(), cpu(), {.shapes = {{"x", {8, 16}}}});
  const MemoryTimeline timeline = compiled.memory_timeline();
  REQUIRE(!timeline.steps.empty());
  std::int64_t most = 0;
  for (const TimelineStep& step : timeline.steps) most = std::max(most, step.bytes);
  CHECK(timeline.peak_bytes == most);
  CHECK(timeline.steps[timeline.peak_step].bytes == most);
  CHECK(timeline.planned_bytes >= timeline.peak_bytes);
  CHECK(timeline.peak_bytes >= 8 * 64 * 4);
  const auto alive = timeline.alive_at(timeline.peak_step);
  REQUIRE(!alive.empty());
  CHECK(alive.front().bytes >= 8 * 64 * 4);
  CHECK(to_string(timeline).starts_with("peak "));
}

TEST_CASE("a value that is written in place counts once") {
  MemoryTimeline timeline{
      .steps = {{"a", "relu"}, {"b", "relu"}},
      .values = {{.name = "a", .bytes = 100, .first = 0, .last = 1, .offset = 0},
                 {.name = "b", .bytes = 100, .first = 1, .last = 1, .offset = 0},
                 {.name = "c", .bytes = 10, .first = 1, .last = 1, .offset = 90},
                 {.name = "out", .bytes = 7, .first = 1, .last = 1, .offset = -1}}};
  add_up(timeline);
  CHECK(timeline.steps[0].bytes == 100);
  CHECK(timeline.steps[1].bytes == 107);
  CHECK(timeline.peak_step == 1);
}

TEST_CASE("gradients keep values longer") {
  Model net;
  net |= timeline_chain()({{"x", "x"}, {"y", "y"}});
  net |= Model::create({{"cost", sum(Connection("y"))}})({{"y", "y"}, {"cost", "final_cost"}});
  const CompiledModel compiled =
      compile(net, cpu(), {.shapes = {{"x", {any, 16}}}, .data_keys = {"x"}});
  const TensorMap data{{"x", Tensor::full(DType::float32, {32, 16}, 0.5)}};
  const MemoryTimeline forward = compiled.memory_timeline(data);
  const MemoryTimeline both = compiled.memory_timeline(data, {.gradients = true});
  CHECK(both.steps.size() > forward.steps.size());
  CHECK(both.peak_bytes > forward.peak_bytes);
  CHECK_THROWS_AS(compiled.memory_timeline(), InputError);
}

TEST_CASE("a timeline refuses an example of an unknown key") {
  const CompiledModel compiled =
      compile(timeline_chain(), cpu(), {.shapes = {{"x", {any, 16}}}, .data_keys = {"x"}});
  CHECK(text_of_error([&] {
          compiled.memory_timeline({{"z", Tensor::zeros({8, 16})}});
        }) ==
        "mithril.InputError[E0802]: there is no data input 'z'\n"
        "  known : x");
}

TEST_CASE("a backend that plans no memory says so") {
  const CompiledModel compiled =
      compile(timeline_chain(), cpu({.reference = true}), {.shapes = {{"x", {8, 16}}}});
  CHECK(text_of_error([&] { compiled.memory_timeline(); }) ==
        "mithril.BackendError[E1056]: backend 'cpu' does not plan the memory of a run in advance\n"
        "  help: compile for CpuBackend; memory_info of a backend shows its peak");
}

}  // namespace mithril::tests
