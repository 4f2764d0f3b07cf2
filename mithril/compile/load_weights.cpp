#include "mithril/compile/load_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/compile/checkpoint.hpp"

namespace mithril {
namespace {

constexpr std::size_t most_with_advice = 50;  // nearest names take time

using Captures = std::vector<std::string_view>;

// Whether the name matches; what each '*' stands for is added to the captures.
bool matches(std::string_view pattern, std::string_view name, Captures& captures) {
  const std::size_t star = std::min(pattern.find('*'), pattern.size());
  if (name.substr(0, star) != pattern.substr(0, star)) return false;
  name.remove_prefix(star);
  if (star == pattern.size()) return name.empty();
  const std::size_t most = std::min(name.find('.'), name.size());
  for (std::size_t length = 0; length <= most; ++length) {
    captures.push_back(name.substr(0, length));
    if (matches(pattern.substr(star + 1), name.substr(length), captures)) return true;
    captures.pop_back();
  }
  return false;
}

std::string filled(std::string_view pattern, const Captures& captures) {
  std::string text;
  std::size_t next = 0;
  for (const char c : pattern) {
    if (c == '*' && next < captures.size()) {
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

// Why a rule does not fit its tensors.
struct RuleMismatch {
  std::string why;
};

void copy_block(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

Tensor with_last_axes_exchanged(const Tensor& tensor) {
  if (tensor.rank() < 2) throw RuleMismatch{"has no two axes to transpose"};
  Dims dims = tensor.dims();
  const std::int64_t rows = dims[dims.size() - 2], columns = dims.back();
  std::swap(dims[dims.size() - 2], dims.back());
  Tensor made = Tensor::empty(tensor.dtype(), dims);
  visit_dtype(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = tensor.data<T>();
    T* to = made.mutable_data<T>();
    for (std::int64_t at = 0; at < tensor.size(); at += rows * columns) {
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c)
          to[at + c * rows + r] = from[at + r * columns + c];
      }
    }
  });
  return made;
}

std::size_t axis_in(const WeightSource& source, const Tensor& tensor) {
  const std::int64_t axis = source.axis < 0 ? source.axis + tensor.rank() : source.axis;
  if (axis < 0 || axis >= tensor.rank()) {
    throw RuleMismatch{fmt::format("has no axis {}", source.axis)};
  }
  return static_cast<std::size_t>(axis);
}

// The numbers of blocks before the axis, and of bytes of one index of it.
std::size_t outer_size(const Tensor& tensor, std::size_t axis) {
  const auto begin = tensor.dims().begin();
  return static_cast<std::size_t>(std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(axis),
                                                  std::int64_t{1}, std::multiplies<>()));
}
std::size_t inner_bytes(const Tensor& tensor, std::size_t axis) {
  const auto begin = tensor.dims().begin() + static_cast<std::ptrdiff_t>(axis) + 1;
  return static_cast<std::size_t>(
             std::accumulate(begin, tensor.dims().end(), std::int64_t{1}, std::multiplies<>())) *
         size_of(tensor.dtype());
}

Tensor joined(const WeightSource& source, const std::vector<Tensor>& tensors) {
  const Tensor& first = tensors.front();
  const std::size_t axis = axis_in(source, first);
  Dims dims = first.dims();
  dims[axis] = 0;
  for (const Tensor& tensor : tensors) {
    Dims other = tensor.dims();
    if (other.size() == dims.size()) {
      dims[axis] += other[axis];
      other[axis] = dims[axis];
    }
    if (other != dims || tensor.dtype() != first.dtype()) {
      throw RuleMismatch{fmt::format("cannot be joined with {} along axis {}",
                                     dtype_and_dims(tensor), source.axis)};
    }
  }
  Tensor made = Tensor::empty(first.dtype(), dims);
  auto* to = static_cast<std::byte*>(made.mutable_raw_data());
  const std::size_t inner = inner_bytes(first, axis);
  for (std::size_t o = 0; o < outer_size(first, axis); ++o) {
    for (const Tensor& tensor : tensors) {
      const std::size_t bytes = static_cast<std::size_t>(tensor.dims()[axis]) * inner;
      copy_block(to, static_cast<const std::byte*>(tensor.raw_data()) + o * bytes, bytes);
      to += bytes;
    }
  }
  return made;
}

Tensor part_of(const WeightSource& source, const Tensor& tensor) {
  const std::size_t axis = axis_in(source, tensor);
  Dims dims = tensor.dims();
  if (source.parts < 1 || source.part < 0 || source.part >= source.parts ||
      dims[axis] % source.parts != 0) {
    throw RuleMismatch{fmt::format("has no part {} of {} equal ones along axis {}", source.part,
                                   source.parts, source.axis)};
  }
  dims[axis] /= source.parts;
  Tensor made = Tensor::empty(tensor.dtype(), dims);
  const std::size_t bytes = static_cast<std::size_t>(dims[axis]) * inner_bytes(tensor, axis);
  const auto parts = static_cast<std::size_t>(source.parts);
  const auto part = static_cast<std::size_t>(source.part);
  for (std::size_t o = 0; o < outer_size(tensor, axis); ++o) {
    copy_block(static_cast<std::byte*>(made.mutable_raw_data()) + o * bytes,
               static_cast<const std::byte*>(tensor.raw_data()) + (o * parts + part) * bytes,
               bytes);
  }
  return made;
}

bool changes_elements(const WeightSource& source) {
  return source.transpose || source.names.size() > 1 || source.parts != 1;
}

Tensor assembled(const WeightSource& source, std::vector<Tensor> tensors) {
  if (!changes_elements(source)) return tensors.front();
  for (Tensor& tensor : tensors) {
    tensor = tensor.host();
    if (source.transpose) tensor = with_last_axes_exchanged(tensor);
  }
  const Tensor whole = tensors.size() > 1 ? joined(source, tensors) : tensors.front();
  return source.parts == 1 ? whole : part_of(source, whole);
}

class WeightLoader {
 public:
  WeightLoader(const CompiledModel& model, const TensorMap& saved, const WeightOptions& options)
      : model_(model),
        options_(options),
        saved_(options.prefix.empty() ? saved.share() : saved.without_prefix(options.prefix)) {}

