#include "mithril/passes/early_likes.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

class EarlyLikes {
 public:
  explicit EarlyLikes(const Graph& graph) : from_(graph), rebuilder_(graph) {}

  Graph run() {
    for (const ValueId id : from_.inputs()) first_like(id);
    for (const Constant& constant : from_.constants()) first_like(constant.value);
    for (const Node& node : from_.nodes()) {
      Node mapped = rebuilder_.map_arguments(node);
      for (const PortDef& port : node.op->inputs) {
        if (port.name == "like") read_early(mapped, port);
      }
      rebuilder_.add(std::move(mapped), node.outputs);
      for (const ValueId id : node.outputs) first_like(id);
    }
    return rebuilder_.finish_whole();
  }

 private:
  void read_early(Node& mapped, const PortDef& port) {
    const size_t first = mapped.argument_index(port.name);
    const size_t count = port.list ? mapped.list_size() : 1;
    for (size_t i = first; i < first + count; ++i) {
      if (ValueId* id = std::get_if<ValueId>(&mapped.arguments[i]))
        *id = first_of(rebuilder_.graph().value(*id), *id);
    }
  }

  void first_like(ValueId old) { first_of(from_.value(old), rebuilder_.map(old)); }

  // The first value of these dims and this dtype, which is `now` if there was none.
  ValueId first_of(const Value& value, ValueId now) {
    if (!value.ranked) return now;
    std::vector<ValueId>& alike = alike_[to_string(value.dims)];
    for (const ValueId id : alike) {
      const Value& other = rebuilder_.graph().value(id);
      if (other.dtype == value.dtype && same_dims(other.dims, value.dims)) return id;
    }
    alike.push_back(now);
    return now;
  }

  static bool same_dims(const std::vector<Dim>& a, const std::vector<Dim>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Dim& x, const Dim& y) { return same(x, y); });
  }

  const Graph& from_;
  Rebuilder rebuilder_;
  // The key is the text of the dims. Different dims may have the same text.
  std::unordered_map<std::string, std::vector<ValueId>> alike_;
};

}  // namespace

Graph read_early_likes(const Graph& graph) { return EarlyLikes(graph).run(); }

}  // namespace mithril
