// Recording and replaying programs, on a device without a GPU.
#include "backends/torch/recording/recorder.hpp"

#include <ATen/ops/full.h>

#include <stdexcept>

#include "tests/torch_internal/doctest.hpp"
#include "tests/torch_internal/fake_device.hpp"

namespace mithril::tests {
namespace {

using torch_backend::Recorder, torch_backend::RecordingCounts, torch_backend::Recordings;

using Log = std::vector<std::string>;

at::Tensor numbers(double number) { return at::full({3}, number); }
double first(const at::Tensor& tensor) { return tensor[0].item<double>(); }

// 2 * data + parameter. The fake device executes a capture at once, and repeats it in a launch.
struct Scaled {
  FakeDevice& device;
  int plain_runs = 0;
  std::string failing_capture = {};

  std::vector<at::Tensor> operator()(at::TensorList inputs) {
    at::Tensor made = inputs[0].mul(2).add(inputs[1]);
    if (!device.is_capturing) {
      ++plain_runs;
      return {made};
    }
    TORCH_CHECK(failing_capture.empty(), failing_capture);
    device.relaunch = [data = inputs[0], parameter = inputs[1], made] {
      made.copy_(data.mul(2).add(parameter));
    };
    return {made};
  }
};

struct Fixture {
  FakeDevice device;
  std::shared_ptr<Meter> meter;
  std::shared_ptr<Recordings> all;
  std::shared_ptr<RecordingCounts> counts = std::make_shared<RecordingCounts>();
  Scaled scaled{device};

  explicit Fixture(std::optional<int64_t> limit = std::nullopt, size_t most = 64)
      : meter(Meter::make(limit)),
        all(std::make_shared<Recordings>(device, "cuda:0", meter, most)) {}

