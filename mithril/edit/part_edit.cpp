#include "mithril/edit/part_edit.hpp"

#include <algorithm>
#include <optional>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/edit/levels.hpp"
#include "mithril/edit/open_inputs.hpp"
#include "mithril/json/values.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/part_view.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// A part is named by the model that contains it.
FormPart nameless(std::string id, const Model& part, Functions& functions) {
  FormPart form = form_of_part(std::move(id), *part.part(), functions);
  std::erase_if(*form.json.as<Json::Object>(),
                [](const auto& field) { return field.first == "given_name"; });
  return form;
}

bool has_port(const FormPart& form, const Model& part, const std::string& port) {
  if (!part.part()->op) return find_port(*part.composite(), port) != nullptr;
  if (item_of(form, port)) return true;
  const OpDef& op = *part.part()->op;
  for (size_t i = 0; i < op.port_count(); ++i) {
    if (op.port(i).name == port) return true;
  }
  return false;
}

std::string sort_of(bool inputs) { return inputs ? "input" : "output"; }

// The port that an edit of the part means.
size_t end_in(const FormNet& net, const std::string& id) {
  for (size_t i = 0; i < net.ends.size(); ++i) {
    if (net.ends[i].id == id) return i;
  }
  return net.ends.size();
}

class PartEdit {
 public:
  PartEdit(const Model& model, std::string_view path, std::string call, bool port = false)
      : levels_(model, path, port),
        form_(levels_.form()),
        path_(path),
        id_(levels_.id()),
        call_(std::move(call)) {}

  Model replace(const Call& call) {
    refuse_shared(*levels_.part().part());
    const Model part(call.part);
    FormPart made = nameless(id_, part, levels_.functions());
    size_lists(made, call.bindings);
    keep_lists(made);
    const auto mapped = canonical_mapping(part);
    for (size_t i = 0; i < form_.nets.size(); ++i) {
      std::vector<std::string> lost;
      for (FormEnd& end : form_.nets[i].ends) {
        if (end.id != id_) continue;
        if (takes_list(part, end.port)) {
          if (!is_bound(call, end.port)) refuse_list(part, end.port);
          end.port.clear();  // the call gives the items
        } else if (has_port(made, part, end.port)) {
          if (has_argument(part, end.port)) form_.nets[i].literal.reset();
        } else if (const auto at = mapped_port(mapped, i)) {
          if (takes_list(part, *at)) refuse_list(part, *at);
          end.port = *at;
        } else {
          lost.push_back(end.port);
        }
      }
      std::erase_if(form_.nets[i].ends, [](const FormEnd& end) { return end.port.empty(); });
      for (const std::string& port : lost) lose_port(i, port, part);
    }
    form_.part(id_) = std::move(made);
    bind(id_, call.bindings);
    forget_old_parameters(form_, id_, part);
    refuse_open_inputs(form_, id_, call, {path_, call_, levels_.part()});
    return finished();
  }

  Model insert(const Call& call, bool after) {
    const PartView view(levels_.part());
    const std::vector<std::string> ports = after ? view.outputs() : view.inputs();
    const size_t net =
        chosen_net(!after, ports.empty() ? ""
                                         : "name the port in the path, such as " +
                                               in_quotes(path_ + "." + ports.front()));
    check_direction(form_.nets[net].ends[chosen_end(net)], after);
    const Model part(call.part);
    const std::string input = free_port(call, true), output = free_port(call, false);
    const std::string id = form_.free_id(std::string(call.part->label()));
    FormPart made = nameless(id, part, levels_.functions());
    size_lists(made, call.bindings);
    const auto at = form_.parts.begin() + static_cast<std::ptrdiff_t>(form_.place_of(id_));
    form_.parts.insert(after ? at + 1 : at, std::move(made));
    FormEnd& end = form_.nets[net].ends[chosen_end(net)];
    if (form_.nets[net].giver == end.path()) form_.nets[net].giver.clear();
    FormNet between{{}, {end}};
    end = {id, after ? output : input};
    between.ends.push_back({id, after ? input : output});
    form_.nets.push_back(std::move(between));
    bind(id, call.bindings);
    refuse_open_inputs(form_, id, call, {path_, call_, levels_.part()});
    const std::string outer = mithril::path(&form_.model);
    Model model = finished();
    if (after) refuse_unread(model, (outer.empty() ? "" : outer + ".") + id + "." + output, path_);
    return model;
  }

