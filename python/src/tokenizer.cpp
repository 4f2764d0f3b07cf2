// The tokenizer.
#include "mithril/text/tokenizer.hpp"

#include <pybind11/stl.h>

#include "convert.hpp"

namespace mithril::python {
namespace {

using TokenList = std::vector<std::int64_t>;

Tokenizer tokenizer_of(const py::bytes& json, std::size_t max_length) {
  const std::string_view text = json;
  const InterpreterUnlocked free;
  return Tokenizer(text, max_length);
}

Tokenizer load_tokenizer(py::handle path, std::size_t max_length) {
  const std::string file = path_of(path);
  const InterpreterUnlocked free;
  return Tokenizer::load(file, max_length);
}

TokenList encode_text(const Tokenizer& tokenizer, const std::string& text,
                      bool add_special_tokens) {
  const InterpreterUnlocked free;
  return tokenizer.encode(text, add_special_tokens);
}

py::dict encode_texts(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  const TensorMap made = [&] {
    const InterpreterUnlocked free;
    return tokenizer(texts);
  }();
  return dict_of(made);
}

}  // namespace

void bind_tokenizer(py::module_& module) {
  py::class_<Tokenizer>(module, "_Tokenizer", "Implements `mithril.Tokenizer`.")
      .def(py::init(&tokenizer_of), py::arg("tokenizer_json"), py::arg("max_length"))
      .def_static("load", load_tokenizer, py::arg("path"), py::arg("max_length"),
                  "Reads the files of a tokenizer.")
      .def("encode", encode_text, py::arg("text"), py::arg("add_special_tokens"),
           "Returns the token ids of a text.")
      .def("decode", &Tokenizer::decode, py::call_guard<InterpreterUnlocked>(), py::arg("ids"),
           py::arg("skip_special_tokens"), "Returns the text of token ids.")
      .def("kind", &Tokenizer::kind, "Returns BPE, WordPiece or Unigram.")
      .def("vocab_size", &Tokenizer::vocab_size, "Returns the number of tokens.")
      .def("id", &Tokenizer::id, py::arg("token"), "Returns the id of a token, or None.")
      .def("token", &Tokenizer::token, py::arg("id"), "Returns the token of an id, or None.")
      .def("begin_of_text", &Tokenizer::begin_of_text, "Returns the ids before each text.")
      .def("__call__", encode_texts, py::arg("texts"), "Returns the inputs of a model for texts.");
  py::class_<TextStream>(module, "_TextStream", "Implements `mithril.text.tokenizer.TextStream`.")
      .def(py::init([](const Tokenizer& tokenizer, bool skip_special_tokens) {
             return tokenizer.stream(skip_special_tokens);
           }),
           py::arg("tokenizer"), py::arg("skip_special_tokens"))
      .def("push", &TextStream::push, py::arg("token"),
           "Returns the text that is complete with a token.")
      .def("finish", &TextStream::finish, "Returns the rest of the text.");
}

}  // namespace mithril::python
