#include "chp/publisher_port.h"

#include "chp/server_ports.h"
#include "zmtp/error.h"

#include <cstddef>
#include <iterator>
#include <utility>

namespace chp {

publisher_port::publisher_port(const boost::asio::any_io_executor& executor,
                               const server_options& options)
    : socket_{executor, publisher_port_options(options)} {}

void publisher_port::subscribe(std::vector<map_access::subscription>& all) {
  for (const auto& each : all) {
    zmtp::error_code ignored;  // the peer has disconnected
    each.begins ? socket_.subscribe(each.peer, each.topic, ignored)
                : socket_.cancel(each.peer, each.topic, ignored);
  }
  all.clear();
}

void publisher_port::publish(zmtp::message_batch& all,
                             std::vector<server_actions::insertion>& inserted) {
  zmtp::message_batch part;
  std::size_t taken = 0;
  for (auto& [behind, what] : inserted) {
    for (; taken < behind && !all.empty(); ++taken) {
      part.append(all.front());
      all.pop_front();
    }
    publish(part);
    // Insertions are not worth waiting.
    if (!sending_) {
      (void)socket_.try_send(what.to, std::move(what.content));
    }
  }
  inserted.clear();
  publish(all);
}

void publisher_port::publish(zmtp::message_batch& all) {
  if (!sending_ && socket_.try_send(all) != zmtp::send_status::full) {
    all.clear();  // the socket may be closed
  }
  if (!all.empty()) {
    (sending_ ? behind_ : unsent_).append(std::move(all));
    if (!sending_) {
      send_rest();
    }
  }
}

void publisher_port::send_rest() {
  sending_ = true;
  socket_.async_send(unsent_, [self = shared_from_this()](zmtp::error_code ec, std::size_t) {
    self->unsent_.clear();
    std::swap(self->unsent_, self->behind_);
    if (!ec && !self->unsent_.empty()) {
      self->send_rest();
      return;
    }
    self->sending_ = false;
    self->tell_waiting();
    self->on_room_();
  });
}

void publisher_port::tell(std::vector<server_actions::addressed>& all) {
  std::move(all.begin(), all.end(), std::back_inserter(waiting_));
  all.clear();
  if (!sending_) {
    tell_waiting();
  }
}

void publisher_port::tell_waiting() {
  for (auto& [to, content] : waiting_) {
    // A client of Zinc that misses a notice must connect again.
    if (socket_.try_send(to, std::move(content)) != zmtp::send_status::queued) {
      socket_.disconnect(to);
    }
  }
  waiting_.clear();
}

}  // namespace chp
