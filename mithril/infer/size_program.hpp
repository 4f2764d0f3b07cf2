// The sizes in a compiled model: dims as a straight-line program over the sizes of their symbols.
// The finished program does not read facts, so any number of threads may run it at the same time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/infer/dim.hpp"

namespace mithril {

struct Operation;

// Example: of inputs [N, 3] and [2*N, H], where H follows from nothing else,
//   SizeProgram program;
//   for (const Dim& dim : {n, Dim(3), 2 * n, h}) program.observe(dim);
//   const int area = program.add_size(n * h);
//   std::vector<int64_t> sizes, values;
//   if (auto wrong = program.learn(std::vector<int64_t>{4, 3, 8, 5}, sizes)) ...
//   program.run(sizes, values);  // values[area] == 20
class SizeProgram {
 public:
  // Building: all dims belong to one Facts, and are as known now.

  // A number to compute, by its index in the values of `run`. Equal dims share one.
  int add(const Dim& dim);
  // A dim of a shape: `run` refuses a negative one.
  int add_size(const Dim& dim);
  // A dim of an input, whose size is going to be observed; in the order of the observations.
  void observe(const Dim& dim);

  // Running.

  // Symbols that the dims depend on.
  size_t inputs() const { return symbols_.size(); }
  // Whether the dim is known once the sizes observed so far are.
  bool follows(const Dim& dim) const;
  // Names of symbols whose sizes do not follow from the observations; empty: `learn` finds all.
  std::vector<std::string> unlearnt() const;

  struct Mismatch {
    size_t observation;
    std::string expected;  // "128", "N = 4", "2*h + 1"
    int64_t got;
  };
  // The sizes of symbols, from one size for each observed dim; or the first that does not fit.
  std::optional<Mismatch> learn(std::span<const int64_t> observed,
                                std::vector<int64_t>& sizes) const;
  // One value for each index. ShapeError E0204: a dim of a shape is negative; E0205, ValueError
  // E0404: as in arithmetic of dims.
  void run(std::span<const int64_t> sizes, std::vector<int64_t>& values) const;

 private:
  enum class Kind : uint8_t { symbol, sum, product, quotient };
  struct Step {
    Kind kind;
    int32_t first = 0, count = 0;  // operands; of a symbol: its index among the inputs
    int64_t constant = 0;          // of a sum
  };
  struct Operand {
    int64_t factor;
    int32_t step;
  };
  struct Input {
    std::string name;
    bool size;
    int32_t step;
    bool learnt = false;
  };
  // The steps of `learn`, in order: computes a step; or, for an observation, solves it for a
  // symbol, or compares.
  struct Action {
    enum class Kind : uint8_t { compute, solve, compare } kind;
    int32_t step;         // to compute or compare; to solve: the rest, (observed - rest) / factor
    int32_t symbol = -1;  // to solve for
    int64_t factor = 1;
    size_t observation = 0;
  };
  struct Observation {
    std::string text;
    bool is_number;
    int32_t step;
  };

  int32_t add_step(Kind kind, int64_t constant, std::vector<Operand> operands);
  int32_t add_sum(const Dim& resolved);
  int32_t add_rest(const Step& sum, int32_t without);
  int32_t add_symbol(const Symbol* symbol);
  void plan();
  bool plan(size_t observation);
  std::optional<int64_t> factor_alone(const Step& sum, int32_t symbol) const;
  template <typename Skip, typename Visit>
  void visit_steps(int32_t root, Skip skip, Visit visit) const;
  std::vector<int32_t> unknown_symbols(int32_t step) const;
  void plan_computing(int32_t step);
  int64_t compute(const Step& step, std::span<const int64_t> sizes,
                  std::span<const int64_t> values) const;
  bool solve(const Action& action, int64_t observed, std::span<const int64_t> values,
             std::vector<int64_t>& sizes) const;

  std::vector<Step> steps_;
  std::vector<Operand> operands_;
  std::vector<Input> symbols_;
  std::vector<Observation> observations_;
  std::vector<Action> actions_;
  std::vector<size_t> waiting_;  // observations that are not planned yet
  size_t learnt_ = 0;            // symbols
  std::vector<std::pair<int32_t, std::string>> sizes_to_check_;
  std::vector<bool> computed_;  // by step: planned to be computed in `learn`
  // While building: the step of a symbol, and of equal steps.
  std::unordered_map<const Symbol*, int32_t> step_of_;
  std::map<std::vector<int64_t>, int32_t> equal_;
};

}  // namespace mithril
