#include "mithril/training/load_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "mithril/backend/backend.hpp"
#include "mithril/base/key_patterns.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/training/assemble_weights.hpp"
#include "mithril/training/checkpoint.hpp"

namespace mithril {
namespace {

constexpr std::size_t most_with_advice = 50;  // nearest names take time

using Captures = std::vector<std::string_view>;

// Whether the name matches. Appends the text that each '*' and '?' matched. Only the last '*' so
// far ever needs to match more.
bool matches(std::string_view pattern, std::string_view name, Captures& captures) {
  std::optional<std::size_t> star;  // the last one so far
  std::size_t p = 0, n = 0, count = 0, begin = 0;
  while (n < name.size() || p < pattern.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      begin = n;
      captures.push_back(name.substr(n, 0));
      count = captures.size();
    } else if (p < pattern.size() && n < name.size() &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      if (pattern[p] == '?') captures.push_back(name.substr(n, 1));
      ++p, ++n;
    } else {
      if (!star || begin + captures[count - 1].size() == name.size()) return false;
      captures.resize(count);
      captures.back() = name.substr(begin, captures.back().size() + 1);
      n = begin + captures.back().size();
      p = *star + 1;
    }
  }
  return true;
}

std::string filled(std::string_view pattern, const Captures& captures) {
  std::string text;
  std::size_t next = 0;
  for (const char c : pattern) {
    if ((c == '*' || c == '?') && next < captures.size()) {
      text += captures[next++];
    } else {
      text += c;
    }
  }
  return text;
}

WeightSource source_of(const std::string& key, const WeightOptions& options) {
  for (const auto& [pattern, source] : options.name_map) {
    Captures captures;
    if (!matches(pattern, key, captures)) continue;
    WeightSource found = source;
    for (std::string& name : found.names) name = filled(name, captures);
    return found;
  }
  return key;
}

class WeightLoader {
 public:
  WeightLoader(const CompiledModel& model, const TensorMap& saved, const WeightOptions& options)
      : model_(model),
        options_(options),
        saved_(options.prefix.empty() ? saved.share() : saved.without_prefix(options.prefix)) {}

  LoadedWeights load() {
    for (const auto& [key, shape] : model_.shapes()) shapes_[key] = to_string(shape);
    const std::vector<std::string> keys = model_.parameter_keys();
    State state = model_.initial_state_dict();
    check_name_map(keys, state);
    std::vector<TensorMap::Item> found;
    for (const std::string& key : keys) find(key, found);
    TensorMap given(std::move(found));
    if (!keys.empty() && report_.missing.size() == keys.size() && !options_.strict)
      refuse_other_names(keys);
    const std::vector<std::string> missing = report_.missing;
    load_state(state);
    accept_unneeded();
    find_unexpected();
    if (options_.strict) state_missing_and_unexpected();
    if (!options_.strict && !missing.empty()) {
      const TensorMap initial = model_.get_parameters();
      for (const std::string& key : missing) given[key] = initial.at(key);
    }
    TensorMap params = converted(given);
    return {std::move(params), std::move(state), std::move(report_)};
  }

 private:
  // NameError E0623 for a pattern that matches no parameter.
  void check_name_map(std::vector<std::string> keys, const State& state) const {
    for (const auto& item : state) keys.push_back(item.key());
    for (const std::string& key : model_.unneeded_keys()) keys.push_back(key);
    std::vector<ParameterGroup> patterns;
    for (const auto& [pattern, source] : options_.name_map)
      patterns.push_back({.pattern = pattern});
    check_patterns(patterns, keys);
  }

  [[noreturn]] void refuse_other_names(const std::vector<std::string>& keys) const {
    const auto some = [](std::vector<std::string> names) {
      constexpr std::size_t most = 5;
      if (names.size() > most) {
        names.resize(most);
        names.emplace_back("...");
      }
      return names.empty() ? std::string("none") : join(names, ", ");
    };
    raise({.kind = ErrorKind::state,
           .code = "E0901",
           .message = "no tensor of the state dict has the name of a parameter",
           .facts = {{"parameters", some(keys)}, {"stored", some(saved_.keys())}},
           .help = "give the stored names with prefix or name_map"});
  }

  // Running statistics are floats. Random keys are ints, and need not be stored.
  void load_state(State& state) {
    for (auto& [key, tensor] : state) {
      const bool is_statistic = is_floating(tensor.dtype());
      shapes_[key] = to_string(tensor.dims());
      std::vector<TensorMap::Item> found;
      const std::size_t missing = report_.missing.size(), wrong = wrong_.size();
      const std::vector<std::string> names = source_of(key, options_).names;
      const bool is_ignored_here = std::any_of(names.begin(), names.end(), [&](const auto& name) {
        return !options_.return_state && is_ignored(name);
      });
      if (!is_ignored_here) find(key, found);
      const bool is_missing = report_.missing.size() > missing;
      if (is_missing && !(options_.return_state && is_statistic)) {
        report_.missing.pop_back();
        missing_names_.pop_back();
      }
      if (found.empty()) continue;
      if (!options_.return_state) {
        if (is_statistic) wrong_.push_back({"state", key + " " + shapes_[key], ""});
        continue;
      }
      const Tensor& given = found.front().tensor();
      if (given.dims() != tensor.dims()) {
        wrong_.push_back({"mismatched", key + " " + dtype_and_dims(given),
                          "expected " + dtype_and_dims(tensor)});
      } else if (wrong == wrong_.size()) {
        tensor = model_.backend()->adopt(given.host().to(tensor.dtype()).copy(), false);
      }
    }
  }

