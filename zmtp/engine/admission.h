#pragma once
// Asks the authenticator of a socket about one peer.

#include "zmtp/authenticator.h"
#include "zmtp/error.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/executor.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <variant>

namespace zmtp {

// Lives as long as its link waits. The link keeps its place among the pending handshakes and its
// deadline meanwhile, so an authenticator that never answers costs no more than a silent peer.
class admission {
public:
  using verdict = authenticator::verdict;

  explicit admission(asio::any_io_executor executor)
      : executor_{std::move(executor)}, where_{std::make_shared<remote_executor>(executor_)} {}
  admission(const admission&) = delete;
  admission& operator=(const admission&) = delete;
  // Later answers have no effect.
  ~admission() { where_->close(); }

  // Call once. Both the question and `on_answer` are handlers of their own in the executor, so user
  // code never runs inside a turn. An answer that is posted already may arrive after the end of
  // this object. If the handler is destroyed, the answer is a refusal without a status. If there is
  // no memory for an answer, none arrives, and the deadline ends the link.
  void ask(std::shared_ptr<authenticator> whom, peer_info who, credentials shown,
           std::function<void(verdict)> on_answer);

  // Records the answer. Returns the refusal, with a valid status, or nullptr.
  const authenticator::refusal* record(verdict answer);
  // The accepted peer. Empty before record().
  [[nodiscard]] authenticator::principal accepted() const {
    const auto* const who = std::get_if<authenticator::principal>(&answer_);
    return who != nullptr ? *who : authenticator::principal{};
  }
  // The error that a monitor gets for the end of the link.
  [[nodiscard]] error_code reported(error_code end) const noexcept;

private:
  asio::any_io_executor executor_;
  std::shared_ptr<remote_executor> where_;
  verdict answer_;
};

}  // namespace zmtp
