// When a program is recorded, and which of its inputs a recording reads where they are.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace mithril::torch_backend {

// The address and the strides of an input.
struct Place {
  const void* data = nullptr;
  std::vector<std::int64_t> strides = {};
  bool operator==(const Place&) const = default;
};

// A recording reads parameters at their addresses, so that a replay copies data alone. Nobody says
// which inputs are parameters: those that stay at their address from run to run. An input that
// moves often is copied to a buffer of the recording.
class ReplayPolicy {
 public:
  enum class Action : std::uint8_t { plain, record, replay };

  // The first `saved` inputs are results of another program, its forward half. They move when that
  // one did not replay, and come back later.
  explicit ReplayPolicy(std::size_t saved = 0) : saved_(saved) {}

  // The action for a run of these inputs, which have the same sizes each time. A recording is made
  // in the second run at the earliest, because sizes that occur once do not pay off.
  Action next(std::vector<Place> places);
  // Which inputs a recording copies.
  const std::vector<bool>& copied() const { return copied_; }
  // A recording was made that reads inputs at these places.
  void keep(std::vector<Place> places);
  // The recording is gone: the next run makes another.
  void forget() { is_recorded_ = false; }

 private:
  Action begin(const std::vector<Place>& last);
  static constexpr int most_moves = 2;  // of an input before it is copied

  const std::size_t saved_;
  std::vector<Place> places_, recorded_;  // of the last run, and of the recording
  std::vector<int> moves_;
  std::vector<bool> copied_;
  bool is_recorded_ = false;
};

}  // namespace mithril::torch_backend
