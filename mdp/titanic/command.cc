#include "mdp/titanic/command.h"

#include "mdp/options.h"

#include <utility>

namespace mdp::titanic {

namespace {

std::string_view code_of(const zmtp::message& answer) noexcept {
  return answer.empty() ? std::string_view{} : answer.front().substr(0, ok.size());
}

// Returns whether frame `at` is a service, with at least one frame of body after it.
bool is_request(const zmtp::message& asked, std::size_t at) noexcept {
  return asked.size() >= at + 2 && !check_service(asked[at]);
}

}  // namespace

result<std::string_view> parse_request(const zmtp::message& asked) {
  if (!is_request(asked, 0)) {
    return errc::bad_request;
  }
  return asked.front();
}

result<submission> parse_submission(const zmtp::message& asked) {
  const auto id = is_request(asked, 1) ? request_id::parse(asked.front()) : std::nullopt;
  if (!id) {
    return errc::bad_request;
  }
  return submission{*id, asked[1]};
}

result<request_id> parse_id(const zmtp::message& asked) {
  const auto id = asked.size() == 1 ? request_id::parse(asked.front()) : std::nullopt;
  if (!id) {
    return errc::unknown_id;
  }
  return *id;
}

result<std::string> parse_accepted(const zmtp::message& answer) {
  const auto code = code_of(answer);
  if (code == ok && answer.size() == 2 && !answer.back().empty()) {
    return std::string{answer.back()};
  }
  return code == refused ? errc::bad_request : code == broken ? errc::not_stored : errc::bad_reply;
}

result<zmtp::message> parse_reply(zmtp::message&& answer) {
  const auto code = code_of(answer);
  if (code == ok && answer.size() >= 2) {
    answer.pop_front();
    return std::move(answer);
  }
  return code == not_yet   ? errc::pending
         : code == refused ? errc::unknown_id
         : code == broken  ? errc::request_failed
                           : errc::bad_reply;
}

result<void> parse_closed(const zmtp::message& answer) {
  const auto code = code_of(answer);
  if (code == ok) {
    return {};
  }
  return code == broken ? errc::not_stored : errc::bad_reply;
}

}  // namespace mdp::titanic
