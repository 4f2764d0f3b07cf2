#include "mithril/model/diagram_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "mithril/base/printable.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/diagram.hpp"

namespace mithril {
namespace {

// The boxes of a model by group, and the groups inside of each group.
class Groups {
 public:
  explicit Groups(const std::vector<DiagramBox>& boxes) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes_[boxes[i].group].push_back(i);
      for (std::string group = boxes[i].group; !group.empty();) {
        const std::size_t dot = group.rfind('.');
        const std::string around = dot == std::string::npos ? "" : group.substr(0, dot);
        auto& inside = inside_[around];
        if (std::find(inside.begin(), inside.end(), group) != inside.end()) break;
        inside.push_back(group);
        group = around;
      }
    }
  }

  const std::vector<std::size_t>& boxes(const std::string& group) { return boxes_[group]; }
  const std::vector<std::string>& inside(const std::string& group) { return inside_[group]; }

 private:
  std::map<std::string, std::vector<std::size_t>> boxes_;
  std::map<std::string, std::vector<std::string>> inside_;
};

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

class DotWriter {
 public:
  explicit DotWriter(const std::vector<DiagramBox>& boxes) : boxes_(boxes), groups_(boxes) {}

  std::string text() {
    text_ = "digraph model {\n  node [shape=box, fontname=\"sans-serif\", fontsize=11];\n";
    write("", "  ");
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      for (const std::size_t from : boxes_[i].reads) {
        text_ += fmt::format("  n{} -> n{};\n", from, i);
      }
    }
    return text_ + "}\n";
  }

 private:
  static std::string escaped(const std::string& name) {
    std::string made;
    for (const char letter : printable(name)) {
      if (letter == '"' || letter == '\\') made += '\\';
      made += letter;
    }
    return made;
  }

  void write(const std::string& group, const std::string& indent) {
    for (const std::size_t i : groups_.boxes(group)) {
      const DiagramBox& box = boxes_[i];
      const char* style = box.kind == DiagramBox::Kind::part ? "" : ", style=rounded";
      text_ += fmt::format("{}n{} [label=\"{}\\n{}\"{}];\n", indent, i, escaped(box.name),
                           escaped(box.below), style);
    }
    for (const std::string& inner : groups_.inside(group)) {
      text_ += fmt::format("{}subgraph \"cluster_{}\" {{\n{}  label=\"{}\";\n", indent,
                           escaped(inner), indent, escaped(last_name(inner)));
      write(inner, indent + "  ");
      text_ += indent + "}\n";
    }
  }

  const std::vector<DiagramBox>& boxes_;
  Groups groups_;
  std::string text_;
};

class MermaidWriter {
 public:
  explicit MermaidWriter(const std::vector<DiagramBox>& boxes) : boxes_(boxes), groups_(boxes) {}

  std::string text() {
    text_ = "flowchart TB\n";
    write("", "  ");
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      for (const std::size_t from : boxes_[i].reads) {
        text_ += fmt::format("  n{} --> n{}\n", from, i);
      }
    }
    return text_;
  }

 private:
  // Mermaid has entities by number: #35; is '#'.
  static std::string escaped(const std::string& name) {
    std::string made;
    for (const char letter : printable(name)) {
      const bool is_special = std::string_view("\"#&<>`;\\").find(letter) != std::string_view::npos;
      made += is_special ? fmt::format("#{};", static_cast<int>(letter)) : std::string(1, letter);
    }
    return made;
  }

  void write(const std::string& group, const std::string& indent) {
    for (const std::size_t i : groups_.boxes(group)) {
      const DiagramBox& box = boxes_[i];
      const bool is_part = box.kind == DiagramBox::Kind::part;
      text_ += fmt::format("{}n{}{}\"{}<br/>{}\"{}\n", indent, i, is_part ? "[" : "([",
                           escaped(box.name), escaped(box.below), is_part ? "]" : "])");
    }
    for (const std::string& inner : groups_.inside(group)) {
      text_ += fmt::format("{}subgraph g{}[\"{}\"]\n", indent, count_++, escaped(last_name(inner)));
      write(inner, indent + "  ");
      text_ += indent + "end\n";
    }
  }

  const std::vector<DiagramBox>& boxes_;
  Groups groups_;
  std::string text_;
  int count_ = 0;  // of subgraphs
};

template <class Writer>
std::string drawn(const Model& model, int levels) {
  const std::shared_ptr<Composite> composite = model.composite();
  const Completed completed(*composite);
  WireTexts texts;
  const std::vector<DiagramBox> boxes = diagram_of(*composite, texts, levels);
  return UnknownNumbers().renumber(Writer(boxes).text());
}

}  // namespace

std::string to_dot(const Model& model, int levels) { return drawn<DotWriter>(model, levels); }

std::string to_mermaid(const Model& model, int levels) {
  return drawn<MermaidWriter>(model, levels);
}

}  // namespace mithril
