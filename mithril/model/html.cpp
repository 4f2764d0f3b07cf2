#include "mithril/model/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/table.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

constexpr size_t most_drawn = 60;
constexpr int box_height = 34, row_height = 66, gap = 20, margin = 10;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

struct Box {
  std::string name, below;  // below: its class, or the shape of an input or output
  std::set<size_t> reads;   // boxes
  size_t row = 0;
  int x = 0, width = 0;
};

// Boxes of named inputs, parts and outputs, in rows: each below its inputs.
class Drawing {
 public:
  Drawing(const Composite& model, WireTexts& texts) : model_(model), texts_(texts) {
    add_inputs();
    for (const auto& part : model.parts)
      boxes_.push_back({model.name_of(*part), part->class_name()});
    for (const auto& part : model.parts) {
      for (const Part* op : ops_of(*part)) owner_[op] = first_part_ + index_of(*part);
    }
    for (const auto& part : model.parts) connect(*part);
    add_outputs();
    place();
  }

  std::string svg() const {
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n",
        width_, height_);
    for (const Box& box : boxes_) {
      for (const size_t from : box.reads) {
        text += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#999\"/>\n",
                            centre(boxes_[from]), top_of(boxes_[from]) + box_height, centre(box),
                            top_of(box));
      }
    }
    for (size_t i = 0; i < boxes_.size(); ++i) text += drawn(boxes_[i], is_part(i));
    return text + "</svg>\n";
  }

 private:
  bool is_part(size_t i) const { return i >= first_part_ && i < first_part_ + model_.parts.size(); }
  static int centre(const Box& box) { return box.x + box.width / 2; }
  static int top_of(const Box& box) { return margin + static_cast<int>(box.row) * row_height; }

  static std::vector<Part*> ops_of(Part& part) {
    if (part.op) return {&part};
    return all_op_parts(static_cast<const Composite&>(part));
  }

  size_t index_of(const Part& part) const {
    const auto is_it = [&](const auto& each) { return each.get() == &part; };
    return static_cast<size_t>(std::find_if(model_.parts.begin(), model_.parts.end(), is_it) -
                               model_.parts.begin());
  }

  void add_inputs() {
    for (const NamedPort& port : input_ports(model_)) {
      const auto is_it = [&](const Key& key) { return top(key.wire) == port.wire; };
      if (std::none_of(model_.keys.begin(), model_.keys.end(), is_it)) continue;
      inputs_[port.wire] = boxes_.size();
      boxes_.push_back({port.name, texts_.text(port.wire)});
    }
    first_part_ = boxes_.size();
  }

  void add_outputs() {
    for (const NamedPort& port : output_ports(model_)) {
      Box box{port.name, texts_.text(port.wire)};
      if (const auto at = owner_.find(port.wire->driver); at != owner_.end())
        box.reads.insert(at->second);
      boxes_.push_back(std::move(box));
    }
  }

  void connect(Part& part) {
    const size_t reader = first_part_ + index_of(part);
    for (Part* op : ops_of(part)) {
      for (Wire* slot : op->input_slots()) {
        Wire* wire = slot ? top(slot) : nullptr;
        if (!wire) continue;
        const auto input = inputs_.find(wire);
        const auto driver = owner_.find(wire->driver);
        if (input != inputs_.end()) boxes_[reader].reads.insert(input->second);
        if (driver != owner_.end() && driver->second != reader)
          boxes_[reader].reads.insert(driver->second);
      }
    }
  }

  void place() {
    for (size_t round = 0; round < boxes_.size(); ++round) {  // parts may be in any order
      bool moved = false;
      for (Box& box : boxes_) {
        for (const size_t from : box.reads) {
          if (box.row > boxes_[from].row) continue;
          box.row = boxes_[from].row + 1;
          moved = true;
        }
      }
      if (!moved) break;
    }
    std::map<size_t, int> ends;
    for (Box& box : boxes_) {
      const size_t letters = std::max(text_width(box.name), text_width(box.below));
      box.width = 16 + 7 * static_cast<int>(letters);
      int& end = ends.try_emplace(box.row, margin).first->second;
      box.x = end;
      end += box.width + gap;
      width_ = std::max(width_, end);
      height_ = std::max(height_, top_of(box) + box_height + margin);
    }
  }

  static std::string drawn(const Box& box, bool part) {
    const char* fill = part ? "#eef4fb" : "#f6f6f6";
    return fmt::format(
        "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" rx=\"4\" fill=\"{4}\" "
        "stroke=\"#789\"/>\n<text x=\"{5}\" y=\"{6}\" text-anchor=\"middle\">{7}</text>\n"
        "<text x=\"{5}\" y=\"{8}\" text-anchor=\"middle\" fill=\"#666\">{9}</text>\n",
        box.x, top_of(box), box.width, box_height, fill, centre(box), top_of(box) + 14,
        escaped(box.name), top_of(box) + 28, escaped(box.below));
  }

  const Composite& model_;
  WireTexts& texts_;
  std::vector<Box> boxes_;
  size_t first_part_ = 0;
  std::map<const Wire*, size_t> inputs_;
  std::map<const Part*, size_t> owner_;  // of ops: the box of the part that they are in
  int width_ = 0, height_ = 0;
};

std::string cells(const Row& row, const char* tag) {
  std::string text = "<tr>";
  for (const std::string& cell : row)
    text += fmt::format("<{0} style=\"text-align:left\">{1}</{0}>", tag, escaped(cell));
  return text + "</tr>\n";
}

}  // namespace

std::string to_html(const Model& model) {
  const std::shared_ptr<Composite> composite = model.composite();
  const Completed completed(*composite);
  std::string text = "<div>\n<b>" + escaped(model.class_name());
  if (!model.name().empty()) text += " " + escaped(model.name());
  text += "</b>\n";
  WireTexts texts;
  if (composite->parts.size() <= most_drawn) text += Drawing(*composite, texts).svg();
  const std::vector<Row> rows = summary_rows(*composite, true, false, 0, texts);
  text += "<table>\n";
  for (size_t i = 0; i < rows.size(); ++i) text += cells(rows[i], i == 0 ? "th" : "td");
  return UnknownNumbers().renumber(text + "</table>\n</div>\n");
}

}  // namespace mithril
