#include "mithril/backend/counted_blocks.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace mithril {
namespace {

// A hash table by address, in one piece of memory.
class Table {
 public:
  void add(const void* address, CountedBlock block) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    ++size_;
    Entry& entry = entries_[place(address)];
    size_ -= entry.address != nullptr;
    entry = {address, block};
  }

  // Returns a block without a meter if the address is unknown.
  CountedBlock take(const void* address) {
    size_t hole = place(address);
    CountedBlock taken = std::exchange(entries_[hole].block, {});
    if (!entries_[hole].address) return taken;
    --size_;
    // Moves entries back that linear probing placed after the hole, so that no search ends at the
    // hole.
    for (size_t at = next(hole); entries_[at].address; at = next(at)) {
      if (distance(home(entries_[at].address), at) < distance(hole, at)) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole] = {};
    return taken;
  }

 private:
  struct Entry {
    const void* address = nullptr;
    CountedBlock block = {};
  };

  size_t home(const void* address) const {
    const uint64_t hash = reinterpret_cast<uintptr_t>(address) * 0x9e3779b97f4a7c15ull;
    return (hash >> 32) & (entries_.size() - 1);
  }
  size_t next(size_t at) const { return (at + 1) & (entries_.size() - 1); }
  size_t distance(size_t from, size_t to) const { return (to - from) & (entries_.size() - 1); }

  // The entry of the address, or its free place.
  size_t place(const void* address) const {
    size_t at = home(address);
    while (entries_[at].address && entries_[at].address != address) at = next(at);
    return at;
  }

  void grow() {
    std::vector<Entry> smaller(2 * entries_.size());
    smaller.swap(entries_);
    for (const Entry& entry : smaller) {
      if (entry.address) entries_[place(entry.address)] = entry;
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(64);
  size_t size_ = 0;
};

// Held for some nanoseconds; contention is rare.
class SpinLock {
 public:
  void lock() {
    while (held_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_;
};

// The blocks that one thread has allocated. Other threads may free them.
class Blocks {
 public:
  void add(const void* address, CountedBlock block) {
    const std::lock_guard lock(lock_);
    table_.add(address, block);
  }
  CountedBlock take(const void* address) {
    const std::lock_guard lock(lock_);
    return table_.take(address);
  }

 private:
  SpinLock lock_;
  Table table_;
};

// Never destroyed: memory is given back while the process ends, too.
struct AllBlocks {
  std::mutex mutex;
  Blocks late;  // of a thread that is at its end
  std::vector<Blocks*> all{&late};
  std::vector<Blocks*> unused;  // of ended threads, for reuse by new threads
};
AllBlocks& all_blocks() {
  static auto* blocks = new AllBlocks();
  return *blocks;
}

thread_local constinit Blocks* own = nullptr;

// The claim of a thread to its Blocks.
struct Claim {
  Claim() {
    AllBlocks& blocks = all_blocks();
    const std::lock_guard lock(blocks.mutex);
    if (blocks.unused.empty()) {
      blocks.all.push_back(new Blocks());
      blocks.unused.push_back(blocks.all.back());
    }
    own = blocks.unused.back();
    blocks.unused.pop_back();
  }
  ~Claim() {
    AllBlocks& blocks = all_blocks();
    const std::lock_guard lock(blocks.mutex);
    blocks.unused.push_back(std::exchange(own, nullptr));
  }
};

Blocks& own_blocks() {
  static thread_local const Claim claim;
  return own ? *own : all_blocks().late;
}

CountedBlock taken_out(const void* address) {
  CountedBlock block;
  if (own) block = own->take(address);
  if (block.meter) return block;
  AllBlocks& blocks = all_blocks();
  const std::lock_guard lock(blocks.mutex);
  for (size_t i = 0; i < blocks.all.size() && !block.meter; ++i) {
    block = blocks.all[i]->take(address);
  }
  return block;
}

}  // namespace

void remember_block(const void* address, CountedBlock block) { own_blocks().add(address, block); }

bool forget_block(void* address, const char* device) {
  const CountedBlock block = taken_out(address);
  if (!block.meter) return false;
  if (block.reserve) block.reserve->give(address);
  MeterScope* scope = MeterScope::current();
  if (scope && scope->meter() == block.meter) {
    scope->give(device, block.bytes);
    return block.reserve != nullptr;
  }
  if (block.meter->has_hooks()) block.meter->keep({device, 0, block.bytes});
  block.meter->give(block.bytes);
  return block.reserve != nullptr;
}

}  // namespace mithril
