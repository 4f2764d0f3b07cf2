#include "mithril/model/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/diagram.hpp"
#include "mithril/model/table.hpp"

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

struct Box : DiagramBox {
  size_t row = 0;
  int x = 0, width = 0;
};

// The boxes of a diagram in rows: each below its inputs.
class Drawing {
 public:
  explicit Drawing(std::vector<DiagramBox> boxes) {
    for (DiagramBox& box : boxes) boxes_.push_back({std::move(box)});
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
    for (const Box& box : boxes_) text += drawn(box);
    return text + "</svg>\n";
  }

 private:
  static int centre(const Box& box) { return box.x + box.width / 2; }
  static int top_of(const Box& box) { return margin + static_cast<int>(box.row) * row_height; }

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

  static std::string drawn(const Box& box) {
    const char* fill = box.kind == DiagramBox::Kind::part ? "#eef4fb" : "#f6f6f6";
    return fmt::format(
        "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" rx=\"4\" fill=\"{4}\" "
        "stroke=\"#789\"/>\n<text x=\"{5}\" y=\"{6}\" text-anchor=\"middle\">{7}</text>\n"
        "<text x=\"{5}\" y=\"{8}\" text-anchor=\"middle\" fill=\"#666\">{9}</text>\n",
        box.x, top_of(box), box.width, box_height, fill, centre(box), top_of(box) + 14,
        escaped(box.name), top_of(box) + 28, escaped(box.below));
  }

  std::vector<Box> boxes_;
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
  if (composite->parts.size() <= most_drawn) {
    text += Drawing(diagram_of(*composite, texts)).svg();
  }
  const std::vector<Row> rows = summary_rows(*composite, true, false, 0, texts);
  text += "<table>\n";
  for (size_t i = 0; i < rows.size(); ++i) text += cells(rows[i], i == 0 ? "th" : "td");
  return UnknownNumbers().renumber(text + "</table>\n</div>\n");
}

}  // namespace mithril
