#include "mithril/server/request_reader.hpp"

#include <algorithm>
#include <utility>

#include "mithril/server/request_head.hpp"

namespace mithril {
namespace {

constexpr std::string_view end_of_head = "\r\n\r\n";

}  // namespace

void RequestReader::refuse(int status, std::string why) {
  refusal_ = HttpRefusal{status, std::move(why)};
}

void RequestReader::read(std::string_view bytes) {
  if (refusal_) return;
  if (state_ == State::head) bytes = read_head(bytes);
  if (refusal_) return;
  if (state_ == State::counted_body || state_ == State::chunked_body) bytes = read_body(bytes);
  if (!refusal_ && state_ == State::complete && !bytes.empty())
    refuse(400, "the client sent more bytes before it received the answer");
}

// Returns what follows the head.
std::string_view RequestReader::read_head(std::string_view bytes) {
  const std::size_t before = head_.size();
  // One more than the limit shows that the head is longer.
  const std::size_t taken = std::min(bytes.size(), limits_.head_bytes + 1 - before);
  head_.append(bytes.substr(0, taken));
  const std::size_t overlap = std::min(before, end_of_head.size() - 1);
  const std::size_t end = head_.find(end_of_head, before - overlap);
  const bool has_ended = end != std::string::npos;
  if (has_ended) head_.resize(end + end_of_head.size());
  if (!may_begin_request_head(head_, before)) {
    refuse(400, "the lines of the head do not end with CR and LF");
    return {};
  }
  if (head_.size() > limits_.head_bytes) {
    refuse(431);
    return {};
  }
  if (!has_ended) return {};
  auto read = read_request_head(head_);
  if (auto* refusal = std::get_if<HttpRefusal>(&read)) {
    refusal_ = std::move(*refusal);
    return {};
  }
  auto& head = std::get<RequestHead>(read);
  bytes.remove_prefix(head_.size() - before);
  head_ = {};
  request_ = std::move(head.request);
  expects_continue_ = head.expects_continue && bytes.empty();
  left_ = head.body_bytes;
  if (left_ > limits_.body_bytes) refuse(413);
  state_ = head.is_chunked ? State::chunked_body
           : left_ > 0     ? State::counted_body
                           : State::complete;
  return bytes;
}

// Returns what follows the body.
std::string_view RequestReader::read_body(std::string_view bytes) {
  std::string& body = request_.body;
  if (state_ == State::counted_body) {
    const std::string_view piece =
        bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
    body.append(piece);
    left_ -= piece.size();
    if (left_ == 0) state_ = State::complete;
    return bytes.substr(piece.size());
  }
  const std::size_t read = chunks_.read(bytes, body, limits_.body_bytes);
  if (chunks_.is_too_large()) refuse(413);
  if (chunks_.is_wrong()) refuse(400, "a chunk of the body is malformed");
  if (chunks_.is_complete()) state_ = State::complete;
  return bytes.substr(read);
}

bool RequestReader::take_continue() {
  const bool waits = state_ == State::counted_body || state_ == State::chunked_body;
  return std::exchange(expects_continue_, false) && waits && !refusal_;
}

}  // namespace mithril
