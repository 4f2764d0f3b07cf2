// The undo trail: the old contents of everything that changes while an Attempt is open.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "mithril/infer/arena.hpp"

namespace mithril {

class Facts;
struct Relation;
struct Watch;

class Trail {
 public:
  void save(void* at, size_t bytes);           // trivially copyable contents
  void on_undo(std::function<void()> action);  // anything else
  void roll_back();                            // newest first
  void clear();                                // forgets all; keeps its room

  static Trail* active();  // of this thread; null outside an Attempt
  static void activate(Facts& speaking);
  static void deactivate();

  Facts* speaking = nullptr;  // the facts of the Attempt
  // Changes that cannot be undone, or that undoing needs, wait until the Attempt has succeeded.
  std::vector<std::pair<Facts*, Watch*>> consumed;
  std::vector<std::pair<Facts*, Relation*>> finished;
  std::vector<Relation*> fresh;
  std::vector<std::pair<Facts*, Facts*>> adoptions;
  // Keeps the memory of destroyed facts until nothing can be restored in it.
  void outlive(Facts& dying, Arena& memory);
  // The object lives on for as long.
  void keep(std::shared_ptr<const void> changed);

 private:
  std::vector<std::byte> log_;  // entries: old contents, then their address and size
  std::vector<std::function<void()>> actions_;
  std::vector<std::shared_ptr<const void>> kept_;
  Arena graves_;
};

// During its lifetime, changes of this thread are not recorded for undoing.
class OffTrail {
 public:
  OffTrail();
  ~OffTrail();
  OffTrail(const OffTrail&) = delete;
  OffTrail& operator=(const OffTrail&) = delete;

 private:
  Trail* active_;
};

// Call before changing x.
template <typename T>
void save(T& x) {
  Trail* trail = Trail::active();
  if (!trail) return;
  if constexpr (std::is_trivially_copyable_v<T>) {
    trail->save(&x, sizeof(T));
  } else {
    trail->on_undo([&x, old = x]() mutable { x = std::move(old); });
  }
}

}  // namespace mithril
