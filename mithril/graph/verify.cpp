// Checks the rules that every graph obeys.
#include <algorithm>
#include <unordered_set>

#include "mithril/graph/graph.hpp"
#include "mithril/infer/application.hpp"
#include "mithril/infer/walk.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

class Verification {
 public:
  explicit Verification(const Graph& graph) : graph_(graph), made_(graph.values().size()) {}

  void run() {
    check_names();
    for (const ValueId id : graph_.inputs()) {
      if (const char* broken = make(id)) fail("input" + name_of(id), broken);
    }
    for (const Constant& constant : graph_.constants()) check(constant);
    for (const Node& node : graph_.nodes()) check(node);
    for (const Output& output : graph_.outputs()) {
      if (!is_made(output.value)) fail("output '" + output.name + "'", unmade(output.value));
    }
    for (size_t i = 0; i < made_.size(); ++i) {
      const ValueId id{static_cast<int32_t>(i)};
      if (!made_[i]) fail("value" + name_of(id), "nothing makes it");
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& where, const std::string& rule) {
    throw InternalError("mithril: internal error: the graph is not valid at " + where + ": " +
                        rule);
  }

  [[noreturn]] void fail(const Node& node, const std::string& rule) const {
    std::string names;
    for (const ValueId id : node.outputs) names += name_of(id);
    fail("node" + names + " of op " + node.op->name, rule);
  }

  bool exists(ValueId id) const { return index(id) < made_.size(); }
  bool is_made(ValueId id) const { return exists(id) && made_[index(id)]; }

  std::string name_of(ValueId id) const {
    return exists(id) ? " '" + graph_.value(id).name + "'"
                      : " number " + std::to_string(static_cast<int32_t>(id));
  }

  std::string unmade(ValueId id) const {
    return exists(id) ? "it reads" + name_of(id) + " before that is made"
                      : "there is no value" + name_of(id);
  }

  // Why the value cannot be made here, or null.
  const char* make(ValueId id) {
    if (!exists(id)) return "there is no such value";
    if (made_[index(id)]) return "each value is made once, this one again";
    made_[index(id)] = true;
    for (const Dim& dim : graph_.value(id).dims) know(dim);
    return nullptr;
  }

  void check_names() const {
    std::unordered_set<std::string_view> names;
    for (const Value& value : graph_.values()) {
      if (value.name.empty()) fail("a value", "it has no name");
      if (!names.insert(value.name).second)
        fail("'" + value.name + "'", "two values have this name");
    }
    names.clear();
    for (const Output& output : graph_.outputs()) {
      if (!names.insert(output.name).second) {
        fail("output '" + output.name + "'", "two outputs have this name");
      }
    }
  }

  void check(const Constant& constant) {
    if (const char* broken = make(constant.value)) {
      fail("constant" + name_of(constant.value), broken);
    }
    const Value& value = graph_.value(constant.value);
    const Dims& dims = constant.tensor.dims();
    const bool fits = value.ranked && value.dtype == constant.tensor.dtype() &&
                      std::equal(value.dims.begin(), value.dims.end(), dims.begin(), dims.end(),
                                 [](const Dim& dim, int64_t number) { return same(dim, number); });
    if (!fits) fail("constant '" + value.name + "'", "its tensor is not what it states");
  }

  void check(const Node& node) {
    check_arguments(node);
    check_outputs(node);
    for (const ValueId id : node.outputs) {
      if (const char* broken = make(id)) fail(node, broken);
    }
  }

  void check_arguments(const Node& node) {
    const std::vector<PortDef>& ports = node.op->inputs;
    const size_t given = node.arguments.size();
    if (node.op->list_input() < 0 ? given != ports.size() : given + 1 < ports.size()) {
      fail(node, std::to_string(given) + " arguments do not fit its " +
                     std::to_string(ports.size()) + " ports");
    }
    size_t at = 0;
    for (size_t port = 0; port < ports.size(); ++port) {
      for (size_t n = ports[port].list ? node.list_size() : 1; n > 0; --n, ++at) {
        if (const Datum* datum = std::get_if<Datum>(&node.arguments[at])) know_all(*datum);
        const ValueId* id = tensor_of(node.arguments[at]);
        if (!id) continue;
        if (!is_made(*id)) fail(node, unmade(*id));
        if (node.op->compiled.ports[port].value) {
          fail(node, "port '" + ports[port].name + "' takes no tensor, it got" + name_of(*id));
        }
      }
    }
  }

  // Inference reads the tuple with the number of outputs, so it is checked first.
  void check_count_of_outputs(const Node& node) {
    if (node.op->outputs_from.empty() || node.op->mirrors_list()) return;
    const Argument& from = node.arguments[node.argument_index(node.op->outputs_from)];
    const Datum* datum = std::get_if<Datum>(&from);
    if (!datum || datum->kind() != kind::tuple) {
      fail(node, "port '" + node.op->outputs_from + "' takes a tuple");
    }
  }

  void check_outputs(const Node& node) {
    check_count_of_outputs(node);
    std::vector<Value> inferred;
    try {
      inferred = infer_node(graph_, node);
    } catch (const Error& error) {
      fail(node, std::string("its arguments do not fit the op: ") + error.what());
    }
    if (inferred.size() != node.outputs.size()) {
      fail(node, "it states " + std::to_string(node.outputs.size()) + " outputs, the op makes " +
                     std::to_string(inferred.size()));
    }
    for (size_t i = 0; i < inferred.size(); ++i) {
      if (!exists(node.outputs[i])) fail(node, unmade(node.outputs[i]));
      const Value& stated = graph_.value(node.outputs[i]);
      if (stated.dtype != inferred[i].dtype) {
        fail(node, "'" + stated.name + "' states dtype " + std::string(name(stated.dtype)) +
                       ", inferred is " + std::string(name(inferred[i].dtype)));
      }
      if (!dims_agree(stated, inferred[i])) {
        fail(node, "'" + stated.name + "' states dims " + to_string(stated.dims) +
                       ", inferred are " + to_string(inferred[i].dims));
      }
    }
  }

  bool dims_agree(const Value& stated, const Value& inferred) {
    if (!stated.ranked || !inferred.ranked) return true;  // one of them knows less
    return std::equal(stated.dims.begin(), stated.dims.end(), inferred.dims.begin(),
                      inferred.dims.end(),
                      [&](const Dim& a, const Dim& b) { return same(a, b) || may_agree(a, b); });
  }

  // Whether a model may know more about the dims than the node alone. It may for sizes that are new
  // here, and for quotients and products: neither M nor N implies that M//2 equals N//2 or 1, nor
  // that M*N equals N.
  bool may_agree(const Dim& a, const Dim& b) {
    if (!is_decided(a) || !is_decided(b)) return true;
    if (is_factor(a, b) || is_factor(b, a)) return true;
    if (resolve(a).is_constant() || resolve(b).is_constant()) {
      return is_computed(a) || is_computed(b);
    }
    return is_computed(a) && is_computed(b) && evaluate(a, sizes_) == evaluate(b, sizes_);
  }

  static bool is_factor(const Dim& factor, const Dim& dim) {
    const Symbol* const own = resolve(factor).symbol();
    const Symbol* const made = resolve(dim).symbol();
    if (!own || !made || !made->product()) return false;
    const auto factors = made->product()->key();
    return std::any_of(factors.begin(), factors.end(),
                       [&](Symbol* each) { return find(each) == own; });
  }

  static bool is_computed(const Dim& dim) {
    bool computed = false;
    each_symbol(resolve(dim), [&](const Symbol* symbol) { computed |= is_defined(symbol); });
    return computed;
  }

  // Whether the sizes so far are all that the dim depends on.
  bool is_decided(const Dim& dim) { return evaluate(dim, sizes_).has_value(); }

  // A quotient or product of a dim gets its size from the sizes that it is computed from.
  void know(const Dim& dim) {
    constexpr int64_t any = 97;
    walk(
        resolve(dim), [&](Symbol* symbol) { return sizes_.contains(symbol); },
        [&](Symbol* symbol) {
          sizes_.emplace(symbol, any);
          return true;
        },
        [](Symbol*, const Operation&) {});
  }

  void know_all(const Datum& datum) {
    map_dims(datum, [&](const Dim& dim) {
      know(dim);
      return dim;
    });
  }

  const Graph& graph_;
  std::vector<bool> made_;
  Sizes sizes_;  // of every symbol so far, to see which dims are made of them
};

}  // namespace

void verify(const Graph& graph) { Verification(graph).run(); }

}  // namespace mithril
