// A flat log of bytes, kept by the thread from one Attempt to the next.
#include "mithril/infer/trail.hpp"

#include <cstring>
#include <utility>

namespace mithril {
namespace {

struct Entry {
  void* at;      // null: an action
  size_t bytes;  // or the index of the action
};

// The pointer apart from the trail: asking it needs no guarded initialisation.
constinit thread_local Trail* active_trail = nullptr;

Trail& trail_of_thread() {
  thread_local Trail trail;
  return trail;
}

}  // namespace

Trail* Trail::active() { return active_trail; }

void Trail::activate(Facts& speaking) {
  active_trail = &trail_of_thread();
  active_trail->speaking = &speaking;
}

void Trail::deactivate() { active_trail = nullptr; }

OffTrail::OffTrail() : active_(std::exchange(active_trail, nullptr)) {}

OffTrail::~OffTrail() { active_trail = active_; }

void Trail::save(void* at, size_t bytes) {
  const Entry entry{at, bytes};
  const size_t end = log_.size();
  log_.resize(end + bytes + sizeof entry);
  std::memcpy(log_.data() + end, at, bytes);
  std::memcpy(log_.data() + end + bytes, &entry, sizeof entry);
}

void Trail::on_undo(std::function<void()> action) {
  const Entry entry{nullptr, actions_.size()};
  actions_.push_back(std::move(action));
  const size_t end = log_.size();
  log_.resize(end + sizeof entry);
  std::memcpy(log_.data() + end, &entry, sizeof entry);
}

void Trail::roll_back() {
  while (!log_.empty()) {
    Entry entry;
    size_t end = log_.size() - sizeof entry;
    std::memcpy(&entry, log_.data() + end, sizeof entry);
    if (entry.at) {
      end -= entry.bytes;
      std::memcpy(entry.at, log_.data() + end, entry.bytes);
    } else {
      actions_[entry.bytes]();
    }
    log_.resize(end);
  }
  clear();
}

void Trail::clear() {
  constexpr size_t worth_keeping = size_t{1} << 20;
  log_.clear();
  if (log_.capacity() > worth_keeping) log_.shrink_to_fit();
  actions_.clear();
  consumed.clear();
  finished.clear();
  fresh.clear();
  adoptions.clear();
  kept_.clear();  // facts that die with it go to the graves
  graves_.clear();
}

void Trail::keep(std::shared_ptr<const void> changed) { kept_.push_back(std::move(changed)); }

void Trail::outlive(Facts& dying, Arena& memory) {
  std::erase_if(consumed, [&](const auto& entry) { return entry.first == &dying; });
  std::erase_if(finished, [&](const auto& entry) { return entry.first == &dying; });
  std::erase_if(adoptions,
                [&](const auto& entry) { return entry.first == &dying || entry.second == &dying; });
  graves_.adopt(memory);
}

}  // namespace mithril
