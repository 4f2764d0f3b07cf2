#include "mithril/op/sample_context.hpp"

#include <algorithm>
#include <optional>

#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// An axis by the pattern of its port: a variable of dims, or an axis of a run, counted from the end
// of the run, as broadcasting does.
struct PatternAxis {
  int variable = -1;
  bool run = false;
  size_t from_end = 0;
  bool operator==(const PatternAxis&) const = default;
};

PatternAxis pattern_axis(const CompiledPorts::Port& port, size_t rank, size_t axis) {
  const size_t fixed = port.elements.size() - 1;
  for (size_t i = 0, at = 0; i < port.elements.size(); ++i) {
    const CompiledPorts::Element& element = port.elements[i];
    const size_t length = element.run ? rank - std::min(rank, fixed) : 1;
    if (axis < at + length)
      return {element.variable, element.run, element.run ? at + length - 1 - axis : 0};
    at += length;
  }
  return {};
}

// The axis of a tensor of this rank; none: its port has another pattern.
std::optional<size_t> axis_at(const CompiledPorts::Port& port, size_t rank,
                              const PatternAxis& sought) {
  for (size_t axis = 0; axis < rank; ++axis) {
    if (pattern_axis(port, rank, axis) == sought) return axis;
  }
  return std::nullopt;
}

class PatternRule {
 public:
  explicit PatternRule(SampleContext& c) : c_(c), op_(c.op()) {}

  void run() {
    size_t argument = 0;
    const size_t listed = c_.size() + 1 - op_.inputs.size();
    for (size_t port = 0; port < op_.inputs.size(); ++port) {
      const size_t count = op_.inputs[port].list ? listed : 1;
      for (size_t i = 0; i < count; ++i) {
        // Only the shape of `like` is read.
        if (op_.inputs[port].name != "like" && !read(port, argument)) return;
        ++argument;
      }
    }
    if (!found_) return c_.put_all({});
    find_shared();
    for (size_t i = 0; i < c_.output_count(); ++i) write(i);
  }

 private:
  // False: the samples are mixed.
  bool read(size_t port, size_t argument) {
    const SampleAxis& axis = c_.argument(argument);
    if (!axis.is_each()) return true;
    const Dims& dims = c_.argument_dims(argument);
    PatternAxis at = pattern_axis(op_.compiled.ports[port], dims.size(), axis.axis);
    if (!is_separable(at)) {
      c_.couple("it mixes the elements along axis " + std::to_string(axis.axis) +
                " of its input '" + op_.inputs[port].name + "', which holds the samples");
      return false;
    }
    broadcast(at);
    if (found_ && !(at == at_ && axis.outer == outer_ && dims[axis.axis] == size_)) {
      c_.couple("two axes that hold the samples meet");
      return false;
    }
    found_ = true;
    at_ = at;
    outer_ = axis.outer;
    size_ = dims[axis.axis];
    return true;
  }

  // Whether an argument that carries no samples has the axis, too.
  void find_shared() {
    const size_t listed = c_.size() + 1 - op_.inputs.size();
    size_t argument = 0;
    for (size_t port = 0; port < op_.inputs.size(); ++port) {
      const size_t count = op_.inputs[port].list ? listed : 1;
      for (size_t i = 0; i < count; ++i, ++argument) {
        const Dims& dims = c_.argument_dims(argument);
        const bool reads = op_.inputs[port].name != "like" && !op_.compiled.ports[port].value;
        if (!reads || c_.argument(argument).is_each()) continue;
        for (size_t axis = 0; axis < dims.size(); ++axis) {
          PatternAxis at = pattern_axis(op_.compiled.ports[port], dims.size(), axis);
          broadcast(at);
          shared_ = shared_ || (at == at_ && dims[axis] != 1);
        }
      }
    }
  }

  bool is_separable(const PatternAxis& at) const {
    if (at.variable < 0) return false;
    if (op_.separable.empty()) return true;  // an elementwise op
    const auto& names = at.run ? op_.compiled.runs : op_.compiled.dims;
    const std::string& name = names[static_cast<size_t>(at.variable)];
    return std::find(op_.separable.begin(), op_.separable.end(), name) != op_.separable.end();
  }

  // The run that the run broadcasts to.
  void broadcast(PatternAxis& at) const {
    if (!at.run) return;
    for (const auto& [left, right, result] : op_.compiled.broadcasts) {
      if (at.variable == left || at.variable == right) at.variable = result;
    }
  }

  void write(size_t output) {
    const CompiledPorts::Port& port = op_.compiled.ports[op_.inputs.size() + output];
    const Dims& dims = c_.out(output);
    const auto axis = axis_at(port, dims.size(), at_);
    if (!axis && shared_) return c_.couple("it adds up samples times values that belong to none");
    if (!axis) return c_.add_up(output);
    if (dims[*axis] != size_) return c_.couple("it repeats the axis that holds the samples");
    c_.put(SampleAxis::along(*axis, outer_), output);
  }

