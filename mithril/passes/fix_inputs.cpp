#include "mithril/passes/fix_inputs.hpp"

#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

class InputFixing {
 public:
  InputFixing(const Graph& from, const std::unordered_map<ValueId, Tensor>& tensors)
      : from_(from), tensors_(tensors), now_(from.values().size()) {
    to_.set_default_dtype(from.default_dtype());
  }

  Graph run() {
    for (const ValueId id : from_.inputs()) {
      const auto fixed = tensors_.find(id);
      if (fixed == tensors_.end()) {
        now_[index(id)] = to_.add_input(own(from_.value(id)));
      } else {
        fix(id, fixed->second);
      }
    }
    for (const Constant& constant : from_.constants()) {
      now_[index(constant.value)] =
          to_.add_constant(from_.value(constant.value).name, constant.tensor);
    }
    for (const Node& node : from_.nodes()) add(node);
    for (const Output& output : from_.outputs()) {
      to_.add_output(output.name, now_[index(output.value)]);
    }
    to_.facts()->settle();
    return std::move(to_);
  }

 private:
  void fix(ValueId id, const Tensor& tensor) {
    const Value known = own(from_.value(id));
    now_[index(id)] = to_.add_constant(known.name, tensor);
    for (size_t i = 0; i < known.dims.size(); ++i) {
      to_.facts()->unify(known.dims[i], Dim(tensor.dims()[i]));
    }
  }

  void add(Node node) {
    for (Argument& argument : node.arguments) {
      if (ValueId* id = std::get_if<ValueId>(&argument)) {
        *id = now_[index(*id)];
      } else {
        argument = map_dims(std::get<Datum>(argument), [&](const Dim& dim) { return own(dim); });
      }
    }
    for (ValueId& id : node.outputs) {
      now_[index(id)] = to_.add_value(own(from_.value(id)));
      id = now_[index(id)];
    }
    to_.add_node(std::move(node));
  }

  Value own(Value value) {
    for (Dim& dim : value.dims) dim = own(dim);
    return value;
  }

  Dim own(const Dim& dim) { return rename(dim, renamed_, *to_.facts()); }

  const Graph& from_;
  const std::unordered_map<ValueId, Tensor>& tensors_;
  Graph to_;
  std::vector<ValueId> now_;
  Renaming renamed_;
};

}  // namespace

Graph fix_inputs(const Graph& graph, const std::unordered_map<ValueId, Tensor>& tensors) {
  return InputFixing(graph, tensors).run();
}

}  // namespace mithril
