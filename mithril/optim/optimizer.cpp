#include "mithril/optim/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril {
namespace {

// Elements: some microseconds of reading and writing.
constexpr std::int64_t elements_worth_a_thread = 1 << 14;

void check(const std::string& key, const Tensor& param, const Tensor& gradient) {
  const bool supported = param.dtype() == DType::float32 || param.dtype() == DType::float64;
  if (!supported || param.dtype() != gradient.dtype()) {
    raise({.kind = ErrorKind::type,
           .code = "E0382",
           .message = supported ? "the gradient of " + quoted(key) + " has another dtype"
                                : "an optimizer moves parameters of float32 or float64",
           .facts = {{key, std::string(name(param.dtype()))},
                     {"gradient", std::string(name(gradient.dtype()))}}});
  }
  if (param.dims() != gradient.dims()) {
    raise({.kind = ErrorKind::shape,
           .code = "E0208",
           .message = "the gradient of " + quoted(key) + " has other dims",
           .facts = {{key, to_string(param.dims())}, {"gradient", to_string(gradient.dims())}}});
  }
}

void check_slots(const std::string& key, const Tensor& param, const std::vector<Tensor>& slots) {
  for (const Tensor& slot : slots) {
    if (slot.dims() == param.dims() && slot.dtype() == param.dtype()) continue;
    raise({.kind = ErrorKind::state,
           .code = "E0904",
           .message = "what the optimizer remembers of " + quoted(key) + " does not fit it",
           .facts = {{key, dtype_and_dims(param)}, {"remembered", dtype_and_dims(slot)}}});
  }
}

const Tensor& slot_of(const TensorMap& state, const std::string& key, const std::string& slot) {
  const Tensor* tensor = state.find(key + "." + slot);
  if (tensor) return *tensor;
  raise({.kind = ErrorKind::state,
         .code = "E0905",
         .path = key,
         .message = "the state of the optimizer has no entry " + quoted(key + "." + slot)});
}

}  // namespace

Optimizer::Optimizer(double lr, std::vector<std::string> slots)
    : lr_(lr), slot_names_(std::move(slots)) {
  set_lr(lr);
}

void Optimizer::set_lr(double lr) {
  require(lr >= 0, "lr", lr, "at least 0");
  lr_ = lr;
}

void Optimizer::set_threads(int threads) {
  require(threads >= 0, "threads", threads, "at least 0");
  threads_ = threads;
}

void Optimizer::in_ranges(
    std::int64_t size,
    const std::function<void(std::int64_t first, std::int64_t last)>& work) const {
  const int threads = threads_ > 0 ? threads_ : processor_count();
  const auto parts = std::clamp<std::int64_t>(size / elements_worth_a_thread, 1, threads);
  ThreadPool::shared().run(static_cast<int>(parts), threads,
                           [&](int part) { work(size * part / parts, size * (part + 1) / parts); });
}

void Optimizer::require(bool holds, const char* option, double got, const char* expected) {
  if (holds) return;
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message = fmt::format("optimizer: {} is {}, expected {}", option, got, expected)});
}

void Optimizer::step(TensorMap& params, const TensorMap& gradients) {
  std::vector<Tensor> moved;  // shares its elements with params
  moved.reserve(gradients.size());
  for (const auto& [key, gradient] : gradients) {
    const Tensor* param = params.find(key, moved.size());
    if (!param) unknown_name(ErrorKind::name, "E0609", "parameter", key, "", params.keys());
    check(key, *param, gradient);
    const auto remembered = memory_.find(key);
    if (remembered != memory_.end()) check_slots(key, *param, remembered->second.slots);
    moved.push_back(*param);
    moved.back().mutable_raw_data();  // raises where it is read-only
  }
  size_t at = 0;
  for (const auto& [key, gradient] : gradients) {
    Tensor& param = moved[at++];
    Memory& memory = memory_of(key, param);
    ++memory.steps;
    update(param, gradient, memory);
  }
}

Optimizer::Memory& Optimizer::memory_of(const std::string& key, const Tensor& param) {
  const auto known = memory_.find(key);
  if (known != memory_.end()) {
    check_slots(key, param, known->second.slots);
    return known->second;
  }
  Memory& memory = memory_[key];
  while (memory.slots.size() < slot_names_.size()) {
    memory.slots.emplace_back(param.dtype(), param.dims());
  }
  return memory;
}

TensorMap Optimizer::state_dict() const {
  std::vector<TensorMap::Item> items;
  for (const auto& [key, memory] : memory_) {
    items.emplace_back(key + ".step", Tensor::scalar(memory.steps));
    for (size_t i = 0; i < slot_names_.size(); ++i) {
      items.emplace_back(key + "." + slot_names_[i], memory.slots[i].copy());
    }
  }
  return TensorMap(std::move(items));
}

void Optimizer::load_state_dict(const TensorMap& state) {
  std::map<std::string, Memory, std::less<>> memory;
  std::vector<std::string> slots = slot_names_;
  slots.push_back("step");
  for (const auto& [entry, tensor] : state) {
    const size_t dot = std::min(entry.rfind('.'), entry.size());
    const std::string slot = entry.substr(std::min(dot + 1, entry.size()));
    if (std::find(slots.begin(), slots.end(), slot) == slots.end()) {
      unknown_name(ErrorKind::state, "E0903", "slot of this optimizer", slot, entry, slots);
    }
    memory.try_emplace(entry.substr(0, dot));
  }
  for (auto& [key, of_key] : memory) {
    of_key.steps = static_cast<std::int64_t>(slot_of(state, key, "step").item());
    for (const std::string& slot : slot_names_) {
      of_key.slots.push_back(slot_of(state, key, slot).copy());
    }
  }
  memory_ = std::move(memory);
}

}  // namespace mithril
