#include "zmtp/pattern/sharded_subscriber.h"

#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

namespace zmtp {

// The messages of one shard. They are copied out of the read buffers in which they arrived. If
// threads shared a read buffer, their processors would contend for its count of owners, and one
// message would pin the whole buffer. A large message stays in its buffer if it uses at least a
// quarter of it.
struct shard_batch {
  void append(const message_view& m) {
    if (m.framed_size() <= message::large_slice) {
      messages.append(m);
      bytes += m.framed_size();
      return;
    }
    auto large = m.to_message();
    large.compact();
    bytes += large.memory_size();
    messages.append(std::move(large));
  }
  void clear() noexcept {
    messages.clear();
    bytes = 0;
  }

  message_batch messages{};
  std::size_t bytes = 0;  // the memory of the messages
};

// A thread and its queue. The lock is the only one, and each side takes it once per batch.
class sharded_subscriber::shard {
public:
  shard(std::size_t index, const sharded_subscriber_options& options,
        const sharded_subscriber_handlers& handlers)
      : index_{index}, options_{options}, handlers_{handlers}, thread_{[this] {
          context_.run();
        }} {}
  // Ends when all messages are processed.
  ~shard() {
    work_.reset();
    thread_.join();
  }

  // `call` runs in the thread of the shard when the queue has space again.
  void on_room(std::function<void()> call) { on_room_ = std::move(call); }

  // Returns false if the queue is full, and leaves `batch` unchanged. Calls `on_room` later when
  // the queue has space. Always takes the batch if `must` is set. Batches move as a whole, because
  // moving each message again costs as much as receiving it.
  [[nodiscard]] bool take(shard_batch& batch, bool must) {
    const std::lock_guard alone{lock_};
    if (!must && (messages_ >= options_.queue_messages || bytes_ >= options_.queue_bytes)) {
      ++counters_.full;
      room_wanted_ = true;
      return false;
    }
    bytes_ += batch.bytes;
    messages_ += batch.messages.size();
    counters_.received += batch.messages.size();
    counters_.most_waiting = std::max(counters_.most_waiting, messages_);
    waiting_.push_back(std::exchange(batch, {}));
    if (!spare_.empty()) {
      batch = std::move(spare_.back());
      spare_.pop_back();
    }
    if (!std::exchange(scheduled_, true)) {
      boost::asio::post(context_, [this] { process(); });
    }
    return true;
  }

  [[nodiscard]] shard_counters counters() const {
    const std::lock_guard alone{lock_};
    return counters_;
  }
  [[nodiscard]] boost::asio::any_io_executor executor() { return context_.get_executor(); }

private:
  void process() {
    bool tell = false;
    {
      const std::lock_guard alone{lock_};
      in_flight_.swap(waiting_);
      messages_ = 0;
      bytes_ = 0;
      scheduled_ = !in_flight_.empty();
      tell = std::exchange(room_wanted_, false);
    }
    if (tell) {
      on_room_();
    }
    for (auto& batch : in_flight_) {
      handlers_.on_messages(index_, batch.messages);
      give_back(batch);
    }
    if (!in_flight_.empty()) {
      in_flight_.clear();
      // Other work of the context runs first.
      boost::asio::post(context_, [this] { process(); });
    }
  }

  // Destroys the messages outside the lock.
  void give_back(shard_batch& batch) {
    const auto count = batch.messages.size();
    batch.clear();
    const std::lock_guard alone{lock_};
    counters_.processed += count;
    if (spare_.size() < most_spare) {
      spare_.push_back(std::move(batch));
    }
  }

  static constexpr std::size_t most_spare = 16;  // each with a block of at most 64 KiB

  const std::size_t index_;
  const sharded_subscriber_options& options_;
  const sharded_subscriber_handlers& handlers_;
  std::function<void()> on_room_;

  mutable std::mutex lock_;
  std::vector<shard_batch> waiting_;
  std::size_t messages_ = 0;        // pending messages
  std::size_t bytes_ = 0;           // their bytes
  std::vector<shard_batch> spare_;  // empty batches, to reuse their memory
  shard_counters counters_;
  bool scheduled_ = false;
  bool room_wanted_ = false;

