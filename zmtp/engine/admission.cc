#include "zmtp/engine/admission.h"

#include <algorithm>
#include <new>
#include <utility>
#include <variant>

namespace zmtp {

namespace {

bool is_status(const std::string& text) noexcept {
  return text.size() == 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The handler that the authenticator gets. Passes one answer to the executor, from any thread. Holds
// no executor of its own, because it may outlive the execution context.
class answer_handler {
public:
  answer_handler(std::shared_ptr<remote_executor> where,
                 std::function<void(admission::verdict)> then)
      : where_{std::move(where)}, then_{std::move(then)} {}
  answer_handler(answer_handler&& other) noexcept
      : where_{std::move(other.where_)}, then_{std::exchange(other.then_, nullptr)} {}
  answer_handler& operator=(answer_handler&&) = delete;
  ~answer_handler() {
    if (then_) {
      try {
        (*this)(authenticator::refusal{});
      } catch (const std::bad_alloc&) {
        // The deadline of the handshake ends the link.
      }
    }
  }

  void operator()(admission::verdict answer) {
    where_->post([then = std::exchange(then_, nullptr), answer = std::move(answer)]() mutable {
      then(std::move(answer));
    });
  }

private:
  std::shared_ptr<remote_executor> where_;
  std::function<void(admission::verdict)> then_;
};

}  // namespace

void admission::ask(std::shared_ptr<authenticator> whom, peer_info who, credentials shown,
                    std::function<void(verdict)> on_answer) {
  where_->post([executor = executor_, where = where_, whom = std::move(whom), who = std::move(who),
                shown = std::move(shown), then = std::move(on_answer)]() mutable {
    if (!where->is(executor)) {
      return;  // the link has ended
    }
    answer_handler done{std::move(where), std::move(then)};
    try {
      whom->authenticate(who, shown, std::move(done));
    } catch (const std::bad_alloc&) {
      // Only this connection ends: the handler is destroyed, which refuses the peer.
    }
  });
}

const authenticator::refusal* admission::record(verdict answer) {
  answer_ = std::move(answer);
  auto* const refused = std::get_if<authenticator::refusal>(&answer_);
  if (refused != nullptr && !refused->status.empty() && !is_status(refused->status)) {
    refused->status = "500";
  }
  return refused;
}

error_code admission::reported(error_code end) const noexcept {
  const auto* const refused = std::get_if<authenticator::refusal>(&answer_);
  return refused != nullptr && end == errc::not_admitted ? refused->reason : end;
}

}  // namespace zmtp