  Recorder recorder() { return {all, counts, 0, SIZE_MAX}; }
  double run(Recorder& recorder, double data, const at::Tensor& parameter) {
    const std::vector<at::Tensor> inputs{numbers(data), parameter};
    return first(recorder.run(inputs, std::ref(scaled)).front());
  }
};

}  // namespace

TEST_CASE("the second run captures and the third replays") {
  Fixture f;
  Recorder recorder = f.recorder();
  const at::Tensor parameter = numbers(10);
  // Each lives during the other's run, so that the data moves.
  const at::Tensor one = numbers(1), two = numbers(2);
  const auto run = [&](const at::Tensor& data) {
    f.device.log.clear();
    return first(recorder.run(std::vector{data, parameter}, std::ref(f.scaled)).front());
  };
  CHECK(run(one) == 12);
  CHECK(f.device.log.empty());
  CHECK(run(two) == 14);
  CHECK((f.device.log == Log{"aside", "open", "begin", "end", "close", "back"}));
  CHECK(run(one) == 12);
  CHECK((f.device.log == Log{"wait", "launch", "finish"}));
  CHECK(f.scaled.plain_runs == 2);
  CHECK(f.counts->recorded == 1);
  CHECK(f.counts->replayed == 1);
}

TEST_CASE("a replay sees parameters that were updated in place and those that were swapped") {
  Fixture f;
  Recorder recorder = f.recorder();
  at::Tensor parameter = numbers(10);
  const at::Tensor one = numbers(1), two = numbers(2);
  const auto run = [&](const at::Tensor& data, const at::Tensor& with) {
    return first(recorder.run(std::vector{data, with}, std::ref(f.scaled)).front());
  };
  run(one, parameter);
  run(two, parameter);
  parameter.add_(5);
  CHECK(run(one, parameter) == 17);
  CHECK(f.counts->replayed == 1);
  const at::Tensor other = numbers(100);
  CHECK(run(one, other) == 102);  // records again, at the new address
  CHECK(f.counts->recorded == 2);
  CHECK(run(two, other) == 104);
  CHECK(f.counts->replayed == 2);
  CHECK(run(two, parameter) == 19);  // moves often, so that it is copied from now on
  CHECK(f.counts->recorded == 3);
  CHECK(run(two, other) == 104);
  CHECK(run(one, parameter) == 17);
  CHECK(f.counts->recorded == 3);
  CHECK(f.counts->replayed == 4);
}

TEST_CASE("results of a replay do not change later") {
  Fixture f;
  Recorder recorder = f.recorder();
  const at::Tensor parameter = numbers(10), one = numbers(1), two = numbers(2);
  std::vector<at::Tensor> kept;
  for (const at::Tensor& data : {one, two, one, two, one}) {
    kept.push_back(recorder.run(std::vector{data, parameter}, std::ref(f.scaled)).front());
  }
  for (size_t i = 0; i < kept.size(); ++i) CHECK(first(kept[i]) == (i % 2 == 0 ? 12 : 14));
}

TEST_CASE("a failed capture leaves everything as before and is not repeated") {
  for (const std::string at : {"open", "begin", "run", "end"}) {
    CAPTURE(at);
    Fixture f;
    Recorder recorder = f.recorder();
    const at::Tensor parameter = numbers(10);
    f.run(recorder, 1, parameter);
    (at == "run" ? f.scaled.failing_capture : f.device.failing) = at == "run" ? "no run today" : at;
    CHECK(f.run(recorder, 2, parameter) == 14);
    CHECK_FALSE(f.device.is_capturing);
    CHECK(f.device.references == 0);
    CHECK(f.device.log.back() == (at == "open" ? "back" : "release"));
    const auto count = [&](const char* call) {
      return std::count(f.device.log.begin(), f.device.log.end(), call);
    };
    CHECK(count("close") == (at == "open" ? 0 : 1));
    CHECK(count("back") == 1);
    CHECK(count("abandon") == (at == "run" ? 1 : 0));
    CHECK(recorder.refusal() == "no " + at + " today");
    f.device.failing.clear();
    f.scaled.failing_capture.clear();
    CHECK(f.run(recorder, 3, parameter) == 16);
    CHECK(f.counts->recorded == 0);
  }
}

TEST_CASE("a run that fails before it is recorded is recorded later, for its own inputs") {
  Fixture f;
  Recorder recorder = f.recorder();
  const at::Tensor first_parameter = numbers(10), other = numbers(100), data = numbers(1);
  bool fails = false;
  const auto run = [&](const at::Tensor& parameter) {
    const auto plain = [&](at::TensorList inputs) {
      TORCH_CHECK(!fails, "no");
      return f.scaled(inputs);
    };
    return first(recorder.run(std::vector{data, parameter}, plain).front());
  };
  run(first_parameter);
  fails = true;
  CHECK_THROWS_AS(run(first_parameter), c10::Error);
  fails = false;
  CHECK(run(first_parameter) == 12);
  CHECK(run(first_parameter) == 12);
  CHECK(f.counts->replayed == 1);
  fails = true;
  CHECK_THROWS_AS(run(other), c10::Error);
  fails = false;
  CHECK(run(other) == 102);
  CHECK(run(other) == 102);
  CHECK(run(first_parameter) == 12);
  CHECK(f.counts->replayed == 2);
}

TEST_CASE("an error of a replay is reported and the next run goes on") {
  Fixture f;
  Recorder recorder = f.recorder();
  const at::Tensor parameter = numbers(10), data = numbers(1);
  const auto run = [&] {
    return first(recorder.run(std::vector{data, parameter}, std::ref(f.scaled)).front());
  };
  run();
  run();
  f.device.failing = "launch";
  CHECK_THROWS_AS(run(), c10::Error);
  f.device.failing.clear();
  CHECK(run() == 12);
}

TEST_CASE("the least recently used recording is dropped and made again") {
  Fixture f(std::nullopt, 2);
  std::vector<std::unique_ptr<Recorder>> recorders;
  const at::Tensor parameter = numbers(10), data = numbers(1);
  const auto run = [&](size_t i) {
    return first(recorders[i]->run(std::vector{data, parameter}, std::ref(f.scaled)).front());
  };
  for (size_t i = 0; i < 3; ++i) {
    recorders.push_back(std::make_unique<Recorder>(f.all, f.counts, 0, SIZE_MAX));
    run(i);
    run(i);
    if (i == 1) run(0);  // more recently used than 1
  }
  CHECK(f.all->size() == 2);
  CHECK(f.device.references == 2);
  CHECK(f.counts->recorded == 3);
  CHECK(run(0) == 12);
  CHECK(f.counts->recorded == 3);
  CHECK(run(1) == 12);
  CHECK(f.counts->recorded == 4);
  CHECK(f.all->size() == 2);
  recorders.clear();
  CHECK(f.all->size() == 0);
  CHECK(f.device.references == 0);
}

TEST_CASE("the memory of recordings counts, and none is made beyond the limit") {
  Fixture f(250);
  std::vector<std::unique_ptr<Recorder>> recorders;
  const at::Tensor parameter = numbers(10), data = numbers(1);
  const auto run = [&](size_t i) {
    return first(recorders[i]->run(std::vector{data, parameter}, std::ref(f.scaled)).front());
  };
  for (size_t i = 0; i < 3; ++i) {
    recorders.push_back(std::make_unique<Recorder>(f.all, f.counts, 0, SIZE_MAX));
    run(i);
    CHECK(run(i) == 12);
    CHECK(f.meter->allocated() == (i < 2 ? 100 * static_cast<int64_t>(i + 1) : 0));
  }
  CHECK(f.all->size() == 0);
  CHECK(recorders[2]->refusal() == "recordings need more memory than memory_limit allows");
  CHECK(run(2) == 12);
  CHECK(run(0) == 12);  // fits alone, and is made again
  CHECK(run(0) == 12);
  CHECK(f.all->size() == 1);
  CHECK(f.meter->allocated() == 100);
  recorders.clear();
  f.all.reset();
  CHECK(f.meter->allocated() == 0);
}

TEST_CASE("a run within the user's own capture is plain") {
  Fixture f;
  Recorder recorder = f.recorder();
  const at::Tensor parameter = numbers(10);
  for (int i = 0; i < 3; ++i) f.run(recorder, 1, parameter);
  f.device.captured_by_user = true;
  f.device.log.clear();
  const int before = f.scaled.plain_runs;
  CHECK(f.run(recorder, 1, parameter) == 12);
  CHECK(f.scaled.plain_runs == before + 1);
  CHECK(f.device.log.empty());
}

TEST_CASE("outputs that the backward half reads are not copied or overwritten") {
  Fixture f;
  Recorder forward(f.all, f.counts, 0, 0);
  const at::Tensor parameter = numbers(10), one = numbers(1), two = numbers(2);
  const auto run = [&](const at::Tensor& data) {
    return forward.run(std::vector{data, parameter}, std::ref(f.scaled)).front();
  };
  run(one);
  run(two);
  at::Tensor saved = run(one);
  const void* there = saved.const_data_ptr();
  const at::Tensor second = run(two);  // `saved` is still needed
  CHECK(f.counts->replayed == 1);
  CHECK(first(saved) == 12);
  CHECK(first(second) == 14);
  saved.reset();
  CHECK(run(two).const_data_ptr() == there);
  CHECK(f.counts->replayed == 2);
}

TEST_CASE("the backward half waits for the forward half to replay") {
  Fixture f;
  Recorder backward(f.all, f.counts, 1, SIZE_MAX);
  const at::Tensor replayed = numbers(1), plain = numbers(2), gradient = numbers(10);
  const auto run = [&](const at::Tensor& saved) {
    f.device.log.clear();
    return first(backward.run(std::vector{saved, gradient}, std::ref(f.scaled)).front());
  };
  CHECK(run(plain) == 14);
  CHECK(f.device.log == Log{"finish"});  // the forward half may overwrite `saved` after this
  CHECK(run(replayed) == 12);
  CHECK(f.counts->recorded == 0);
  CHECK(run(replayed) == 12);
  CHECK(f.counts->recorded == 1);
  CHECK(run(plain) == 14);
  CHECK(run(replayed) == 12);  // returns to its address: nothing is recorded again
  CHECK(f.counts->recorded == 1);
  CHECK(f.counts->replayed == 1);
}

TEST_CASE("a replay updates its inputs in place, wherever they are") {
  Fixture f;
  Recorder recorder(f.all, f.counts, 0, SIZE_MAX, {0});
  const auto run = [&](at::TensorList inputs) {
    if (!f.device.is_capturing) inputs[0].add_(inputs[1]);
    f.device.relaunch = [sum = inputs[0], by = inputs[1]] { sum.add_(by); };
    return std::vector<at::Tensor>{inputs[0]};
  };
  at::Tensor here = numbers(0), there = numbers(100);
  const at::Tensor one = numbers(1);
  for (int i = 0; i < 4; ++i) {
    for (at::Tensor* sum : {&here, &there}) {
      const auto version = sum->_version();
      CHECK((recorder.run(std::vector{*sum, one}, run)[0].is_same(*sum)));
      CHECK(sum->_version() > version);
    }
  }
  CHECK(first(here) == 4);
  CHECK(first(there) == 104);
  CHECK(f.counts->replayed > 0);  // with a buffer, as the input moves each time
}

TEST_CASE("an input that is an output is returned, and not kept") {
  Fixture f;
  Recorder recorder = f.recorder();
  at::Tensor parameter = numbers(10);
  const at::Tensor data = numbers(1);
  const auto run = [&](at::TensorList inputs) {
    std::vector<at::Tensor> made = f.scaled(inputs);
    made.push_back(inputs[1]);
    return made;
  };
  for (int i = 0; i < 3; ++i) {
    CHECK((recorder.run(std::vector{data, parameter}, run)[1].is_same(parameter)));
  }
  CHECK(f.counts->replayed == 1);
}

}  // namespace mithril::tests
