// What a group of several processes adds to the time of `compile`, of the program of a step, and of
// all that comes before the first step: these two, and the plan for the sizes of the first batch.
// Prints the median of the processor times of one thread, in milliseconds, without and with a group
// of two processes, and the median of the ratios of interleaved rounds. Exchanges cost nothing
// here: the other process of the group sends the bytes of this one.
// Usage: compile_with_group [ROUNDS] [NAME ...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../examples/models/gpt2.hpp"
#include "../examples/models/resnet.hpp"
#include "mithril/distributed/communicator.hpp"

namespace ml = mithril;

namespace {

// Process 0 of two that do the same.
class Twins final : public ml::Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  const std::string& name() const override { return name_; }
  std::unique_ptr<ml::PendingCollective> start_all_reduce(void*, ml::DType, std::int64_t,
                                                          ml::Reduction) override {
    return std::make_unique<Done>();
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    for (int i = 0; i < size(); ++i)
      std::memcpy(all.data() + static_cast<std::size_t>(i) * mine.size(), mine.data(), mine.size());
  }
  void broadcast(std::span<std::byte>, int) override {}
  void barrier() override {}
  void abandon(const std::string&) noexcept override {}

 private:
  struct Done final : ml::PendingCollective {
    void wait() override {}
  };
  std::shared_ptr<ml::Communicator> make_subgroup(const std::string&,
                                                  const std::vector<int>&) override {
    return std::make_shared<Twins>();
  }
  const std::string name_ = "twins";
};

struct Case {
  const char* name;
  ml::TrainModel train;
  std::vector<std::pair<ml::KeyRef, ml::ShapeSpec>> shapes;
  ml::TensorMap row;

  ml::CompiledModel compile(const std::shared_ptr<ml::Communicator>& group) const {
    return ml::compile(train, ml::cpu({.threads = 1}), {.shapes = shapes, .group = group});
  }
};

ml::TrainModel with_loss(const ml::Model& net, const char* scores, const char* classes) {
  ml::TrainModel train(net);
  train.add_loss(ml::CrossEntropy(), {{"input", scores}, {"target", classes}});
  return train;
}

Case mlp() {
  ml::Model net;
  net |= ml::Linear({.dimension = 256})({{"input", "x"}});
  for (const int64_t width : {128, 10}) {
    net += ml::Relu();
    net += ml::Linear({.dimension = width});
  }
  net.expose_keys({{"scores", net.cout()}});
  return {
      "mlp_3_layers",
      with_loss(net, "scores", "y"),
      {{"x", {ml::any, 784}}},
      {{"x", ml::Tensor(ml::DType::float32, {1, 784})}, {"y", ml::Tensor(ml::DType::int64, {1})}}};
}

Case gpt() {
  constexpr int64_t words = 256, length = 64;
  const gpt2::Config config = {
      .vocab_size = words, .n_positions = length, .n_embd = 128, .n_layer = 4, .n_head = 4};
  ml::Model net;
  net |= gpt2::model(config)(
      {{"input_ids", "input_ids"}, {"attention_mask", "attention_mask"}, {"logits", "logits"}});
  net |= ml::Reshape({.shape = {-1, words}})({{"input", "logits"}, {"output", "scores"}});
  net |= ml::Reshape({.shape = {-1}})({{"input", "targets"}, {"output", "classes"}});
  return {"gpt_4_layers",
          with_loss(net, "scores", "classes"),
          {{"input_ids", {ml::any, length}}, {"targets", {ml::any, length}}},
          {{"input_ids", ml::Tensor(ml::DType::int64, {1, length})},
           {"targets", ml::Tensor(ml::DType::int64, {1, length})},
           {"attention_mask", ml::Tensor::full(ml::DType::boolean, {1, length}, true)}}};
}

Case cnn() {
  ml::Model net;
  net |=
      resnet::model(resnet::resnet_34())({{"pixel_values", "pixel_values"}, {"logits", "logits"}});
  constexpr int64_t width = 32;
  return {"resnet_34",
          with_loss(net, "logits", "y"),
          {{"pixel_values", {ml::any, 3, width, width}}},
          {{"pixel_values", ml::Tensor(ml::DType::float32, {1, 3, width, width})},
           {"y", ml::Tensor(ml::DType::int64, {1})}}};
}

double milliseconds(const std::function<void()>& call) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  call();
  return now() - begin;
}

// Without the time of computing a step.
double milliseconds_to_first_step(const Case& each,
                                  const std::shared_ptr<ml::Communicator>& group) {
  const ml::TensorMap& row = each.row;
  double time = 0;
  const auto add = [&](double sign, const std::function<void()>& call) {
    time += sign * milliseconds(call);
  };
  std::optional<ml::CompiledModel> compiled;
  std::optional<ml::TrainingStep> step;
  ml::Adam optimizer({.lr = 1e-3});
  add(1, [&] { compiled = each.compile(group); });
  ml::TensorMap params = compiled->get_parameters();
  add(1, [&] { step.emplace(*compiled, optimizer); });
  add(1, [&] { (*step)(params, row); });
  add(-1, [&] { (*step)(params, row); });
  return time;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void print(const char* name, const char* what, int rounds,
           const std::function<double(const std::shared_ptr<ml::Communicator>&)>& measure) {
  const auto group = std::make_shared<Twins>();
  ml::register_communicator(group);
  std::vector<double> alone, both, ratios;
  for (int i = 0; i < rounds; ++i) {
    const bool first = i % 2 == 0;
    if (first) alone.push_back(measure(nullptr));
    both.push_back(measure(group));
    if (!first) alone.push_back(measure(nullptr));
    ratios.push_back(both.back() / alone.back());
  }
  std::printf("%-13s %-8s %8.3f ms alone, %8.3f ms with a group, ratio %.3f\n", name, what,
              median(alone), median(both), median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 41;
  const std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  for (const Case& each : {mlp(), gpt(), cnn()}) {
    if (!names.empty() && std::find(names.begin(), names.end(), each.name) == names.end()) continue;
    each.compile(nullptr);
    print(each.name, "compile", rounds, [&](const std::shared_ptr<ml::Communicator>& group) {
      return milliseconds([&] { each.compile(group); });
    });
    print(each.name, "step", rounds, [&](const std::shared_ptr<ml::Communicator>& group) {
      const ml::CompiledModel compiled = each.compile(group);
      ml::Adam optimizer({.lr = 1e-3});
      return milliseconds([&] { ml::TrainingStep(compiled, optimizer); });
    });
    print(each.name, "all", rounds, [&](const std::shared_ptr<ml::Communicator>& group) {
      return milliseconds_to_first_step(each, group);
    });
  }
}
