#include "zmtp/mechanism/curve_server.h"

#include "zmtp/framing/curve_framing.h"
#include "zmtp/mechanism/curve_commands.h"
#include "zmtp/mechanism/handshake_command.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace zmtp {

namespace {

constexpr std::uint64_t ready_nonce = 1;  // the nonces of a server count from READY on

}  // namespace

curve_server_mechanism::curve_server_mechanism(std::shared_ptr<const curve_key_pair> keys,
                                               metadata own, const limits& limit,
                                               random_bytes random)
    : limit_{limit}, keys_{std::move(keys)}, random_{std::move(random)}, own_{std::move(own)} {}

void curve_server_mechanism::start(std::string&) {}

result<mechanism::progress> curve_server_mechanism::on_command(std::string_view body,
                                                               std::string& output) {
  const auto before = std::exchange(state_, state::failed);
  if (before == state::failed) {
    return errc::unexpected_command;
  }
  const auto command = read_handshake_command(body, limit_, error_reason_);
  if (!command) {
    return command.error();
  }
  if (before == state::hello && command->name == "HELLO") {
    return on_hello(command->data, output);
  }
  if (before == state::initiate && command->name == "INITIATE") {
    return on_initiate(command->data);
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
  state_ = state::initiate;
  return progress::more;
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
  auto properties = metadata::parse(std::string_view{content}.substr(metadata_at), limit_);
  if (!properties) {
    return properties.error();
  }
  peer_ = std::move(*properties);
  state_ = state::authentication;
  return progress::authentication;
}

mechanism::progress curve_server_mechanism::authenticated(std::string&) {
  assert(state_ == state::authentication);
  state_ = state::admission;
  return progress::admission;
}

mechanism::progress curve_server_mechanism::admit(std::string& output) {
  assert(state_ == state::admission);
  state_ = state::done;
  std::string data;
  curve::put_counter(data, ready_nonce);
  curve::put_box(data, curve::bytes_of(encoded(own_)),
                 curve::make_nonce(curve::ready::prefix, ready_nonce), *traffic_);
  command::put(output, "READY", data);
  return progress::done;
}

void curve_server_mechanism::refuse(std::string_view reason, std::string& output) {
  assert(state_ == state::authentication || state_ == state::admission);
  state_ = state::failed;
  command::put_error(output, reason);
}

std::unique_ptr<framing> curve_server_mechanism::take_framing() {
  auto made = std::make_unique<curve_framing>(curve_framing::side::server, *traffic_, ready_nonce,
                                              received_, limit_);
  traffic_.reset();
  return made;
}

}  // namespace zmtp
