#pragma once
// Base of tests with blocking sockets: one context, and the limit of each call.

#include "zmtp/blocking/context.h"

#include <gtest/gtest.h>

#include <chrono>

namespace zmtp::test {

// The limit of a whole call. No test comes near it unless something is wrong.
inline constexpr std::chrono::seconds timeout{20};
inline constexpr auto loopback = "tcp://127.0.0.1:*";

class blocking_test : public testing::Test {
protected:
  template <class Binds, class Connects>
  static void join(Binds& binds, Connects& connects) {
    connects.connect(binds.bind(loopback).to_string());
  }

  blocking::context context_;
};

}  // namespace zmtp::test
