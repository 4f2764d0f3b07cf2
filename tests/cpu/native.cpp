// Native code: when the compiler runs, what is cached, and the results.
#include "tests/cpu/native.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <thread>

#include "backends/cpu/elementwise/native/compiler.hpp"
#include "backends/cpu/elementwise/native/text.hpp"
#include "backends/cpu/elementwise/program_builder.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/eval/size_sources.hpp"

namespace mithril::tests {

TEST_CASE("native code is compiled once and then read from the cache") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const Script compiler("exec c++ \"$@\"");
  const Variable chosen("CXX", compiler.path());
  const auto inputs = gelu_inputs(3, 100);
  {
    const auto executable = load_native(parse_graph(one_loop));
    CHECK(compiler.runs() == 1);
    CHECK(native_note(*executable) == "1 of 1 loops run as native code of " + compiler.path());
    CHECK(apart_from_interpreted(*executable, one_loop, inputs) == "");
    CHECK(apart_from_interpreted(*load_native(parse_graph(one_loop)), one_loop, inputs) == "");
    CHECK(compiler.runs() == 1);
  }
  CHECK(folder.files().size() == 1);
  const auto again = load_native(parse_graph(one_loop));
  CHECK(apart_from_interpreted(*again, one_loop, inputs) == "");
  CHECK(compiler.runs() == 1);
}

TEST_CASE("native code does not depend on sizes") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const Script compiler("exec c++ \"$@\"");
  const Variable chosen("CXX", compiler.path());
  const std::string text =
      "graph {\n"
      "  input x: float32[n, m]\n"
      "  input row: float32[m]\n"
      "  a: float32[n, m] = add(left: x, right: row)\n"
      "  y: float32[n, m] = tanh(input: a)\n"
      "  output y = y\n"
      "}\n";
  const auto executable = load_native(parse_graph(text));
  CHECK(native_note(*executable) ==
        "loops are compiled by " + compiler.path() + " once sizes are known");
  CHECK(compiler.runs() == 0);
  for (const int64_t columns : {64, 65, 511, 512, 513, 2000}) {
    CAPTURE(columns);
    CHECK(apart_from_interpreted(*executable, text,
                                 {random({3, columns}, 1), random({columns}, 2)}) == "");
    CHECK(compiler.runs() == 1);
  }
  // Rows that are too short for a call each are gathered, and one row is not a broadcast.
  CHECK(apart_from_interpreted(*executable, text, {random({3, 5}, 1), random({5}, 2)}) == "");
  CHECK(apart_from_interpreted(*executable, text, {random({1, 70}, 1), random({70}, 2)}) == "");
  CHECK(compiler.runs() == 1);
  // A value with one element for a whole row is read differently.
  CHECK(apart_from_interpreted(*executable, text, {random({3, 1}, 1), random({1}, 2)}) == "");
  CHECK(compiler.runs() == 2);
}

// The descriptors of this process that libraries were opened from.
std::vector<int> descriptors_of_libraries() {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.find("mithril_loops") == std::string::npos) continue;
    found.push_back(std::stoi(entry.path().filename().string()));
  }
  return found;
}

TEST_CASE("models keep their code if a process closes its descriptors") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const std::string form =
      "graph {{\n  input x: float32[300]\n  a: float32[300] = {}(input: x)\n"
      "  y: float32[300] = add(left: a, right: x)\n  output y = y\n}}\n";
  std::vector<std::unique_ptr<Executable>> executables;
  std::vector<std::string> texts;
  for (const char* op : {"exp", "tanh", "relu", "negate"}) {
    texts.push_back(fmt::format(fmt::runtime(form), op));
    executables.push_back(load_native(parse_graph(texts.back())));
    for (const int descriptor : descriptors_of_libraries()) close(descriptor);
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    CHECK(native_note(*executables[i]).starts_with("1 of 1 loops"));
    CHECK(apart_from_interpreted(*executables[i], texts[i], {random({300}, i)}) == "");
  }
}

TEST_CASE("libraries keep no descriptor open and close none") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const int others = open("/dev/null", O_RDONLY);
  {
    const auto executable = load_native(parse_graph(one_loop));
    CHECK(descriptors_of_libraries().empty());
  }
  const int next = open("/dev/null", O_RDONLY);
  CHECK(fcntl(others, F_GETFD) != -1);
  close(next);
  close(others);
}

TEST_CASE("a library that lacks the mark of its source is refused") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const Script compiler(
      "while [ \"$1\" != -o ]; do shift; done; echo 'extern \"C\" void loop_0() {}' > $2.cpp; "
      "exec c++ -shared -fPIC -o $2 $2.cpp");
  const Variable chosen("CXX", compiler.path());
  CHECK(native_note(*load_native(parse_graph(one_loop))) ==
        "no native code, loops are interpreted: another library was opened in place of the "
        "compiled one");
}

