// What a group of several processes adds to the time of `compile` and of the program of a step.
// Prints the median of the processor times of one thread, in milliseconds, without and with a group
// of two processes, and the median of the ratios of interleaved rounds. Exchanges cost nothing
// here: the other process of the group sends the bytes of this one.
// Usage: compile_with_group [ROUNDS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
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
  std::chrono::milliseconds timeout() const override { return std::chrono::minutes(1); }
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

  ml::CompiledModel compile(const std::shared_ptr<ml::Communicator>& group) const {
    return ml::compile(train, ml::cpu(), {.shapes = shapes, .group = group});
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
  return {"mlp_3_layers", with_loss(net, "scores", "y"), {{"x", {ml::any, 784}}}};
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
          {{"input_ids", {ml::any, length}}, {"targets", {ml::any, length}}}};
}

Case cnn() {
  ml::Model net;
  net |=
      resnet::model(resnet::resnet_34())({{"pixel_values", "pixel_values"}, {"logits", "logits"}});
  return {"resnet_34", with_loss(net, "logits", "y"), {{"pixel_values", {ml::any, 3, 224, 224}}}};
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

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void print(const char* name, const char* what, int rounds,
           const std::function<double(const std::shared_ptr<ml::Communicator>&)>& measure) {
  const auto group = std::make_shared<Twins>();
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
  for (const Case& each : {mlp(), gpt(), cnn()}) {
    each.compile(nullptr);
    print(each.name, "compile", rounds, [&](const std::shared_ptr<ml::Communicator>& group) {
      return milliseconds([&] { each.compile(group); });
    });
    print(each.name, "step", rounds, [&](const std::shared_ptr<ml::Communicator>& group) {
      const ml::CompiledModel compiled = each.compile(group);
      ml::Adam optimizer({.lr = 1e-3});
      return milliseconds([&] { ml::TrainingStep(compiled, optimizer); });
    });
  }
}
