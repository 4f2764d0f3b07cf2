#include "mithril/json/guarded_parse.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

constexpr size_t many_fields = 16;    // from here on a hash table is quicker than a walk
constexpr int number_overflow = 406;  // nlohmann's number of the error

[[noreturn]] void refuse(std::string code, std::string path, std::string message,
                         std::vector<Fact> facts = {}, std::string help = {}) {
  raise({.kind = ErrorKind::parse,
         .code = std::move(code),
         .path = std::move(path),
         .message = std::move(message),
         .facts = std::move(facts),
         .help = std::move(help)});
}

class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const ParseLimits& limits) : limits_(limits) {}

  bool null() override { return add(Json()); }
  bool boolean(bool flag) override { return add(Json(flag)); }
  bool number_integer(number_integer_t number) override { return add(Json(int64_t{number})); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > static_cast<number_unsigned_t>(INT64_MAX)) out_of_range(std::to_string(number));
    return add(Json(static_cast<int64_t>(number)));
  }
  // An integer that 64 bits do not hold arrives here, too.
  bool number_float(number_float_t number, const string_t& token) override {
    if (token.find_first_of(".eE") == std::string::npos) out_of_range(token);
    return add(Json(number));
  }
  bool string(string_t& text) override { return add(Json(std::move(text))); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json(Json::Object())); }
  bool start_array(std::size_t) override { return open(Json(Json::Array())); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = open_.back();
    auto& fields = *level.json->as<Json::Object>();
    const auto is_it = [&](const auto& field) { return field.first == name; };
    bool twice = false;
    if (fields.size() < many_fields) {
      twice = std::any_of(fields.begin(), fields.end(), is_it);
    } else {
      if (level.names.empty()) {
        for (const auto& field : fields) level.names.insert(field.first);
      }
      twice = !level.names.insert(name).second;
    }
    if (twice) {
      refuse("E0723", here(open_.size() - 1), "the field " + in_quotes(name) + " is given twice",
             {}, "give each field of an object its own name");
    }
    fields.emplace_back(std::move(name), Json());
    return true;
  }

  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::json::exception& error) override {
    if (error.id == number_overflow) out_of_range(token);
    const std::string what = error.what();
    const size_t line = what.find("at line "), colon = what.find(": ", line);
    const std::string where = what.substr(line + 3, colon - line - 3);
    if (what.find("ill-formed UTF-8") != std::string::npos)
      refuse("E0725", "", "the text is not UTF-8", {{"at", where, ""}});
    refuse("E0720", "", "the text is not JSON",
           {{"at", where, ""}, {"found", what.substr(colon + 2), ""}});
  }

  Json take() { return std::move(root_); }

 private:
  struct Level {
    Json* json;
    std::unordered_set<std::string> names = {};  // of the fields, if there are many
  };

  // Parents do not move while one of their children is open.
  Json* place(Json json) {
    if (open_.empty()) {
      root_ = std::move(json);
      return &root_;
    }
    if (auto* fields = open_.back().json->as<Json::Object>()) {
      fields->back().second = std::move(json);
      return &fields->back().second;
    }
    return &open_.back().json->as<Json::Array>()->emplace_back(std::move(json));
  }

  bool add(Json json) {
    place(std::move(json));
    return true;
  }

  bool open(Json json) {
    if (open_.size() == static_cast<size_t>(limits_.depth)) {
      refuse("E0721", here(std::min<size_t>(8, open_.size())) + "/...",
             "arrays and objects are nested too deep",
             {{"expected", "at most " + std::to_string(limits_.depth) + " levels", ""}});
    }
    open_.push_back({place(std::move(json))});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  [[noreturn]] void out_of_range(const std::string& token) {
    refuse("E0724", here(open_.size()), "the number " + token + " is out of range",
           {{"expected", "an integer of 64 bits, or a finite float", ""}});
  }

  // The place of the outermost `levels`, or of the next item.
  std::string here(size_t levels) const {
    std::vector<Place> places(1);
    places.reserve(levels + 1);
    for (size_t i = 0; i < std::min(levels, open_.size()); ++i) {
      const Json& json = *open_[i].json;
      if (const auto* fields = json.as<Json::Object>()) {
        places.push_back(places.back().at(fields->back().first));
        continue;
      }
      const size_t items = json.as<Json::Array>()->size();
      places.push_back(places.back().at(i + 1 < open_.size() ? items - 1 : items));
    }
    return places.back().pointer();
  }

  ParseLimits limits_;
  Json root_;
  std::vector<Level> open_;
};

}  // namespace

Json guarded_parse(std::string_view text, const ParseLimits& limits) {
  if (text.size() > limits.bytes) {
    refuse("E0722", "", "the text is too long",
           {{"expected", "at most " + std::to_string(limits.bytes) + " bytes", ""},
            {"got", std::to_string(text.size()), ""}});
  }
  Builder builder(limits);
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace mithril
