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
  for (const auto taken : {1us, 2us, 3us, 4us}) {
    made.latency.add(taken);
  }
  return made;
}

TEST(report, is_text) {
  const auto text = text_of(measured());
  EXPECT_TRUE(
      text.starts_with("messages: 4 of 1000 bytes, 1 lost\n"
                       "time: 2.000 s\n"
                       "rate: 2 messages/s, 0.002 MB/s\n"
                       "latency p50: 2.0 us\n"))
      << text;
  EXPECT_TRUE(text.ends_with("latency p99.9: 4.0 us\nlatency max: 4.0 us\n")) << text;
}

TEST(report, has_no_latency_without_received_messages) {
  report made;
  EXPECT_EQ(text_of(made).find("latency"), std::string::npos);
  EXPECT_EQ(json_line_of(made).find("latency"), std::string::npos);
}

TEST(report, is_json) {
  const auto line = json_line_of(measured());
  EXPECT_TRUE(
      line.starts_with(R"({"type":"DEALER","size":1000,"messages":4,"lost":1,"seconds":2E0,)"
                       R"("messages_per_second":2E0,"bytes_per_second":2E3,)"
                       R"("latency_us":{"p50":)"))
      << line;
}

}  // namespace
}  // namespace zinc::bench