TEST_CASE("a damaged entry is built again") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const Script compiler("exec c++ \"$@\"");
  const Variable chosen("CXX", compiler.path());
  load_native(parse_graph(one_loop));
  REQUIRE(folder.files().size() == 1);
  const std::string entry = folder.files().front(), whole = contents(entry);
  std::string changed = whole;
  changed[changed.size() / 2] ^= 1;
  int runs = 1;
  for (const std::string& damaged : {changed, whole.substr(0, whole.size() / 2), std::string()}) {
    replace_contents(entry, damaged);
    const auto executable = load_native(parse_graph(one_loop));
    CHECK(apart_from_interpreted(*executable, one_loop, gelu_inputs(3, 100)) == "");
    CHECK(compiler.runs() == ++runs);
    CHECK(contents(entry).size() == whole.size());
  }
}

TEST_CASE("the text of native code contains no names, sizes or constants") {
  const auto text_of = [](const std::string& dims, const std::string& factor,
                          const std::string& name) {
    Graph graph =
        parse_graph(fmt::format("graph {{\n  input x: float32[{0}]\n"
                                "  a: float32[{0}] = multiply(left: x, right: {1})\n"
                                "  y: float32[{0}] = exp(input: a)\n  output y = y\n}}\n",
                                dims, factor));
    for (size_t i = 0; i < graph.values().size(); ++i) {
      Value value = graph.values()[i];
      value.name += name;
      graph.restate(static_cast<ValueId>(i), value);
    }
    const SizeSources sizes(graph);
    Dims numbers;
    for (const Dim& dim : graph.values().front().dims) numbers.push_back(dim.constant());
    const std::vector<Tensor> inputs{Tensor::full(DType::float32, numbers, 0)};
    const Plan plan = make_plan(graph, sizes, inputs);
    const cpu_backend::ShapedGraph shaped(graph, plan);
    const std::vector<size_t> nodes{0, 1};
    const std::vector<ValueId> kept{graph.outputs().front().value};
    return cpu_backend::native_program(shaped,
                                       *cpu_backend::make_elementwise_program(shaped, nodes, kept))
        ->text;
  };
  const std::string plain = text_of("200", "2.5", "");
  CHECK(plain.find("call(context, 0, block_0, size);") != std::string::npos);
  CHECK(text_of("7, 30", "1e300", "") == plain);
  CHECK(text_of("200", "2.5", "*/ system(\"rm\"); /*\n#include </etc/passwd>\n};") == plain);
}

TEST_CASE("native code treats NaN, infinities, zeros and denormals as the interpreter does") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const double infinite = std::numeric_limits<double>::infinity();
  const double numbers[] = {NAN, -infinite, infinite, 0.0, -0.0, 1e-310, -1e-40, 1, -1.5, 1e300};
  for (const DType dtype : {DType::float32, DType::float64}) {
    std::string text =
        fmt::format("graph {{\n  input x: {0}[100]\n  input y: {0}[100]\n", name(dtype));
    const auto add = [&](const std::string& made, const std::string& kind,
                         const std::string& call) {
      text += fmt::format("  {0}: {1}[100] = {2}\n  output {0} = {0}\n", made, kind, call);
    };
    const std::string floats(name(dtype));
    for (const char* op : {"maximum", "minimum", "add", "subtract", "multiply"})
      add(op, floats, std::string(op) + "(left: x, right: y)");
    for (const char* op : {"less", "less_equal", "equal", "not_equal", "greater", "greater_equal"})
      add(op, "bool", std::string(op) + "(left: x, right: y)");
    add("divide", floats, "divide(numerator: x, denominator: y)");
    for (const char* op :
         {"abs", "sqrt", "negate", "exp", "log", "tanh", "relu", "floor", "square"})
      add(op, floats, std::string(op) + "(input: x)");
    for (const char* op : {"logical_and", "logical_or"})
      add(op, "bool", std::string(op) + "(left: less, right: equal)");
    add("logical_not", "bool", "logical_not(input: less)");
    add("where", floats, "where(cond: greater, input1: x, input2: sqrt)");
    std::vector<Tensor> inputs{Tensor::full(dtype, {100}, 0), Tensor::full(dtype, {100}, 0)};
    for (int i = 0; i < 100; ++i) {
      for (int k = 0; k < 2; ++k) {
        const double number = numbers[k ? i % 10 : i / 10];
        if (dtype == DType::float32) {
          inputs[static_cast<size_t>(k)].mutable_data<float>()[i] = static_cast<float>(number);
        } else {
          inputs[static_cast<size_t>(k)].mutable_data<double>()[i] = number;
        }
      }
    }
    const auto executable = load_native(parse_graph(text + "}\n"));
    CHECK(native_note(*executable).find(" loops run as native code of ") != std::string::npos);
    CHECK(apart_from_interpreted(*executable, text + "}\n", inputs) == "");
  }
}

