#include "test/fuzz/oracle.h"
#include "test/support/wire.h"
#include "zmtp/decoder.h"

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
  void add(std::string_view run) {
    octets += run;
    ends.push_back(octets.size());
  }

  std::string octets;
  std::vector<std::size_t> ends;
  error_code fault;
  friend bool operator==(const finding&, const finding&) = default;
};

// Of whole frames, all messages' or all commands', one behind the other: each but the last has more to
// follow. Allocates nothing: that costs more than the decoder does.
std::size_t frames_in(std::string_view run, unsigned kind) {
  std::size_t count = 0;
  for (bool follows = true; follows; ++count) {
    require(!run.empty(), "the last frame has none behind it");
    const auto flags = static_cast<unsigned char>(run.front());
    const std::size_t header = (flags & test::long_size) != 0 ? 9 : 2;
    require((flags & test::command) == kind && run.size() >= header, "a frame has its header");
    std::size_t size = 0;
    for (std::size_t i = 1; i < header; ++i) {
      size = size << 8 | static_cast<unsigned char>(run[i]);
    }
    require(run.size() - header >= size, "a frame is whole");
    run.remove_prefix(header + size);
    follows = (flags & test::more) != 0;
  }
  require(run.empty(), "nothing is behind the last frame");
  return count;
}

// `reads`: what is found is read too, which is enough once where the same is found again.
template <class Piece>
finding found_in(std::string_view octets, const limits& limit, Piece&& piece, bool reads = false) {
  decoder d{limit};
  d.handshake_done();
  finding so_far;
  so_far.octets.reserve(octets.size());
  std::string held;
  held.reserve(octets.size());
  std::size_t taken = 0;
  for (;;) {
    const std::string_view rest = std::string_view{held}.substr(taken);
    switch (d.look(std::as_writable_bytes(std::span{held}.subspan(taken)))) {
      case decoder::found::more: {
        require(d.needed() > rest.size(), "where more is needed it has not come");
        if (octets.empty()) {
          return so_far;
        }
        const auto next = octets.substr(0, piece());
        held += next;
        octets.remove_prefix(next.size());
        break;
      }
      case decoder::found::message:
        require(d.size() <= rest.size() && d.size() <= limit.message_size, "sizes are kept");
        require(d.parts() <= limit.message_parts, "parts are limited");
        so_far.add(rest.substr(0, d.size()));
        if (reads) {
          require(frames_in(rest.substr(0, d.size()), 0) == d.parts(), "its parts are counted");
        }
        taken += d.size();
        d.message_taken();
        break;
      case decoder::found::command: {
        require(d.size() + d.command_size() <= rest.size(), "sizes are kept");
        const auto command = rest.substr(d.size(), d.command_size());
        so_far.add(command);
        if (reads) {
          require(frames_in(command, test::command) == 1, "a command is one frame");
        }
        held.erase(taken + d.size(), d.command_size());
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
  const auto whole = found_in(
      octets, limit, [] { return static_cast<std::size_t>(-1); }, true);
  std::minstd_rand random{static_cast<unsigned char>(input[1])};
  require(found_in(octets, limit, [&] { return 1 + random() % 50; }) == whole,
          "the same is found in random pieces");
  if (octets.size() <= 128) {
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
