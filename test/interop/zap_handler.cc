#include "test/interop/zap_handler.h"

#include <chrono>
#include <exception>
#include <utility>

namespace zmtp::test::libzmq {

namespace {

// RFC 27: version, request id, domain, address, routing id, mechanism, credentials.
constexpr std::size_t mechanism_at = 5;
constexpr std::size_t credentials_at = 6;

}  // namespace

zap_handler::zap_handler(context& owner, decision decide)
    : replies_{owner, ZMQ_REP}, decide_{std::move(decide)} {
  replies_.bind("inproc://zeromq.zap.01");
  thread_ = std::thread{[this] { run(); }};
}

zap_handler::~zap_handler() {
  stopped_ = true;
  thread_.join();
}

void zap_handler::run() {
  try {
    while (!stopped_) {
      const auto request = replies_.receive_within(std::chrono::milliseconds{20});
      if (!request || request->size() < credentials_at) {
        continue;
      }
      const auto status =
          decide_(request->at(mechanism_at), {request->begin() + credentials_at, request->end()});
      replies_.send({"1.0", request->at(1), status, "decided", status == "200" ? "user" : "", ""});
    }
  } catch (const std::exception&) {
    // The context is shut down.
  }
}

}  // namespace zmtp::test::libzmq
