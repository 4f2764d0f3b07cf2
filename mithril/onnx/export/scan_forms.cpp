// Functions whose steps depend on the step before.
#include <utility>

#include "mithril/onnx/export/form.hpp"
#include "mithril/onnx/export/nested_graph.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::onnx {
namespace {

// A loop along an axis of x. The state has the shape of a slice.
class AxisScan {
 public:
  AxisScan(const FormContext& c, const Operand& x, std::int64_t axis, bool reverse)
      : builder_(c.builder()), x_(x), axis_(axis), reverse_(reverse), body_(c.builder()) {
    step().begin(c.output().name, c.node().op->name);
    state = add_input("state");
    element = add_input("element");
  }

  GraphBuilder& step() { return body_.builder(); }
  Operand add_input(const std::string& name) { return body_.add_input(name, x_.dtype); }

  // The states after each step, or those before it. The first state has this value in each element.
  Operand run(const Operand& next, bool exclusive, double first, std::vector<Operand> sequences) {
    body_.add_output(next, x_.dtype);
    body_.add_output(exclusive ? state : next, x_.dtype);
    const std::size_t count = sequences.size();
    Attributes attributes = {{"body", body_.finish()},
                             {"num_scan_inputs", static_cast<std::int64_t>(count)},
                             {"scan_input_axes", std::vector<std::int64_t>(count, axis_)},
                             {"scan_output_axes", std::vector<std::int64_t>{axis_}}};
    if (reverse_) {
      attributes.emplace_back("scan_input_directions", std::vector<std::int64_t>(count, 1));
      attributes.emplace_back("scan_output_directions", std::vector<std::int64_t>{1});
    }
    std::vector<Dim> dims = x_.known_dims();
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis_));
    sequences.insert(sequences.begin(), builder_.expand(builder_.number(first, x_.dtype), dims));
    return builder_.call_several("Scan", sequences, std::move(attributes), {x_.dtype, x_.dtype})[1];
  }

  Operand state, element;

 private:
  GraphBuilder& builder_;
  const Operand& x_;
  std::int64_t axis_;
  bool reverse_;
  NestedGraph body_;
};

// linear_scan(x, decay, axis, reverse, exclusive): state = decay state + x.
Item linear_scan_form(const FormContext& c, const FormArguments& a) {
  const Operand x = a.tensor(0), decay = a.tensor(1);
  if (x.rank() == 0) return {a.flag(4) ? c.builder().number(0.0, x.dtype) : x};
  AxisScan scan(c, x, a.axis(2, x.rank()), a.flag(3));
  const Operand factor = scan.add_input("factor");
  const Operand decayed = scan.step().call("Mul", {factor, scan.state});
  return {scan.run(scan.step().call("Add", {decayed, scan.element}), a.flag(4), 0.0, {x, decay})};
}

// cumprod(x, axis, reverse, exclusive).
Item cumprod_form(const FormContext& c, const FormArguments& a) {
  const Operand x = a.tensor(0);
  if (x.rank() == 0) return {a.flag(3) ? c.builder().number(1.0, x.dtype) : x};
  AxisScan scan(c, x, a.axis(1, x.rank()), a.flag(2));
  const Operand next = scan.step().call("Mul", {scan.state, scan.element});
  return {scan.run(next, a.flag(3), 1.0, {x})};
}

}  // namespace

std::span<const FormRow> scan_forms() {
  static constexpr FormRow rows[] = {{"linear_scan", linear_scan_form}, {"cumprod", cumprod_form}};
  return rows;
}

}  // namespace mithril::onnx
