// Infers a node by comparing, and lets the op's `solve` do the same.
#include <bit>

#include "mithril/graph/infer_node.hpp"
#include "mithril/graph/matching.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {
namespace {

// Matching cannot decide. Thrown through `solve`, which cannot continue.
struct Open {};

void require(bool holds) {
  if (!holds) throw Open{};
}

// Bits 0 to 2 of kinds are tensors, 3 to 5 numbers that are values, both in the order of promotion.
Kinds promoted(Kinds a, Kinds b) {
  require(std::has_single_bit(a) && std::has_single_bit(b));
  const int left = std::countr_zero(a), right = std::countr_zero(b);
  require(left < 6 && right < 6);
  const bool tensor = left < 3 || right < 3;
  return static_cast<Kinds>(1u << (std::max(left % 3, right % 3) + (tensor ? 0 : 3)));
}

class NodeMatch final : public Solver {
 public:
  NodeMatch(const Graph& graph, const Node& node) : graph_(graph), node_(node), op_(*node.op) {
    std::copy(op_.compiled.type_kinds.begin(), op_.compiled.type_kinds.end(), types_.begin());
    output_kinds_.fill(kind::any);
    if (op_.list_output() >= 0) list_shapes_.resize(output_list_size(node));
  }

  std::optional<std::vector<Value>> run() {
    match_inputs();
    broadcast();
    if (op_.solve && !op_.solve(*this)) return std::nullopt;
    broadcast();
    return outputs();
  }

 private:
  // Ports and their arguments.

  struct PortArgument {
    size_t port;            // inputs, then outputs
    const Argument* given;  // of an input
    const CompiledPorts::Port& pattern(const OpDef& op) const { return op.compiled.ports[port]; }
  };

  const Value* tensor(const Argument& argument) const {
    const ValueId* id = tensor_of(argument);
    return id ? &graph_.value(*id) : nullptr;
  }

  Kinds kind_of(const Argument& argument) const {
    const Value* value = tensor(argument);
    return value ? tensor_kind(value->dtype) : std::get<Datum>(argument).kind();
  }

  PortArgument port_argument(std::string_view name, int item) const {
    size_t at = 0;
    for (size_t port = 0; port < op_.port_count(); ++port) {
      const PortDef& def = op_.port(port);
      const bool input = port < op_.inputs.size();
      if (def.name == name) {
        return {port, input ? node_.arguments.data() + at + static_cast<size_t>(item) : nullptr};
      }
      if (input) at += def.list ? node_.list_size() : 1;
    }
    faulty_record(op_, "its solve asks for a port '" + std::string(name) + "'");
  }

  void match_inputs() {
    size_t at = 0;
    for (size_t port = 0; port < op_.inputs.size(); ++port) {
      const CompiledPorts::Port& pattern = op_.compiled.ports[port];
      const bool list = op_.inputs[port].list;
      for (size_t n = list ? node_.list_size() : 1; n > 0; --n) {
        const Argument& argument = node_.arguments[at++];
        narrow_input(pattern, kind_of(argument));
        if (const Value* value = tensor(argument)) {
          require(value->ranked && patterns_.match(pattern, value->dims, list));
        } else if (!pattern.value && kind_of(argument) != kind::none) {
          require(patterns_.match(pattern, {}, list));
        }
      }
    }
  }

  void narrow_input(const CompiledPorts::Port& pattern, Kinds kind) {
    require(pattern.left < 0);
    const Kinds allowed = pattern.type >= 0 ? types_[pattern.type] : pattern.kinds;
    require((allowed & kind) != 0);
    if (pattern.type >= 0) types_[pattern.type] = kind;
  }

  // the facts of the Attempt

  void broadcast() {
    for (const auto& [left, right, result] : op_.compiled.broadcasts) {
      if (!patterns_.run(left) || !patterns_.run(right)) continue;
      const DimView dims = broadcast(*patterns_.run(left), *patterns_.run(right));
      require(patterns_.bind_run(result, dims));
    }
  }

  DimView broadcast(DimView a, DimView b) {
    if (a.size() < b.size()) std::swap(a, b);
    const DimView inner = a.subspan(a.size() - b.size());
    if (all_same(inner, b)) return a;
    std::vector<Dim>& dims = kept_.emplace_back(a.begin(), a.end());
    for (size_t i = 0; i < b.size(); ++i) {
      Dim& dim = dims[a.size() - b.size() + i];
      if (resolve(dim).is_constant(1)) {
        dim = b[i];
      } else {
        require(resolve(b[i]).is_constant(1) || mithril::same(dim, b[i]));
      }
    }
    return dims;
  }

  std::vector<Value> outputs() {
    std::vector<Value> made;
    for (size_t i = 0; i < op_.outputs.size(); ++i) {
      if (op_.outputs[i].list && op_.mirrors_list()) {
        for (size_t item = 0; item < node_.list_size(); ++item) {
          require(list_shapes_[item].has_value());
          made.push_back({.name = {},
                          .dims = std::move(*list_shapes_[item]),
                          .dtype = mirrored_dtype(graph_, node_, item)});
        }
        continue;
      }
      const size_t port = op_.inputs.size() + i;
      const Kinds kinds = output_kinds(port);
      require(std::has_single_bit(kinds) && (kinds & kind::tensor));
      const DType dtype = output_dtype(graph_, node_, kinds, i);
      if (op_.outputs[i].list) {
        for (auto& dims : list_shapes_) {
          require(dims.has_value());
          made.push_back({.name = {}, .dims = std::move(*dims), .dtype = dtype});
        }
        continue;
      }
      Value& value = made.emplace_back(Value{.name = {}, .dims = {}, .dtype = dtype});
      require(patterns_.build(op_.compiled.ports[port], value.dims));
    }
    for (Value& value : made) {
      for (Dim& dim : value.dims) dim = resolve(dim);
    }
    return made;
  }

