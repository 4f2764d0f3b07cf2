// The batching rule of an op without one, by its patterns.
#include <algorithm>
#include <set>

#include "mithril/graph/batch_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/sample_context.hpp"

namespace mithril {
namespace {

using Element = CompiledPorts::Element;

class PatternBatching {
 public:
  explicit PatternBatching(BatchContext& context)
      : context_(context), op_(context.op()), ports_(op_.compiled) {
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      const PortDef& port = op_.inputs[i];
      const int count = port.list ? context_.list_size() : 1;
      for (int item = 0; item < count; ++item) {
        if (context_.has(port.name, item))
          arguments_.push_back(
              {&ports_.ports[i], port.name, item, context_.is_batched(port.name, item)});
      }
    }
    for (const auto& [left, right, result] : ports_.broadcasts)
      broadcast_.insert({left, right, result});
  }

  bool run() {
    if (find_batched(true) && works_along_runs() && outputs_begin_with_them())
      return repeat_along_runs();
    return find_batched(false) && are_separable() && outputs_begin_with_them() &&
           repeat_along_first_dims();
  }

 private:
  struct TensorArgument {
    const CompiledPorts::Port* port;
    std::string_view name;
    int item;
    bool batched;
  };

  static const Element* first(const CompiledPorts::Port& port) {
    return port.elements.empty() ? nullptr : &port.elements.front();
  }
  static bool mentions(const CompiledPorts::Port& port, const Element& variable, size_t from) {
    return std::any_of(port.elements.begin() + static_cast<std::ptrdiff_t>(from),
                       port.elements.end(), [&](const Element& element) {
                         return element.run == variable.run &&
                                element.variable == variable.variable && variable.variable >= 0;
                       });
  }
  bool is_broadcast(const Element& element) const {
    return element.run && broadcast_.contains(element.variable);
  }

  // The variables that batched arguments begin with, all runs or all dims. False if a batched
  // argument begins with something else, or if a variable occurs elsewhere, too.
  bool find_batched(bool runs) {
    batched_.clear();
    for (const TensorArgument& argument : arguments_) {
      if (!argument.batched) continue;
      const Element* element = first(*argument.port);
      if (!element || element->run != runs || element->variable < 0) return false;
      batched_.insert(element->variable);
    }
    return std::all_of(arguments_.begin(), arguments_.end(), [&](const TensorArgument& argument) {
      return std::none_of(batched_.begin(), batched_.end(), [&](int variable) {
        const Element element{static_cast<int16_t>(variable), runs, 0};
        return mentions(*argument.port, element, 1);
      });
    });
  }

  bool is_batched(const Element& element) const { return batched_.contains(element.variable); }

  const std::string& name_of(int variable, bool run) const {
    return (run ? ports_.runs : ports_.dims)[static_cast<size_t>(variable)];
  }
  bool is_separable(int variable, bool run) const {
    const std::string& name = name_of(variable, run);
    return std::any_of(op_.separable.begin(), op_.separable.end(), [&](const std::string& entry) {
      return entry == name || entry == "*" + name;
    });
  }
  bool works_along_runs() const {
    if (is_elementwise(op_) || op_.keeps_elements) return true;
    return !op_.separable.empty() &&
           std::all_of(batched_.begin(), batched_.end(),
                       [&](int variable) { return is_separable(variable, true); });
  }
  bool are_separable() const {
    return std::all_of(batched_.begin(), batched_.end(),
                       [&](int variable) { return is_separable(variable, false); });
  }

  bool outputs_begin_with_them() const {
    const bool broadcasts = std::any_of(batched_.begin(), batched_.end(), [&](int variable) {
      return broadcast_.contains(variable);
    });
    for (size_t i = op_.inputs.size(); i < ports_.ports.size(); ++i) {
      const Element* element = first(ports_.ports[i]);
      if (!element) return false;
      const bool runs = element->run;
      if (!is_batched(*element) && !(runs && broadcasts && is_broadcast(*element))) return false;
    }
    return true;
  }

  // The length of the run that an output begins with.
  size_t result_length() const {
    const CompiledPorts::Port& output = ports_.ports[op_.inputs.size()];
    return context_.out_dims().size() + 1 - output.elements.size();
  }

  bool repeat_along_runs() {
    std::vector<Operand> operands = context_.operands();
    for (const TensorArgument& argument : arguments_) {
      const Element* element = first(*argument.port);
      if (!element || !element->run) continue;
      Operand& operand = operands[context_.position(argument.name, argument.item)];
      if (is_broadcast(*element)) {
        // The new axis comes before all axes of the result.
        const size_t fixed = argument.port->elements.size() - 1;
        if (argument.batched)
          operand = context_.padded(argument.name, result_length() + fixed, argument.item);
      } else if (is_batched(*element)) {
        operand = context_.batched(argument.name, argument.item);
      }
    }
    context_.become_all(call_all(op_.name, std::move(operands)));
    return true;
  }

  // The new axis and the first dim become one.
  bool repeat_along_first_dims() {
    std::vector<Operand> operands = context_.operands();
    for (const TensorArgument& argument : arguments_) {
      const Element* element = first(*argument.port);
      if (!element || element->run || !is_batched(*element)) continue;
      const Expression x = context_.batched(argument.name, argument.item);
      std::vector<Dim> dims = context_.dims(argument.name, argument.item);
      dims.front() = context_.size() * dims.front();
      operands[context_.position(argument.name, argument.item)] =
          call("reshape", {x, Datum::dims(dims)});
    }
    const std::vector<Expression> results = call_all(op_.name, std::move(operands));
    for (size_t i = 0; i < results.size(); ++i) {
      const int index = static_cast<int>(i);
      context_.become(context_.reshaped(results[i], context_.out_dims(index)), index);
    }
    return true;
  }

  BatchContext& context_;
  const OpDef& op_;
  const CompiledPorts& ports_;
  std::vector<TensorArgument> arguments_;
  std::set<int> broadcast_;  // runs that broadcast together
  std::set<int> batched_;    // variables of runs or of dims
};

}  // namespace

bool batch_by_patterns(BatchContext& context) { return PatternBatching(context).run(); }

}  // namespace mithril
