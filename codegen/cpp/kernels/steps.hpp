// The value that a loop carries from step to step. Its buffers take turns.
#pragma once
#include <utility>

namespace mithril::snippets {

template <typename T>
struct Carry {
  const T* now;
  T* next;
  T* spare;

  void advance() {
    now = next;
    std::swap(next, spare);
  }
};

}  // namespace mithril::snippets
