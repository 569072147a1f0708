#include "chp/watcher.h"

#include "chp/watch_queue.h"

#include <utility>

namespace chp {

watcher::~watcher() {
  if (queue_) {
    queue_->close();
  }
}

watcher& watcher::operator=(watcher&& other) noexcept {
  if (this != &other) {
    if (queue_) {
      queue_->close();
    }
    queue_ = std::move(other.queue_);
  }
  return *this;
}

bool watcher::try_receive(std::vector<change>& batch) { return queue_->take(batch); }

void watcher::start_receive(std::vector<change>& batch, received_handler&& handler) {
  queue_->start_receive(batch, std::move(handler));
}

}  // namespace chp