  void find(const std::string& key, std::vector<TensorMap::Item>& found) {
    const WeightSource source = source_of(key, options_);
    std::vector<Tensor> tensors;
    for (const std::string& name : source.names) {
      const Tensor* tensor = saved_.find(name);
      if (!tensor) return add_missing(key, name);
      tensors.push_back(*tensor);
    }
    if (tensors.empty()) return add_missing(key, "");
    try {
      Tensor made = assembled(source, tensors);
      // Tied weights become parameters of their own: a training step writes to each.
      const bool is_second = !used_.insert(source.names.front()).second;
      used_.insert(source.names.begin(), source.names.end());
      if (is_second && !changes_elements(source)) made = made.copy();
      found.emplace_back(key, std::move(made));
    } catch (const RuleMismatch& mismatch) {
      used_.insert(source.names.begin(), source.names.end());
      wrong_.push_back({"mismatched", key + " " + shapes_[key],
                        fmt::format("{} {} {}", source.names.front(),
                                    dtype_and_dims(tensors.front()), mismatch.why)});
    }
  }

  void add_missing(const std::string& key, const std::string& name) {
    report_.missing.push_back(key);
    missing_names_.push_back(name);
  }

  bool is_ignored(const std::string& name) const {
    return std::any_of(options_.ignore.begin(), options_.ignore.end(),
                       [&](const auto& pattern) { return mithril::matches(pattern, name); });
  }

  // A copy that shares an embedding, as lm_head.weight does.
  bool is_tied(const Tensor& tensor) const {
    return std::any_of(used_.begin(), used_.end(), [&](const std::string& name) {
      const Tensor& other = saved_.at(name);
      return other.dims() == tensor.dims() && tensor.size() > 1 &&
             identical(other.host(), tensor.host());
    });
  }

  // The weights of the whole model load into one with fewer outputs.
  void accept_unneeded() {
    for (const std::string& key : model_.unneeded_keys()) {
      for (const std::string& name : source_of(key, options_).names)
        if (saved_.find(name)) used_.insert(name);
    }
  }

  void find_unexpected() {
    for (const auto& [name, tensor] : saved_) {
      if (used_.contains(name) || is_ignored(name)) continue;
      if (is_tied(tensor)) {
        report_.tied.push_back(name);
        continue;
      }
      report_.unexpected.push_back(name);
    }
  }

  // Unused names are near missing ones, and the other way round.
  void state_missing_and_unexpected() {
    for (std::size_t i = 0; i < report_.missing.size(); ++i) {
      const std::string &key = report_.missing[i], &name = missing_names_[i];
      std::string advice = name == key ? "" : "from " + name;
      const std::string near = i < most_with_advice ? did_you_mean(name, report_.unexpected) : "";
      if (!near.empty()) advice += (advice.empty() ? "" : "; ") + near;
      wrong_.push_back({"missing", key + " " + shapes_[key], advice});
    }
    for (std::size_t i = 0; i < report_.unexpected.size(); ++i) {
      const std::string& name = report_.unexpected[i];
      wrong_.push_back({"unknown", name + " " + to_string(saved_.at(name).dims()),
                        i < most_with_advice ? did_you_mean(name, missing_names_) : ""});
    }
  }

  // In the dtypes of the model; all faults are in one error.
  TensorMap converted(const TensorMap& given) {
    TensorMap params;
    try {
      params = model_.load_state_dict(given);
    } catch (const StateError& error) {
      if (error.code() != "E0901") throw;
      for (const Fact& fact : error.details().facts) {
        if (fact.label == "mismatched") wrong_.push_back(fact);
      }
    }
    if (!wrong_.empty()) {
      const auto order = [](const Fact& fact) {
        return fact.label == "missing" ? 0 : fact.label == "mismatched" ? 1 : 2;
      };
      const bool has_state = std::any_of(wrong_.begin(), wrong_.end(),
                                         [](const Fact& fact) { return fact.label == "state"; });
      std::stable_sort(wrong_.begin(), wrong_.end(),
                       [&](const Fact& a, const Fact& b) { return order(a) < order(b); });
      raise({.kind = ErrorKind::state,
             .code = "E0901",
             .message = "the state dict does not fit the model",
             .facts = std::move(wrong_),
             .help = has_state
                         ? "set return_state to load running statistics, or ignore to skip them"
                         : ""});
    }
    for (const auto& [key, tensor] : params) {
      const DType stored = given.at(key).dtype();
      if (stored != tensor.dtype()) report_.casts.push_back({key, stored, tensor.dtype()});
    }
    return params;
  }

  const CompiledModel& model_;
  const WeightOptions& options_;
  TensorMap saved_;
  std::vector<std::string> missing_names_;  // the stored names of report_.missing
  std::map<std::string, std::string, std::less<>> shapes_;
  std::set<std::string, std::less<>> used_;
  std::vector<Fact> wrong_;
  WeightReport report_;
};

}  // namespace

LoadedWeights load_weights(const CompiledModel& model, const TensorMap& saved,
                           const WeightOptions& options) {
  return WeightLoader(model, saved, options).load();
}

TensorMap with_state(const TensorMap& params, const State& state) {
  TensorMap all = params.share();
  for (const auto& [key, tensor] : state)
    if (!all.find(key)) all[key] = tensor;
  return all;
}

LoadedWeights load_weights(const CompiledModel& model, const std::string& path,
                           const WeightOptions& options) {
  const Checkpoint saved = load(path);
  return load_weights(model, with_state(saved.params, saved.state), options);
}

}  // namespace mithril
