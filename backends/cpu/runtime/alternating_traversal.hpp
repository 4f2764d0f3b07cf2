// From which end steps traverse what they read and write.
#pragma once

#include <cstdint>

namespace mithril::cpu_backend {

enum class Direction : uint8_t { forward, backward };

// How a step goes through values: through so little that the caches keep what they hold, from the
// front, or from either end.
enum class Traversal : uint8_t { little, forward, either };

// Caches hold what was touched last. So a step that may begin at either end begins where the one
// before it ended, and the first step where the last one of the run before ended.
class AlternatingTraversal {
 public:
  Direction next(Traversal traversal) {
    if (traversal == Traversal::little) return Direction::forward;
    const bool reverses = traversal == Traversal::either && last_ == Direction::forward;
    return last_ = reverses ? Direction::backward : Direction::forward;
  }

 private:
  Direction last_ = Direction::backward;
};

// Calls body(i) for each i from `begin` to before `end`, or from the end back.
template <typename Body>
void iterate(Direction direction, int64_t begin, int64_t end, const Body& body) {
  if (direction == Direction::forward) {
    for (int64_t i = begin; i < end; ++i) body(i);
  } else {
    for (int64_t i = end; i-- > begin;) body(i);
  }
}

}  // namespace mithril::cpu_backend
