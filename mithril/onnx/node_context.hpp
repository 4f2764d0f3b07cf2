// What the rule of an op sees of a node: its inputs and its attributes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/onnx/file.hpp"
#include "mithril/onnx/value.hpp"
#include "mithril/onnx/workspace.hpp"

namespace mithril::onnx {

// Why a node cannot be imported, and what helps.
struct Refusal {
  std::string reason, help;
};
[[noreturn]] void refuse(std::string reason, std::string help = {});

// The largest number of a file that a rule computes with, the most elements of some results, and
// the most that a rule computes one by one at import.
constexpr std::int64_t most_number = (std::int64_t{1} << 31) - 1;
constexpr std::size_t most_axes = 64;  // of a tensor
constexpr std::int64_t most_made = std::int64_t{1} << 26;
constexpr std::int64_t most_computed = std::int64_t{1} << 21;
constexpr std::int64_t most_items = 1000;  // of a sequence

// Returns the number, or the numbers. A number outside the limits is refused, and another count.
std::int64_t within(const std::string& what, std::int64_t number, std::int64_t least,
                    std::int64_t most = most_number);
std::vector<std::int64_t> within(const std::string& what, std::vector<std::int64_t> numbers,
                                 std::size_t count, std::int64_t least);
void need_count(const std::string& what, std::size_t found, std::size_t expected);

using Outputs = std::vector<Value>;

class NodeContext {
 public:
  NodeContext(Workspace& workspace, const FileRecord& file, const NodeRecord& node,
              std::vector<Value> inputs, std::int64_t opset)
      : workspace_(workspace),
        file_(file),
        node_(node),
        inputs_(std::move(inputs)),
        opset_(opset) {}

  // The same node with other inputs.
  NodeContext with_inputs(std::vector<Value> inputs) const {
    return {workspace_, file_, node_, std::move(inputs), opset_};
  }

  const NodeRecord& node() const { return node_; }
  std::int64_t opset() const { return opset_; }
  Workspace& workspace() const { return workspace_; }

  // Inputs. An index beyond the last one is an input that is left out.
  std::size_t count() const { return inputs_.size(); }
  bool has(std::size_t i) const;
  const Value& value(std::size_t i) const;
  const std::vector<Value>& values() const { return inputs_; }
  ElementType type(std::size_t i = 0) const { return value(i).type; }
  Connection operator[](std::size_t i) const;  // as a tensor
  // The same as a parameter that training does not change, if it is a weight.
  Connection frozen(std::size_t i) const;
  std::size_t rank(std::size_t i = 0) const;         // refused if it is not known
  std::vector<Size> sizes(std::size_t i = 0) const;  // of the axes
  std::optional<std::vector<std::int64_t>> dims(std::size_t i = 0) const;
  std::vector<std::int64_t> known_dims(std::size_t i = 0) const;  // refused if they are not known
  std::int64_t known_dim(std::size_t i, std::size_t axis) const;
  // The rank, refused outside of these limits.
  std::size_t need_rank(std::size_t i, std::size_t least, std::size_t most = most_axes) const;

  // Inputs that are values: refused unless their elements are known at import.
  bool is_known(std::size_t i) const { return has(i) && static_cast<bool>(value(i).known); }
  const Tensor& known(std::size_t i) const;
  std::vector<std::int64_t> ints(std::size_t i) const;
  double number(std::size_t i) const;
  // One whole number, clamped to these limits.
  std::int64_t clamped(std::size_t i, std::int64_t least, std::int64_t most) const;
  // The elements of a vector of ints, which may be sizes that are not known.
  std::vector<Size> elements(std::size_t i) const;

  // Attributes. An attribute of another type is refused.
  const AttributeRecord* attribute(const std::string& name) const;  // null: left out
  std::int64_t integer(const std::string& name, std::optional<std::int64_t> fallback = {}) const;
  bool flag(const std::string& name, bool fallback = false) const;
  double real(const std::string& name, std::optional<double> fallback = {}) const;
  std::vector<float> reals(const std::string& name) const;  // none if it is left out
  std::string text(const std::string& name, const std::string& fallback = {}) const;
  std::vector<std::string> texts(const std::string& name) const;  // none if it is left out
  std::optional<std::vector<std::int64_t>> integers(const std::string& name) const;
  // `count` numbers of at least `least`; all are `fallback` if the attribute is left out.
  std::vector<std::int64_t> integers(const std::string& name, std::size_t count, std::int64_t least,
                                     std::int64_t fallback) const;
  KnownTensor tensor(const AttributeRecord& attribute) const;
  // The elements of the attribute, or of input i in opsets that have an input instead; none if both
  // are left out.
  std::optional<std::vector<std::int64_t>> integers_or_input(const std::string& name,
                                                             std::size_t i) const;

  bool wants(std::size_t output) const;  // whether the node names this output
  // The axis counted from the front; refused if the tensor has no such axis.
  std::int64_t axis(std::int64_t axis, std::size_t rank) const;

 private:
  std::int64_t known_size(std::size_t i, const Size& size) const;

  Workspace& workspace_;
  const FileRecord& file_;
  const NodeRecord& node_;
  std::vector<Value> inputs_;
  std::int64_t opset_;
};

}  // namespace mithril::onnx
