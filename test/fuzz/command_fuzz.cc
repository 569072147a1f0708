#include "test/fuzz/oracle.h"
#include "test/support/commands.h"
#include "zmtp/command.h"

#include <string>

namespace zmtp::fuzz {
namespace {

void try_command(std::string_view body) {
  const limits limit;
  const auto parsed = command::parse_traffic(body, limit);
  if (!parsed) {
    const auto fault = parsed.error();
    require(fault == errc::bad_command || fault == errc::bad_ping || fault == errc::topic_too_long,
            "a refusal is one of the commands'");
    return;
  }
  require(command::split(body).has_value(), "a command that is read has a name");
  require(test::written_again(*parsed, body) == test::spelt_right(body),
          "what is read is written as it came");
}

void try_subscription(std::string_view part) {
  const auto parsed = command::parse_subscription(part);
  const auto* subscription = std::get_if<command::subscription>(&parsed);
  if (subscription == nullptr) {
    require(part.empty() || static_cast<unsigned char>(part.front()) > 1,
            "a part that begins with 0 or 1 is a subscription");
    return;
  }
  std::string frame;
  if (subscription->subscribe) {
    command::put_subscribe(frame, subscription->topic, 0);
  } else {
    command::put_cancel(frame, subscription->topic, 0);
  }
  require(frame.ends_with(part), "what is read is written as it came");
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_command(zmtp::fuzz::text_of(data, size));
  zmtp::fuzz::try_subscription(zmtp::fuzz::text_of(data, size));
  return 0;
}
