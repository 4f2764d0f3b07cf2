// The terms of a parameter's gradient: the nodes that add up samples.
#pragma once
#include <optional>
#include <vector>

#include "mithril/passes/per_sample/sample_copy.hpp"

namespace mithril {

// A node that adds up products over the samples: for each sample the sum over t of
// rows[t] ⊗ cols[t].
struct ProductTerm {
  enum class Form : uint8_t {
    product,  // a matmul over the samples
    lookup,   // a scatter_add: rows are one-hot vectors of ids
    windows,  // a conv2d_weight_grad: columns are windows of the input (im2col)
  };
  NodeId site{};
  Form form = Form::product;
  bool transposed = false;  // the parameter's gradient is the transpose of the node's
};

// The dims of the factors of one sample: rows [groups, t, p] and cols [groups, t, d] for a
// parameter of groups * p * d elements.
struct FactorDims {
  int64_t groups = 1, p = 0, d = 0;
  bool operator==(const FactorDims&) const = default;
};

struct ParameterTerms {
  ValueId gradient{};  // of the parameter
  // The gradient is their sum, and all have the same factors; empty: it is not a sum of products.
  std::vector<ProductTerm> terms = {};
  FactorDims dims = {};
  int64_t length = 0;              // of all terms: t
  std::vector<NodeId> sites = {};  // every node that adds up samples for this gradient
  NodeId last{};                   // the last node that its samples need
};

// The terms of this value, which is a sum over the samples.
ParameterTerms find_terms(const SampleCopy& copy, const std::vector<NodeId>& makers,
                          ValueId gradient);

// Per value: the node that makes it; -1: none.
std::vector<NodeId> makers_of(const Graph& graph);
constexpr NodeId no_node{-1};

}  // namespace mithril
