// What a plan is made of: steps that read and write at places which are known beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mithril::cpu_backend {

// Where a value stands while a plan runs: so many bytes behind one of the frame's bases.
struct Place {
  int32_t base = 0;
  int64_t offset = 0;
};

// The memory of one run. The first base is the arena; then come the graph's inputs, its constants,
// and what the run gives.
class Frame {
 public:
  explicit Frame(std::span<std::byte* const> bases) : bases_(bases) {}

  template <typename T>
  const T* read(Place place) const {
    return reinterpret_cast<const T*>(bases_[static_cast<size_t>(place.base)] + place.offset);
  }
  template <typename T>
  T* write(Place place) const {
    return reinterpret_cast<T*>(bases_[static_cast<size_t>(place.base)] + place.offset);
  }

 private:
  std::span<std::byte* const> bases_;
};

// Immutable: many threads may run it at once, each with a frame of its own.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(const Frame& frame) const = 0;
};

}  // namespace mithril::cpu_backend
