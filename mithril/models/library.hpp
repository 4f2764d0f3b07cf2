// The library of models: layers composed of ops, made by name and arguments (C++ option structs,
// Python, JSON).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// A constructor argument. `kinds` as for value ports: "int|none", "bool", "str", "tuple"; or
// "model" or "models", by class name or as they were made (models/part_argument.hpp); or
// "names|none", a dict from names to names.
struct ArgumentDef {
  std::string name, kinds;
  std::optional<Datum> fallback = {};  // empty: required
  std::string doc = {};
  std::vector<std::string> words = {};  // of a string: the values, an enumeration in C++
};

// Arguments checked against their definitions, defaults filled in.
class CheckedArguments {
 public:
  // NameError E0605 for an unknown name, ValueError E0408 for a missing one, TypeError E0304 for a
  // wrong kind, ValueError E0402 for another word: with the argument's name, the expected and the
  // actual value.
  CheckedArguments(std::string_view model, const std::vector<ArgumentDef>& defs,
                   const Arguments& given);
  const Datum& operator[](std::string_view name) const;
  bool has(std::string_view name) const { return !(*this)[name].is_none(); }
  int64_t integer(std::string_view name) const { return (*this)[name].integer(); }
  double real(std::string_view name) const { return (*this)[name].real(); }
  bool flag(std::string_view name) const { return (*this)[name].flag(); }
  const std::string& text(std::string_view name) const { return (*this)[name].text(); }
  std::vector<int64_t> ints(std::string_view name) const;
  Model part(std::string_view name) const;  // a new one of the model that is the argument
  // A size of at least 0; `inferred` if the argument is None.
  DimSpec size(std::string_view name, DimSpec inferred = Any{}) const;
  // ValueError E0402 naming model and argument.
  [[noreturn]] void reject(std::string_view name, std::string expected) const;

 private:
  std::string model_;
  std::vector<std::pair<std::string_view, Datum>> values_;
};

// A port as documents show it. `shape` is a text such as "[N, C] or [N]", and empty for a value.
struct DocumentedPort {
  std::string name;
  std::string shape = {};
  std::string note = {};  // begins with "and" if more ports depend on the arguments
};

struct ModelDef {
  std::string name;  // "Linear"
  std::string doc;
  std::vector<DocumentedPort> ports = {};
  std::vector<ArgumentDef> arguments;
  // A loss, a metric or a regulariser: no output in inference mode unless it is asked for.
  bool objective = false;
  Model (*build)(const CheckedArguments&) = nullptr;
  // Another name, that of another library: `arguments` are those of this model, under the names of
  // that library where `renamed` has them as {name there, name here}. It makes models of this
  // class; `build` is null.
  std::string alias_of = {};
  std::vector<std::pair<std::string, std::string>> renamed = {};
};

const ModelDef* try_find_model(std::string_view name);  // in any case; null: none
std::vector<const ModelDef*> all_models();
const ModelDef& add_model(ModelDef def);
// A library model, or a part that is one op, by its class name in any case. NameError E0608 with
// the nearest of both.
Model make_model(std::string_view name, const Arguments& arguments = {});
// A model that its user could have composed: with the same parts, and with what the library states
// about their connections as statements. Its parts are models of the library.
Model make_opened(std::string_view name, const Arguments& arguments = {});
// The type in such an argument: kinds as an int, or a dtype.
PortType stated_type(const Datum& datum);
// The model of an argument (argument_of in models/part_argument.hpp). NameError E0608 for an
// unknown class.
Model made_of(const Datum& argument);

}  // namespace mithril
