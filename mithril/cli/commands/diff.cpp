// `mithril diff`: what differs between two files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/model_file.hpp"
#include "mithril/cli/text_table.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/model/part_view.hpp"

namespace mithril::cli {
namespace {

// One line of the result.
struct Difference {
  std::string what, name, a, b;
};

class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  // Entries of a mapping of names to texts: those of one side, and those with other texts.
  void compare(const std::string& what, const std::map<std::string, std::string>& a,
               const std::map<std::string, std::string>& b) {
    for (const auto& [name, text] : a) {
      const auto other = b.find(name);
      if (other == b.end()) {
        found_.push_back({what, name, text, "-"});
      } else if (other->second != text) {
        found_.push_back({what, name, text, other->second});
      }
    }
    for (const auto& [name, text] : b) {
      if (!a.contains(name)) found_.push_back({what, name, "-", text});
    }
  }

  void compare(const TensorMap& a, const TensorMap& b) {
    compare("tensor", texts(a), texts(b));
    for (const auto& [name, tensor] : a) {
      const Tensor* other = b.find(name);
      if (other == nullptr || other->dims() != tensor.dims()) continue;
      const double difference = largest_difference(tensor, *other);
      largest_ = std::max(largest_, difference);
      if (difference > tolerance_) {
        found_.push_back({"elements", name, fmt::format("max |a - b| = {:.6g}", difference), ""});
      }
    }
  }

  void add(Difference difference) { found_.push_back(std::move(difference)); }
  bool is_equal() const { return found_.empty(); }

  int print(const Arguments& arguments, Output& output) const {
    const bool equal = found_.empty();
    if (output.is_json()) {
      Json::Array differences;
      for (const Difference& difference : found_) {
        differences.push_back(Json::Object{{"what", difference.what},
                                           {"name", difference.name},
                                           {"a", difference.a},
                                           {"b", difference.b}});
      }
      // JSON has no infinity: that is null.
      output.object(
          "diff", {{"a", arguments.value("A")},
                   {"b", arguments.value("B")},
                   {"equal", equal},
                   {"largest_difference", std::isfinite(largest_) ? Json(largest_) : Json(nullptr)},
                   {"differences", std::move(differences)}});
    } else if (equal) {
      output.text("equal\n");
    } else {
      std::vector<TableRow> rows = {{"what", "name", "a", "b"}};
      for (const Difference& d : found_) rows.push_back({d.what, d.name, d.a, d.b});
      output.text(table_text(rows));
    }
    return equal ? done : check_failed;
  }

 private:
  static std::map<std::string, std::string> texts(const TensorMap& tensors) {
    std::map<std::string, std::string> found;
    for (const auto& [name, tensor] : tensors) found[name] = dtype_and_dims(tensor);
    return found;
  }

  // Infinity if only one of two elements is NaN or infinite.
  static double largest_difference(const Tensor& a, const Tensor& b) {
    if (identical(a, b)) return 0;
    double largest = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const double left = a.at_as_double(i), right = b.at_as_double(i);
      if (left == right || (std::isnan(left) && std::isnan(right))) continue;
      const double difference = std::abs(left - right);
      if (!std::isfinite(difference)) return HUGE_VAL;
      largest = std::max(largest, difference);
    }
    return largest;
  }

  double tolerance_, largest_ = 0;
  std::vector<Difference> found_;
};

std::map<std::string, std::string> parts_of(const Model& model) {
  std::map<std::string, std::string> found;
  for (const PartView& part : walk(model)) found[part.path()] = part.class_name();
  return found;
}

std::map<std::string, std::string> shapes_of_ports(const Model& model) {
  std::map<std::string, std::string> found;
  for (const auto& [key, shape] : model.get_shapes()) found[key] = to_string(shape);
  return found;
}

}  // namespace

int diff(const Arguments& arguments, Output& output) {
  const std::string &a = arguments.value("A"), &b = arguments.value("B");
  const FileKind kinds[] = {kind_of_file(a), kind_of_file(b)};
  Comparison comparison(*arguments.real("--tolerance", 0));
  if (has_model(kinds[0]) != has_model(kinds[1])) {
    throw UsageError{fmt::format("A is {}, and B is {}", text_of(kinds[0]), text_of(kinds[1])),
                     "give two models, or two files of tensors"};
  }
  if (!has_model(kinds[0])) {
    comparison.compare(read_tensors(kinds[0], a), read_tensors(kinds[1], b));
    return comparison.print(arguments, output);
  }
  const ModelFile left = read_model(a, arguments), right = read_model(b, arguments);
  comparison.compare("part", parts_of(left.model), parts_of(right.model));
  comparison.compare("shape", shapes_of_ports(left.model), shapes_of_ports(right.model));
  if (comparison.is_equal() && !(left.model == right.model)) {
    comparison.add({"model", "an option, a connection or a statement", "differs", ""});
  }
  if (left.params && right.params) {
    comparison.compare(*left.params, *right.params);
    comparison.compare(left.state, right.state);
  } else if (left.params || right.params) {
    const std::string with = "has parameters", without = "has none";
    comparison.compare("parameters", {{"all", left.params ? with : without}},
                       {{"all", right.params ? with : without}});
  }
  return comparison.print(arguments, output);
}

}  // namespace mithril::cli
