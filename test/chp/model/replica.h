#pragma once
// A server of the model: docs/chp-log.md, rule by rule. The rest of its world is behind `surroundings`.

#include "test/chp/model/participant.h"

namespace chp::model {

class replica final : public participant {
public:
  // A process that starts with what its disk has.
  replica(std::size_t self, surroundings& around, disk stored, bool promote_alone, bool discard);
  static std::unique_ptr<participant> make(std::size_t self, surroundings& around) {
    return std::make_unique<replica>(self, around, disk{}, false, false);
  }
  [[nodiscard]] std::unique_ptr<participant> restarted(bool promote_alone,
                                                       bool discard) const override {
    return std::make_unique<replica>(self_, around_, disk_, promote_alone, discard);
  }

  void crash(std::size_t transactions_written) override;
  void wipe() override { disk_.wipe(); }
  void pause() override { paused_ = true; }
  void resume() override;
  void fail_store() override { disk_.failed = has_store(); }
  void heal_store() override { disk_.failed = false; }

  void tick() override;
  void sync(std::size_t transactions) override;
  void on_peer(const peer_message& message) override;
  void on_client(std::size_t client, const to_server& message) override;
  void on_client_gone(std::size_t client) override { subscribed_[client] = false; }
  [[nodiscard]] bool reads(const to_server& message) const override;
  void store() override;
  void forge_epoch(epoch e) override;

  [[nodiscard]] role is() const override { return role_; }
  [[nodiscard]] bool paused() const override { return paused_; }
  [[nodiscard]] bool in_sync() const override {
    return role_ == role::active && follower_ && follower_->in_sync;
  }
  [[nodiscard]] const kept& state() const override { return state_; }
  [[nodiscard]] const kept& on_disk() const override { return disk_.content(); }
  [[nodiscard]] bool has_store() const override { return around_.how.store[self_]; }
  [[nodiscard]] number durable() const override;
  [[nodiscard]] std::size_t self() const override { return self_; }

private:
  // The passive that has sent HELLO, as the active knows it.
  struct follower {
    std::uint64_t greeting = 0;
    number mark = 0;  // end of the log at FOLLOW
    number sent = 0;
    number confirmed = 0;
    bool in_sync = false;
  };
  struct waiting_update {
    std::size_t client;
    update what;
  };

  // Roles: replica_roles.cc.
  void hear(const state_message& said);
  void look_at_peer();
  void reserve();
  [[nodiscard]] bool peer_heard() const { return around_.now - heard_at_ < around_.how.expiry; }
  [[nodiscard]] bool may_serve_unheard() const;
  void become_active();
  void become_passive();
  void hand_over_if_store_failed();
  void check_connection();
  void lose_connection();
  [[nodiscard]] bool suspended() const { return suspended_until_ != 0; }
  [[nodiscard]] std::size_t peer() const { return 1 - self_; }
  void send(const peer_message& message);
  void send(std::size_t client, const to_client& message);

  // The active: replica_active.cc.
  void serve(std::size_t client, const want_snapshot& message);
  void serve(std::size_t client, const update& message);
  bool carry_out(std::size_t client, const update& message);  // false: it comes early
  void carry_out_early_ones();
  [[nodiscard]] bool session_is_forgotten(const position& since) const;
  void answer_if_committed(std::size_t client, std::uint32_t session, const outcome& o);
  [[nodiscard]] answer answer_of(std::uint32_t session, const outcome& o) const;
  void append(entry e);
  void feed();
  void advance_commit();
  void answer_range(number from, number to);
  void expire_keys();
  void on(const hello& message);
  void on(const confirm& message);
  void on(const zmtp::message&) {}  // these are of production code

  // The passive: replica_passive.cc.
  void greet();
  void on(const follow& message);
  void on(const entries& message);
  bool write_lost(number common);
  void install(const kept& snapshot);
  void confirm_durable();
  void keep_waiting(std::size_t client, const update& message);

  [[nodiscard]] bool planted_here(planted f) const { return around_.how.fault == f; }

  std::size_t self_;
  surroundings& around_;
  role role_ = role::passive;
  bool paused_ = false;
  bool promote_alone_ = false;
  bool discard_ = false;  // the operator has decided that what both had may go
  kept state_;
  disk disk_;
  bool changed_ = false;

  // bstar
  std::optional<state_message> peer_says_;
  std::uint64_t heard_at_ = 0;
  std::uint64_t ticked_at_ = 0;
  std::uint64_t voted_at_ = 0;
  std::uint64_t suspended_until_ = 0;  // 0: not suspended
  bool hands_over_ = false;
  bool declines_ = false;
  epoch highest_seen_ = 0;
  epoch bound_by_dialogue_ = 0;  // an epoch that a lineage over the dialogue has shown

  // The dialogue.
  std::uint64_t connection_ = 0;
  std::uint64_t greeting_ = 0;  // passive: of the latest HELLO
  std::uint64_t greeted_at_ = 0;
  bool following_ = false;  // passive: FOLLOW has come
  number confirmed_ = 0;
  std::optional<follower> follower_;
  number inherited_ = 0;    // the peer may have had everything up to here
  number told_commit_ = 0;  // in the last ENTRIES

  // Clients.
  std::array<bool, client_count> subscribed_{};
  std::array<std::uint32_t, client_count> session_of_{};
  std::deque<waiting_update>
      waiting_;             // passive: until the log has them; active: those that came early
  std::vector<entry> cut_;  // planted::loser_offers_again
};

}  // namespace chp::model
