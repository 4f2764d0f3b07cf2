// Compares the gradients of a graph with central differences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mithril/check/generate.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::check {

// A float64 graph and its differentiated one. Each sample draws new gradients for the outputs.
class Derivative {
 public:
  // outputs: names of float64 outputs of the graph; wanted: names of float64 inputs. Errors as of
  // `differentiate`.
  Derivative(const Graph& graph, std::vector<std::string> outputs, std::vector<std::string> wanted);

  const Graph& backward() const { return backward_.graph(); }
  const std::vector<std::string>& outputs() const { return outputs_; }
  const std::vector<std::string>& wanted() const { return wanted_; }

  struct Sample {
    std::vector<Tensor> inputs;     // of the graph
    std::vector<Tensor> incoming;   // a gradient for each of `outputs`
    std::vector<Tensor> gradients;  // of each of `wanted`
    bool finite = true;             // whether all inputs and outputs are

    std::vector<Tensor> all_inputs() const;  // of the differentiated graph
  };
  Sample sample(std::vector<Tensor> inputs, std::uint64_t seed) const;

  // Compares the gradient of one wanted input in random directions and for single elements. Central
  // differences of fourth order at several steps: one step that agrees to 1e-6 * max(1, |slope|) is
  // enough, since a wrong gradient agrees at none. Empty if it agrees; otherwise a description of
  // the difference.
  std::string difference(const Sample& sample, std::size_t wanted, std::uint64_t seed) const;

 private:
  double weighted_sum(const Sample& at, std::size_t input, const Tensor& direction,
                      double step) const;
  std::string compare_slope(const Sample& at, std::size_t wanted, const Tensor& direction) const;

  std::vector<std::string> outputs_, wanted_;
  std::vector<std::size_t> output_indices_, input_indices_;  // in the graph's outputs and inputs
  Interpreter forward_, backward_;
};

}  // namespace mithril::check