TEST_CASE("native code gives the same bits for each instruction set") {
  std::string why;
  const auto compiler = cpu_backend::find_compiler(why);
  if (!compiler || !has_compiler()) return skip_without_compiler();
  // With contraction to FMA some of these results would differ.
  const std::string texts[] = {
      "(void* const* to, const void* const* from, const void*, call_type, const void*,\n"
      "    size_type count) {\n"
      "  for (size_type i = 0; i < count; ++i)\n"
      "    ((float*)to[0])[i] = ((float*)from[0])[i] * ((float*)from[0])[i] - 0.3f;\n"
      "}\n"};
  const std::string source = cpu_backend::native_source(texts, "mark");
  const Tensor x = random({1000}, 1);
  std::vector<float> expected;
  for (int i = 0; i < 1000; ++i) {
    const volatile float square = x.data<float>()[i] * x.data<float>()[i];
    expected.push_back(square - 0.3f);
  }
  for (const auto instructions : cpu_backend::present_instructions()) {
    CAPTURE(cpu_backend::name(instructions));
    const auto compiled =
        cpu_backend::compile_native(*compiler, cpu_backend::native_flags(instructions), source);
    const auto library = cpu_backend::NativeLibrary::open(compiled.library, why);
    REQUIRE_MESSAGE(library, compiled.why, why);
    const auto run = reinterpret_cast<cpu_backend::NativeFunction>(library->find("loop_0"));
    std::vector<float> got(1000);
    void* const to[] = {got.data()};
    const void* const from[] = {x.raw_data()};
    run(to, from, nullptr, nullptr, nullptr, 1000);
    CHECK(got == expected);
  }
}

TEST_CASE("threads that compile at the same time get the same code") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const auto inputs = gelu_inputs(3, 100);
  std::vector<std::string> differences(4, "not run");
  std::vector<std::thread> threads;
  for (std::string& found : differences) {
    threads.emplace_back([&] {
      found = apart_from_interpreted(*load_native(parse_graph(one_loop)), one_loop, inputs);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(differences == std::vector<std::string>(4));
  CHECK(folder.files().size() == 1);
}

TEST_CASE("native code gives the same bits on any number of threads") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const std::string text = gelu_text(200, 1003);
  const auto inputs = gelu_inputs(200, 1003);
  for (const int threads : {1, 2, 3, 7}) {
    const auto executable = load_native(parse_graph(text), {.threads = threads});
    CHECK(native_note(*executable).starts_with("1 of 1 loops run as native code of "));
    CHECK(apart_from_interpreted(*executable, text, inputs) == "");
  }
}

TEST_CASE("native code reads and rounds 16-bit elements") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const std::string text = fmt::format(
        "graph {{\n"
        "  input x: {0}[3, 700]\n"
        "  input row: {0}[700]\n"
        "  wide: float32[3, 700] = cast(input: x, dtype: float32)\n"
        "  wide_row: float32[700] = cast(input: row, dtype: float32)\n"
        "  a: float32[3, 700] = multiply(left: wide, right: wide_row)\n"
        "  t: float32[3, 700] = tanh(input: a)\n"
        "  y: {0}[3, 700] = cast(input: t, dtype: {0})\n"
        "  output t = t\n"
        "  output y = y\n"
        "}}\n",
        name(dtype));
    const auto executable = load_native(parse_graph(text));
    const std::string note = native_note(*executable);
    CHECK_MESSAGE(note.starts_with("2 of 2 loops run as native code of "), note);
    CHECK(apart_from_interpreted(*executable, text,
                                 {random({3, 700}, 1).to(dtype), random({700}, 2).to(dtype)}) ==
          "");
  }
}

TEST_CASE("native code runs as an epilogue of GEMMs") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const std::string text =
      "graph {\n"
      "  input x: float32[70, 40]\n"
      "  input w: float32[40, 130]\n"
      "  input b: float32[130]\n"
      "  input r: float32[70, 130]\n"
      "  p: float32[70, 130] = matmul(left: x, right: w)\n"
      "  a: float32[70, 130] = add(left: p, right: b)\n"
      "  g: float32[70, 130] = gelu(input: a)\n"
      "  y: float32[70, 130] = add(left: g, right: r)\n"
      "  output y = y\n"
      "}\n";
  const auto executable = load_native(parse_graph(text));
  CHECK(native_note(*executable).starts_with("1 of 1 loops run as native code of "));
  CHECK(apart_from_interpreted(*executable, text,
                               {random({70, 40}, 1), random({40, 130}, 2), random({130}, 3),
                                random({70, 130}, 4)}) == "");
}

}  // namespace mithril::tests
