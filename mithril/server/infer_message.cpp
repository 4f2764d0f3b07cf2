#include "mithril/server/infer_message.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/server/tensor_protocol.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_binary(std::string message, std::size_t got) {
  raise({.kind = ErrorKind::input,
         .code = "E1230",
         .message = std::move(message),
         .facts = {{"got", std::to_string(got) + " bytes"}}});
}

std::size_t json_length_of(const ProtocolRequest& request) {
  if (!request.json_length) return request.body.size();
  const std::string& text = *request.json_length;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc() || end != text.data() + text.size() || length > request.body.size()) {
    refuse_binary("Inference-Header-Content-Length is " + in_quotes(text.substr(0, 20)) +
                      ", expected at most the size of the body",
                  request.body.size());
  }
  return length;
}

struct WantedOutput {
  std::string name;
  bool binary = false;
};

struct InferMessage {
  std::string id;
  TensorMap inputs;
  std::vector<WantedOutput> outputs;  // empty: all
  bool binary_outputs = false;
  bool begins_session = false, ends_session = false;
  InferOptions options;
};

class MessageReader {
 public:
  explicit MessageReader(const ProtocolRequest& request) {
    const std::size_t length = json_length_of(request);
    json_ = guarded_parse(request.body.substr(0, length));
    message_.options.cancellation = request.cancellation;
    binary_ = request.body.substr(length);
  }

  InferMessage read() {
    const Place place;
    const Fields fields(json_, place);
    if (const Json* id = fields.find("id")) message_.id = text_of(*id, place.at("id"));
    if (const Json* given = fields.find("parameters"))
      read_parameters(*given, place.at("parameters"));
    read_inputs(fields.need("inputs"), place.at("inputs"));
    if (const Json* outputs = fields.find("outputs")) read_outputs(*outputs, place.at("outputs"));
    if (!binary_.empty())
      refuse_binary("the body has binary data that belongs to no input", binary_.size());
    return std::move(message_);
  }

 private:
  void read_parameters(const Json& json, const Place& place) {
    const Fields fields(json, place);
    const auto flag = [&](const char* name) {
      const Json* given = fields.find(name);
      return given && flag_of(*given, place.at(name));
    };
    message_.binary_outputs = flag("binary_data_output");
    message_.begins_session = flag("sequence_start");
    message_.ends_session = flag("sequence_end");
    if (const Json* id = fields.find("sequence_id")) {
      const auto* number = id->as<std::int64_t>();
      const std::string text =
          number ? std::to_string(*number) : text_of(*id, place.at("sequence_id"));
      if (text != "0") message_.options.session = text;  // 0: no session
    }
    if (const Json* timeout = fields.find("timeout")) {
      const std::chrono::microseconds time(integer_of(*timeout, place.at("timeout")));
      constexpr std::chrono::microseconds longest = std::chrono::hours(24);
      if (time.count() > 0 && time < longest)
        message_.options.deadline = std::chrono::steady_clock::now() + time;
    }
  }

  void read_inputs(const Json& json, const Place& place) {
    const Json::Array& inputs = array_of(json, place);
    std::vector<TensorMap::Item> items;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Place at = place.at(i);
      const Fields fields(inputs[i], at);
      const std::string& name = text_of(fields.need("name"), at.at("name"));
      items.emplace_back(name, input_of(fields, name, at));
    }
    message_.inputs = TensorMap(std::move(items));
  }

  Tensor input_of(const Fields& fields, const std::string& name, const Place& place) {
    const std::string where = "input " + in_quotes(name);
    const DType dtype =
        parse_protocol_name(text_of(fields.need("datatype"), place.at("datatype")), where);
    Dims dims;
    const Json::Array& sizes = array_of(fields.need("shape"), place.at("shape"));
    for (std::size_t i = 0; i < sizes.size(); ++i)
      dims.push_back(integer_of(sizes[i], place.at("shape").at(i)));
    const Json* parameters = fields.find("parameters");
    const Place at = place.at("parameters");
    const Json* size = parameters ? Fields(*parameters, at).find("binary_data_size") : nullptr;
    if (!size) return tensor_of_numbers(dtype, dims, fields.need("data"), where);
    const std::int64_t bytes = integer_of(*size, at.at("binary_data_size"));
    if (bytes < 0 || static_cast<std::size_t>(bytes) > binary_.size()) {
      refuse_binary(where + " needs " + std::to_string(bytes) + " bytes of binary data",
                    binary_.size());
    }
    const std::string_view data = binary_.substr(0, static_cast<std::size_t>(bytes));
    binary_.remove_prefix(data.size());
    return tensor_of_bytes(dtype, dims, data, where);
  }

  void read_outputs(const Json& json, const Place& place) {
    const Json::Array& outputs = array_of(json, place);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Place at = place.at(i);
      const Fields fields(outputs[i], at);
      WantedOutput wanted{text_of(fields.need("name"), at.at("name")), message_.binary_outputs};
      if (const Json* parameters = fields.find("parameters")) {
        const Place inner = at.at("parameters");
        const Json* binary = Fields(*parameters, inner).find("binary_data");
        if (binary) wanted.binary = flag_of(*binary, inner.at("binary_data"));
      }
      message_.outputs.push_back(std::move(wanted));
    }
  }

  Json json_;
  std::string_view binary_;  // what is left of it
  InferMessage message_;
};

