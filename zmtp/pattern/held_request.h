#pragma once
// A request in the hand of who serves, to be answered now or later.

#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace zmtp {

// What a request needs of who has received it.
class request_holder {
public:
  virtual boost::system::error_code reply(std::uint64_t id, message&& answer) = 0;
  virtual void drop(std::uint64_t id) = 0;

protected:
  ~request_holder() = default;
};

// To be answered once. One that is destroyed unanswered is given up: who asks must do without.
//
// It may outlive who has received it. Thread safety: as of that one.
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

  // Errors: call_errc::no_request (answered already, or who asked is lost), errc::bad_message (no parts).
  boost::system::error_code reply(message answer);

private:
  std::weak_ptr<request_holder> holder_;
  std::uint64_t id_;
  message body_;
};

}  // namespace zmtp
