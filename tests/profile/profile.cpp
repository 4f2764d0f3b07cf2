// Profiles: what their rows, gaps and events add up to.
#include "mithril/profile/profile.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/thread_pool.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/edit/cost.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/viewer/profile_page.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

Model profiled_layers() {
  Model net;
  net |= Linear({.dimension = 16}).named("fc1")({{"input", "x"}});
  net += Relu();
  net += Linear({.dimension = 4}).named("fc2")({{"output", "y"}});
  return net;
}

struct ProfiledNet {
  CompiledModel compiled =
      compile(profiled_layers(), cpu({.threads = 1}), {.shapes = {{"x", {8, 12}}}});
  TensorMap params = compiled.get_parameters();
  Tensor x = Tensor::full(DType::float32, {8, 12}, 0.5);

  void run() const { compiled.evaluate(params, {{"x", x}}); }
};

const ProfileRow* row_named(const std::vector<ProfileRow>& rows, const std::string& name) {
  for (const ProfileRow& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("rows and gaps of a profile add up to its seconds") {
  const ProfiledNet net;
  Profile profile;
  for (int i = 0; i < 3; ++i) net.run();
  profile.stop();
  for (const ProfileBy by :
       {ProfileBy::op, ProfileBy::path, ProfileBy::kernel, ProfileBy::layer, ProfileBy::phase}) {
    double seconds = 0;
    for (const ProfileRow& row : profile.rows({.by = by})) seconds += row.seconds;
    for (const ProfileGap& gap : profile.gaps()) seconds += gap.seconds;
    CHECK(std::abs(seconds - profile.seconds()) < 1e-12);
  }
}

TEST_CASE("a profile counts the steps of each op") {
  const ProfiledNet net;
  net.run();  // outside
  Profile profile;
  for (int i = 0; i < 3; ++i) net.run();
  profile.stop();
  net.run();  // outside
  std::int64_t calls = 0;
  for (const ProfileRow& row : profile.rows()) calls += row.calls;
  CHECK(calls % 3 == 0);
  CHECK(calls >= 6);
  const auto layers = profile.rows({.by = ProfileBy::layer});
  REQUIRE(row_named(layers, "fc1"));
  REQUIRE(row_named(layers, "fc2"));
  REQUIRE(profile.gaps().size() == 2);
  CHECK(profile.gaps()[0].name == "evaluate, between steps");
  CHECK(profile.gaps()[0].calls == 3);
  CHECK(profile.gaps()[1].name == "outside of calls");
}

TEST_CASE("a profile counts the operations of cost()") {
  const ProfiledNet net;
  Profile profile;
  net.run();
  profile.stop();
  std::int64_t operations = 0;
  for (const ProfileRow& row : profile.rows()) operations += row.operations;
  CHECK(operations == cost(profiled_layers(), {{"x", {8, 12}}}).total.operations);
  const auto rows = profile.rows({.by = ProfileBy::path});
  const ProfileRow* last = row_named(rows, "y");
  REQUIRE(last);
  // It reads [8, 16], [4, 16] and [4], and writes [8, 4].
  CHECK(last->bytes == 4 * (8 * 16 + 4 * 16 + 4 + 8 * 4));
}

TEST_CASE("the steps of a gradient belong to the layers of the model") {
  Model net;
  net |= profiled_layers()({{"x", "x"}, {"y", "y"}});
  net |= Model::create({{"cost", sum(Connection("y"))}})({{"y", "y"}, {"cost", "cost"}});
  const CompiledModel compiled = compile(net, cpu(), {.shapes = {{"x", {8, 12}}}});
  const TensorMap params = compiled.get_parameters();
  Profile profile;
  compiled.evaluate(params, {{"x", Tensor::full(DType::float32, {8, 12}, 0.5)}},
                    {{"cost", Tensor::full(DType::float32, {}, 1)}});
  profile.stop();
  const auto phases = profile.rows({.by = ProfileBy::phase});
  CHECK(row_named(phases, "forward"));
  CHECK(row_named(phases, "backward"));
  const auto layers = profile.rows({.by = ProfileBy::layer});
  CHECK(row_named(layers, "model.fc1"));
  CHECK(row_named(layers, "model.fc2"));
  const auto models = profile.rows({.by = ProfileBy::layer, .depth = 1});
  CHECK(row_named(models, "model"));
}

TEST_CASE("a profile has a track for each thread that helps") {
  const ProfiledNet net;
  Profile profile;
  const TracedRun run;
  net.run();
  std::atomic<int> begun{0};
  // The tasks wait for each other, so two threads work.
  ThreadPool::shared().run(2, 2, [&](int) {
    ++begun;
    while (processor_count() > 1 && begun.load() < 2) std::this_thread::yield();
  });
  profile.stop();
  std::set<int> threads;
  for (const TraceEvent& event : profile.events()) threads.insert(event.thread);
  CHECK(threads.size() == (processor_count() > 1 ? 2 : 1));
}

TEST_CASE("the trace of a profile is JSON with the sizes of its steps") {
  const ProfiledNet net;
  Profile profile;
  net.run();
  profile.stop();
  const auto events = nlohmann::json::parse(profile.chrome_json()).at("traceEvents");
  std::size_t steps = 0, calls = 0, names = 0;
  for (const auto& event : events) {
    if (event.at("ph") == "M") {
      ++names;
      CHECK(event.at("name") == "thread_name");
      continue;
    }
    CHECK(event.at("ph") == "X");
    CHECK(event.at("dur").get<double>() >= 0);
    if (!event.contains("args")) {
      ++calls;
      continue;
    }
    ++steps;
    if (event.at("name") == "y") CHECK(event.at("args").at("writes") == "y float32[8, 4]");
  }
  CHECK(names == 1);
  CHECK(calls == 2);  // the profile and evaluate
  CHECK(steps >= 2);
}

TEST_CASE("a profile of another thread has its steps, too") {
  const ProfiledNet net;
  Profile profile;
  std::thread other([&] { net.run(); });
  other.join();
  profile.stop();
  REQUIRE(profile.gaps().size() == 2);
  CHECK(profile.gaps()[0].calls == 1);
}

TEST_CASE("the page of a profile has its steps in the groups of their layers") {
  const ProfiledNet net;
  Profile profile;
  net.run();
  CHECK_THROWS_AS(profile_page(profile), StateError);
  profile.stop();
  const std::string page = profile_page(profile, "net");
  for (const char* text :
       {"<title>net</title>", "\"name\":\"fc1\"", "\"fc1.weight\"", "\"time\":{"})
    CHECK(page.find(text) != page.npos);
}

TEST_CASE("one profile records at a time") {
  const Profile profile;
  CHECK(text_of_error([] { Profile second; }) ==
        "mithril.StateError[E0970]: a profile of this process records already\n"
        "  help: stop it first: one profile has the steps of all threads");
}

TEST_CASE("a profile is read after it has ended") {
  const Profile profile;
  CHECK(text_of_error([&] { profile.seconds(); }) ==
        "mithril.StateError[E0971]: the profile has not ended\n"
        "  help: read it after stop(), in Python after its with block");
}

TEST_CASE("the table of a profile ends with its gaps and the total") {
  const ProfiledNet net;
  Profile profile;
  net.run();
  profile.stop();
  const std::string text = profile.summary({.peak = MachinePeak{1e12, 1e12}});
  CHECK(text.starts_with("ops"));
  for (const char* expected : {"\nevaluate, between steps", "\noutside of calls", "\ntotal",
                               "100.0 %", "\npeak of this machine: 1 Top/s"}) {
    CAPTURE(text);
    CHECK(text.find(expected) != std::string::npos);
  }
  CHECK(profile.summary().find("peak") == std::string::npos);
}

TEST_CASE("a profile refuses to add up by another thing") {
  CHECK(
      text_of_error([] { parse_profile_by("node"); }) ==
      "mithril.ValueError[E0406]: profile: by is 'node', expected one of op, path, kernel, layer, "
      "phase");
}

}  // namespace mithril::tests
