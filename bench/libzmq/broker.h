#pragma once
// Majordomo 0.1 broker with one socket and one thread, as the Guide's: the machine behind md_broker.

#include "bench/libzmq/majordomo.h"

#include <chrono>
#include <deque>
#include <list>
#include <string>
#include <unordered_map>

namespace bench::libzmq {

class broker {
public:
  broker(socket& router, std::chrono::milliseconds interval)
      : router_{router}, expiry_time_{interval * heartbeat_liveness} {}

  // Receives one message and does what it asks for.
  void handle_message();
  // Due every heartbeat: forgets silent workers, lets idle ones know that we live.
  void tick();

private:
  struct service;
  struct worker {
    std::string address{};
    service* serves{};
    bool idle{};
    std::chrono::steady_clock::time_point expiry{};
  };
  struct service {
    std::string name{};
    std::deque<multipart> requests{};  // [client][body...]
    std::list<worker*> idle{};         // the longest idle first
  };

  void handle_client(multipart& parts);
  void handle_worker(multipart& parts);
  void register_worker(multipart& parts);
  void forward_reply(worker& from, multipart& parts);
  void becomes_idle(worker& of);
  void dispatch(service& of);
  void remove(worker& which);
  void send_command(std::string_view address, std::string_view command, more_parts more);

  socket& router_;
  std::chrono::milliseconds expiry_time_;
  multipart parts_{};
  std::unordered_map<std::string, service> services_{};
  std::unordered_map<std::string, worker> workers_{};
};

}  // namespace bench::libzmq
