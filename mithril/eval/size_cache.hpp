// A cache by the sizes of the inputs.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace mithril {

// Thread-safe. Two threads that need the same new sizes may both make an entry.
template <typename Made>
class SizeCache {
 public:
  // The entry for which fits(entry) is true, or else the result of make().
  template <typename Fits, typename Make>
  std::shared_ptr<const Made> find_or_make(Fits fits, Make make) const {
    if (auto found = find(fits)) return found;
    auto made = std::make_shared<const Made>(make());
    std::shared_ptr<const Made> forgotten;  // destroyed after the lock: that may take long
    const std::lock_guard lock(mutex_);
    if (kept_.size() == most) {
      forgotten = std::move(kept_.front());
      kept_.erase(kept_.begin());
    }
    kept_.push_back(made);
    return made;
  }

 private:
  static constexpr std::size_t most = 64;  // the oldest is forgotten first

  template <typename Fits>
  std::shared_ptr<const Made> find(Fits fits) const {
    const std::lock_guard lock(mutex_);
    const auto at =
        std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto& made) { return fits(*made); });
    return at == kept_.rend() ? nullptr : *at;
  }

  mutable std::mutex mutex_;
  // Oldest first. Shared: a run keeps its entry while other runs add entries.
  mutable std::vector<std::shared_ptr<const Made>> kept_;
};

}  // namespace mithril
