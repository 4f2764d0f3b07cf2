// What the target spells: formulas with the functions of NumPy, and its kernels.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "codegen/common/formula_writer.hpp"
#include "codegen/common/snippet_library.hpp"
#include "mithril/base/text.hpp"
#include "tests/codegen/numpy/numpy_target.hpp"
#include "tests/codegen/numpy/python_literals.hpp"

namespace mithril::tests {
namespace {

using codegen::FormulaNode;
using codegen::FormulaText;
using codegen::Snippet;
using codegen::SnippetFile;
using codegen::SnippetLibrary;

const std::map<std::string_view, const char*>& numpy_functions() {
  static const std::map<std::string_view, const char*> functions = {
      {"abs", "np.abs"},   {"atan", "np.arctan"}, {"atan2", "np.arctan2"}, {"cos", "np.cos"},
      {"erf", "erf"},      {"exp", "np.exp"},     {"expm1", "np.expm1"},   {"floor", "np.floor"},
      {"log", "np.log"},   {"log1p", "np.log1p"}, {"max", "np.maximum"},   {"min", "np.minimum"},
      {"pow", "np.power"}, {"rint", "np.rint"},   {"sin", "np.sin"},       {"sqrt", "np.sqrt"},
      {"tanh", "np.tanh"}, {"trunc", "np.trunc"}};
  return functions;
}

// Formulas of whole arrays. NumPy broadcasts them, and ints wrap.
class NumpyFormula final : public codegen::FormulaWriter {
 public:
  using FormulaWriter::FormulaWriter;

 private:
  Piece constant(const Datum& value, DType dtype) const override {
    const double real =
        value.kind() == kind::int_value ? static_cast<double>(value.integer()) : value.real();
    const std::string text = value.kind() == kind::int_value && is_integer(dtype)
                                 ? fmt::format("{}", value.integer())
                                 : python_number(real, dtype);
    return {text, real < 0 ? unary_level : primary_level};
  }

  Piece converted(const std::string& element, DType from, DType to) override {
    if (from == to) return {element};
    return {element + ".astype(" + numpy_dtype(to) + ")"};
  }

  Piece converted_expression(const std::string& expression) override {
    return {"np.asarray(" + expression + ", " + numpy_dtype(node_.output) + ")"};
  }

  Piece function(const Formula& call) override {
    const auto at = numpy_functions().find(call.text);
    if (at == numpy_functions().end() || (is_integer_ && call.text == "pow")) throw NoText();
    const bool rounds = call.text == "floor" || call.text == "rint" || call.text == "trunc";
    if (is_integer_ && rounds) return piece(call.children.front());
    if (call.text == "erf") result_.snippets.insert("erf");
    return {std::string(at->second) + "(" + arguments(call) + ")"};
  }

  Piece negated_integer(const Formula& operand) override {
    return {"-" + text(operand, primary_level), unary_level};
  }

  std::optional<Piece> special_operator(const Formula& binary) override {
    if (binary.text == "<<" || binary.text == ">>") throw NoText();
    return std::nullopt;
  }

  Piece logical(const Formula& left, const std::string& sign, const Formula& right) override {
    std::string both = truth(left);
    both += ", " + truth(right);
    return {(sign == "&&" ? "np.logical_and(" : "np.logical_or(") + both + ")"};
  }

  Piece negated_truth(const Formula& operand) override {
    return {"np.logical_not(" + truth(operand) + ")"};
  }

  Piece selected(const Formula& condition, const Formula& yes, const Formula& no) override {
    std::string all = truth(condition);
    all += ", " + text(yes);
    all += ", " + text(no);
    return {"np.where(" + all + ")"};
  }
};

std::optional<FormulaText> numpy_formula(const Formula& formula, const FormulaNode& node) {
  return NumpyFormula(node).write(formula);
}

// A file of kernels: a docstring of one line, imports, and functions.
Snippet read_python(std::string_view text) {
  constexpr std::string_view quotes = "\"\"\"", own = "from tests.codegen.numpy.kernels.";
  Snippet snippet;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(quotes)) {
      snippet.description = "# " + line.substr(3, line.size() - 6) + "\n";
    } else if (line.starts_with(own)) {
      snippet.needs.push_back(line.substr(own.size(), line.find(' ', own.size()) - own.size()));
    } else if (line.starts_with("import ") || line.starts_with("from ")) {
      snippet.imports.insert(line);
    } else {
      if (line.starts_with("def ")) snippet.names.insert(line.substr(4, line.find('(') - 4));
      if (!snippet.text.empty() || !line.empty()) snippet.text += line + "\n";
    }
  }
  return snippet;
}

// A target of the library has its kernels in a table that CMake makes (cmake/MithrilSources.cmake).
const SnippetLibrary& numpy_snippets() {
  static const SnippetLibrary library = [] {
    std::map<std::string, std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator("tests/codegen/numpy/kernels")) {
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      texts.emplace(entry.path().stem(), text.str());
    }
    std::vector<SnippetFile> files;
    for (const auto& [name, text] : texts) files.push_back({name.c_str(), text.c_str()});
    return SnippetLibrary("tests/codegen/numpy/kernels", files, read_python);
  }();
  return library;
}

}  // namespace

const codegen::Language& numpy_language() {
  static const codegen::Language language{
      .name = "NumPy", .formula = numpy_formula, .snippets = numpy_snippets};
  return language;
}

}  // namespace mithril::tests
