#include "tools/zinc/tls_flags.h"

#include "tools/zinc/security_files.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/framing/websocket_frame.h"
#include "zmtp/transport/tls_context.h"

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace zinc {

namespace {

constexpr auto certificate_option = "--tls-certificate";
constexpr auto key_option = "--tls-key";
constexpr auto trusted_option = "--tls-trusted";
constexpr auto name_option = "--tls-server-name";

// Loads the files as a socket does that binds to, or connects to, this endpoint.
void load_files(const zmtp::tls_options& options, zmtp::websocket::side own,
                const std::string& at) {
  boost::asio::io_context context;
  const auto made = zmtp::transport::tls_context::make(own, *zmtp::endpoint::parse(at), options,
                                                       context.get_executor());
  if (made) {
    return;
  }
  const auto file = std::string{zmtp::file_with_fault(options, made.error())};
  const auto option_of_key = options.private_key.empty() ? certificate_option : key_option;
  if (made.error() == zmtp::errc::bad_certificate_file) {
    refuse(certificate_option, file + " has no certificate as PEM; give a file with one");
  } else if (made.error() == zmtp::errc::bad_key_file) {
    refuse(option_of_key,
           file + " has no private key as PEM without a password; give a file with one");
  } else if (made.error() == zmtp::errc::foreign_key) {
    refuse(option_of_key, fmt::format("{} has the key of another certificate; give that of {}",
                                      file, options.certificate));
  } else if (made.error() == zmtp::errc::bad_trusted_file) {
    refuse(trusted_option, file + " has no certificate as PEM; give a file with one");
  }
  // The socket reports everything else.
}

}  // namespace

void add_tls(CLI::App& group, zmtp::tls_options& to) {
  group
      .add_option(certificate_option, to.certificate,
                  "tls+tcp:// and wss://: own certificate and those of its issuers, as PEM")
      ->type_name("FILE");
  group
      .add_option(key_option, to.private_key,
                  "private key of --tls-certificate, as PEM; by default in the same file")
      ->type_name("FILE");
  group
      .add_option(
          trusted_option, to.trusted,
          "authorities, as PEM: connecting, of servers, by default the system's; binding, of "
          "clients, which must then show a certificate")
      ->type_name("FILE");
  group
      .add_option(name_option, to.server_name,
                  "connecting with TLS: name in the certificate of the server, by default the host "
                  "of the endpoint")
      ->type_name("NAME");
}

void check_tls(const zmtp::tls_options& options, const std::vector<std::string>& bound,
               const std::vector<std::string>& connected) {
  if (!options.private_key.empty() && options.certificate.empty()) {
    refuse(key_option, fmt::format("needs {} FILE", certificate_option));
  }
  for (const auto& at : bound) {
    if (has_tls(at) && options.certificate.empty()) {
      refuse(certificate_option,
             fmt::format("is missing; {} needs the certificate of this server", at));
    }
  }
  const bool connects = std::ranges::any_of(connected, has_tls);
  if (!options.server_name.empty() && !connects) {
    refuse(name_option, "is for sockets that connect with TLS, and none does; omit it");
  }
  zmtp::socket_options checked;
  checked.transport.tls = options;
  if (const auto fault = zmtp::find_fault(checked)) {
    refuse(name_option, std::string{fault->rule});
  }
  // Without TLS, nothing would be encrypted and no client would be checked.
  const bool used = connects || std::ranges::any_of(bound, has_tls);
  for (const auto& [option, path] :
       {std::pair{certificate_option, options.certificate},
        std::pair{key_option, options.private_key}, std::pair{trusted_option, options.trusted}}) {
    if (!path.empty() && !used) {
      refuse(option, "is for tls+tcp:// and wss://, and no endpoint is one; give one, or omit it");
    }
    // The text of a missing file names the option here, and not the member of a struct.
    if (!path.empty()) {
      check_file(option, path);
    }
  }
  for (const auto& at : bound) {
    if (has_tls(at)) {
      load_files(options, zmtp::websocket::side::server, at);
    }
  }
  for (const auto& at : connected) {
    if (has_tls(at)) {
      load_files(options, zmtp::websocket::side::client, at);
    }
  }
  const auto& secret = options.private_key.empty() ? options.certificate : options.private_key;
  if (!secret.empty()) {
    warn_if_others_may_read(options.private_key.empty() ? certificate_option : key_option, secret);
  }
}

bool has_tls(std::string_view endpoint) {
  const auto parsed = zmtp::endpoint::parse(endpoint);
  return parsed && parsed->tls_host() != nullptr;
}

}  // namespace zinc
