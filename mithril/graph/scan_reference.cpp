#include "mithril/graph/scan_reference.hpp"

#include <cstring>

#include "mithril/base/error.hpp"
#include "mithril/graph/nested_evaluation.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/eval_context.hpp"

namespace mithril {
namespace {

// The element of a sequence at a step.
Tensor element(const Tensor& sequence, int64_t step) {
  Tensor item(sequence.dtype(), Dims(sequence.dims().begin() + 1, sequence.dims().end()));
  const size_t bytes = item.bytes();
  if (bytes > 0)
    std::memcpy(
        item.mutable_raw_data(),
        static_cast<const std::byte*>(sequence.raw_data()) + static_cast<size_t>(step) * bytes,
        bytes);
  return item;
}

}  // namespace

void check_carries(const ScanLoop& scan, const std::vector<Dims>& given,
                   const std::vector<Dims>& made) {
  check_carries(scan.body, scan.carries, given, made);
}

void check_carries(const Graph& body, size_t carries, const std::vector<Dims>& given,
                   const std::vector<Dims>& made) {
  for (size_t i = 0; i < carries; ++i) {
    if (given[i] == made[i]) continue;
    const std::string &carry = body.value(body.inputs()[i]).name, &next = body.outputs()[i].name;
    raise({.kind = ErrorKind::shape,
           .code = "E0219",
           .path = carry,
           .message = "a step of the loop changes the shape of the carry '" + carry + "'",
           .facts = {{carry, to_string(given[i]), ""}, {next, to_string(made[i]), ""}},
           .help = "every step must return a carry of the shape that it reads"});
  }
}

void check_steps(const ScanLoop& scan, size_t i, int64_t elements, int64_t length) {
  if (elements == length) return;
  const std::string& name = scan.body.value(scan.body.inputs()[i]).name;
  raise({.kind = ErrorKind::shape,
         .code = "E0210",
         .path = name,
         .message =
             "scan: with these sizes '" + name + "' has other elements than the loop has steps",
         .facts = {{"elements", std::to_string(elements), ""},
                   {"steps", std::to_string(length), ""}}});
}

void evaluate_scan(EvalContext& c) {
  ScanLoop scan{.body = nested_graph(c.value("body"))->copy(),
                .carries = static_cast<size_t>(c.integer("carries")),
                .sequences = static_cast<size_t>(c.integer("sequences"))};
  std::vector<Tensor> given;
  std::vector<Dims> dims;
  for (int i = 0; i < c.list_size(); ++i) {
    const DType dtype = scan.body.value(scan.body.inputs()[static_cast<size_t>(i)]).dtype;
    const Tensor& tensor = given.emplace_back(c.in("arguments", i).to(dtype));
    const auto at = static_cast<size_t>(i);
    const bool sequence = at >= scan.carries && at < scan.carries + scan.sequences;
    if (sequence) check_steps(scan, at, tensor.dims().front(), c.integer("length"));
    dims.emplace_back(tensor.dims().begin() + (sequence ? 1 : 0), tensor.dims().end());
  }
  NestedEvaluation step(scan.body, dims);
  check_carries(scan, dims, step.output_dims());
  const int64_t length = c.integer("length");
  std::vector<Tensor> inputs = given;
  StepScope running(c.value("numbers"));
  for (int64_t n = 0; n < length; ++n) {
    const int64_t at = c.flag("reverse") ? length - 1 - n : n;
    running.set(at);
    for (size_t i = scan.carries; i < scan.carries + scan.sequences; ++i)
      inputs[i] = element(given[i], at);
    const std::vector<Tensor> outputs = step.run(inputs);
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (k < scan.carries)
        inputs[k] = outputs[k];
      else
        write_elements(c, static_cast<int>(k), outputs[k], at * outputs[k].size());
    }
  }
  for (size_t k = 0; k < scan.carries; ++k) write_elements(c, static_cast<int>(k), inputs[k], 0);
}

}  // namespace mithril
