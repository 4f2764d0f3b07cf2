// Alternating traversal: a step starts at the end of its buffers that the previous step left in the
// caches.
#pragma once

#include <cstdint>

namespace mithril::cpu_backend {

enum class Direction : uint8_t { forward, backward };

// How a step traverses its buffers. small: it touches so few bytes that the caches keep most of
// their contents. forward: only from the front. either: from either end.
enum class Traversal : uint8_t { small, forward, either };

// Caches keep the data that was used last. A step that can start at either end therefore starts
// where the previous step ended. The first step of a run starts where the last step of the previous
// run ended.
class AlternatingTraversal {
 public:
  Direction next(Traversal traversal) {
    if (traversal == Traversal::small) return Direction::forward;
    const bool reverses = traversal == Traversal::either && last_ == Direction::forward;
    return last_ = reverses ? Direction::backward : Direction::forward;
  }

 private:
  Direction last_ = Direction::backward;
};

// Calls body(i) for each i in [begin, end), in the given direction.
template <typename Body>
void iterate(Direction direction, int64_t begin, int64_t end, const Body& body) {
  if (direction == Direction::forward) {
    for (int64_t i = begin; i < end; ++i) body(i);
  } else {
    for (int64_t i = end; i-- > begin;) body(i);
  }
}

}  // namespace mithril::cpu_backend
