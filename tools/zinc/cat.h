#pragma once
// zinc cat: one socket between the command line and its peers.

#include "tools/zinc/any_socket.h"
#include "tools/zinc/cat_command.h"
#include "tools/zinc/exit_code.h"
#include "tools/zinc/message_source.h"
#include "tools/zinc/progress.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <string_view>

namespace zinc {

class cat {
public:
  // Binds or connects, and starts the loops. Throws boost::system::system_error.
  cat(boost::asio::io_context& context, const cat_arguments& arguments);

  // When the context has run: the exit code.
  [[nodiscard]] int code() const noexcept { return code_.get(); }

private:
  enum class role { sends, receives, does_both, asks, answers };
  static role role_of(zmtp::socket_type type);
  [[nodiscard]] bool shows_progress() const;

  void spawn(boost::asio::awaitable<void> loop);
  // Runs the loop that decides when the program ends, then closes the socket.
  boost::asio::awaitable<void> act(boost::asio::awaitable<void> (cat::*loop)());
  void fail(std::string_view what, exit_code code = exit_code::failed);
  void interrupt();
  void stop();

  [[nodiscard]] zmtp::deadline limit() const {
    return arguments_.timeout ? zmtp::deadline{*arguments_.timeout} : zmtp::deadline{};
  }
  [[nodiscard]] bool has_fixed_reply() const { return arguments_.echo || arguments_.reply; }
  [[nodiscard]] bool is_enough(std::size_t n) const { return arguments_.count == n; }

  // Returns false if the socket cannot send any more.
  boost::asio::awaitable<bool> send(zmtp::message m);
  // Returns false if there are no more messages.
  boost::asio::awaitable<bool> receive(zmtp::message& to);
  // Returns false if the output cannot be written.
  bool print(const zmtp::message& m);

  boost::asio::awaitable<void> send_all();
  boost::asio::awaitable<void> await_subscription();
  boost::asio::awaitable<void> pause();
  boost::asio::awaitable<void> receive_all();
  void report_silence(std::size_t received);
  boost::asio::awaitable<void> ask_all();
  boost::asio::awaitable<void> answer_all();
  // Leaves `m` without parts if there are no more replies.
  boost::asio::awaitable<void> take_reply(zmtp::message& m);
  // Reads one reply ahead, so that the end of the input is known before the next request.
  boost::asio::awaitable<void> read_replies();

  const cat_arguments& arguments_;
  const role role_;
  const bool publishes_;  // PUB or XPUB
  const line_style style_;
  any_socket socket_;
  message_source source_;
  // Between messages. For a REP: until the reply that was read is sent.
  boost::asio::steady_timer pause_;
  boost::asio::steady_timer news_;  // until there is a subscription or a reply
  stop_signals signals_;

  zmtp::message next_reply_;
  bool has_reply_ = false;
  bool replies_over_ = false;
  bool in_flight_ = false;

  bool subscribed_ = false;
  bool timed_out_ = false;
  bool interrupted_ = false;
  bool over_ = false;
  common_code code_;
  progress progress_;
};

}  // namespace zinc
