#include "tools/zinc/status/mmi_report.h"

#include "mdp/broker_report.h"
#include "mdp/titanic/titanic_report.h"
#include "tools/zinc/printable.h"
#include "tools/zinc/status/fault.h"
#include "tools/zinc/units.h"

#include <fmt/core.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace zinc::status {

namespace {

constexpr std::size_t most_list_bytes = 64 * 1024 * 1024;

// Takes the first word, up to `end`, and removes it.
std::string_view take_word(std::string_view& from, char end) {
  const auto word = from.substr(0, from.find(end));
  from.remove_prefix(word.size() < from.size() ? word.size() + 1 : word.size());
  return word;
}

[[noreturn]] void fail(std::string_view what) {
  throw fault{
      exit_code::failed,
      fmt::format("the broker's answer to {} is not that of zinc broker; compare the versions",
                  what)};
}

zmtp::figure_value value_of(zmtp::figure::kind is, std::string_view text,
                            std::string_view service) {
  if (is == zmtp::figure::kind::flag) {
    return text == "true";
  }
  std::uint64_t number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc{} || end != text.data() + text.size()) {
    fail(service);
  }
  return number;
}

// Reads `key=value key=value`. Ignores the figures of a newer broker.
template <class Status>
std::vector<zmtp::figure_sample> samples_of(std::span<const zmtp::figure_of<Status>> table,
                                            std::string_view line, std::string_view service) {
  std::vector<zmtp::figure_sample> found;
  while (!line.empty()) {
    auto text = take_word(line, ' ');
    const auto key = take_word(text, '=');
    for (const auto& each : table) {
      if (each.what.key == key) {
        found.push_back({&each.what, value_of(each.what.is, text, service)});
      }
    }
  }
  return found;
}

using parts = std::vector<std::string_view>;

// Returns the parts after the status. Each thing has `size` of them.
parts things_of(const zmtp::message& reply, std::size_t size, std::string_view service) {
  parts all{reply.begin(), reply.end()};
  if (all.empty()) {
    fail(service);
  }
  if (all.front() == "501") {
    throw fault{exit_code::failed, fmt::format("the broker does not know {}; connect to a zinc "
                                               "broker of this version, or read its --http",
                                               service)};
  }
  if (all.front() != "200" || (all.size() - 1) % size != 0) {
    fail(service);
  }
  all.erase(all.begin());
  return all;
}

// A broker that has looked at many peers and found none to list says where to go on.
bool is_only_a_place(std::string_view figures) { return figures.empty(); }

std::optional<std::string> next_page(const parts& things, std::size_t size) {
  return things.empty() ? std::optional<std::string>{}
                        : std::optional{std::string{things[things.size() - size]}};
}

}  // namespace

void mmi_report::add_broker(const zmtp::message& reply) {
  const std::string_view service = "mmi.broker";
  const auto things = things_of(reply, 1, service);
  if (things.size() != 1) {
    fail(service);
  }
  all_.records.push_back({.group = "broker",
                          .labels = {{"endpoint", endpoint_}},
                          .samples = samples_of(mdp::broker_figures(), things[0], service)});
  for (const auto& each : all_.records.back().samples) {
    const auto* const flag = std::get_if<bool>(&each.value);
    if (each.what->key == "draining" && flag != nullptr && *flag) {
      all_.not_ready = http::broker_drains;
    }
  }
}

std::optional<std::string> mmi_report::add_services(const zmtp::message& reply) {
  const std::string_view service = "mmi.services";
  const auto things = things_of(reply, 2, service);
  for (std::size_t i = 0; i < things.size(); i += 2) {
    all_.records.push_back({.group = "service",
                            .labels = {{"endpoint", endpoint_}, {"service", printable(things[i])}},
                            .samples = samples_of(mdp::service_figures(), things[i + 1], service)});
  }
  return next_page(things, 2);
}

std::optional<std::string> mmi_report::add_workers(const zmtp::message& reply) {
  const std::string_view service = "mmi.workers";
  const auto things = things_of(reply, 4, service);
  for (std::size_t i = 0; i < things.size(); i += 4) {
    if (is_only_a_place(things[i + 3])) {
      continue;
    }
    all_.records.push_back({.group = "worker",
                            .labels = {{"endpoint", endpoint_},
                                       {"worker", printable(things[i])},
                                       {"service", printable(things[i + 1])},
                                       {"user", printable(things[i + 2])}},
                            .samples = samples_of(mdp::worker_figures(), things[i + 3], service)});
  }
  return next_page(things, 4);
}

std::optional<std::string> mmi_report::add_clients(const zmtp::message& reply) {
  const std::string_view service = "mmi.clients";
  const auto things = things_of(reply, 3, service);
  for (std::size_t i = 0; i < things.size(); i += 3) {
    if (is_only_a_place(things[i + 2])) {
      continue;
    }
    all_.records.push_back({.group = "client",
                            .labels = {{"endpoint", endpoint_},
                                       {"client", printable(things[i])},
                                       {"user", printable(things[i + 1])}},
                            .samples = samples_of(mdp::client_figures(), things[i + 2], service)});
  }
  return next_page(things, 3);
}

std::optional<std::string> mmi_report::add_titanic(const zmtp::message& reply) {
  const std::string_view service = "mmi.titanic";
  if (!reply.empty() && reply.front() == "404") {
    return std::nullopt;
  }
  // The state is one part. The services of the first page follow it.
  parts things{reply.begin(), reply.end()};
  if (things.size() < 2 || things.front() != "200" || things.size() % 2 != 0) {
    fail(service);
  }
  bool first = true;
  for (const auto& each : all_.records) {
    first = first && each.group != "titanic";
  }
  if (first) {
    all_.records.push_back(
        {.group = "titanic",
         .labels = {},
         .samples = samples_of(mdp::titanic::titanic_figures(), things[1], service)});
  }
  things.erase(things.begin(), things.begin() + 2);
  for (std::size_t i = 0; i < things.size(); i += 2) {
    all_.records.push_back(
        {.group = "titanic_service",
         .labels = {{"service", printable(things[i])}},
         .samples = samples_of(mdp::titanic::titanic_service_figures(), things[i + 1], service)});
  }
  return next_page(things, 2);
}

bool is_service_after(std::string_view name, std::string_view previous) noexcept {
  return name > previous;
}

bool is_peer_after(std::string_view name, std::string_view previous) noexcept {
  const auto at = mdp::peer_of(name);
  const auto before = mdp::peer_of(previous);
  return at && (previous.empty() || (before && at->slot > before->slot));
}

void paging::take(std::size_t bytes, std::optional<std::string> next, clock::time_point now) {
  bytes_ += bytes;
  if (bytes_ > most_list_bytes) {
    throw fault{exit_code::failed, fmt::format("the list of {} is larger than {}", service_,
                                               text_of_size(most_list_bytes))};
  }
  if (next && !after_(*next, *next_)) {
    fail(service_);
  }
  if (next && now > deadline_) {
    throw fault{exit_code::no_answer,
                fmt::format("the list of {} is not complete within --timeout", service_)};
  }
  next_ = std::move(next);
}

}  // namespace zinc::status
