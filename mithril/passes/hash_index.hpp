// Positions found by their hash, in one block of memory.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mithril {

class HashIndex {
 public:
  // For at most `count` positions.
  explicit HashIndex(size_t count) : slots_(std::bit_ceil(2 * count + 2)) {}

  // An earlier position of this hash for which `equal(position)` holds; otherwise none, and
  // `position` is inserted.
  template <class Equal>
  std::optional<size_t> find_or_add(size_t hash, size_t position, Equal equal) {
    const auto mark = static_cast<uint32_t>(hash);
    const size_t mask = slots_.size() - 1;
    for (size_t at = (hash >> 32) & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (!slot.used) {
        slot = {true, mark, position};
        return std::nullopt;
      }
      if (slot.mark == mark && equal(slot.position)) return slot.position;
    }
  }

 private:
  struct Slot {
    bool used = false;
    uint32_t mark = 0;
    size_t position = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace mithril
