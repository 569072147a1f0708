#include "test/fuzz/oracle.h"
#include "zmtp/framing/zws_input.h"
#include "zmtp/framing/zws_output.h"
#include "zmtp/greeting.h"

#include <algorithm>
#include <span>
#include <string>

namespace zmtp::fuzz {
namespace {

using websocket::side;

struct heard {
  std::string zmtp{};
  error_code fault{};
  bool closed = false;

  friend bool operator==(const heard&, const heard&) = default;
};

// `wire` arrives in pieces of `step` bytes, and the reader has space for `room` bytes.
heard hear(std::string_view wire, side own, std::string_view mechanism, std::size_t step,
           std::size_t room) {
  zws_input input{own, mechanism};
  heard all;
  std::string to(room, '\0');
  const auto bytes = std::as_bytes(std::span{wire});
  std::size_t at = 0;
  while (!all.fault && (at < wire.size() || input.ready())) {
    const auto piece = bytes.subspan(at, std::min(step, wire.size() - at));
    const auto [used, made, fault] = input.read(piece, std::as_writable_bytes(std::span{to}));
    require(used <= piece.size() && made <= room, "a read stays in its spaces");
    require(fault || used != 0 || made != 0, "a read makes progress");
    at += used;
    all.zmtp.append(to, 0, made);
    all.fault = fault;
    if (const auto ping = input.take_ping()) {
      require(ping->size() <= websocket::max_control_payload, "a ping is a control frame");
    }
  }
  all.closed = input.closed();
  require(!all.fault || all.fault == errc::bad_websocket_frame ||
              all.fault == errc::routing_id_too_long,
          "a fault is one of the input's");
  return all;
}

// The frames of the wire are written again, and read as the same frames.
void write_and_hear(const heard& first, side own) {
  zws_output output{own, true,
                    [](std::span<std::byte> to) { std::ranges::fill(to, std::byte{0x5A}); }};
  const auto frames = std::string_view{first.zmtp}.substr(greeting::size);
  std::string wire;
  std::string to(1'000, '\0');
  auto rest = std::as_bytes(std::span{frames});
  for (;;) {
    const auto [used, made] = output.write(rest, std::as_writable_bytes(std::span{to}));
    rest = rest.subspan(used);
    wire.append(to, 0, made);
    if (used == 0 && made == 0) {
      break;
    }
  }
  require(rest.empty(), "all is written");
  const auto other = own == side::client ? side::server : side::client;
  require(hear(wire, other, "NULL", 1'000, 1'000).zmtp.substr(greeting::size) == frames,
          "frames that are written are heard as they were");
}

void try_wire(std::string_view wire, side own, std::string_view mechanism) {
  const auto whole = hear(wire, own, mechanism, wire.size(), 10'000);
  require(whole.zmtp.size() >= greeting::size, "the greeting comes first");
  require(hear(wire, own, mechanism, 1, 10'000) == whole, "single bytes are heard as the whole");
  require(hear(wire, own, mechanism, 7, 3) == whole, "and so they are with little space");
  write_and_hear(whole, own);
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto wire = zmtp::fuzz::text_of(data, std::min<std::size_t>(size, 10'000));
  for (const auto own : {zmtp::websocket::side::client, zmtp::websocket::side::server}) {
    for (const auto* const mechanism : {"", "NULL"}) {
      zmtp::fuzz::try_wire(wire, own, mechanism);
    }
  }
  return 0;
}
