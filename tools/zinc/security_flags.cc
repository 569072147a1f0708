#include "tools/zinc/security_flags.h"

#include "tools/zinc/security_files.h"
#include "tools/zinc/tls_flags.h"
#include "zmtp/endpoint.h"
#include "zmtp/mechanism/curve.h"

#include <CLI/CLI.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace zinc {

namespace {

namespace fs = std::filesystem;

constexpr auto server_key_option = "--curve-server-key";
constexpr auto peer_option = "--peer-key";
constexpr auto secret_option = "--curve-secret-file";
constexpr auto any_option = "--allow-any-client";
constexpr auto user_option = "--plain-user";
constexpr auto password_option = "--plain-password-file";
constexpr auto origin_option = "--websocket-origin";

constexpr std::size_t most_plain_bytes = 255;  // bytes of a name or a password

zmtp::curve_public_key key_of(const std::string& option, const std::string& text) {
  if (const auto key = zmtp::parse_public_key(text)) {
    return *key;
  }
  std::error_code ignored;
  if (!fs::exists(text, ignored)) {
    refuse(
        option,
        fmt::format("'{}' is neither a key of 40 characters in Z85 nor a file; give the key that "
                    "zinc keygen printed, or the server's public certificate",
                    text));
  }
  return certificate_of(option, text).public_key;
}

zmtp::curve_key_pair own_keys(const std::string& path) {
  auto own = certificate_of(secret_option, path);
  if (!own.secret_key) {
    refuse(secret_option,
           fmt::format("{} has no secret key; give the _secret file of zinc keygen", path));
  }
  warn_if_others_may_read(secret_option, path);
  return {own.public_key, *own.secret_key};
}

// Calls `make`, which checks the keys.
template <class Make>
zmtp::custom_security checked(const std::string& option, Make make) {
  try {
    return make();
  } catch (const boost::system::system_error& e) {
    refuse(option, fmt::format("{}; create keys with zinc keygen", e.what()));
  }
}

bool has_curve(const security_arguments& a) {
  return !a.server_key.empty() || !a.peer_key.empty() || !a.secret_file.empty() ||
         !a.authorized_keys.empty() || a.allow_any_client;
}
bool has_plain(const security_arguments& a) {
  return !a.plain_user.empty() || !a.plain_password_file.empty() || !a.plain_users.empty();
}

// Refuses options that would have no effect, and missing ones.
void check_curve(const security_arguments& a, const socket_use& use) {
  const bool binds = !use.bound.empty();
  const auto* const admits = a.authorized_keys.empty() ? any_option : authorized_option;
  if (!a.server_key.empty() && !use.connects()) {
    refuse(server_key_option, "is for connecting, and no endpoint is connected to; omit it");
  }
  if ((a.allow_any_client || !a.authorized_keys.empty()) && !binds) {
    refuse(admits, "is for binding, and no endpoint is bound; omit it");
  }
  if (!a.peer_key.empty() && !a.server_key.empty()) {
    refuse(peer_option,
           fmt::format("names the peer, as {} does; give one of them", server_key_option));
  }
  if (a.secret_file.empty()) {
    refuse(!a.peer_key.empty()     ? peer_option
           : !a.server_key.empty() ? server_key_option
                                   : admits,
           fmt::format("needs {} FILE; create one with zinc keygen", secret_option));
  }
  if (a.allow_any_client && !a.authorized_keys.empty()) {
    refuse(any_option, fmt::format("contradicts {}; give one of them", authorized_option));
  }
  if (binds && !a.allow_any_client && a.authorized_keys.empty()) {
    refuse(secret_option, fmt::format("a server needs {} or {}", authorized_option, any_option));
  }
  if (use.connects() && a.server_key.empty() && a.peer_key.empty()) {
    refuse(secret_option,
           fmt::format("a client needs {}, the key that the server shows", server_key_option));
  }
}

secured_sockets with_curve(const security_arguments& a, const socket_use& use) {
  check_curve(a, use);
  const auto keys = own_keys(a.secret_file);
  secured_sockets made;
  if (!use.bound.empty()) {
    made.bound.security = checked(secret_option, [&] {
      return zmtp::curve_server({.keys = keys, .allow_any_client = a.allow_any_client});
    });
    if (!a.authorized_keys.empty()) {
      made.bound.authenticator = load_authorized_keys(a.authorized_keys);
    }
  }
  if (use.connects()) {
    const bool is_pair = !a.peer_key.empty();
    const std::string option = is_pair ? peer_option : server_key_option;
    const auto server = key_of(option, is_pair ? a.peer_key : a.server_key);
    made.connected.security =
        checked(option, [&] { return zmtp::curve_client({.server_key = server, .keys = keys}); });
    if (is_pair) {
      made.peer_key = server;
    }
  }
  return made;
}

zmtp::plain_client_security plain_client(const security_arguments& a) {
  if (a.plain_user.empty()) {
    refuse(a.plain_password_file.empty() ? plain_users_option : password_option,
           fmt::format("needs {} NAME, because sockets connect", user_option));
  }
  if (a.plain_password_file.empty()) {
    refuse(user_option, fmt::format("needs {} FILE", password_option));
  }
  if (a.plain_user.size() > most_plain_bytes) {
    refuse(user_option, "is too long; give at most 255 bytes");
  }
  auto password = text_of_file(password_option, a.plain_password_file);
  password.resize(std::min(password.size(), password.find_first_of("\r\n")));
  if (password.empty() || password.size() > most_plain_bytes) {
    refuse(password_option,
           fmt::format("{} has no password; write 1 to 255 bytes into its first line",
                       a.plain_password_file));
  }
  warn_if_others_may_read(password_option, a.plain_password_file);
  return {a.plain_user, std::move(password)};
}

secured_sockets with_plain(const security_arguments& a, const socket_use& use) {
  const bool names_user = !a.plain_user.empty() || !a.plain_password_file.empty();
  secured_sockets made;
  if (use.bound.empty()) {
    if (!a.plain_users.empty()) {
      refuse(plain_users_option, "is for sockets that bind, and none is bound; omit it");
    }
  } else {
    if (a.plain_users.empty()) {
      refuse(a.plain_user.empty() ? password_option : user_option,
             fmt::format("is for sockets that connect; a server needs {} FILE, made by zinc passwd",
                         plain_users_option));
    }
    made.bound.security = zmtp::plain_server_security{};
    made.bound.authenticator = load_plain_users(a.plain_users);
  }
  if (use.connects()) {
    made.connected.security = plain_client(a);
  } else if (names_user) {
    refuse(a.plain_user.empty() ? password_option : user_option,
           "is for sockets that connect, and none connects; omit it");
  }
  return made;
}

void warn_of_open_endpoints(const std::vector<std::string>& bound, bool plain, bool knows_clients) {
  for (const auto& at : bound) {
    const bool encrypted = has_tls(at);
    if (is_local(at) || (encrypted && (plain || knows_clients))) {
      continue;
    }
    if (encrypted) {
      warn(fmt::format("{} is open to the network without authentication; give --tls-trusted", at));
    } else {
      warn(fmt::format("{} is open to the network {}; bind to 127.0.0.1 or ipc, or give {}", at,
                       plain ? "and PLAIN sends passwords and messages in clear text"
                             : "without authentication and encryption",
                       secret_option));
    }
  }
}

}  // namespace

