// The rendering of errors, compared as text, and their classes.
#include "mithril/base/error.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mithril {

namespace {

ErrorDetails weight_conflict() {
  return {.kind = ErrorKind::shape,
          .code = "E0203",
          .path = "encoder.block_2.attn.proj",
          .port = "weight",
          .message = "port 'weight' does not fit port 'input'",
          .facts = {{"input", "[N=4, 128]", "from encoder.block_2.attn.out.output"},
                    {"weight", "[256, 64]", "given by shapes={\"proj_w\": [256, 64]}"}},
          .marker = point_at(6, 2, "expected 128: weight.dim(1) == input.dim(-1)"),
          .help = "give proj_w the shape [256, 128]"};
}

}  // namespace

TEST_CASE("an error renders as the design shows it") {
  CHECK(std::string(Error(weight_conflict()).what()) ==
        "mithril.ShapeError[E0203]: encoder.block_2.attn.proj: port 'weight' does not fit port "
        "'input'\n"
        "  input  : [N=4, 128]   from encoder.block_2.attn.out.output\n"
        "  weight : [256, 64]    given by shapes={\"proj_w\": [256, 64]}\n"
        "                 ^^ expected 128: weight.dim(1) == input.dim(-1)\n"
        "  help: give proj_w the shape [256, 128]");
}

TEST_CASE("an error without path, facts and help is one line") {
  const Error error({.kind = ErrorKind::value, .code = "E0401", .message = "axis 3 of rank 2"});
  CHECK(std::string(error.what()) == "mithril.ValueError[E0401]: axis 3 of rank 2");
}

TEST_CASE("a fact without an origin ends with its text") {
  const Error error({.kind = ErrorKind::type,
                     .code = "E0301",
                     .message = "no",
                     .facts = {{"a", "a long text"}, {"bb", "int", "from x"}}});
  CHECK(std::string(error.what()) ==
        "mithril.TypeError[E0301]: no\n"
        "  a  : a long text\n"
        "  bb : int   from x");
}

TEST_CASE("the last fact says that inputs have been written to") {
  const Error error({.kind = ErrorKind::value,
                     .code = "E0402",
                     .message = "no",
                     .facts = {{"got", "4"}},
                     .help = "stop",
                     .wrote_inputs = true});
  CHECK(std::string(error.what()) ==
        "mithril.ValueError[E0402]: no\n"
        "  got     : 4\n"
        "  donated : some inputs have been written to\n"
        "  help: stop");
  CHECK(error.details().facts.size() == 1);
  CHECK(error.details().wrote_inputs);
}

TEST_CASE("facts align by code points, not by bytes") {
  const Error error({.kind = ErrorKind::type,
                     .code = "E0301",
                     .message = "no",
                     .facts = {{"größe", "1"}, {"weight", "2"}}});
  CHECK(std::string(error.what()) ==
        "mithril.TypeError[E0301]: no\n"
        "  größe  : 1\n"
        "  weight : 2");
}

TEST_CASE("a marker without facts is indented by two columns") {
  const Error error({.kind = ErrorKind::parse,
                     .code = "E0701",
                     .message = "no",
                     .marker = point_at(1, 3, "a ']'")});
  CHECK(std::string(error.what()) == "mithril.ParseError[E0701]: no\n   ^^^ a ']'");
}

TEST_CASE("sizes without a name are numbered in the order in which the error names them") {
  const Error error({.kind = ErrorKind::shape,
                     .code = "E0202",
                     .message = "2*?31 + 1 is not ?4; what?7 is somebody's text",
                     .facts = {{"a", "[?4, ?31]"}, {"b", "[?12]"}}});
  CHECK(std::string(error.what()) ==
        "mithril.ShapeError[E0202]: 2*?1 + 1 is not ?2; what?7 is somebody's text\n"
        "  a : [?2, ?1]\n"
        "  b : [?3]");
}

TEST_CASE("an error keeps its details") {
  const Error error(weight_conflict());
  CHECK(error.kind() == ErrorKind::shape);
  CHECK(error.code() == "E0203");
  CHECK(error.path() == "encoder.block_2.attn.proj");
  CHECK(error.port() == "weight");
  CHECK(error.details().facts.size() == 2);
}

TEST_CASE_TEMPLATE("raise throws the class of the kind", Class, ConnectionError, NameError,
                   ShapeError, TypeError, ValueError, GradientError, ParseError, InputError,
                   StateError, BackendError, OutOfMemoryError, DistributedError) {
  const ErrorKind kind = Class(ErrorDetails{}).kind();
  CHECK_THROWS_AS(raise({.kind = kind, .code = "E0000", .message = "no"}), Class);
}

TEST_CASE("each kind has the name of its class") {
  CHECK(class_name(ErrorKind::connection) == "ConnectionError");
  CHECK(class_name(ErrorKind::gradient) == "GradientError");
  CHECK(class_name(ErrorKind::backend) == "BackendError");
  CHECK(class_name(ErrorKind::out_of_memory) == "OutOfMemoryError");
  CHECK(class_name(ErrorKind::distributed) == "DistributedError");
}

TEST_CASE("an error is caught as std::exception") {
  CHECK_THROWS_AS(raise(weight_conflict()), std::exception);
}

TEST_CASE("a failed check says that it is a bug of Mithril and names the place") {
  std::string text;
  try {
    MITHRIL_CHECK(1 + 1 == 3, "arithmetic is broken");
  } catch (const InternalError& error) {
    text = error.what();
  }
  CHECK(text.starts_with("mithril: internal error at "));
  CHECK(text.find("error.cpp:") != std::string::npos);
  CHECK(text.ends_with(
      ": arithmetic is broken (1 + 1 == 3 is false). This is a bug in Mithril, not in "
      "your program; please report it"));
}

TEST_CASE("a check that holds does not build its message") {
  bool built = false;
  MITHRIL_CHECK(true, (built = true, "unused"));
  CHECK(!built);
}

}  // namespace mithril
