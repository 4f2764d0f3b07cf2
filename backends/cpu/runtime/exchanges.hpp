// The collectives of one run that have started.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "mithril/distributed/communicator.hpp"

namespace mithril::cpu_backend {

class Exchanges {
 public:
  // `node`: that of the start, as a key.
  void add(size_t node, std::unique_ptr<PendingCollective> pending) {
    pending_.emplace_back(node, std::move(pending));
  }

  // Waits for the collective that `node` started, if there is one.
  void wait(size_t node) {
    for (size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i].first != node) continue;
      const std::unique_ptr<PendingCollective> pending = std::move(pending_[i].second);
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
      return pending->wait();
    }
  }

  // Waits until no collective uses the memory of the run.
  void clear() noexcept { pending_.clear(); }

 private:
  std::vector<std::pair<size_t, std::unique_ptr<PendingCollective>>> pending_;
};

}  // namespace mithril::cpu_backend
