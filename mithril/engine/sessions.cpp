#include "mithril/engine/sessions.hpp"

#include "mithril/engine/engine_errors.hpp"

namespace mithril {

Sessions::Map::iterator Sessions::forget(Map::iterator at) {
  --at->second.counters->sessions;
  return held_.erase(at);
}

void Sessions::close_old() {
  const ServingClock::time_point oldest = ServingClock::now() - age_;
  for (auto at = held_.begin(); at != held_.end();)
    at = at->second.used < oldest ? forget(at) : std::next(at);
}

std::string Sessions::open(const std::string& model, const std::string& id,
                           std::shared_ptr<const ServedModel> served,
                           const std::shared_ptr<ServingCounters>& counters) {
  const std::lock_guard lock(mutex_);
  close_old();
  std::string chosen = id;
  while (chosen.empty() || (id.empty() && held_.contains({model, chosen})))
    chosen = "session-" + std::to_string(next_id_++);
  const auto before = held_.find({model, chosen});
  if (before == held_.end() && held_.size() >= most_) refuse_session(model, most_);
  Held held{std::make_shared<ModelSession>(chosen, std::move(served)), counters,
            ServingClock::now()};
  if (before == held_.end()) {
    held_.emplace(Key(model, chosen), std::move(held));
  } else {
    --before->second.counters->sessions;
    before->second = std::move(held);
  }
  ++counters->sessions;
  return chosen;
}

std::shared_ptr<ModelSession> Sessions::use(const std::string& model, const std::string& id) {
  const std::lock_guard lock(mutex_);
  close_old();
  const auto found = held_.find({model, id});
  if (found == held_.end()) unknown_session(model, id);
  found->second.used = ServingClock::now();
  return found->second.session;
}

void Sessions::close(const std::string& model, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find({model, id});
  if (found == held_.end()) unknown_session(model, id);
  forget(found);
}

void Sessions::close_all(const std::string& model) {
  const std::lock_guard lock(mutex_);
  for (auto at = held_.begin(); at != held_.end();)
    at = at->first.first == model ? forget(at) : std::next(at);
}

std::int64_t Sessions::bytes() {
  const std::lock_guard lock(mutex_);
  close_old();
  std::int64_t bytes = 0;
  for (const auto& [key, held] : held_) bytes += held.session->model->state_bytes();
  return bytes;
}

}  // namespace mithril