  SampleContext& c_;
  const OpDef& op_;
  bool found_ = false, shared_ = false;
  PatternAxis at_;
  int64_t outer_ = 1, size_ = 0;
};

}  // namespace

SampleContext::SampleContext(const OpDef& op, int64_t batch, std::span<const SampleAxis> arguments,
                             std::span<const Datum> values, std::span<const Dims> dims,
                             std::span<const Dims> outputs)
    : op_(op),
      batch_(batch),
      arguments_(arguments),
      values_(values),
      dims_(dims),
      outputs_(outputs),
      results_(outputs.size(), SampleAxis{SampleAxis::Kind::coupled}),
      offers_(outputs.size()),
      asked_for_numbers_(arguments.size()) {}

size_t SampleContext::index_of(std::string_view port) const {
  size_t at = 0;
  for (const PortDef& input : op_.inputs) {
    if (input.name == port) return at;
    at += input.list ? arguments_.size() + 1 - op_.inputs.size() : 1;
  }
  faulty_record(op_, "its rule for samples asks for an input '" + std::string(port) + "'");
}

bool SampleContext::is_number(std::string_view port) {
  asked_for_numbers_[index_of(port)] = true;
  return in(port).numbers;
}

bool SampleContext::misreads_numbers() const {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].numbers && !asked_for_numbers_[i]) return true;
  }
  return false;
}

int64_t SampleContext::inner(const SampleAxis& each, const Dims& dims) const {
  const int64_t whole = each.outer * batch_, size = dims[each.axis];
  return whole > 0 && size % whole == 0 ? size / whole : 0;
}

void SampleContext::put_all(SampleAxis axis) { std::fill(results_.begin(), results_.end(), axis); }

void SampleContext::couple(std::string why) {
  put_all(SampleAxis{SampleAxis::Kind::coupled});
  why_ = std::move(why);
}

SampleAxis reshaped_samples(const SampleAxis& each, const Dims& from, const Dims& to,
                            int64_t batch) {
  int64_t before = each.outer;
  for (size_t i = 0; i < each.axis; ++i) before *= from[i];
  int64_t outside = 1;
  for (size_t axis = 0; axis < to.size() && before > 0; outside *= to[axis++]) {
    if (outside * to[axis] < before * batch) continue;
    const bool fits = before % outside == 0 && to[axis] % (before / outside * batch) == 0;
    return fits ? SampleAxis::along(axis, before / outside) : SampleAxis{SampleAxis::Kind::coupled};
  }
  return {SampleAxis::Kind::coupled};
}

bool spans_batch(int64_t size, int64_t batch) {
  return batch > 1 ? size > 0 && size % batch == 0 : size == batch;
}

std::vector<SampleAxis> alike_along(size_t axis, int64_t size, int64_t batch) {
  if (!spans_batch(size, batch)) return {};
  if (size == batch) return {SampleAxis::along(axis)};
  return {SampleAxis::along(axis), SampleAxis::along(axis, size / batch)};
}

bool is_elementwise(const OpDef& op) {
  const Spelling* formula = op.spelling("c");
  return formula && !formula->text.starts_with("unsupported");
}

bool has_sample_rule(const OpDef& op) {
  return op.samples || op.keeps_elements || !op.separable.empty() || is_elementwise(op);
}

bool makes_elements(const OpDef& op) {
  const auto gives_dims = [](const PortDef& port) {
    return port.name == "shape" || port.name == "like";
  };
  const auto is_value = [&](const PortDef& port) {
    return op.compiled.ports[static_cast<size_t>(&port - op.inputs.data())].value;
  };
  return std::any_of(op.inputs.begin(), op.inputs.end(), gives_dims) ||
         std::all_of(op.inputs.begin(), op.inputs.end(), is_value);
}

void follow_samples(SampleContext& c) {
  const OpDef& op = c.op();
  if (op.samples) {
    op.samples(c);
    if (c.misreads_numbers()) c.couple("it reads the numbers of the samples in the batch");
    return;
  }
  if (op.keeps_elements) {
    if (!c.argument(0).is_each()) return c.put_all({});
    SampleAxis to = reshaped_samples(c.argument(0), c.argument_dims(0), c.out(), c.batch());
    if (!to.is_each()) return c.couple("the reshape joins elements of different samples");
    to.numbers = c.argument(0).numbers;
    return c.put_all(to);
  }
  if (c.misreads_numbers()) return c.couple("it reads the numbers of the samples in the batch");
  if (!op.separable.empty() || is_elementwise(op)) return PatternRule(c).run();
  c.couple("op '" + op.name + "' has no rule for samples");
}

}  // namespace mithril
