#include "test/mdp/simulation/sim_client.h"

#include "mdp/announcement.h"

#include <algorithm>
#include <utility>

namespace mdp::simulation {

using boost::system::error_code;

namespace {

request_key random_key(random_source& random) {
  request_key key{};
  for (auto& byte : key) {
    byte = static_cast<char>(random.next());
  }
  return key;
}

}  // namespace

class sim_client::conversation final : public sim_conversation::listener {
public:
  explicit conversation(sim_client& of)
      : town_{of.town_},
        faults_{&of.faults_},
        state_{of.options_, static_cast<std::uint32_t>(of.town_->random().next()),
               random_key(of.town_->random())},
        socket_{*of.town_, *of.host_, of.brokers_, announce_client(), *this} {}

  [[nodiscard]] bool busy() const noexcept { return busy_; }

  error_code ask(std::string_view service, zmtp::message&& body, const request_options& how,
                 sim_client::listener&& notified) {
    const auto ec = state_.ask(service, std::move(body), how, town_->now(), actions_);
    if (!ec) {
      busy_ = true;
      notified_ = std::make_shared<sim_client::listener>(std::move(notified));
      carry_out();
      socket_.look_at_deadline();
    }
    return ec;
  }

  void stop() { socket_.finish(); }

private:
  void on_attached(time_point now) override {
    state_.on_attached(parse_broker_announcement(socket_.announced()), now, actions_);
    carry_out();
  }
  void on_message(zmtp::message&& m, time_point now) override {
    state_.on_message(std::move(m), now, actions_);
    carry_out();
  }
  void on_detached() override {
    state_.on_detached(actions_);
    carry_out();
  }
  void on_unreachable() override {
    state_.on_unreachable(actions_);
    carry_out();
  }
  void on_deadline(time_point now) override {
    state_.on_deadline(now, actions_);
    carry_out();
  }
  [[nodiscard]] std::optional<time_point> next_deadline() const override {
    return state_.next_deadline();
  }

  void carry_out() {
    auto actions = std::exchange(actions_, {});
    if (faults_->edit) {
      faults_->edit(actions);
    }
    if (actions.reopen) {
      if (actions.reopen->elsewhere && !faults_->never_leaves_its_broker) {
        if (socket_.leave_broker()) {
          town_->books().on_moved();
        }
      }
      socket_.reopen(actions.reopen->delay);
    }
    for (auto& m : actions.sends) {
      if (notified_->on_sent) {
        notified_->on_sent();
      }
      static_cast<void>(socket_.send(std::move(m)));
    }
    const auto notified = notified_;
    for (auto& part : actions.partials) {
      if (notified->on_part) {
        notified->on_part(std::move(part));
      }
    }
    if (actions.reply) {
      busy_ = false;
      notified->on_end({}, std::move(*actions.reply));
    } else if (actions.failure) {
      busy_ = false;
      notified->on_end(*actions.failure, {});
    }
  }

  town* town_;
  const planted_fault* faults_;
  client_state state_;
  client_actions actions_;
  bool busy_ = false;
  // The listener of the last request, which also receives faults.
  std::shared_ptr<sim_client::listener> notified_ =
      std::make_shared<sim_client::listener>(sim_client::listener{.on_end = [](auto&&...) {}});
  sim_conversation socket_;
};

sim_client::sim_client(town& in, simulated_host& host, std::vector<std::string> brokers,
                       const client_options& options, planted_fault faults)
    : town_{&in},
      host_{&host},
      brokers_{std::make_shared<zmtp::server_list>(std::move(brokers))},
      options_{options},
      faults_{std::move(faults)} {
  conversations_.push_back(std::make_unique<conversation>(*this));
}

sim_client::~sim_client() = default;

error_code sim_client::ask(std::string_view service, zmtp::message&& body,
                           const request_options& how, listener notified) {
  auto free = std::find_if(conversations_.begin(), conversations_.end(),
                           [](const auto& one) { return !one->busy(); });
  if (free == conversations_.end()) {
    conversations_.push_back(std::make_unique<conversation>(*this));
    free = std::prev(conversations_.end());
  }
  return (*free)->ask(service, std::move(body), how, std::move(notified));
}

std::size_t sim_client::in_flight() const {
  return static_cast<std::size_t>(std::count_if(conversations_.begin(), conversations_.end(),
                                                [](const auto& one) { return one->busy(); }));
}

void sim_client::stop() {
  for (const auto& one : conversations_) {
    one->stop();
  }
}

}  // namespace mdp::simulation
