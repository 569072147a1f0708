#pragma once
// zmtp/pattern/conversation_socket in virtual time: one conversation with a broker after the other, each
// on a DEALER of its own.

#include "test/mdp/simulation/town.h"
#include "test/simulation/sim_alarm.h"
#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/pattern/server_list.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mdp::simulation {

class sim_conversation {
public:
  class listener {
  public:
    virtual void on_attached(time_point now) = 0;
    virtual void on_message(zmtp::message&& m, time_point now) = 0;
    virtual void on_detached() = 0;
    virtual void on_unreachable() {}
    virtual void on_deadline(time_point now) = 0;
    [[nodiscard]] virtual std::optional<time_point> next_deadline() const = 0;

  protected:
    ~listener() = default;
  };

  sim_conversation(town& in, simulated_host& host, std::shared_ptr<zmtp::server_list> brokers,
                   std::vector<std::string> extensions, listener& to);
  sim_conversation(const sim_conversation&) = delete;
  sim_conversation& operator=(const sim_conversation&) = delete;
  // Ends like a process that has ended.
  ~sim_conversation();

  [[nodiscard]] const zmtp::metadata& announced() const noexcept { return announced_; }
  [[nodiscard]] bool send(zmtp::message&& m);
  void reopen(std::chrono::milliseconds delay);
  // Returns false if there is no other broker, or others have left it before.
  bool leave_broker() noexcept {
    const auto before = brokers_->current();
    brokers_->leave(broker_);
    return brokers_->current() != before;
  }
  void look_at_deadline();
  // Ends when queued messages have arrived or the linger time is over.
  void finish();
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  // Returns the socket of the present conversation, or of the last.
  [[nodiscard]] std::uint32_t socket_number() const noexcept { return socket_->number(); }

private:
  void open();
  [[nodiscard]] bool receive();
  static void close_when_written(town& in, sim_socket& socket, time_point at_last);

  town* town_;
  simulated_host* host_;
  std::shared_ptr<zmtp::server_list> brokers_;
  std::size_t broker_ = 0;  // broker of this conversation
  std::vector<std::string> extensions_;
  listener* listener_;
  sim_socket* socket_ = nullptr;
  sim_alarm alarm_;
  zmtp::reopen_pace pace_;
  zmtp::metadata announced_;
  bool reopening_ = false;
  bool stopped_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace mdp::simulation
