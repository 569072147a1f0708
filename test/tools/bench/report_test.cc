#include "tools/zinc/bench/report.h"

#include <gtest/gtest.h>

#include <chrono>

namespace zinc::bench {
namespace {

using namespace std::chrono_literals;

report measured() {
  report made;
  made.type = "DEALER";
  made.size = 1000;
  made.messages = 4;
  made.lost = 1;
  made.duration = 2s;
  // Each share ends with another duration, the longest one that counts the same.
  const auto add = [&made](int times, std::chrono::nanoseconds taken) {
    for (int i = 0; i < times; ++i) {
      made.latency.add(taken);
    }
  };
  add(5000, 1023ns);
  add(4000, 2047ns);
  add(900, 4095ns);
  add(90, 8191ns);
  add(10, 16383ns);
  return made;
}

TEST(report, is_text) {
  EXPECT_EQ(text_of(measured()),
            "messages: 4 of 1000 bytes, 1 lost\n"
            "time: 2.000 s\n"
            "rate: 2 messages/s, 0.002 MB/s\n"
            "latency p50: 1.0 us\n"
            "latency p90: 2.0 us\n"
            "latency p99: 4.1 us\n"
            "latency p99.9: 8.2 us\n"
            "latency max: 16.4 us\n");
}

TEST(report, has_neither_losses_nor_latency_for_a_sender) {
  report made;
  made.type = "PUSH";
  made.size = 10;
  made.messages = 4;
  made.duration = 2s;
  EXPECT_EQ(text_of(made),
            "messages: 4 of 10 bytes\ntime: 2.000 s\nrate: 2 messages/s, 0.000 MB/s\n");
  EXPECT_EQ(json_line_of(made),
            R"({"type":"PUSH","size":10,"messages":4,"seconds":2E0,"messages_per_second":2E0,)"
            R"("bytes_per_second":2E1})"
            "\n");
}

TEST(report, is_json) {
  EXPECT_EQ(json_line_of(measured()),
            R"({"type":"DEALER","size":1000,"messages":4,"lost":1,"seconds":2E0,)"
            R"("messages_per_second":2E0,"bytes_per_second":2E3,"latency_us":{"p50":1.023E0,)"
            R"("p90":2.047E0,"p99":4.095E0,"p99.9":8.191E0,"max":1.6383E1}})"
            "\n");
}

}  // namespace
}  // namespace zinc::bench
