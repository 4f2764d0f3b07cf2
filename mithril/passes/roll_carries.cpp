// The carries of a loop, which its exits state.
#include <algorithm>
#include <string>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/roll_loops.hpp"

namespace mithril {
namespace {

class ReadExits {
 public:
  ReadExits(const Graph& graph, const std::vector<std::optional<size_t>>& makers, ValueId token)
      : graph_(graph), makers_(makers), token_(token) {}

  LoopCarries read(const Node& exit) const {
    LoopCarries found;
    const size_t first = exit.argument_index("carried"), count = exit.list_size();
    const auto at = [&](size_t i) { return *tensor_of(exit.arguments[first + i]); };
    for (size_t k = 0; k + 1 < count; k += 2) {
      const ValueId carry = behind_hooks(graph_, makers_, at(k)), next = at(k + 1);
      if (!is_carry(carry)) refuse_place(carry, "a carry");
      check_dtypes(carry, next);
      found.carries.push_back({carry, next});
    }
    if (count % 2 == 1) {
      found.goes_on = at(count - 1);
      if (graph_.value(*found.goes_on).dtype != DType::boolean)
        refuse_place(*found.goes_on, "the condition");
    }
    return found;
  }

  // The first exit states the carries.
  void check(const Node& exit, const LoopCarries& stated) const {
    const LoopCarries own = read(exit);
    MITHRIL_CHECK(own.carries.size() == stated.carries.size() &&
                      own.goes_on.has_value() == stated.goes_on.has_value(),
                  "an exit of a loop states all of its carries");
    for (size_t k = 0; k < stated.carries.size(); ++k) {
      if (own.carries[k].carry != stated.carries[k].carry)
        refuse_place(own.carries[k].carry, "a carry");
      check_next(own.carries[k].next, stated.carries[k].next);
    }
    if (own.goes_on != stated.goes_on) refuse_place(*own.goes_on, "the condition");
    if (exit.op->name != "scan_last") return;
    const ValueId carry = behind_hooks(graph_, makers_, argument(exit, "carry"));
    const auto same = std::find_if(stated.carries.begin(), stated.carries.end(),
                                   [&](const auto& known) { return known.carry == carry; });
    if (same == stated.carries.end()) refuse_place(carry, "a carry");
    check_next(argument(exit, "next"), same->next);
  }

 private:
  static ValueId argument(const Node& node, std::string_view port) {
    return *tensor_of(node.arguments[node.argument_index(port)]);
  }

  bool is_carry(ValueId id) const {
    const auto& maker = makers_[index(id)];
    const Node* node = maker ? &graph_.nodes()[*maker] : nullptr;
    return node && node->op->name == "scan_carry" && argument(*node, "steps") == token_;
  }

  const std::string& name_of(ValueId id) const { return graph_.value(id).name; }

  void check_next(ValueId next, ValueId stated) const {
    if (next == stated) return;
    refuse(next, "results of a loop read '" + name_of(stated) + "' and '" + name_of(next) +
                     "' as the next value of one carry");
  }

  [[noreturn]] void refuse_place(ValueId id, const std::string& place) const {
    refuse(id, "'" + name_of(id) + "' is in the place of " + place + " of a loop");
  }

  [[noreturn]] void refuse(ValueId id, std::string message) const {
    raise({.kind = ErrorKind::connection,
           .code = "E0130",
           .path = name_of(id),
           .message = std::move(message),
           .facts = {{"loop", name_of(token_), ""}},
           .help = "change the body of the loop before Scan takes it"});
  }

  void check_dtypes(ValueId carry, ValueId next) const {
    const DType before = graph_.value(carry).dtype, after = graph_.value(next).dtype;
    if (before == after) return;
    raise({.kind = ErrorKind::type,
           .code = "E0301",
           .path = name_of(next),
           .message = "a step of the loop changes the dtype of the carry",
           .facts = {{name_of(carry), std::string(name(before)), ""},
                     {name_of(next), std::string(name(after)), ""}},
           .help = "cast the next value, or the first one"});
  }

  const Graph& graph_;
  const std::vector<std::optional<size_t>>& makers_;
  const ValueId token_;
};

}  // namespace

size_t LoopCarries::index_of(ValueId carry) const {
  const auto at = std::find_if(carries.begin(), carries.end(),
                               [&](const Carry& known) { return known.carry == carry; });
  MITHRIL_CHECK(at != carries.end(), "the carry of an exit is a carry of the loop");
  return static_cast<size_t>(at - carries.begin());
}

LoopCarries carries_of_loop(const Graph& graph, const std::vector<const Node*>& exits,
                            const std::vector<std::optional<size_t>>& makers, ValueId token) {
  if (exits.empty()) return {};
  const ReadExits reader(graph, makers, token);
  LoopCarries found = reader.read(*exits.front());
  for (const Node* exit : exits) reader.check(*exit, found);
  return found;
}

}  // namespace mithril
