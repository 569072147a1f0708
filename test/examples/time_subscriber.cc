#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <iostream>

class time_subscriber {
public:
  time_subscriber(boost::asio::io_context& context, const char* endpoint)
      : socket_{context.get_executor(), options()} {
    socket_.subscribe("time");
    socket_.connect(endpoint);
    receive();
  }

  void stop() { socket_.close(); }  // the pending receive ends with errc::socket_closed

private:
  static zmtp::socket_options options() {
    zmtp::socket_options options;
    options.receive_mark.messages = 100;
    return options;
  }

  void receive() {
    socket_.async_receive([this](zmtp::error_code error, const zmtp::message& received) {
      if (error) {
        return;
      }
      std::cout << received[0] << ' ' << received[1] << std::endl;
      receive();
    });
  }

  zmtp::sub_socket socket_;
};

// time_subscriber ENDPOINT
int main(int, char** argv) {
  boost::asio::io_context context{1};
  time_subscriber subscriber{context, argv[1]};
  boost::asio::signal_set signals{context, SIGINT};
  signals.async_wait([&](zmtp::error_code, int) { subscriber.stop(); });
  context.run();
}
