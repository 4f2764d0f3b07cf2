// Learns to turn noise into points of eight clusters, and samples with one compiled loop. A network
// learns which noise was added to a point (Ho, Jain, Abbeel, "Denoising diffusion probabilistic
// models", 2020). The sampler is that of Song, Meng, Ermon, "Denoising diffusion implicit models",
// 2021: an ml::Scan that removes the noise in `steps` steps, with the point as its carry. The
// program prints the share of samples that lie within three deviations of a cluster and how evenly
// they fill the clusters, and fails if these are 0.9 or less, or 0.8 or less.
// examples/python/sample_diffusion.py is the same program. Usage: sample_diffusion
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

constexpr int64_t steps = 40, hidden = 64, count = 512;  // count: points of a batch
constexpr double deviation = 0.1, pi = std::numbers::pi;

using Point = std::array<double, 2>;

Point centre(int64_t cluster) {
  const double angle = static_cast<double>(cluster) * pi / 4;
  return {2 * std::cos(angle), 2 * std::sin(angle)};
}

// The share of the variance that is signal, a cosine schedule. Time 0: no noise, 1: almost nothing
// but noise.
double signal(double time) { return std::pow(std::cos(time * 0.98 * pi / 2), 2); }

ml::Bindings with_weights(ml::Bindings ports) {
  for (const char* layer : {"_x", "_time", "0", "1", "_out"}) {
    for (const char* kind : {"w", "b"})
      ports.emplace_back(kind + std::string(layer), kind + std::string(layer));
  }
  return ports;
}

ml::Call linear(int64_t size, const std::string& layer, const ml::Binding& input,
                const std::string& output) {
  return ml::Linear({.dimension = size})(
      {{"input", input}, {"weight", "w" + layer}, {"bias", "b" + layer}, {"output", output}});
}

// The network: x [N, 2] and time [N, 1] or [1, 1] to the noise in x [N, 2].
ml::Model compose_denoiser() {
  ml::Model net;
  net |= linear(hidden, "_x", "x", "of_x");
  const ml::Tensor frequencies =
      ml::Tensor::of({6}, std::vector<double>{pi, pi, 2 * pi, 2 * pi, 4 * pi, 4 * pi});
  const ml::Tensor phases =
      ml::Tensor::of({6}, std::vector<double>{0, pi / 2, 0, pi / 2, 0, pi / 2});
  net |= linear(hidden, "_time", (net.add_input("time") * frequencies + phases).sin(), "of_time");
  net |= ml::SiLU()({{"input", net["of_x"] + net["of_time"]}, {"output", "h0"}});
  net |= linear(hidden, "0", "h0", "a0");
  net |= ml::SiLU()({{"input", "a0"}, {"output", "h1"}});
  net |= linear(hidden, "1", "h1", "a1");
  net |= ml::SiLU()({{"input", "a1"}, {"output", "h2"}});
  net |= linear(2, "_out", "h2", "noise");
  return net;
}

// The loop: noise x [N, 2] to samples [N, 2].
ml::Model compose_sampler() {
  ml::Model step;
  step |= compose_denoiser()(with_weights({{"x", "x"}, {"time", "time"}, {"noise", "noise"}}));
  const ml::Connection now = step.add_input("now"), before = step.add_input("before");
  const ml::Connection noise = step["noise"];
  const ml::Connection clean = (step["x"] - (1 - now).sqrt() * noise) / now.sqrt();
  step |= ml::Buffer()(
      {{"input", before.sqrt() * clean + (1 - before).sqrt() * noise}, {"output", "x_next"}});
  const ml::Model loop = ml::Scan(
      step, {.carry = {{"x", "x_next"}}, .sequences = {"time", "now", "before"}, .reverse = true});
  std::vector<double> time, at, after;
  for (int64_t i = 1; i <= steps; ++i) {
    time.push_back(static_cast<double>(i) / steps);
    at.push_back(signal(time.back()));
    after.push_back(signal(static_cast<double>(i - 1) / steps));
  }
  ml::Model sampler;
  sampler |= loop(with_weights({{"x", "x"},
                                {"time", ml::Tensor::of({steps, 1, 1}, time)},
                                {"now", ml::Tensor::of({steps}, at)},
                                {"before", ml::Tensor::of({steps}, after)},
                                {"x_last", "sample"}}));
  return sampler;
}

// Points of the clusters at random times, and the noise in them.
ml::TensorMap draw_batch(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> x, time, target;
  for (int64_t i = 0; i < count; ++i) {
    time.push_back(uniform(random));
    const double share = signal(time.back());
    for (const double place : centre(static_cast<int64_t>(random() % 8))) {
      const double point = place + deviation * normal(random);
      target.push_back(normal(random));
      x.push_back(std::sqrt(share) * point + std::sqrt(1 - share) * target.back());
    }
  }
  return {{"x", ml::Tensor::of({count, 2}, x)},
          {"time", ml::Tensor::of({count, 1}, time)},
          {"target", ml::Tensor::of({count, 2}, target)}};
}

ml::TensorMap learn(std::mt19937_64& random) {
  ml::TrainModel train(compose_denoiser());
  train.add_loss(ml::SquaredError(), {{"input", "noise"}, {"target", "target"}},
                 {.reduce_steps = {ml::Mean()}});
  const auto compiled = ml::compile(
      train, ml::cpu(),
      {.shapes = {{"x", {ml::any, 2}}, {"time", {ml::any, 1}}}, .data_keys = {"x", "time"}});
  ml::TensorMap params = compiled.get_parameters(0);
  ml::Adam optimizer({.lr = ml::CosineSchedule{.lr = 5e-3, .steps = 2001}});
  ml::TrainingStep step(compiled, optimizer);
  for (int number = 0; number <= 2000; ++number) {
    const double loss = step(params, draw_batch(random)).at("final_cost").item();
    if (number % 500 == 0) std::printf("step %4d: loss %.3f\n", number, loss);
  }
  return params;
}

bool samples_fill_the_clusters() {
  std::mt19937_64 random(0);
  const ml::TensorMap params = learn(random);
  const auto compiled = ml::compile(compose_sampler(), ml::cpu(),
                                    {.shapes = {{"x", {ml::any, 2}}}, .inference = true});
  constexpr int64_t drawn = 2000;
  const ml::Tensor noise = ml::Tensor::randn({drawn, 2}, 1);
  const ml::Tensor samples = compiled.infer(params, {{"x", noise}}).at("sample");
  std::array<int64_t, 8> counts{};
  int64_t near = 0;
  for (int64_t i = 0; i < drawn; ++i) {
    std::array<double, 8> distances{};
    for (int64_t cluster = 0; cluster < 8; ++cluster) {
      const Point at = centre(cluster);
      distances[static_cast<size_t>(cluster)] =
          std::hypot(samples.at_as_double(2 * i) - at[0], samples.at_as_double(2 * i + 1) - at[1]);
    }
    const auto nearest = std::min_element(distances.begin(), distances.end());
    ++counts[static_cast<size_t>(nearest - distances.begin())];
    near += *nearest < 3 * deviation ? 1 : 0;
  }
  const double share = static_cast<double>(near) / drawn;
  const double rarest = static_cast<double>(*std::min_element(counts.begin(), counts.end()));
  const double evenness = rarest * 8 / drawn;
  std::printf("samples near a cluster: %.3f; the rarest cluster has %.2f of its share\n", share,
              evenness);
  return share > 0.9 && evenness > 0.8;
}

}  // namespace

int main() try { return samples_fill_the_clusters() ? 0 : 1; } catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
