#pragma once
// A received request, to be answered now or later.

#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace zmtp {

// The receiver of a request, as the request uses it.
class request_holder {
public:
  virtual boost::system::error_code reply(std::uint64_t id, message&& answer) = 0;
  virtual void drop(std::uint64_t id) = 0;

protected:
  ~request_holder() = default;
};

// A request that must be answered once. Destroying it without a reply drops the request, and its
// client gets no answer.
//
// Lifetime: it may outlive its receiver. Thread safety: as for the receiver.
class held_request {
public:
  held_request(std::weak_ptr<request_holder> holder, std::uint64_t id, message body) noexcept
      : holder_{std::move(holder)}, id_{id}, body_{std::move(body)} {}
  held_request(held_request&& other) noexcept = default;
  held_request& operator=(held_request&&) = delete;
  ~held_request() {
    if (const auto holder = holder_.lock()) {
      holder->drop(id_);
    }
  }

  [[nodiscard]] const message& body() const noexcept { return body_; }
  [[nodiscard]] message& body() noexcept { return body_; }

  // Errors: call_errc::no_request (already answered, or the client has disconnected),
  // errc::bad_message (no parts).
  boost::system::error_code reply(message answer);

private:
  std::weak_ptr<request_holder> holder_;
  std::uint64_t id_;
  message body_;
};

}  // namespace zmtp
