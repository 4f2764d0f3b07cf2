#include "mithril/model/diagram.hpp"

#include <algorithm>
#include <map>

#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

class Diagram {
 public:
  Diagram(const Composite& model, WireTexts& texts, int levels) : model_(model), texts_(texts) {
    add_inputs();
    add_parts(model, "", levels);
    for (const auto& [op, reader] : ops_) connect(*op, reader);
    add_outputs();
  }

  std::vector<DiagramBox> boxes() { return std::move(boxes_); }

 private:
  void add_inputs() {
    for (const NamedPort& port : input_ports(model_)) {
      const auto is_it = [&](const Key& key) { return top(key.wire) == port.wire; };
      if (std::none_of(model_.keys.begin(), model_.keys.end(), is_it)) continue;
      inputs_[port.wire] = boxes_.size();
      boxes_.push_back({DiagramBox::Kind::input, port.name, texts_.text(port.wire)});
    }
  }

  void add_parts(const Composite& owner, const std::string& path, int levels) {
    for (const auto& part : owner.parts) {
      const std::string name = owner.name_of(*part);
      const auto* inner = part->op ? nullptr : static_cast<const Composite*>(part.get());
      if (inner && levels > 1) {
        add_parts(*inner, path.empty() ? name : path + "." + name, levels - 1);
        continue;
      }
      const std::size_t box = boxes_.size();
      boxes_.push_back({DiagramBox::Kind::part, name, part->class_name(), path});
      const std::vector<Part*> inside =
          inner ? all_op_parts(*inner) : std::vector<Part*>{part.get()};
      for (Part* op : inside) {
        owner_[op] = box;
        ops_.emplace_back(op, box);
      }
    }
  }

  void connect(Part& op, std::size_t reader) {
    for (Wire* slot : op.input_slots()) {
      Wire* wire = slot ? top(slot) : nullptr;
      if (!wire) continue;
      const auto input = inputs_.find(wire);
      const auto driver = owner_.find(wire->driver);
      if (input != inputs_.end()) boxes_[reader].reads.insert(input->second);
      if (driver != owner_.end() && driver->second != reader) {
        boxes_[reader].reads.insert(driver->second);
      }
    }
  }

  void add_outputs() {
    for (const NamedPort& port : output_ports(model_)) {
      DiagramBox box{DiagramBox::Kind::output, port.name, texts_.text(port.wire)};
      if (const auto at = owner_.find(port.wire->driver); at != owner_.end()) {
        box.reads.insert(at->second);
      }
      boxes_.push_back(std::move(box));
    }
  }

  const Composite& model_;
  WireTexts& texts_;
  std::vector<DiagramBox> boxes_;
  std::map<const Wire*, std::size_t> inputs_;
  std::vector<std::pair<Part*, std::size_t>> ops_;  // and the box of the part that they are in
  std::map<const Part*, std::size_t> owner_;        // the same
};

}  // namespace

std::vector<DiagramBox> diagram_of(const Composite& model, WireTexts& texts, int levels) {
  return Diagram(model, texts, levels).boxes();
}

}  // namespace mithril
