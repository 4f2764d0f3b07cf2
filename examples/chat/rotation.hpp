// The settings of rotary embeddings in the config.json of Hugging Face.
#pragma once
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "examples/models/llama.hpp"

namespace checkpoint {

// rope_scaling or rope_parameters. std::runtime_error for values that no rotation has.
class RotarySettings {
 public:
  explicit RotarySettings(const nlohmann::json& fields) {
    const bool is_old = !fields.value("rope_scaling", nlohmann::json()).empty();
    name_ = is_old ? "rope_scaling" : "rope_parameters";
    const nlohmann::json given = fields.value(name_, nlohmann::json());
    if (!given.is_object() && !given.is_null())
      throw std::runtime_error("config.json: " + name_ + " is " + given.dump() +
                               ", expected an object");
    for (const auto& [key, value] : given.items()) {
      if (!value.is_null()) unread_[key] = value;
    }
  }

  std::string type() {
    const std::string key = unread_.contains("rope_type") ? "rope_type" : "type";
    const nlohmann::json type = unread_.value(key, nlohmann::json("default"));
    for (const char* known : {"default", "linear", "llama3", "yarn"}) {
      if (type == known) return known;
    }
    refuse(key, type, "default, linear, llama3 or yarn");
  }

  double number(const std::string& key, std::optional<double> fallback = {}) {
    const nlohmann::json value = taken(key);
    if (value.is_null() && fallback) return *fallback;
    if (!value.is_number() || !(value.get<double>() > 0)) refuse(key, value, "a number above 0");
    return value.get<double>();
  }
  std::optional<double> optional(const std::string& key) {
    if (!unread_.contains(key)) return {};
    return number(key);
  }
  bool flag(const std::string& key, bool fallback) {
    const nlohmann::json value = taken(key);
    if (!value.is_null() && !value.is_boolean()) refuse(key, value, "true or false");
    return value.is_null() ? fallback : value.get<bool>();
  }

  void refuse_unread() const {
    // transformers does not read these, either.
    constexpr std::array without_effect = {"rope_type", "type", "finetuned",
                                           "original_max_position_embeddings"};
    for (const auto& [key, value] : unread_.items()) {
      const bool is_whole = key == "partial_rotary_factor" && value == 1;
      if (!is_whole && !std::count(without_effect.begin(), without_effect.end(), key))
        refuse(key, value, "null");
    }
  }

  [[noreturn]] void refuse(const std::string& key, const nlohmann::json& got,
                           const std::string& expected) const {
    throw std::runtime_error("config.json: " + name_ + ": " + key + " is " + got.dump() +
                             ", expected " + expected);
  }

 private:
  nlohmann::json taken(const std::string& key) {
    const nlohmann::json value = unread_.value(key, nlohmann::json());
    unread_.erase(key);
    return value;
  }

  std::string name_;
  nlohmann::json unread_ = nlohmann::json::object();
};

// The positions that the model was trained for.
inline double trained_length(const nlohmann::json& fields, RotarySettings& settings) {
  const std::string key = "original_max_position_embeddings";
  const nlohmann::json stated = fields.value(key, nlohmann::json());
  if (stated.is_number()) return stated.get<double>();
  const nlohmann::json longest = fields.value("max_position_embeddings", nlohmann::json());
  if (longest.is_number()) return settings.number(key, longest.get<double>());
  return settings.number(key);
}

inline void read_llama3(RotarySettings& settings, rotary::Scaling& scaling) {
  scaling.low_freq_factor = settings.number("low_freq_factor");
  scaling.high_freq_factor = settings.number("high_freq_factor");
  if (scaling.high_freq_factor <= scaling.low_freq_factor)
    settings.refuse("high_freq_factor", scaling.high_freq_factor, "more than low_freq_factor");
}

inline void read_yarn(RotarySettings& settings, rotary::Scaling& scaling) {
  scaling.beta_fast = settings.number("beta_fast", scaling.beta_fast);
  scaling.beta_slow = settings.number("beta_slow", scaling.beta_slow);
  scaling.truncate = settings.flag("truncate", scaling.truncate);
  const std::optional<double> scale = settings.optional("mscale"),
                              of_all = settings.optional("mscale_all_dim");
  if (scale && of_all)
    scaling.attention_factor = rotary::attention_factor(scaling.factor, *scale) /
                               rotary::attention_factor(scaling.factor, *of_all);
  if (const std::optional<double> stated = settings.optional("attention_factor"))
    scaling.attention_factor = stated;
}

inline void read_rotation(const nlohmann::json& fields, llama::Config& config) {
  RotarySettings settings(fields);
  rotary::Scaling scaling{.type = settings.type()};
  config.rope_theta = settings.number("rope_theta", config.rope_theta);
  const bool is_yarn = scaling.type == "yarn";
  std::optional<double> factor;
  if (is_yarn || scaling.type == "llama3")
    scaling.original_max_position_embeddings = trained_length(fields, settings);
  if (is_yarn && fields.contains("max_position_embeddings"))
    factor =
        fields["max_position_embeddings"].get<double>() / scaling.original_max_position_embeddings;
  if (scaling.type != "default") scaling.factor = settings.number("factor", factor);
  if (scaling.type == "llama3") read_llama3(settings, scaling);
  if (is_yarn) read_yarn(settings, scaling);
  settings.refuse_unread();
  config.rope_scaling = scaling;
}

}  // namespace checkpoint
