#include "mithril/json/values.hpp"

#include <cmath>

#include "mithril/base/text.hpp"
#include "mithril/json/fields.hpp"

namespace mithril {
namespace {

Json json_of_real(double number) {
  if (std::isfinite(number)) return Json(number);
  const char* name = std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  return Json(Json::Object{{"float", name}});
}

double special_real(const Json& json, const Place& place) {
  const std::string& name = text_of(json, place);
  if (name == "inf") return INFINITY;
  if (name == "-inf") return -INFINITY;
  if (name != "nan") wrong_form(json, place, "\"inf\", \"-inf\" or \"nan\"");
  return NAN;
}

Datum special_datum(const Json& json, const Place& place) {
  const Fields fields(json, place, {"float", "dtype", "slice", "ellipsis"});
  if (object_of(json, place).size() != 1)
    wrong_form(json, place, "one of float, dtype, slice, ellipsis");
  if (const Json* number = fields.find("float")) return special_real(*number, place.at("float"));
  if (const Json* dtype = fields.find("dtype")) {
    const Place here = place.at("dtype");
    return reading(here, [&] { return Datum(parse_dtype(text_of(*dtype, here))); });
  }
  if (const Json* slice = fields.find("slice")) {
    const Place here = place.at("slice");
    const Json::Array& items = items_of(*slice, here, 3, "[start, stop, step]");
    const auto item = [&](size_t i) { return datum_of(items[i], here.at(i)); };
    return Slice{item(0), item(1), item(2)};
  }
  return Ellipsis{};
}

struct KindName {
  const char* name;
  Kinds kind;
};
constexpr KindName tensor_kinds[] = {
    {"bool", kind::bool_tensor}, {"int", kind::int_tensor}, {"float", kind::float_tensor}};
constexpr KindName value_kinds[] = {
    {"bool", kind::bool_value}, {"int", kind::int_value}, {"float", kind::float_value},
    {"str", kind::string},      {"none", kind::none},     {"tuple", kind::tuple},
    {"dtype", kind::dtype},     {"slice", kind::slice},   {"ellipsis", kind::ellipsis},
    {"list", kind::tuple},      {"Tensor", kind::tensor}};

// In upper or lower case.
template <size_t count>
Kinds kind_named(const KindName (&names)[count], const Json& json, const Place& place) {
  const std::string given = lower_case(text_of(json, place));
  std::string known;
  for (const auto& [name, kind] : names) {
    if (given == lower_case(name)) return kind;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  wrong_form(json, place, "one of " + known);
}

template <typename Read>
Kinds kinds_of_items(const Json& json, const Place& place, Read read) {
  Kinds kinds = 0;
  const Json::Array& items = array_of(json, place);
  for (size_t i = 0; i < items.size(); ++i)
    kinds = static_cast<Kinds>(kinds | read(items[i], place.at(i)));
  return kinds;
}

}  // namespace

Json json_of(const Datum& datum) {
  switch (datum.kind()) {
    case kind::none:
      return nullptr;
    case kind::bool_value:
      return datum.flag();
    case kind::float_value:
      return json_of_real(datum.real());
    case kind::string:
      return datum.text();
    case kind::dtype:
      return Json::Object{{"dtype", std::string(name(datum.dtype()))}};
    case kind::ellipsis:
      return Json::Object{{"ellipsis", true}};
    case kind::slice: {
      const Slice& slice = datum.slice();
      return Json::Object{
          {"slice", Json::Array{json_of(slice.start), json_of(slice.stop), json_of(slice.step)}}};
    }
    case kind::int_value:
      if (!is_symbolic(datum)) return datum.integer();
      raise({.kind = ErrorKind::value,
             .code = "E0421",
             .message = "an int whose number is not known has no JSON form",
             .facts = {{"got", to_string(datum), ""}}});
    default:
      break;
  }
  Json::Array items;
  for (const Datum& item : datum.tuple()) items.push_back(json_of(item));
  return items;
}

bool is_value_object(const Json& json) {
  const auto* fields = json.as<Json::Object>();
  if (!fields || fields->size() != 1) return false;
  const std::string& name = fields->front().first;
  return name == "float" || name == "dtype" || name == "slice" || name == "ellipsis";
}

Datum datum_of(const Json& json, const Place& place) {
  if (const auto* flag = json.as<bool>()) return *flag;
  if (const auto* number = json.as<int64_t>()) return *number;
  if (const auto* number = json.as<double>()) return *number;
  if (const auto* text = json.as<std::string>()) return *text;
  if (json.as<Json::Object>()) return special_datum(json, place);
  const auto* items = json.as<Json::Array>();
  if (!items) return {};
  Tuple tuple;
  for (size_t i = 0; i < items->size(); ++i) tuple.push_back(datum_of((*items)[i], place.at(i)));
  return Datum(std::move(tuple));
}

Json json_of(const ShapeSpec& shape) {
  Json::Array dims;
  for (const DimSpec& dim : shape.dims()) {
    if (const auto* size = std::get_if<int64_t>(&dim)) {
      dims.emplace_back(*size);
    } else if (const auto* symbol = std::get_if<std::string>(&dim)) {
      dims.emplace_back(*symbol);
    } else if (const auto* run = std::get_if<Rest>(&dim)) {
      dims.emplace_back("..." + run->name);
    } else {
      dims.emplace_back();
    }
  }
  return dims;
}

ShapeSpec shape_of(const Json& json, const Place& place) {
  std::vector<DimSpec> dims;
  const Json::Array& items = array_of(json, place);
  for (size_t i = 0; i < items.size(); ++i) {
    if (const auto* size = items[i].as<int64_t>()) {
      dims.emplace_back(*size);
    } else if (items[i] == Json()) {
      dims.emplace_back(Any{});
    } else if (const auto* name = items[i].as<std::string>(); name && !name->empty()) {
      dims.push_back(name->starts_with("...") ? DimSpec(Rest{name->substr(3)}) : DimSpec(*name));
    } else {
      wrong_form(items[i], place.at(i), "a number, a name, null, or \"...\"");
    }
  }
  return ShapeSpec(std::move(dims));
}

Json json_of_kinds(Kinds kinds) {
  Json::Array types, elements;
  for (const auto& [name, kind] : tensor_kinds) {
    if (kinds & kind) elements.emplace_back(name);
  }
  if (!elements.empty()) types.emplace_back(Json::Object{{"Tensor", std::move(elements)}});
  Kinds written = 0;
  for (const auto& [name, kind] : value_kinds) {
    if ((kinds & kind & kind::value) == 0 || (written & kind)) continue;
    types.emplace_back(name);
    written = static_cast<Kinds>(written | kind);
  }
  return types.size() == 1 ? types.front() : Json(std::move(types));
}

Json json_of(const PortType& type) {
  if (!type.dtype) return json_of_kinds(type.kinds);
  return Json::Object{{"Tensor", Json::Array{std::string(name(*type.dtype))}}};
}

PortType type_of(const Json& json, const Place& place) {
  const auto* object = json.as<Json::Object>();
  const bool is_tensor =
      object && object->size() == 1 && lower_case(object->front().first) == "tensor";
  const auto* items = is_tensor ? object->front().second.as<Json::Array>() : nullptr;
  const auto* text = items && items->size() == 1 ? items->front().as<std::string>() : nullptr;
  for (const DType dtype : all_dtypes) {
    if (text && *text == name(dtype)) return dtype;
  }
  return kinds_of(json, place);
}

Kinds kinds_of(const Json& json, const Place& place) {
  if (json.as<std::string>()) return kind_named(value_kinds, json, place);
  if (json.as<Json::Array>()) return kinds_of_items(json, place, kinds_of);
  const Json::Object& object = object_of(json, place);
  const bool is_spelled = object.size() == 1 && lower_case(object.front().first) == "tensor";
  const std::string field = is_spelled ? object.front().first : "Tensor";
  const Fields fields(json, place, {field.c_str()});
  const Place here = place.at(field);
  const Json& elements = fields.need(field);
  const auto element = [](const Json& item, const Place& at) {
    return kind_named(tensor_kinds, item, at);
  };
  if (elements.as<std::string>()) return element(elements, here);
  return kinds_of_items(elements, here, element);
}

}  // namespace mithril
