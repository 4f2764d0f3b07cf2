// One level of a model as its user stated it, apart from wires: what an edit changes.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/json/level.hpp"
#include "mithril/json/model_form.hpp"

namespace mithril {

// A port of a part: "weight", "input_1" of a list, "fc1.weight" inside a model.
struct FormEnd {
  std::string id, port;
  Wire* wire = nullptr;  // of the model that the form was made of; null: an edit added the port

  std::string path() const { return id + "." + port; }
};
struct FormFact {
  std::string field;  // of the JSON form: "assigned_shapes"
  Json fact;
  std::optional<size_t> fan_of = {};  // a net
};
// One connection. Without keys and ports it is gone.
struct FormNet {
  std::vector<std::string> keys;  // the first one names it
  std::vector<FormEnd> ends;
  std::string giver = {};  // the path of a later port that names it; empty: the first one does
  std::optional<Json> literal = {};
  std::vector<FormFact> facts = {};
  std::optional<size_t> joined = {};  // the net that it has become a part of

  bool is_gone() const { return keys.empty() && ends.empty(); }
  std::string name() const;
};
struct FormPart {
  std::string id;
  Json json;
  std::vector<std::pair<std::string, int>> lists = {};  // of an op: its list ports and their sizes
};
struct FormState {
  size_t input, output;  // nets
  Json initial;
};
struct FormConstraint {
  std::vector<size_t> nets;
  int64_t function;
};

class LevelForm {
 public:
  // The form of a composed model; `functions` takes over its constraints.
  LevelForm(Composite& model, Functions& functions);

  Json json();  // reads back as the level
  const Level& level() const { return level_; }
  // The net of a wire of the model; none: the level has none.
  std::optional<size_t> net_of(Wire* wire) const;
  std::optional<size_t> net_named(
      const std::string& name) const;  // by a key, or the path of a port
  bool has_end(const std::string& id, const std::string& port) const;
  FormPart& part(const std::string& id);
  size_t place_of(const std::string& id) const;
  std::string free_id(const std::string& label) const;
  void join(size_t into, size_t from);
  size_t joined(size_t net) const;        // the net that it is a part of now
  bool is_driven(size_t net) const;       // by a part of the model that the form was made of
  void drop_ends(const std::string& id);  // and the keys that only they had

  Composite& model;
  std::vector<FormPart> parts;
  std::vector<FormNet> nets;
  std::vector<std::string> keys;  // in the order of naming
  std::optional<std::vector<std::string>> exposed;
  std::optional<std::vector<size_t>> inputs, outputs;  // canonical ones, if they were chosen
  std::vector<FormState> states;
  std::vector<FormConstraint> constraints;

 private:
  void read(const Json::Object& fields);
  void read_facts(const std::string& field, const Json::Array& entries);
  Json connections() const;
  void write_facts(Json::Object& fields) const;

  Level level_;
};

// A list port of an op as its lists have it: {"input", 1} of "input_1".
std::optional<std::pair<std::string, size_t>> item_of(const FormPart& part,
                                                      const std::string& port);
FormPart form_of_part(std::string id, const Part& part, Functions& functions);

}  // namespace mithril
