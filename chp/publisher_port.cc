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

void publisher_port::publish(std::vector<zmtp::message>& all,
                             std::vector<server_actions::insertion>& inserted) {
  std::size_t sent = 0;
  if (!sending_) {
    auto next = inserted.begin();
    for (; sent != all.size(); ++sent) {
      for (; next != inserted.end() && next->before == sent; ++next) {
        (void)socket_.try_send(next->what.to, std::move(next->what.content));
      }
      if (socket_.try_send(std::move(all[sent])) == zmtp::send_status::full) {
        break;
      }
    }
  }
  // Insertions are not worth waiting.
  inserted.clear();
  auto& rest = sending_ ? behind_ : unsent_;
  for (; sent != all.size(); ++sent) {
    rest.append(std::move(all[sent]));
  }
  all.clear();
  if (!sending_ && !unsent_.empty()) {
    send_rest();
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
