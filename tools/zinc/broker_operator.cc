#include "tools/zinc/broker_operator.h"

#include "mdp/broker_report.h"
#include "tools/zinc/printable.h"

#include <boost/asio/post.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace zinc {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

struct worker_id {
  std::size_t broker = 0;
  zmtp::peer_id peer{};
};

// Reads `BROKER.WORKER`: the place of the broker in the process, and the name of the worker.
std::optional<worker_id> parse(std::string_view text) {
  worker_id id;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), id.broker);
  const auto dot = static_cast<std::size_t>(end - text.data());
  if (ec != std::errc{} || dot == text.size() || text[dot] != '.') {
    return std::nullopt;
  }
  const auto peer = mdp::peer_of(text.substr(dot + 1));
  if (!peer) {
    return std::nullopt;
  }
  id.peer = *peer;
  return id;
}

json::object item_of(std::size_t broker, const mdp::worker_status& one) {
  const auto worker = mdp::text_of(one.peer);
  return {{"id", fmt::format("{}.{}", broker, worker)},
          {"worker", worker},
          {"service", printable(one.service)},
          {"user", printable(one.user_id)},
          {"requests", one.working},
          {"capacity", one.capacity},
          {"draining", one.leaving}};
}

}  // namespace

broker_operator::broker_operator(asio::any_io_executor here, std::vector<part> parts)
    : here_{std::move(here)}, parts_{std::move(parts)} {}

http::operations broker_operator::operations(std::string token) {
  return {
      .token = std::move(token),
      .list = [this](take_result take) { list(std::move(take)); },
      .change = [this](const std::string& id, take_result take) { drain(id, std::move(take)); }};
}

void broker_operator::list(take_result take) {
  const auto id = ++last_id_;
  lists_.emplace(id,
                 pending_list{.take = std::move(take),
                              .found = std::vector<std::vector<mdp::worker_status>>(parts_.size()),
                              .missing = parts_.size()});
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    asio::post(parts_[i].executor, [this, id, i] {
      asio::post(here_, [this, id, i, found = parts_[i].workers(most_workers)]() mutable {
        const auto at = lists_.find(id);
        at->second.found[i] = std::move(found);
        if (--at->second.missing != 0) {
          return;
        }
        const auto all = std::move(at->second);
        lists_.erase(at);
        json::array items;
        for (std::size_t broker = 0; broker < all.found.size(); ++broker) {
          for (const auto& one : all.found[broker]) {
            if (items.size() < most_workers) {
              items.push_back(item_of(broker, one));
            }
          }
        }
        all.take({.status = 200,
                  .text = json::serialize(json::object{
                      {"things", "workers"}, {"action", "drain"}, {"items", std::move(items)}})});
      });
    });
  }
}

void broker_operator::drain(const std::string& text, take_result take) {
  const auto id = parse(text);
  if (!id || id->broker >= parts_.size()) {
    take({.status = 404, .text = "no worker has this id; list them with GET /operator"});
    return;
  }
  const auto number = ++last_id_;
  drains_.emplace(number, std::move(take));
  asio::post(parts_[id->broker].executor, [this, number, id] {
    asio::post(here_, [this, number, known = parts_[id->broker].drain(id->peer)] {
      const auto done = drains_.extract(number);
      done.mapped()(
          known ? http::operation_result{.status = 200, .text = "{}"}
                : http::operation_result{.status = 404, .text = "this worker has disconnected"});
    });
  });
}

}  // namespace zinc
