#include "mithril/server/request_head.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace mithril {
namespace {

namespace http = boost::beast::http;

using boost::beast::error_code;
using BoostText = boost::beast::string_view;

constexpr std::size_t most_fields = 100;
constexpr std::string_view line_end = "\r\n";

std::string_view view_of(BoostText text) { return {text.data(), text.size()}; }

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char left, char right) { return lower(left) == lower(right); });
}

bool is_control(char each) {
  const auto byte = static_cast<unsigned char>(each);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

bool is_graphic(char each) { return each > 0x20 && each < 0x7f; }

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char letter = lower(digit);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// nullopt for an invalid escape, and for an escaped control character or slash.
std::optional<std::string> decoded_path(std::string_view target) {
  std::string path;
  const std::string_view escaped = target.substr(0, target.find('?'));
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '%') {
      path += escaped[i];
      continue;
    }
    if (i + 2 >= escaped.size()) return std::nullopt;
    const int high = hex_digit(escaped[i + 1]), low = hex_digit(escaped[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    path += static_cast<char>(high * 16 + low);
    if (is_control(path.back()) || path.back() == '/') return std::nullopt;
    i += 2;
  }
  return path;
}

// Lines that Beast accepts and other programs read differently.
std::optional<HttpRefusal> fault_of_lines(std::string_view head) {
  std::size_t count = 0;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find(line_end));
    if (count > 0 && line.empty()) break;  // the end of the head
    if (std::any_of(line.begin(), line.end(), is_control))
      return HttpRefusal{400, "the head has a control character"};
    if (count == 0) {
      const bool is_plain = std::all_of(line.begin(), line.end(),
                                        [](char each) { return each == ' ' || is_graphic(each); });
      if (!is_plain || std::count(line.begin(), line.end(), ' ') != 2)
        return HttpRefusal{400, "the first line is not METHOD PATH HTTP/1.1"};
    } else if (line.front() == ' ' || line.front() == '\t') {
      return HttpRefusal{400, "a header continues on the next line"};
    }
    if (count++ > most_fields) return HttpRefusal{431, ""};
    head.remove_prefix(line.size() + line_end.size());
  }
  return std::nullopt;
}

// Collects what the server reads of a head.
class HeadParser final : public http::basic_parser<true> {
 public:
  std::optional<HttpRefusal> refusal;
  RequestHead head;

  void refuse(const char* why, error_code& error) {
    if (!refusal) refusal = HttpRefusal{400, why};
    error = http::error::bad_value;
  }

 private:
  void on_request_impl(http::verb, BoostText method, BoostText target, int version,
                       error_code& error) override {
    is_version_10_ = version == 10;
    head.request.method = view_of(method);
    if (target.empty() || target.front() != '/')
      return refuse("the path does not begin with /", error);
    std::optional<std::string> path = decoded_path(view_of(target));
    if (!path) return refuse("the path has an invalid percent escape", error);
    head.request.path = std::move(*path);
  }

  void on_field_impl(http::field field, BoostText name, BoostText text,
                     error_code& error) override {
    const std::string_view value = view_of(text);
    if (field == http::field::content_length) {
      if (std::exchange(has_length_, true)) return refuse("Content-Length is given twice", error);
      if (!read_length(value)) refuse("Content-Length is not a number", error);
    } else if (field == http::field::transfer_encoding) {
      if (std::exchange(head.is_chunked, true))
        return refuse("Transfer-Encoding is given twice", error);
      if (!is_same_word(value, "chunked")) refuse("Transfer-Encoding is not chunked", error);
    } else if (field == http::field::host) {
      if (std::exchange(has_host_, true)) refuse("Host is given twice", error);
    } else if (field == http::field::content_encoding) {
      if (!head.request.content_encoding.empty())
        return refuse("Content-Encoding is given twice", error);
      std::transform(value.begin(), value.end(), std::back_inserter(head.request.content_encoding),
                     lower);
    } else if (field == http::field::expect) {
      if (!is_same_word(value, "100-continue")) return refuse("Expect is not 100-continue", error);
      head.expects_continue = true;
    } else if (is_same_word(view_of(name), "Inference-Header-Content-Length")) {
      if (head.request.json_length)
        return refuse("Inference-Header-Content-Length is given twice", error);
      head.request.json_length = value;
    }
  }

  void on_header_impl(error_code& error) override {
    if (head.is_chunked && has_length_)
      return refuse("both Content-Length and Transfer-Encoding are given", error);
    if (head.is_chunked && is_version_10_)
      return refuse("HTTP/1.0 has no Transfer-Encoding", error);
    if (!has_host_ && !is_version_10_) return refuse("Host is missing", error);
    const std::string& method = head.request.method;
    const bool may_have_body = method == "POST" || method == "PUT" || method == "PATCH";
    if (!may_have_body && (head.is_chunked || head.body_bytes > 0))
      return refuse("a request with this method must not have a body", error);
    head.request.keeps_open = keep_alive() && !is_version_10_;
    head.expects_continue = head.expects_continue && !is_version_10_;
  }

  // As others read it: without a sign, a base or leading zeros.
  bool read_length(std::string_view text) {
    if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
    const auto [end, fault] =
        std::from_chars(text.data(), text.data() + text.size(), head.body_bytes);
    return fault == std::errc() && end == text.data() + text.size();
  }

  // The bodies are read without Beast.
  void on_response_impl(int, BoostText, int, error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(BoostText body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, BoostText, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BoostText body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  bool is_version_10_ = false, has_length_ = false, has_host_ = false;
};

}  // namespace

std::variant<RequestHead, HttpRefusal> read_request_head(std::string_view head) {
  if (auto fault = fault_of_lines(head)) return *fault;
  HeadParser parser;
  parser.header_limit(static_cast<std::uint32_t>(head.size()));
  // The reader of bodies has a limit of its own. Boost 1.74 takes boost::none for a limit of zero.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  error_code error;
  parser.put(boost::asio::buffer(head.data(), head.size()), error);
  if (parser.refusal) return *parser.refusal;
  if (error || !parser.is_header_done())
    return HttpRefusal{400, error ? error.message() : "the head is not complete"};
  return std::move(parser.head);
}

bool may_begin_request_head(std::string_view bytes, std::size_t checked) {
  if (!bytes.empty() && !is_graphic(bytes.front())) return false;
  for (std::size_t i = checked; i < bytes.size(); ++i) {
    const bool is_end = i > 0 && bytes[i - 1] == '\r';
    if (is_end != (bytes[i] == '\n') || bytes[i] == '\0') return false;
  }
  return true;
}

}  // namespace mithril
