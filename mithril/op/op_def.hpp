// The record of an op, its complete definition. See docs/add-an-op.md.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/infer/kind.hpp"

namespace mithril {

class Solver;           // op/solver.hpp
class EvalContext;      // op/eval_context.hpp
class GradContext;      // graph/grad_context.hpp
class ExpandContext;    // graph/grad_context.hpp
class SpellingContext;  // op/spelling.hpp
class SampleContext;    // op/sample_context.hpp
class BatchContext;     // graph/batch_context.hpp
struct OpTensors;       // ops/support/op_work.hpp

// A named port. `shape` is a pattern: "N Ci H W" (dims), "*batch M K" (one run of dims of any
// number), "3" (a number),
// "" (rank 0). `type` is "float", "int|float", "number" (int|float), "any", "operand" (any tensor
// or a number that is a value), a variable "T" or "T=number", "promote(T, U)", each with "|none"
// where the port is optional, or "value KINDS" (bool int float str none tuple dtype slice ellipsis
// any): a port that never holds a tensor. A port that takes tensors and values besides numbers
// joins the two: "any|value tuple|slice".
struct PortDef {
  // Not inline: hundreds of records make ports, and their strings are slow to compile.
  PortDef(std::string_view name, std::string_view shape, std::string_view type);
  PortDef(std::string_view name, std::string_view shape, std::string_view type, Datum fallback);
  PortDef(const PortDef& other);
  PortDef(PortDef&& other) noexcept;
  PortDef& operator=(const PortDef& other);
  PortDef& operator=(PortDef&& other) noexcept;
  ~PortDef();

  std::string name, shape, type;
  std::optional<Datum> fallback = {};  // present: the port may be left out
  bool list = false;  // any number of wires, each matched separately; one such port on either side
  std::vector<std::string> words = {};  // of a port of strings: the values, an enumeration in C++
};
PortDef value(std::string_view name, std::string_view kinds);
PortDef value(std::string_view name, std::string_view kinds, Datum fallback);
PortDef word(std::string_view name, std::vector<std::string> words);  // the first is the default
PortDef optional(std::string_view name, std::string_view shape,
                 std::string_view type);  // a tensor or None; None when left out
PortDef list(std::string_view name, std::string_view shape, std::string_view type);

// How mixed precision casts the op's float inputs.
enum class CastPolicy : uint8_t {
  promote,  // the widest of them
  lower,    // to the lower precision: matmul, convolution
  float32,  // to float32: softmax, losses, large sums
};

// What an op does with integers. uint64, the only integer that int64 does not hold, is computed as
// int64: by its bits, or shifted so that the order stays (graph/wide_integers.hpp).
enum class IntegerUse : uint8_t {
  numbers,  // needs the numbers: uint64 is refused, unless the results are floats
  bits,     // the result modulo 2^n depends only on the operands modulo 2^n: sums, products
  order,    // compares: less, max, sort
};

// The text is an expression (op/spelling.hpp), or "unsupported: why" if the target has none. A
// missing entry also means none: "c" has entries only for formulas of one element. If the
// expression depends on axes or sizes, `write` makes it for a node, and the text describes it in
// words.
struct Spelling {
  // Not inline, as in PortDef.
  Spelling(std::string_view target, std::string_view text,
           std::string (*write)(const SpellingContext&) = nullptr);
  Spelling(const Spelling& other);
  Spelling(Spelling&& other) noexcept;
  Spelling& operator=(const Spelling& other);
  Spelling& operator=(Spelling&& other) noexcept;
  ~Spelling();

  std::string target, text;  // "torch", "aten::relu(input)"
  std::string (*write)(const SpellingContext&) = nullptr;
};

// A shape pattern and a type pattern as numbers; made once, when the op is registered.
struct CompiledPorts {
  struct Element {
    int16_t variable;  // into dims or runs; -1: the number
    bool run;
    int64_t number;
  };
  struct Port {
    std::vector<Element> elements;
    Kinds kinds = 0;                       // of a port without a type variable
    int type = -1, left = -1, right = -1;  // type variables; left, right: of promote(left, right)
    bool value = false;                    // never a tensor
  };
  std::vector<std::string> dims, runs, types;
  std::vector<Kinds> type_kinds;
  std::vector<Port> ports;                     // inputs, then outputs
  std::vector<std::array<int, 3>> broadcasts;  // runs: left, right, result
};

// How much an op does, as `cost` and traces count it, where ports do not tell.
struct OpWork {
  // Additions and multiplications. Null, or no number: two for each product of elements in an op
  // that multiplies two tensors; one for each element of the first input in a reduction; one for
  // each element of the output in other ops.
  std::optional<int64_t> (*operations)(const OpTensors&) = nullptr;
  bool uncounted = false;       // it does more operations than that, and `cost` names it
  bool reduces = false;         // a reduction that has no port `keepdim`
  std::string takes_from = {};  // the port whose elements it reads by index, if not the first one
};

struct OpDef {
  std::string name;  // "leaky_relu"
  std::string doc;   // one sentence, then formula and its source
  // Gradients, expansions and passes make it: it has no class in Python and no function in C++.
  bool internal = false;
  std::vector<PortDef> inputs, outputs;
  std::vector<std::string> shape_constraints = {};  // "*o = broadcast(*a, *b)"

