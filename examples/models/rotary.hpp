// Rotary embeddings that are scaled for texts which are longer than the texts of the training:
// rotary.py.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "mithril/mithril.hpp"

namespace rotary {

// The settings in Hugging Face's config.json.
struct Scaling {
  std::string type = "default";  // "linear", "llama3" or "yarn"
  double factor = 1;
  double original_max_position_embeddings = 8192;    // llama3 and yarn
  double low_freq_factor = 1, high_freq_factor = 4;  // llama3
  double beta_fast = 32, beta_slow = 1;              // yarn
  bool truncate = true;                              // yarn
  std::optional<double> attention_factor = {};       // yarn; empty: as the paper says
};

// Interpolates between the frequency (share 0) and the frequency divided by the factor (share 1).
inline double interpolated(double frequency, double factor, double share) {
  share = std::clamp(share, 0.0, 1.0);
  return frequency * (1 - share + share / factor);
}

// The frequencies of Llama 3.1: pairs that turn rarely within a text of the training are slower.
inline void scale_llama3(const Scaling& scaling, std::vector<double>& frequencies) {
  for (double& each : frequencies) {
    const double turns = scaling.original_max_position_embeddings * each / (2 * std::numbers::pi);
    const double range = scaling.high_freq_factor - scaling.low_freq_factor;
    each = interpolated(each, scaling.factor, (scaling.high_freq_factor - turns) / range);
  }
}

// https://arxiv.org/abs/2309.00071
inline void scale_yarn(const Scaling& scaling, double theta, std::vector<double>& frequencies) {
  const auto count = static_cast<double>(frequencies.size());
  // The pair that turns as often within a text of the training.
  const auto pair = [&](double turns) {
    const double length = scaling.original_max_position_embeddings;
    return count * std::log(length / (2 * std::numbers::pi * turns)) / std::log(theta);
  };
  double first = pair(scaling.beta_fast), last = pair(scaling.beta_slow);
  if (scaling.truncate) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, 2 * count - 1);
  const double width = last == first ? 0.001 : last - first;
  double i = 0;
  for (double& each : frequencies) each = interpolated(each, scaling.factor, (i++ - first) / width);
}

// The angle of each pair of the elements at position 1.
inline std::vector<double> frequencies(const Scaling& scaling, double theta, int64_t elements) {
  std::vector<double> result;
  const auto size = static_cast<double>(elements);
  for (int64_t i = 0; i < elements; i += 2)
    result.push_back(std::pow(theta, -static_cast<double>(i) / size));
  if (scaling.type == "llama3") scale_llama3(scaling, result);
  if (scaling.type == "yarn") scale_yarn(scaling, theta, result);
  if (scaling.type == "linear") {
    for (double& each : result) each /= scaling.factor;
  }
  return result;
}

// YaRN makes queries and keys longer.
inline double attention_factor(double factor, double scale = 1) {
  return 1 + 0.1 * scale * std::log(std::max(factor, 1.0));
}

// https://arxiv.org/abs/2104.09864
inline mithril::Connection rotated(const mithril::Connection& x,
                                   const mithril::Connection& positions, const Scaling& scaling,
                                   double theta, int64_t elements) {
  mithril::RotaryEmbeddingOptions options{.use_positions = true};
  if (scaling.type == "default") options.base = theta;
  if (scaling.type != "default") options.frequencies = frequencies(scaling, theta, elements);
  const mithril::Model rotation = mithril::RotaryEmbedding(options);
  const mithril::Connection result =
      rotation.apply(mithril::Bindings{{"input", x}, {"positions", positions}})[0];
  if (scaling.type != "yarn") return result;
  const double length = scaling.attention_factor.value_or(attention_factor(scaling.factor));
  return length == 1 ? result : result * length;
}

}  // namespace rotary
