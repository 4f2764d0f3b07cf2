// The levels of a model down to a part that an edit changes.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/edit/level_form.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

// A model of its own with the same statements.
Model restated(const Model& model);

// Where a path leads.
struct Located {
  std::vector<Composite*> around;  // the models that contain the part, the outermost first
  Part* part = nullptr;            // null: the path is that of a key, or there is none
  std::string port = {};           // the rest of the path; empty: the part itself
};
Located located(const Model& model, std::string_view path);
// Expands the library layer that the model is into its parts.
Model opened(const Model& model);
// Expands the library layer at this path into its parts.
Model opened_at(const Model& model, std::string_view path);
// Expands each library layer that contains the part at this path into its parts.
Model opened_around(Model model, std::string_view path);

// The path of the port of the part that computes a value inside a model, if nothing outside of that
// model reads the value. Otherwise the path itself.
std::string place_of_value(const Model& model, std::string_view path);

class Levels {
 public:
  // The levels around a part. NameError E0606 if the path names no part; with `port`, the path may
  // end with the name of a port.
  Levels(const Model& model, std::string_view path, bool port = false);

  LevelForm& form() { return levels_.back(); }
  Model part() const;  // a handle
  const std::string& id() const { return id_; }
  const std::string& port() const { return at_.port; }
  Functions& functions() { return functions_; }
  // The model with the changed form.
  Model rebuilt();

 private:
  void pass_on(LevelForm& inner, LevelForm& outer);

  Model model_;
  Located at_;
  std::string path_, id_;
  Functions functions_;
  std::deque<LevelForm> levels_;
};

// The names of the canonical ports of a part that is in no model yet.
std::vector<std::string> canonical_ports(const Model& part, bool inputs);
// Whether the port takes a list. An edit connects one value.
bool takes_list(const Model& part, const std::string& port);
// The nets of the canonical ports of a part of the form.
std::vector<size_t> canonical_nets(const LevelForm& form, const Model& part, bool inputs);
// Removes a port of a removed part. ConnectionError E0124 if something reads it.
void lose_end(LevelForm& form, size_t net, const std::string& id, const std::string& port,
              const std::string& path);
// ConnectionError E0124 if neither an op nor an output of the model reads the value of this path.
void refuse_unread(const Model& model, const std::string& value, const std::string& path);
// NameError E0607.
[[noreturn]] void refuse_name(const std::string& path, std::string message);
[[noreturn]] void refuse_edit(const std::string& path, std::string message, std::vector<Fact> facts,
                              std::string help);
// "input [5, 4], weight [3, 4]".
std::string ports_text(const Model& part, bool inputs);
std::string readers_text(const LevelForm& form, size_t net, const std::string& id);
// ConnectionError E0123.
void refuse_shared(const Part& part);

}  // namespace mithril
