// The commands of the clustered hashmap (12/CHP).

#include "chp/command.h"
#include "chp/pair_messages.h"
#include "tools/zinc/dump/recognizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <variant>

namespace zinc::dump {

namespace {

using zmtp::socket_type;

constexpr std::size_t kvmsg_frames = 5;

recognized made_of(std::string_view name, const chp::update& of, std::uint64_t value_size) {
  recognized made{fmt::format("CHP {}", name)};
  made.fields.push_back({"key", std::string{of.key}});
  made.fields.push_back({"sequence", of.number});
  if (!of.id.empty()) {
    const auto text = chp::update_id::of_frame(of.id).text();
    made.fields.push_back({"id", std::string{text.begin(), text.end()}});
  }
  if (of.erases()) {
    made.fields.push_back({"erases", std::string{"yes"}});
  } else {
    made.fields.push_back({"value_size", value_size});
  }
  return made;
}

// Lines of NAME=VALUE, as every implementation writes them.
bool are_properties(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    // The end may be cut, so the last line may be incomplete.
    if (line.find('=') == std::string_view::npos && end != std::string_view::npos) {
      return false;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return true;
}

// The form of a message of the snapshot connection.
chp::form form_of(const zmtp::message& m) {
  const bool is_kvmsg = m.size() == kvmsg_frames || m.front() == "LINEAGE";
  const bool is_short = m.size() > 1 && m[1].size() == 4;
  return is_kvmsg ? chp::form::kvmsg : is_short ? chp::form::kvsimple_4 : chp::form::kvsimple_8;
}

}  // namespace

std::optional<recognized> recognizer::look_for_pair(const zmtp::message& m) const {
  // Nothing but a whole name: any other text is the data of a user. The rest may be cut.
  const auto parsed = chp::parse_pair_message(m);
  if (!parsed && parsed.error() == chp::errc::unknown_command) {
    return std::nullopt;
  }
  return recognized{std::string{m.front()}};
}

std::optional<recognized> recognizer::look_for_snapshot(side from, const zmtp::message& m,
                                                        std::uint64_t last_size) {
  if (const auto subtree = chp::parse_snapshot_request(m)) {
    snapshot_asked_by_ = from;
    return recognized{"CHP ICANHAZ", {{"subtree", std::string{*subtree}}}};
  }
  if (!snapshot_asked_by_ || *snapshot_asked_by_ == from) {
    return std::nullopt;
  }
  const auto parsed = chp::parse_snapshot(m, form_of(m), {});
  if (!parsed) {
    return std::nullopt;
  }
  if (const auto* const entry = std::get_if<chp::update>(&*parsed)) {
    return made_of("KVSYNC", *entry, last_size);
  }
  if (const auto* const end = std::get_if<chp::snapshot_end>(&*parsed)) {
    return recognized{"CHP KTHXBAI", {{"sequence", end->number}}};
  }
  if (const auto* const notice = std::get_if<chp::lineage_notice>(&*parsed)) {
    return recognized{"CHP LINEAGE", {{"end", notice->end}}};
  }
  return recognized{"CHP FORBIDDEN", {{"subtree", std::string{m[1]}}}};
}

// KVSET and KVPUB look the same. A client's PUB or PUSH connects to the server, and the server's PUB
// accepts connections.
std::optional<recognized> recognizer::look_for_update(side from, const zmtp::message& m,
                                                      std::uint64_t last_size) const {
  const bool publishes = is(from, socket_type::pub) || is(from, socket_type::xpub);
  if (m.size() != kvmsg_frames || !(publishes || is(from, socket_type::push))) {
    return std::nullopt;
  }
  const auto parsed = chp::parse_publication(m, chp::form::kvmsg, {});
  if (!parsed) {
    return std::nullopt;
  }
  if (std::holds_alternative<chp::heartbeat>(*parsed)) {
    return recognized{"CHP HUGZ"};
  }
  const auto& update = std::get<chp::update>(*parsed);
  if ((!update.id.empty() && update.id.size() != chp::update_id::size) ||
      !are_properties(update.properties)) {
    return std::nullopt;
  }
  return made_of(from == side::connecting ? "KVSET" : "KVPUB", update, last_size);
}

}  // namespace zinc::dump
