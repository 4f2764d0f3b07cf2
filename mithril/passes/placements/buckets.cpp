#include "mithril/passes/placements/buckets.hpp"

#include <algorithm>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/placements/argument_ports.hpp"

namespace mithril {
namespace {

class Bucketing {
 public:
  Bucketing(const Graph& graph, const FoundPlacements& placements, int64_t bytes)
      : graph_(graph), placements_(placements), most_(bytes), precedes_(find_preceding()) {
    bucket_of_.assign(graph.values().size(), -1);
  }

  std::vector<Bucket> run() {
    for (const ValueId id : graph_.inputs()) put(id, -1);
    for (size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      const ArgumentPorts ports(node);
      for (size_t k = 0; k < node.arguments.size(); ++k) {
        const ValueId* id = tensor_of(node.arguments[k]);
        if (id && reads_elements(ports[k])) close(*id);
      }
      for (const ValueId id : node.outputs) put(id, static_cast<int64_t>(i));
    }
    std::stable_sort(buckets_.begin(), buckets_.end(),
                     [](const Bucket& a, const Bucket& b) { return a.made < b.made; });
    return std::move(buckets_);
  }

 private:
  struct Open {
    size_t bucket;
    bool precedes;
  };

  bool is_reduced(ValueId id) const { return placements_.reduced[index(id)]; }

  // Per value: whether a later exchange depends on it.
  std::vector<bool> find_preceding() const {
    std::vector<bool> precedes(graph_.values().size());
    for (size_t i = graph_.nodes().size(); i-- > 0;) {
      const Node& node = graph_.nodes()[i];
      const bool leads = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
        return is_reduced(id) || precedes[index(id)];
      });
      const ArgumentPorts ports(node);
      for (size_t k = 0; k < node.arguments.size() && leads; ++k) {
        const ValueId* id = tensor_of(node.arguments[k]);
        if (id && reads_elements(ports[k])) precedes[index(*id)] = true;
      }
    }
    return precedes;
  }

  // No more values join the bucket of this value, which is read.
  void close(ValueId id) {
    const int bucket = bucket_of_[index(id)];
    if (bucket < 0) return;
    std::erase_if(open_,
                  [&](const Open& open) { return open.bucket == static_cast<size_t>(bucket); });
  }

  void put(ValueId id, int64_t made) {
    if (!is_reduced(id)) return;
    const std::optional<int64_t> bytes = known_bytes(graph_.value(id));
    const size_t at = bytes ? bucket_for(id, *bytes) : add_bucket(id);
    Bucket& bucket = buckets_[at];
    bucket.members.push_back(id);
    bucket.bytes += bytes.value_or(0);
    bucket.made = made;
    bucket_of_[index(id)] = static_cast<int>(at);
  }

  size_t add_bucket(ValueId id) {
    buckets_.push_back({placements_.of[index(id)].reduction, graph_.value(id).dtype});
    return buckets_.size() - 1;
  }

  // An open bucket with room for the value, or a new one.
  size_t bucket_for(ValueId id, int64_t bytes) {
    const bool precedes = precedes_[index(id)];
    const auto fits = [&](const Open& open) {
      const Bucket& bucket = buckets_[open.bucket];
      return open.precedes == precedes && bucket.dtype == graph_.value(id).dtype &&
             bucket.reduction == placements_.of[index(id)].reduction;
    };
    const auto open = std::find_if(open_.begin(), open_.end(), fits);
    if (open != open_.end() && buckets_[open->bucket].bytes + bytes <= most_) return open->bucket;
    if (open != open_.end()) open_.erase(open);
    open_.push_back({add_bucket(id), precedes});
    return open_.back().bucket;
  }

  const Graph& graph_;
  const FoundPlacements& placements_;
  const int64_t most_;
  const std::vector<bool> precedes_;
  std::vector<Bucket> buckets_;
  std::vector<Open> open_;
  std::vector<int> bucket_of_;  // per value; -1: none
};

}  // namespace

std::optional<int64_t> known_bytes(const Value& value) {
  if (!value.ranked) return std::nullopt;
  auto bytes = static_cast<int64_t>(size_of(value.dtype));
  for (const Dim& dim : value.dims) {
    const Dim size = resolve(dim);
    if (!size.is_constant()) return std::nullopt;
    bytes *= size.constant();
  }
  return bytes;
}

std::vector<Bucket> make_buckets(const Graph& graph, const FoundPlacements& placements,
                                 int64_t bytes) {
  return Bucketing(graph, placements, bytes).run();
}

}  // namespace mithril
