// What a graph takes to run, step by step, and in what memory its values are made.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/context.hpp"
#include "backends/cpu/draft.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::cpu_backend {

// A piece of memory that one value was made in, and that views of it share.
struct Storage {
  ValueId made;
  std::optional<Place> given = {};  // of an input or a constant
  int64_t bytes = 0;
  bool kept = false;                // one of its values is an output
  std::optional<size_t> same = {};  // the storage in whose place it is
  int32_t first = 0, last = 0;      // the steps that make it and read it last
};

struct Drafted {
  std::vector<Draft> steps;
  std::vector<Storage> storages;
  std::vector<size_t> storage_of;  // per value

  Storage& storage(ValueId id) { return storages[storage_of[index(id)]]; }
  const Storage& storage(ValueId id) const { return storages[storage_of[index(id)]]; }
  void add(Storage storage) {
    storage_of[index(storage.made)] = storages.size();
    storages.push_back(storage);
  }
};

struct DraftingOptions {
  bool fuse = true;  // nodes may run together; else one by one
  std::span<const Donated> donated = {};
  const Observer* observer = nullptr;        // null: nobody looks
  const std::vector<bool>* shown = nullptr;  // per node, where somebody does: whether it is wanted
};

// The context sees `transposes` change as steps are added. Inputs are given at the bases from 1 on,
// and then the constants; nothing is known of where other values stand, nor of who reads them last.
Drafted draft_steps(const Context& context, std::vector<std::optional<ValueId>>& transposes,
                    const DraftingOptions& options);

}  // namespace mithril::cpu_backend