void check_outputs(const std::vector<WantedOutput>& wanted, const ServedModelInfo& info) {
  std::vector<std::string> known;
  std::set<std::string_view> seen;
  for (const ServedTensor& output : info.outputs) known.push_back(output.name);
  for (const WantedOutput& output : wanted) {
    if (!seen.insert(output.name).second) {
      raise({.kind = ErrorKind::input,
             .code = "E1247",
             .message = "the request names output " + in_quotes(output.name) + " twice"});
    }
    if (std::find(known.begin(), known.end(), output.name) == known.end())
      unknown_name(ErrorKind::input, "E1235", "output", output.name, "", known);
  }
}

void append_output(std::string& json, std::string& binary, const std::string& name,
                   const Tensor& tensor, bool is_binary) {
  json += "{\"name\": " + to_text(Json(name)) + ", \"datatype\": \"";
  json += protocol_name(tensor.dtype());
  json += "\", \"shape\": " + to_string(tensor.dims());
  if (is_binary) {
    json += ", \"parameters\": {\"binary_data_size\": " + std::to_string(tensor.bytes()) + "}}";
    append_bytes(binary, tensor);
  } else {
    json += ", \"data\": ";
    append_numbers(json, tensor);
    json += '}';
  }
}

ProtocolResponse response_of(const std::string& name, const InferMessage& message,
                             const TensorMap& outputs) {
  ProtocolResponse response;
  std::string& json = response.body;
  std::string binary;
  json = "{\"model_name\": " + to_text(Json(name)) + ", \"model_version\": \"1\", ";
  if (!message.id.empty()) json += "\"id\": " + to_text(Json(message.id)) + ", ";
  json += "\"outputs\": [";
  bool first = true, any_binary = false;
  const auto add = [&](const std::string& key, bool is_binary) {
    if (!first) json += ", ";
    first = false;
    any_binary = any_binary || is_binary;
    append_output(json, binary, key, outputs.at(key), is_binary);
  };
  for (const WantedOutput& wanted : message.outputs) add(wanted.name, wanted.binary);
  if (message.outputs.empty()) {
    for (const std::string& key : outputs.keys()) add(key, message.binary_outputs);
  }
  json += "]}";
  if (!any_binary) return response;
  response.json_length = json.size();
  response.content_type = "application/octet-stream";
  json += binary;
  return response;
}

// Reads the request and begins its session. The engine counts a failure, as it does later.
InferMessage begun_request(Engine& engine, const std::string& name, const ProtocolRequest& request,
                           const ServedModelInfo& info) try {
  InferMessage message = MessageReader(request).read();
  check_outputs(message.outputs, info);
  const std::string& session = message.options.session;
  if (message.begins_session && !session.empty()) engine.open_session(name, session);
  return message;
} catch (...) {
  engine.count_refused(name);
  throw;
}

// A client whose first request fails begins again, or not at all.
void close_if_open(Engine& engine, const std::string& name, const std::string& session) {
  try {
    engine.close_session(name, session);
  } catch (const NameError&) {
    // It has ended.
  }
}

}  // namespace

ProtocolResponse infer_from_message(Engine& engine, const std::string& name,
                                    const ProtocolRequest& request) {
  const ServedModelInfo info = engine.model_info(name);
  const InferMessage message = begun_request(engine, name, request, info);
  const std::string& session = message.options.session;
  const bool begins = message.begins_session && !session.empty();
  try {
    const TensorMap outputs = engine.infer(name, message.inputs, message.options);
    if (message.ends_session && !session.empty()) engine.close_session(name, session);
    return response_of(name, message, outputs);
  } catch (...) {
    if (begins) close_if_open(engine, name, session);
    throw;
  }
}

}  // namespace mithril
