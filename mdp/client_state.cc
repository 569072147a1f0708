#include "mdp/client_state.h"

#include <algorithm>
#include <utility>

namespace mdp {

namespace {

using namespace std::chrono_literals;

client_options workable(client_options options) noexcept {
  options.timeout = std::max(options.timeout, 1ms);
  options.attempts = std::max(options.attempts, 1U);
  return options;
}

}  // namespace

client_state::client_state(const client_options& options) : options_{workable(options)} {}

void client_state::on_attached(time_point /*now*/, actions& out) {
  attached_ = true;
  on_connection_ = false;
  if (in_flight_) {
    send(out);
  }
}

void client_state::on_message(zmtp::message&& m, time_point now, actions& out) {
  const auto reply = parse_for_client(m, options_.protocol);
  if (!reply) {
    ignore(reply.error());
    return;
  }
  if (!on_connection_ || reply->service != service_) {
    ignore(errc::unsolicited_reply);
    return;
  }
  m.pop_front();
  if (reply->final) {
    in_flight_ = on_connection_ = false;
    request_.clear();
    out.reply = std::move(m);
  } else {
    partly_answered_ = true;
    deadline_ = now + options_.timeout;
    out.partials.push_back(std::move(m));
  }
}

void client_state::on_detached(actions& out) {
  if (!attached_) {
    return;
  }
  if (in_flight_ && partly_answered_) {
    fail(errc::reply_cut_short, out);
  } else if (in_flight_ && on_connection_) {
    // Who closes on a request is not asked for ever.
    if (attempts_ >= options_.attempts) {
      fail(errc::no_reply, out);
    }
    ++attempts_;
  }
  reopen(out);
}

boost::system::error_code client_state::ask(std::string_view service, zmtp::message&& body,
                                            time_point now, actions& out) {
  if (in_flight_) {
    return errc::request_in_flight;
  }
  if (const auto fault = check_service(service)) {
    return fault;
  }
  if (body.empty()) {
    return errc::no_body;
  }
  if (body.part_count() > max_frames) {
    return errc::too_many_frames;
  }
  service_ = service;
  request_ = std::move(body);
  push_client_request(request_, options_.protocol, service_);
  in_flight_ = true;
  ever_sent_ = partly_answered_ = false;
  attempts_ = 1;
  deadline_ = now + options_.timeout;
  if (attached_) {
    send(out);
  }
  return {};
}

void client_state::send(actions& out) {
  out.sends.push_back(request_);
  ever_sent_ = on_connection_ = true;
}

void client_state::cancel(actions& out) {
  if (std::exchange(in_flight_, false) && on_connection_) {
    reopen(out);
  }
  request_.clear();
}

std::optional<client_state::time_point> client_state::next_deadline() const noexcept {
  return in_flight_ ? std::optional{deadline_} : std::nullopt;
}

void client_state::on_deadline(time_point now, actions& out) {
  if (!in_flight_ || now < deadline_) {
    return;
  }
  if (now - deadline_ > options_.timeout) {
    deadline_ = now + options_.timeout;
    return;
  }
  if (partly_answered_) {
    // A second attempt's parts must not be mixed with the first one's.
    fail(errc::reply_cut_short, out);
  } else if (attempts_ >= options_.attempts) {
    fail(ever_sent_ ? errc::no_reply : errc::not_connected, out);
  } else {
    ++attempts_;
    deadline_ = now + options_.timeout;
  }
  reopen(out);
}

void client_state::fail(errc why, actions& out) {
  in_flight_ = false;
  request_.clear();
  out.failure = make_error_code(why);
}

void client_state::reopen(actions& out) noexcept {
  attached_ = on_connection_ = false;
  out.reopen = true;
}

}  // namespace mdp
