// The models of an engine by name, and the memory that they use.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "mithril/engine/scheduler.hpp"
#include "mithril/engine/sessions.hpp"

namespace mithril {

struct RegisteredModel {
  RegisteredModel(std::string registered_name, ModelLoader load, ServingOptions serving)
      : name(std::move(registered_name)), loader(std::move(load)), options(std::move(serving)) {}

  const std::string name;
  const ModelLoader loader;  // null: it cannot be loaded again
  const ServingOptions options;
  std::shared_ptr<RequestQueue> queue = std::make_shared<RequestQueue>();
  std::shared_ptr<ServingCounters> counters = std::make_shared<ServingCounters>();
  std::atomic<ServingClock::rep> used{ServingClock::now().time_since_epoch().count()};
  std::mutex loading;  // held while it is loaded again
  // The mutex of the registry guards the members below. Requests share `served`; null: evicted.
  std::shared_ptr<const ServedModel> served;
  ServedModelInfo info = {};  // as of the last load
};

// A model and what is needed to serve it.
struct FoundModel {
  std::shared_ptr<RegisteredModel> entry;  // shared: it may be replaced meanwhile
  std::shared_ptr<const ServedModel> served;
};

// Thread-safe.
class ModelRegistry {
 public:
  ModelRegistry(std::optional<std::int64_t> memory_limit, Sessions& sessions)
      : memory_limit_(memory_limit), sessions_(sessions) {}

  // Replaces a model of that name, whose statistics go on. E1209.
  void add(const std::shared_ptr<RegisteredModel>& entry, ServableModel model);
  // Loads the model if it was evicted. E1201, E1209, errors of the loader.
  FoundModel find(const std::string& name);
  std::shared_ptr<RegisteredModel> remove(const std::string& name);  // E1201

  std::vector<std::string> names() const;
  ServedModelInfo info(const std::string& name) const;
  std::shared_ptr<ServingCounters> counters(const std::string& name) const;
  std::int64_t bytes() const;  // of models and sessions
  // Called in a forked child: requests that wait belong to the parent.
  void renew_queues();
  // E1209 if as many bytes more for the model exceed the limit, although others were evicted.
  void make_room(const std::string& name, std::int64_t bytes);

 private:
  using Entry = std::shared_ptr<RegisteredModel>;

  const Entry& entry_of(const std::string& name) const;
  FoundModel load_again(const Entry& entry);
  void hold(const Entry& entry, std::shared_ptr<const ServedModel> served);
  std::int64_t bytes_in_use() const;
  // Evicts other models until `bytes` for this model fit. `replaced`: bytes of the model of the
  // same name, which become free. E1209 if they do not fit.
  void evict_for(const std::string& model, std::int64_t bytes, std::int64_t replaced);

  const std::optional<std::int64_t> memory_limit_;
  Sessions& sessions_;
  mutable std::shared_mutex mutex_;  // guards entries_ and the members of RegisteredModel marked so
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace mithril
