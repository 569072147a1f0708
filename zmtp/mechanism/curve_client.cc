#include "zmtp/mechanism/curve_client.h"

#include "zmtp/framing/curve_framing.h"
#include "zmtp/mechanism/curve_commands.h"

#include <array>
#include <utility>

namespace zmtp {

namespace {

// The nonces of a client count its commands.
constexpr std::uint64_t hello_nonce = 1;
constexpr std::uint64_t initiate_nonce = 2;

}  // namespace

curve_client_mechanism::curve_client_mechanism(std::shared_ptr<const curve_client_options> keys,
                                               metadata own, const limits& limit,
                                               random_bytes random)
    : decided_mechanism{std::move(own), limit},
      keys_{std::move(keys)},
      random_{std::move(random)} {}

void curve_client_mechanism::start(std::string& output) {
  auto& s = secrets_.emplace();
  s.own = make_key_pair(random_);
  s.with_server_key = curve::shared_key(keys_->server_key, s.own.secret_key);
  if (!s.with_server_key) {
    expect(state::failed);  // curve_client() refuses such a key
    return;
  }
  std::string data{curve::hello::version};
  data.append(curve::hello::padding, '\0');
  data.append(curve::text_of(s.own.public_key));
  curve::put_counter(data, hello_nonce);
  curve::put_box(data, std::array<std::byte, curve::hello::content_size>{},
                 curve::make_nonce(curve::hello::prefix, hello_nonce), *s.with_server_key);
  command::put(output, "HELLO", data);
}

result<mechanism::progress> curve_client_mechanism::on_named(state at,
                                                             const command::named& received,
                                                             std::string& output) {
  if (at == state::first && received.name == "WELCOME") {
    return on_welcome(received.data, output);
  }
  if (at == state::second && received.name == "READY") {
    return on_ready(received.data);
  }
  return errc::unexpected_command;
}

result<mechanism::progress> curve_client_mechanism::on_welcome(std::string_view data,
                                                               std::string& output) {
  if (data.size() != curve::welcome::size) {
    return errc::bad_command;
  }
  const auto bytes = curve::bytes_of(data);
  std::array<std::byte, curve::welcome::content_size> content;
  if (!curve::open(content, bytes.subspan(curve::long_nonce_size),
                   curve::make_nonce(curve::welcome::prefix, bytes.first<curve::long_nonce_size>()),
                   *secrets_->with_server_key)) {
    return errc::box_not_opened;
  }
  proved_ = true;
  const auto server = curve::key_of(content);
  secrets_->traffic = curve::shared_key(server, secrets_->own.secret_key);
  if (!secrets_->traffic) {
    return errc::box_not_opened;
  }
  put_initiate(server, curve::text_of(std::span{content}.subspan(curve::key_size)), output);
  secrets_->with_server_key.reset();
  return expect(state::second);
}

// The vouch proves the permanent key: its owner has sealed the transient key.
void curve_client_mechanism::put_initiate(const curve_public_key& server, std::string_view cookie,
                                          std::string& output) {
  std::array<std::byte, curve::long_nonce_size> vouch_nonce;
  random_(vouch_nonce);
  std::string vouched{curve::text_of(secrets_->own.public_key)};
  vouched.append(curve::text_of(keys_->server_key));
  const auto vouch_key = curve::shared_key(server, keys_->keys.secret_key);

  std::string content{curve::text_of(keys_->keys.public_key)};
  content.append(curve::text_of(vouch_nonce));
  curve::put_box(content, curve::bytes_of(vouched),
                 curve::make_nonce(curve::initiate::vouch_prefix, vouch_nonce), *vouch_key);
  content.append(own_metadata());

  std::string data{cookie};
  curve::put_counter(data, initiate_nonce);
  curve::put_box(data, curve::bytes_of(content),
                 curve::make_nonce(curve::initiate::prefix, initiate_nonce), *secrets_->traffic);
  command::put(output, "INITIATE", data);
}

result<mechanism::progress> curve_client_mechanism::on_ready(std::string_view data) {
  if (data.size() < curve::ready::least_size) {
    return errc::bad_command;
  }
  const auto counter = curve::counter_of(data);
  if (counter <= received_) {
    return errc::nonce_not_increased;
  }
  std::string content(data.size() - curve::ready::least_size, '\0');
  if (!curve::open(std::as_writable_bytes(std::span{content}),
                   curve::bytes_of(data).subspan(curve::ready::box_at),
                   curve::make_nonce(curve::ready::prefix, counter), *secrets_->traffic)) {
    return errc::box_not_opened;
  }
  received_ = counter;
  return take_metadata(content);
}

std::unique_ptr<framing> curve_client_mechanism::take_framing() {
  auto made = std::make_unique<curve_framing>(curve_framing::side::client, *secrets_->traffic,
                                              initiate_nonce, received_, limit());
  secrets_.reset();
  return made;
}

}  // namespace zmtp
