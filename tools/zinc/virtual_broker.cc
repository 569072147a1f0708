#include "tools/zinc/virtual_broker.h"

#include "mdp/broker_report.h"
#include "tools/zinc/broker_figures.h"
#include "tools/zinc/printable.h"
#include "tools/zinc/units.h"

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>

namespace zinc {

namespace asio = boost::asio;

namespace {

// Workers and clients of one broker in a report.
constexpr std::size_t most_peers = 1'000;

// The broker reports each principal and right once.
void log_refusal(const mdp::broker_event& event, std::string_view /*peer*/) {
  if (event.what == mdp::broker_event::kind::access_refused) {
    spdlog::warn("refused by --rules: principal={} right={} name={}",
                 event.user_id.empty() ? "anonymous" : printable(event.user_id),
                 mdp::to_string(event.wanted), printable(event.service));
  }
}

}  // namespace

virtual_broker::virtual_broker(const mdp::broker_options& options,
                               std::vector<std::string> endpoints)
    : endpoints_{std::move(endpoints)},
      broker_{context_.get_executor(), options, {.on_event = log_refusal}},
      refusals_{context_.get_executor(), broker_} {}

exit_code virtual_broker::bind() {
  for (const auto& at : endpoints_) {
    zmtp::error_code ec;
    const auto bound = broker_.bind(at, ec);
    if (ec) {
      spdlog::error("cannot bind {}: {}; choose another endpoint", at, ec.message());
      return ec.category() == zmtp::zmtp_category() ? exit_code::misused : exit_code::failed;
    }
    bound_.push_back(bound);
    name_ += name_.empty() ? "" : ",";
    name_ += bound.to_string();
    std::printf("bound %s\n", bound.to_string().c_str());
    spdlog::info("broker started: MDP/0.1 and MDP/0.2 endpoint={}", bound.to_string());
  }
  return exit_code::done;
}

bool virtual_broker::run() {
  try {
    context_.run();
  } catch (const std::exception& e) {
    spdlog::critical("broker failed: {} endpoint={}", e.what(), name_);
    return false;
  }
  spdlog::info("broker stopped: endpoint={} {}", name_, mdp::report(broker_.status()));
  return true;
}

void virtual_broker::stop() {
  asio::post(context_, [this] {
    refusals_.write();
    refusals_.cancel();
    broker_.stop();
    on_stopped_();
  });
}

void virtual_broker::drain(std::chrono::milliseconds at_most) {
  asio::post(context_, [this, at_most] {
    refusals_.write();
    refusals_.cancel();
    const auto now = broker_.status();
    if (now.waiting + now.working != 0) {
      spdlog::info(
          "broker draining: no new requests for at most {} endpoint={} waiting={} working={}",
          text_of(at_most), name_, now.waiting, now.working);
    }
    broker_.async_drain(at_most, [this, at_most, now](zmtp::error_code ec) {
      if (ec == zmtp::errc::timed_out) {
        const auto left = broker_.status().counters.stopped - now.counters.stopped;
        if (left != 0) {
          cut_short_ = true;
          spdlog::error(
              "requests unanswered: drain ended after {}, workers may execute some endpoint={} "
              "requests={}",
              text_of(at_most), name_, left);
        }
      }
      on_stopped_();
    });
  });
}

void virtual_broker::change_services(const mdp::broker_options& options) {
  asio::post(context_, [this, options] { broker_.change_services(options); });
}

void virtual_broker::change_access(const zmtp::access_rules& rules) {
  asio::post(context_, [this, rules] { broker_.change_access(rules); });
}

void virtual_broker::log_state() {
  asio::post(context_, [this] {
    spdlog::info("broker state: endpoint={} {}", name_, mdp::report(broker_.status()));
    for (const auto& one : broker_.services()) {
      spdlog::info("service state: endpoint={} service={} {}", name_, printable(one.name),
                   mdp::report(one));
    }
  });
}

http::report virtual_broker::read(http::extent wanted) const {
  const auto now = broker_.status();
  http::report all{.component = "broker",
                   .not_ready = now.draining ? std::string{http::broker_drains} : "",
                   .records = {}};
  all.records.push_back(record_of(now, name_));
  if (wanted == http::extent::totals) {
    return all;
  }
  for (const auto& one : broker_.services()) {
    all.records.push_back(record_of(one, name_));
  }
  if (wanted == http::extent::everything) {
    return all;
  }
  for (const auto& one : broker_.workers(most_peers)) {
    all.records.push_back(record_of(one, name_));
  }
  for (const auto& one : broker_.clients(most_peers)) {
    all.records.push_back(record_of(one, name_));
  }
  return all;
}

bool virtual_broker::drain_worker(zmtp::peer_id worker) {
  const auto known = broker_.drain_worker(worker);
  if (known) {
    spdlog::info("operator drains a worker: endpoint={}", name_);
  }
  return known;
}

}  // namespace zinc
