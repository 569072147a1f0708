#include "test/chp/memory_log_store.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace chp::test {

namespace asio = boost::asio;
using boost::system::error_code;

memory_log_store::memory_log_store(asio::any_io_executor executor,
                                   std::shared_ptr<stored_state> content)
    : executor_{std::move(executor)}, content_{std::move(content)} {}

memory_log_store::~memory_log_store() { content_->drop_pieces(); }

void memory_log_store::load(std::unique_ptr<history> into, history::time_point now,
                            load_handler on_loaded) {
  auto found = std::make_shared<loaded_state>();
  errc fault{};
  found->past = content_->load(std::move(into), now, fault);
  found->numbers = content_->numbers;
  const error_code ec = found->past ? error_code{} : zmtp::storage_errc::store_damaged;
  asio::post(executor_,
             [on_loaded = std::move(on_loaded), ec, found] { on_loaded(ec, std::move(*found)); });
}

void memory_log_store::write(state_write&& change, write_handler on_written) {
  rejected_ = take(change);
  asio::post(executor_, [on_written = std::move(on_written), ec = rejected_] { on_written(ec); });
}

error_code memory_log_store::take(const state_write& change) {
  const bool is_over =
      rejected_ == zmtp::storage_errc::store_failed || (rejected_ && !change.replaces);
  if (is_over) {
    return rejected_;
  }
  if (fault_ || change.replaces) {
    content_->drop_pieces();
  }
  if (!fault_) {
    content_->write(change);
  }
  return fault_;
}

}  // namespace chp::test
