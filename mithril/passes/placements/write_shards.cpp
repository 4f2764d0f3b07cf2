#include "mithril/passes/placements/write_shards.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

// The dims with others in the place of one of them.
std::vector<Dim> split_axis(const std::vector<Dim>& dims, size_t axis,
                            const std::vector<Dim>& parts) {
  std::vector<Dim> result(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  result.insert(result.end(), parts.begin(), parts.end());
  result.insert(result.end(), dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, dims.end());
  return result;
}

class ShardWriter {
 public:
  ShardWriter(const Graph& graph, const ShardRules& rules, const FoundShards& found,
              const ShardOptions& options)
      : from_(graph), rules_(rules), found_(found), options_(options) {
    to_.share_facts(graph);
    to_.set_default_dtype(graph.default_dtype());
    for (const Value& value : graph.values()) names_.insert(value.name);
    made_.assign(graph.values().size(), ValueId{-1});
  }

  LocalGraph run() {
    for (const ValueId id : from_.inputs()) {
      made_[index(id)] = to_.add_input(local(id));
      place(made_[index(id)], found_.of[index(id)], found_.reduced[index(id)]);
    }
    for (const Constant& constant : from_.constants()) {
      made_[index(constant.value)] =
          to_.add_constant(from_.value(constant.value).name, constant.tensor);
    }
    for (size_t i = 0; i < from_.nodes().size(); ++i) write(static_cast<NodeId>(i));
    add_outputs();
    placements_.of.resize(to_.values().size());
    placements_.reduced.resize(to_.values().size());
    return {std::move(to_), std::move(placements_)};
  }

 private:
  // The value with the dims of this process.
  Value local(ValueId id) const {
    Value value = from_.value(id);
    const Placement& of = found_.of[index(id)];
    if (of.is_sharded()) value.dims[of.axis] = sizes(id, of).local;
    return value;
  }
  BlockSizes sizes(ValueId id, const Placement& of) const {
    const std::optional<BlockSizes> known = rules_.sizes(id, of);
    MITHRIL_CHECK(known, "the size of a block of '" + from_.value(id).name + "' is not known");
    return *known;
  }

  void place(ValueId now, const Placement& of, bool reduced) {
    placements_.of.resize(to_.values().size());
    placements_.reduced.resize(to_.values().size());
    placements_.of[index(now)] = of;
    placements_.reduced[index(now)] = reduced;
  }

  std::string unused_name(std::string name) {
    while (!names_.insert(name).second) name += "_";
    return name;
  }

  // A node with one output.
  ValueId add(const char* op, std::vector<Argument> arguments, const std::string& name, DType dtype,
              std::vector<Dim> dims) {
    Node node{&find_op(op), std::move(arguments), {}};
    for (size_t i = node.arguments.size(); i < node.op->inputs.size(); ++i)
      node.arguments.emplace_back(*node.op->inputs[i].fallback);
    node.outputs.push_back(
        to_.add_value({.name = unused_name(name), .dims = std::move(dims), .dtype = dtype}));
    const ValueId made = node.outputs.front();
    to_.add_node(std::move(node));
    return made;
  }
  ValueId reshaped(ValueId id, const std::string& name, std::vector<Dim> dims) {
    return add("reshape", {id, Datum::dims(dims)}, name, to_.value(id).dtype, dims);
  }
  ValueId filled(const std::vector<Dim>& dims, DType dtype, const Datum& number,
                 const std::string& name) {
    return add("full", {Datum::dims(dims), number, Datum(dtype)}, name, dtype, dims);
  }

  // -0 changes no float to which it is added, not even the sign of a zero.
  static Datum neutral(DType dtype) {
    if (dtype == DType::boolean) return false;
    return is_floating(dtype) ? Datum(-0.0) : Datum(0);
  }

  // All of the value, on every process.
  ValueId whole(ValueId id) {
    const Placement& of = found_.of[index(id)];
    if (!of.is_sharded()) return made_[index(id)];
    const auto known = whole_.find(id);
    if (known != whole_.end()) return known->second;
    return whole_.emplace(id, gathered(id, of)).first->second;
  }

  // The block between neutral elements, as a term.
  ValueId gathered(ValueId id, const Placement& of) {
    const Value& value = from_.value(id);
    const BlockSizes sizes = this->sizes(id, of);
    const std::string name = value.name + ".whole";
    ValueId block = made_[index(id)];
    size_t axis = of.axis;
    Dim step = sizes.local;
    std::vector<Dim> dims = to_.value(block).dims;
    if (of.outer != 1) {
      dims = split_axis(dims, axis, {sizes.outer, 1, sizes.inner});
      block = reshaped(block, name + ".parts", dims);
      ++axis;
      step = 1;
    }
    Tuple widths(dims.size(), Datum::ints({0, 0}));
    widths[axis] = Tuple{Datum(step * Dim(options_.rank)),
                         Datum(step * Dim(options_.size - 1 - options_.rank))};
    dims[axis] = step * Dim(options_.size);
    const bool split = of.outer != 1;
    ValueId term = add("pad", {block, Datum(std::move(widths)), neutral(value.dtype)},
                       split ? name + ".joined" : name, value.dtype, dims);
    if (split) term = reshaped(term, name, value.dims);
    place(term, Placement::partial(value.dtype == DType::boolean ? Reduction::max : Reduction::sum),
          true);
    return term;
  }

  // The block of this process.
  ValueId block(ValueId id, const Placement& of) {
    if (found_.of[index(id)] == of) return made_[index(id)];
    const auto key = std::make_tuple(id, of.axis, of.outer);
    const auto known = blocks_.find(key);
    if (known != blocks_.end()) return known->second;
    const ValueId made = cut(id, of);
    place(made, of, false);
    return blocks_.emplace(key, made).first->second;
  }

  ValueId cut(ValueId id, const Placement& of) {
    const Value& value = from_.value(id);
    const BlockSizes sizes = this->sizes(id, of);
    const std::string name = value.name + ".block";
    std::vector<Dim> local = value.dims;
    local[of.axis] = sizes.local;
    const ValueId from = whole(id);
    if (of.outer == 1 && sizes.local.is_constant()) {
      const int64_t size = sizes.local.constant(), first = size * options_.rank;
      return slice(from, of.axis, first, first + size, name, local);
    }
    std::vector<Dim> dims =
        split_axis(value.dims, of.axis, {sizes.outer, options_.size, sizes.inner});
    const ValueId parts = reshaped(from, name + ".parts", dims);
    dims[of.axis + 1] = 1;
    const ValueId part = slice(parts, of.axis + 1, options_.rank, options_.rank + 1, name + ".part",
                               std::move(dims));
    return reshaped(part, name, std::move(local));
  }

  ValueId slice(ValueId id, size_t axis, int64_t first, int64_t last, const std::string& name,
                std::vector<Dim> dims) {
    return add("slice",
               {id, Datum(Tuple{first}), Datum(Tuple{last}), Datum(),
                Datum(Tuple{static_cast<int64_t>(axis)})},
               name, to_.value(id).dtype, std::move(dims));
  }

  ValueId dims_of(ValueId id) {
    if (!found_.of[index(id)].is_sharded()) return made_[index(id)];
    const auto known = dims_.find(id);
    if (known != dims_.end()) return known->second;
    const Value& value = from_.value(id);
    const Datum zero = value.dtype == DType::boolean ? Datum(false)
                       : is_floating(value.dtype)    ? Datum(0.0)
                                                     : Datum(0);
    return dims_.emplace(id, filled(value.dims, value.dtype, zero, value.name + ".dims"))
        .first->second;
  }

  ValueId argument(ValueId id, const ArgumentForm& form) {
    switch (form.kind) {
      case FormKind::whole:
        return whole(id);
      case FormKind::block:
        return block(id, form.block);
      case FormKind::dims:
        return dims_of(id);
      default:
        return found_.gathered[index(id)] ? whole(id) : made_[index(id)];
    }
  }

  void write(NodeId id) {
    const Node& node = from_.node(id);
    const std::vector<ArgumentForm>& forms = found_.arguments[index(id)];
    Node now{node.op, node.arguments, {}};
    for (size_t i = 0; i < now.arguments.size(); ++i) {
      if (const ValueId* value = tensor_of(node.arguments[i]))
        now.arguments[i] = argument(*value, forms[i]);
    }
    for (const ValueId old : node.outputs) {
      now.outputs.push_back(to_.add_value(local(old)));
      made_[index(old)] = now.outputs.back();
      place(now.outputs.back(), found_.of[index(old)], found_.reduced[index(old)]);
    }
    if (found_.reshapes[index(id)]) {
      now.arguments[node.argument_index("shape")] =
          Datum::dims(to_.value(now.outputs.front()).dims);
    }
    const std::vector<size_t>& masked = found_.masked[index(id)];
    if (!masked.empty())
      placements_.changes[static_cast<NodeId>(to_.nodes().size())].masked = masked;
    to_.add_node(std::move(now));
  }

  void add_outputs() {
    std::vector<ValueId> made;
    for (size_t i = 0; i < from_.outputs().size(); ++i) {
      const ValueId id = from_.outputs()[i].value;
      made.push_back(is_cut(i) ? block(id, Placement::sharded(*options_.output_axes[i]))
                               : whole(id));
    }
    for (size_t i = 0; i < made.size(); ++i) {
      const auto& [name, id] = from_.outputs()[i];
      const bool is_gathered = !is_cut(i) && found_.of[index(id)].is_sharded();
      to_.add_output(name, is_gathered ? copied(made[i], from_.value(id)) : made[i]);
    }
  }

  bool is_cut(size_t output) const {
    return output < options_.output_axes.size() && options_.output_axes[output];
  }

  // A backend may write a copy into a donated input once all exchanges have succeeded. It may not
  // exchange there: if a later exchange fails, the input must be as before.
  ValueId copied(ValueId id, const Value& value) {
    const ValueId made = add("buffer", {id}, value.name + ".copy", value.dtype, value.dims);
    place(made, {}, false);
    return made;
  }

  const Graph& from_;
  const ShardRules& rules_;
  const FoundShards& found_;
  const ShardOptions& options_;
  Graph to_;
  FoundPlacements placements_;
  std::set<std::string> names_;
  std::vector<ValueId> made_;  // per value of the graph
  std::map<ValueId, ValueId> whole_, dims_;
  std::map<std::tuple<ValueId, size_t, int64_t>, ValueId> blocks_;
};

}  // namespace

LocalGraph write_shards(const Graph& graph, const ShardRules& rules, const FoundShards& found,
                        const ShardOptions& options) {
  return ShardWriter(graph, rules, found, options).run();
}

}  // namespace mithril
