#pragma once
// A server of production code in the model's world: update_log with a shell, a store and a stand-in
// for bstar, which decides roles by the rules of docs/chp-log.md.

#include "chp/update_log.h"
#include "test/chp/model/participant.h"
#include "test/chp/model/staying_subscriber.h"
#include "test/chp/stored_state.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>

namespace chp::model {

class production_server final : public participant {
public:
  // The part of a server that survives its process.
  struct drive {
    test::stored_state content;
    std::deque<state_write> writing;
    bool failed = false;
    bool rejects = false;  // a write was refused; only one that replaces everything is taken
    epoch reserved = 0;
    member_id of_memory = 0;  // for a planted fault

    // Carries out the oldest write. Returns false if the store is full.
    bool write_next();
  };

  production_server(std::size_t self, surroundings& around, drive found, bool promote_alone,
                    bool discard);
  static std::unique_ptr<participant> make(std::size_t self, surroundings& around) {
    return std::make_unique<production_server>(self, around, drive{}, false, false);
  }
  [[nodiscard]] std::unique_ptr<participant> restarted(bool promote_alone,
                                                       bool discard) const override {
    return std::make_unique<production_server>(self_, around_, drive_, promote_alone, discard);
  }

  void crash(std::size_t transactions_written) override;
  void wipe() override;
  void pause() override { paused_ = true; }
  void resume() override;
  void fail_store() override { drive_.failed = has_store(); }
  void heal_store() override { drive_.failed = false; }

  void tick() override;
  void sync(std::size_t transactions) override;
  void on_peer(const peer_message& message) override;
  void on_client(std::size_t client, const to_server& message) override;
  void on_client_gone(std::size_t client) override { subscribed_[client] = false; }
  void on_witness(const std::optional<membership>& answer) override;
  void on_witness_changed(const membership& record) override;
  [[nodiscard]] member_id member() const override { return log_ ? log_->state().member() : 0; }
  [[nodiscard]] bool reads(const to_server& message) const override;
  void store() override {}
  void forge_epoch(epoch e) override;

  [[nodiscard]] role is() const override;
  [[nodiscard]] bool paused() const override { return paused_; }
  [[nodiscard]] bool in_sync() const override { return log_ && log_->in_sync(); }
  [[nodiscard]] const kept& state() const override { return shown_; }
  [[nodiscard]] const kept& on_disk() const override;
  [[nodiscard]] bool has_store() const override { return around_.how.store[self_]; }
  [[nodiscard]] number durable() const override;
  [[nodiscard]] std::size_t self() const override { return self_; }

private:
  using clock = update_log::time_point;

  [[nodiscard]] bool planted_here(planted f) const { return around_.how.fault == f; }
  [[nodiscard]] clock now() const { return clock{} + std::chrono::seconds{around_.now}; }
  [[nodiscard]] std::size_t peer() const { return 1 - self_; }
  [[nodiscard]] update_log_options options() const;

  // The stand-in for bstar: production_pair.cc.
  void hear(const state_message& said);
  void look_at_peer();
  [[nodiscard]] bool peer_heard() const { return around_.now - heard_at_ < around_.how.expiry; }
  [[nodiscard]] bool may_serve_unheard() const;
  [[nodiscard]] bool suspended() const { return suspended_until_ != 0; }
  [[nodiscard]] row last_row() const;
  void reserve();
  void become_active();
  void begin_reign(epoch e);
  void on_epoch(const epoch_answer& answer);
  void ask_witness(const witness_state::attempt& what);
  void become_passive();
  void greet();
  void check_connection();
  void lose_connection();

  // The shell: production_server.cc.
  void turn();
  void end_turn();
  void carry_out();
  void write_lost(const lost_updates& lost);
  void send(std::size_t client, const to_client& message);
  void observe();
  void observe_entries();
  void show_changes(number from);
  void take_publications(number from);
  void check_subscriber();
  // Planted faults that need no change inside: production_faults.cc.
  [[nodiscard]] static bool is_left_out(planted fault, const pair_message& said);
  void edit(zmtp::message& m, bool is_sent);
  void edit(state_numbers& found) const;

  std::size_t self_;
  surroundings& around_;
  drive drive_;
  bool down_ = false;
  bool paused_ = false;
  bool discard_ = false;
  std::unique_ptr<update_log> log_;
  log_actions actions_;
  kept shown_;  // the state as the checker sees it
  mutable kept stored_;
  bool streams_copy_ = false;

  // bstar
  bool promote_alone_ = false;
  std::optional<state_message> peer_says_;
  std::uint64_t heard_at_ = 0;
  std::uint64_t ticked_at_ = 0;
  std::uint64_t voted_at_ = 0;
  std::uint64_t suspended_until_ = 0;
  epoch highest_seen_ = 0;
  epoch bound_by_dialogue_ = 0;
  epoch asked_for_ = 0;  // the witness, for this epoch
  std::uint64_t connection_ = 0;
  std::uint64_t greeted_at_ = 0;
  std::uint64_t greeting_ = 0;  // the one of the last HELLO

  staying_subscriber subscriber_;
  std::array<bool, client_count> subscribed_{};
  std::array<std::uint32_t, client_count> session_of_{};
};

}  // namespace chp::model
