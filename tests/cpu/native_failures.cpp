// Failures of native compilation: programs are interpreted, and the summary says why.
#include <csignal>

#include "backends/cpu/elementwise/native/compiler.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "tests/cpu/native.hpp"

namespace mithril::tests {

TEST_CASE("programs are interpreted if the compiler fails, and the summary says why") {
  const CacheFolder folder;
  const Script compiler("echo 'no room on the disk' >&2; echo more; exit 3");
  const Variable chosen("CXX", compiler.path());
  const auto executable = load_native(parse_graph(one_loop));
  CHECK(native_note(*executable) == "no native code, loops are interpreted: " + compiler.path() +
                                        " failed: no room on the disk");
  CHECK(apart_from_interpreted(*executable, one_loop, gelu_inputs(3, 100)) == "");
  CHECK(folder.files().empty());
  // A failed build is not repeated.
  load_native(parse_graph(one_loop));
  CHECK(compiler.runs() == 1);
}

TEST_CASE("if SIGCHLD is ignored, the result of the compiler decides") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const Script compiler("exec c++ \"$@\""), silent("exit 1");
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  std::string works, fails;
  {
    const Variable chosen("CXX", compiler.path());
    works = native_note(*load_native(parse_graph(one_loop)));
  }
  {
    const Variable chosen("CXX", silent.path());
    fails = native_note(*load_native(parse_graph(one_loop)));
  }
  std::signal(SIGCHLD, before);
  CHECK(works == "1 of 1 loops run as native code of " + compiler.path());
  CHECK(fails == "no native code, loops are interpreted: " + silent.path() + " made no library");
  CHECK(cpu_backend::compile_native({.command = {silent.path()}}, {}, "").why ==
        silent.path() + " failed without a message");
}

TEST_CASE("a file that is not a library is not cached") {
  const CacheFolder folder;
  const Script nothing("exit 0"), rubbish("while [ \"$1\" != -o ]; do shift; done; echo no > $2");
  {
    const Variable chosen("CXX", nothing.path());
    const auto executable = load_native(parse_graph(one_loop));
    CHECK(native_note(*executable) ==
          "no native code, loops are interpreted: " + nothing.path() + " made no library");
  }
  const Variable chosen("CXX", rubbish.path());
  const auto executable = load_native(parse_graph(one_loop));
  CHECK(native_note(*executable)
            .starts_with("no native code, loops are interpreted: the compiled library cannot be "
                         "opened: /proc/self/fd/"));
  CHECK(apart_from_interpreted(*executable, one_loop, gelu_inputs(3, 100)) == "");
  CHECK(folder.files().empty());
}

TEST_CASE("a compiler that does not end is killed") {
  const CacheFolder folder;
  const Script compiler("sleep 100 & sleep 100");
  const cpu_backend::Compiled compiled = cpu_backend::compile_native(
      {.command = {compiler.path()}}, {}, "", std::chrono::milliseconds(200));
  CHECK(compiled.library.empty());
  CHECK(compiled.why == compiler.path() + " took more than 200 ms");
}

TEST_CASE("programs are interpreted without a compiler, and the summary says so") {
  const CacheFolder folder;
  const std::string prefix = "no native code, loops are interpreted: ";
  const std::string symbolic =
      "graph {\n  input x: float32[n]\n  y: float32[n] = exp(input: x)\n  output y = y\n}\n";
  {
    const Variable none("CXX", std::nullopt), path("PATH", ".:relative:/nonexistent");
    const auto executable = load_native(parse_graph(one_loop));
    const std::string why =
        prefix + "CXX is not set, and none of c++, g++ and clang++ is on the PATH";
    CHECK(native_note(*executable) == why);
    CHECK(apart_from_interpreted(*executable, one_loop, gelu_inputs(3, 100)) == "");
    CHECK(native_note(*load_native(parse_graph(symbolic))) == why);
  }
  for (const char* name : {"no-such-compiler", "/no/such/compiler", "./compiler", "/tmp"}) {
    const Variable chosen("CXX", std::string(name) + " -O1");
    CHECK(native_note(*load_native(parse_graph(one_loop))) ==
          prefix + "CXX names '" + name + "', which is not a program on the PATH");
  }
}

TEST_CASE("words of CXX after the first are arguments, and no shell reads them") {
  const CacheFolder folder;
  const TemporaryFolder temporary("mithril-test-");
  const std::string touched = temporary.path("touched");
  const Variable chosen("CXX", "c++ -DX='$(touch " + touched + ");rm'");
  std::string why;
  const auto compiler = cpu_backend::find_compiler(why);
  if (!compiler) return skip_without_compiler();
  CHECK(compiler->command.size() == 3);
  CHECK(compiler->command[1] == "-DX='$(touch");
  load_native(parse_graph(one_loop));
  CHECK(!std::filesystem::exists(touched));
}

TEST_CASE("only optimization_level='max' compiles, and jit=False does not") {
  const CacheFolder folder;
  const Script compiler("exit 1");
  const Variable chosen("CXX", compiler.path());
  CHECK(cpu()->load(parse_graph(one_loop), {})->notes().empty());
  const auto forbidden = cpu()->load(parse_graph(one_loop), {.jit = false, .max = true});
  CHECK(native_note(*forbidden) ==
        "no native code, loops are interpreted: jit=False or use_checkpointing forbids it");
  const auto nothing =
      load_native(parse_graph("graph {\n  input x: float32[2, 3]\n"
                              "  y: float32[3, 2] = transpose(input: x)\n  output y = y\n}\n"));
  CHECK(native_note(*nothing) == "no native code: there are no loops to compile");
  CHECK(compiler.runs() == 0);
}

TEST_CASE("files of a killed compiler are removed") {
  const CacheFolder cache;
  const Script compiler("touch $TMPDIR/cc123.s; mkdir $TMPDIR/more; kill -9 $$");
  const TemporaryFolder temporary("mithril-test-");
  const Variable folder("TMPDIR", temporary.path()), chosen("CXX", compiler.path());
  const auto loaded = load_native(parse_graph(one_loop));
  CHECK(compiler.runs() == 1);
  const std::filesystem::directory_iterator entries(temporary.path());
  CHECK(std::distance(entries, {}) == 1);  // its own lock
}

}  // namespace mithril::tests
