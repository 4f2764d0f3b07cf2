#include "mithril/edit/edit.hpp"

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/edit/levels.hpp"
#include "mithril/edit/part_edit.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/part_view.hpp"

namespace mithril {
namespace {

// Inputs are keys already, and an output has another name than an input.
void refuse_input(const Model& model, const Connection& value, std::string_view path,
                  const std::string& name) {
  const std::shared_ptr<Composite> root = model.composite();
  for (const NamedPort& input : input_ports(*root, true)) {
    if (input.wire == top(value.wire())) {
      refuse_edit(std::string(path),
                  "the value is the input " + in_quotes(input.name) + " of the model", {},
                  "expose a value that a part computes, such as that of a Buffer of the input");
    }
    if (input.name == (name.empty() ? path : std::string_view(name)))
      refuse_name(std::string(path), "there is an input " + in_quotes(input.name) + " already");
  }
}

}  // namespace

EditableModel::EditableModel(const Model& model) : Model(restated(model)) {}

EditableModel& EditableModel::replace(std::string_view path, const Call& part) {
  static_cast<Model&>(*this) = with_replaced(*this, path, part);
  return *this;
}

EditableModel& EditableModel::insert_after(std::string_view path, const Call& part) {
  static_cast<Model&>(*this) = with_inserted(*this, path, part, true);
  return *this;
}

EditableModel& EditableModel::insert_before(std::string_view path, const Call& part) {
  static_cast<Model&>(*this) = with_inserted(*this, path, part, false);
  return *this;
}

EditableModel& EditableModel::remove(std::string_view path) {
  static_cast<Model&>(*this) = with_removed(*this, path);
  return *this;
}

EditableModel& EditableModel::replace(std::string_view path, const Model& part) {
  return replace(path, Call{part.part(), {}});
}
EditableModel& EditableModel::insert_after(std::string_view path, const Model& part) {
  return insert_after(path, Call{part.part(), {}});
}
EditableModel& EditableModel::insert_before(std::string_view path, const Model& part) {
  return insert_before(path, Call{part.part(), {}});
}

EditableModel& EditableModel::wrap(std::string_view pattern, const Wrapper& function) {
  std::vector<std::string> paths, known;
  for (const PartView& part : find_paths(*this, pattern)) paths.push_back(part.path());
  if (!paths.empty()) return wrap_all(paths, function);
  for (const PartView& part : walk(*this)) known.push_back(part.path());
  unknown_name(ErrorKind::name, "E0606", "part that matches the pattern", pattern, "", known);
}

EditableModel& EditableModel::wrap_class(std::string_view class_name, const Wrapper& function) {
  std::vector<std::string> paths, known;
  for (const PartView& part : find_class(*this, class_name)) paths.push_back(part.path());
  if (!paths.empty()) return wrap_all(paths, function);
  for (const PartView& part : walk(*this)) known.push_back(part.class_name());
  unknown_name(ErrorKind::name, "E0606", "part of the class", class_name, "", known);
}

EditableModel& EditableModel::wrap_all(const std::vector<std::string>& paths,
                                       const Wrapper& function) {
  EditableModel wrapped(*this);
  std::string outer;  // the last one, which may contain the next
  for (const std::string& path : paths) {
    if (!outer.empty() && path.starts_with(outer + ".")) continue;
    outer = path;
    const Model part = part_at(*this, path).model();
    static_cast<Model&>(wrapped) = with_replaced(wrapped, path, function(part.copy()).call, "wrap");
  }
  return *this = std::move(wrapped);
}

EditableModel& EditableModel::expose(std::string_view path, std::string name) {
  Model made = restated(*this);
  const Located found = located(made, path);
  Connection value = found.part && found.port.empty() ? Model(part_at(made, path).model()).cout()
                                                      : made.at(std::string(path));
  value = Connection(made.composite(), value.wire());
  refuse_input(made, value, path, name);
  std::vector<std::pair<std::string, Connection>> outputs;
  for (const std::string& key : made.output_keys()) outputs.emplace_back(key, made.at(key));
  outputs.emplace_back(name.empty() ? std::string(path) : std::move(name), value);
  made.expose_keys(outputs);
  static_cast<Model&>(*this) = made;
  return *this;
}

EditableModel& EditableModel::rename(std::string_view path, const std::string& name) {
  const Located found = located(*this, path);
  if (found.part && found.port.empty()) {
    static_cast<Model&>(*this) = with_renamed(*this, path, name);
  } else {
    Model made = restated(*this);
    const std::string from(path);
    const Wire* taken = find_port(*made.composite(), name);
    if (name.empty()) refuse_name(from, "a key needs a name");
    if (taken && taken != made.at(from).wire())
      refuse_name(from, "there is a key " + in_quotes(name) + " already");
    static_cast<Model&>(*this) = made.rename_key(from, name);
  }
  return *this;
}

}  // namespace mithril
