// Sums over the samples as one value for each sample.
#pragma once
#include <map>
#include <vector>

#include "mithril/passes/per_sample/terms.hpp"

namespace mithril {

class Materializer {
 public:
  explicit Materializer(SampleCopy& copy) : copy_(copy), makers_(makers_of(copy.source().graph)) {}

  // [samples, ...] of a value that is a sum over the samples: a site's terms one by one, and what
  // follows from them. It is linear in the gradient of the losses, so each sample has its own.
  Expression operator()(ValueId sum);
  // Nodes without a rule, which run once for each sample.
  const std::vector<NodeId>& unrolled() const { return unrolled_; }

 private:
  Expression make(ValueId sum);
  Expression of_site(NodeId id, size_t output);
  Expression of_sum(NodeId id, const std::vector<bool>& reduced);
  Expression of_norm(NodeId id, size_t output);
  Expression of_rows(ValueId each);
  Expression of_linear(NodeId id, size_t output);
  Expression unroll(NodeId id, size_t output);

  SampleCopy& copy_;
  const std::vector<NodeId> makers_;
  std::map<ValueId, ValueId> made_;
  std::vector<NodeId> unrolled_;
};

}  // namespace mithril