  Kinds output_kinds(size_t port) const {
    const CompiledPorts::Port& pattern = op_.compiled.ports[port];
    Kinds kinds = output_kinds_[port - op_.inputs.size()];
    if (pattern.type >= 0) return kinds & types_[pattern.type];
    if (pattern.left >= 0) return kinds & promoted(types_[pattern.left], types_[pattern.right]);
    return kinds & pattern.kinds;
  }

  // Reading for `solve`.

  const Datum* value(std::string_view port, int item) override {
    const Argument* given = port_argument(port, item).given;
    return given ? std::get_if<Datum>(given) : nullptr;
  }

  bool shape(std::string_view port, std::vector<Dim>& dims, int item) override {
    const PortArgument at = port_argument(port, item);
    if (const Value* value = at.given ? tensor(*at.given) : nullptr) {
      dims = value->dims;
      return true;
    }
    if (!op_.port(at.port).list) return patterns_.build(at.pattern(op_), dims);
    if (at.given || !list_shapes_[static_cast<size_t>(item)]) return false;
    dims = *list_shapes_[static_cast<size_t>(item)];
    return true;
  }

  Kinds form(std::string_view port, int item) override {
    const Kinds now = kinds(port, item);
    if (!(now & kind::tensor)) return kind::value;
    return now & kind::value ? 0 : kind::tensor;
  }

  Kinds kinds(std::string_view port, int item) const override {
    const PortArgument at = port_argument(port, item);
    return at.given ? kind_of(*at.given) : output_kinds(at.port);
  }

  Kinds kind(std::string_view port, int item) override {
    const Kinds now = kinds(port, item);
    return std::has_single_bit(now) ? now : 0;
  }

  bool number(const Dim& dim, int64_t& number) override {
    const Dim now = resolve(dim);
    if (now.is_constant()) number = now.constant();
    return now.is_constant();
  }

  Dim dim(std::string_view name) const override {
    const auto& bound = patterns_.dim(variable(name));
    require(bound.has_value());
    return *bound;
  }

  int count(std::string_view port) const override {
    const size_t at = port_argument(port, 0).port;
    if (!op_.port(at).list) return 1;
    return static_cast<int>(at < op_.inputs.size() ? node_.list_size() : list_shapes_.size());
  }

  // Stating for `solve`.

  void set(std::string_view dim, const Dim& is) override {
    require(patterns_.bind(variable(dim), is));
  }

  void set_shape(std::string_view port, const std::vector<Dim>& dims, int item) override {
    const PortArgument at = port_argument(port, item);
    if (const Value* value = at.given ? tensor(*at.given) : nullptr) {
      return require(all_same(value->dims, dims));
    }
    const bool list = op_.port(at.port).list;
    require(patterns_.match(at.pattern(op_), kept_.emplace_back(dims), list));
    if (!list || at.given) return;
    auto& known = list_shapes_[static_cast<size_t>(item)];
    require(!known || all_same(*known, dims));
    known = dims;
  }

  void set_value(std::string_view port, const Datum& datum, int item) override {
    const Datum* given = value(port, item);
    require(given && mithril::same(*given, datum));
  }

  void narrow(std::string_view port, Kinds kinds, int item) override {
    const PortArgument at = port_argument(port, item);
    if (at.given) return require((kind_of(*at.given) & kinds) != 0);
    output_kinds_[at.port - op_.inputs.size()] &= kinds;
    require(this->kinds(port, item) != 0);
  }

  void same_type(std::string_view port, std::string_view other) override {
    const Kinds both = kinds(port, 0) & kinds(other, 0);
    require(std::has_single_bit(both));
    narrow(port, both, 0);
    narrow(other, both, 0);
  }

  void same(const Dim& a, const Dim& b) override { require(mithril::same(a, b)); }
  Dim fresh(bool) override { throw Open{}; }
  bool await(const Dim&) override { return false; }
  void refuse(std::string, std::string, std::string, ErrorKind) override { throw Open{}; }

  int variable(std::string_view dim) const {
    const auto& names = op_.compiled.dims;
    const auto at = std::find(names.begin(), names.end(), dim);
    if (at == names.end())
      faulty_record(op_, "its patterns have no dim '" + std::string(dim) + "'");
    return static_cast<int>(at - names.begin());
  }

  const Graph& graph_;
  const Node& node_;
  const OpDef& op_;
  Matching patterns_;
  std::array<Kinds, 8> types_{};
  std::array<Kinds, 8> output_kinds_{};
  std::vector<std::optional<std::vector<Dim>>> list_shapes_;  // of the list output
  std::vector<std::vector<Dim>> kept_;                        // the dims that bound runs refer to
};

}  // namespace

std::optional<std::vector<Value>> match_node(const Graph& graph, const Node& node) {
  const CompiledPorts& ports = node.op->compiled;
  if (states_outputs(*node.op)) return stated_outputs(node);
  if (!Matching::can_hold(ports) || ports.types.size() > 8 || node.op->outputs.size() > 8)
    return std::nullopt;
  try {
    return NodeMatch(graph, node).run();
  } catch (const Open&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace mithril
