// The argument of an op's `samples`, the rule that says where a node's outputs carry the samples of
// a batch (docs/per-sample.md).
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

// How a value depends on the samples of a batch.
struct SampleAxis {
  enum class Kind : uint8_t {
    shared,   // on none: parameters, masks
    each,     // along `axis`, which has outer * batch * inner elements, only on one sample each
    sum,      // a sum over the samples: parameter gradients
    coupled,  // in another way
  };
  Kind kind = Kind::shared;
  size_t axis = 0;
  int64_t outer = 1;
  bool numbers = false;  // the elements of a sample are its number in the batch: 0 to batch - 1

  static SampleAxis along(size_t axis, int64_t outer = 1) { return {Kind::each, axis, outer}; }
  bool is_each() const { return kind == Kind::each; }
  bool operator==(const SampleAxis&) const = default;
};

// A node of which at least one argument is `each`, the others `each` or `shared`; all are `shared`
// of a node that makes elements. Every size is a number.
class SampleContext {
 public:
  // arguments: in port order; values: None for a tensor; dims: of tensors.
  SampleContext(const OpDef& op, int64_t batch, std::span<const SampleAxis> arguments,
                std::span<const Datum> values, std::span<const Dims> dims,
                std::span<const Dims> outputs);

  int64_t batch() const { return batch_; }
  const OpDef& op() const { return op_; }
  size_t size() const { return arguments_.size(); }  // arguments
  const SampleAxis& argument(size_t i) const { return arguments_[i]; }
  const Dims& argument_dims(size_t i) const { return dims_[i]; }
  const SampleAxis& in(std::string_view port) const { return arguments_[index_of(port)]; }
  // Whether the elements of the argument are the numbers of the samples. A rule that does not ask
  // mixes the samples of such an argument.
  bool is_number(std::string_view port);
  const Dims& dims(std::string_view port) const { return dims_[index_of(port)]; }
  const Datum& value(std::string_view port) const { return values_[index_of(port)]; }
  size_t output_count() const { return outputs_.size(); }
  const Dims& out(size_t i = 0) const { return outputs_[i]; }

  // The size of the part of the axis within one sample; 0 if the batch does not divide the axis.
  int64_t inner(const SampleAxis& each, const Dims& dims) const;

  // Sets the axis of an output. An output that the rule does not set is coupled.
  void put(SampleAxis axis, size_t output = 0) { results_[output] = axis; }
  void put_all(SampleAxis axis);
  // The output adds up all samples. It is `sum` if it is linear in the gradient of the losses.
  void add_up(size_t output = 0) { results_[output].kind = SampleAxis::Kind::sum; }
  // An output that carries no samples can be read as one that carries them along this axis.
  void offer(SampleAxis axis, size_t output = 0) { offers_[output].push_back(axis); }
  // Elements depend on their place along an axis of the batch's size.
  void depend_on_place() { depends_on_place_ = true; }
  // All outputs mix samples. "its statistics are means over the batch"
  void couple(std::string why);

  const std::vector<SampleAxis>& results() const { return results_; }
  const std::vector<SampleAxis>& offers(size_t output) const { return offers_[output]; }
  bool depends_on_place() const { return depends_on_place_; }
  // An argument holds numbers of samples, and the rule did not ask for it.
  bool misreads_numbers() const;
  const std::string& why() const { return why_; }  // it is coupled; empty: no reason is known

 private:
  size_t index_of(std::string_view port) const;
  const OpDef& op_;
  int64_t batch_;
  std::span<const SampleAxis> arguments_;
  std::span<const Datum> values_;
  std::span<const Dims> dims_, outputs_;
  std::vector<SampleAxis> results_;
  std::vector<std::vector<SampleAxis>> offers_;  // per output
  std::vector<bool> asked_for_numbers_;          // per argument
  bool depends_on_place_ = false;
  std::string why_;
};

// The axis that holds the samples after a reshape to these dims; coupled if it joins elements of
// different samples.
SampleAxis reshaped_samples(const SampleAxis& each, const Dims& from, const Dims& to,
                            int64_t batch);

// Whether an axis of this size may hold the samples: the size is a multiple of the batch.
bool spans_batch(int64_t size, int64_t batch);
// The ways to read an axis of this size as one of samples, if all its elements are alike.
std::vector<SampleAxis> alike_along(size_t axis, int64_t size, int64_t batch);

// Applies the rule of the record: `samples`; of an op that keeps_elements the rule of reshapes; by
// the pattern variables in `separable`, all of them for a formula of one element.
void follow_samples(SampleContext& c);
// Whether the op has a formula of one element, so that it works on each element by itself.
bool is_elementwise(const OpDef& op);
// Whether the record has such a rule.
bool has_sample_rule(const OpDef& op);
// Whether the op makes axes that its tensors do not have: it has a port `shape` or `like`, or takes
// values alone. Its rule `samples` also runs if no argument carries samples. It then offers the
// axes along which the outputs can be read as samples.
bool makes_elements(const OpDef& op);

}  // namespace mithril
