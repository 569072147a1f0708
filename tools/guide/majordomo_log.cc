#include "tools/guide/majordomo_log.h"

#include "mdp/error.h"
#include "tools/guide/clock_log.h"
#include "tools/guide/dump.h"
#include "tools/guide/program.h"
#include "tools/zinc/printable.h"

#include <boost/asio/error.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>

namespace guide {

namespace {

using names = std::array<std::string_view, 7>;

// Names of the commands, by their bytes.
constexpr names commands_of_0_1{"", "READY", "REQUEST", "REPLY", "HEARTBEAT", "DISCONNECT", ""};
constexpr names commands_of_0_2{"",      "READY",     "REQUEST",   "PARTIAL",
                                "FINAL", "HEARTBEAT", "DISCONNECT"};

// Returns the name of a valid command to or from a worker. Returns an empty text for any other message.
std::string_view worker_command(const zmtp::message& m) {
  const std::size_t header = !m.empty() && m.front().empty() ? 1 : 0;
  if (m.size() < header + 2 || m[header + 1].size() != 1) {
    return {};
  }
  const auto byte = static_cast<unsigned char>(m[header + 1].front());
  const bool old = m[header] == "MDPW01";
  if ((!old && m[header] != "MDPW02") || byte >= names{}.size()) {
    return {};
  }
  return (old ? commands_of_0_1 : commands_of_0_2)[byte];
}

void log_connecting(const std::string& broker) { log("I: connecting to broker at {}...", broker); }

void log_event(const mdp::broker_event& event, std::string_view peer) {
  switch (event.what) {
    using enum mdp::broker_event::kind;
    case worker_registered: log("I: registering new worker: {}", hexadecimal(peer)); return;
    case worker_unregistered:
    case access_refused: return;  // not logged by the Guide's broker
    case worker_expired: log("I: deleting expired worker: {}", hexadecimal(peer)); return;
    case service_added: log("I: added service: {}", zinc::printable(event.service)); return;
    case message_refused:
      log("E: invalid message: {}", mdp::make_error_code(event.fault).message());
      return;
  }
}

}  // namespace

mdp::broker_handlers broker_log(bool wanted) {
  if (!wanted) {
    return {};
  }
  return {.on_received =
              [](std::string_view peer, const zmtp::message& m) {
                log_line("I: received message:");
                dump(m, peer);
              },
          .on_send =
              [](std::string_view peer, const zmtp::message& m) {
                // The Guide's broker does not log messages to clients.
                if (const auto command = worker_command(m); !command.empty()) {
                  log("I: sending {} to worker", command);
                  dump(m, peer);
                }
              },
          .on_event = log_event};
}

mdp::conversation_handlers worker_log(bool wanted, const std::string& broker) {
  if (!wanted) {
    return {};
  }
  log_connecting(broker);
  const auto sent_away = std::make_shared<bool>(false);
  return {.on_received =
              [sent_away](const zmtp::message& m) {
                log_line("I: received message from broker:");
                dump(m);
                *sent_away = worker_command(m) == "DISCONNECT";
              },
          .on_send =
              [](const zmtp::message& m) {
                log("I: sending {} to broker", worker_command(m));
                dump(m);
              },
          .on_lost =
              [sent_away, broker] {
                if (!*sent_away) {
                  log_line("W: disconnected from broker - retrying...");
                }
                log_connecting(broker);
              }};
}

mdp::conversation_handlers client_log(bool wanted, const std::string& broker, client_socket on) {
  if (!wanted) {
    return {};
  }
  log_connecting(broker);
  const auto dump_seen = [on](zmtp::message m) {
    if (on == client_socket::req && !m.empty() && m.front().empty()) {
      m.pop_front();
    }
    dump(m);
  };
  return {.on_received =
              [dump_seen](const zmtp::message& m) {
                log_line("I: received reply:");
                dump_seen(m);
              },
          .on_send =
              [dump_seen](const zmtp::message& m) {
                // The service follows the empty frame and the name of the protocol.
                log("I: send request to '{}' service:", zinc::printable(m[2]));
                dump_seen(m);
              },
          .on_lost =
              [broker] {
                log_line("W: no reply, reconnecting...");
                log_connecting(broker);
              }};
}

void log_unanswered(bool wanted, const boost::system::error_code& why, client_socket on) {
  if (why == boost::asio::error::operation_aborted) {
    say("W: interrupt received, killing client...");
    return;
  }
  if (wanted) {
    log("W: permanent error, abandoning{}", on == client_socket::dealer ? " request" : "");
  }
  fmt::print(stderr, "{}\n", why.message());
}

}  // namespace guide
