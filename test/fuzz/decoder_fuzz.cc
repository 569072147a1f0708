#include "test/fuzz/oracle.h"
#include "test/support/wire.h"
#include "zmtp/decoder.h"

#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace zmtp::fuzz {
namespace {

bool judges_frames(error_code fault) {
  return fault == errc::bad_frame_flags || fault == errc::bad_frame_size ||
         fault == errc::frame_too_large || fault == errc::message_too_large ||
         fault == errc::too_many_parts || fault == errc::command_too_large;
}

// What was found, one behind the other, and the fault.
struct finding {
  std::vector<std::string> all;
  error_code fault;
  friend bool operator==(const finding&, const finding&) = default;
};

void try_message(std::string_view run, std::size_t parts) {
  const auto read = test::content_of(run);
  require(read.messages.size() == 1 && read.commands.empty() && read.unread == 0,
          "a message is whole, and nothing but it");
  require(read.messages[0].size() == parts, "its parts are counted");
}

finding found_in(std::string_view octets, const limits& limit,
                 const std::function<std::size_t()>& piece) {
  decoder d{limit};
  d.handshake_done();
  finding so_far;
  std::string held;
  for (;;) {
    switch (d.look(std::as_writable_bytes(std::span{held}))) {
      case decoder::found::more: {
        require(d.needed() > held.size(), "where more is needed it has not come");
        if (octets.empty()) {
          return so_far;
        }
        const auto next = octets.substr(0, piece());
        held += next;
        octets.remove_prefix(next.size());
        break;
      }
      case decoder::found::message:
        require(d.size() <= held.size() && d.size() <= limit.message_size, "sizes are kept");
        require(d.parts() <= limit.message_parts, "parts are limited");
        try_message(std::string_view{held}.substr(0, d.size()), d.parts());
        so_far.all.push_back(held.substr(0, d.size()));
        held.erase(0, d.size());
        d.message_taken();
        break;
      case decoder::found::command: {
        require(d.size() + d.command_size() <= held.size(), "sizes are kept");
        const auto command = held.substr(d.size(), d.command_size());
        require(test::content_of(command).commands.size() == 1, "a command is whole");
        so_far.all.push_back(command);
        held.erase(d.size(), d.command_size());
        d.command_taken();
        break;
      }
      case decoder::found::fault:
        require(judges_frames(d.fault()), "a fault is one of the frames'");
        so_far.fault = d.fault();
        return so_far;
    }
  }
}

// The first octet says which limits hold, the second how the rest is cut.
void try_decoder(std::string_view input) {
  if (input.size() < 2) {
    return;
  }
  limits limit;
  if ((input[0] & 1) != 0) {
    limit = {.command_size = 100, .frame_size = 300, .message_size = 1000, .message_parts = 5};
  }
  const auto octets = input.substr(2);
  const auto whole = found_in(octets, limit, [] { return static_cast<std::size_t>(-1); });
  std::minstd_rand random{static_cast<unsigned char>(input[1])};
  require(found_in(octets, limit, [&] { return 1 + random() % 50; }) == whole,
          "the same is found in random pieces");
  if (octets.size() <= 512) {
    require(found_in(octets, limit, [] { return 1U; }) == whole,
            "the same is found octet by octet");
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_decoder(zmtp::fuzz::text_of(data, size));
  return 0;
}
