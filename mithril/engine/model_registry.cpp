#include "mithril/engine/model_registry.hpp"

#include <utility>

#include "mithril/engine/engine_errors.hpp"

namespace mithril {
namespace {

void touch(RegisteredModel& entry) {
  entry.used.store(ServingClock::now().time_since_epoch().count(), std::memory_order_relaxed);
}

}  // namespace

const ModelRegistry::Entry& ModelRegistry::entry_of(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found != entries_.end()) return found->second;
  std::vector<std::string> registered;
  for (const auto& [key, entry] : entries_) registered.push_back(key);
  unknown_model(name, std::move(registered));
}

std::int64_t ModelRegistry::bytes_in_use() const {
  std::int64_t bytes = sessions_.bytes();
  for (const auto& [name, entry] : entries_) {
    if (entry->served) bytes += entry->served->bytes();
  }
  return bytes;
}

// Evicts the least recently used models until there is room.
void ModelRegistry::evict_for(const std::string& model, std::int64_t bytes, std::int64_t replaced) {
  if (!memory_limit_) return;
  std::int64_t in_use = bytes_in_use() - replaced;
  while (in_use + bytes > *memory_limit_) {
    RegisteredModel* oldest = nullptr;
    for (const auto& [name, other] : entries_) {
      if (!other->served || !other->loader || name == model) continue;
      if (!oldest || other->used < oldest->used) oldest = other.get();
    }
    if (!oldest) refuse_model(model, bytes, in_use, *memory_limit_);
    in_use -= oldest->served->bytes();
    oldest->served = nullptr;
  }
}

void ModelRegistry::hold(const Entry& entry, std::shared_ptr<const ServedModel> served) {
  const auto before = entries_.find(entry->name);
  const bool replaces = before != entries_.end() && before->second->served;
  evict_for(entry->name, served->bytes(), replaces ? before->second->served->bytes() : 0);
  entry->info = served->info();
  entry->served = std::move(served);
  ServingCounters::add(entry->counters->loads);
  touch(*entry);
}

void ModelRegistry::add(const Entry& entry, ServableModel model) {
  auto served = std::make_shared<const ServedModel>(std::move(model), entry->options);
  Entry replaced;  // destroyed without the lock
  const std::unique_lock lock(mutex_);
  const auto [place, is_new] = entries_.try_emplace(entry->name, entry);
  if (!is_new) entry->counters = place->second->counters;
  try {
    hold(entry, std::move(served));
  } catch (...) {
    if (is_new) entries_.erase(place);
    throw;
  }
  replaced = std::exchange(place->second, entry);
}

FoundModel ModelRegistry::find(const std::string& name) {
  Entry entry;
  {
    const std::shared_lock lock(mutex_);
    entry = entry_of(name);
    if (entry->served) {
      touch(*entry);
      return {entry, entry->served};
    }
  }
  return load_again(entry);
}

FoundModel ModelRegistry::load_again(const Entry& entry) {
  const std::lock_guard loading(entry->loading);
  {
    const std::unique_lock lock(mutex_);
    if (entry->served) return {entry, entry->served};
    evict_for(entry->name, entry->info.bytes, 0);
  }
  std::shared_ptr<const ServedModel> served;
  try {
    served = std::make_shared<const ServedModel>(entry->loader(), entry->options);
  } catch (const Error& error) {
    raise_while_loading(entry->name, error);
  }
  const std::unique_lock lock(mutex_);
  hold(entry, served);
  return {entry, std::move(served)};
}

std::shared_ptr<RegisteredModel> ModelRegistry::remove(const std::string& name) {
  const std::unique_lock lock(mutex_);
  Entry removed = entry_of(name);
  entries_.erase(name);
  return removed;
}

void ModelRegistry::renew_queues() {
  const std::unique_lock lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    entry->queue = std::make_shared<RequestQueue>();
    entry->counters->waiting = 0;
  }
}

std::vector<std::string> ModelRegistry::names() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

ServedModelInfo ModelRegistry::info(const std::string& name) const {
  const std::shared_lock lock(mutex_);
  const Entry& entry = entry_of(name);
  ServedModelInfo info = entry->info;
  info.name = name;
  info.loaded = entry->served != nullptr;
  return info;
}

std::shared_ptr<ServingCounters> ModelRegistry::counters(const std::string& name) const {
  const std::shared_lock lock(mutex_);
  return entry_of(name)->counters;
}

std::int64_t ModelRegistry::bytes() const {
  const std::shared_lock lock(mutex_);
  return bytes_in_use();
}

void ModelRegistry::make_room(const std::string& name, std::int64_t bytes) {
  if (!memory_limit_) return;
  const std::unique_lock lock(mutex_);
  evict_for(entry_of(name)->name, bytes, 0);
}

}  // namespace mithril
