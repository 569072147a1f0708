#include "tools/zinc/dump/recognizer.h"

#include "mdp/announcement.h"
#include "tools/zinc/dump/titanic_words.h"
#include "zmtp/command.h"
#include "zmtp/pattern/pirate_message.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>
#include <variant>

namespace zinc::dump {

namespace {

using zmtp::socket_type;

side other(side one) { return one == side::connecting ? side::accepting : side::connecting; }

// The header of MDP in a message, or nothing.
struct header {
  bool client;
  mdp::dialect how;
};

std::optional<header> header_of(const zmtp::message& m) {
  const bool delimited = m.front().empty();
  if (delimited && m.size() < 2) {
    return std::nullopt;
  }
  const auto name = m[delimited ? 1 : 0];
  const bool client = name.starts_with("MDPC");
  if (name == "MDPC01" || name == "MDPW01") {
    return header{client, mdp::dialect::v01};
  }
  if (name == "MDPC02" || name == "MDPW02") {
    return header{client, delimited ? mdp::dialect::v02_delimited : mdp::dialect::v02};
  }
  return std::nullopt;
}

void add_name(recognized& to, std::string_view command) { to.name.append(1, ' ').append(command); }

void add_text(recognized& to, std::string name, std::string_view text) {
  to.fields.push_back({std::move(name), std::string{text}});
}

void pop(zmtp::message& m, int parts) {
  for (; parts > 0; --parts) {
    m.pop_front();
  }
}

}  // namespace

void recognizer::on_metadata(side from, const zmtp::metadata& announced) {
  auto& one = peers_[static_cast<std::size_t>(from)];
  if (const auto* const name = announced.find("Socket-Type")) {
    one.type = zmtp::parse_socket_type(*name);
  }
  one.principals = mdp::parse_announcement(announced).principals;
}

std::optional<recognized> recognizer::look(side from, const zmtp::message& m,
                                           std::uint64_t last_size) {
  if (auto found = look_for_subscription(from, m)) {
    return found;
  }
  if (auto found = look_for_mdp(from, m)) {
    return found;
  }
  if (auto found = look_for_pair(m)) {
    return found;
  }
  if (auto found = look_for_snapshot(from, m, last_size)) {
    return found;
  }
  if (auto found = look_for_update(from, m, last_size)) {
    return found;
  }
  return look_for_pirate(from, m);
}

std::optional<recognized> recognizer::look_for_subscription(side from,
                                                            const zmtp::message& m) const {
  if (m.size() != 1 || (!is(from, socket_type::sub) && !is(from, socket_type::xsub))) {
    return std::nullopt;
  }
  const auto parsed = zmtp::command::parse_subscription(m.front());
  const auto* const found = std::get_if<zmtp::command::subscription>(&parsed);
  if (found == nullptr) {
    return std::nullopt;
  }
  recognized made{found->subscribe ? "SUBSCRIBE" : "CANCEL"};
  add_text(made, "topic", found->topic);
  return made;
}

// A broker is a ROUTER. Without socket types, it is the side that accepts.
bool recognizer::from_broker(side from) const {
  const bool here = is(from, socket_type::router);
  const bool there = is(other(from), socket_type::router);
  return here == there ? from == side::accepting : here;
}

std::optional<recognized> recognizer::look_for_mdp(side from, const zmtp::message& m) {
  const auto found = header_of(m);
  if (!found) {
    return std::nullopt;
  }
  recognized made{fmt::format("MDP/{} 0.{}", found->client ? "Client" : "Worker",
                              found->how == mdp::dialect::v01 ? 1 : 2)};
  auto rest = m;
  const auto take = [&](auto&& parsed) {
    if (!parsed) {
      add_name(made, "malformed");
      add_text(made, "fault", mdp::make_error_code(parsed.error()).message());
      return;
    }
    std::visit([&](const auto& command) { add(made, command, rest); }, *parsed);
  };
  if (!from_broker(from)) {
    take(mdp::parse_for_broker(rest));
  } else if (!found->client) {
    const bool principals = of(side::connecting).principals && of(side::accepting).principals;
    take(mdp::parse_for_worker(rest, found->how, principals));
  } else {
    if (found->how == mdp::dialect::v02_delimited) {
      rest.pop_front();
    }
    const auto parsed = mdp::parse_for_client(rest, mdp::version_of(found->how));
    if (!parsed) {
      add_name(made, "malformed");
      add_text(made, "fault", mdp::make_error_code(parsed.error()).message());
    } else {
      const bool old = found->how == mdp::dialect::v01;
      add_name(made, old ? "REPLY" : parsed->final ? "FINAL" : "PARTIAL");
      const std::string service{parsed->service};
      add_text(made, "service", service);
      rest.pop_front();
      add_titanic_answer(made.fields, service, rest);
    }
  }
  return made;
}

void recognizer::add(recognized& to, const mdp::client_request& command, zmtp::message& rest) {
  add_name(to, "REQUEST");
  const std::string service{command.service};
  add_text(to, "service", service);
  if (command.attempt) {
    to.fields.push_back({"attempt", std::uint64_t{command.attempt->number}});
  }
  if (command.on_behalf_of) {
    add_text(to, "on_behalf_of", *command.on_behalf_of);
  }
  rest.pop_front();
  add_titanic_request(to.fields, service, rest);
}

void recognizer::add(recognized& to, const mdp::worker_ready& command, zmtp::message&) {
  service_ = command.service;
  add_name(to, "READY");
  add_text(to, "service", service_);
}

void recognizer::add(recognized& to, const mdp::worker_reply& command, zmtp::message& rest) {
  const bool old = command.how == mdp::dialect::v01;
  add_name(to, old ? "REPLY" : command.final ? "FINAL" : "PARTIAL");
  add_text(to, "client", command.address);
  pop(rest, 2);
  add_titanic_answer(to.fields, service_, rest);
}

void recognizer::add(recognized& to, const mdp::worker_nack& command, zmtp::message&) {
  add_name(to, "NACK");
  add_text(to, "client", command.address);
  add_text(to, "reason", command.reason == mdp::nack_reason::refused ? "refused" : "failed");
}

void recognizer::add(recognized& to, const mdp::worker_drain&, zmtp::message&) {
  add_name(to, "DRAIN");
}
void recognizer::add(recognized& to, const mdp::worker_heartbeat&, zmtp::message&) {
  add_name(to, "HEARTBEAT");
}
void recognizer::add(recognized& to, const mdp::worker_disconnect&, zmtp::message&) {
  add_name(to, "DISCONNECT");
}
void recognizer::add(recognized& to, const mdp::broker_heartbeat&, zmtp::message&) {
  add_name(to, "HEARTBEAT");
}
void recognizer::add(recognized& to, const mdp::broker_disconnect&, zmtp::message&) {
  add_name(to, "DISCONNECT");
}

void recognizer::add(recognized& to, const mdp::broker_request& command, zmtp::message& rest) {
  add_name(to, "REQUEST");
  add_text(to, "client", command.address);
  if (command.principal) {
    add_text(to, "principal", *command.principal);
  }
  pop(rest, 2);
  add_titanic_request(to.fields, service_, rest);
}

std::optional<recognized> recognizer::look_for_pirate(side from, const zmtp::message& m) {
  if (!is(from, socket_type::dealer) && !is(from, socket_type::router)) {
    return std::nullopt;
  }
  auto copy = m;
  const auto found = zmtp::parse_pirate(copy, zmtp::pirate_protocol::paranoid);
  if (!found) {
    return std::nullopt;
  }
  switch (*found) {
    case zmtp::pirate_kind::ready:
      pirates_ = is(from, socket_type::dealer);
      return pirates_ ? std::optional{recognized{"PPP READY"}} : std::nullopt;
    case zmtp::pirate_kind::heartbeat:
      return pirates_ ? std::optional{recognized{"PPP HEARTBEAT"}} : std::nullopt;
    case zmtp::pirate_kind::request:
      return pirates_ ? std::optional{recognized{is(from, socket_type::dealer) ? "PPP REPLY"
                                                                               : "PPP REQUEST"}}
                      : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace zinc::dump
