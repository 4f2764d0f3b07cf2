#include "mithril/training/gradient_sums.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

void set_to_zero(Tensor& sum) {
  if (sum.bytes() > 0) std::memset(sum.mutable_raw_data(), 0, sum.bytes());
}

}  // namespace

void check_kept(const Optimizer& optimizer, const TrainingOptions& options) {
  if (!options.averages()) refuse_averages(optimizer.averaged());
  const std::int64_t held = optimizer.micro_steps();
  if (held == 0 || held < options.accumulate) return;
  raise({.kind = ErrorKind::state,
         .code = "E0915",
         .message = "the optimizer has sums of gradients of a step with another accumulate",
         .facts = {{"gradients in each sum", std::to_string(held)},
                   {"accumulate", std::to_string(options.accumulate)}},
         .help = "make the step with the accumulate of the step that the state comes from"});
}

void check_first_gradient(const Optimizer& optimizer, const std::string& key) {
  const std::int64_t held = optimizer.micro_steps();
  if (held == 0) return;
  raise({.kind = ErrorKind::state,
         .code = "E0915",
         .path = key,
         .message =
             "the optimizer has sums of gradients of a step that did not train " + in_quotes(key),
         .facts = {{"gradients in each sum", std::to_string(held)}},
         .help = "call the step that the sums come from until it updates, or load the state_dict "
                 "of the optimizer without 'micro_steps'"});
}

void clear_gradient_sums(Optimizer& optimizer) {
  for (auto& [key, memory] : optimizer.memories()) {
    std::optional<Tensor>& sum = memory.gradient_sum;
    if (!sum) continue;
    sum->foreign() ? sum.reset() : set_to_zero(*sum);  // those of another library are made anew
  }
}

void collect_gradient_sums(Optimizer& optimizer, Communicator& group) {
  if (group.size() == 1 || optimizer.micro_steps() == 0) return;
  const std::vector<Tensor*> sums = optimizer.gradient_sums();
  std::vector<std::unique_ptr<PendingCollective>> pending;
  for (Tensor* sum : sums) {
    if (sum->foreign()) *sum = sum->copy();  // a step moves it to its parameter
    pending.push_back(
        group.start_all_reduce(sum->mutable_raw_data(), sum->dtype(), sum->size(), Reduction::sum));
  }
  for (const auto& each : pending) each->wait();
  keep_gradient_sums_of_first(optimizer, group);
}

void keep_gradient_sums_of_first(Optimizer& optimizer, const Communicator& group) {
  if (group.rank() == 0 || optimizer.micro_steps() == 0) return;
  for (Tensor* sum : optimizer.gradient_sums()) set_to_zero(*sum);
}

}  // namespace mithril
