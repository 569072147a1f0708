#include "bstar/state_message.h"
#include "test/fuzz/oracle.h"

#include <string>

namespace zmtp::fuzz {
namespace {

void try_state(std::string_view frame) {
  const auto report = bstar::parse_state(frame);
  if (!report) {
    const auto fault = report.error();
    require(fault == bstar::errc::not_a_state || fault == bstar::errc::bad_account ||
                fault == bstar::errc::epoch_too_large,
            "a refusal is one of the state's");
    return;
  }
  require(report->more.has_value() == (frame.size() != 1), "an account is all behind the digit");
  require(frame.substr(0, 1) == bstar::state_digit(report->state), "the digit is the state");
  if (report->more) {
    require(report->more->of <= bstar::max_epoch, "the limit holds");
  }
  const auto again = bstar::parse_state(bstar::state_text(*report));
  require(again && *again == *report, "what is read and written is read the same");
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_state(zmtp::fuzz::text_of(data, size));
  return 0;
}