  // Infers facts that patterns cannot express. False: not finished; it runs again when an unknown
  // fact that it read changes. Must be idempotent.
  bool (*solve)(Solver&) = nullptr;
  // The meaning, on tensors of concrete shape; float16 and bfloat16 arrive as float32. Null for ops
  // on values only (solve folds them) and for ops with `expand`.
  void (*eval)(EvalContext&) = nullptr;
  // The gradient as graph, made of other ops. Null: not differentiable, and then
  // `not_differentiable` says why.
  void (*grad)(GradContext&) = nullptr;
  std::string not_differentiable = {};
  // Instead of eval and grad: replaces the op by other ops.
  void (*expand)(ExpandContext&) = nullptr;
  // The batching rule of vmap: builds the nodes that compute the op for each index of a new first
  // axis of some arguments. Null: patterns, `axis` and `separable` say it (graph/batching.hpp).
  void (*batch)(BatchContext&) = nullptr;

  // The dtype of the output is the widest of the inputs of that kind, or, here, "at least float32",
  // or that of a port: a dtype, a tensor whose dtype it is, or a list whose widest floats it has.
  std::string dtype_from = {};
  // A list output has as many tensors as the tuple at this port has items. If the port is the list
  // input, each tensor of the output has the dtype of an input.
  std::string outputs_from = {};

  // Inputs that `model += part` may chain to; empty: the first input.
  std::vector<std::string> canonical = {};

  // Pattern variables ("N", "*lead") along which the op works index by index: a batch along one of
  // them stays a batch in outputs that have the variable, and other outputs sum over it. Ops with a
  // formula of one element and ops that keep elements need no entry.
  std::vector<std::string> separable = {};
  // Instead of `separable`: where the outputs carry the samples of a batch, if it depends on
  // values.
  void (*samples)(SampleContext&) = nullptr;

  // Tensor ports in which the op is linear while the others are fixed: {"left", "right"} of a
  // product, {"left right"} of a sum, which is linear in both together. Ops that keep elements need
  // no entry.
  std::vector<std::string> linear = {};
  // An op that draws elements by their index: the op that draws those of some rows of a batch. It
  // has three more inputs: the first row, the number of all rows, and the axis of the rows.
  std::string rows_drawn_by = {};
  // Of a reduction: how results of some of its elements combine, "max" or "min".
  std::string combines_by = {};

  CastPolicy cast = CastPolicy::promote;
  // Ops that move elements of any kind (the output is "T", which may be bool) need no entry.
  IntegerUse integers = IntegerUse::numbers;
  bool objective = false;  // a loss or a metric: no output in inference mode unless it is asked for
  bool opaque = false;     // an observer may replace the result: passes must not compute it
  bool collective = false;  // processes meet in it: passes keep its nodes and their order
  // Its expand transforms the nodes between its inputs, as the gradient of one by another does.
  // Passes expand it after these nodes, and keep its inputs as they are.
  bool transform = false;
  // Reduces along `axis` to a value of the size of one element: mean, max, min.
  bool reduces_to_element_size = false;
  // The output has the elements of the first input in their order, so it can be a view.
  bool keeps_elements = false;
  OpWork work = {};
  std::vector<Spelling> spell = {};

  // Filled in by add_op.
  std::string model_name = {};  // "LeakyRelu": the class of its part
  std::string label = {};       // "leakyrelu": the default name of its part
  CompiledPorts compiled = {};

  size_t port_count() const { return inputs.size() + outputs.size(); }
  const PortDef& port(size_t index) const {
    return index < inputs.size() ? inputs[index] : outputs[index - inputs.size()];
  }
  int list_input() const;     // index of the list port among the inputs, or -1
  int list_output() const;    // among the outputs, or -1
  bool mirrors_list() const;  // whether `outputs_from` is the list input
  const Spelling* spelling(std::string_view target) const;  // null: none
};

}  // namespace mithril
