// The part of stream_link that ends it: at once, or after the peer has read everything.

#include "zmtp/engine/stream_link.h"

namespace zmtp {

void stream_link::close(error_code reason) {
  const auto keep = self();
  conversation_.close(reason);
  process();
}

void stream_link::finish() {
  graceful_close_.begin();
  const auto keep = self();
  if (!conversation_.traffic() && (own_pipe() == nullptr || own_pipe()->out.empty())) {
    end(errc::socket_closed);
    return;
  }
  if (conversation_.traffic()) {
    reader_.drop();
  }
  write_soon();
  if (writer_.broken()) {
    end(errc::socket_closed);
    return;
  }
  wait_readable();
}

void stream_link::discard() {
  switch (graceful_close_.on_read(reader_.discard())) {
    case graceful_close::verdict::stays: return;
    case graceful_close::verdict::closed: part(); return;
    case graceful_close::verdict::left_unread: leave_unread(); return;
  }
}

void stream_link::part() {
  switch (graceful_close_.look(core_->now(), writer_.broken(), stream_->reset(),
                               stream_->unacknowledged())) {
    case graceful_close::outcome::read_all: end(errc::socket_closed); return;
    case graceful_close::outcome::left_unread: leave_unread(); return;
    case graceful_close::outcome::unknown: arm_deadline(); return;
  }
}

void stream_link::leave_unread() {
  core_->ending().on_unread();
  end(errc::connection_lost);
}

void stream_link::end(error_code reason) {
  if (ended_) {
    return;
  }
  ended_ = true;
  const auto keep = self();
  report_end(reason, admission_ ? admission_->reported(reason) : reason);
  abandon();
  detach(reason);
}

void stream_link::abandon() noexcept {
  ended_ = true;
  reader_.drop();
  admission_.reset();
  stream_->close();
  core_->set_deadline(*this, std::nullopt);
}

}  // namespace zmtp
