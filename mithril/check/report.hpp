// Counts the cases of the table. Prints one line for each case that fails, and a line of totals at
// the end.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mithril::check {

enum class Check : unsigned char {
  evaluation,         // a row evaluates to the inferred dims and dtypes
  expectation,        // ... and to the expected values of the row
  symbols,            // the same with symbols for sizes
  unknown_rank,       // the same with ranks that are known only at run time
  order,              // the same facts in another order
  formula,            // the C formula gives the results of eval
  folding,            // values computed from values and shapes
  precision,          // float32, float16 and bfloat16 are close to float64
  gradient,           // against central differences
  symbolic_gradient,  // the same gradient with symbols for sizes
  second_gradient,    // the gradient of the gradient, against central differences
  backend,            // a backend gives the results of the reference
  refusal,            // the expected error is raised
  completeness,       // the required parts of every op
  composition,        // a random model, composed and compiled in one way or another
};
inline constexpr std::size_t check_count = 15;
std::string_view name(Check check);

class Report {
 public:
  explicit Report(bool quiet = false) : quiet_(quiet) {}

  // Sets the subject of the next cases: "gelu, tanh form".
  void enter(std::string where);
  // Counts one case, which passes if `complaint` returns an empty string, and fails if it throws.
  // Failures are printed as "gelu, tanh form: gradient of input, seed 3: <complaint>".
  void count(Check check, const std::string& what, const std::function<std::string()>& complaint);

  // Counts a failure if `body` throws, otherwise nothing.
  void attempt(Check check, const std::string& what, const std::function<void()>& body);

  std::size_t passed(Check check) const { return passed_[static_cast<std::size_t>(check)]; }
  std::size_t failed(Check check) const { return failed_[static_cast<std::size_t>(check)]; }
  std::size_t passed() const;
  std::size_t failed() const;
  const std::vector<std::string>& failures() const { return failures_; }
  // "evaluation 641, gradient 3120 (2 failed), ..."
  std::string totals() const;

 private:
  void fail(Check check, const std::string& what, const std::string& complaint);
  bool quiet_;
  std::string where_;
  std::array<std::size_t, check_count> passed_{}, failed_{};
  std::vector<std::string> failures_;
};

}  // namespace mithril::check