  std::vector<shard_batch> in_flight_;  // used only by the thread
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  std::thread thread_;
};

// The receiving thread.
class sharded_subscriber::intake {
public:
  intake(const sharded_subscriber_options& options, sharded_subscriber_handlers handlers)
      : options_{options},
        handlers_{std::move(handlers)},
        socket_{context_.get_executor(), options.socket} {
    if (options.shards == 0 || options.queue_messages == 0 || options.queue_bytes == 0) {
      throw boost::system::system_error{errc::bad_option, "sharded subscriber"};
    }
  }
  ~intake() { finish(); }

  // Waits until the thread has ended and the shards have all its messages.
  void finish() {
    stop();
    work_.reset();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  [[nodiscard]] const sharded_subscriber_options& options() const noexcept { return options_; }
  [[nodiscard]] const sharded_subscriber_handlers& handlers() const noexcept { return handlers_; }

  void start(const std::vector<std::unique_ptr<shard>>& shards) {
    for (const auto& one : shards) {
      shards_.push_back({.to = one.get()});
      one->on_room([this] { boost::asio::post(context_, [this] { hand_over(); }); });
    }
    receive();
    thread_ = std::thread{[this] { context_.run(); }};
  }

  // Runs `f` in the receiving thread and waits for it.
  template <class Function>
  auto call(Function f) {
    return boost::asio::dispatch(context_, boost::asio::use_future([&] { return f(socket_); }))
        .get();
  }
  void stop() {
    boost::asio::post(context_, [this] {
      close();
      hand_over();
    });
  }

private:
  struct lane {
    shard* to;
    shard_batch batch{};  // messages that do not fit into the queue
  };

  // A SUB has no messages to write, so it does not linger.
  void close() { socket_.close(std::chrono::milliseconds{0}); }

  void receive() {
    socket_.async_receive(batch_, [this](error_code ec, std::size_t) {
      if (!ec) {
        sort();
        hand_over();
      }
    });
  }

  void sort() {
    for (const auto& m : batch_) {
      shards_[shard_of(m.front(), shards_.size())].batch.append(m);
    }
    receiving_ = false;
  }

  // Repeats until each shard has its messages, and then receives the next batch.
  void hand_over() {
    bool all = true;
    for (auto& one : shards_) {
      if (!one.batch.messages.empty() && !one.to->take(one.batch, !socket_.is_open())) {
        all = false;
      }
    }
    if (!all && options_.close_when_full) {
      close();
      hand_over();
      if (handlers_.on_end) {
        handlers_.on_end(errc::too_slow);
      }
    } else if (all && socket_.is_open() && !std::exchange(receiving_, true)) {
      receive();
    }
  }

  const sharded_subscriber_options options_;
  const sharded_subscriber_handlers handlers_;
  std::vector<lane> shards_;
  message_batch batch_;
  bool receiving_ = true;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  sub_socket socket_;
  std::thread thread_;
};

sharded_subscriber::sharded_subscriber(const sharded_subscriber_options& options,
                                       sharded_subscriber_handlers handlers)
    : intake_{std::make_unique<intake>(options, std::move(handlers))} {
  for (std::size_t i = 0; i < options.shards; ++i) {
    shards_.push_back(std::make_unique<shard>(i, intake_->options(), intake_->handlers()));
  }
  intake_->start(shards_);
}

sharded_subscriber::~sharded_subscriber() {
  intake_->finish();
  shards_.clear();
}

void sharded_subscriber::subscribe(std::string_view topic) {
  intake_->call([&](sub_socket& s) { s.subscribe(topic); });
}

void sharded_subscriber::connect(std::string_view publisher) {
  intake_->call([&](sub_socket& s) { s.connect(publisher); });
}

endpoint sharded_subscriber::bind(std::string_view at) {
  return intake_->call([&](sub_socket& s) { return s.bind(at); });
}

void sharded_subscriber::stop() { intake_->stop(); }

std::vector<shard_counters> sharded_subscriber::counters() const {
  std::vector<shard_counters> all;
  for (const auto& one : shards_) {
    all.push_back(one->counters());
  }
  return all;
}

boost::asio::any_io_executor sharded_subscriber::executor(std::size_t index) const {
  return shards_[index]->executor();
}

}  // namespace zmtp
