#include "zmtp/mechanism/curve_server.h"

#include "zmtp/framing/curve_framing.h"
#include "zmtp/mechanism/curve_commands.h"

#include <algorithm>
#include <array>
#include <utility>

namespace zmtp {

namespace {

constexpr std::uint64_t ready_nonce = 1;  // the nonces of a server count from READY on

}  // namespace

curve_server_mechanism::curve_server_mechanism(std::shared_ptr<const curve_key_pair> keys,
                                               metadata own, const limits& limit,
                                               random_bytes random)
    : decided_mechanism{std::move(own), limit},
      keys_{std::move(keys)},
      random_{std::move(random)} {}

result<mechanism::progress> curve_server_mechanism::on_named(state at,
                                                             const command::named& received,
                                                             std::string& output) {
  if (at == state::first && received.name == "HELLO") {
    return on_hello(received.data, output);
  }
  if (at == state::second && received.name == "INITIATE") {
    return on_initiate(received.data);
  }
  return errc::unexpected_command;
}

result<mechanism::progress> curve_server_mechanism::on_hello(std::string_view data,
                                                             std::string& output) {
  using namespace curve::hello;
  if (data.size() != size) {
    return errc::bad_command;
  }
  if (!data.starts_with(version)) {
    return errc::bad_curve_version;
  }
  const auto bytes = curve::bytes_of(data);
  const auto client = curve::key_of(bytes.subspan(key_at));
  const auto counter = curve::counter_of(data.substr(nonce_at));
  const auto with_client = curve::shared_key(client, keys_->secret_key);
  std::array<std::byte, content_size> zeros;
  if (!with_client || !curve::open(zeros, bytes.subspan(box_at), curve::make_nonce(prefix, counter),
                                   *with_client)) {
    return errc::box_not_opened;
  }
  received_ = counter;
  put_welcome(client, *with_client, output);
  return expect(state::second);
}

void curve_server_mechanism::put_welcome(const curve_public_key& client,
                                         const curve::box_key& with_client, std::string& output) {
  const auto own = make_key_pair(random_);
  std::array<std::byte, 2 * curve::long_nonce_size> nonces;
  random_(nonces);
  const auto cookie_nonce = std::span{nonces}.first<curve::long_nonce_size>();
  const auto welcome_nonce = std::span{nonces}.last<curve::long_nonce_size>();
  random_(cookie_key_.emplace().bytes());

  secret_bytes<2 * curve::key_size> transient;
  std::ranges::copy(client, transient.bytes().begin());
  std::ranges::copy(own.secret_key.bytes(), transient.bytes().begin() + curve::key_size);

  std::string content{curve::text_of(own.public_key)};
  content.append(curve::text_of(cookie_nonce));
  curve::put_box(content, transient.bytes(),
                 curve::make_nonce(curve::welcome::cookie_prefix, cookie_nonce), *cookie_key_);

  std::string data{curve::text_of(welcome_nonce)};
  curve::put_box(data, curve::bytes_of(content),
                 curve::make_nonce(curve::welcome::prefix, welcome_nonce), with_client);
  command::put(output, "WELCOME", data);
}

result<mechanism::progress> curve_server_mechanism::on_initiate(std::string_view data) {
  using namespace curve::initiate;
  const auto cookie_key = std::exchange(cookie_key_, std::nullopt);
  if (data.size() < least_size) {
    return errc::bad_command;
  }
  const auto counter = curve::counter_of(data.substr(nonce_at));
  if (counter <= received_) {
    return errc::nonce_not_increased;
  }
  const auto bytes = curve::bytes_of(data);
  secret_bytes<2 * curve::key_size> transient;
  if (!curve::open(
          transient.bytes(), bytes.first(curve::cookie_size).subspan(curve::long_nonce_size),
          curve::make_nonce(curve::welcome::cookie_prefix, bytes.first<curve::long_nonce_size>()),
          *cookie_key)) {
    return errc::bad_cookie;
  }
  const auto client = curve::key_of(transient.bytes());
  const curve_secret_key own{transient.bytes().last<curve::key_size>()};
  traffic_ = curve::shared_key(client, own);
  std::string content(data.size() - box_at - curve::box_overhead, '\0');
  if (!traffic_ || !curve::open(std::as_writable_bytes(std::span{content}), bytes.subspan(box_at),
                                curve::make_nonce(prefix, counter), *traffic_)) {
    return errc::box_not_opened;
  }
  received_ = counter;

  const auto inside = curve::bytes_of(content);
  const auto claimed = curve::key_of(inside);
  const auto vouch = inside.subspan(vouch_at, curve::vouch_size);
  const auto vouch_key = curve::shared_key(claimed, own);
  std::array<std::byte, 2 * curve::key_size> vouched;
  if (!vouch_key ||
      !curve::open(vouched, vouch.subspan(curve::long_nonce_size),
                   curve::make_nonce(vouch_prefix, vouch.first<curve::long_nonce_size>()),
                   *vouch_key) ||
      !equal_secrets(std::span{vouched}.first(curve::key_size), client) ||
      !equal_secrets(std::span{vouched}.last(curve::key_size), keys_->public_key)) {
    return errc::bad_vouch;
  }
  client_ = claimed;
  return take_metadata(std::string_view{content}.substr(metadata_at));
}

void curve_server_mechanism::put_admitted(std::string& output) {
  std::string data;
  curve::put_counter(data, ready_nonce);
  curve::put_box(data, curve::bytes_of(own_metadata()),
                 curve::make_nonce(curve::ready::prefix, ready_nonce), *traffic_);
  command::put(output, "READY", data);
}

std::unique_ptr<framing> curve_server_mechanism::take_framing() {
  auto made = std::make_unique<curve_framing>(curve_framing::side::server, *traffic_, ready_nonce,
                                              received_, limit());
  traffic_.reset();
  return made;
}

}  // namespace zmtp
