#include "test/fuzz/oracle.h"
#include "test/support/allocations.h"
#include "test/support/conversation.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace zmtp::fuzz {
namespace {

constexpr socket_type own_types[] = {socket_type::dealer, socket_type::xpub, socket_type::router,
                                     socket_type::pub};
constexpr std::string_view peer_types[] = {"ROUTER", "SUB", "DEALER", "XSUB"};

// The first bytes of an input select the connection that gets the rest, and the sizes of the
// pieces.
struct plan {
  explicit plan(std::string_view head)
      : type{static_cast<std::size_t>(head[0]) % 4},
        tight{(head[0] & 0x40) != 0},
        in_traffic{(head[0] & 0x80) != 0},
        seed{static_cast<unsigned char>(head[1])} {}

  [[nodiscard]] test::side_options options() const {
    test::side_options options{.type = own_types[type]};
    if (tight) {
      options.limit = {.handshake_command_size = 100,
                       .command_size = 60,
                       .frame_size = 300,
                       .message_size = 1000,
                       .message_parts = 5,
                       .message_commands = 3,
                       .topic_size = 20,
                       .pings_per_second = 3};
    }
    return options;
  }

  std::size_t type;
  bool tight;
  bool in_traffic;
  unsigned seed;
};

struct outcome {
  std::vector<std::string> received;
  std::string said;
  friend bool operator==(const outcome&, const outcome&) = default;
};

// Invariants that hold at the end of each turn, for any input.
class invariants {
public:
  void check(const test::side& s) {
    for (; seen_ != s.received.size(); ++seen_) {
      require(!closed_, "nothing is heard after the end");
      closed_ = s.received[seen_].starts_with("closed: ");
    }
    require(s.talk.over() == closed_, "the end is heard");
    require(s.talk.traffic() || s.talk.over() || s.received.size() <= 1,
            "nothing is heard before ready");
  }

private:
  std::size_t seen_ = 0;  // events checked so far
  bool closed_ = false;
};

// How a shell goes about it.
struct habits {
  unsigned seed = 0;  // seed of the piece sizes; 0: one piece
  bool byte_by_byte = false;
  bool writes_at_once = false;  // or only when everything has been read
};

outcome play(const plan& p, std::string_view bytes, const habits& h) {
  test::reset_peak();
  const auto before = test::counted().live;
  test::side s{p.options()};
  outcome so_far;
  invariants hold;
  std::size_t handshake = 0;
  std::size_t came = 0;
  if (p.in_traffic) {
    came = s.hear(test::greeting_of(3, p.seed % 2) + test::ready_of(peer_types[p.type]));
    handshake = s.say().size();
    s.news();
  }
  std::minstd_rand random{h.seed};
  for (std::size_t at = 0; at < bytes.size();) {
    const auto piece = bytes.substr(at, h.byte_by_byte ? 1
                                        : h.seed == 0  ? bytes.size()
                                                       : 1 + random() % 60);
    const auto taken = s.hear(piece);
    require(taken == piece.size() || s.talk.over(), "all is read until the end");
    at += piece.size();
    hold.check(s);
    if (h.writes_at_once) {
      so_far.said += s.say();
    }
    if (random() % 2 == 0) {
      s.talk.settle();
    }
  }
  so_far.said += s.say();
  require(!s.talk.has_output(s.out), "what is to be said is said");
  constexpr std::size_t greeting_and_ready = 64 + 64;
  require(so_far.said.size() + handshake <= greeting_and_ready + bytes.size(),
          "no more is said than was heard");
  // A line of text for each message is the test's own.
  require(test::counted().peak - before <= 2 * 1024 * 1024 + 200 * bytes.size(),
          "what is held is in proportion to what has come");
  // Eight for each byte is the most that a search over sizes, pieces and turns has come to.
  constexpr std::size_t moves = 10;
  require(s.talk.moved() <= moves * (came + bytes.size()),
          "what is moved is in proportion to what has come");
  so_far.received = s.news();
  return so_far;
}

void try_connection(std::string_view input) {
  if (input.size() < 2) {
    return;
  }
  const plan p{input};
  const auto bytes = input.substr(2);
  const auto whole = play(p, bytes, {});
  require(play(p, bytes, {.seed = p.seed + 1}) == whole, "the same becomes of random pieces");
  play(p, bytes, {.seed = p.seed + 1, .writes_at_once = true});
  if (bytes.size() <= 512) {
    require(play(p, bytes, {.byte_by_byte = true}) == whole, "the same becomes of it byte by byte");
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_connection(zmtp::fuzz::text_of(data, size));
  return 0;
}