  Model remove() {
    const Model part = levels_.part();
    refuse_shared(*part.part());
    refuse_items(part);
    const char* advice =
        "remove takes a part with one input and one output: replace this one, or remove what reads "
        "it first";
    const size_t input = chosen_net(true, advice), output = chosen_net(false, advice);
    for (size_t i = 0; i < form_.nets.size(); ++i) {
      if (i == input || i == output) continue;
      std::vector<std::string> lost;
      for (const FormEnd& end : form_.nets[i].ends) {
        if (end.id == id_) lost.push_back(end.port);
      }
      for (const std::string& port : lost) lose_end(form_, i, id_, port, path_);
    }
    const FormNet& made = form_.nets[output];
    const bool is_read = std::any_of(made.ends.begin(), made.ends.end(),
                                     [&](const FormEnd& end) { return end.id != id_; });
    if (!form_.model.owner && !is_read && !form_.is_driven(input) && !made.keys.empty()) {
      refuse_edit(path_, "nothing would compute " + in_quotes(form_.nets[output].keys.front()),
                  {{"input", readers_text(form_, input, id_), ""},
                   {"readers", readers_text(form_, output, id_), ""}},
                  "replace the part by Buffer(), whose output is its input");
    }
    form_.join(input, output);
    form_.drop_ends(id_);
    form_.parts.erase(form_.parts.begin() + static_cast<std::ptrdiff_t>(form_.place_of(id_)));
    return finished();
  }

  Model rename(const std::string& name) {
    check_name(name);
    if (name.empty()) refuse_name(path_, "a part needs a name");
    if (form_.place_of(name) < form_.parts.size())
      refuse_name(path_, "there is a part " + in_quotes(name) + " already");
    FormPart& part = form_.part(id_);
    Json::Object& fields = *part.json.as<Json::Object>();
    std::erase_if(fields, [](const auto& field) { return field.first == "given_name"; });
    fields.emplace_back("given_name", name);
    part.id = name;
    for (FormNet& net : form_.nets) {
      if (net.giver.starts_with(id_ + ".")) net.giver = name + net.giver.substr(id_.size());
      for (FormEnd& end : net.ends) {
        if (end.id == id_) end.id = name;
      }
    }
    return finished();
  }

 private:
  Model finished() {
    try {
      return levels_.rebuilt();
    } catch (const Error& error) {
      ErrorDetails details = error.unnumbered();
      const auto is_place = [](const std::string& text) { return text.starts_with("/"); };
      std::erase_if(details.facts,
                    [&](const Fact& fact) { return fact.label == "at" && is_place(fact.text); });
      if (details.path.empty() || is_place(details.path)) details.path = path_;
      details.facts.push_back({"edit", call_, ""});
      const std::string of = "of " + mithril::path(levels_.part().part().get());
      details.facts.push_back({"inputs", ports_text(levels_.part(), true), of});
      details.facts.push_back({"outputs", ports_text(levels_.part(), false), of});
      raise(std::move(details));
    }
  }

  // Nets of the only canonical ports, and what these ports are called in the new part.
  std::vector<std::pair<size_t, std::string>> canonical_mapping(const Model& part) const {
    std::vector<std::pair<size_t, std::string>> mapped;
    for (const bool inputs : {true, false}) {
      const std::vector<size_t> nets = canonical_nets(form_, levels_.part(), inputs);
      std::vector<std::string> names = canonical_ports(part, inputs);
      if (nets.size() == 1 && names.size() == 1) mapped.emplace_back(nets[0], names[0]);
    }
    return mapped;
  }

  static std::optional<std::string> mapped_port(
      const std::vector<std::pair<size_t, std::string>>& mapped, size_t net) {
    for (const auto& [from, port] : mapped) {
      if (from == net) return port;
    }
    return {};
  }

