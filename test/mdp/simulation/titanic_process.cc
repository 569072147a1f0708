#include "test/mdp/simulation/titanic_process.h"

#include <chrono>
#include <cstdint>
#include <functional>

namespace mdp::simulation {

namespace {

constexpr std::chrono::seconds looked_after_every{2};

}  // namespace

void titanic_process::begin() {
  life_ = std::make_shared<life>();
  life_->database = std::make_shared<simulated_database>(
      here(), zmtp::runtime::of(executor()), disk_, *stored_, faults_,
      [this](std::chrono::nanoseconds wait, std::function<void()> act) {
        after(wait, std::move(act));
      });
  life_->server.emplace(
      executor(), broker_, options_, life_->database,
      [this](boost::system::error_code ec) {
        life_->open = !ec;
        if (ec) {
          start_again();
        }
      },
      [this](const titanic::request_id& id) { stored_->on_dispatched(id); });
  watch();
}

// A Titanic whose disk has failed needs a new start.
void titanic_process::watch() {
  after(looked_after_every, [this] {
    if (life_->open && !life_->server->status().accepting) {
      start_again();
    } else {
      watch();
    }
  });
}

void titanic_process::start_again() {
  here().after(looked_after_every, [this, which = std::weak_ptr{life_}] {
    if (!which.expired()) {
      kill(false);
      start();
    }
  });
}

void titanic_process::end() {
  stored_->on_crash(life_->server->status());
  life_->database->die();
  life_.reset();
  if (without_power_) {
    disk_.switch_on(here().random().next());
  } else {
    disk_.switch_on();
  }
}

void titanic_process::fill_disk() {
  here().note("trouble: a full disk", {});
  stored_->on_disk_trouble();
  disk_.limit(here().random().between(60, 250) * 1024);
}

void titanic_process::fail_disk() {
  here().note("trouble: a failing disk", {});
  stored_->on_disk_trouble();
  disk_.fail_at(disk_.steps() + here().random().between(1, 30));
}

void titanic_process::heal_disk() {
  disk_.limit(SIZE_MAX);
  disk_.fail_at(SIZE_MAX);
}

std::optional<titanic::titanic_status> titanic_process::status() const {
  return life_ && life_->open ? std::optional{life_->server->status()} : std::nullopt;
}

}  // namespace mdp::simulation
