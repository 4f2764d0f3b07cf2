#include "mithril/server/inference_protocol.hpp"

#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"
#include "mithril/engine/engine_errors.hpp"
#include "mithril/json/json.hpp"
#include "mithril/server/http_errors.hpp"
#include "mithril/server/infer_message.hpp"
#include "mithril/server/metrics.hpp"
#include "mithril/server/tensor_protocol.hpp"

namespace mithril {
namespace {

using Parts = std::vector<std::string>;

constexpr const char* only_version = "1";

Parts parts_of(std::string_view path) {
  Parts parts;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    if (end != 0) parts.emplace_back(path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
  return parts;
}

[[noreturn]] void refuse_path(std::string_view method, std::string_view path) {
  raise(
      {.kind = ErrorKind::name,
       .code = "E1234",
       .message = "there is nothing at " + in_quotes(std::string(method) + " " + std::string(path)),
       .help = "docs/serving.md lists the paths"});
}

ProtocolResponse json_response(Json::Object fields) {
  return {.body = to_text(Json(std::move(fields)))};
}

ProtocolResponse server_metadata() {
  return json_response({{"name", "mithril"},
                        {"version", std::string(version())},
                        {"extensions", Json::Array{"binary_tensor_data", "sequence", "statistics",
                                                   "model_repository"}}});
}

Json ports_json(const std::vector<ServedTensor>& ports) {
  Json::Array listed;
  for (const ServedTensor& port : ports) {
    Json::Array shape;
    const bool is_ranked = port.shape && !port.shape->has_run();
    if (is_ranked) {
      for (const KnownDim& dim : port.shape->head()) shape.emplace_back(dim.number().value_or(-1));
    } else {
      shape.emplace_back(-1);
    }
    listed.push_back(Json::Object{{"name", port.name},
                                  {"datatype", std::string(protocol_name(port.dtype))},
                                  {"shape", std::move(shape)}});
  }
  return listed;
}

ProtocolResponse model_metadata(const Engine& engine, const std::string& name) {
  const ServedModelInfo info = engine.model_info(name);
  return json_response({{"name", name},
                        {"versions", Json::Array{only_version}},
                        {"platform", "mithril_" + info.backend},
                        {"inputs", ports_json(info.inputs)},
                        {"outputs", ports_json(info.outputs)}});
}

ProtocolResponse model_config(const Engine& engine, const std::string& name) {
  const ServedModelInfo info = engine.model_info(name);
  return json_response({{"name", name},
                        {"platform", "mithril_" + info.backend},
                        {"backend", info.backend},
                        {"max_batch_size", 0},
                        {"input", ports_json(info.inputs)},
                        {"output", ports_json(info.outputs)}});
}

Json count_and_time(std::uint64_t count, double seconds) {
  return Json::Object{{"count", static_cast<std::int64_t>(count)},
                      {"ns", static_cast<std::int64_t>(seconds * 1e9)}};
}

Json model_statistics(const Engine& engine, const std::string& name) {
  const ServingStats stats = engine.stats(name);
  const std::uint64_t failed = stats.failed + stats.rejected + stats.expired + stats.cancelled;
  return Json::Object{
      {"name", name},
      {"version", only_version},
      {"inference_count", static_cast<std::int64_t>(stats.rows)},
      {"execution_count", static_cast<std::int64_t>(stats.calls)},
      {"inference_stats",
       Json::Object{{"success", count_and_time(stats.answered, stats.latency_seconds)},
                    {"fail", count_and_time(failed, 0)},
                    {"queue", count_and_time(stats.requests, stats.wait_seconds)},
                    {"compute_infer", count_and_time(stats.calls, stats.run_seconds)}}}};
}

ProtocolResponse statistics(const Engine& engine, const std::vector<std::string>& names) {
  Json::Array models;
  for (const std::string& name : names) models.push_back(model_statistics(engine, name));
  return json_response({{"model_stats", std::move(models)}});
}

ProtocolResponse repository_index(const Engine& engine) {
  Json::Array models;
  for (const std::string& name : engine.list_models())
    models.push_back(Json::Object{{"name", name}, {"version", only_version}, {"state", "READY"}});
  return {.body = to_text(Json(std::move(models)))};
}

// Answers requests below /v2/models/NAME, without the version.
ProtocolResponse answer_for_model(Engine& engine, const ProtocolRequest& request,
                                  const std::string& name, const Parts& rest) {
  const bool is_get = request.method == "GET";
  if (rest.empty() && is_get) return model_metadata(engine, name);
  if (rest.size() != 1) refuse_path(request.method, request.path);
  if (rest[0] == "infer" && request.method == "POST")
    return infer_from_message(engine, name, request);
  if (rest[0] == "ready" && is_get) {
    engine.model_info(name);
    return {};
  }
  if (rest[0] == "config" && is_get) return model_config(engine, name);
  if (rest[0] == "stats" && is_get) return statistics(engine, {name});
  refuse_path(request.method, request.path);
}

ProtocolResponse answer_v2(Engine& engine, const ProtocolRequest& request, Parts parts,
                           bool ready) {
  const bool is_get = request.method == "GET";
  if (parts.empty() && is_get) return server_metadata();
  if (parts == Parts{"health", "live"} && is_get) return {};
  if (parts == Parts{"health", "ready"} && is_get) return {.status = ready ? 200 : 503};
  if (parts == Parts{"models", "stats"} && is_get) return statistics(engine, engine.list_models());
  if (parts == Parts{"repository", "index"}) return repository_index(engine);
  if (parts.size() < 2 || parts[0] != "models") refuse_path(request.method, request.path);
  const std::string name = parts[1];
  parts.erase(parts.begin(), parts.begin() + 2);
  if (!parts.empty() && parts[0] == "versions") {
    if (parts.size() < 2 || parts[1] != only_version) {
      engine.model_info(name);
      raise({.kind = ErrorKind::name,
             .code = "E1234",
             .message = "model " + in_quotes(name) + " has the version 1 only"});
    }
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  return answer_for_model(engine, request, name, parts);
}

int status_of(const Error& error) {
  const std::string& code = error.code();
  if (code == "E1201" || code == "E1202" || code == "E1234") return 404;
  if (code == "E1203" || code == "E1204") return 429;
  if (error.kind() == ErrorKind::backend || error.kind() == ErrorKind::out_of_memory) return 503;
  if (is_of_loading(error)) return 503;
  return 400;
}

}  // namespace

ProtocolResponse error_response(int status, const Error& error) {
  std::string text = error.what();
  if (utf8_bytes(text) != text.size()) text = printable(text);
  return {.status = status, .body = to_text(Json::Object{{"error", text}, {"code", error.code()}})};
}

ProtocolResponse answer_request(Engine& engine, const ProtocolRequest& request, bool ready) try {
  Parts parts = parts_of(request.path);
  if (parts == Parts{"metrics"} && request.method == "GET")
    return {.body = prometheus_text(engine), .content_type = "text/plain; version=0.0.4"};
  if (parts.empty() || parts[0] != "v2") refuse_path(request.method, request.path);
  parts.erase(parts.begin());
  return answer_v2(engine, request, std::move(parts), ready);
} catch (const Error& error) {
  return error_response(status_of(error), error);
} catch (const std::bad_alloc&) {  // its `what` names no cause
  return error_response(503, out_of_memory_error());
} catch (const std::exception& error) {  // such as that of a function which loads a model
  // An exception of Python ends with the files and the lines of its functions.
  const std::string_view text = error.what();
  return error_response(503, failed_request(std::string(text.substr(0, text.find("\n\nAt:\n")))));
}

}  // namespace mithril
