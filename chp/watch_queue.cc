#include "chp/watch_queue.h"

#include <boost/asio/error.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace chp {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
std::size_t bytes_of(const change& one) noexcept { return one.key.size() + one.value.size(); }
}  // namespace

void watch_queue::add(const std::vector<change>& all) {
  for (const auto& one : all) {
    if (one.key.starts_with(subtree_)) {
      changes_.push_back(one);
      bytes_ += bytes_of(one);
    }
  }
  if (changes_.size() > most_ || bytes_ > most_bytes_) {
    keep_last_of_each_key();
  }
  if (!handlers_.empty() && take(*batch_)) {
    handlers_.complete_now(handlers_.first(), error_code{}, batch_->size());
  }
}

void watch_queue::keep_last_of_each_key() {
  boost::unordered_flat_set<std::string_view> seen;
  std::vector<change> kept;
  bytes_ = 0;
  for (auto one = changes_.rbegin(); one != changes_.rend(); ++one) {
    if (seen.insert(one->key).second) {
      kept.push_back(*one);
      bytes_ += bytes_of(*one);
    }
  }
  std::reverse(kept.begin(), kept.end());
  changes_ = std::move(kept);
  // Otherwise each further change would walk through a map with more keys.
  most_ = std::max(most_, 2 * changes_.size());
  most_bytes_ = std::max(most_bytes_, 2 * bytes_);
}

bool watch_queue::take(std::vector<change>& batch) {
  if (changes_.empty()) {
    return false;
  }
  batch.clear();
  batch.swap(changes_);
  bytes_ = 0;
  return true;
}

void watch_queue::start_receive(std::vector<change>& batch, received_handler&& handler) {
  const auto number = ++receives_;
  handlers_.add(number, std::move(handler), [self = weak_from_this(), number] {
    if (const auto one = self.lock()) {
      one->handlers_.complete_later(number, asio::error::operation_aborted, std::size_t{0});
    }
  });
  batch_ = &batch;
  batch.clear();
  if (take(batch)) {
    handlers_.complete_later(number, error_code{}, batch.size());
  } else if (ended_) {
    handlers_.complete_later(number, asio::error::operation_aborted, std::size_t{0});
  }
}

void watch_queue::end() {
  ended_ = true;
  while (!handlers_.empty()) {
    handlers_.complete_later(handlers_.first(), asio::error::operation_aborted, std::size_t{0});
  }
}

void watch_queue::close() {
  closed_ = true;
  end();
}

}  // namespace chp
