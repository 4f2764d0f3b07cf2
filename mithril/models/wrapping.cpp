#include "mithril/models/wrapping.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/key_patterns.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/keys.hpp"

namespace mithril {

Model wrapper_of_class(const std::string& name) {
  return Model(std::shared_ptr<Part>(new_root(name)));
}

void refuse_part(const Model& model) {
  if (!model.part()->owner) return;
  raise({.kind = ErrorKind::connection,
         .code = "E0103",
         .path = path(model.part().get()),
         .message = "this part belongs to a model already",
         .help = "make a new model, or take its copy()"});
}

std::vector<std::string> names_among(const std::vector<Connection>& connections,
                                     const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (const Connection& connection : connections) {
    if (std::find(keys.begin(), keys.end(), connection.name()) != keys.end())
      names.push_back(connection.name());
  }
  return names;
}

std::vector<Binding> as_bindings(const std::vector<Connection>& connections) {
  return {connections.begin(), connections.end()};
}

std::vector<std::string> keys_matching(const std::vector<std::string>& patterns,
                                       const std::vector<std::string>& keys, const char* what) {
  std::vector<std::string> found;
  for (const std::string& pattern : patterns) {
    check_pattern(pattern, keys, what);
    for (const std::string& key : keys) {
      const bool is_new = std::find(found.begin(), found.end(), key) == found.end();
      if (is_new && matches(pattern, key)) found.push_back(key);
    }
  }
  return found;
}

namespace {

void keep_initializer(Model& model, const std::string& key, const Wire* inner,
                      const std::vector<WireDistribution>& all, std::int64_t stacked) {
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const WireDistribution& given) {
    return top(given.wire) == inner;
  });
  if (last == all.rend() && stacked == 0) return;
  Initializer initializer{.distribution = Initializer::Distribution::uniform_fan_in};
  if (last != all.rend()) {
    initializer = last->initializer;
    if (last->fan_of) initializer.fan_of = wire_name(top(last->fan_of));
  }
  initializer.stacked += stacked;
  model.set_initializer(key, initializer);
}

void keep_interval(Composite& model, Wire* outer, const Wire* inner) {
  const std::vector<Interval> all = model.more().intervals;
  for (const Interval& interval : all) {
    if (top(interval.wire) != inner) continue;
    model.more().intervals.push_back({outer, interval.low, interval.high});
    model.note({outer, std::pair(interval.low, interval.high)});
  }
}

}  // namespace

void expose_results(Model& model, const std::vector<std::pair<std::string, Connection>>& results,
                    const std::string& who) {
  std::vector<std::string> taken = model.input_keys();
  for (const auto& [key, value] : results) {
    if (std::find(taken.begin(), taken.end(), key) != taken.end())
      raise({.kind = ErrorKind::name,
             .code = "E0607",
             .path = who,
             .message = "two ports have the name " + in_quotes(key),
             .facts = {{"inputs", join(model.input_keys(), ", "), ""}},
             .help = "rename the input or the output of the part with rename_key"});
    taken.push_back(key);
  }
  model.expose_keys(results);
}

void keep_statements(Model& model, const std::string& key, const Connection& inside,
                     std::int64_t stacked) {
  const std::shared_ptr<Composite> composite = model.composite();
  const Wire* inner = top(inside.wire());
  keep_initializer(model, key, inner, composite->more().distributions, stacked);
  keep_interval(*composite, model.at(key).wire(), inner);
  if (inner->differentiable >= 0) model.set_differentiability({{key, inner->differentiable == 1}});
}

}  // namespace mithril