  void lose_port(size_t net, const std::string& port, const Model& part) {
    FormNet& from = form_.nets[net];
    if ((from.ends.size() == 1 && from.keys.empty()) || is_own_parameter(from, id_, port)) {
      from = {};
      return;
    }
    refuse_edit(path_,
                part.class_name() + " has no port " + in_quotes(port) + ", which is connected",
                {{"old inputs", ports_text(levels_.part(), true), ""},
                 {"old outputs", ports_text(levels_.part(), false), ""},
                 {"new inputs", ports_text(part, true), ""},
                 {"new outputs", ports_text(part, false), ""},
                 {"connected to", readers_text(form_, net, id_), ""}},
                "wrap the new part in a model whose keys have the names of the old ports");
  }

  // The net of the only canonical input or output of the part, or of the port in the path.
  size_t chosen_net(bool inputs, const std::string& advice) const {
    const Model part = levels_.part();
    std::vector<size_t> nets = canonical_nets(form_, part, inputs);
    if (!levels_.port().empty()) {
      nets.clear();
      if (const auto net = form_.net_named(id_ + "." + levels_.port())) nets.push_back(*net);
    }
    if (nets.size() == 1 && end_in(form_.nets[nets[0]], id_) < form_.nets[nets[0]].ends.size())
      return nets[0];
    refuse_edit(path_, part.class_name() + " has no single " + sort_of(inputs) + " for this edit",
                {{"inputs", ports_text(part, true), ""}, {"outputs", ports_text(part, false), ""}},
                advice);
  }

