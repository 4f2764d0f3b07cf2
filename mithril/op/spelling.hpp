// The language of spellings, for targets that have their own operators:
//   "approximate ? aten::gelu(input, \"tanh\") : aten::gelu(input)"
// Names refer to ports, `output` to the first output. Members are shape, ndim, dtype, kind ("bool",
// "int" or "float"), and dtype_name of the output ("float32"). A list is [a, b], an item x[1]. ==
// compares with a literal. Conditions read values, never tensors.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct OpDef;  // op/op_def.hpp
struct Spelling;

// The node that is spelled: every size and value is a number.
class SpellingContext {
 public:
  // values: one per argument in port order, None for a tensor; dims: of tensors.
  SpellingContext(const OpDef& op, std::span<const Datum> values, std::span<const Dims> dims,
                  std::span<const Dims> outputs)
      : op_(op), values_(values), dims_(dims), outputs_(outputs) {}

  const Datum& value(std::string_view port) const { return values_[index_of(port)]; }
  int64_t integer(std::string_view port) const { return value(port).integer(); }
  const Dims& dims(std::string_view port, int item = 0) const {
    return dims_[index_of(port) + static_cast<size_t>(item)];
  }
  int list_size() const;  // arguments at the list port
  const Dims& out(size_t i = 0) const { return outputs_[i]; }

 private:
  size_t index_of(std::string_view port) const;
  const OpDef& op_;
  std::span<const Datum> values_;
  std::span<const Dims> dims_, outputs_;
};

// The spelling of a node; InternalError if the record has none.
std::string spelled(const Spelling& spelling, const SpellingContext& node);

struct SpelledExpression {
  enum class Kind : uint8_t {
    port,    // text: its name
    call,    // text: "aten::add"; children: arguments
    list,    // children: items
    item,    // children: the list; number: the index
    member,  // children: the tensor; text: "shape"
    number,  // text as it is written: "40", "-0.5"
    text,    // text
    flag,    // number: 0 or 1
    none,
    equal,        // children: left, right
    choice,       // children: condition, then, otherwise
    unsupported,  // text: why
  };
  Kind kind = Kind::none;
  std::string text = {};
  int64_t number = 0;
  std::vector<SpelledExpression> children = {};
  std::vector<std::string> keywords = {};  // of a call: parallel to children; empty: by position
};

// ParseError E0731 with the place of the mistake, E0732 if it is nested too deep.
SpelledExpression parse_spelling(std::string_view text);

}  // namespace mithril
