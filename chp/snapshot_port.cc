#include "chp/snapshot_port.h"

#include "chp/server_ports.h"
#include "zmtp/error.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace chp {

namespace asio = boost::asio;

snapshot_port::snapshot_port(const asio::any_io_executor& executor, const server_options& options)
    : executor_{executor}, socket_{executor, snapshot_port_options(options)} {}

void snapshot_port::send(zmtp::peer_id to, zmtp::message&& content) {
  if (const auto at = waiting_.find(to); at != waiting_.end()) {
    at->second.unsent.push_back(std::move(content));
  } else if (socket_.try_send(to, std::move(content)) != zmtp::send_status::queued) {
    waiting_[to].unsent.push_back(std::move(content));
    await_room(to);
  }
}

void snapshot_port::stream(zmtp::peer_id to) {
  const auto [at, is_new] = waiting_.try_emplace(to);
  at->second.has_more = true;
  if (is_new) {
    await_room(to);
  }
}

void snapshot_port::await_room(zmtp::peer_id peer) {
  socket_.async_wait_writable(peer, [self = shared_from_this(), peer](zmtp::error_code gone) {
    if (gone) {
      self->waiting_.erase(peer);
      return;
    }
    self->have_room_.push_back(peer);
    if (self->have_room_.size() == 1) {
      self->post_next();
    }
  });
}

void snapshot_port::post_next() {
  asio::post(executor_, [self = shared_from_this()] {
    const auto peer = self->have_room_.front();
    self->have_room_.pop_front();
    if (!self->have_room_.empty()) {
      self->post_next();
    }
    self->write(peer);
  });
}

void snapshot_port::write(zmtp::peer_id peer) {
  auto& [unsent, has_more] = waiting_[peer];
  if (unsent.empty() && std::exchange(has_more, false)) {
    next_(peer);
  }
  if (unsent.empty() && !has_more) {
    waiting_.erase(peer);
    return;
  }
  while (!unsent.empty() &&
         socket_.try_send(peer, std::move(unsent.front())) == zmtp::send_status::queued) {
    unsent.pop_front();
  }
  await_room(peer);
}

}  // namespace chp
