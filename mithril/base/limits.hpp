// Limits on the size of models and values, so that a short text cannot exhaust the memory.
#pragma once
#include <cstdint>
#include <string>

namespace mithril {

// The defaults are far above the needs of real models; docs/semantics.md lists them.
struct Limits {
  int64_t repetitions = 4'096;      // of one argument: steps, classes, outputs, a degree
  int64_t parts = 1'000'000;        // of one model, at all depths
  int64_t dim_terms = 1'024;        // of a product of dims, and of the factors of each term
  int64_t tuple_items = 1'000'000;  // of one tuple, including those of nested tuples
};

// The limits of this process.
Limits limits();
// Sets the limits of this process. ValueError E0464 if one is less than 1.
void set_limits(const Limits& limits);

// "at most 4096, the limit 'repetitions', which set_limits raises": for an error about an argument.
std::string at_most_repetitions(int64_t most);
// Throws ValueError `code`, which names the limit, if `count` exceeds it. `what` describes the
// count: "a model has 1000001 parts".
void check_limit(int64_t count, int64_t Limits::*limit, const char* code, const std::string& what);

}  // namespace mithril
