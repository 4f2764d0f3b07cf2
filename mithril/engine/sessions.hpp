// The sessions of an engine: the state that clients keep between requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "mithril/engine/inference_request.hpp"

namespace mithril {

// Thread-safe. Sessions that were not used for the maximum age are closed.
class Sessions {
 public:
  Sessions(std::size_t most, std::chrono::milliseconds age) : most_(most), age_(age) {}

  // Begins a session of this id, in place of one that is there; empty: a new id. Returns the id.
  // E1204.
  std::string open(const std::string& model, const std::string& id,
                   std::shared_ptr<const ServedModel> served,
                   const std::shared_ptr<ServingCounters>& counters);
  // E1202.
  std::shared_ptr<ModelSession> use(const std::string& model, const std::string& id);
  void close(const std::string& model, const std::string& id);  // E1202
  void close_all(const std::string& model);
  std::int64_t bytes();

 private:
  struct Held {
    std::shared_ptr<ModelSession> session;  // shared with a request that runs
    std::shared_ptr<ServingCounters> counters;
    ServingClock::time_point used;
  };
  using Key = std::pair<std::string, std::string>;  // model and id
  using Map = std::map<Key, Held>;

  void close_old();
  Map::iterator forget(Map::iterator at);

  const std::size_t most_;
  const std::chrono::milliseconds age_;
  std::mutex mutex_;  // guards the members below
  Map held_;
  std::uint64_t next_id_ = 0;
};

}  // namespace mithril
