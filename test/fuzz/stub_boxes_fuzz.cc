// A whole conversation with CURVE whose boxes open whatever is in them, so that each byte of an input
// gets past the cryptography, to what reads the content of boxes.

#include "test/fuzz/oracle.h"
#include "test/support/conversation.h"
#include "test/support/curve_forger.h"
#include "zmtp/mechanism/curve.h"

#include <sodium.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// These replace the functions of libsodium in this program. A box is its content behind 16 zeros.
extern "C" {
int crypto_scalarmult_base(unsigned char* q, const unsigned char* n) {
  std::memcpy(q, n, crypto_scalarmult_BYTES);
  return 0;
}
int crypto_box_beforenm(unsigned char* k, const unsigned char*, const unsigned char*) {
  std::memset(k, 0, crypto_box_BEFORENMBYTES);
  return 0;
}
int crypto_secretbox_easy(unsigned char* c, const unsigned char* m, unsigned long long size,
                          const unsigned char*, const unsigned char*) {
  std::memmove(c + crypto_secretbox_MACBYTES, m, size);
  std::memset(c, 0, crypto_secretbox_MACBYTES);
  return 0;
}
int crypto_secretbox_open_easy(unsigned char* m, const unsigned char* c, unsigned long long size,
                               const unsigned char*, const unsigned char*) {
  std::memmove(m, c + crypto_secretbox_MACBYTES, size - crypto_secretbox_MACBYTES);
  return 0;
}
}

namespace zmtp::fuzz {
namespace {

using test::curve_forger;

constexpr socket_type own_types[] = {socket_type::dealer, socket_type::xpub};
constexpr std::string_view peer_types[] = {"ROUTER", "SUB"};

// The first two bytes of an input select the side that gets the rest, how far it is, and the sizes of
// the pieces.
struct plan {
  explicit plan(std::string_view head)
      : type{static_cast<std::size_t>(head[0]) % 2},
        we_serve{(head[0] & 2) != 0},
        shakes_hands{(head[0] & 4) != 0},
        in_messages{(head[0] & 8) != 0},
        seed{static_cast<unsigned char>(head[1])} {}

  [[nodiscard]] test::side_options options() const {
    test::side_options options{.type = own_types[type]};
    options.limit.command_size = 500;
    options.limit.frame_size = 5'000;
    if (we_serve) {
      options.security =
          curve_server({.keys = curve_forger::server_keys(), .allow_any_client = true});
    } else {
      options.security = curve_client({.server_key = curve_forger::server_keys().public_key,
                                       .keys = curve_forger::client_keys()});
    }
    return options;
  }
  // Returns whether traffic follows.
  bool begin(test::side& s) const {
    auto greeting = test::greeting_of(3, 1, "CURVE");
    greeting[32] = we_serve ? '\0' : '\1';
    s.hear(greeting);
    s.say();
    if (!shakes_hands) {
      return false;
    }
    const auto properties = test::property("Socket-Type", std::string{peer_types[type]});
    if (we_serve) {
      curve_forger peer;
      peer.properties = properties;
      s.hear(test::frame(test::command, peer.hello()));
      s.hear(test::frame(test::command, peer.initiate(test::content_of(s.say()).commands.at(0))));
    } else {
      static const auto transient = make_key_pair(test::fixed_random(7));
      const curve_public_key any{};
      s.hear(test::frame(test::command, test::forged_welcome(any, transient)));
      s.hear(test::frame(test::command, test::forged_ready(any, transient, properties)));
    }
    s.say();
    require(s.talk.traffic(), "the handshake ends");
    s.news();
    return true;
  }

  std::size_t type;
  bool we_serve;
  bool shakes_hands;
  bool in_messages;  // the input is content of boxes, and not bytes of the connection
  unsigned seed;
};

// Puts content into messages: the first byte of each is the size of its rest.
std::string sealed(std::string_view input) {
  std::string wire;
  for (std::uint64_t counter = 10; !input.empty(); ++counter) {
    const auto content = input.substr(1, static_cast<unsigned char>(input[0]));
    input.remove_prefix(1 + content.size());
    wire += test::frame(0, test::bytes("07 'MESSAGE'") + test::big_endian(counter, 8) +
                               test::boxed(content, {}, {}));
  }
  return wire;
}

struct outcome {
  std::vector<std::string> received;
  std::string said;
  friend bool operator==(const outcome&, const outcome&) = default;
};

// `seed` is that of the sizes of the pieces. 0: one piece.
outcome play(const plan& p, std::string_view wire, unsigned seed, std::size_t longest) {
  test::side s{p.options()};
  const bool shook_hands = p.begin(s);
  std::minstd_rand random{seed};
  for (auto rest = wire; !rest.empty();) {
    const auto piece = rest.substr(0, seed == 0 ? rest.size() : 1 + random() % longest);
    require(s.hear(piece) == piece.size() || s.talk.over(), "all is read until the end");
    rest.remove_prefix(piece.size());
  }
  outcome made{{}, s.say()};
  made.received = s.news();
  require(shook_hands || s.talk.traffic() || s.talk.over() || made.received.size() <= 1,
          "nothing is heard before ready");
  const auto ends = std::count_if(made.received.begin(), made.received.end(),
                                  [](const auto& each) { return each.starts_with("closed: "); });
  require(ends == (s.talk.over() ? 1 : 0), "the end is heard once");
  require(made.said.size() <= 600 + 2 * wire.size(), "no more is said than was heard");
  return made;
}

void try_conversation(std::string_view input) {
  if (input.size() < 2) {
    return;
  }
  const plan p{input};
  const auto bytes = input.substr(2);
  const auto wire = p.in_messages ? sealed(bytes) : std::string{bytes};
  const auto whole = play(p, wire, 0, 0);
  require(play(p, wire, p.seed + 1, 60) == whole, "the same becomes of random pieces");
  if (wire.size() <= 512) {
    require(play(p, wire, 1, 1) == whole, "the same becomes of it byte by byte");
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_conversation(zmtp::fuzz::text_of(data, size));
  return 0;
}
