// Edits of the structure of a model.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// A copy of a model whose parts can be exchanged. Each edit rebuilds the model from the
// statements of its user and infers everything again, so that removed parts leave no sizes behind;
// parts of library models become parts of composed models. Parts keep their paths, and so the keys
// of their parameters. An edit that fails changes nothing. Handles, connections and views that were
// made before an edit belong to the model as it was before.
//
// A path names a part ("encoder.fc1") or, where a value is expected, a port
// ("encoder.split.output_0") or a key. NameError E0606 for an unknown one, with the nearest. Parts
// are copied. A part may come with bindings: their strings are keys, or paths of ports, in the
// model that contains the part.
//
// ConnectionError E0123: the part reads parameters of another part, or another part reads its own,
// as after Model::shared. ConnectionError E0124: the edit does not fit; the error has the ports,
// their shapes and readers. ConnectionError E0102: the edit makes a cycle. ConnectionError E0115:
// an edit of a training model. Errors of inference are those of composing, with the edit.
class EditableModel : public Model {
 public:
  explicit EditableModel(const Model& model);

  // The new part has the connections of the old one: those of ports of the same names, or those of
  // the canonical input and output if these have other names. Statements about ports that the new
  // part does not have go with the old part.
  EditableModel& replace(std::string_view path, const Call& part);
  EditableModel& replace(std::string_view path, const Model& part);
  // Inserts a part between a value and all its readers. It keeps its name, or gets one by its
  // class. The key of the value, if there is one, becomes that of the output of the new part.
  EditableModel& insert_after(std::string_view path, const Call& part);
  EditableModel& insert_after(std::string_view path, const Model& part);
  // Inserts a part between an input of a part and the value that it reads.
  EditableModel& insert_before(std::string_view path, const Call& part);
  EditableModel& insert_before(std::string_view path, const Model& part);
  // Removes a part and connects its input to the readers of its output.
  EditableModel& remove(std::string_view path);
  // Replaces each part whose path matches the pattern (find_paths), or that is of the class, by
  // the result of the function, called with a copy of the part: a model, which may come with
  // bindings. Leaves parts inside it alone.
  struct Wrapped {
    Wrapped(Call bound) : call(std::move(bound)) {}
    Wrapped(const Model& part) : call{part.part(), {}} {}
    Call call;
  };
  using Wrapper = std::function<Wrapped(const Model& part)>;
  EditableModel& wrap(std::string_view pattern, const Wrapper& function);
  EditableModel& wrap_class(std::string_view class_name, const Wrapper& function);
  // Adds an inner value to the outputs. `name` empty: its path.
  EditableModel& expose(std::string_view path, std::string name = {});
  // Renames a part or a key. NameError E0607 if there is one of this name.
  EditableModel& rename(std::string_view path, const std::string& name);
  // The part of the model between values, each with its name in the new model. It has the inputs of
  // the model that the outputs need besides `inputs`, too. ConnectionError E0124 for an input that
  // no output needs.
  using Values = std::vector<std::pair<std::string, std::string>>;  // name, path
  Model extract(const Values& inputs, const Values& outputs) const;

 private:
  EditableModel& wrap_all(const std::vector<std::string>& paths, const Wrapper& function);
};

inline EditableModel edit(const Model& model) { return EditableModel(model); }

}  // namespace mithril
