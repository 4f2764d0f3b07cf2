// Functions whose steps depend on the step before.
#include <utility>

#include "mithril/onnx/export/form.hpp"
#include "mithril/onnx/export/nested_graph.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::onnx {
namespace {

// A loop along an axis with one state of the size of an element.
struct AxisScan {
  GraphBuilder& builder;
  const Operand& like;
  std::int64_t axis;
  bool reverse;

  Operand start(double value) const {
    std::vector<Dim> dims = like.known_dims();
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    return builder.expand(builder.number(value, like.dtype), dims);
  }

  // `given` has the state and the sequences. Returns the stacked output of the body.
  Operand run(NestedGraph& body, const std::vector<Operand>& given) const {
    const std::size_t sequences = given.size() - 1;
    Attributes attributes = {{"body", body.finish()},
                             {"num_scan_inputs", static_cast<std::int64_t>(sequences)},
                             {"scan_input_axes", std::vector<std::int64_t>(sequences, axis)},
                             {"scan_output_axes", std::vector<std::int64_t>{axis}}};
    if (reverse) {
      attributes.emplace_back("scan_input_directions", std::vector<std::int64_t>(sequences, 1));
      attributes.emplace_back("scan_output_directions", std::vector<std::int64_t>{1});
    }
    return builder.call_several("Scan", given, std::move(attributes), {like.dtype, like.dtype})[1];
  }
};

// linear_scan(x, decay, axis, reverse, exclusive): state = decay state + x.
Item linear_scan_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0), decay = a.tensor(1);
  if (x.rank() == 0) return {a.flag(4) ? b.number(0.0, x.dtype) : x};
  const AxisScan scan{b, x, a.axis(2, x.rank()), a.flag(3)};
  NestedGraph body(b);
  body.builder().begin(c.output().name, c.node().op->name);
  const Operand state = body.add_input("state", x.dtype);
  const Operand element = body.add_input("element", x.dtype);
  const Operand factor = body.add_input("factor", x.dtype);
  const Operand next =
      body.builder().call("Add", {body.builder().call("Mul", {factor, state}), element});
  body.add_output(next, x.dtype);
  body.add_output(a.flag(4) ? state : next, x.dtype);
  return {scan.run(body, {scan.start(0), x, decay})};
}

// cumprod(x, axis, reverse, exclusive).
Item cumprod_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  if (x.rank() == 0) return {a.flag(3) ? b.number(1.0, x.dtype) : x};
  const AxisScan scan{b, x, a.axis(1, x.rank()), a.flag(2)};
  NestedGraph body(b);
  body.builder().begin(c.output().name, c.node().op->name);
  const Operand state = body.add_input("state", x.dtype);
  const Operand element = body.add_input("element", x.dtype);
  const Operand next = body.builder().call("Mul", {state, element});
  body.add_output(next, x.dtype);
  body.add_output(a.flag(3) ? state : next, x.dtype);
  return {scan.run(body, {scan.start(1), x})};
}

}  // namespace

std::span<const FormRow> scan_forms() {
  static constexpr FormRow rows[] = {{"linear_scan", linear_scan_form}, {"cumprod", cumprod_form}};
  return rows;
}

}  // namespace mithril::onnx