void add_security(CLI::App& app, security_arguments& to) {
  auto* const group = app.add_option_group("security", "Security of connections");
  group
      ->add_option(
          server_key_option, to.server_key,
          "connecting: use CURVE, and only with the server that has this public key, of 40 "
          "characters, or this public certificate")
      ->type_name("KEY|FILE");
  group
      ->add_option(secret_option, to.secret_file,
                   "own certificate for CURVE: the _secret file of zinc keygen")
      ->type_name("FILE");
  group
      ->add_option(authorized_option, to.authorized_keys,
                   "binding with CURVE: clients that may connect; a folder of public certificates, "
                   "or a file with one key in each line")
      ->type_name("DIR|FILE");
  group->add_flag(
      any_option, to.allow_any_client,
      "binding with CURVE: let every client in that knows the public key of this server");
  group
      ->add_option(user_option, to.plain_user,
                   "connecting: use PLAIN with this name, which is not encrypted")
      ->type_name("NAME");
  group
      ->add_option(password_option, to.plain_password_file,
                   "file whose first line is the password for --plain-user")
      ->type_name("FILE");
  group
      ->add_option(plain_users_option, to.plain_users,
                   "binding: use PLAIN, and admit the users in this file of zinc passwd")
      ->type_name("FILE");
  group
      ->add_option(origin_option, to.websocket_origins,
                   "binding to ws://: origin of web pages that may connect, such as "
                   "https://example.org, or * for all pages")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  add_tls(*group, to.tls);
}

void add_peer_key(CLI::App& app, security_arguments& to) {
  app.add_option(peer_option, to.peer_key,
                 "use CURVE, and connect only to the peer with this public key, of 40 characters, "
                 "or this public certificate; state messages of other keys do not count")
      ->type_name("KEY|FILE");
}

secured_sockets read_security(const security_arguments& arguments, const socket_use& use) {
  if (has_curve(arguments) && has_plain(arguments)) {
    refuse(!arguments.plain_user.empty()            ? user_option
           : !arguments.plain_password_file.empty() ? password_option
                                                    : plain_users_option,
           "is for PLAIN, and other options are for CURVE; give those of one mechanism");
  }
  auto made = has_curve(arguments)   ? with_curve(arguments, use)
              : has_plain(arguments) ? with_plain(arguments, use)
                                     : secured_sockets{};
  if (!has_curve(arguments)) {
    warn_of_open_endpoints(use.bound, has_plain(arguments), !arguments.tls.trusted.empty());
  }
  check_tls(arguments.tls, use.bound, use.connected);
  made.bound.transport.tls = arguments.tls;
  made.connected.transport.tls = arguments.tls;
  made.bound.transport.websocket_origins = arguments.websocket_origins;
  if (const auto fault = zmtp::find_fault(made.bound);
      fault && fault->option == "transport.websocket_origins") {
    refuse(origin_option, std::string{fault->rule});
  }
  return made;
}

bool is_local(const std::string& endpoint) {
  const auto parsed = zmtp::endpoint::parse(endpoint);
  const auto below = parsed ? parsed->carrier() : zmtp::endpoint{};
  const auto* const tcp = parsed ? below.tcp() : nullptr;
  if (tcp == nullptr || tcp->host == "localhost" || tcp->host == "lo") {
    return true;
  }
  boost::system::error_code ec;
  const auto address = boost::asio::ip::make_address(tcp->host, ec);
  return !ec && address.is_loopback();
}

}  // namespace zinc
