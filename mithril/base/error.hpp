// Errors: a user's mistake (Error: facts and one rendering) or a bug of Mithril (InternalError).
#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mithril {

// Each kind has its class and its range of codes: E01 connection, E02 shape, E03 type, E04 value,
// E05 gradient, E06 name, E07 parse, E08 input (to evaluate), E09 state, E096 distributed, E10
// backend, E11 out of memory. Numbers from 80 on belong to tensors.
enum class ErrorKind {
  connection,
  name,
  shape,
  type,
  value,
  gradient,
  parse,
  input,
  state,
  backend,
  out_of_memory,
  distributed
};

// "ShapeError" for ErrorKind::shape: the name of the class in C++ and in Python.
std::string_view class_name(ErrorKind kind);

// One side of a conflict, one line of the rendering. `origin` is the port or call that fixed it and
// may be empty. Example: {"input", "[N=4, 128]", "from encoder.attn.output"}.
struct Fact {
  std::string label = {};
  std::string text = {};
  std::string origin = {};
};

struct ErrorDetails {
  ErrorKind kind = ErrorKind::value;
  std::string code = {};         // "E0203"
  std::string path = {};         // the part it happened in; may be empty
  std::string port = {};         // the port it is about; may be empty, the message names it too
  std::string message = {};      // "port 'weight' does not fit port 'input'"
  std::vector<Fact> facts = {};  // may be empty
  std::string marker = {};    // under the last fact, from the column of its text on; see point_at
  std::string help = {};      // advice in the imperative; may be empty
  bool wrote_inputs = false;  // whether donated inputs have been written to
};

// The facts of the rendering: those of the details, then one that says whether inputs have been
// written to.
std::vector<Fact> shown_facts(const ErrorDetails& details);

// A marker: `width` carets from `column` on, and the expectation.
// point_at(6, 2, "expected 128") is "      ^^ expected 128", which points at the 64 of "[256, 64]".
std::string point_at(std::size_t column, std::size_t width, std::string_view expected);

// A mistake that a user can make and correct. what() is the rendering of docs/design.md, section 6:
//   mithril.ShapeError[E0203]: encoder.proj: port 'weight' does not fit port 'input'
//     input  : [N=4, 128]   from encoder.attn.output
//     weight : [256, 64]    given by shapes={"w": [256, 64]}
//                    ^^ expected 128: weight.dim(1) == input.dim(-1)
//     help: give w the shape [256, 128]
class Error : public std::exception {
 public:
  explicit Error(ErrorDetails details);

  const ErrorDetails& details() const { return details_; }
  // The same with the original numbers of nameless sizes, for raising the error again with more
  // about these sizes.
  const ErrorDetails& unnumbered() const { return unnumbered_; }
  ErrorKind kind() const { return details_.kind; }
  const std::string& code() const { return details_.code; }
  const std::string& path() const { return details_.path; }
  const std::string& port() const { return details_.port; }
  const char* what() const noexcept override;

 private:
  ErrorDetails unnumbered_, details_;
  std::string text_;
};

// The class of one kind of errors, for catch clauses. It sets the kind in the details.
template <ErrorKind kind_of_class>
class ErrorOf : public Error {
 public:
  explicit ErrorOf(ErrorDetails details) : Error(of_kind(std::move(details))) {}

 private:
  static ErrorDetails of_kind(ErrorDetails details) {
    details.kind = kind_of_class;
    return details;
  }
};

using ConnectionError = ErrorOf<ErrorKind::connection>;
using NameError = ErrorOf<ErrorKind::name>;
using ShapeError = ErrorOf<ErrorKind::shape>;
using TypeError = ErrorOf<ErrorKind::type>;
using ValueError = ErrorOf<ErrorKind::value>;
using GradientError = ErrorOf<ErrorKind::gradient>;
using ParseError = ErrorOf<ErrorKind::parse>;
using InputError = ErrorOf<ErrorKind::input>;
using StateError = ErrorOf<ErrorKind::state>;
using BackendError = ErrorOf<ErrorKind::backend>;
using OutOfMemoryError = ErrorOf<ErrorKind::out_of_memory>;
using DistributedError = ErrorOf<ErrorKind::distributed>;

// Throws the class that belongs to details.kind. Example:
//   raise({.kind = ErrorKind::value, .code = "E0401", .path = path, .message = "axis 3 of a rank 2
//   tensor"});
[[noreturn]] void raise(ErrorDetails details);

// A bug in Mithril itself, which no change of the user's program would avoid.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* condition, std::string_view message, const char* file,
                               int line);

}  // namespace mithril

// Holds in every build: throws InternalError when `condition`, which only a bug of ours can
// falsify, is false. The message is evaluated only then.
#define MITHRIL_CHECK(condition, message)                                 \
  do {                                                                    \
    if (!(condition)) {                                                   \
      ::mithril::check_failed(#condition, (message), __FILE__, __LINE__); \
    }                                                                     \
  } while (false)