  LoadedWeights load() {
    for (const auto& [key, shape] : model_.shapes()) shapes_[key] = to_string(shape);
    std::vector<TensorMap::Item> found;
    for (const std::string& key : model_.parameter_keys()) find(key, found);
    TensorMap given(std::move(found));
    find_unexpected();
    if (options_.strict) state_missing_and_unexpected();
    if (!options_.strict && !report_.missing.empty()) {
      const TensorMap initial = model_.get_parameters();
      for (const std::string& key : report_.missing) given[key] = initial.at(key);
    }
    return {converted(given), std::move(report_)};
  }

 private:
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
    return std::any_of(options_.ignore.begin(), options_.ignore.end(), [&](const auto& pattern) {
      Captures captures;
      return matches(pattern, name, captures);
    });
  }

  // A copy that shares an embedding, as lm_head.weight does.
  bool is_tied(const Tensor& tensor) const {
    return std::any_of(used_.begin(), used_.end(), [&](const std::string& name) {
      const Tensor& other = saved_.at(name);
      return other.dims() == tensor.dims() && tensor.size() > 1 &&
             identical(other.host(), tensor.host());
    });
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
      std::stable_sort(wrong_.begin(), wrong_.end(),
                       [&](const Fact& a, const Fact& b) { return order(a) < order(b); });
      raise({.kind = ErrorKind::state,
             .code = "E0901",
             .message = "the state dict does not fit the model",
             .facts = std::move(wrong_)});
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

WeightSource WeightSource::transposed() const {
  WeightSource made = *this;
  made.transpose = !made.transpose;
  return made;
}

WeightSource WeightSource::taking(int one, int of, int along_axis) const {
  WeightSource made = along(along_axis);
  made.part = one;
  made.parts = of;
  return made;
}

WeightSource WeightSource::along(int along_axis) const {
  WeightSource made = *this;
  made.axis = along_axis;
  return made;
}

LoadedWeights load_weights(const CompiledModel& model, const TensorMap& saved,
                           const WeightOptions& options) try {
  return WeightLoader(model, saved, options).load();
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

LoadedWeights load_weights(const CompiledModel& model, const std::string& path,
                           const WeightOptions& options) {
  return load_weights(model, load(path).params, options);
}

}  // namespace mithril