  size_t chosen_end(size_t net) const {
    const auto& ends = form_.nets[net].ends;
    for (size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].id == id_ && ends[i].port == levels_.port()) return i;
    }
    return end_in(form_.nets[net], id_);
  }

  // The port in the path gives a value, or reads one.
  void check_direction(const FormEnd& end, bool gives) const {
    if (levels_.port().empty()) return;
    const Model part = levels_.part();
    const Part* driver = end.wire ? top(end.wire)->driver : nullptr;
    while (driver && driver != part.part().get()) driver = driver->owner;
    if ((driver != nullptr) == gives) return;
    refuse_edit(path_, in_quotes(end.path()) + " is an " + sort_of(gives) + " of the part",
                {{"edit", call_, ""},
                 {"inputs", ports_text(part, true), ""},
                 {"outputs", ports_text(part, false), ""}},
                gives ? "insert_before inserts a part before an input"
                      : "insert_after inserts a part after an output");
  }

  // The canonical port of a new part that the call does not bind.
  std::string free_port(const Call& call, bool inputs) const {
    const Model part(call.part);
    std::vector<std::string> names = canonical_ports(part, inputs);
    std::erase_if(names, [&](const std::string& name) { return is_bound(call, name); });
    if (names.size() == 1 && inputs && takes_list(part, names.front()))
      refuse_list(part, names.front());
    if (names.size() == 1) return names.front();
    refuse_edit(path_, part.class_name() + " has no single free " + sort_of(inputs),
                {{"inputs", ports_text(part, true), ""},
                 {"outputs", ports_text(part, false), ""},
                 {"free", names.empty() ? "none" : join(names, ", "), ""}},
                "bind the other ports in the call, or choose one with set_cin or set_cout");
  }

  [[noreturn]] void refuse_list(const Model& part, const std::string& port) const {
    refuse_edit(path_,
                "port " + in_quotes(port) + " of " + part.class_name() +
                    " takes a list, and the edit connects one value",
                {{"edit", call_, ""},
                 {"needed", "one input and one output", ""},
                 {"inputs", ports_text(part, true), "of " + part.class_name()},
                 {"outputs", ports_text(part, false), "of " + part.class_name()}},
                "use a model in which one input is an item of the list");
  }

  void refuse_items(const Model& part) const {
    if (!part.part()->op) return;
    for (const std::string& port : canonical_ports(part, true)) {
      if (takes_list(part, port) && form_.has_end(id_, port + "_1")) refuse_list(part, port);
    }
  }

  static void size_lists(FormPart& part, const Bindings& bindings) {
    for (auto& [list, count] : part.lists) {
      for (const auto& [port, binding] : bindings) {
        const auto* items = std::get_if<std::vector<Binding>>(&binding.held());
        if (port == list && items) count = static_cast<int>(items->size());
      }
    }
  }

  // A list has as many ports as in the old part, if the call does not give them.
  void keep_lists(FormPart& part) const {
    for (auto& [list, count] : part.lists) {
      if (count > 0) continue;
      while (form_.has_end(id_, list + "_" + std::to_string(count))) ++count;
    }
  }

  void bind(const std::string& id, const Bindings& bindings) {
    for (const auto& [port, binding] : bindings) {
      const auto* items = std::get_if<std::vector<Binding>>(&binding.held());
      const bool is_list = items && item_of(form_.part(id), port + "_0");
      if (!is_list) {
        bind_port({id, port}, binding);
        continue;
      }
      for (size_t i = 0; i < items->size(); ++i)
        bind_port({id, port + "_" + std::to_string(i)}, (*items)[i]);
    }
  }

  // The net of a key or a path; none: a new key.
  std::optional<size_t> bound_net(const std::string& name) const {
    if (const auto net = form_.net_named(name)) return net;
    if (Wire* wire = form_.model.find_wire(name)) {
      if (const auto net = form_.net_of(wire)) return net;
    }
    if (name.find('.') == std::string::npos) return {};
    std::vector<std::string> known;
    for (const FormNet& net : form_.nets) {
      known.insert(known.end(), net.keys.begin(), net.keys.end());
      for (const FormEnd& end : net.ends) known.push_back(end.path());
    }
    unknown_name(ErrorKind::name, "E0606", "key or port", name, mithril::path(&form_.model), known);
  }

  void bind_port(FormEnd end, const Binding& binding) {
    const auto* name = std::get_if<std::string>(&binding.held());
    const std::optional<size_t> bound = name ? bound_net(*name) : std::nullopt;
    for (size_t i = 0; i < form_.nets.size(); ++i) {
      FormNet& net = form_.nets[i];
      std::erase_if(net.ends, [&](const FormEnd& other) { return other.path() == end.path(); });
      if (net.ends.empty() && i != bound) net.keys.clear();
    }
    if (name) {
      if (bound) {
        form_.nets[*bound].ends.push_back(std::move(end));
      } else {
        form_.keys.push_back(*name);
        form_.nets.push_back({{*name}, {std::move(end)}});
      }
      return;
    }
    FormNet net{{}, {std::move(end)}};
    if (const auto* datum = std::get_if<Datum>(&binding.held())) {
      net.literal = Json::Object{{"key", Json::Object{{"value", json_of(*datum)}}}};
    } else if (const auto* tensor = std::get_if<Tensor>(&binding.held())) {
      net.literal = json_of(*tensor);
    } else {
      refuse_edit(path_, "port " + in_quotes(net.ends.front().port) + " is bound to a connection",
                  {{"edit", call_, ""}}, "write the key or the path of the value as a string");
    }
    form_.nets.push_back(std::move(net));
  }

  Levels levels_;
  LevelForm& form_;
  const std::string path_, id_, call_;
};

std::string call_text(const char* edit, std::string_view path, const Call* call = nullptr) {
  return std::string(edit) + "(" + in_quotes(std::string(path)) +
         (call ? ", " + call->part->class_name() : "") + ")";
}

}  // namespace

Model with_replaced(const Model& model, std::string_view path, const Call& part, const char* edit) {
  return PartEdit(model, path, call_text(edit, path, &part)).replace(part);
}

Model with_inserted(const Model& model, std::string_view path, const Call& part, bool after) {
  const std::string call = call_text(after ? "insert_after" : "insert_before", path, &part);
  const std::string place = after ? place_of_value(model, path) : std::string(path);
  return PartEdit(model, place, call, true).insert(part, after);
}

Model with_removed(const Model& model, std::string_view path) {
  return PartEdit(model, path, call_text("remove", path)).remove();
}

Model with_renamed(const Model& model, std::string_view path, const std::string& name) {
  return PartEdit(model, path, call_text("rename", path)).rename(name);
}

}  // namespace mithril
