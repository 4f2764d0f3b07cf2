#include "mithril/training/gradient_sums.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

void set_to_zero(Tensor& sum) {
  if (sum.bytes() > 0) std::memset(sum.mutable_raw_data(), 0, sum.bytes());
}

}  // namespace

void check_gradient_sums(const Optimizer& optimizer, std::int64_t accumulate) {
  const std::int64_t held = optimizer.micro_steps();
  if (held == 0 || held < accumulate) return;
  raise({.kind = ErrorKind::state,
         .code = "E0915",
         .message = "the optimizer has sums of gradients of a step with another accumulate",
         .facts = {{"gradients in each sum", std::to_string(held)},
                   {"accumulate", std::to_string(accumulate)}},
         .help = "make the step with the accumulate of the step that the state comes from"});
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
