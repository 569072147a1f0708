#include "zmtp/authenticators/authenticator_function.h"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace zmtp {

namespace {

namespace asio = boost::asio;

class plain_function final : public authenticator {
public:
  using function = std::function<verdict(const peer_info&, const credentials&)>;

  explicit plain_function(function decide) : decide_{std::move(decide)} {}

  void authenticate(const peer_info& peer, const credentials& shown, handler done) override {
    std::move(done)(decide_(peer, shown));
  }

private:
  function decide_;
};

class coroutine_function final : public authenticator {
public:
  using function = std::function<asio::awaitable<verdict>(peer_info, credentials)>;

  coroutine_function(asio::any_io_executor executor, function decide)
      : executor_{std::move(executor)}, decide_{std::move(decide)} {}

  void authenticate(const peer_info& peer, const credentials& shown, handler done) override {
    asio::co_spawn(executor_, decide_(peer, shown),
                   [done = std::move(done)](std::exception_ptr failure, verdict answer) mutable {
                     if (failure) {
                       const auto refused = std::move(done);  // destroying it refuses the peer
                       std::rethrow_exception(failure);
                     }
                     std::move(done)(std::move(answer));
                   });
  }

private:
  asio::any_io_executor executor_;
  function decide_;
};

}  // namespace

std::shared_ptr<authenticator> make_authenticator(
    std::function<authenticator::verdict(const peer_info&, const credentials&)> decide) {
  return std::make_shared<plain_function>(std::move(decide));
}

std::shared_ptr<authenticator> make_authenticator(
    boost::asio::any_io_executor executor,
    std::function<boost::asio::awaitable<authenticator::verdict>(peer_info, credentials)> decide) {
  return std::make_shared<coroutine_function>(std::move(executor), std::move(decide));
}

}  // namespace zmtp
