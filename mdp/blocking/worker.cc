#include "mdp/blocking/worker.h"

#include "zmtp/blocking/operations.h"
#include "zmtp/error.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <utility>

namespace mdp::blocking {

using boost::system::error_code;
using zmtp::blocking::run_in;

// Requests that no thread has received yet. Only the context's thread answers or destroys these.
struct worker::inbox {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::unique_ptr<worker_request>> requests;
  bool over = false;

  void put(worker_request&& one) {
    {
      const std::lock_guard held{lock};
      requests.push_back(std::make_unique<worker_request>(std::move(one)));
    }
    changed.notify_one();
  }
  std::unique_ptr<worker_request> take(const zmtp::deadline& until, error_code& ec) {
    // The thread sleeps by the operating system's clock.
    const auto end = until.at(zmtp::runtime::system());
    std::unique_lock held{lock};
    const auto ready = [this] { return over || !requests.empty(); };
    if (!end) {
      changed.wait(held, ready);
    } else if (!changed.wait_until(held, *end, ready)) {
      ec = zmtp::errc::timed_out;
      return nullptr;
    }
    if (over) {
      ec = boost::asio::error::operation_aborted;
      return nullptr;
    }
    auto first = std::move(requests.front());
    requests.pop_front();
    return first;
  }
  // Returns the requests that no thread has received.
  std::deque<std::unique_ptr<worker_request>> close() {
    std::deque<std::unique_ptr<worker_request>> left;
    {
      const std::lock_guard held{lock};
      over = true;
      left.swap(requests);
    }
    changed.notify_all();
    return left;
  }
};

request::request(boost::asio::any_io_executor executor,
                 std::unique_ptr<worker_request> held) noexcept
    : executor_{std::move(executor)}, held_{std::move(held)} {}

request::~request() {
  if (held_) {
    boost::asio::post(executor_, [held = std::move(held_)] {});
  }
}

error_code request::reply(zmtp::message answer) {
  return run_in(executor_, [&] { return held_->reply(std::move(answer)); });
}

error_code request::refuse() {
  return run_in(executor_, [&] { return held_->refuse(); });
}

error_code request::fail() {
  return run_in(executor_, [&] { return held_->fail(); });
}

error_code request::reply_in_part(zmtp::message answer) {
  return run_in(executor_, [&] { return held_->reply_in_part(std::move(answer)); });
}

worker::worker(zmtp::blocking::context& in, std::string_view broker, const worker_options& options)
    : executor_{in.get_executor()}, inbox_{std::make_shared<inbox>()} {
  run_in(executor_, [&] {
    worker_ = std::make_unique<mdp::worker>(
        executor_, broker, options,
        [to = inbox_](worker_request request) { to->put(std::move(request)); });
  });
}

worker::~worker() {
  run_in(executor_, [&] {
    worker_.reset();
    inbox_->close();
  });
}

request worker::receive(zmtp::deadline until) {
  error_code ec;
  auto one = receive(until, ec);
  if (!one) {
    throw boost::system::system_error{ec, "receive"};
  }
  return std::move(*one);
}

std::optional<request> worker::receive(zmtp::deadline until, error_code& ec) {
  ec = {};
  auto taken = inbox_->take(until, ec);
  return taken ? std::optional{request{executor_, std::move(taken)}} : std::nullopt;
}

error_code worker::drain(zmtp::deadline until) {
  std::promise<error_code> over;
  auto end = over.get_future();
  run_in(executor_, [&] {
    worker_->async_drain(until, [&](error_code ec) { over.set_value(ec); });
    for (const auto& one : inbox_->close()) {
      static_cast<void>(one->refuse());
    }
  });
  return end.get();
}

void worker::stop() {
  run_in(executor_, [&] {
    worker_->stop();
    inbox_->close();
  });
}

}  // namespace mdp::blocking
