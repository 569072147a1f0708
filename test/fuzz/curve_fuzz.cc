// CURVE, on both sides of its boxes: bytes of a stranger, and content that a peer with the right keys has sealed.

#include "test/fuzz/oracle.h"
#include "test/support/curve_forger.h"
#include "test/support/fixed_random.h"
#include "test/support/wire.h"
#include "zmtp/framing/curve_framing.h"
#include "zmtp/mechanism/curve_client.h"
#include "zmtp/mechanism/curve_server.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::fuzz {
namespace {

using test::curve_forger;

constexpr limits limit{.metadata_properties = 4};

curve_server_mechanism server() {
  static const auto keys = std::make_shared<const curve_key_pair>(curve_forger::server_keys());
  return {keys, {}, limit, test::fixed_random(1)};
}
curve_client_mechanism client() {
  static const auto keys = std::make_shared<const curve_client_options>(
      curve_client_options{curve_forger::server_keys().public_key, curve_forger::client_keys()});
  return {keys, {}, limit, test::fixed_random(2)};
}

std::string body_of(const std::string& output) { return test::content_of(output).commands.at(0); }

void expect_fault(mechanism& m, std::string_view body) {
  std::string output;
  require(!m.on_command(body, output) && output.empty(), "a stranger gets no answer");
}

// Metadata that a peer with the right keys has sealed.
void expect_metadata(mechanism& m, std::string_view body, std::string_view properties) {
  std::string output;
  const auto step = m.on_command(body, output);
  require(output.empty(), "no answer before the decision");
  if (step) {
    require(*step == mechanism::progress::authentication, "the peer has shown its key");
    std::string written;
    m.peer_metadata().encode(written);
    require(written == properties, "what is read is written as it came");
  } else {
    require(step.error() != errc::box_not_opened && step.error() != errc::bad_vouch,
            "the boxes open");
  }
}

void try_handshake(std::string_view input) {
  auto cold = server();
  expect_fault(cold, input);
  const curve_forger peer;
  auto greeted = server();
  std::string welcome;
  require(greeted.on_command(peer.hello(), welcome).has_value(), "HELLO opens");
  expect_fault(greeted, input);

  auto waiting = client();
  std::string hello;
  waiting.start(hello);
  expect_fault(waiting, input);

  curve_forger talkative;
  talkative.properties = input;
  auto good = server();
  welcome.clear();
  require(good.on_command(talkative.hello(), welcome).has_value(), "HELLO opens");
  expect_metadata(good, talkative.initiate(body_of(welcome)), input);

  static const auto transient = make_key_pair(test::fixed_random(7));
  auto welcomed = client();
  hello.clear();
  welcomed.start(hello);
  curve_public_key key;
  const auto text = body_of(hello);
  std::copy_n(reinterpret_cast<const std::byte*>(text.data()) + 80, key.size(), key.begin());
  std::string initiate;
  require(welcomed.on_command(test::forged_welcome(key, transient), initiate).has_value(),
          "WELCOME opens");
  expect_metadata(welcomed, test::forged_ready(key, transient, input), input);
}

const curve::box_key& traffic_key() {
  static const auto key = *curve::shared_key(curve_forger::server_keys().public_key,
                                             curve_forger::client_keys().secret_key);
  return key;
}

curve_framing framing_of_server() {
  return {
      curve_framing::side::server, traffic_key(), 1, 2, {.command_size = 500, .frame_size = 500}};
}

struct outcome {
  std::string frames;
  error_code fault;
  friend bool operator==(const outcome&, const outcome&) = default;
};

// Reads in pieces, as a connection does: whole frames move to the front, and the rest waits.
outcome read(std::string_view wire, std::size_t piece) {
  auto form = framing_of_server();
  outcome so_far;
  std::string waiting;
  while (!wire.empty() && !so_far.fault) {
    waiting.append(wire.substr(0, piece));
    wire.remove_prefix(std::min(piece, wire.size()));
    const auto memory = std::as_writable_bytes(std::span{waiting});
    const auto p = form.read(memory, memory);
    require(p.used <= waiting.size() && p.made <= p.used, "frames do not grow");
    so_far.frames.append(waiting, 0, p.made);
    so_far.fault = p.fault;
    waiting.erase(0, p.used);
    require(p.fault || form.needed(std::as_bytes(std::span{waiting})) > waiting.size(),
            "more is needed for the next frame");
  }
  return so_far;
}

// The first byte of each frame is the size of its content, and the second says how it is altered.
std::string sealed(std::string_view input) {
  std::string wire;
  std::uint64_t counter = 2;
  while (input.size() >= 2) {
    const auto size = static_cast<unsigned char>(input[0]);
    const auto alteration = static_cast<unsigned char>(input[1]);
    const auto content = input.substr(2, size);
    input.remove_prefix(2 + content.size());
    counter += alteration == 1 ? 0 : 1;
    auto body = test::bytes("07 'MESSAGE'") + test::big_endian(counter, 8) +
                test::boxed(content, curve::make_nonce("CurveZMQMESSAGEC", counter), traffic_key());
    if (alteration == 2) {
      body.back() = static_cast<char>(body.back() ^ 1);
    }
    wire += test::frame(alteration == 3 ? test::command : 0U, body);
  }
  return wire;
}

void try_traffic(std::string_view wire) {
  const auto whole = read(wire, wire.size() + 1);
  require(read(wire, 1) == whole, "the same becomes of it byte by byte");
  require(read(wire, 37) == whole, "the same becomes of pieces");
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  using namespace zmtp::fuzz;
  const auto input = text_of(data, size).substr(1);
  switch (data[0] % 3) {
    case 0: try_handshake(input); break;
    case 1: require(read(input, input.size() + 1).frames.empty(), "a stranger is not heard"); break;
    default: try_traffic(sealed(input)); break;
  }
  return 0;
}
