#include "backends/torch/recording/replay_policy.hpp"

namespace mithril::torch_backend {

ReplayPolicy::Action ReplayPolicy::next(std::vector<Place> places) {
  const bool first = moves_.empty();
  const std::vector<Place> last = std::exchange(places_, std::move(places));
  if (first) {
    moves_.assign(places_.size() + 1, 0);
    copied_.assign(places_.size(), false);
    return Action::plain;
  }
  if (!is_recorded_) return begin(last);
  bool again = false;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (copied_[i] || places_[i] == recorded_[i]) continue;
    // The forward half may have run plainly this once.
    if (i < saved_ && places_[i] != last[i]) return Action::plain;
    again = true;
  }
  if (!again) return Action::replay;
  for (std::size_t i = saved_; i < places_.size(); ++i) {
    if (!copied_[i] && places_[i] != recorded_[i]) copied_[i] = ++moves_[i] >= most_moves;
  }
  is_recorded_ = false;  // also if the run fails before it is recorded
  return Action::record;
}

void ReplayPolicy::keep(std::vector<Place> places) {
  recorded_ = std::move(places);
  is_recorded_ = true;
}

// Data has moved between the first runs already.
ReplayPolicy::Action ReplayPolicy::begin(const std::vector<Place>& last) {
  for (std::size_t i = 0; i < saved_; ++i) {
    if (places_[i] != last[i]) return Action::plain;
  }
  for (std::size_t i = saved_; i < places_.size(); ++i) {
    if (places_[i] != last[i]) copied_[i] = true;
  }
  return Action::record;
}

}  // namespace mithril::torch_backend
