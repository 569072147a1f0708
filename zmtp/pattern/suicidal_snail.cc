#include "zmtp/pattern/suicidal_snail.h"

#include "zmtp/error.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <chrono>
#include <utility>

namespace zmtp {

// Owned by its handler until the socket is closed.
class suicidal_snail::core : public std::enable_shared_from_this<core> {
public:
  core(const boost::asio::any_io_executor& executor, const snail_options& options,
       snail_handlers handlers, const socket_options& with)
      : socket{executor, with},
        runtime_{runtime::of(executor)},
        state_{options},
        handlers_{std::move(handlers)} {}

  void receive() {
    socket.async_receive(batch_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec) {
        self->take_batch();
      }
    });
  }
  void stop() { socket.close(); }

  sub_socket socket;

private:
  void take_batch() {
    for (const auto m : batch_) {
      const auto verdict =
          state_.on_message(handlers_.stamp_of(m), since_epoch(runtime_.wall_clock()));
      if (verdict != snail_verdict::keeps_up) {
        socket.close();
        handlers_.on_end({verdict, state_.delay(), state_.missed()});
        return;
      }
      handlers_.on_message(m);
      if (!socket.is_open()) {
        return;
      }
    }
    receive();
  }

  [[nodiscard]] static std::chrono::milliseconds since_epoch(runtime::wall_time at) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch());
  }

  runtime& runtime_;
  snail_state state_;
  const snail_handlers handlers_;
  message_batch batch_;
};

suicidal_snail::suicidal_snail(const boost::asio::any_io_executor& executor,
                               const snail_options& options, snail_handlers handlers,
                               const socket_options& socket)
    : core_{std::make_shared<core>(executor, options, std::move(handlers), socket)} {
  core_->receive();
}

suicidal_snail::~suicidal_snail() { core_->stop(); }

void suicidal_snail::subscribe(std::string_view topic) { core_->socket.subscribe(topic); }

void suicidal_snail::connect(std::string_view publisher) { core_->socket.connect(publisher); }

endpoint suicidal_snail::bind(std::string_view at) { return core_->socket.bind(at); }

void suicidal_snail::stop() { core_->stop(); }

}  // namespace zmtp
